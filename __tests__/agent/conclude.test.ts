import { CHECK_BEFORE_RESENDING, UNKNOWN_DELIVERY_HINT } from '../../src/docs-service/client.ts'
import { expect, test } from '@jest/globals'
import { conclude, TURN_MAY_RUN } from '../../src/agent/conclude.ts'
import { getError } from '../../src/agent/selectors.ts'
import type { ChecksState, PullRequestFacts, Run } from '../../src/agent/record.ts'
import { isTerminal, type Job } from '../../src/docs-service/schemas.ts'
import { STATUS_PHRASES, type TerminalStatus } from '../../src/docs-service/interface.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { COMMENT } from '../../testing/comment-events.ts'
import { active, archived, completed, failed, failure, withoutLink } from '../../testing/jobs.ts'
import {
  accept,
  ATTACH,
  createReport,
  endWith,
  ENDS_WITH_ERROR,
  type Fields,
  FOLLOW_UP,
  stopWith,
  type TurnFacts,
  turnIn,
} from '../../testing/report.ts'
import type { FailOn } from '../../src/agent/facts.ts'
import { parsePathRules } from '../../src/agent/path-filter.ts'
import { formatPullRequest } from '../../src/agent/words.ts'
import { renderSummary } from '../../src/agent/output/summary.ts'
import { createGitHubError } from '../../testing/github-values.ts'

const concludeWith = (report: Run, ...failOn: FailOn[]) => conclude({ ...report, failOn: new Set(failOn) })

test.each<[string, TurnFacts]>([
  ...ENDS_WITH_ERROR.map((end): [string, TurnFacts] => [end.error?.code ?? '', end]),
  ...(['not-sent', 'cancelled', 'deadline'] as const).map((code): [string, TurnFacts] => [code, stopWith(code)]),
])('a step with an error is red, even if `fail-on` would allow its outcome: %s', (_name, state) => {
  const report = createReport({ task: FOLLOW_UP, state })
  expect(getError(report)).toBeDefined()
  expect(concludeWith(report).isGreen).toBe(false)
})

const TERMINAL = Object.keys(STATUS_PHRASES).flatMap((status) => {
  const job = { ...completed, status } as Job
  return isTerminal(job) ? [[status, job] as const] : []
})

test.each(TERMINAL)('a finished job with the status %s is green only if it completed', (status, job) => {
  const report = createReport({ state: endWith('created', job) })
  expect(concludeWith(report, 'failed', 'archived').isGreen).toBe(status === 'completed')
})

test('a job that has not ended is not reported as ended', () => {
  const report = createReport({ state: { sent: 'started', end: 'timed-out', job: active } })
  expect(conclude(report).text).toContain('The job still runs.')
})

const TO_ATTACH =
  'To wait for the job without a commit, run the workflow of the recipe `attach.yml` with `job-id: job_1`.'
const RESENDS = 'A re-run sends the prompt again.'
const STARTS_ANOTHER = 'Do not re-run: that starts a second job.'
const TO_ATTACH_TO_FOLLOW_UP = `${RESENDS} ${TO_ATTACH} It reports how the job ends, which may be the result of a later prompt.`
const MORE_TIME = `${RESENDS} Look at the job in the service's dashboard, and raise \`timeout-minutes\` for the next run.`
const LOOK_AT_ROUND = `${STARTS_ANOTHER} Look at the job in the service's dashboard before you send it another prompt.`
const RUN_AGAIN = 'Run the step again if you still need it.'
const LOOK = "Look at the job in the service's dashboard, then try again with a different prompt."
const NAME_PAGES = 'If you expected changes, ask again and name the pages.'

const unchanged: Fields = { task: FOLLOW_UP, state: endWith('unchanged') }
const STOPS = ['cancelled', 'unreachable', 'deadline', 'internal'] as const

const refused = new ActionError('unauthorized', 'No.', { hint: 'Check the key.' })
const maybe = new ActionError('maybe-sent', 'The job may exist.', { hint: 'Look for it first.' })
const unread: Fields = { task: ATTACH, state: { sent: 'started', end: 'timed-out', error: failure('deadline') } }
const timedOut = (job: Job): TurnFacts => ({ sent: 'started', end: 'timed-out', job })
const late = (job: Job): Fields => ({
  task: FOLLOW_UP,
  state: { sent: 'started', end: 'timed-out', job, lastProblem: failure('proxy') },
})

/** An ended job that names the pull request of an earlier turn. */
const linked = (status: TerminalStatus) => ({ ...completed, status })
const failedAfter = (work: 'updated' | 'unknown'): Fields => ({
  task: FOLLOW_UP,
  state: endWith(work, linked('failed')),
  pullRequest: { checks: 'none' },
})

const cancelledIn = (...during: Parameters<typeof stopWith>[1][]): TurnFacts => stopWith('cancelled', ...during)
const STOPPED = 'The run was cancelled'
const NO_WAY = `${STOPPED}. The service has no way to cancel a job, so`
const NOT_KNOWN = 'It is not known whether the service accepted the prompt.'
const WAITED = 'The step waited 1 min 5 s. The job'
const PROBLEM = 'The last attempt to read the job failed: It is proxy.'
const SAW_NO_END = 'has ended, but it is not known whether it had finished this follow-up.'
const FAILED = 'The agent hit an error that it could not recover from.'
const NO_CHECK = 'No check is registered for it.'

test.each<[text: string, advice: string, Fields]>([
  [
    `No. ${TURN_MAY_RUN}`,
    `${RESENDS} ${CHECK_BEFORE_RESENDING}`,
    { task: FOLLOW_UP, state: stopWith(refused, accept()) },
  ],
  [
    `A bug. ${TURN_MAY_RUN}`,
    `${CHECK_BEFORE_RESENDING} Report it.`,
    { task: FOLLOW_UP, state: stopWith(new ActionError('internal', 'A bug.', { hint: 'Report it.' }), accept()) },
  ],
  [`${WAITED} still runs. ${PROBLEM}`, TO_ATTACH_TO_FOLLOW_UP, late(active)],
  [`${WAITED} ${SAW_NO_END} ${PROBLEM}`, MORE_TIME, late(completed)],
  ['It is deadline.', TO_ATTACH, unread],
  ['The agent finished and added no commit to the pull request.', NAME_PAGES, unchanged],
  [`${FAILED} However, its pull request has new commits. ${NO_CHECK}`, LOOK, failedAfter('updated')],
  [`${FAILED} Its pull request was checked anyway. ${NO_CHECK}`, LOOK, failedAfter('unknown')],
  [
    `${NO_WAY} it may still run.`,
    `${RESENDS} ${CHECK_BEFORE_RESENDING}`,
    { task: FOLLOW_UP, state: cancelledIn(accept()) },
  ],
  [`${NO_WAY} it may still run.`, LOOK_AT_ROUND, { rounds: [turnIn(cancelledIn(accept()))] }],
  [`${STOPPED}. ${NOT_KNOWN}`, CHECK_BEFORE_RESENDING, { task: FOLLOW_UP, state: cancelledIn({ sent: 'maybe' }) }],
  [`${STOPPED}. ${NOT_KNOWN}`, UNKNOWN_DELIVERY_HINT, { state: cancelledIn({ sent: 'maybe' }) }],
  [`${STOPPED} before the service accepted the prompt.`, RUN_AGAIN, { task: FOLLOW_UP, state: cancelledIn() }],
  [`${STOPPED} before the service accepted the prompt.`, RUN_AGAIN, { state: cancelledIn({}) }],
  [`${STOPPED}. The job may exist.`, 'Look for it first.', { state: stopWith(maybe, { sent: 'maybe' }, true) }],
  [`${STOPPED}. The job failed.`, TO_ATTACH, { task: ATTACH, state: cancelledIn(accept(failed, true)) }],
  [`${NO_WAY} the job still runs.`, `${STARTS_ANOTHER} ${TO_ATTACH}`, { state: cancelledIn(accept(active, true)) }],
  [`${NO_WAY} it may still run.`, TO_ATTACH, { task: ATTACH, state: cancelledIn() }],
])('a step with the text “%s” advises: %s', (text, advice, fields) => {
  expect(concludeWith(createReport(fields))).toMatchObject({ text, advice })
})

test.each<[Fields, more: string]>([
  [{ label: 'docs-agent' }, ''],
  [{ label: '' }, ''],
  [{ label: 'docs-agent-weekly' }, ' and `label: docs-agent-weekly`'],
  [{ label: 'a `b`' }, " and `label: a 'b'`"],
  [
    { label: 'docs-of-api', otherRepository: 'acme/docs' },
    ' and `label: docs-of-api`, and outside of `acme/docs` also `repository: docs`',
  ],
])('advises to attach with the inputs of attach.yml: %j', (fields, more) => {
  const advice = `${STARTS_ANOTHER} ${TO_ATTACH.replace(/\.$/, `${more}.`)}`
  expect(conclude(createReport({ state: timedOut(active), ...fields })).advice).toBe(advice)
})

test('advises to replace a key that was revoked while the job runs, and then to attach', () => {
  const report = createReport({ state: stopWith(refused, accept(active, true)) })
  expect(conclude(report).advice).toBe(`${STARTS_ANOTHER} Check the key. ${TO_ATTACH}`)
})

test.each<[what: string, advice: string, Fields]>([
  ['has no `job-id`', 'Run the step again: it starts a new job.', { state: endWith('created', archived) }],
  [
    'continues an open pull request',
    'Run the step again: it starts a new job.',
    { task: FOLLOW_UP, followUpReason: 'pull-request', state: endWith('unknown', linked('archived')) },
  ],
  [
    'has a `job-id`',
    'Start a new job: run the same step without `job-id`.',
    { task: FOLLOW_UP, state: endWith('unknown', linked('archived')) },
  ],
])('advises how to start a new job after an archived one if the step %s', (_what, advice, fields) => {
  expect(conclude(createReport(fields)).advice).toBe(advice)
})

test('says that the pull request is not marked, even if the title is about something else', () => {
  const unmarked = new ActionError('unauthorized', 'It is not marked: No.', { hint: 'Attach. Get a new token.' })
  const warnings = [{ message: 'The pull request could not be read', error: failure('unauthorized') }]
  const concludeFor = (hint: string) => {
    const error = new ActionError('unauthorized', 'No.', { hint })
    const report = createReport({
      ...WITH_GATES,
      pullRequest: {},
      untracked: unmarked,
      warnings: warnings.map((one) => ({ ...one, error })),
    })
    return concludeWith(report, 'out-of-scope')
  }
  expect(concludeFor('Get a new token.')).toMatchObject({
    title: expect.stringContaining('it is not known whether its files') as unknown,
    text: expect.stringMatching(/^[^N]* It is not marked: No\.$/) as unknown,
    advice: 'Attach. Get a new token.',
  })
  expect(concludeFor('Wait.').advice).toBe('Attach. Get a new token. Wait.')
})

test.each(['unsent', 'accepted'] as const)('does not advise to attach to a job whose follow-up is %s', (progress) => {
  for (const job of [active, completed]) {
    const states: Readonly<Record<typeof progress, Parameters<typeof stopWith>[1][]>> = {
      unsent: [{ job }, { job }, { sent: 'maybe', job }, { end: 'previewed' }, { error: failure('not-sent'), job }],
      accepted: [accept(job), { sent: 'accepted', end: 'unconfirmed', job }],
    }
    for (const during of states[progress])
      for (const state of [during, ...STOPS.map((code) => stopWith(code, during))])
        expect(conclude(createReport({ task: FOLLOW_UP, ...(state && { state }) })).advice ?? '').not.toContain(
          'attach',
        )
  }
})

test.each<[string, Fields]>([
  ['a job that still runs', { state: timedOut(active) }],
  ['a cancelled run', { state: cancelledIn(accept(active, true)) }],
  ['an archived job', { task: FOLLOW_UP, state: endWith('unknown', linked('archived')) }],
])('does not advise a step with `command` to set or remove `job-id` after %s', (_what, fields) => {
  const advice = concludeWith(createReport({ ...fields, comment: COMMENT })).advice
  expect(advice).not.toMatch(/same step|without `job-id`/)
  expect(advice).toMatch(
    /^(?:Do not re-run: that starts a second job\. To wait for the job without a commit, run the workflow|To start over)/,
  )
})

const outside = ['src/a.ts']
const WITH_GATES = { waitForChecks: true, allowedPaths: parsePathRules('docs/**') }
const WAITS_FOR_APPROVAL = { waitsForApproval: true }
const GOOD = { state: 'open', mergeable: true, checks: 'success', outside: [] } as const

const getIcon = (report: Run, ...failOn: FailOn[]): string =>
  renderSummary(report, concludeWith(report, ...failOn)).split(' ')[1] ?? ''

const checked = (checks: ChecksState): PullRequestFacts => ({ ...GOOD, checks })
const UNCHECKED: PullRequestFacts = { state: 'open', outside: [] }
const NO_SCOPE = { state: 'open', checks: 'success' } as const
const REVIEW_CHECKS = 'Look at the checks'
const RED = checked('failure')
const READY = 'The pull request is ready'
const OPENED = 'Pull request opened, but'
const MERGED = 'Pull request merged'
const CLOSED = 'Pull request closed'

/** Findings about a pull request that was just opened, with `wait-for-checks` and `allowed-paths`. */
test.each<[PullRequestFacts, title: string, advice: string]>([
  [GOOD, READY, ''],
  [{ ...GOOD, isBlocked: true }, `${READY} for review`, ''],
  [{ state: 'open', checks: 'success', outside: [] }, 'Pull request opened', ''],
  [{ ...GOOD, mergeable: false }, `${OPENED} it conflicts with its base branch`, 'Resolve the conflict'],
  [{ ...GOOD, state: 'draft' }, `${OPENED} it is a draft`, 'Mark it as ready'],
  [{ ...GOOD, state: 'merged' }, MERGED, ''],
  [{ ...GOOD, state: 'closed' }, CLOSED, 'Reopen it'],
  [{ ...checked('pending'), state: 'closed' }, `${CLOSED}, but its checks have not finished`, 'Reopen it'],
  [{ ...RED, state: 'closed', outside }, `${CLOSED}, but it changes files outside of the allowed paths`, 'Reopen it'],
  [RED, `${OPENED} its checks failed`, REVIEW_CHECKS],
  [{ ...RED, state: 'merged' }, `${MERGED}, but its checks failed`, REVIEW_CHECKS],
  [checked('pending'), `${OPENED} its checks have not finished`, REVIEW_CHECKS],
  [
    { ...checked('pending'), ...WAITS_FOR_APPROVAL },
    `${OPENED} its checks wait for approval`,
    'Approve the workflow runs',
  ],
  [checked('none'), `${OPENED} no check is registered for it`, 'Check which workflows'],
  [UNCHECKED, `${OPENED} it is not known whether its checks have passed`, REVIEW_CHECKS],
  [{ ...RED, outside }, `${OPENED} it changes files outside of the allowed paths`, 'Look at these files'],
  [NO_SCOPE, `${OPENED} it is not known whether its files are in the allowed paths`, 'Look at the files'],
])('a pull request with the findings %j has the title “%s”', (pullRequest, title, advice) => {
  const report = createReport({ ...WITH_GATES, pullRequest })
  const conclusion = concludeWith(report)
  expect(conclusion).toMatchObject({ isGreen: true, title })
  expect(conclusion.advice ?? 'Nothing').toMatch(new RegExp(`^${advice || 'Nothing'}`))
  expect(getIcon(report)).toBe(advice === '' ? '✅' : '⚠️')
  const [hasPassed, isInside] = [pullRequest.checks === 'success', pullRequest.outside?.length === 0]
  expect([concludeWith(report, 'checks').isGreen, concludeWith(report, 'out-of-scope').isGreen]).toEqual([
    hasPassed,
    isInside,
  ])
  expect(getIcon(report, 'checks', 'out-of-scope')).toBe(hasPassed && isInside ? getIcon(report) : '❌')
})

test.each<[string, Fields]>([
  ['Pull request opened', {}],
  ['Pull request opened', { task: ATTACH }],
  ['Pull request updated', { task: FOLLOW_UP }],
  ['Pull request may have changed', { task: FOLLOW_UP, state: endWith('unknown') }],
  ['The step timed out', unread],
  ['No changes were made', { ...unchanged, ...WITH_GATES, pullRequest: GOOD }],
  ['No changes were made', { ...unchanged, ...WITH_GATES, pullRequest: { ...GOOD, state: 'merged' } }],
  ['Pull request unchanged, but its checks failed', { ...unchanged, ...WITH_GATES, pullRequest: RED }],
  ['Pull request already closed', { ...unchanged, ...WITH_GATES, pullRequest: { ...GOOD, state: 'closed' } }],
])('a pull request is not called ready if that is unknown: “%s”', (title, fields) => {
  expect(concludeWith(createReport(fields)).title).toBe(title)
})

test.each<[string, Fields, boolean]>([
  ['it is unchanged and open', { ...unchanged, ...WITH_GATES }, true],
  ['it is unchanged, and its state is unknown', { ...unchanged, ...WITH_GATES, pullRequest: {} }, true],
  ['its turn failed', { task: FOLLOW_UP, state: endWith('unknown', linked('failed')) }, true],
  ['its turn was archived', { task: FOLLOW_UP, state: endWith('unknown', linked('archived')) }, true],
  ['it was opened and then merged', { pullRequest: { state: 'merged' } }, true],
  ['it is unchanged and was already merged', { ...unchanged, ...WITH_GATES, pullRequest: { state: 'merged' } }, false],
  ['there is no pull request', { ...WITH_GATES, state: endWith('none', withoutLink) }, false],
  ['the turn timed out', { state: timedOut(completed) }, false],
  ['the step does not wait', { state: { sent: 'started', end: 'not-awaited', job: active } }, false],
])('applies or ignores `fail-on: checks` if %s', (_name, fields, isCounted) => {
  const isSeen = fields.state === undefined || fields.state.end === 'finished'
  expect(concludeWith(createReport({ ...(isSeen && { pullRequest: RED }), ...fields }), 'checks').isGreen).toBe(
    !isCounted,
  )
})

test('names the cause of a gate that is red because GitHub could not be read, and only of such a gate', () => {
  const warning = {
    message: 'The pull request could not be read',
    error: createGitHubError('unauthorized', 'Give a token.'),
  }
  const concludeFor = (pullRequest: PullRequestFacts, failOn: FailOn) =>
    concludeWith(createReport({ ...WITH_GATES, pullRequest, warnings: [warning] }), failOn)
  const cause = / The pull request could not be read: GitHub said unauthorized\.$/
  expect(concludeFor({}, 'checks')).toMatchObject({
    text: expect.stringMatching(cause) as unknown,
    advice: 'Give a token.',
  })
  expect(concludeFor({}, 'out-of-scope').text).toMatch(cause)
  const pending = concludeFor({ checks: 'pending', outside: [] }, 'checks')
  expect(pending.advice).toBe('Look at the checks of the pull request.')
  for (const { text } of [pending, concludeFor({ checks: 'success' }, 'checks'), concludeFor({}, 'failed')])
    expect(text).not.toMatch(cause)
})

test('does not repeat in the text what the title says', () => {
  const describe = (pullRequest: PullRequestFacts, state = endWith('created', linked('completed'))): string => {
    const { title, text } = conclude(createReport({ waitForChecks: true, state, pullRequest }))
    return `${title}. ${text}`
  }
  const draft = { state: 'draft', checks: 'success' } as const
  const checkList = [{ name: 'build', conclusion: 'failure', state: 'failure' }] as const
  expect(describe(draft)).toBe(
    'Pull request opened, but it is a draft. The agent opened it. All its checks have passed.',
  )
  expect(describe({ ...draft, mergeable: false })).toBe(
    'Pull request opened, but it conflicts with its base branch. The agent opened it. It is a draft. All its checks have passed.',
  )
  expect(describe({ state: 'open', mergeable: true, checks: 'failure', checkList })).toBe(
    'Pull request opened, but its checks failed. The agent opened it. Its checks failed: `build`.',
  )
  expect(describe({ state: 'merged', checks: 'success' })).toBe(
    'Pull request merged. The agent opened it. All its checks have passed.',
  )
  expect(describe({ ...draft, state: 'closed' }, endWith('created', linked('failed')))).toContain(
    'It is already closed.',
  )
})

test('describes what is known about a pull request, and nothing else', () => {
  const describe = (pullRequest: PullRequestFacts): string => formatPullRequest(createReport({ pullRequest }))
  expect(describe({ state: 'merged', mergeable: false, checks: 'none', outside })).toBe(
    'It is already merged. It changes files outside of the allowed paths: `src/a.ts`. It conflicts with its base branch. No check is registered for it, because GitHub starts no checks while a pull request has a conflict.',
  )
  expect([describe({}), describe({ state: 'open', mergeable: true, isBlocked: false })]).toEqual(['', ''])
  expect(describe({ state: 'open' })).toBe('')
  expect(formatPullRequest(createReport({ pullRequest: { state: 'open' }, waitForChecks: true }))).toBe(
    'It is not known whether its checks have passed. GitHub has not computed yet whether it conflicts with its base branch.',
  )
  expect(describe({ state: 'closed', checks: 'pending' })).toBe('It is already closed. Its checks have not finished.')
  const running = [
    { name: 'Vercel', state: 'pending' },
    { name: 'build', state: 'success' },
  ] as const
  expect(describe({ checks: 'pending', checkList: running })).toBe('Its checks have not finished: `Vercel`.')
  expect(describe({ checks: 'pending', ...WAITS_FOR_APPROVAL })).toBe('Its checks wait for approval.')
  const checkList = ['build failure', 'DCO action_required', 'links timed_out', 'lint success', 'ci'].map((check) => {
    const [name = '', conclusion] = check.split(' ')
    return { name, conclusion, state: conclusion === 'success' ? 'success' : 'failure' } as const
  })
  expect(describe({ ...RED, checkList })).toBe(
    'Its checks failed: `build`, `DCO: action required`, `links: timed out`, `ci`. All its files are in the allowed paths.',
  )
  const states = ['success', 'none', 'failure', 'pending'] as const
  const blocked = states.filter((checks) => describe({ checks, isBlocked: true }).includes('GitHub blocks the merge'))
  expect(blocked).toEqual(['success', 'none'])
})
