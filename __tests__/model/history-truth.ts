// The facts of a history, from the servers' own records. A step may have seen less.
import { type History, parseHistory } from '../../src/agent/history/state.ts'
import { AGENT_USER, MAINTAINER, TOKEN_USER } from '../../src/emulator/github/demo-state.ts'
import { type CheckRun, type CommitStatus, selectStatuses } from '../../src/emulator/github/check-state.ts'
import { compareHistories, getHistory } from '../../src/emulator/github/history.ts'
import type { StoredComment } from '../../src/emulator/github/issue-state.ts'
import type { PullState } from '../../src/emulator/github/pull-state.ts'
import { createRepositoryState, type RepositoryState } from '../../src/emulator/github/repository-state.ts'
import {
  getPushTimesMs,
  getJobState,
  type JobRecord,
  type ScheduledTurn,
} from '../../src/emulator/service/job-machine.ts'
import { LABEL, REPOSITORY, type HistoryRun, type HistoryTrace, type ServiceCall } from './history.ts'

export const getRepository = ({ service }: HistoryTrace): RepositoryState =>
  service.github.state.repositories[REPOSITORY] ?? createRepositoryState()

export function findJob({ service }: HistoryTrace, jobId: string): JobRecord | undefined {
  return [...service.listJobs()].find(({ id }) => id === jobId)
}

/** Returns the turns that a step's prompts started, oldest first. */
export const listTurns = ({ serviceCalls }: HistoryRun): readonly (ServiceCall & { readonly turn: ScheduledTurn })[] =>
  serviceCalls.flatMap((call) => (call.turn === undefined ? [] : [{ ...call, turn: call.turn }]))

/** Returns the times of a turn's pushes. Leaves out planned pushes that did not happen. */
export function listPushesMs(trace: HistoryTrace, turn: ScheduledTurn): readonly number[] {
  const { commits } = getRepository(trace)
  return getPushTimesMs(turn).filter((ms) => commits.some(({ author, atMs }) => author === AGENT_USER && atMs === ms))
}

/** Returns the times of those pushes of a turn whose commits are in the job's pull request. */
export function listPullPushesMs(
  trace: HistoryTrace,
  { jobId, turn }: { jobId: string; turn: ScheduledTurn },
): readonly number[] {
  const job = findJob(trace, jobId)
  const pull = job && findPull(trace, job)
  if (pull === undefined || turn.endsAtMs < pull.createdAtMs) return []
  const repository = getRepository(trace)
  const heads = [pull.headSha, ...pull.earlierHeads.map(({ sha }) => sha)]
  const timesInPullMs = new Set(heads.flatMap((sha) => getHistory(repository, sha)).map(({ atMs }) => atMs))
  return listPushesMs(trace, turn).filter((atMs) => timesInPullMs.has(atMs))
}

export const findPull = (trace: HistoryTrace, { pullNumber }: JobRecord): PullState | undefined =>
  getRepository(trace).pulls[pullNumber]

/** The authors of trusted history comments: the workflow's token, and a user with write access. */
export const TRUSTED_AUTHORS = [TOKEN_USER, MAINTAINER]

/** Lists the history comments of a pull request, oldest first. */
export const listHistories = ({ comments }: PullState): readonly (StoredComment & { readonly history: History })[] =>
  comments.flatMap((comment) => {
    const history = parseHistory(comment.body)
    return history === undefined ? [] : [{ ...comment, history }]
  })

/**
 * Whether a step could continue a job's pull request at a time: it is open, and the job has not failed.
 * @param pull as it was when the step began: it must have the label, and a history comment that names the job
 */
export function isContinuable(trace: HistoryTrace, job: JobRecord, pull: PullState | undefined, atMs: number): boolean {
  const { closedAtMs = Infinity } = findPull(trace, job) ?? {}
  if (pull === undefined || pull.createdAtMs > atMs || closedAtMs <= atMs) return false
  const { status } = getJobState(job, atMs)
  if (status === 'failed' || status === 'archived') return false
  const isNamed = listHistories(pull).some(
    ({ user, history }) => TRUSTED_AUTHORS.includes(user) && history.job === job.id,
  )
  return isNamed && pull.labels.includes(LABEL)
}

/** Returns the files that differ between the base branch and a commit; none if the commit is in the base branch. */
export function listChangedFiles(trace: HistoryTrace, sha: string): readonly string[] {
  const repository = getRepository(trace)
  const base = repository.branches['main'] ?? ''
  if (getHistory(repository, base).some((commit) => commit.sha === sha)) return []
  return (compareHistories(repository, base, sha)?.files ?? []).map(({ filename }) => filename)
}

/** The final result of a check of a commit. */
export interface CheckResult {
  readonly name: string
  /** When GitHub first showed the check, or that the check was planned. */
  readonly knownMs: number
  /** `Infinity` if the check never ended. */
  readonly endedMs: number
  readonly isGood: boolean
  /** Whether the check was started again. The result of the later attempt counts instead. */
  readonly isReplaced?: boolean
}

const PASSED = ['success', 'neutral', 'skipped']

/** A step may miss a `pending` status that is shorter than this between two statuses with the same result. */
const MAX_UNSEEN_STATUS_MS = 15_000

/**
 * Returns the result of each context, and the results that later statuses replaced. Checks that a status reports again after
 * its end have a result of their own, because a step may have ended in between.
 */
function listStatusResults(statuses: readonly CommitStatus[]): readonly CheckResult[] {
  return [...new Set(statuses.map(({ context }) => context))].flatMap((context) => {
    const results: CheckResult[] = []
    let knownMs: number | undefined
    for (const { state, createdAtMs } of statuses.filter((status) => status.context === context)) {
      knownMs ??= createdAtMs
      if (state === 'pending') continue
      const isGood = state === 'success'
      const isUnseen = results.at(-1)?.isGood === isGood && createdAtMs - knownMs < MAX_UNSEEN_STATUS_MS
      if (!isUnseen) results.push({ name: context, knownMs, endedMs: createdAtMs, isGood })
      knownMs = undefined
    }
    if (knownMs !== undefined) results.push({ name: context, knownMs, endedMs: Infinity, isGood: false })
    return results.map((result, index) => ({ ...result, isReplaced: index < results.length - 1 }))
  })
}

export function listChecks(trace: HistoryTrace, sha: string): readonly CheckResult[] {
  const { checkRuns, checkSuites, statuses, workflowRuns } = getRepository(trace)
  const hasHead = ({ headSha }: { readonly headSha: string }): boolean => headSha === sha
  const runs = checkRuns.filter(hasHead)
  // The newest job of the same workflow, event and name counts, except that a skipped job replaces none.
  const isSuperseded = ({ id, name, runId }: CheckRun): boolean => {
    const own = workflowRuns.find((run) => run.id === runId)
    return runs.some((later) => {
      const other = workflowRuns.find((run) => run.id === later.runId)
      const isSame = own !== undefined && other?.workflow === own.workflow && other.event === own.event
      return isSame && other.id !== own.id && later.name === name && later.id > id && later.conclusion !== 'skipped'
    })
  }
  const isReplaced = (run: CheckRun): boolean =>
    isSuperseded(run) ||
    runs.some(
      (other) =>
        other.app === run.app &&
        other.name === run.name &&
        (run.runId === undefined
          ? other.id > run.id
          : other.runId === run.runId && (other.attempt ?? 1) > (run.attempt ?? 1)),
    )
  return [
    ...runs.map((run) => ({
      name: run.name,
      knownMs: run.plannedAtMs ?? run.createdAtMs,
      endedMs: run.completedAtMs,
      isGood: PASSED.includes(run.conclusion),
      isReplaced: isReplaced(run),
    })),
    ...checkSuites.filter(hasHead).map(({ createdAtMs, conclusion }) => ({
      name: `suite ${conclusion ?? ''}`,
      knownMs: createdAtMs,
      endedMs: createdAtMs,
      isGood: false,
    })),
    ...listStatusResults(selectStatuses(statuses, sha, Infinity)),
  ]
}
