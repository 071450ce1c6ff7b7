import { expect, test } from '@jest/globals'
import { conclude } from '../../../src/agent/report/conclusion.ts'
import type { FailOn } from '../../../src/agent/inputs/fail-on.ts'
import type { Outcome, PullRequestFindings, Report } from '../../../src/agent/report/report.ts'
import { formatPullRequest } from '../../../src/agent/report/standing.ts'
import { renderSummary } from '../../../src/agent/report/summary.ts'
import { ATTACH, FOLLOW_UP } from '../../support/agent-run.ts'
import { withoutLink } from '../../support/fake-client.ts'
import { refusal } from '../../support/fake-github.ts'
import { reportOf, type Fields } from '../../support/report.ts'

const inside = { fileCount: 1, outside: [] }
const outside = { fileCount: 1, outside: ['src/a.ts'] }
const ASKED = ['checks', 'out-of-scope'] as const
const GOOD = { state: 'open', checks: 'success', scope: inside } as const

const say = (report: Report, ...failOn: FailOn[]) => conclude(report, new Set(failOn))
const iconOf = (report: Report, ...failOn: FailOn[]): string =>
  renderSummary(report, say(report, ...failOn)).split(' ')[1] ?? ''

/** Whatever is known of a pull request that was just opened, and all was asked for. */
const TITLES: readonly (readonly [PullRequestFindings, title: string, advice: string])[] = [
  [GOOD, 'The pull request is ready', ''],
  [{ ...GOOD, mergeable: true, isBlocked: true }, 'The pull request is ready', ''],
  [{ ...GOOD, mergeable: false }, 'Pull request opened, and it conflicts with its base', 'Resolve the conflict'],
  [{ ...GOOD, state: 'draft' }, 'Pull request opened, and it is a draft', 'Mark it as ready'],
  [{ ...GOOD, state: 'merged' }, 'Pull request merged meanwhile', ''],
  [{ ...GOOD, state: 'closed' }, 'Pull request closed meanwhile', 'Open it again'],
  [{ ...GOOD, checks: 'failure' }, 'Pull request opened, its checks failed', 'Look at the checks'],
  [
    { ...GOOD, checks: 'failure', state: 'merged' },
    'Pull request merged meanwhile, its checks failed',
    'Look at the checks',
  ],
  [{ ...GOOD, checks: 'pending' }, 'Pull request opened, its checks have not finished', 'Look at the checks'],
  [
    { ...GOOD, checks: 'pending', waitsForApproval: true },
    'Pull request opened, its checks wait for approval',
    'Approve the runs',
  ],
  [{ ...GOOD, checks: 'none' }, 'Pull request opened, and no check is registered for it', 'See which workflows'],
  [
    { state: 'open', scope: inside },
    'Pull request opened, and it is not known whether its checks have passed',
    'Look at the checks',
  ],
  [
    { ...GOOD, checks: 'failure', scope: outside },
    'Pull request opened, and it changes files outside of `allowed-paths`',
    'Look at the files',
  ],
  [
    { state: 'open', checks: 'success' },
    'Pull request opened, and it is not known whether its files match `allowed-paths`',
    'Look at the files',
  ],
]

test.each(TITLES)('a pull request of which %j is known is told as “%s”', (pullRequest, title, advice) => {
  const report = reportOf({ operation: 'created', asked: ASKED, pullRequest })
  const said = say(report)
  expect(said).toMatchObject({ isGreen: true, title })
  expect(said.advice ?? 'Nothing').toMatch(new RegExp(`^${advice || 'Nothing'}`))
  expect(iconOf(report)).toBe(advice === '' ? '✅' : '⚠️')
  const [hasPassed, isInside] = [pullRequest.checks === 'success', pullRequest.scope?.outside.length === 0]
  expect([say(report, 'checks').isGreen, say(report, 'out-of-scope').isGreen]).toEqual([hasPassed, isInside])
  expect(iconOf(report, 'checks', 'out-of-scope')).toBe(hasPassed && isInside ? iconOf(report) : '❌')
})

const unchanged = (pullRequest: PullRequestFindings): Fields => ({
  ...{ outcome: 'no-changes', operation: 'unchanged', asked: ASKED, pullRequest },
})

test.each<[string, Fields]>([
  ['Pull request opened', { operation: 'created' }],
  ['Pull request opened', { task: ATTACH }],
  ['Pull request updated', { operation: 'updated', task: FOLLOW_UP }],
  ['Pull request may have changed', { task: FOLLOW_UP }],
  ['Nothing had to change', unchanged(GOOD)],
  ['Nothing had to change', unchanged({ ...GOOD, state: 'merged' })],
  ['Pull request unchanged, its checks failed', unchanged({ ...GOOD, checks: 'failure' })],
  ['Pull request closed already', unchanged({ ...GOOD, state: 'closed' })],
])('no pull request is called ready of which that is not known: “%s”', (title, fields) => {
  expect(say(reportOf(fields)).title).toBe(title)
})

test.each<[string, Outcome, Fields, boolean]>([
  ['one that did not change', 'no-changes', { operation: 'unchanged' }, true],
  ['one that is not known to be open', 'no-changes', { operation: 'unchanged', pullRequest: {} }, true],
  ['that of a turn that failed', 'failed', {}, true],
  ['that of a turn that was archived', 'archived', {}, true],
  ['one that was merged after it was opened', 'pull-request', { pullRequest: { state: 'merged' } }, true],
  ['one that was over, and did not change', 'no-changes', { pullRequest: { state: 'merged' } }, false],
  ['none', 'no-changes', { job: withoutLink }, false],
  ['that of a turn without an end', 'timed-out', {}, false],
  ['that of nobody who waits', 'submitted', {}, false],
])('of all pull requests, %s is held to `fail-on`, or not', (_name, outcome, fields, isHeld) => {
  const report = reportOf({ outcome, pullRequest: { state: 'open', checks: 'failure', scope: inside }, ...fields })
  expect(say(report, 'checks').isGreen).toBe(!isHeld)
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
