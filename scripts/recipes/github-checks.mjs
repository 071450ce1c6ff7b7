import { changedRepository, commit } from '../../__tests__/support/github-state.ts'
import { ALL_PERMISSIONS } from '../../src/emulator/github/state.ts'

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

/** @type {Readonly<Record<string, readonly import('./checks.mjs').Check[]>>} */
export const GITHUB_CHECKS = {
  'docs/recipes/on-push.yml': [
    {
      name: 'a push to the docs is given to the agent',
      eventName: 'push',
      event: PUSH,
      github: {
        permissions: { contents: 'read', actions: 'read', 'pull-requests': 'write' },
        repositories: { 'acme/docs': changed(['docs/guide.md']) },
      },
      expected: {
        conclusion: 'success',
        outputs: { 'polish.docs.outcome': 'pull-request', 'polish.docs.pr-state': 'open' },
        prompts: ['POST job'],
      },
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
      name: 'the agent gets what was changed since the last successful run',
      eventName: 'schedule',
      github: {
        permissions: { contents: 'read', actions: 'read', 'pull-requests': 'write' },
        repositories: {
          'acme/docs': changed(['src/flags.ts'], 'e', {
            workflowRuns: [
              {
                ...{ id: 41, workflow: 'on-schedule.yml', branch: 'main', headSha: commit('e'), event: 'schedule' },
                ...{ status: 'completed', conclusion: 'success', createdAtMs: 0 },
              },
            ],
          }),
        },
      },
      expected: {
        conclusion: 'success',
        outputs: { 'update.docs.outcome': 'pull-request' },
        prompts: ['POST job'],
        summary: ['Goes with the prompt'],
      },
    },
  ],
  'docs/recipes/release-notes.yml': [
    {
      name: 'the agent gets what came since the tag before, and the release with it',
      eventName: 'release',
      event: { action: 'published', release: { tag_name: 'v1.1.0', name: 'Faster', body: 'Twice as fast.' } },
      github: {
        permissions: { contents: 'read', 'pull-requests': 'write' },
        repositories: {
          'acme/docs': changed(['src/flags.ts'], 'a', { tags: { 'v1.0.0': commit('a'), 'v1.1.0': commit('b') } }),
        },
      },
      expected: {
        conclusion: 'success',
        outputs: { 'notes.docs.outcome': 'pull-request', 'notes.docs.in-scope': 'true' },
        prompts: ['POST job'],
        told: ['Document what is new in this release', 'Release v1.1.0: Faster', 'Twice as fast.', 'src/flags.ts'],
      },
    },
  ],
  'docs/recipes/on-dispatch.yml': [
    {
      name: 'the agent gets the range that another repository sent',
      eventName: 'repository_dispatch',
      event: { action: 'code-changed', client_payload: { range: `acme/code@${commit('a')}...${commit('b')}` } },
      github: {
        permissions: ALL_PERMISSIONS,
        repositories: {
          'acme/code': changed(['src/flags.ts']),
        },
      },
      expected: {
        conclusion: 'success',
        outputs: { 'update.docs.outcome': 'pull-request' },
        prompts: ['POST job'],
        summary: ['What changed in acme/code'],
      },
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
        commands: ['pr merge 4 --repo acme/docs --squash --match-head-commit <head>'],
      },
    },
    {
      name: 'a check that still fails after two rounds merges nothing, and the run is red',
      eventName: 'schedule',
      github: { permissions: ALL_PERMISSIONS, scenarios: ['checks-fail'] },
      expected: {
        conclusion: 'failure',
        outputs: { 'update.docs.checks': 'failure', 'update.docs.fix-rounds': '2' },
        prompts: ['POST job', 'POST job/job_000001/message', 'POST job/job_000001/message'],
      },
    },
  ],
  'docs/recipes/two-repositories.yml': [
    {
      name: 'a change of the code leads to a pull request in the docs repository, with its checks',
      eventName: 'push',
      event: { ...PUSH, ref: 'refs/heads/main' },
      github: {
        permissions: ALL_PERMISSIONS,
        from: 'acme/code',
        repositories: { 'acme/code': changed(['src/flags.ts']) },
      },
      expected: {
        conclusion: 'success',
        outputs: {
          'update.docs.outcome': 'pull-request',
          'update.docs.pr-repository': 'acme/docs',
          'update.docs.checks': 'success',
        },
        prompts: ['POST job'],
      },
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
