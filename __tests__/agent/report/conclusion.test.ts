import { expect, test } from '@jest/globals'
import { adviseAttaching, conclude, isGreen } from '../../../src/agent/report/conclusion.ts'
import { FAIL_ON, type FailOn } from '../../../src/agent/inputs/fail-on.ts'
import { OUTCOMES, type Outcome } from '../../../src/agent/report/report.ts'
import { ActionError } from '../../../src/runtime/errors.ts'
import { ATTACH, CREATE, FOLLOW_UP } from '../../support/agent-run.ts'
import { active, archived, completed, failed, failure, withoutLink } from '../../support/fake-client.ts'
import { reportOf } from '../../support/report.ts'

const DEFAULT = new Set<FailOn>(['failed', 'archived', 'timeout'])
const NONE = new Set<FailOn>()
const ALL = new Set<FailOn>(FAIL_ON)

const COLOURS: Record<Outcome, readonly [byDefault: boolean, failOnNone: boolean, failOnAll: boolean]> = {
  // With all words it is red, as nothing is known of its checks and files here.
  'pull-request': [true, true, false],
  'no-changes': [true, true, false],
  failed: [false, true, false],
  archived: [false, true, false],
  'timed-out': [false, true, false],
  unconfirmed: [false, false, false],
  submitted: [true, true, true],
  cancelled: [false, false, false],
  skipped: [true, true, true],
  error: [false, false, false],
}

test.each(OUTCOMES)('%s is green or red as `fail-on` says, and some always are', (outcome) => {
  const colours = [DEFAULT, NONE, ALL].map((failOn) => isGreen(reportOf({ outcome }), failOn))
  expect(colours).toEqual(COLOURS[outcome])
})

test.each(['archived', 'timed-out'] as const)(
  'a prompt that was not sent is red although `fail-on` lets %s pass',
  (outcome) => {
    expect(isGreen(reportOf({ outcome, error: failure('not-sent') }), NONE)).toBe(false)
  },
)

test.each(OUTCOMES)('a red %s says what to do', (outcome) => {
  const error =
    outcome === 'error' ? new ActionError('rejected', 'It was rejected.', { hint: 'Shorten it.' }) : undefined
  const job = outcome === 'timed-out' || outcome === 'cancelled' ? active : failed
  const conclusion = conclude(reportOf({ outcome, job, error }), ALL)
  expect(conclusion.isGreen || conclusion.advice !== undefined).toBe(true)
})

test.each(['timed-out', 'cancelled'] as const)('%s shows how to attach to the job', (outcome) => {
  const { advice } = conclude(reportOf({ outcome, job: active }), DEFAULT)
  expect(advice).toContain('with `job-id: job_1` and without a prompt')
})

test('an error while the job runs says that it goes on, and first of all how to mend it', () => {
  const error = new ActionError('unauthorized', 'The service refused the key (401).', { hint: 'Check the key.' })
  const { title, text, advice } = conclude(reportOf({ outcome: 'error', job: active, error }), DEFAULT)
  expect(title).toBe('The key was refused')
  expect(text).toBe('The service refused the key (401). The job itself goes on.')
  expect(advice).toBe('Check the key.')
})

test.each([
  ['cancelled', failure('cancelled'), 'The run was cancelled. The service has taken the follow-up'],
  [
    'error',
    new ActionError('unauthorized', 'The key was refused.', { hint: 'Check it.' }),
    'The key was refused. The service has taken',
  ],
] as const)('%s after a follow-up whose turn was not seen does not say that nothing runs', (outcome, error, says) => {
  const { text, advice } = conclude(
    reportOf({ outcome, task: FOLLOW_UP, job: completed, error, progress: 'taken' }),
    DEFAULT,
  )
  expect(text).toContain(says)
  expect(text).not.toContain('The job is completed')
  expect(advice).toContain('before you send the prompt again')
})

test.each(['unsent', 'taken'] as const)(
  'nobody is told to attach to a turn that is %s and was waited for, whatever the job reads',
  (turn) => {
    for (const outcome of OUTCOMES.filter((outcome) => outcome !== 'submitted'))
      for (const job of [active, completed])
        for (const error of [undefined, failure('cancelled'), failure('unreachable')])
          expect(adviseAttaching(reportOf({ outcome, task: FOLLOW_UP, job, error, progress: turn }))).toBeUndefined()
  },
)

test('who did not wait for a follow-up is told how to', () => {
  const { advice } = conclude(
    reportOf({ outcome: 'submitted', task: FOLLOW_UP, job: active, progress: 'taken' }),
    DEFAULT,
  )
  expect(advice).toContain('with `job-id: job_1` and without a prompt')
})

test('who attaches to a follow-up that was seen is told what that does not tell', () => {
  const { advice } = conclude(
    reportOf({ outcome: 'timed-out', task: FOLLOW_UP, job: active, progress: 'seen' }),
    DEFAULT,
  )
  expect(advice).toContain('not whether this follow-up was its last turn')
})

test('a turn that was never seen says to look before the prompt is sent again', () => {
  const { advice } = conclude(reportOf({ outcome: 'unconfirmed', task: FOLLOW_UP, progress: 'taken' }), DEFAULT)
  expect(advice).toContain('before you send the prompt again')
})

test.each([
  [{ job: withoutLink }, 'Nothing had to change', 'and changed no file, so there is no pull request'],
  [{ operation: 'unchanged' }, 'Nothing had to change', 'and added no commit to the pull request'],
] as const)('no-changes of %j tells which kind it is', (fields, title, part) => {
  const conclusion = conclude(reportOf({ outcome: 'no-changes', ...fields }), DEFAULT)
  expect(conclusion).toMatchObject({ title, text: expect.stringContaining(part) as unknown })
})

test('a link that cannot be used is red whatever `fail-on` says, and says where to look', () => {
  const error = new ActionError('unusable-link', 'Its address cannot be used.', { hint: 'Look for it.' })
  const job = { ...withoutLink, hasUnsafeLink: true } as const
  expect(conclude(reportOf({ outcome: 'error', job, error }), NONE)).toEqual({
    isGreen: false,
    title: 'The link to the pull request cannot be used',
    text: 'Its address cannot be used.',
    advice: 'Look for it.',
  })
})

test('a run cancelled before the follow-up was sent says so, although there is a job', () => {
  const { text, advice } = conclude(
    reportOf({
      outcome: 'cancelled',
      task: FOLLOW_UP,
      job: completed,
      error: failure('cancelled'),
      progress: 'unsent',
    }),
    DEFAULT,
  )
  expect(text).toBe('The run was cancelled before the follow-up was sent.')
  expect(advice).toBe('Run the step again when you want it: nothing came of this one.')
})

test('a job that was not read in time is red, says why, and what to do', () => {
  const error = new ActionError('deadline', 'The deadline passed before the job could be read.', { hint: 'Look.' })
  const { isGreen: green, ...said } = conclude(
    reportOf({ outcome: 'timed-out', task: ATTACH, job: undefined, error, lastProblem: failure('unreachable') }),
    NONE,
  )
  expect(green).toBe(false)
  expect(said).toEqual({
    title: 'Out of time',
    text: 'The deadline passed before the job could be read. The last look at it failed: It is unreachable.',
    advice: 'Look.',
  })
})

test('a cancelled create whose fate is unknown says that the job may exist', () => {
  const error = new ActionError('unknown-fate', 'The job may exist.', { hint: 'Look for it first.' })
  const { text, advice } = conclude(reportOf({ outcome: 'cancelled', job: undefined, task: CREATE, error }), DEFAULT)
  expect(text).toBe('The run was cancelled. The job may exist.')
  expect(advice).toBe('Look for it first.')
})

test('a run cancelled before the prompt was taken does not claim that a job runs', () => {
  const { text } = conclude(
    reportOf({ outcome: 'cancelled', job: undefined, task: CREATE, error: failure('cancelled') }),
    DEFAULT,
  )
  expect(text).toBe('The run was cancelled before the service had taken the prompt.')
})

test.each([
  [active, 'The service has no way to cancel a job, so the job still runs.'],
  [failed, 'The job failed.'],
  [undefined, 'The job was not read yet.'],
] as const)('a run that is cancelled while a step attaches to %j says so', (job, says) => {
  const { text } = conclude(reportOf({ outcome: 'cancelled', task: ATTACH, job, error: failure('cancelled') }), DEFAULT)
  expect(text).toBe(`The run was cancelled. ${says}`)
})

test('a time-out tells why the last look failed', () => {
  const { text } = conclude(
    reportOf({ outcome: 'timed-out', job: active, lastProblem: failure('service-error') }),
    DEFAULT,
  )
  expect(text).toContain('The last look at it failed: It is service-error.')
})

test('a follow-up that was not sent to an archived job says so and not that the job came to its end', () => {
  const error = new ActionError('not-sent', 'The prompt was not sent: the job is archived.', {
    hint: 'Create a new job.',
  })
  const conclusion = conclude(reportOf({ outcome: 'archived', task: FOLLOW_UP, job: archived, error }), NONE)
  expect(conclusion).toEqual({
    isGreen: false,
    title: 'The job is archived',
    text: 'The prompt was not sent: the job is archived.',
    advice: 'Create a new job.',
  })
})

test('attaching without waiting does not claim to have sent anything', () => {
  expect(conclude(reportOf({ outcome: 'submitted', task: ATTACH, job: active }), DEFAULT).text).not.toContain('prompt')
})
