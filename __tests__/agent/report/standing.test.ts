import { expect, test } from '@jest/globals'
import { conclude } from '../../../src/agent/report/conclusion.ts'
import type { FailOn } from '../../../src/agent/inputs/fail-on.ts'
import type { Outcome, PullRequestFindings, Report } from '../../../src/agent/report/report.ts'
import { findBlocks, formatPullRequest } from '../../../src/agent/report/standing.ts'
import { renderSummary } from '../../../src/agent/report/summary.ts'
import { ATTACH, FOLLOW_UP } from '../../support/agent-run.ts'
import { withoutLink } from '../../support/fake-client.ts'
import { refusal } from '../../support/fake-github.ts'
import { reportOf, type Fields } from '../../support/report.ts'

const inside = { fileCount: 1, outside: [] }
const outside = { fileCount: 1, outside: ['src/a.ts'] }
const ALL = new Set<FailOn>(['checks', 'out-of-scope'])
const NONE = new Set<FailOn>()
const ASKED = ['checks', 'out-of-scope'] as const
const GOOD = { state: 'open', checks: 'success', scope: inside } as const
const blocksOf = (pullRequest?: PullRequestFindings, failOn: ReadonlySet<FailOn> = ALL) =>
  findBlocks(reportOf({ pullRequest }), failOn)

test('only checks that have passed and files that are inside let a pull request through', () => {
  expect(blocksOf({ checks: 'success', scope: inside })).toEqual([])
  expect(blocksOf({ checks: 'success', scope: outside })).toEqual(['out-of-scope'])
})

test.each(['failure', 'pending', 'none', undefined] as const)('checks that are %s block', (checks) => {
  expect(blocksOf(checks === undefined ? { scope: inside } : { scope: inside, checks })).toEqual(['checks'])
})

test('what could not be found out blocks where `fail-on` asks for it, and nowhere else', () => {
  expect(blocksOf()).toEqual(['out-of-scope', 'checks'])
  expect(blocksOf(undefined, new Set(['failed']))).toEqual([])
})

test.each<[string, Outcome, Fields, boolean]>([
  ['one that did not change', 'no-changes', { operation: 'unchanged' }, true],
  ['one that is not known to be open', 'no-changes', { operation: 'unchanged', pullRequest: {} }, true],
  ['that of a turn that failed', 'failed', {}, true],
  ['that of a turn that was archived', 'archived', {}, true],
  ['one that was merged after it was opened', 'pull-request', { pullRequest: { state: 'merged' } }, true],
  ['one that was over, and did not change', 'no-changes', { pullRequest: { state: 'merged' } }, false],
  ['none', 'no-changes', { job: withoutLink }, false],
  ['that of a prompt that was not sent', 'archived', { error: refusal('not-sent') }, false],
  ['that of a turn without an end', 'timed-out', {}, false],
  ['that of nobody who waits', 'submitted', {}, false],
])('of all pull requests, %s is held to `fail-on`, or not', (_name, outcome, fields, isHeld) => {
  const report = reportOf({ outcome, pullRequest: { state: 'open', checks: 'failure', scope: inside }, ...fields })
  expect(findBlocks(report, ALL).includes('checks')).toBe(isHeld)
})

/** Whatever is known of a pull request that was just opened, and all was asked for. */
const TITLES: readonly (readonly [PullRequestFindings, title: string, isToDo: boolean])[] = [
  [GOOD, 'The pull request is ready', false],
  [{ ...GOOD, mergeable: true, isBlocked: true }, 'The pull request is ready', false],
  [{ ...GOOD, mergeable: false }, 'Pull request opened, and it conflicts with its base', true],
  [{ ...GOOD, state: 'draft' }, 'Pull request opened, and it is a draft', true],
  [{ ...GOOD, state: 'merged' }, 'Pull request merged meanwhile', false],
  [{ ...GOOD, state: 'closed' }, 'Pull request closed meanwhile', true],
  [{ ...GOOD, checks: 'failure' }, 'Pull request opened, its checks failed', true],
  [{ ...GOOD, checks: 'failure', state: 'merged' }, 'Pull request merged meanwhile, its checks failed', true],
  [{ ...GOOD, checks: 'pending' }, 'Pull request opened, its checks have not finished', true],
  [{ ...GOOD, checks: 'pending', waitsForApproval: true }, 'Pull request opened, its checks wait for approval', true],
  [{ ...GOOD, checks: 'none' }, 'Pull request opened, and no check is registered for it', true],
  [{ state: 'open', scope: inside }, 'Pull request opened, and it is not known whether its checks have passed', true],
  [{ ...GOOD, scope: outside }, 'Pull request opened, and it changes files outside of `allowed-paths`', true],
  [
    { state: 'open', checks: 'success' },
    'Pull request opened, and it is not known whether its files match `allowed-paths`',
    true,
  ],
]

const iconOf = (report: Report, failOn = NONE): string =>
  renderSummary(report, conclude(report, failOn)).split(' ')[1] ?? ''

test.each(TITLES)('a pull request of which %j is known is told as “%s”', (pullRequest, title, isToDo) => {
  const report = reportOf({ operation: 'created', asked: ASKED, pullRequest })
  const conclusion = conclude(report, NONE)
  expect(conclusion).toMatchObject({ isGreen: true, title })
  expect(conclusion.advice !== undefined).toBe(isToDo)
  expect(iconOf(report)).toBe(isToDo ? '⚠️' : '✅')
  const isGood = pullRequest.checks === 'success' && pullRequest.scope?.outside.length === 0
  expect(iconOf(report, ALL)).toBe(isGood ? iconOf(report) : '❌')
})

test.each<[string, Fields, string]>([
  ['opened', { operation: 'created' }, 'Pull request opened'],
  ['attached to', { task: ATTACH }, 'Pull request opened'],
  ['updated', { operation: 'updated', task: FOLLOW_UP }, 'Pull request updated'],
  ['followed up on', { task: FOLLOW_UP }, 'Pull request may have changed'],
])('without a token, one that was %s is not called ready', (_name, fields, title) => {
  const report = reportOf(fields)
  expect(conclude(report, NONE).title).toBe(title)
  expect(iconOf(report)).toBe('✅')
})

test('one that did not change is told for what has to be done about it, and else nothing had to change', () => {
  const titleOf = (pullRequest: PullRequestFindings): string =>
    conclude(reportOf({ outcome: 'no-changes', operation: 'unchanged', asked: ASKED, pullRequest }), NONE).title
  expect(titleOf(GOOD)).toBe('Nothing had to change')
  expect(titleOf({ ...GOOD, state: 'merged' })).toBe('Nothing had to change')
  expect(titleOf({ ...GOOD, checks: 'failure' })).toBe('Pull request unchanged, its checks failed')
  expect(titleOf({ ...GOOD, state: 'closed' })).toBe('Pull request closed already')
})

test.each(['no-changes', 'failed', 'archived'] as const)(
  'a red %s tells what is wrong with its pull request',
  (outcome) => {
    const { isGreen, text } = conclude(reportOf({ outcome, pullRequest: { checks: 'failure', scope: inside } }), ALL)
    expect(isGreen).toBe(false)
    expect(text).toMatch(/pull request.*At least one of its checks failed/)
  },
)

test('a gate that is red because nobody could ask names the cause, and one that knows does not', () => {
  const error = refusal('unauthorized', 'Give a token.')
  const shortfalls = [{ lost: 'Nothing is known of the pull request', error }]
  const cause = 'Nothing is known of the pull request: GitHub said unauthorized.'
  const sayOf = (pullRequest: PullRequestFindings, failOn: FailOn) =>
    conclude(reportOf({ asked: ASKED, pullRequest, shortfalls }), new Set([failOn]))
  const textOf = (pullRequest: PullRequestFindings, failOn: FailOn): string => sayOf(pullRequest, failOn).text
  expect(sayOf({}, 'checks').advice).toBe('Give a token.')
  expect(sayOf({ checks: 'pending', scope: inside }, 'checks').advice).toBe('Look at the checks of the pull request.')
  for (const word of ['checks', 'out-of-scope'] as const) expect(textOf({}, word)).toContain(cause)
  expect(textOf({ checks: 'pending' }, 'checks')).not.toContain(cause)
  expect(textOf({ checks: 'success' }, 'checks')).not.toContain(cause)
  expect(textOf({}, 'failed')).not.toContain(cause)
})

test('tells of a conflict with the base branch', () => {
  expect(formatPullRequest(reportOf({ pullRequest: { mergeable: false } }))).toEqual([
    'It conflicts with its base branch, so it cannot be merged.',
  ])
  expect(formatPullRequest(reportOf({ pullRequest: { mergeable: true, isBlocked: false } }))).toEqual([])
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
  expect(formatPullRequest(reportOf({ pullRequest: { state: 'merged', checks: 'none', scope: outside } }))).toEqual([
    'It is merged already.',
    'No check is registered for it.',
    'It changes 1 path outside of `allowed-paths`.',
  ])
  expect(formatPullRequest(reportOf({ pullRequest: { state: 'open' } }))).toEqual([])
  expect(formatPullRequest(reportOf())).toEqual([])
})

test('if no check is there, the advice is about what starts them', () => {
  const { advice } = conclude(reportOf({ asked: ASKED, pullRequest: { checks: 'none', scope: inside } }), ALL)
  expect(advice).toContain('which workflows the branch of the pull request starts')
})

test('of two blocks the graver one has the title and the advice, and both are told', () => {
  const { title, text, advice } = conclude(reportOf({ pullRequest: { checks: 'failure', scope: outside } }), ALL)
  expect(title).toContain('outside of `allowed-paths`')
  expect(advice).toContain('Look at the files')
  expect(text).toContain('At least one of its checks failed. It changes 1 path outside')
})
