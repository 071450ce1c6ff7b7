import { changedRepository, commit } from '../../__tests__/support/github-state.ts'
import { FAILED, PASSED } from '../../src/emulator/github/check-scenarios.ts'
import { ALL_PERMISSIONS } from '../../src/emulator/github/state.ts'
import { merged, NO_KEY, pushed, redThenGreen, SKIPPED, succeeded } from './courses.mjs'
import { added } from './head-files.mjs'

const PUSH = { ref: 'refs/heads/docs/guide', before: commit('a'), after: commit('b') }

/**
 * A repository where this was pushed, or changed since the last run.
 *
 * @param {readonly string[]} names of files
 * @param {string} [from] the commit before
 * @param {Partial<import('../../src/emulator/github/repository-state.ts').RepositoryState>} [fields]
 */
function changed(names, from = 'a', fields = {}) {
  const files = names.map((filename) => ({ filename, patch: '@@ -1 +1 @@\n-a\n+b' }))
  return changedRepository({ from, files }, fields)
}

/** @param {number} id @param {string} tag_name @param {string} name */
const released = (id, tag_name, name) => ({
  action: 'released',
  release: { id, tag_name, name, body: 'Twice as fast.' },
})

/** @param {string} range */
const dispatched = (range) => ({ action: 'code-changed', client_payload: { range } })

/** @type {Readonly<Record<string, readonly import('./checks.mjs').Check[]>>} */
export const GITHUB_CHECKS = {
  'docs/recipes/on-push.yml': [
    {
      name: 'a push to the docs is given to the agent, with that of a red run before it',
      eventName: 'push',
      event: PUSH,
      github: {
        permissions: { contents: 'read', actions: 'read', 'pull-requests': 'write' },
        repositories: {
          'acme/docs': changed(['docs/guide.md'], 'a', {
            branches: { main: commit('a'), 'docs/guide': commit('b') },
          }),
        },
      },
      expected: {
        conclusion: 'success',
        outputs: { 'polish.docs.outcome': 'pull-request', 'polish.docs.pr-state': 'open' },
        prompts: ['POST job'],
        told: ['Change no other pages.', '--- docs/guide.md'],
        labels: ['docs-agent'],
      },
      then: redThenGreen(
        ['docs/second.md', 'docs/third.md'],
        { prompts: ['POST job'], open: [4, 5] },
        { branch: 'docs/guide' },
      ),
    },
    {
      name: 'a push of other files asks nothing',
      eventName: 'push',
      event: PUSH,
      github: {
        permissions: { contents: 'read', actions: 'read', 'pull-requests': 'write' },
        repositories: { 'acme/docs': changed(['src/a.ts', 'docs/generated/api.md']) },
      },
      expected: { conclusion: 'success', outputs: { 'polish.docs.outcome': 'skipped' }, prompts: [] },
    },
  ],
  'docs/recipes/on-schedule.yml': [
    {
      name: 'the agent gets what was changed since the last successful run, whatever was red in between',
      eventName: 'schedule',
      github: {
        permissions: { contents: 'read', actions: 'read', 'pull-requests': 'write' },
        repositories: {
          'acme/docs': changed(['src/flags.ts'], 'e', {
            workflowRuns: [succeeded('on-schedule.yml', commit('e'), 'schedule')],
          }),
        },
      },
      expected: {
        conclusion: 'success',
        outputs: { 'update.docs.outcome': 'pull-request' },
        prompts: ['POST job'],
        summary: ['Added to the prompt'],
      },
      then: [
        ...redThenGreen(['src/second.ts', 'openapi/third.yml'], { prompts: ['POST job'], open: [4, 5] }),
        {
          event: pushed('README.md'),
          expected: { conclusion: 'success', outputs: { 'update.docs.outcome': 'skipped' }, prompts: [] },
        },
      ],
    },
  ],
  'docs/recipes/release-notes.yml': [
    {
      name: 'a red run that is run again goes on with the pull request of its release, and another release gets its own',
      eventName: 'release',
      event: released(7, 'v1.1.0', 'Faster'),
      github: {
        permissions: { contents: 'read', 'pull-requests': 'write' },
        repositories: {
          'acme/docs': changed(['src/flags.ts'], 'a', {
            tags: { 'v1.0.0': commit('a'), 'v1.1.0': commit('b'), 'v1.2.0': commit('b') },
          }),
        },
        edits: (prompt) => [added(prompt.includes('Release v1.1.0') ? 'src/notes.md' : 'docs/notes.md', 'New')],
      },
      expected: {
        conclusion: 'failure',
        outputs: { 'notes.docs.outcome': 'pull-request', 'notes.docs.in-scope': 'false' },
        prompts: ['POST job'],
        told: ['Document what is new in this release', 'Release v1.1.0: Faster', 'Twice as fast.', 'src/flags.ts'],
      },
      then: [
        { expected: { conclusion: 'failure', prompts: ['POST job/job_000001/message'], open: [4] } },
        {
          event: released(8, 'v1.2.0', 'Smaller'),
          expected: {
            conclusion: 'success',
            outputs: { 'notes.docs.outcome': 'pull-request', 'notes.docs.in-scope': 'true' },
            prompts: ['POST job'],
            told: ['Release v1.2.0: Smaller'],
            labels: ['docs-for-release-7', 'docs-for-release-8'],
          },
        },
        {
          // Since the tag before there is only the merge of the agent's own pull request.
          event: (github) => {
            const { after } = merged(5)(github)
            Object.assign(github.repositories['acme/docs']?.tags ?? {}, { 'v1.3.0': after })
            return released(9, 'v1.3.0', 'Notes')
          },
          expected: SKIPPED,
        },
      ],
    },
  ],
  'docs/recipes/on-dispatch.yml': [
    {
      name: 'the agent gets the range that another repository sent, and that of a red run if it is run again',
      eventName: 'repository_dispatch',
      event: dispatched('acme/code@v1...v2'),
      github: {
        permissions: ALL_PERMISSIONS,
        repositories: {
          'acme/code': changed(['src/flags.ts'], 'a', { tags: { v1: commit('a'), v2: commit('b') } }),
        },
      },
      ...NO_KEY,
      then: [
        {
          expected: {
            conclusion: 'success',
            outputs: { 'update.docs.outcome': 'pull-request' },
            prompts: ['POST job'],
            told: ['src/flags.ts'],
            summary: ['What changed in acme/code'],
          },
        },
      ],
    },
    {
      name: 'an event without a range is an error, and asks nothing',
      eventName: 'repository_dispatch',
      event: { action: 'code-changed', client_payload: {} },
      github: { permissions: ALL_PERMISSIONS },
      expected: { conclusion: 'failure', outputs: { 'update.docs.outcome': 'error' }, prompts: [], github: [] },
    },
  ],
  'docs/recipes/before-auto-merge.yml': [
    {
      name: 'what was checked and keeps to the paths is merged, by the head that was checked',
      eventName: 'schedule',
      github: { permissions: ALL_PERMISSIONS },
      expected: {
        conclusion: 'success',
        outputs: { 'update.docs.checks': 'success', 'update.docs.in-scope': 'true' },
        prompts: ['POST job'],
        open: [],
        commands: ['pr merge 4 --repo acme/docs --squash --match-head-commit <head>'],
      },
    },
    {
      name: 'red nights go on with one pull request, which is merged once its checks pass',
      eventName: 'schedule',
      // Its third push is the last one of the first night.
      github: { permissions: ALL_PERMISSIONS, plan: [...Array.from({ length: 6 }, () => FAILED), PASSED] },
      expected: {
        conclusion: 'failure',
        outputs: { 'update.docs.checks': 'failure', 'update.docs.fix-rounds': '2' },
        prompts: ['POST job', 'POST job/job_000001/message', 'POST job/job_000001/message'],
        labels: ['docs-agent-merge'],
        open: [4],
      },
      then: [
        {
          expected: {
            conclusion: 'failure',
            outputs: { 'update.docs.continued': 'pull-request', 'update.docs.fix-rounds': '2' },
            prompts: Array.from({ length: 3 }, () => 'POST job/job_000001/message'),
            open: [4],
          },
        },
        {
          expected: {
            conclusion: 'success',
            outputs: { 'update.docs.checks': 'success', 'update.docs.in-scope': 'true' },
            prompts: ['POST job/job_000001/message'],
            commands: ['pr merge 4 --repo acme/docs --squash --match-head-commit <head>'],
            open: [],
          },
        },
      ],
    },
    {
      name: 'a draft is left open, and a page that is excepted makes the run red: neither is merged',
      eventName: 'schedule',
      github: {
        ...{ permissions: ALL_PERMISSIONS, scenarios: ['draft'] },
        edits: (prompt) => [added(prompt.includes('still open') ? 'docs/legal/terms.md' : 'docs/index.md', 'New')],
      },
      expected: {
        conclusion: 'success',
        outputs: { 'update.docs.outcome': 'pull-request' },
        prompts: ['POST job'],
        open: [4],
      },
      then: [
        {
          event: pushed('src/second.ts'),
          expected: {
            conclusion: 'failure',
            outputs: { 'update.docs.in-scope': 'false' },
            prompts: ['POST job/job_000001/message'],
            open: [4],
          },
        },
      ],
    },
  ],
  'docs/recipes/two-repositories.yml': [
    {
      name: 'each change of the code leads to one pull request in the docs repository, whatever its checks say',
      eventName: 'push',
      event: { ...PUSH, ref: 'refs/heads/main' },
      github: {
        permissions: ALL_PERMISSIONS,
        scenarios: ['checks-fail'],
        from: 'acme/code',
        repositories: { 'acme/code': changed(['src/flags.ts']) },
      },
      expected: {
        conclusion: 'success',
        outputs: {
          'update.docs.outcome': 'pull-request',
          'update.docs.pr-repository': 'acme/docs',
          'update.docs.checks': 'failure',
        },
        prompts: ['POST job'],
      },
      then: redThenGreen(
        ['src/second.ts', 'src/third.ts'],
        { prompts: ['POST job'], open: [4, 5] },
        { repository: 'acme/code' },
      ),
    },
    {
      name: 'a change of tests alone asks nothing',
      eventName: 'push',
      event: { ...PUSH, ref: 'refs/heads/main' },
      github: {
        permissions: ALL_PERMISSIONS,
        from: 'acme/code',
        repositories: { 'acme/code': changed(['src/flags.test.ts']) },
      },
      expected: { conclusion: 'success', outputs: { 'update.docs.outcome': 'skipped' }, prompts: [] },
    },
  ],
}
