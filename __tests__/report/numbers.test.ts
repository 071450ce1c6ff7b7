import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { HistoryRow } from '../../src/agent/history/state.ts'
import type { Outcome } from '../../src/agent/record.ts'
import { AGENT_USER, BOT, MAINTAINER, OUTSIDER, REVIEWER } from '../../src/emulator/github/demo-state.ts'
import { writeComment } from '../../src/emulator/github/repository-changes.ts'
import type { GitHubState } from '../../src/emulator/github/state.ts'
import { hasFailed } from '../../src/report/numbers.ts'
import {
  addAgentPull,
  type AgentPull,
  createDocs,
  daysAgo,
  historyComment,
  historyRow,
  isoDaysAgo,
  NOW_MS,
  playReport,
} from '../../testing/play-report.ts'
import { SEED } from '../../testing/seed.ts'

const [OLD, NEW] = ['aaaaaaaa', 'bbbbbbbb']
const FILE = '.github/docs-prompt.md'
const opening = (prompt: string): HistoryRow => historyRow({ prompt, ...(prompt === NEW && { file: FILE }) })
const followUp = historyRow({ run: 8, start: isoDaysAgo(9), effect: 'updated' })
const idle = historyRow({ run: 9, start: isoDaysAgo(9), effect: 'unchanged' })
const fixRound = historyRow({ turn: 1, start: isoDaysAgo(9), effect: 'updated' })

const EDITED = ['a', 'b', 'd', 'e']
/** As GitHub writes it. */
const at = (days: number): string => isoDaysAgo(days).replace('.000', '')

/** A month, by hand. Opened and ended in days before the report. */
const MONTH: readonly (readonly [count: number, pull: AgentPull])[] = [
  // With the old prompt, 6 merged as opened after 2 days, 3 after a person removed 1 of 4 lines after 4 days, and 2 closed.
  [6, { openedDaysAgo: 25, mergedDaysAgo: 23, rows: [opening(OLD), followUp] }],
  [
    3,
    {
      openedDaysAgo: 24,
      mergedDaysAgo: 20,
      rows: [opening(OLD), idle],
      lines: ['a', 'b', 'c', 'd'],
      laterCommits: [
        [REVIEWER, EDITED],
        [AGENT_USER, EDITED],
      ],
    },
  ],
  [2, { openedDaysAgo: 22, closedDaysAgo: 20, rows: [opening(OLD)] }],
  // With the new one, 2 merged as opened after 1 day, and 1 is open.
  [2, { openedDaysAgo: 8, mergedDaysAgo: 7, rows: [opening(NEW), fixRound] }],
  [1, { openedDaysAgo: 2, rows: [opening(NEW)] }],
  // A comment with the command, and one without a history.
  [1, { openedDaysAgo: 6, mergedDaysAgo: 5.5, rows: [historyRow({ prompt: 'command' })] }],
  [1, { openedDaysAgo: 5, mergedDaysAgo: 4, comment: '' }],
  // Not in the month, without the label, and by a person without a history.
  [1, { openedDaysAgo: 40, mergedDaysAgo: 9, rows: [opening(OLD)] }],
  [1, { openedDaysAgo: 9, mergedDaysAgo: 8, rows: [opening(OLD)], fields: { labels: [] } }],
  [1, { openedDaysAgo: 9, mergedDaysAgo: 8, comment: '', fields: { user: MAINTAINER } }],
]

test('the numbers of a month, by prompt and by week', async () => {
  const docs = createDocs()
  const prepare = (state: GitHubState): void => {
    const pulls = MONTH.flatMap(([count, pull]) => Array.from({ length: count }, () => pull))
    for (const [index, pull] of pulls.entries()) addAgentPull(state, docs, 200 + index, pull)
  }
  const { result, summary, operations } = await playReport({}, { docs, prepare })
  expect(result).toMatchObject({
    text: 'In 30 days the agent opened 16 pull requests: 10 merged without edits, 3 merged after edits, 2 closed, 1 open. Half of the merges took at most 2 days.',
    complete: true,
    opened: 16,
    merged_as_opened: 10,
    merged_after_edits: 3,
    closed: 2,
    open: 1,
    hours_to_merge: 48,
    waiting: [],
  })
  const none = { opened: 0, merged_as_opened: 0, merged_after_edits: 0, closed: 0, open: 0 }
  expect(result.prompts).toEqual([
    {
      ...{ prompt: NEW, file: FILE, first: at(8), last: at(2), comparable: false },
      ...{ ...none, opened: 3, merged_as_opened: 2, open: 1 },
      ...{ follow_ups: 0, rounds: 2, unchanged: 0, kept_lines: 1, hours_to_merge: 24 },
    },
    {
      ...{ prompt: null, file: null, first: at(5), last: at(5), comparable: false },
      ...{ ...none, opened: 1, merged_as_opened: 1 },
      ...{ follow_ups: null, rounds: null, unchanged: null, kept_lines: null, hours_to_merge: 24 },
    },
    {
      ...{ prompt: 'command', file: null, first: at(6), last: at(6), comparable: false },
      ...{ ...none, opened: 1, merged_as_opened: 1 },
      ...{ follow_ups: 0, rounds: 0, unchanged: 0, kept_lines: 1, hours_to_merge: 12 },
    },
    {
      ...{ prompt: OLD, file: null, first: at(25), last: at(22), comparable: true },
      ...{ ...none, opened: 11, merged_as_opened: 6, merged_after_edits: 3, closed: 2 },
      // 6 × 1 and 3 × 3/4.
      ...{ follow_ups: 9, rounds: 0, unchanged: 3, kept_lines: 0.917, hours_to_merge: 48 },
    },
  ])
  for (const text of [
    '>55%<',
    '>92%<',
    '>too few to compare<',
    '>Not known<',
    'Comments with a command',
    'docs-prompt',
  ])
    expect(summary.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))).toContain(text)
  expect(result.weeks.reduce((sum, { opened }) => sum + (opened ?? 0), 0)).toBe(16)
  // Two lists, the comments of each with the label, the commits of each merged one, two comparisons for each edited one, and
  // the pull request with its checks for the open one.
  expect(operations.length).toBeLessThanOrEqual(2 + 18 + 13 + 2 * 3 + 5)
})

interface Plan {
  readonly openedDaysAgo: number
  readonly end: 'merged' | 'closed' | 'open'
  readonly hours: number
  readonly history: 'workflow' | 'outsider' | 'app' | 'none'
  readonly prompt: string
  readonly turns: readonly ('follow-up' | 'round' | 'unchanged')[]
  readonly isByPerson: boolean
  readonly isLabelled: boolean
  /** How many of ten lines of the agent a person keeps. Undefined: nobody edits it. */
  readonly kept: number | undefined
}

const plans = fc.array(
  fc.record<Plan>({
    openedDaysAgo: fc.integer({ min: 2, max: 44 }).map((days) => days + 0.5),
    end: fc.constantFrom('merged', 'merged', 'closed', 'open'),
    hours: fc.integer({ min: 1, max: 30 }),
    history: fc.constantFrom('workflow', 'workflow', 'workflow', 'outsider', 'app', 'none'),
    prompt: fc.constantFrom(OLD, NEW, 'command'),
    turns: fc.array(fc.constantFrom('follow-up', 'round', 'unchanged'), { maxLength: 3 }),
    isByPerson: fc.boolean(),
    isLabelled: fc.integer({ min: 0, max: 9 }).map((at) => at > 0),
    kept: fc.option(fc.integer({ min: 0, max: 10 }), { nil: undefined }),
  }),
  { maxLength: 14 },
)

const LINES = Array.from('abcdefghij')
const COMMENTERS = { outsider: OUTSIDER, app: BOT } as const

function toAgentPull({
  openedDaysAgo,
  end,
  hours,
  history,
  prompt,
  turns,
  isByPerson,
  isLabelled,
  kept,
}: Plan): AgentPull {
  const endedDaysAgo = openedDaysAgo - hours / 24
  const rows = turns.map((turn, index) =>
    historyRow({
      ...{ run: 10 + index, start: isoDaysAgo(1 - index / 10), turn: turn === 'round' ? 1 : 0 },
      effect: turn === 'unchanged' ? 'unchanged' : 'updated',
    }),
  )
  return {
    openedDaysAgo,
    rows: [historyRow({ prompt }), ...rows],
    ...(end === 'merged' && { mergedDaysAgo: endedDaysAgo }),
    ...(end === 'closed' && { closedDaysAgo: endedDaysAgo }),
    ...(history === 'none' && { comment: '' }),
    ...(history in COMMENTERS && { by: COMMENTERS[history as keyof typeof COMMENTERS] }),
    lines: LINES,
    laterCommits: kept === undefined ? [] : [[REVIEWER, [...LINES.slice(0, kept), 'Other']]],
    fields: { labels: isLabelled ? ['docs-agent'] : ['other'], ...(isByPerson && { user: MAINTAINER }) },
  }
}

const byNumber = (a: number, b: number): number => a - b
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Counts the plans, and not what is on GitHub. */
function expectNumbers(all: readonly Plan[]) {
  const counted = all.filter(
    (plan) => plan.isLabelled && plan.openedDaysAgo < 30 && (plan.history === 'workflow' || !plan.isByPerson),
  )
  const count = (some: readonly Plan[]) => ({
    opened: some.length,
    merged_as_opened: some.filter(({ end, kept }) => end === 'merged' && kept === undefined).length,
    merged_after_edits: some.filter(({ end, kept }) => end === 'merged' && kept !== undefined).length,
    closed: some.filter(({ end }) => end === 'closed').length,
    open: some.filter(({ end }) => end === 'open').length,
  })
  const middle = (some: readonly Plan[]): number | null => {
    const hours = some.flatMap((plan) => (plan.end === 'merged' ? [plan.hours] : [])).toSorted(byNumber)
    const half = hours.length / 2
    return hours.length === 0 ? null : mean(hours.slice(Math.ceil(half) - 1, Math.floor(half) + 1))
  }
  const getPrompt = ({ history, prompt }: Plan): string | null => (history === 'workflow' ? prompt : null)
  const groups = [OLD, NEW, 'command', null].flatMap((prompt) => {
    const some = counted.filter((plan) => getPrompt(plan) === prompt)
    if (some.length === 0) return []
    const turns = some.flatMap((plan) => plan.turns)
    const countTurns = (...wanted: readonly string[]): number | null =>
      prompt === null ? null : turns.filter((turn) => wanted.includes(turn)).length
    const shares = some.flatMap(({ end, history, kept = 10 }) =>
      end === 'merged' && history === 'workflow' ? [kept / 10] : [],
    )
    return {
      ...count(some),
      prompt,
      follow_ups: countTurns('follow-up', 'unchanged'),
      rounds: countTurns('round'),
      unchanged: countTurns('unchanged'),
      kept_lines: shares.length === 0 ? null : Number(mean(shares).toFixed(3)),
      hours_to_merge: middle(some),
      comparable: some.filter(({ end }) => end !== 'open').length >= 10,
    }
  })
  const waiting = all.flatMap((plan, index) => {
    const isOfAgent = plan.history === 'workflow' || !plan.isByPerson
    return plan.isLabelled && isOfAgent && plan.end === 'open' && plan.openedDaysAgo > 3 ? [200 + index] : []
  })
  return { totals: { ...count(counted), hours_to_merge: middle(counted) }, groups, waiting }
}

test('agrees with an independent count of generated worlds, and forged comments change no number', async () => {
  const property = fc.asyncProperty(plans, async (all) => {
    const docs = createDocs()
    const play = (isForged: boolean) =>
      playReport(
        {},
        {
          docs: createDocs(),
          prepare(state) {
            const { 'acme/docs': repository = docs } = state.repositories
            for (const [index, plan] of all.entries()) addAgentPull(state, repository, 200 + index, toAgentPull(plan))
            if (!isForged) return
            const forged = historyComment([historyRow({ prompt: 'ffffffff', outcome: 'failed' }), fixRound])
            for (const pull of Object.values(repository.pulls)) {
              writeComment(state, pull, OUTSIDER, forged, daysAgo(1))
              pull.comments.unshift(...pull.comments.splice(-1))
            }
          },
        },
      )
    const { result } = await play(false)
    const { totals, groups, waiting } = expectNumbers(all)
    expect(result).toMatchObject({ ...totals, complete: true })
    expect(result.prompts).toHaveLength(groups.length)
    for (const group of groups) expect(result.prompts).toContainEqual(expect.objectContaining(group))
    expect(result.waiting.map(({ number }) => number)).toEqual(waiting)
    for (const name of ['opened', 'merged_as_opened', 'merged_after_edits', 'closed', 'open'] as const)
      expect(result.weeks.reduce((sum, week) => sum + (week[name] ?? 0), 0)).toBe(totals[name])
    expect((await play(true)).result).toEqual(result)
  })
  await fc.assert(property, { numRuns: 25, seed: SEED })
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
