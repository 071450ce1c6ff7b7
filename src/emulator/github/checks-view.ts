import { type CheckRun, type CheckSuite, selectStatuses } from './check-state.ts'
import type { RepositoryState } from './repository-state.ts'

function hasPassed({ conclusion }: CheckRun): boolean {
  return ['success', 'neutral', 'skipped'].includes(conclusion)
}

export function getStatus(
  { startedAtMs, completedAtMs, isGuarded = false }: CheckRun,
  nowMs: number,
): 'queued' | 'waiting' | 'in_progress' | 'completed' {
  if (nowMs >= completedAtMs) return 'completed'
  if (nowMs >= startedAtMs) return 'in_progress'
  return isGuarded ? 'waiting' : 'queued'
}

/**
 * Selects the latest runs of each suite, as `filter=latest` does: the latest attempt of each workflow job, and an app's newest
 * run of each name. A workflow can have two jobs of the same name, and two suites can have checks of the same name.
 */
export function selectLatestRuns(runs: readonly CheckRun[]): readonly CheckRun[] {
  const getKey = ({ suiteId, name }: CheckRun): string => `${suiteId} ${name}`
  const sameChecks = new Map<string, CheckRun[]>()
  for (const run of runs) {
    const same = sameChecks.get(getKey(run)) ?? []
    same.push(run)
    sameChecks.set(getKey(run), same)
  }
  const isReplacedBy = (run: CheckRun, other: CheckRun): boolean =>
    run.runId === undefined ? other.id > run.id : (other.attempt ?? 1) > (run.attempt ?? 1)
  return runs.filter((run) => !sameChecks.get(getKey(run))?.some((other) => isReplacedBy(run, other)))
}

export interface ShownSuite extends Pick<CheckSuite, 'id' | 'headSha' | 'app' | 'conclusion'> {
  readonly status: string
  readonly runs: number
  /** The time of the last change of the suite or one of its check runs. */
  readonly updatedAtMs: number
}

/** Derives the state of a suite from its check runs, including jobs that are not registered yet because of `needs`. */
function getSuiteState(planned: readonly CheckRun[], nowMs: number): Pick<ShownSuite, 'status' | 'conclusion'> {
  const runs = selectLatestRuns(planned)
  const pending = runs.map((run) => getStatus(run, nowMs)).filter((status) => status !== 'completed')
  if (pending.length > 0)
    return { status: pending.every((status) => status === 'waiting') ? 'waiting' : 'in_progress', conclusion: null }
  const failed = runs.find((run) => !hasPassed(run))
  return { status: 'completed', conclusion: failed?.conclusion ?? 'success' }
}

/** Lists the suites of a commit at a time: suites without check runs, and suites derived from check runs. */
export function listCheckSuites(
  { checkRuns, checkSuites }: RepositoryState,
  sha: string,
  nowMs: number,
): readonly ShownSuite[] {
  const planned = checkRuns.filter(
    ({ headSha, createdAtMs, plannedAtMs = createdAtMs }) => headSha === sha && plannedAtMs <= nowMs,
  )
  const firstRuns = planned.filter(
    ({ suiteId }, index) => planned.findIndex((run) => run.suiteId === suiteId) === index,
  )
  return [
    ...checkSuites
      .filter(({ headSha, createdAtMs }) => headSha === sha && createdAtMs <= nowMs)
      .map((suite) => ({ ...suite, runs: 0, updatedAtMs: suite.createdAtMs })),
    ...firstRuns.map(({ suiteId: id, headSha, app }) => {
      const suiteRuns = planned.filter(({ suiteId }) => suiteId === id)
      const runs = selectLatestRuns(suiteRuns.filter(({ createdAtMs }) => createdAtMs <= nowMs)).length
      const times = suiteRuns.flatMap(({ createdAtMs, startedAtMs, completedAtMs }) => [
        createdAtMs,
        startedAtMs,
        completedAtMs,
      ])
      const updatedAtMs = Math.max(0, ...times.filter((atMs) => atMs <= nowMs))
      return { id, headSha, app, runs, updatedAtMs, ...getSuiteState(suiteRuns, nowMs) }
    }),
  ]
}

/** A check run or commit status for display. */
export interface ShownCheck {
  readonly name: string
  readonly app: string
  readonly state: 'queued' | 'running' | 'passed' | 'failed'
  readonly findings: readonly string[]
}

/** Lists the check runs and commit statuses of a commit at a time, only the newest of each name. */
export function listChecks(
  { checkRuns, statuses }: RepositoryState,
  sha: string,
  nowMs: number,
): readonly ShownCheck[] {
  const isRegistered = ({ headSha, createdAtMs }: CheckRun): boolean => headSha === sha && createdAtMs <= nowMs
  const runs = checkRuns.filter(isRegistered).map((run): ShownCheck => {
    const { name, app, title, summary, annotations = [] } = run
    const status = getStatus(run, nowMs)
    if (status !== 'completed')
      return { name, app, state: status === 'in_progress' ? 'running' : 'queued', findings: [] }
    const notes = annotations.map(({ path, start_line, message }) => `${path}:${start_line}: ${message}`)
    const findings = [title, summary, ...notes].filter((text) => text !== undefined)
    return { name, app, state: hasPassed(run) ? 'passed' : 'failed', findings }
  })
  const reported = selectStatuses(statuses, sha, nowMs).map(({ context, state, description }): ShownCheck => {
    const states = { success: 'passed', pending: 'running', failure: 'failed', error: 'failed' } as const
    return {
      name: context,
      app: 'status',
      state: states[state],
      findings: description === undefined ? [] : [description],
    }
  })
  return [...new Map([...runs, ...reported].map((check) => [`${check.app} ${check.name}`, check])).values()]
}
