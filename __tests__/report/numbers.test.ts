import { expect, test } from '@jest/globals'
import type { Outcome } from '../../src/agent/record.ts'
import { AGENT_USER, MAINTAINER, REVIEWER } from '../../src/emulator/github/demo-state.ts'
import { listRequestedReviewers } from '../../src/emulator/github/pull-state.ts'
import type { GitHubState } from '../../src/emulator/github/state.ts'
import { hasFailed } from '../../src/report/numbers.ts'
import {
  addAgentPull,
  type AgentPull,
  createDocs,
  daysAgo,
  historyRow,
  isoDaysAgo,
  NOW_MS,
  playReport,
} from '../support/play-report.ts'

const [ok, failed] = [historyRow(), historyRow({ outcome: 'failed', effect: 'unknown' })]
const round = historyRow({ turn: 1, effect: 'updated' })
const failedRound = historyRow({ turn: 1, outcome: 'timed-out', effect: 'unknown' })

/** A month, by hand. Opened and ended in days before the report. */
const MONTH: readonly (readonly [count: number, pull: AgentPull])[] = [
  // 20 merged without edits, after 2 days: 1 turn each.
  [20, { openedDaysAgo: 20, mergedDaysAgo: 18, rows: [ok] }],
  // 5 merged without edits, after 1 day: 1 turn and 1 fix round each.
  [5, { openedDaysAgo: 10, mergedDaysAgo: 9, rows: [ok, round] }],
  // 4 merged without edits, although a person committed in between: 2 turns, 1 failed, each, after 4 days.
  [4, { openedDaysAgo: 14, mergedDaysAgo: 10, rows: [failed, ok], laterCommits: [MAINTAINER, AGENT_USER] }],
  // 6 merged with a person's commit on top, after 3 days: 1 turn and 2 fix rounds, 1 failed, each.
  [6, { openedDaysAgo: 12, mergedDaysAgo: 9, rows: [ok, round, failedRound], laterCommits: [REVIEWER] }],
  // 3 opened before the month and merged in it, after 20 days: 1 turn each, and 2 that were dropped.
  [3, { openedDaysAgo: 40, mergedDaysAgo: 20, rows: [ok], dropped: 2 }],
  // 5 closed: 1 failed turn each.
  [5, { openedDaysAgo: 8, closedDaysAgo: 6, rows: [failed] }],
  // 4 open for two days: 1 turn each.
  [4, { openedDaysAgo: 2, rows: [ok] }],
  // 2 open for five days, and 1 for 50 days: 1 turn each.
  [2, { openedDaysAgo: 5, rows: [ok] }],
  [1, { openedDaysAgo: 50, rows: [ok] }],
]

/** What does not belong to the month. */
const OTHERS: readonly AgentPull[] = [
  // Before the month.
  { openedDaysAgo: 50, mergedDaysAgo: 45, rows: [ok] },
  { openedDaysAgo: 40, closedDaysAgo: 31, rows: [ok] },
  // Without the label.
  { openedDaysAgo: 9, mergedDaysAgo: 8, rows: [ok], fields: { labels: [] } },
  // By a person, without a history.
  { openedDaysAgo: 9, mergedDaysAgo: 8, comment: '', fields: { user: MAINTAINER } },
]

test('the numbers of a month of fifty pull requests', async () => {
  const docs = createDocs()
  const prepare = (state: GitHubState): void => {
    const pulls = [...MONTH.flatMap(([count, pull]) => Array.from({ length: count }, () => pull)), ...OTHERS]
    // The oldest first, so that merges do not precede what they contain.
    for (const [index, pull] of pulls.entries()) addAgentPull(state, docs, 200 + index, pull)
    const [first] = Object.values(docs.pulls).filter(({ createdAtMs }) => createdAtMs === daysAgo(5))
    const request = { event: 'review_requested', actor: MAINTAINER, atMs: daysAgo(5) } as const
    first?.reviewEvents.push({ id: 1, name: REVIEWER, ...request }, { id: 2, name: 'acme/writers', ...request })
    expect(first && listRequestedReviewers(first)).toEqual([REVIEWER, 'acme/writers'])
  }
  const { result, summary, operations } = await playReport({}, { docs, prepare })
  expect(result.pull_requests).toEqual({
    days: 30,
    // All but 3 and 1 that were opened before.
    opened: 46,
    // 20 + 5 + 4 + 6 + 3
    merged: 38,
    // 20 + 5 + 4 + 3
    merged_unedited: 32,
    merged_edited: 6,
    closed: 5,
    // 4 + 2 + 1
    open: 7,
    waiting: 3,
    // 20 + 5 + 4×2 + 6 + 3×3 + 5 + 4 + 2 + 1
    turns: 60,
    // 4 + 5
    failed_turns: 9,
    // 5 + 6×2
    fix_rounds: 17,
    failed_fix_rounds: 6,
    // 38 of 43
    merged_share: 0.884,
    // 32 of 38
    unedited_share: 0.842,
    // The 19th and the 20th of 38: five of 1 day, then twenty of 2 days.
    median_hours_to_merge: 48,
    complete_since: null,
  })
  expect(result.waiting).toEqual([
    { number: 247, title: 'Docs 247', days_open: 5, asked: [REVIEWER, 'writers'] },
    { number: 248, title: 'Docs 248', days_open: 5, asked: [] },
    { number: 249, title: 'Docs 249', days_open: 50, asked: [] },
  ])
  for (const text of ['38 of 43 that have ended (88%)', '32 (84%)', '2 days', 'nobody was asked', '60, 9 failed'])
    expect(summary).toContain(text)
  // Two lists, a list of comments for each of 50 and of a person, and a list of commits for each that was merged.
  expect(operations.length).toBeLessThanOrEqual(2 + 51 + 38)
})

test('the median of two is in the middle between them, in hours with one decimal', async () => {
  const docs = createDocs()
  const prepare = (state: GitHubState): void => {
    addAgentPull(state, docs, 200, { openedDaysAgo: 5, mergedDaysAgo: 3.99, rows: [ok] })
    addAgentPull(state, docs, 201, { openedDaysAgo: 4, mergedDaysAgo: 2, rows: [ok] })
  }
  const { result } = await playReport({}, { docs, prepare })
  // 24.24 and 48 hours.
  expect(result.pull_requests).toMatchObject({ median_hours_to_merge: 36.1 })
})

test('rates are empty while nothing has ended', async () => {
  const docs = createDocs()
  const prepare = (state: GitHubState): void => {
    addAgentPull(state, docs, 200, { openedDaysAgo: 1, rows: [ok] })
  }
  const { result, summary } = await playReport({ days: '1' }, { docs, prepare })
  const rates = { merged_share: null, unedited_share: null, median_hours_to_merge: null }
  expect(result.pull_requests).toMatchObject({ open: 1, merged: 0, ...rates })
  expect(summary).not.toContain('%')
})

/** Whether a turn with this outcome has failed. */
const FAILED: Readonly<Record<Outcome, boolean>> = {
  'pull-request': false,
  'no-changes': false,
  submitted: false,
  previewed: false,
  skipped: false,
  failed: true,
  archived: true,
  'timed-out': true,
  unconfirmed: true,
  cancelled: true,
  error: true,
}

test.each(Object.entries(FAILED))('a turn with the outcome %s has failed: %s', (outcome, failed) => {
  const row = historyRow({ outcome })
  // A step that has not seen the agent finish leaves no end.
  for (const one of [row, { ...row, end: undefined }]) expect(hasFailed(one, new Date(NOW_MS))).toBe(failed)
})

test.each([
  ['is running', -1, false],
  ['was killed', 1, true],
])('a turn whose step %s has failed: %3$s', (_what, untilDaysAgo, failed) => {
  const row = historyRow({ end: undefined, outcome: undefined, until: isoDaysAgo(untilDaysAgo) })
  expect(hasFailed(row, new Date(NOW_MS))).toBe(failed)
})
