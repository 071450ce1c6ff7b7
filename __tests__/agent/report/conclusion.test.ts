import { expect, test } from '@jest/globals'
import { adviseAttaching, conclude } from '../../../src/agent/report/conclusion.ts'
import { LOOK_BEFORE_SENDING, TURN_MAY_RUN } from '../../../src/agent/report/outcomes.ts'
import { OUTCOMES } from '../../../src/agent/report/report.ts'
import { ActionError } from '../../../src/runtime/errors.ts'
import { ATTACH, FOLLOW_UP } from '../../support/agent-run.ts'
import { active, completed, failed, failure } from '../../support/fake-client.ts'
import { reportOf, type Fields } from '../../support/report.ts'

test.each(OUTCOMES)('a step that could not do its own part is red although `fail-on` lets %s pass', (outcome) => {
  expect(conclude(reportOf({ outcome, error: failure('not-sent') }), new Set()).isGreen).toBe(false)
})

const TO_ATTACH = 'To wait for the job, run the same step with `job-id: job_1` and without a prompt.'
const TO_ATTACH_AFTER = `${TO_ATTACH} It tells how the job ends, and not whether this follow-up was its last turn.`
const MORE_TIME = "See the job on the service's dashboard, and allow more time in `timeout-minutes` the next time."
const LOOK_AT_ROUND = "Check the service's dashboard before you send the job anything else."
const RUN_AGAIN = 'Run the step again if you still want it: this one did nothing.'
const LOOK = "See the job on the service's dashboard, then send a follow-up or start a new job with another prompt."
const NAME_PAGES = 'If you expected changes, send a follow-up that names the pages.'

const refused = new ActionError('unauthorized', 'No.', { hint: 'Check the key.' })
const maybe = new ActionError('unknown-fate', 'The job may exist.', { hint: 'Look for it first.' })
const unread: Fields = { outcome: 'timed-out', task: ATTACH, job: undefined, error: failure('deadline') }
const late: Fields = { outcome: 'timed-out', task: FOLLOW_UP, progress: 'seen', lastProblem: failure('proxy') }
const taken: Fields = { task: FOLLOW_UP, progress: 'taken' }
const failedWith: Fields = { outcome: 'failed', pullRequest: { checks: 'none' } }
const stopped: Fields = { outcome: 'cancelled', error: failure('cancelled') }
const STOPPED = 'The run was cancelled'
const WAITED = 'The step waited 1 min 5 s. The job'
const PROBLEM = 'The last look at it failed: It is proxy.'
const SAW_NO_END = 'has ended, and it is not known whether that is the end of this follow-up.'
const FAILED = 'It hit an error that it could not recover from. Its pull request'
const NO_CHECK = 'all the same. No check is registered for it.'

test.each<[text: string, advice: string, Fields]>([
  [`No. ${TURN_MAY_RUN}`, LOOK_BEFORE_SENDING, { ...taken, outcome: 'error', error: refused }],
  [`${WAITED} still runs. ${PROBLEM}`, TO_ATTACH_AFTER, { ...late, job: active }],
  [`${WAITED} ${SAW_NO_END} ${PROBLEM}`, MORE_TIME, late],
  ['It is deadline.', TO_ATTACH, unread],
  ['The agent finished and added no commit to the pull request.', NAME_PAGES, { outcome: 'no-changes' }],
  [`${FAILED} has new commits ${NO_CHECK}`, LOOK, { ...failedWith, operation: 'updated' }],
  [`${FAILED} was looked at ${NO_CHECK}`, LOOK, failedWith],
  [`${STOPPED}. ${TURN_MAY_RUN}`, LOOK_BEFORE_SENDING, { ...stopped, ...taken }],
  [`${STOPPED}. ${TURN_MAY_RUN}`, LOOK_AT_ROUND, { ...stopped, rounds: [{ task: FOLLOW_UP }] }],
  [`${STOPPED} before the follow-up was sent.`, RUN_AGAIN, { ...stopped, task: FOLLOW_UP, progress: 'unsent' }],
  [`${STOPPED} before the service accepted the prompt.`, RUN_AGAIN, { ...stopped, job: undefined }],
  [`${STOPPED}. The job may exist.`, 'Look for it first.', { ...stopped, job: undefined, error: maybe }],
  [`${STOPPED}. The job failed.`, TO_ATTACH, { ...stopped, task: ATTACH, job: failed }],
  [`${STOPPED}. The job was not read yet.`, TO_ATTACH, { ...stopped, task: ATTACH, job: undefined }],
])('a step that says “%s” has first to be told: %s', (text, advice, fields) => {
  expect(conclude(reportOf(fields), new Set())).toMatchObject({ text, advice })
})

test('what ran out of time before anything was known has the title of its error', () => {
  expect(conclude(reportOf(unread), new Set()).title).toBe('The time ran out')
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
