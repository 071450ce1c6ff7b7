import type { CheckPlan, CheckResult, JobPlan, TimedPlan } from './check-plan.ts'
import type { CheckRun } from './check-state.ts'
import type { PullState } from './pull-state.ts'
import type { RepositoryState } from './repository-state.ts'
import { type GitHubState, takeId } from './state.ts'

const QUEUED_MS = 1_000
const ACTIONS = 'github-actions'
const SKIPPED: CheckResult = { conclusion: 'skipped' }

interface Push {
  readonly branch: string
  readonly headSha: string
  readonly event: 'push' | 'pull_request'
  /** The login of the pusher. */
  readonly by: string
  /** The fork that contains the branch, as `owner/name`. */
  readonly fork?: string | undefined
}

/** Starts the checks of the newest push to a pull request. */
export function startPullChecks(
  state: GitHubState,
  repository: RepositoryState,
  { branch, fork, headSha, pushes, conflict }: PullState,
  by: string,
  atMs: number,
): void {
  // GitHub cannot create the test merge that the workflows would run on.
  if (conflict) return
  const { checkPlans } = state
  const plans = checkPlans[Math.min(pushes, checkPlans.length) - 1] ?? []
  startChecks(state, repository, { branch, fork, headSha, event: 'pull_request', by }, plans, atMs)
}

export function startChecks(
  state: GitHubState,
  repository: RepositoryState,
  { branch, headSha, event, by, fork }: Push,
  plans: readonly CheckPlan[],
  atMs: number,
): void {
  const { checkRuns, checkSuites, statuses, workflowRuns } = repository
  const runs = new Map<string, { suiteId: number; runId: number }>()

  /** Returns the run of a workflow and an event. Creates it first if necessary. */
  function ensureRun(
    workflow = 'ci.yml',
    startedBy: string = event,
    conclusion = 'success',
  ): { suiteId: number; runId: number } {
    const key = `${workflow} ${startedBy}`
    const known = runs.get(key)
    if (known !== undefined) return known
    const ids = { suiteId: takeId(state), runId: takeId(state) }
    runs.set(key, ids)
    const { suiteId, runId: id } = ids
    const run = { id, suiteId, workflow, branch, headSha, event: startedBy, actor: by, createdAtMs: atMs }
    workflowRuns.push({ ...run, ...(fork !== undefined && { headRepository: fork }), status: 'completed', conclusion })
    return ids
  }

  function register(
    name: string,
    result: CheckResult,
    fields: Partial<CheckRun>,
    fromMs: number,
    takesMs: number,
    queuedMs = QUEUED_MS,
  ): CheckRun {
    const startedAtMs = fromMs + queuedMs
    const times = { createdAtMs: fromMs, startedAtMs, completedAtMs: startedAtMs + takesMs }
    const owner = { app: 'link-checker', suiteId: fields.suiteId ?? takeId(state) }
    const run = { id: takeId(state), name, headSha, ...owner, ...fields, ...times, ...result }
    checkRuns.push(run)
    return run
  }

  const reruns: (() => void)[] = []

  function startJob(plan: TimedPlan & JobPlan): void {
    const { name, workflow, event: startedBy, guardedMs, needs, again, afterMs, takesMs, result } = plan
    const { suiteId, runId } = ensureRun(workflow, startedBy)
    const fields = { app: ACTIONS, suiteId, runId, plannedAtMs: atMs, isGuarded: guardedMs !== undefined }
    const needed = needs === true ? checkRuns.filter((run) => run.runId === runId) : []
    const isSkipped = needed.some(({ conclusion }) => conclusion !== 'success')
    const fromMs = Math.max(atMs, ...needed.map(({ completedAtMs }) => completedAtMs)) + afterMs
    register(name, isSkipped ? SKIPPED : result, fields, fromMs, isSkipped ? 0 : takesMs, guardedMs)
    if (again === undefined) return
    // A re-run starts after the complete run, so every other job must be registered first.
    reruns.push(() => {
      const firstAttempts = checkRuns.filter((run) => run.runId === runId && run.attempt === undefined)
      const rerunMs = Math.max(...firstAttempts.map(({ completedAtMs }) => completedAtMs)) + again.afterMs
      register(name, again.result, { ...fields, attempt: 2, plannedAtMs: rerunMs }, rerunMs, again.takesMs)
    })
  }

  for (const plan of plans) {
    if (plan.kind === 'unstarted') {
      const { conclusion } = plan
      const { suiteId } = ensureRun(plan.workflow, event, conclusion)
      checkSuites.push({ id: suiteId, headSha, app: ACTIONS, status: 'completed', conclusion, createdAtMs: atMs })
    } else if (plan.kind === 'job') startJob(plan)
    else if (plan.kind === 'app') register(plan.name, plan.result, {}, atMs + plan.afterMs, plan.takesMs)
    else {
      const status = { headSha, context: plan.name }
      const createdAtMs = atMs + plan.afterMs
      statuses.push({ ...status, state: 'pending', createdAtMs })
      statuses.push({ ...status, state: plan.conclusion, createdAtMs: createdAtMs + plan.takesMs })
    }
  }
  for (const rerun of reruns) rerun()
}
