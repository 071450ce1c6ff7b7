import { commit, pullState } from '../../__tests__/support/github-state.ts'

const PUSH = { ref: 'refs/heads/main', before: commit('a'), after: commit('b') }
const LAST = { id: 41, branch: 'main', headSha: commit('e'), conclusion: /** @type {const} */ ('success') }
const PERMISSIONS = /** @type {const} */ ({ contents: 'read', actions: 'read', 'pull-requests': 'write' })

/** @param {string} before */
function change(before) {
  const commits = [{ sha: commit('b'), message: 'Add a flag' }]
  const relation = /** @type {const} */ ('ahead')
  return { [`${before}...${commit('b')}`]: { relation, commits, files: [{ filename: 'src/flags.ts' }] } }
}

/**
 * An open pull request with the label and the marker of a job.
 *
 * @param {string} jobId
 */
function markedPull(jobId) {
  const body = `<!-- docs-agent-action: job=${jobId} -->`
  return pullState({ labels: ['docs-agent'], comments: [{ body, userType: 'Bot', association: 'NONE' }] })
}

/** The service begins with three jobs: pull request 1 is that of `job_finished`. The next one that it opens is number 4. */
const open = () => ({ 1: markedPull('job_finished'), 4: pullState() })

/** @type {Readonly<Record<string, readonly import('./checks.mjs').Check[]>>} */
export const ROLLING_CHECKS = {
  'docs/recipes/rolling-on-schedule.yml': [
    {
      name: 'an open pull request of the agent gets what was changed, as a follow-up to its job',
      eventName: 'schedule',
      github: {
        permissions: PERMISSIONS,
        repositories: {
          'acme/docs': {
            comparisons: change(commit('e')),
            runs: [{ ...LAST, workflow: 'rolling-on-schedule.yml' }],
            pulls: open(),
          },
        },
      },
      expected: {
        conclusion: 'success',
        outputs: { 'update.docs.continued': 'pull-request', 'update.docs.job-id': 'job_finished' },
        prompts: ['POST job/job_finished/message'],
        summary: ['Going on with pull request #1'],
      },
    },
    {
      name: 'a forged marker is passed over, and a new job begins',
      eventName: 'schedule',
      github: {
        permissions: PERMISSIONS,
        repositories: {
          'acme/docs': {
            comparisons: change(commit('e')),
            runs: [{ ...LAST, workflow: 'rolling-on-schedule.yml' }],
            pulls: { 9: markedPull('job_finished'), 4: pullState() },
          },
        },
      },
      expected: {
        conclusion: 'success',
        outputs: { 'update.docs.continued': '', 'update.docs.pr-number': '4' },
        prompts: ['POST job'],
        summary: ['is passed over'],
      },
    },
  ],
  'docs/recipes/rolling-skip.yml': [
    {
      name: 'while a pull request waits for review nothing is asked',
      eventName: 'schedule',
      github: { permissions: { 'pull-requests': 'write' }, repositories: { 'acme/docs': { pulls: open() } } },
      expected: { conclusion: 'success', outputs: { 'review.docs.outcome': 'skipped' }, prompts: [] },
    },
    {
      name: 'where none is open a job begins',
      eventName: 'schedule',
      github: {
        permissions: { 'pull-requests': 'write' },
        repositories: { 'acme/docs': { pulls: { 4: pullState() } } },
      },
      expected: { conclusion: 'success', outputs: { 'review.docs.outcome': 'pull-request' }, prompts: ['POST job'] },
    },
  ],
  'docs/recipes/rolling-two-repositories.yml': [
    {
      name: 'a push to the code goes to the open pull request in the docs repository',
      eventName: 'push',
      event: PUSH,
      github: {
        permissions: { contents: 'read', 'pull-requests': 'write' },
        from: 'acme/code',
        repositories: { 'acme/code': { comparisons: change(commit('a')) }, 'acme/docs': { pulls: open() } },
      },
      expected: {
        conclusion: 'success',
        outputs: { 'update.docs.continued': 'pull-request', 'update.docs.pr-repository': 'acme/docs' },
        prompts: ['POST job/job_finished/message'],
      },
    },
  ],
  'docs/recipes/long-job.yml': [
    {
      name: 'one workflow job starts the agent, and the other waits for it and sends nothing',
      inputs: { prompt: 'Document the --dry-run flag.' },
      expected: {
        conclusion: 'success',
        jobs: ['start: success', 'finish: success'],
        outputs: { 'start.docs.outcome': 'submitted', 'finish.docs.outcome': 'pull-request' },
        prompts: ['POST job'],
      },
    },
  ],
}
