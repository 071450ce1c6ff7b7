import type { Annotation, CheckRun } from './check-state.ts'
import type { RepositoryState } from './repository-state.ts'
import { type GitHubState, takeId } from './state.ts'

/** What comes of a check, and what it tells. */
interface CheckResult {
  readonly conclusion: string
  readonly title?: string
  readonly summary?: string
  readonly annotations?: readonly Annotation[]
  /** Of a job of a workflow, as its runner writes it. */
  readonly log?: string
}

/** One check of a commit. Times are in milliseconds; `Infinity`: never. */
export type CheckPlan =
  | {
      readonly kind: 'job' | 'app'
      readonly name: string
      /** From the push until it is registered. */
      readonly afterMs: number
      readonly takesMs: number
      readonly result: CheckResult
    }
  | {
      readonly kind: 'status'
      readonly name: string
      readonly afterMs: number
      readonly takesMs: number
      readonly conclusion: 'success' | 'failure'
    }
  /** A workflow that waits until somebody allows it to run. */
  | { readonly kind: 'approval' }

const QUEUED_MS = 1_000

/** Begins the checks of a commit that was pushed. The jobs among them belong to one run of one workflow. */
export function startChecks(
  state: GitHubState,
  repository: RepositoryState,
  push: { readonly branch: string; readonly headSha: string; readonly event: 'push' | 'pull_request' },
  plans: readonly CheckPlan[],
  atMs: number,
): void {
  const { branch, headSha, event } = push
  const suiteId = takeId(state)
  const runId = takeId(state)
  const run = { id: runId, workflow: 'ci.yml', branch, headSha, event, status: 'completed', createdAtMs: atMs } as const

  for (const plan of plans) {
    if (plan.kind === 'approval') {
      const conclusion = 'action_required'
      const suite = { id: suiteId, headSha, app: 'github-actions', status: 'completed', createdAtMs: atMs } as const
      repository.checkSuites.push({ ...suite, conclusion })
      repository.workflowRuns.push({ ...run, conclusion })
      continue
    }
    const createdAtMs = atMs + plan.afterMs
    if (plan.kind === 'status') {
      const status = { headSha, context: plan.name }
      repository.statuses.push({ ...status, state: 'pending', createdAtMs })
      repository.statuses.push({ ...status, state: plan.conclusion, createdAtMs: createdAtMs + plan.takesMs })
      continue
    }
    const { kind, name, takesMs, result } = plan
    const startedAtMs = createdAtMs + QUEUED_MS
    const times = { createdAtMs, startedAtMs, completedAtMs: startedAtMs + takesMs }
    const of: Pick<CheckRun, 'app' | 'suiteId' | 'runId'> =
      kind === 'job' ? { app: 'github-actions', suiteId, runId } : { app: 'link-checker', suiteId: takeId(state) }
    repository.checkRuns.push({ id: takeId(state), name, headSha, ...of, ...times, ...result })
  }
  const jobs = plans.filter(({ kind }) => kind === 'job')
  if (jobs.length > 0) {
    const failed = jobs.some((plan) => plan.kind === 'job' && plan.result.conclusion === 'failure')
    repository.workflowRuns.push({ ...run, conclusion: failed ? 'failure' : 'success' })
  }
}
