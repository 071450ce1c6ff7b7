import { UNKNOWN_DELIVERY_HINT } from '../../../src/docs-service/client.ts'
import { expect, test } from '@jest/globals'
import { adviseAttaching, conclude, CHECK_BEFORE_RESENDING, TURN_MAY_RUN } from '../../../src/agent/report/outcomes.ts'
import type { ChecksState, PullRequestFindings, TurnState } from '../../../src/agent/report/turn.ts'
import type { Report } from '../../../src/agent/report/report.ts'
import { getError } from '../../../src/agent/report/step-end.ts'
import type { Job, TerminalStatus } from '../../../src/docs-service/schemas.ts'
import { ActionError } from '../../../src/runtime/errors.ts'
import { COMMENT } from '../../support/comment-events.ts'
import { active, completed, failed, failure, withoutLink } from '../../support/fake-client.ts'
import {
  accept,
  ATTACH,
  createReport,
  endWith,
  ENDS_WITH_ERROR,
  type Fields,
  FOLLOW_UP,
  stopWith,
  turnIn,
} from '../../support/report.ts'
import type { FailOn } from '../../../src/agent/inputs.ts'
import { parsePathRules } from '../../../src/agent/path-filter.ts'
import { formatPullRequest } from '../../../src/agent/report/pull-request-status.ts'
import { renderSummary } from '../../../src/agent/report/summary.ts'
import { refusal } from '../../support/fake-github.ts'

const say = (report: Report, ...failOn: FailOn[]) => conclude({ ...report, failOn: new Set(failOn) })

test.each<[string, TurnState]>([
  ...ENDS_WITH_ERROR.map((end): [string, TurnState] => [end.kind, end]),
  ...(['not-sent', 'cancelled', 'deadline'] as const).map((code): [string, TurnState] => [code, stopWith(code)]),
])('a step that could not do its own part is red although `fail-on` lets it pass: %s', (_name, state) => {
  const report = createReport({ task: FOLLOW_UP, state })
  expect(getError(report)).toBeDefined()
  expect(say(report).isGreen).toBe(false)
})

const TO_ATTACH = 'To wait for the job, run the same step with `job-id: job_1` and without a prompt.'
const TO_ATTACH_AFTER = `${TO_ATTACH} It tells how the job ends, and not whether this follow-up was its last turn.`
const MORE_TIME = "See the job on the service's dashboard, and allow more time in `timeout-minutes` the next time."
const LOOK_AT_ROUND = "Check the service's dashboard before you send the job anything else."
const RUN_AGAIN = 'Run the step again if you still want it: this one did nothing.'
const LOOK = "See the job on the service's dashboard, then send a follow-up or start a new job with another prompt."
const NAME_PAGES = 'If you expected changes, send a follow-up that names the pages.'

const unchanged: Fields = { task: FOLLOW_UP, state: endWith('unchanged') }
const STOPS = ['cancelled', 'unreachable', 'deadline', 'internal'] as const

const refused = new ActionError('unauthorized', 'No.', { hint: 'Check the key.' })
const maybe = new ActionError('unknown-fate', 'The job may exist.', { hint: 'Look for it first.' })
const unread: Fields = { task: ATTACH, state: { kind: 'timed-out', error: failure('deadline') } }
const timedOut = (job: Job): TurnState => ({ kind: 'timed-out', job })
const late = (job: Job): Fields => ({
  task: FOLLOW_UP,
  state: { kind: 'timed-out', job, lastProblem: failure('proxy') },
})
/** A job that came to a bad end, and names the pull request of an earlier turn. */
const linked = (status: TerminalStatus) => ({ ...completed, status })
const failedAfter = (work: 'updated' | 'unknown'): Fields => ({
  task: FOLLOW_UP,
  state: endWith(work, linked('failed')),
  pullRequest: { checks: 'none' },
})
const cancelledIn = (...during: Parameters<typeof stopWith>[1][]): TurnState => stopWith('cancelled', ...during)
const STOPPED = 'The run was cancelled'
const NOT_KNOWN = 'It is not known whether the service accepted the prompt.'
const WAITED = 'The step waited 1 min 5 s. The job'
const PROBLEM = 'The last look at it failed: It is proxy.'
const SAW_NO_END = 'has ended, and it is not known whether that is the end of this follow-up.'
const FAILED = 'It hit an error that it could not recover from. Its pull request'
const NO_CHECK = 'all the same. No check is registered for it.'

test.each<[text: string, advice: string, Fields]>([
  [`No. ${TURN_MAY_RUN}`, CHECK_BEFORE_RESENDING, { task: FOLLOW_UP, state: stopWith(refused, accept()) }],
  [`${WAITED} still runs. ${PROBLEM}`, TO_ATTACH_AFTER, late(active)],
  [`${WAITED} ${SAW_NO_END} ${PROBLEM}`, MORE_TIME, late(completed)],
  ['It is deadline.', TO_ATTACH, unread],
  ['The agent finished and added no commit to the pull request.', NAME_PAGES, unchanged],
  [`${FAILED} has new commits ${NO_CHECK}`, LOOK, failedAfter('updated')],
  [`${FAILED} was looked at ${NO_CHECK}`, LOOK, failedAfter('unknown')],
  [`${STOPPED}. ${TURN_MAY_RUN}`, CHECK_BEFORE_RESENDING, { task: FOLLOW_UP, state: cancelledIn(accept()) }],
  [`${STOPPED}. ${TURN_MAY_RUN}`, LOOK_AT_ROUND, { rounds: [turnIn(cancelledIn(accept()))] }],
  [
    `${STOPPED}. ${NOT_KNOWN}`,
    UNKNOWN_DELIVERY_HINT,
    { task: FOLLOW_UP, state: cancelledIn({ kind: 'delivery-unknown' }) },
  ],
  [`${STOPPED}. ${NOT_KNOWN}`, UNKNOWN_DELIVERY_HINT, { state: cancelledIn({ kind: 'delivery-unknown' }) }],
  [`${STOPPED} before the follow-up was sent.`, RUN_AGAIN, { task: FOLLOW_UP, state: cancelledIn() }],
  [`${STOPPED} before the service accepted the prompt.`, RUN_AGAIN, { state: cancelledIn({ kind: 'sending' }) }],
  [
    `${STOPPED}. The job may exist.`,
    'Look for it first.',
    { state: stopWith(maybe, { kind: 'delivery-unknown' }, true) },
  ],
  [`${STOPPED}. The job failed.`, TO_ATTACH, { task: ATTACH, state: cancelledIn(accept(failed, true)) }],
  [`${STOPPED}. The job was not read yet.`, TO_ATTACH, { task: ATTACH, state: cancelledIn() }],
])('a step that says “%s” has first to be told: %s', (text, advice, fields) => {
  expect(say(createReport(fields))).toMatchObject({ text, advice })
})

test.each(['unsent', 'accepted'] as const)('nobody who waited is told to attach to a turn that is %s', (progress) => {
  for (const job of [active, completed]) {
    const states: Readonly<Record<typeof progress, Parameters<typeof stopWith>[1][]>> = {
      unsent: [
        { kind: 'preparing', job },
        { kind: 'sending', job },
        { kind: 'delivery-unknown', job },
        { kind: 'previewed', isJobRead: true },
        { kind: 'not-sent', reason: 'timed-out', error: failure('not-sent'), job },
      ],
      accepted: [accept(job), { kind: 'unconfirmed', job }],
    }
    for (const during of states[progress])
      for (const state of [during, ...STOPS.map((code) => stopWith(code, during))])
        expect(adviseAttaching(createReport({ task: FOLLOW_UP, ...(state && { state }) }))).toBeUndefined()
  }
})

test.each<[string, Fields]>([
  ['a job that still runs', { state: timedOut(active) }],
  ['a cancelled run', { state: cancelledIn(accept(active, true)) }],
  ['an archived job', { task: FOLLOW_UP, state: endWith('unknown', linked('archived')) }],
])('a step with `command` is not told to take or leave out `job-id` after %s', (_what, fields) => {
  const advice = say(createReport({ ...fields, comment: COMMENT })).advice
  expect(advice).not.toMatch(/same step|without `job-id`/)
  expect(advice).toMatch(
    /^To (?:wait for the job, run the action in a step .* without a prompt and `command`|start over)/,
  )
})

const outside = ['src/a.ts']
const ASKED = { waitForChecks: true, allowedPaths: parsePathRules('docs/**') }
const HELD = { waitsForApproval: true }
const GUARDED = { name: 'deploy', state: 'pending', waitsForApproval: true, isGuarded: true } as const
const GOOD = { state: 'open', mergeable: true, checks: 'success', outside: [] } as const

const iconOf = (report: Report, ...failOn: FailOn[]): string =>
  renderSummary(report, say(report, ...failOn)).split(' ')[1] ?? ''

const checked = (checks: ChecksState): PullRequestFindings => ({ ...GOOD, checks })
const UNCHECKED: PullRequestFindings = { state: 'open', outside: [] }
const NO_SCOPE = { state: 'open', checks: 'success' } as const
const LOOK_AT_CHECKS = 'Look at the checks'
const RED = checked('failure')
const READY = 'The pull request is ready'
const OPENED = 'Pull request opened,'
const MERGED = 'Pull request merged meanwhile'
const CLOSED = 'Pull request closed meanwhile'

/** Whatever is known of a pull request that was just opened, and all was asked for. */
test.each<[PullRequestFindings, title: string, advice: string]>([
  [GOOD, READY, ''],
  [{ ...GOOD, isBlocked: true }, `${READY} for review`, ''],
  [{ state: 'open', checks: 'success', outside: [] }, 'Pull request opened', ''],
  [{ ...GOOD, mergeable: false }, `${OPENED} and it conflicts with its base`, 'Resolve the conflict'],
  [{ ...GOOD, state: 'draft' }, `${OPENED} and it is a draft`, 'Mark it as ready'],
  [{ ...GOOD, state: 'merged' }, MERGED, ''],
  [{ ...GOOD, state: 'closed' }, CLOSED, 'Open it again'],
  [{ ...checked('pending'), state: 'closed' }, `${CLOSED}, its checks have not finished`, 'Open it again'],
  [
    { ...RED, state: 'closed', outside },
    `${CLOSED}, and it changes files outside of \`allowed-paths\``,
    'Open it again',
  ],
  [RED, `${OPENED} its checks failed`, LOOK_AT_CHECKS],
  [{ ...RED, state: 'merged' }, `${MERGED}, its checks failed`, LOOK_AT_CHECKS],
  [checked('pending'), `${OPENED} its checks have not finished`, LOOK_AT_CHECKS],
  [{ ...checked('pending'), ...HELD }, `${OPENED} its checks wait for approval`, 'Approve the runs'],
  [
    { ...checked('pending'), ...HELD, checkList: [GUARDED] },
    `${OPENED} its checks wait for approval`,
    'Review the deployment on the page of the run',
  ],
  [
    { ...checked('pending'), ...HELD, checkList: [GUARDED, { ...GUARDED, isGuarded: false }] },
    `${OPENED} its checks wait for approval`,
    'Approve the runs',
  ],
  [checked('none'), `${OPENED} and no check is registered for it`, 'See which workflows'],
  [UNCHECKED, `${OPENED} and it is not known whether its checks have passed`, LOOK_AT_CHECKS],
  [{ ...RED, outside }, `${OPENED} and it changes files outside of \`allowed-paths\``, 'Look at the files'],
  [NO_SCOPE, `${OPENED} and it is not known whether its files match \`allowed-paths\``, 'Look at the files'],
])('a pull request of which %j is known is told as “%s”', (pullRequest, title, advice) => {
  const report = createReport({ ...ASKED, pullRequest })
  const said = say(report)
  expect(said).toMatchObject({ isGreen: true, title })
  expect(said.advice ?? 'Nothing').toMatch(new RegExp(`^${advice || 'Nothing'}`))
  expect(iconOf(report)).toBe(advice === '' ? '✅' : '⚠️')
  const [hasPassed, isInside] = [pullRequest.checks === 'success', pullRequest.outside?.length === 0]
  expect([say(report, 'checks').isGreen, say(report, 'out-of-scope').isGreen]).toEqual([hasPassed, isInside])
  expect(iconOf(report, 'checks', 'out-of-scope')).toBe(hasPassed && isInside ? iconOf(report) : '❌')
})

test.each<[string, Fields]>([
  ['Pull request opened', {}],
  ['Pull request opened', { task: ATTACH }],
  ['Pull request updated', { task: FOLLOW_UP }],
  ['Pull request may have changed', { task: FOLLOW_UP, state: endWith('unknown') }],
  ['The step timed out', unread],
  ['Nothing had to change', { ...unchanged, ...ASKED, pullRequest: GOOD }],
  ['Nothing had to change', { ...unchanged, ...ASKED, pullRequest: { ...GOOD, state: 'merged' } }],
  ['Pull request unchanged, its checks failed', { ...unchanged, ...ASKED, pullRequest: RED }],
  ['Pull request closed already', { ...unchanged, ...ASKED, pullRequest: { ...GOOD, state: 'closed' } }],
])('no pull request is called ready of which that is not known: “%s”', (title, fields) => {
  expect(say(createReport(fields)).title).toBe(title)
})

test.each<[string, Fields, boolean]>([
  ['one that did not change', { ...unchanged, ...ASKED }, true],
  ['one that is not known to be open', { ...unchanged, ...ASKED, pullRequest: {} }, true],
  ['that of a turn that failed', { task: FOLLOW_UP, state: endWith('unknown', linked('failed')) }, true],
  ['that of a turn that was archived', { task: FOLLOW_UP, state: endWith('unknown', linked('archived')) }, true],
  ['one that was merged after it was opened', { pullRequest: { state: 'merged' } }, true],
  ['one that was over, and did not change', { ...unchanged, ...ASKED, pullRequest: { state: 'merged' } }, false],
  ['none', { ...ASKED, state: endWith('none', withoutLink) }, false],
  ['that of a turn without an end', { state: timedOut(completed) }, false],
  ['that of nobody who waits', { state: { kind: 'submitted', job: active, isConfirmed: true } }, false],
])('of all pull requests, %s is held to `fail-on`, or not', (_name, fields, isHeld) => {
  const isSeen = fields.state === undefined || fields.state.kind === 'ended'
  expect(say(createReport({ ...(isSeen && { pullRequest: RED }), ...fields }), 'checks').isGreen).toBe(!isHeld)
})

test('a gate that is red because nobody could ask names the cause, and one that knows does not', () => {
  const warning = { message: 'Nothing is known of it', error: refusal('unauthorized', 'Give a token.') }
  const sayOf = (pullRequest: PullRequestFindings, failOn: FailOn) =>
    say(createReport({ ...ASKED, pullRequest, warnings: [warning] }), failOn)
  const cause = / Nothing is known of it: GitHub said unauthorized\.$/
  expect(sayOf({}, 'checks')).toMatchObject({ text: expect.stringMatching(cause) as unknown, advice: 'Give a token.' })
  expect(sayOf({}, 'out-of-scope').text).toMatch(cause)
  const pending = sayOf({ checks: 'pending', outside: [] }, 'checks')
  expect(pending.advice).toBe('Look at the checks of the pull request.')
  for (const { text } of [pending, sayOf({ checks: 'success' }, 'checks'), sayOf({}, 'failed')])
    expect(text).not.toMatch(cause)
})

test('tells what is known of a pull request, and nothing of what is not', () => {
  const told = (pullRequest: PullRequestFindings): string => formatPullRequest(createReport({ pullRequest }))
  expect(told({ state: 'merged', mergeable: false, checks: 'none', outside })).toBe(
    'It is already merged. It conflicts with its base branch, so it cannot be merged. No check is registered for it. It changes 1 path outside of `allowed-paths`.',
  )
  expect([told({}), told({ state: 'open', mergeable: true, isBlocked: false })]).toEqual(['', ''])
  expect(told({ state: 'closed', checks: 'pending' })).toContain(' Its checks had not finished when it was closed.')
  expect(told({ state: 'open', checks: 'pending' })).toContain('Its checks were not done in time.')
  expect(told({ checks: 'pending', ...HELD })).toBe('Its checks wait until somebody approves them.')
  expect(told({ checks: 'pending', ...HELD, checkList: [GUARDED] })).toBe(
    'A job waits for the protection rules of its environment.',
  )
  const states = ['success', 'none', 'failure', 'pending'] as const
  const blocked = states.filter((checks) => told({ checks, isBlocked: true }).includes('does not let it be'))
  expect(blocked).toEqual(['success', 'none'])
})
