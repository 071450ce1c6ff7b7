/**
 * Decides what happened to a merged change. The rows of trusted history comments are the only evidence, and no change is
 * classified better than its evidence.
 */
import type { History, HistoryRow } from '../agent/pull-request/history.ts'
import { hasLabel } from '../github/labels.ts'
import type { PullRequestState } from '../github/pull-requests.ts'
import { isSameRepository } from '../github/schemas.ts'
import { oneLine } from '../text/untrusted.ts'

/** A merged pull request, a commit that was pushed directly, or commits that GitHub does not list. */
export interface ReportedChange {
  /** Undefined: not a pull request. */
  readonly number?: number
  /** Its commits in the range, newest first. Empty for commits that GitHub does not list. */
  readonly shas: readonly string[]
  readonly title: string
  readonly labels: readonly string[]
  /** No row that began before this time, in ISO 8601, can be about the change. Undefined if unknown. */
  readonly since?: string | undefined
  /** Why it is not known which pull request the commits came from, if so. */
  readonly unreadable?: string
}

/** A pull request with the label, and what its history comments prove. */
export interface LabelledPullRequest {
  readonly number: number
  readonly state: PullRequestState
  /** The histories in comments by trusted authors. */
  readonly histories: readonly History[]
  /** Why its history may be incomplete, if so, for the middle of a sentence. */
  readonly problem?: string | undefined
}

export interface Evidence {
  readonly repository: string
  readonly prRepository: string
  readonly pullRequests: readonly LabelledPullRequest[]
  /** The list of pull requests is complete back to this time, in ISO 8601. Empty: it is complete. */
  readonly completeSince: string
  readonly skipLabels: readonly string[]
  /** The pull requests of the agent in the repository of the changes. */
  readonly own: ReadonlySet<number>
  readonly now: Date
}

/** Best first. Closed ranks below in progress. */
export const VERDICTS = [
  'documented-merged',
  'documented-open',
  'exempt',
  'working',
  'documented-closed',
  'examined-unchanged',
  'examined-unknown',
  'examined-failed',
  'own',
  'no-trace',
  'not-readable',
] as const

export interface Verdict {
  /** `own`: it is a pull request of the agent. */
  readonly kind: (typeof VERDICTS)[number]
  /** The pull request of the agent whose history names the change. */
  readonly pullRequest?: number
  /** How a turn failed, or why nothing is known. Empty: there is none. */
  readonly reason?: string
}

/** What a turn did, as far as its row proves it. */
export type TurnResult = 'documented' | 'working' | 'unchanged' | 'unknown' | 'failed'

const FAILED_OUTCOMES: readonly string[] = ['failed', 'archived', 'timed-out', 'unconfirmed', 'cancelled', 'error']

export function getTurnResult({ end, until, outcome = '', effect }: HistoryRow, now: Date): TurnResult {
  // The step is running, or its run was killed.
  if (end === undefined && outcome === '') return new Date(until) > now ? 'working' : 'failed'
  if (FAILED_OUTCOMES.includes(outcome)) return 'failed'
  if (end === undefined) return 'unknown'
  if (outcome === 'pull-request' && (effect === 'created' || effect === 'updated')) return 'documented'
  const isNothing = effect === 'unchanged' || effect === 'none'
  return isNothing && (outcome === 'pull-request' || outcome === 'no-changes') ? 'unchanged' : 'unknown'
}

/** A row can be as long as its comment, and many changes can share it. */
const MAX_REASON_CHARS = 300

function toVerdict(row: HistoryRow, { number: pullRequest, state }: LabelledPullRequest, now: Date): Verdict {
  const result = getTurnResult(row, now)
  if (result === 'working') return { kind: 'working', pullRequest }
  if (result === 'documented') return { kind: `documented-${state === 'draft' ? 'open' : state}`, pullRequest }
  return {
    kind: `examined-${result}`,
    pullRequest,
    reason: result === 'failed' ? oneLine(row.result ?? '', MAX_REASON_CHARS) : '',
  }
}

/** How a row refers to a change: readers of the same repository need no repository name. */
function createReference({ repository, prRepository }: Evidence) {
  const prefix = isSameRepository(repository, prRepository) ? '' : repository.toLowerCase()
  const includes = (sources: readonly string[], reference: string): boolean =>
    sources.some((source) => source.toLowerCase() === `${prefix}${reference}`)
  return ({ number, shas }: ReportedChange, sources: readonly string[]): boolean =>
    (number !== undefined && includes(sources, `#${number}`)) ||
    // A row names commits if GitHub did not know yet which pull request they came from.
    (shas.length > 0 && shas.every((sha) => includes(sources, `@${sha}`)))
}

/** The clocks of runners and of GitHub differ at most by this much. */
const MAX_CLOCK_SKEW_MS = 5 * 60_000

/** Whether a row that cannot be read may be about the change: a hidden source, or a row that was dropped. */
function mayHide({ rows, dropped }: History, { since }: ReportedChange): boolean {
  const sinceMs = Date.parse(since ?? '') || -Infinity
  const isLater = ({ start }: HistoryRow): boolean => Date.parse(start) >= sinceMs - MAX_CLOCK_SKEW_MS
  const [oldest] = rows
  // All dropped rows are older than the first one that is left.
  const isDropped = dropped > 0 && (oldest === undefined || isLater(oldest))
  return isDropped || rows.some((row) => row.hidden > 0 && isLater(row))
}

/** Returns why it cannot be known that no row is about a change. */
function findDoubt(change: ReportedChange, { pullRequests, completeSince }: Evidence): string | undefined {
  if (change.unreadable !== undefined) return change.unreadable
  for (const { number, problem, histories } of pullRequests) {
    if (problem !== undefined) return problem
    if (histories.some((history) => mayHide(history, change)))
      return `the history of #${number} does not name all changes`
  }
  const isCovered = completeSince === '' || Date.parse(change.since ?? '') >= Date.parse(completeSince)
  return isCovered ? undefined : 'only the newest 1,000 pull requests were read'
}

/** Decides what happened to a change: the best of what the rows prove. */
export function judgeChange(change: ReportedChange, evidence: Evidence): Verdict {
  const { pullRequests, skipLabels, own, now } = evidence
  const isAbout = createReference(evidence)
  const rows = pullRequests.flatMap((pullRequest) =>
    pullRequest.histories.flatMap((history) => history.rows.map((row) => ({ row, pullRequest }))),
  )
  const isExempt =
    skipLabels.some((label) => hasLabel(label, change.labels)) || rows.some(({ row }) => isAbout(change, row.exempt))
  const proven = rows
    .filter(({ row }) => isAbout(change, row.sources) && !isAbout(change, row.exempt))
    .map(({ row, pullRequest }) => toVerdict(row, pullRequest, now))
  const [best] = [...proven, ...(isExempt ? [{ kind: 'exempt' } as const] : [])].toSorted(
    (a, b) => VERDICTS.indexOf(a.kind) - VERDICTS.indexOf(b.kind),
  )
  if (best !== undefined) return best
  if (change.number !== undefined && own.has(change.number)) return { kind: 'own' }
  const doubt = findDoubt(change, evidence)
  return doubt === undefined ? { kind: 'no-trace' } : { kind: 'not-readable', reason: doubt }
}

/** Whether a change is documented, exempt or examined, as far as a release gate is concerned. */
export const isAccountedFor = ({ kind }: Verdict): boolean =>
  kind !== 'no-trace' && kind !== 'not-readable' && kind !== 'working'
