import { ALL_PERMISSIONS, commit, pullState } from '../../__tests__/support/github-state.ts'

const PUSH = { ref: 'refs/heads/docs/guide', before: commit('a'), after: commit('b') }

/**
 * What was pushed, or changed since the last run.
 *
 * @param {string} before
 * @param {readonly string[]} files
 * @param {string} after
 */
function change(before, files, after = commit('b')) {
  const commits = [{ sha: commit('b'), message: 'Write the guide' }]
  return {
    [`${before}...${after}`]: {
      relation: /** @type {const} */ ('ahead'),
      commits,
      files: files.map((filename) => ({ filename, patch: '@@ -1 +1 @@\n-a\n+b' })),
    },
  }
}

/** The service's pull request is number 4 of acme/docs, and its newest commit `c`. */
const pulls = () => ({ 4: pullState() })
const CHECKS_PASSED = { [commit('c')]: [{ context: 'ci', state: /** @type {const} */ ('success') }] }
const CHECKS_FAILED = { [commit('c')]: [{ context: 'ci', state: /** @type {const} */ ('failure') }] }

/** @type {Readonly<Record<string, readonly import('./checks.mjs').Check[]>>} */
export const GITHUB_CHECKS = {
  'docs/recipes/on-push.yml': [
    {
      name: 'a push to the docs is given to the agent',
      eventName: 'push',
      event: PUSH,
      github: {
        permissions: { contents: 'read', actions: 'read', 'pull-requests': 'write' },
        repositories: { 'acme/docs': { comparisons: change(commit('a'), ['docs/guide.md']), pulls: pulls() } },
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
        repositories: { 'acme/docs': { comparisons: change(commit('a'), ['src/a.ts', 'docs/generated/api.md']) } },
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
          'acme/docs': {
            comparisons: change(commit('e'), ['src/flags.ts']),
            runs: [
              { id: 41, workflow: 'on-schedule.yml', branch: 'main', headSha: commit('e'), conclusion: 'success' },
            ],
            pulls: pulls(),
          },
        },
      },
      expected: {
        conclusion: 'success',
        outputs: { 'update.docs.outcome': 'pull-request' },
        prompts: ['POST job'],
        summary: ['Sent with the prompt'],
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
          'acme/docs': {
            comparisons: change('v1.0.0', ['src/flags.ts'], 'v1.1.0'),
            tags: ['v1.1.0', 'v1.0.0'],
            pulls: pulls(),
          },
        },
      },
      expected: {
        conclusion: 'success',
        outputs: { 'notes.docs.outcome': 'pull-request' },
        prompts: ['POST job'],
        summary: ['Twice as fast.'],
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
          'acme/code': { comparisons: change(commit('a'), ['src/flags.ts']) },
          'acme/docs': { pulls: pulls() },
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
      github: {
        permissions: ALL_PERMISSIONS,
        repositories: { 'acme/docs': { pulls: pulls(), statuses: CHECKS_PASSED } },
      },
      expected: {
        conclusion: 'success',
        outputs: { 'update.docs.checks': 'success', 'update.docs.in-scope': 'true' },
        prompts: ['POST job'],
        commands: [`pr merge 4 --repo acme/docs --squash --match-head-commit ${commit('c')}`],
      },
    },
    {
      name: 'where a check failed nothing is merged, and the run is red',
      eventName: 'schedule',
      github: {
        permissions: ALL_PERMISSIONS,
        repositories: { 'acme/docs': { pulls: pulls(), statuses: CHECKS_FAILED } },
      },
      expected: { conclusion: 'failure', outputs: { 'update.docs.checks': 'failure' }, prompts: ['POST job'] },
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
        repositories: {
          'acme/code': { comparisons: change(commit('a'), ['src/flags.ts']) },
          'acme/docs': { pulls: pulls(), statuses: CHECKS_PASSED },
        },
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
        repositories: { 'acme/code': { comparisons: change(commit('a'), ['src/flags.test.ts']) } },
      },
      expected: { conclusion: 'success', outputs: { 'update.docs.outcome': 'skipped' }, prompts: [] },
    },
  ],
}
