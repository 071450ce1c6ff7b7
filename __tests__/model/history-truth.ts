import { AGENT_USER } from '../../src/emulator/github/demo-state.ts'
import type { CheckRun } from '../../src/emulator/github/check-state.ts'
import { compareHistories, getHistory } from '../../src/emulator/github/history.ts'
import type { PullState } from '../../src/emulator/github/pull-state.ts'
import { createRepositoryState, type RepositoryState } from '../../src/emulator/github/repository-state.ts'
import { getPushTimesMs, getJobState, type JobRecord, type Turn } from '../../src/emulator/service/job-machine.ts'
import { REPOSITORY, type HistoryRun, type HistoryTrace, type ServiceCall } from './history.ts'

/** What was true in a history, as the world itself has it, whatever a step was told or believed. */
export const docsOf = ({ service }: HistoryTrace): RepositoryState =>
  service.github.state.repositories[REPOSITORY] ?? createRepositoryState()

export function jobOf({ service }: HistoryTrace, jobId: string): JobRecord | undefined {
  return [...service.listJobs()].find(({ id }) => id === jobId)
}

/** The turns that a step has started, oldest first. */
export const turnsOf = ({ calls }: HistoryRun): readonly (ServiceCall & { readonly turn: Turn })[] =>
  calls.flatMap((call) => (call.turn === undefined ? [] : [{ ...call, turn: call.turn }]))

export function pushesOf(trace: HistoryTrace, turn: Turn): readonly number[] {
  const { commits } = docsOf(trace)
  return getPushTimesMs(turn).filter((ms) => commits.some(({ author, atMs }) => author === AGENT_USER && atMs === ms))
}

/** Those that went into the job's pull request. */
export function pullPushesOf(trace: HistoryTrace, { jobId, turn }: { jobId: string; turn: Turn }): readonly number[] {
  const job = jobOf(trace, jobId)
  const pull = job && pullOf(trace, job)
  if (pull === undefined || turn.endsAtMs < pull.createdAtMs) return []
  const docs = docsOf(trace)
  const heads = [pull.headSha, ...pull.earlierHeads.map(({ sha }) => sha)]
  const within = new Set(heads.flatMap((sha) => getHistory(docs, sha)).map(({ atMs }) => atMs))
  return pushesOf(trace, turn).filter((atMs) => within.has(atMs))
}

export const pullOf = (trace: HistoryTrace, { pullNumber }: JobRecord): PullState | undefined =>
  docsOf(trace).pulls[pullNumber]

/** Whose marker comments count: the workflow's token, and a person with write access. */
export const MARKERS_BY = ['github-actions[bot]', 'mona']

/**
 * Since when a job's pull request could be continued: open, with a marker comment by a trusted author, and with the label or a
 * marker comment that names it. Undefined if it could not be continued at that time.
 */
export function openSince(trace: HistoryTrace, job: JobRecord, atMs: number): number | undefined {
  const pull = pullOf(trace, job)
  if (pull === undefined || pull.createdAtMs > atMs) return undefined
  if (pull.closedAtMs !== undefined && pull.closedAtMs <= atMs) return undefined
  const { status } = getJobState(job, atMs)
  if (status === 'failed' || status === 'archived') return undefined
  const named = pull.comments.find(
    ({ user, body }) =>
      MARKERS_BY.includes(user) &&
      body.startsWith(`<!-- docs-agent-action: job=${job.id} -->`) &&
      (pull.labels.includes('docs-agent') || body.includes('<!-- docs-agent-action: labels=docs-agent -->')),
  )
  return named?.createdAtMs
}

/** What a pull request changes up to a commit of it. */
export function filesUpTo(trace: HistoryTrace, sha: string): readonly string[] {
  const docs = docsOf(trace)
  const base = docs.branches['main'] ?? ''
  if (getHistory(docs, base).some((commit) => commit.sha === sha)) return []
  return (compareHistories(docs, base, sha)?.files ?? []).map(({ filename }) => filename)
}

/** One thing that was checked of a commit, as it came out at last. */
export interface Checked {
  readonly name: string
  /** Since when GitHub says that it is to come or there. */
  readonly knownMs: number
  /** `Infinity`: never. */
  readonly endedMs: number
  readonly isGood: boolean
  /** Whether it was started again, so that its end does not count. */
  readonly isReplaced?: boolean
}

const PASSED = ['success', 'neutral', 'skipped']

export function checkedOf(trace: HistoryTrace, sha: string): readonly Checked[] {
  const { checkRuns, checkSuites, statuses } = docsOf(trace)
  const isOf = ({ headSha }: { readonly headSha: string }): boolean => headSha === sha
  const runs = checkRuns.filter(isOf)
  const isReplaced = (run: CheckRun): boolean =>
    runs.some(
      (other) =>
        other.app === run.app &&
        other.name === run.name &&
        (run.runId === undefined
          ? other.id > run.id
          : other.runId === run.runId && (other.attempt ?? 1) > (run.attempt ?? 1)),
    )
  const last = new Map(statuses.filter(isOf).map((status) => [status.context, status]))
  const first = (context: string): number =>
    statuses.filter(isOf).find((one) => one.context === context)?.createdAtMs ?? 0
  return [
    ...runs.map((run) => ({
      name: run.name,
      knownMs: run.plannedAtMs ?? run.createdAtMs,
      endedMs: run.completedAtMs,
      isGood: PASSED.includes(run.conclusion),
      isReplaced: isReplaced(run),
    })),
    ...checkSuites.filter(isOf).map(({ createdAtMs, conclusion }) => ({
      ...{ name: `suite ${conclusion ?? ''}`, knownMs: createdAtMs, endedMs: createdAtMs, isGood: false },
    })),
    ...[...last.values()].map(({ context, state, createdAtMs }) => ({
      ...{ name: context, knownMs: first(context), endedMs: createdAtMs, isGood: state === 'success' },
    })),
  ]
}
