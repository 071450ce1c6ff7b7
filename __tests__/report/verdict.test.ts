import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Outcome } from '../../src/agent/outcome.ts'
import { type History, type HistoryRow, startHistory } from '../../src/agent/pull-request/history.ts'
import {
  type ReportedChange,
  type Evidence,
  getTurnResult,
  isAccountedFor,
  judgeChange,
  type LabelledPullRequest,
  VERDICTS,
} from '../../src/report/verdict.ts'
import { historyRow, isoDaysAgo, NOW_MS } from '../support/play-report.ts'
import { RUNS, SEED } from '../support/seed.ts'

const PARAMETERS = { seed: SEED, numRuns: 1_000 * RUNS }

const NOW = new Date(NOW_MS)
const SHA = 'a'.repeat(40)
const SOURCES = ['#1', '#2', 'acme/docs#1', 'acme/code#1', `@${SHA}`, `acme/docs@${SHA}`]

const sources = fc.subarray(SOURCES)
const rows: fc.Arbitrary<HistoryRow> = fc
  .record({
    sources,
    exempt: fc.oneof({ weight: 4, arbitrary: fc.constant<string[]>([]) }, sources),
    outcome: fc.constantFrom('pull-request', 'no-changes', 'failed', 'timed-out', 'error', 'submitted', undefined),
    effect: fc.constantFrom('created', 'updated', 'unchanged', 'none', 'unknown', undefined),
    hasEnded: fc.boolean(),
    untilDaysAgo: fc.constantFrom(-1, 1),
    startDaysAgo: fc.integer({ min: 1, max: 40 }),
    hidden: fc.constantFrom(0, 0, 1),
  })
  .map(({ hasEnded, untilDaysAgo, startDaysAgo, outcome, effect, ...fields }) => {
    const { end, ...row } = historyRow([])
    return {
      ...row,
      ...fields,
      start: isoDaysAgo(startDaysAgo),
      until: isoDaysAgo(untilDaysAgo),
      ...(hasEnded && end !== undefined && { end }),
      outcome,
      effect,
    }
  })
const histories: fc.Arbitrary<History> = fc
  .record({ rows: fc.array(rows, { maxLength: 4 }), dropped: fc.constantFrom(0, 0, 1) })
  .map((fields) => ({ ...startHistory('job_1'), ...fields }))
const pullRequests: fc.Arbitrary<LabelledPullRequest> = fc.record({
  number: fc.integer({ min: 10, max: 12 }),
  state: fc.constantFrom('open', 'draft', 'closed', 'merged'),
  histories: fc.array(histories, { maxLength: 2 }),
  problem: fc.constantFrom(undefined, undefined, undefined, 'somebody has edited it'),
})
const evidences: fc.Arbitrary<Evidence> = fc.record({
  repository: fc.constant('acme/docs'),
  prRepository: fc.constantFrom('acme/docs', 'acme/site'),
  pullRequests: fc.array(pullRequests, { maxLength: 3 }),
  completeSince: fc.constantFrom('', isoDaysAgo(30), isoDaysAgo(10)),
  skipLabels: fc.constantFrom([], ['no-docs']),
  own: fc.constantFrom(new Set<number>(), new Set([1])),
  now: fc.constant(NOW),
})
const changes: fc.Arbitrary<ReportedChange> = fc.record(
  {
    number: fc.constantFrom(1, 3),
    shas: fc.constantFrom([SHA], [SHA, 'b'.repeat(40)], []),
    title: fc.constant('Change'),
    labels: fc.constantFrom([], [], ['No-Docs']),
    since: fc.constantFrom(isoDaysAgo(20), undefined),
    unreadable: fc.constantFrom('it could not be read'),
  },
  { requiredKeys: ['shas', 'title', 'labels', 'since'] },
)

/** The rows that name a change, found in another way than by the code. */
function listProof({ number, shas }: ReportedChange, { prRepository, pullRequests }: Evidence) {
  const prefix = prRepository === 'acme/docs' ? '' : 'acme/docs'
  const names = (list: readonly string[]): boolean =>
    list.includes(`${prefix}#${number}`) || (shas.length === 1 && list.includes(`${prefix}@${shas[0]}`))
  return pullRequests.flatMap((pull) =>
    pull.histories
      .flatMap((history) => history.rows)
      .map((row) => ({ pull, row, isAsked: names(row.sources) && !names(row.exempt), isExempt: names(row.exempt) })),
  )
}

test('no change is classified better than its evidence', () => {
  fc.assert(
    fc.property(changes, evidences, (change, evidence) => {
      const { kind, pullRequest } = judgeChange(change, evidence)
      const proof = listProof(change, evidence)
      const asked = proof.filter(({ isAsked, pull }) => isAsked && pull.number === pullRequest)
      if (kind.startsWith('documented-')) {
        const state = kind.replace('documented-', '')
        const proves = ({ row, pull }: (typeof proof)[number]): boolean =>
          row.end !== undefined &&
          row.outcome === 'pull-request' &&
          (row.effect === 'created' || row.effect === 'updated') &&
          (pull.state === state || (pull.state === 'draft' && state === 'open'))
        expect(asked.some(proves)).toBe(true)
      }
      if (kind === 'examined-unchanged')
        expect(asked.some(({ row }) => row.effect === 'unchanged' || row.effect === 'none')).toBe(true)
      if (kind.startsWith('examined-') || kind === 'working') expect(asked).not.toEqual([])
      if (kind === 'exempt')
        expect(
          proof.some(({ isExempt }) => isExempt) || (evidence.skipLabels.length > 0 && change.labels.length > 0),
        ).toBe(true)
      if (kind === 'own') expect(change.number !== undefined && evidence.own.has(change.number)).toBe(true)
      if (kind === 'no-trace') {
        expect(proof.filter(({ isAsked, isExempt }) => isAsked || isExempt)).toEqual([])
        expect(change.unreadable).toBeUndefined()
        const all = evidence.pullRequests.flatMap((pull) => pull.histories)
        const isNewer = ({ start }: HistoryRow): boolean => change.since === undefined || start >= change.since
        const dropsNewer = ({ rows: [oldest], dropped }: History): boolean =>
          dropped > 0 && (oldest === undefined || isNewer(oldest))
        expect(all.filter(dropsNewer)).toEqual([])
        expect(evidence.pullRequests.filter(({ problem }) => problem !== undefined)).toEqual([])
        expect(all.filter((history) => history.rows.some((row) => row.hidden > 0 && isNewer(row)))).toEqual([])
        expect(evidence.completeSince === '' || evidence.completeSince <= (change.since ?? '')).toBe(true)
      }
    }),
    PARAMETERS,
  )
})

const rank = (change: ReportedChange, evidence: Evidence): number =>
  VERDICTS.indexOf(judgeChange(change, evidence).kind)

test('less evidence never gives a better result', () => {
  fc.assert(
    fc.property(changes, evidences, fc.nat(), (change, evidence, which) => {
      const fewer = evidence.pullRequests.filter((_, index) => index !== which % (evidence.pullRequests.length + 1))
      const [before, after] = [rank(change, evidence), rank(change, { ...evidence, pullRequests: fewer })]
      // Without a history that cannot be read, it is known that there is no trace. Neither is accounted for.
      const isUnknown = VERDICTS[before] === 'not-readable' && VERDICTS[after] === 'no-trace'
      expect(after >= before || isUnknown).toBe(true)
    }),
    PARAMETERS,
  )
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

test.each(Object.entries(FAILED))(
  'a turn with the outcome %s and an unknown effect has failed: %s',
  (outcome, failed) => {
    const row = historyRow([], { outcome, effect: 'unknown' })
    // A step that has not seen the agent finish leaves no end.
    for (const one of [row, { ...row, end: undefined }])
      expect(getTurnResult(one, NOW)).toBe(failed ? 'failed' : 'unknown')
  },
)

test.each(VERDICTS)('a gate stops a change that is %s unless it is documented, exempt, examined or own', (kind) => {
  expect(isAccountedFor({ kind })).toBe(!['no-trace', 'not-readable', 'working'].includes(kind))
})
