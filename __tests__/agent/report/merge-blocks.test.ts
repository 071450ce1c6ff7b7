import { expect, test } from '@jest/globals'
import { conclude } from '../../../src/agent/report/conclusion.ts'
import type { FailOn } from '../../../src/agent/inputs/fail-on.ts'
import { BLOCK_TITLES, findBlocks, isBlockUnknown, tellPullRequest } from '../../../src/agent/report/merge-blocks.ts'
import type { PullRequestFindings } from '../../../src/agent/report/report.ts'
import { refusal } from '../../support/fake-github.ts'
import { reportOf } from '../../support/report.ts'

const inside = { fileCount: 1, outside: [] }
const outside = { fileCount: 1, outside: ['src/a.ts'] }
const ALL = new Set<FailOn>(['checks', 'out-of-scope'])
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

test('no pull request, nothing to block', () => {
  expect(findBlocks(reportOf({ outcome: 'no-changes' }), ALL)).toEqual([])
})

test('a blocked pull request is red, and says what blocks it and what to do', () => {
  const conclusion = conclude(reportOf({ pullRequest: { checks: 'failure', scope: inside } }), ALL)
  expect(conclusion).toMatchObject({ isGreen: false, title: BLOCK_TITLES.checks })
  expect(conclusion.text).toContain('At least one of its checks failed.')
  expect(conclusion.advice).toBe('Look at the checks of the pull request.')
})

test('a gate that is red because nobody could ask names the cause, and one that knows does not', () => {
  const error = refusal('unauthorized', 'Give a token.')
  const shortfalls = [{ lost: 'Nothing is known of the pull request', error }]
  const cause = 'Nothing is known of the pull request: GitHub said unauthorized.'
  const sayOf = (pullRequest: PullRequestFindings, failOn: FailOn) =>
    conclude(reportOf({ pullRequest, shortfalls }), new Set([failOn]))
  const textOf = (pullRequest: PullRequestFindings, failOn: FailOn): string => sayOf(pullRequest, failOn).text
  expect(sayOf({}, 'checks').advice).toBe('Give a token.')
  expect(sayOf({ checks: 'pending' }, 'checks').advice).toBe('Look at the checks of the pull request.')
  for (const word of ['checks', 'out-of-scope'] as const) expect(textOf({}, word)).toContain(cause)
  expect(textOf({ checks: 'pending' }, 'checks')).not.toContain(cause)
  expect(textOf({ checks: 'success' }, 'checks')).not.toContain(cause)
  expect(textOf({}, 'failed')).not.toContain(cause)
})

test.each([
  [{ scope: inside }, [true, false]],
  [{ checks: 'none' }, [false, true]],
] as const)('of %j it is known which is unknown', (pullRequest, unknown) => {
  const report = reportOf({ pullRequest })
  expect([isBlockUnknown('checks', report), isBlockUnknown('out-of-scope', report)]).toEqual(unknown)
})

test('tells of a conflict with the base branch', () => {
  expect(tellPullRequest(reportOf({ pullRequest: { mergeable: false } }))).toEqual([
    'It conflicts with its base branch, so it cannot be merged.',
  ])
  expect(tellPullRequest(reportOf({ pullRequest: { mergeable: true, isBlocked: false } }))).toEqual([])
})

test.each([
  ['success', true],
  ['none', true],
  ['failure', false],
  ['pending', false],
] as const)('a merge that is blocked while the checks are %s is told: %s', (checks, isTold) => {
  const told = tellPullRequest(reportOf({ pullRequest: { checks, isBlocked: true } })).join(' ')
  expect(told.includes('GitHub does not let it be merged yet')).toBe(isTold)
})

test('tells what is known, and nothing of what is not', () => {
  expect(tellPullRequest(reportOf({ pullRequest: { state: 'merged', checks: 'none', scope: outside } }))).toEqual([
    'It is merged already.',
    'No check is registered for it.',
    'It changes 1 path outside of `allowed-paths`.',
  ])
  expect(tellPullRequest(reportOf({ pullRequest: { state: 'open' } }))).toEqual([])
  expect(tellPullRequest(reportOf())).toEqual([])
})

test('if no check is there, the advice is about what starts them', () => {
  const { advice } = conclude(reportOf({ pullRequest: { checks: 'none', scope: inside } }), ALL)
  expect(advice).toContain('which workflows the branch of the pull request starts')
})

test('of two blocks the graver one has the title and the advice, and both are told', () => {
  const { title, text, advice } = conclude(reportOf({ pullRequest: { checks: 'failure', scope: outside } }), ALL)
  expect(title).toBe(BLOCK_TITLES['out-of-scope'])
  expect(advice).toContain('Look at the files')
  expect(text).toContain('At least one of its checks failed. It changes 1 path outside')
})
