import { changedRepository, commit } from '../../__tests__/support/github-state.ts'
import { FAILED, PASSED } from '../../src/emulator/github/check-scenarios.ts'
import { redThenGreen, succeeded } from './courses.mjs'
import { added } from './head-files.mjs'

/** The one place where the page is told apart from what it links to. */
const BROKEN = /Doc file '([^']+)' contains a link 'setup\.md', but the target is not found/

/** Writes a page with a link that leads nowhere, and takes that link out if it is told where it is. */
function write(/** @type {string} */ prompt) {
  const page = BROKEN.exec(prompt)?.[1]
  return page === undefined
    ? [added('docs/deploy.md', '# Deploy\n\nFirst [set it up](setup.md).')]
    : [{ filename: `docs/${page}`, patch: '@@ -3 +3 @@\n-First [set it up](setup.md).\n+First set it up.' }]
}

const FILES = [
  added('mkdocs.yml', 'site_name: Acme'),
  added('docs/index.md', '# Acme\n\n- [Start](start.md)'),
  added('docs/start.md', '# Start'),
  added('src/flags.ts', 'export {}'),
]

/** @type {import('../../src/emulator/github/state.ts').Permissions} */
const PERMISSIONS = { contents: 'read', actions: 'read', 'pull-requests': 'write', checks: 'read', statuses: 'read' }

/** @type {Readonly<Record<string, readonly import('./checks.mjs').Check[]>>} */
export const MENDING_CHECKS = {
  'docs/recipes/fix-checks.yml': [
    {
      name: 'a broken link fails the link checker and the build, which go back to the agent, who mends it',
      eventName: 'push',
      event: { ref: 'refs/heads/main', before: commit('a'), after: commit('b') },
      github: {
        permissions: PERMISSIONS,
        repositories: { 'acme/docs': changedRepository({ files: FILES }) },
        checks: 'docs/recipes/docs-checks.yml',
        edits: write,
      },
      expected: {
        conclusion: 'success',
        outputs: { 'update.docs.checks': 'success', 'update.docs.fix-rounds': '1' },
        prompts: ['POST job', 'POST job/job_000001/message'],
        told: [
          "WARNING -  Doc file 'deploy.md' contains a link 'setup.md', but the target is not found",
          '[✖] setup.md → Status: 400',
          '.github:1: Process completed with exit code 1.',
        ],
        pullRequestChecks: [
          ['build: failure', 'links: failure'],
          ['build: success', 'links: success'],
        ],
      },
    },
    {
      name: 'a push after checks that no round mended goes on with the same pull request, and tells all that was missed',
      eventName: 'push',
      event: { ref: 'refs/heads/main', before: commit('a'), after: commit('b') },
      github: {
        permissions: PERMISSIONS,
        repositories: {
          'acme/docs': changedRepository(
            { files: FILES },
            { workflowRuns: [succeeded('fix-checks.yml', commit('a'), 'push')] },
          ),
        },
        plan: [FAILED, FAILED, FAILED, PASSED],
      },
      expected: {
        conclusion: 'failure',
        outputs: { 'update.docs.checks': 'failure', 'update.docs.fix-rounds': '2' },
        prompts: ['POST job', 'POST job/job_000001/message', 'POST job/job_000001/message'],
        labels: ['docs-agent-fix'],
      },
      then: redThenGreen(['src/second.ts', 'src/third.ts'], {
        outputs: { 'update.docs.checks': 'success', 'update.docs.continued': 'pull-request' },
        prompts: ['POST job/job_000001/message'],
        open: [4],
      }),
    },
  ],
}
