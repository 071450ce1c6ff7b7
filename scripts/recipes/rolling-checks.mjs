import { changedRepository, commit } from '../../__tests__/support/github-state.ts'
import { TOKEN_USER } from '../../src/emulator/github/demo-state.ts'
import { pullState } from '../../src/emulator/github/pull-state.ts'
import { NO_KEY, pushed, redThenGreen, SKIPPED, succeeded } from './courses.mjs'

const PUSH = { ref: 'refs/heads/main', before: commit('a'), after: commit('b') }
const CODE = [{ filename: 'src/flags.ts' }]
const PERMISSIONS = /** @type {const} */ ({ contents: 'read', actions: 'read', 'pull-requests': 'write' })
/** The service begins with pull request 1, of `job_finished`. */
const OPEN = /** @type {const} */ (['open-pull-request'])
/** A follow-up to the job of the first run. */
const GOES_ON = /** @type {const} */ ({ prompts: ['POST job/job_000001/message'], open: [4] })

/**
 * The repository, changed since the last successful run of a recipe.
 *
 * @param {Partial<import('../../src/emulator/github/repository-state.ts').RepositoryState>} [fields]
 */
function changed(fields = {}, workflow = 'rolling-on-schedule.yml', event = 'schedule') {
  return changedRepository(
    { from: 'e', files: CODE },
    {
      workflowRuns: [succeeded(workflow, commit('e'), event)],
      ...fields,
    },
  )
}

/** With the label, and the marker of a job that has opened another one. */
function forgedPull() {
  const body = '<!-- docs-agent-action: job=job_finished -->'
  return pullState({
    ...{ branch: 'somebody/guide', headSha: commit('c'), labels: ['docs-agent-rolling'] },
    comments: [{ id: 901, user: TOKEN_USER, body, createdAtMs: 0, reactions: [] }],
  })
}

/** @type {Readonly<Record<string, readonly import('./checks.mjs').Check[]>>} */
export const ROLLING_CHECKS = {
  'docs/recipes/rolling-on-schedule.yml': [
    {
      name: 'what was changed in the week of a red run is told by the next one, in the same pull request',
      eventName: 'schedule',
      github: { permissions: PERMISSIONS, repositories: { 'acme/docs': changed() } },
      expected: { conclusion: 'success', prompts: ['POST job'], told: ['src/flags.ts'], open: [4] },
      then: [
        ...redThenGreen(['src/second.ts', 'openapi/third.yml'], {
          ...GOES_ON,
          outputs: { 'update.docs.continued': 'pull-request' },
          summary: ['Adding to pull request <code>&#35;4</code>'],
        }),
        { event: pushed('README.md'), expected: SKIPPED },
      ],
    },
    {
      name: 'a forged marker is passed over, and a new job begins',
      eventName: 'schedule',
      github: { permissions: PERMISSIONS, repositories: { 'acme/docs': changed({ pulls: { 9: forgedPull() } }) } },
      expected: {
        conclusion: 'success',
        outputs: { 'update.docs.continued': '', 'update.docs.pr-number': '4' },
        prompts: ['POST job'],
        summary: ['is passed over'],
      },
    },
  ],
  'docs/recipes/rolling-on-push.yml': [
    {
      name: 'a push goes to the open pull request, with that of a red run before it',
      eventName: 'push',
      event: PUSH,
      github: {
        permissions: PERMISSIONS,
        scenarios: OPEN,
        repositories: { 'acme/docs': changed({}, 'rolling-on-push.yml', 'push') },
      },
      expected: {
        conclusion: 'success',
        outputs: { 'update.docs.continued': 'pull-request', 'update.docs.job-id': 'job_finished' },
        prompts: ['POST job/job_finished/message'],
        summary: ['Adding to pull request <code>&#35;1</code>'],
      },
      then: [
        ...redThenGreen(['src/second.ts', 'src/third.ts'], { prompts: ['POST job/job_finished/message'], open: [1] }),
        { event: pushed('README.md'), expected: SKIPPED },
      ],
    },
  ],
  'docs/recipes/rolling-skip.yml': [
    {
      name: 'a job begins, also after a red run, and while its pull request waits for review nothing is asked',
      eventName: 'schedule',
      github: { permissions: { 'pull-requests': 'write' } },
      ...NO_KEY,
      then: [
        {
          expected: {
            conclusion: 'success',
            outputs: { 'review.docs.outcome': 'pull-request' },
            prompts: ['POST job'],
            labels: ['docs-agent-review'],
          },
        },
        {
          expected: {
            conclusion: 'success',
            outputs: { 'review.docs.outcome': 'skipped' },
            prompts: [],
            open: [4],
          },
        },
      ],
    },
  ],
  'docs/recipes/rolling-two-repositories.yml': [
    {
      name: 'a push to the code goes to the open pull request in the docs repository, with that of a red run before it',
      eventName: 'push',
      event: PUSH,
      github: {
        permissions: PERMISSIONS,
        from: 'acme/code',
        repositories: { 'acme/code': changedRepository({ files: CODE }) },
      },
      expected: {
        conclusion: 'success',
        outputs: { 'update.docs.continued': '', 'update.docs.pr-repository': 'acme/docs' },
        prompts: ['POST job'],
        labels: ['docs-of-code'],
      },
      then: redThenGreen(
        ['src/second.ts', 'src/third.ts'],
        { ...GOES_ON, outputs: { 'update.docs.continued': 'pull-request', 'update.docs.pr-repository': 'acme/docs' } },
        { repository: 'acme/code' },
      ),
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
