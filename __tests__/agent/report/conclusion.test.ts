import { expect, test } from '@jest/globals'
import type { Conclusion } from '../../../src/action/conclusion.ts'
import { adviseAttaching, conclude } from '../../../src/agent/report/conclusion.ts'
import { LOOK_BEFORE_SENDING, TURN_MAY_RUN } from '../../../src/agent/report/outcomes.ts'
import { OUTCOMES } from '../../../src/agent/report/report.ts'
import { ActionError } from '../../../src/runtime/errors.ts'
import { ATTACH, FOLLOW_UP } from '../../support/agent-run.ts'
import { active, completed, failed, failure, withoutLink } from '../../support/fake-client.ts'
import { reportOf, type Fields } from '../../support/report.ts'

const say = (fields: Fields): Conclusion => conclude(reportOf(fields), new Set())

test.each(['archived', 'timed-out'] as const)(
  'a prompt that was not sent is red although `fail-on` lets %s pass',
  (outcome) => {
    expect(say({ outcome, error: failure('not-sent') }).isGreen).toBe(false)
  },
)

const TO_ATTACH = 'To wait for the job, run the same step with `job-id: job_1` and without a prompt.'
const cancelled = { outcome: 'cancelled', error: failure('cancelled') } as const
const refused = new ActionError('unauthorized', 'It refused the key.', { hint: 'Check the key.' })
const unusable = new ActionError('unusable-link', 'Its address cannot be used.', { hint: 'Look for it.' })
const unread = new ActionError('deadline', 'The job could not be read.', { hint: 'Allow more time.' })
const maybe = new ActionError('unknown-fate', 'The job may exist.', { hint: 'Look for it first.' })

test.each<[string, Fields, Partial<Conclusion>]>([
  [
    'an error while the job runs',
    { outcome: 'error', job: active, error: refused },
    { title: 'The key was refused', text: 'It refused the key. The job itself goes on.', advice: 'Check the key.' },
  ],
  [
    'an error after a follow-up was taken',
    { outcome: 'error', task: FOLLOW_UP, progress: 'taken', error: refused },
    { text: `It refused the key. ${TURN_MAY_RUN}`, advice: LOOK_BEFORE_SENDING },
  ],
  [
    'a follow-up that never began',
    { outcome: 'unconfirmed', task: FOLLOW_UP, progress: 'taken' },
    { text: 'The service accepted the prompt, but the job was never seen to work on it.', advice: LOOK_BEFORE_SENDING },
  ],
  [
    'a follow-up that may still end',
    { outcome: 'timed-out', task: FOLLOW_UP, job: active, progress: 'seen', lastProblem: failure('unreachable') },
    {
      text: 'The step waited 1 min 5 s. The job still runs. The last look at it failed: It is unreachable.',
      advice: `${TO_ATTACH} It tells how the job ends, and not whether this follow-up was its last turn.`,
    },
  ],
  [
    'a follow-up whose end was not told apart in time',
    { outcome: 'timed-out', task: FOLLOW_UP, progress: 'seen' },
    {
      text: 'The step waited 1 min 5 s. The job has ended, and it is not known whether that is the end of this follow-up.',
      advice: "See the job on the service's dashboard, and allow more time in `timeout-minutes` the next time.",
    },
  ],
  [
    'an attached job that was not read in time',
    { outcome: 'timed-out', task: ATTACH, job: undefined, error: unread },
    { isGreen: false, title: 'The time ran out', text: 'The job could not be read.' },
  ],
  [
    'a link that cannot be used',
    { outcome: 'error', job: { ...withoutLink, hasUnsafeLink: true }, error: unusable },
    { isGreen: false, title: 'The link to the pull request cannot be used', advice: 'Look for it.' },
  ],
  [
    'a job without a change',
    { outcome: 'no-changes', job: withoutLink },
    {
      title: 'Nothing had to change',
      text: 'The agent finished and changed no file, so there is no pull request.',
      advice: 'If you expected changes, send a follow-up that names the pages.',
    },
  ],
  [
    'a follow-up without a change',
    { outcome: 'no-changes', operation: 'unchanged' },
    { title: 'Nothing had to change', text: 'The agent finished and added no commit to the pull request.' },
  ],
  [
    'a turn that pushed before it failed',
    { outcome: 'failed', operation: 'updated', pullRequest: { checks: 'success' } },
    {
      text: 'It hit an error that it could not recover from. Its pull request has new commits all the same. All its checks have passed.',
    },
  ],
  [
    'a run cancelled after a follow-up was taken',
    { ...cancelled, task: FOLLOW_UP, progress: 'taken' },
    { text: `The run was cancelled. ${TURN_MAY_RUN}`, advice: LOOK_BEFORE_SENDING },
  ],
  [
    'a run cancelled in a round',
    { ...cancelled, rounds: [{ task: FOLLOW_UP }] },
    {
      text: `The run was cancelled. ${TURN_MAY_RUN}`,
      advice: "Check the service's dashboard before you send the job anything else.",
    },
  ],
  [
    'a run cancelled before a follow-up was sent',
    { ...cancelled, task: FOLLOW_UP, progress: 'unsent' },
    {
      text: 'The run was cancelled before the follow-up was sent.',
      advice: 'Run the step again if you still want it: this one did nothing.',
    },
  ],
  [
    'a run cancelled before a job was created',
    { ...cancelled, job: undefined },
    { text: 'The run was cancelled before the service accepted the prompt.' },
  ],
  [
    'a cancelled run whose prompt nobody answered',
    { outcome: 'cancelled', job: undefined, error: maybe },
    { text: 'The run was cancelled. The job may exist.', advice: 'Look for it first.' },
  ],
  [
    'a run cancelled while the job runs',
    { ...cancelled, job: active },
    {
      text: 'The run was cancelled. The service has no way to cancel a job, so the job still runs.',
      advice: TO_ATTACH,
    },
  ],
  [
    'a run cancelled after the job failed',
    { ...cancelled, task: ATTACH, job: failed },
    { text: 'The run was cancelled. The job failed.' },
  ],
  [
    'a run cancelled before the job was read',
    { ...cancelled, task: ATTACH, job: undefined },
    { text: 'The run was cancelled. The job was not read yet.', advice: TO_ATTACH },
  ],
])('%s says what is known, and what to do first', (_name, fields, said) => {
  expect(say(fields)).toMatchObject(said)
})

test.each(['unsent', 'taken'] as const)(
  'nobody is told to attach to a turn that is %s and was waited for, whatever the job reads',
  (progress) => {
    for (const outcome of OUTCOMES.filter((outcome) => outcome !== 'submitted'))
      for (const job of [active, completed])
        for (const error of [undefined, failure('cancelled'), failure('unreachable')])
          expect(adviseAttaching(reportOf({ outcome, task: FOLLOW_UP, job, error, progress }))).toBeUndefined()
  },
)
