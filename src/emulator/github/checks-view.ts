import type { CheckRun, CheckSuite } from './check-state.ts'
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
 * Without those that another one has taken the place of, each suite by itself: two suites may have checks of one name. A
 * workflow may have two jobs of one name, and only a later attempt replaces one; of an app the newest of a name counts.
 */
export function latestRuns(runs: readonly CheckRun[]): readonly CheckRun[] {
  const isReplacedBy = (run: CheckRun, other: CheckRun): boolean => {
    if (other.suiteId !== run.suiteId || other.name !== run.name) return false
    return run.runId === undefined ? other.id > run.id : (other.attempt ?? 1) > (run.attempt ?? 1)
  }
  return runs.filter((run) => !runs.some((other) => isReplacedBy(run, other)))
}

export interface ShownSuite extends Pick<CheckSuite, 'id' | 'headSha' | 'app' | 'conclusion'> {
  readonly status: string
  readonly runs: number
  /** When it or one of its check runs last changed. */
  readonly updatedAtMs: number
}

/** A suite with check runs is over once all of these are, those too that wait for another one, and has failed if one has. */
function getSuite(planned: readonly CheckRun[], nowMs: number): Pick<ShownSuite, 'status' | 'conclusion'> {
  const runs = latestRuns(planned)
  const open = runs.map((run) => getStatus(run, nowMs)).filter((status) => status !== 'completed')
  if (open.length > 0)
    return { status: open.every((status) => status === 'waiting') ? 'waiting' : 'in_progress', conclusion: null }
  const failed = runs.find((run) => !hasPassed(run))
  return { status: 'completed', conclusion: failed?.conclusion ?? 'success' }
}

/** The suites of a commit by now: those without check runs, and those that follow from theirs. */
export function findSuites(
  { checkRuns, checkSuites }: RepositoryState,
  sha: string,
  nowMs: number,
): readonly ShownSuite[] {
  const planned = checkRuns.filter(
    ({ headSha, createdAtMs, plannedAtMs = createdAtMs }) => headSha === sha && plannedAtMs <= nowMs,
  )
  const firsts = planned.filter(({ suiteId }, index) => planned.findIndex((run) => run.suiteId === suiteId) === index)
  return [
    ...checkSuites
      .filter(({ headSha, createdAtMs }) => headSha === sha && createdAtMs <= nowMs)
      .map((suite) => ({ ...suite, runs: 0, updatedAtMs: suite.createdAtMs })),
    ...firsts.map(({ suiteId: id, headSha, app }) => {
      const ofSuite = planned.filter(({ suiteId }) => suiteId === id)
      const runs = latestRuns(ofSuite.filter(({ createdAtMs }) => createdAtMs <= nowMs)).length
      const times = ofSuite.flatMap(({ createdAtMs, startedAtMs, completedAtMs }) => [
        createdAtMs,
        startedAtMs,
        completedAtMs,
      ])
      const updatedAtMs = Math.max(0, ...times.filter((atMs) => atMs <= nowMs))
      return { id, headSha, app, runs, updatedAtMs, ...getSuite(ofSuite, nowMs) }
    }),
  ]
}

/** A check of a commit, as a page shows it. */
export interface ShownCheck {
  readonly name: string
  readonly app: string
  readonly state: 'queued' | 'running' | 'passed' | 'failed'
  readonly findings: readonly string[]
}

/** The check runs and the commit statuses of a commit by now, the newest of each name. */
export function listChecks(
  { checkRuns, statuses }: RepositoryState,
  sha: string,
  nowMs: number,
): readonly ShownCheck[] {
  const isThere = (item: { headSha: string; createdAtMs: number }): boolean =>
    item.headSha === sha && item.createdAtMs <= nowMs
  const runs = checkRuns.filter(isThere).map((run): ShownCheck => {
    const { name, app, title, summary, annotations = [] } = run
    const status = getStatus(run, nowMs)
    if (status !== 'completed')
      return { name, app, state: status === 'in_progress' ? 'running' : 'queued', findings: [] }
    const notes = annotations.map(({ path, start_line, message }) => `${path}:${start_line}: ${message}`)
    const findings = [title, summary, ...notes].filter((text) => text !== undefined)
    return { name, app, state: hasPassed(run) ? 'passed' : 'failed', findings }
  })
  const reported = statuses.filter(isThere).map(({ context, state, description }): ShownCheck => {
    const shown = { success: 'passed', pending: 'running', failure: 'failed', error: 'failed' } as const
    return {
      name: context,
      app: 'status',
      state: shown[state],
      findings: description === undefined ? [] : [description],
    }
  })
  return [...new Map([...runs, ...reported].map((check) => [`${check.app} ${check.name}`, check])).values()]
}
