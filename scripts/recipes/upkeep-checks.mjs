import { changedRepository, commit } from '../../__tests__/support/github-state.ts'
import { pullState } from '../../src/emulator/github/pull-state.ts'
import { merged, NO_KEY, pushed, redThenGreen, SKIPPED } from './courses.mjs'
import { added } from './head-files.mjs'

const PERMISSIONS = /** @type {const} */ ({ contents: 'read', actions: 'read', 'pull-requests': 'write' })
const PUSH = { ref: 'refs/heads/main', before: commit('a'), after: commit('b') }
const OLD = '# Old\n\nNobody has changed this page for a year.\n'

/** @param {string} filename */
const changed = (filename) => changedRepository({ files: [{ filename, patch: '@@ -1 +1 @@\n-a\n+b' }] })

/** Pull request 12, which was merged, or closed without it. */
function closed(/** @type {boolean} */ merged) {
  return {
    action: 'closed',
    number: 12,
    pull_request: {
      ...{ number: 12, title: 'Add --dry-run', merged, user: { login: 'mona', type: 'User' } },
      base: { ref: 'main', sha: commit('a') },
      head: { ref: 'dry-run', sha: commit('b'), repo: { full_name: 'acme/docs' } },
    },
    repository: { full_name: 'acme/docs' },
  }
}

/** @type {Readonly<Record<string, readonly import('./checks.mjs').Check[]>>} */
export const UPKEEP_CHECKS = {
  'docs/recipes/refresh-old-pages.yml': [
    {
      name: 'pages that are read and old get into the instruction, those of last week only once',
      eventName: 'schedule',
      history: [
        { daysAgo: 400, files: { 'docs/index.md': OLD, 'docs/reference/install.md': OLD, 'docs/nobody.md': OLD } },
        { daysAgo: 300, files: { 'docs/guides/configure/index.md': OLD, 'docs/concepts/install.md': OLD } },
        { daysAgo: 10, files: { 'docs/concepts/install.md': '# New\n' } },
      ],
      github: { permissions: { contents: 'read', 'pull-requests': 'write' } },
      expected: {
        conclusion: 'success',
        outputs: { 'refresh.old.pages': '3', 'refresh.docs.outcome': 'pull-request' },
        prompts: ['POST job'],
        told: ['- docs/index.md\n', '- docs/reference/install.md\n', '- docs/guides/configure/index.md\n'],
        labels: ['docs-agent-refresh'],
      },
      then: [NO_KEY, { expected: { conclusion: 'success', prompts: [], open: [4] } }],
    },
    {
      name: 'where no page is old nothing is asked',
      eventName: 'schedule',
      history: [{ daysAgo: 10, files: { 'docs/index.md': '# New\n' } }],
      github: { permissions: { contents: 'read', 'pull-requests': 'write' } },
      expected: { conclusion: 'success', outputs: { 'refresh.old.pages': '0' }, prompts: [] },
    },
  ],
  'docs/recipes/translations.yml': [
    {
      name: 'a merge into the English docs goes into each language, in a pull request with a label of its own',
      eventName: 'push',
      event: PUSH,
      github: {
        permissions: PERMISSIONS,
        repositories: { 'acme/docs': changed('docs/en/start.md') },
        edits: (prompt) => [added(`docs/${/translation in docs\/(\w+)/.exec(prompt)?.[1] ?? 'en'}/start.md`, 'Hallo')],
      },
      expected: {
        conclusion: 'success',
        outputs: {
          'translate(de).docs.in-scope': 'true',
          'translate(fr).docs.in-scope': 'true',
          'translate(ja).docs.in-scope': 'true',
        },
        prompts: ['POST job', 'POST job', 'POST job'],
        labels: ['docs-agent-de', 'docs-agent-fr', 'docs-agent-ja'],
      },
      then: redThenGreen(['docs/en/second.md', 'docs/en/third.md'], {
        prompts: ['job_000001', 'job_000002', 'job_000003'].map((job) => `POST job/${job}/message`),
        open: [4, 5, 6],
      }),
    },
  ],
  'docs/recipes/style-and-links.yml': [
    {
      name: 'the agent is told of what was changed and of broken links, and one out of scope opens no second pull request',
      eventName: 'push',
      event: PUSH,
      packages: true,
      history: [
        { daysAgo: 0, files: { 'docs/index.md': '[a](gone.md) [b](start.md)\n', 'docs/start.md': '# Start\n' } },
      ],
      github: {
        permissions: PERMISSIONS,
        repositories: { 'acme/docs': changed('docs/index.md') },
        edits: (prompt) => [
          added(prompt.includes('docs/second.md') ? 'mkdocs.yml' : 'docs/index.md', 'site_name: Acme'),
        ],
      },
      expected: {
        conclusion: 'success',
        outputs: { 'polish.docs.outcome': 'pull-request', 'polish.docs.in-scope': 'true' },
        prompts: ['POST job'],
        told: ['if any follow here:\ndocs/index.md:  [✖] gone.md → Status: 400\n', '-a\n+b'],
        labels: ['docs-agent-style'],
      },
      then: ['docs/second.md', 'docs/third.md'].map((file) => ({
        event: pushed(file),
        expected: {
          conclusion: 'failure',
          outputs: { 'polish.docs.in-scope': 'false' },
          prompts: ['POST job/job_000001/message'],
          told: ['docs/second.md', file],
          open: [4],
        },
      })),
    },
    {
      name: 'the merge of its own pull request starts no job',
      eventName: 'push',
      event: PUSH,
      packages: true,
      history: [{ daysAgo: 0, files: { 'docs/index.md': '# Start\n' } }],
      github: { permissions: PERMISSIONS, repositories: { 'acme/docs': changed('docs/index.md') } },
      expected: { conclusion: 'success', prompts: ['POST job'] },
      then: [{ event: merged(4), expected: SKIPPED }],
    },
  ],
  'docs/recipes/each-merged-pull-request.yml': [
    {
      name: 'a merged pull request gets one with its docs, and no second one if a run is run again',
      eventName: 'pull_request',
      event: closed(true),
      github: {
        permissions: { contents: 'read', 'pull-requests': 'write' },
        repositories: {
          'acme/docs': {
            ...changed('src/flags.ts'),
            pulls: { 12: pullState({ branch: 'dry-run', headSha: commit('b'), state: 'closed' }) },
          },
        },
      },
      ...NO_KEY,
      then: [
        {
          expected: {
            conclusion: 'success',
            outputs: { 'document.docs.outcome': 'pull-request', 'document.docs.pr-number': '4' },
            prompts: ['POST job'],
            told: ['Document what pull request #12 changes', 'Pull request #12: Add --dry-run', 'src/flags.ts'],
            labels: ['docs-for-12'],
          },
        },
        {
          expected: { conclusion: 'success', prompts: ['POST job/job_000001/message'], open: [4] },
        },
      ],
    },
    {
      name: 'a pull request that is closed without a merge starts no runner',
      eventName: 'pull_request',
      event: closed(false),
      expected: { conclusion: 'success', jobs: [], prompts: [], github: [] },
    },
  ],
}
