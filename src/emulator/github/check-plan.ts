import type { CheckRun } from './check-state.ts'
import type { RepositoryState } from './repository-state.ts'
import { type GitHubState, takeId } from './state.ts'

type CheckResult = Pick<CheckRun, 'conclusion' | 'title' | 'summary' | 'annotations' | 'log' | 'detailsUrl'>

interface TimedPlan {
  readonly name: string
  /** From the push until it is registered; of a job that needs others, from their end. */
  readonly afterMs: number
  readonly takesMs: number
}

/** One check of a commit. Times are in milliseconds; `Infinity`: never. */
export type CheckPlan =
  | (TimedPlan & { readonly kind: 'app'; readonly result: CheckResult })
  | (TimedPlan & JobPlan)
  | (TimedPlan & { readonly kind: 'status'; readonly conclusion: 'success' | 'failure' })
  /** A workflow that waits until somebody allows it to run, or that cannot start. */
  | {
      readonly kind: 'unstarted'
      readonly conclusion: 'action_required' | 'startup_failure'
      readonly workflow?: string
    }

/** A job of a workflow. Those of one workflow and event belong to one run and one suite. */
interface JobPlan {
  readonly kind: 'job'
  readonly result: CheckResult
  /** The name of its file. */
  readonly workflow?: string
  /** What started the workflow, where that was not what the others were started by. */
  readonly event?: string
  /** How long it waits until somebody lets it use its environment. */
  readonly guardedMs?: number
  /** It comes when the jobs of its run that stand before it have ended, and is skipped if one has failed. */
  readonly needs?: true
  /** It is started again so much later than its run ended. */
  readonly again?: Pick<TimedPlan, 'afterMs' | 'takesMs'> & { readonly result: CheckResult }
}

const QUEUED_MS = 1_000
const ACTIONS = 'github-actions'
const SKIPPED: CheckResult = { conclusion: 'skipped' }

interface Push {
  readonly branch: string
  readonly headSha: string
  readonly event: 'push' | 'pull_request'
  /** `owner/name` of the fork that has the branch. */
  readonly fork?: string | undefined
}

export function startChecks(
  state: GitHubState,
  repository: RepositoryState,
  { branch, headSha, event, fork }: Push,
  plans: readonly CheckPlan[],
  atMs: number,
): void {
  const { checkRuns, checkSuites, statuses, workflowRuns } = repository
  const runs = new Map<string, { suiteId: number; runId: number }>()

  function parseRun(
    workflow = 'ci.yml',
    by: string = event,
    conclusion = 'success',
  ): { suiteId: number; runId: number } {
    const key = `${workflow} ${by}`
    const known = runs.get(key)
    if (known !== undefined) return known
    const made = { suiteId: takeId(state), runId: takeId(state) }
    runs.set(key, made)
    const run = { id: made.runId, suiteId: made.suiteId, workflow, branch, headSha, event: by, createdAtMs: atMs }
    workflowRuns.push({ ...run, ...(fork !== undefined && { headRepository: fork }), status: 'completed', conclusion })
    return made
  }

  function register(
    name: string,
    result: CheckResult,
    where: Partial<CheckRun>,
    fromMs: number,
    takesMs: number,
    queuedMs = QUEUED_MS,
  ): CheckRun {
    const startedAtMs = fromMs + queuedMs
    const times = { createdAtMs: fromMs, startedAtMs, completedAtMs: startedAtMs + takesMs }
    const of = { app: 'link-checker', suiteId: where.suiteId ?? takeId(state) }
    const run = { id: takeId(state), name, headSha, ...of, ...where, ...times, ...result }
    checkRuns.push(run)
    return run
  }

  const startAgain: (() => void)[] = []

  function startJob(plan: TimedPlan & JobPlan): void {
    const { name, workflow, event: by, guardedMs, needs, again, afterMs, takesMs, result } = plan
    const { suiteId, runId } = parseRun(workflow, by)
    const where = { app: ACTIONS, suiteId, runId, plannedAtMs: atMs, isGuarded: guardedMs !== undefined }
    const before = needs === true ? checkRuns.filter((run) => run.runId === runId) : []
    const isSkipped = before.some(({ conclusion }) => conclusion !== 'success')
    const fromMs = Math.max(atMs, ...before.map(({ completedAtMs }) => completedAtMs)) + afterMs
    register(name, isSkipped ? SKIPPED : result, where, fromMs, isSkipped ? 0 : takesMs, guardedMs)
    if (again === undefined) return
    // Only a run that has ended can be started again.
    startAgain.push(() => {
      const ofRun = checkRuns.filter((run) => run.runId === runId && run.attempt === undefined)
      const againMs = Math.max(...ofRun.map(({ completedAtMs }) => completedAtMs)) + again.afterMs
      register(name, again.result, { ...where, attempt: 2, plannedAtMs: againMs }, againMs, again.takesMs)
    })
  }

  for (const plan of plans) {
    if (plan.kind === 'unstarted') {
      const { conclusion } = plan
      const { suiteId } = parseRun(plan.workflow, event, conclusion)
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
  for (const start of startAgain) start()
}
