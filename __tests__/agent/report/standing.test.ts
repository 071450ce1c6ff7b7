import { expect, test } from '@jest/globals'
import { conclude } from '../../../src/agent/report/conclusion.ts'
import type { FailOn } from '../../../src/agent/inputs/fail-on.ts'
import type { ChecksState, PullRequestFindings, Report } from '../../../src/agent/report/report.ts'
import { formatPullRequest } from '../../../src/agent/report/standing.ts'
import { renderSummary } from '../../../src/agent/report/summary.ts'
import { ATTACH, FOLLOW_UP } from '../../support/agent-run.ts'
import { withoutLink } from '../../support/fake-client.ts'
import { refusal } from '../../support/fake-github.ts'
import { reportOf, type Fields } from '../../support/report.ts'

const inside = { fileCount: 1, outside: [] }
const outside = { fileCount: 1, outside: ['src/a.ts'] }
const ASKED = ['checks', 'out-of-scope'] as const
const HELD = { waitsForApproval: true }
const GOOD = { state: 'open', checks: 'success', scope: inside } as const

const say = (report: Report, ...failOn: FailOn[]) => conclude(report, new Set(failOn))
const iconOf = (report: Report, ...failOn: FailOn[]): string =>
  renderSummary(report, say(report, ...failOn)).split(' ')[1] ?? ''

const checked = (checks: ChecksState): PullRequestFindings => ({ ...GOOD, checks })
const NO_SCOPE = { state: 'open', checks: 'success' } as const
const FAILED = checked('failure')
const READY = 'The pull request is ready'
const OPENED = 'Pull request opened,'
const MERGED = 'Pull request merged meanwhile'

/** Whatever is known of a pull request that was just opened, and all was asked for. */
test.each<[PullRequestFindings, title: string, advice: string]>([
  [GOOD, READY, ''],
  [{ ...GOOD, mergeable: true, isBlocked: true }, READY, ''],
  [{ ...GOOD, mergeable: false }, `${OPENED} and it conflicts with its base`, 'Resolve the conflict'],
  [{ ...GOOD, state: 'draft' }, `${OPENED} and it is a draft`, 'Mark it as ready'],
  [{ ...GOOD, state: 'merged' }, MERGED, ''],
  [{ ...GOOD, state: 'closed' }, 'Pull request closed meanwhile', 'Open it again'],
  [FAILED, `${OPENED} its checks failed`, 'Look at the checks'],
  [{ ...FAILED, state: 'merged' }, `${MERGED}, its checks failed`, 'Look at the checks'],
  [checked('pending'), `${OPENED} its checks have not finished`, 'Look at the checks'],
  [{ ...checked('pending'), ...HELD }, `${OPENED} its checks wait for approval`, 'Approve the runs'],
  [checked('none'), `${OPENED} and no check is registered for it`, 'See which workflows'],
  [
    { state: 'open', scope: inside },
    `${OPENED} and it is not known whether its checks have passed`,
    'Look at the checks',
  ],
  [{ ...FAILED, scope: outside }, `${OPENED} and it changes files outside of \`allowed-paths\``, 'Look at the files'],
  [NO_SCOPE, `${OPENED} and it is not known whether its files match \`allowed-paths\``, 'Look at the files'],
])('a pull request of which %j is known is told as “%s”', (pullRequest, title, advice) => {
  const report = reportOf({ operation: 'created', asked: ASKED, pullRequest })
  const said = say(report)
  expect(said).toMatchObject({ isGreen: true, title })
  expect(said.advice ?? 'Nothing').toMatch(new RegExp(`^${advice || 'Nothing'}`))
  expect(iconOf(report)).toBe(advice === '' ? '✅' : '⚠️')
  const [hasPassed, isInside] = [pullRequest.checks === 'success', pullRequest.scope?.outside.length === 0]
  expect([say(report, 'checks').isGreen, say(report, 'out-of-scope').isGreen]).toEqual([hasPassed, isInside])
  expect(iconOf(report, 'checks', 'out-of-scope')).toBe(hasPassed && isInside ? iconOf(report) : '❌')
})

const unchanged: Fields = { outcome: 'no-changes', operation: 'unchanged', asked: ASKED }

test.each<[string, Fields]>([
  ['Pull request opened', { operation: 'created' }],
  ['Pull request opened', { task: ATTACH }],
  ['Pull request updated', { operation: 'updated', task: FOLLOW_UP }],
  ['Pull request may have changed', { task: FOLLOW_UP }],
  ['Nothing had to change', { ...unchanged, pullRequest: GOOD }],
  ['Nothing had to change', { ...unchanged, pullRequest: { ...GOOD, state: 'merged' } }],
  ['Pull request unchanged, its checks failed', { ...unchanged, pullRequest: FAILED }],
  ['Pull request closed already', { ...unchanged, pullRequest: { ...GOOD, state: 'closed' } }],
])('no pull request is called ready of which that is not known: “%s”', (title, fields) => {
  expect(say(reportOf(fields)).title).toBe(title)
})

test.each<[string, Fields, boolean]>([
  ['one that did not change', unchanged, true],
  ['one that is not known to be open', { ...unchanged, pullRequest: {} }, true],
  ['that of a turn that failed', { outcome: 'failed' }, true],
  ['that of a turn that was archived', { outcome: 'archived' }, true],
  ['one that was merged after it was opened', { pullRequest: { state: 'merged' } }, true],
  ['one that was over, and did not change', { ...unchanged, pullRequest: { state: 'merged' } }, false],
  ['none', { ...unchanged, job: withoutLink }, false],
  ['that of a turn without an end', { outcome: 'timed-out' }, false],
  ['that of nobody who waits', { outcome: 'submitted' }, false],
])('of all pull requests, %s is held to `fail-on`, or not', (_name, fields, isHeld) => {
  expect(say(reportOf({ pullRequest: FAILED, ...fields }), 'checks').isGreen).toBe(!isHeld)
})

test('a gate that is red because nobody could ask names the cause, and one that knows does not', () => {
  const lost = { lost: 'Nothing is known of it', error: refusal('unauthorized', 'Give a token.') }
  const sayOf = (pullRequest: PullRequestFindings, failOn: FailOn) =>
    say(reportOf({ asked: ASKED, pullRequest, shortfalls: [lost] }), failOn)
  const cause = / Nothing is known of it: GitHub said unauthorized\.$/
  expect(sayOf({}, 'checks')).toMatchObject({ text: expect.stringMatching(cause) as unknown, advice: 'Give a token.' })
  expect(sayOf({}, 'out-of-scope').text).toMatch(cause)
  const pending = sayOf({ checks: 'pending', scope: inside }, 'checks')
  expect(pending.advice).toBe('Look at the checks of the pull request.')
  for (const { text } of [pending, sayOf({ checks: 'success' }, 'checks'), sayOf({}, 'failed')])
    expect(text).not.toMatch(cause)
})

test.each([
  ['success', true],
  ['none', true],
  ['failure', false],
  ['pending', false],
] as const)('a merge that is blocked while the checks are %s is told: %s', (checks, isTold) => {
  const told = formatPullRequest(reportOf({ pullRequest: { checks, isBlocked: true } })).join(' ')
  expect(told.includes('GitHub does not let it be merged yet')).toBe(isTold)
})

test('tells what is known, and nothing of what is not', () => {
  const pullRequest = { state: 'merged', mergeable: false, checks: 'none', scope: outside } as const
  expect(formatPullRequest(reportOf({ pullRequest }))).toEqual([
    'It is already merged.',
    'It conflicts with its base branch, so it cannot be merged.',
    'No check is registered for it.',
    'It changes 1 path outside of `allowed-paths`.',
  ])
  for (const found of [{}, { state: 'open', mergeable: true, isBlocked: false }] as const)
    expect(formatPullRequest(reportOf({ pullRequest: found }))).toEqual([])
})
