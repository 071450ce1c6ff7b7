import * as z from 'zod/mini'
import { type Call, type Cursor, PAGE_SIZE, readAll } from './pages.ts'
import { DEPENDABOT } from './event.ts'
import { parseResponse, skipMalformed } from './schemas.ts'

interface WorkflowBranch {
  readonly repository: string
  /** The name of the workflow's file, such as `docs.yml`, or its id. */
  readonly workflow: string
  readonly branch: string
  /** The run that looks back. Runs began after it do not count: a re-run looks back from where it first stood. */
  readonly runId: number
  /** Whether the workflow is another one, whose runs start this one: what is told is then what these stand on. */
  readonly isOther?: boolean
}

/**
 * Runs that are about the branch as a whole. One for a pull request, an issue or a comment was successful without having
 * looked at what came to the branch before it.
 */
const BRANCH_EVENTS = ['push', 'schedule', 'workflow_dispatch', 'repository_dispatch', 'merge_group']

/**
 * GitHub records such a run with the newest commit of the default branch, and not with the one that it was about: this one
 * may have told less, and of another branch.
 */
const STARTED_BY_RUN = 'workflow_run'

/** Whether a later run of the same workflow on the same branch looks back to this run, if it ends green. */
export function countsAsBase({ event, actor }: { readonly event: string; readonly actor: string }): boolean {
  // A push of Dependabot's gets no secrets, and may be green for having sent nothing.
  return BRANCH_EVENTS.includes(event) && !(event === 'push' && actor === DEPENDABOT)
}

/** The list is newest first. Branches of forks may have the same name, so the right one may be far down. */
const MAX_PAGES = 10
/** Each costs a comparison, if it is gone. */
const MAX_HEADS = 10

/** Of a fork that was deleted there is no name. What does not say all that counts does not count. */
const runSchema = z.pipe(
  z.object({
    id: z.int(),
    event: z.string(),
    head_sha: z.string(),
    actor: z.object({ login: z.string() }),
    head_repository: z.object({ full_name: z.string() }),
    repository: z.object({ full_name: z.string() }),
  }),
  z.transform(({ id, event, head_sha: headSha, actor, head_repository: head, repository }) => ({
    id,
    event,
    headSha,
    actor: actor.login,
    isOfFork: head.full_name !== repository.full_name,
  })),
)

type Run = z.infer<typeof runSchema>

const pageSchema = z.pipe(
  z.object({ workflow_runs: skipMalformed(runSchema) }),
  z.transform(({ workflow_runs: runs }) => runs),
)

const statusSchema = z.object({ status: z.nullish(z.string()), run_attempt: z.optional(z.int()) })

export interface WorkflowRuns {
  /** Whether an attempt of a run has completed (`GET /repos/{owner}/{repo}/actions/runs/{run_id}`). */
  readonly hasCompleted: (repository: string, runId: number, attempt: number) => Promise<boolean>
  /**
   * The heads of the last successful runs of a workflow on a branch before this one, newest first and each once
   * (`GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs`). GitHub's own filter knows branches by name only, so
   * that it finds those of forks and of pull requests too. A head may be gone: then the one before it is as good.
   */
  readonly findLastSuccesses: (before: WorkflowBranch) => Promise<readonly string[]>
}

export const connectWorkflowRuns = (call: Call): WorkflowRuns => ({
  hasCompleted: (repository, runId, attempt) =>
    call('actions: read', repository, async ({ request, repo }) => {
      const response = await request('GET /repos/{owner}/{repo}/actions/runs/{run_id}', { ...repo, run_id: runId })
      const { status, run_attempt: newest = 1 } = parseResponse(statusSchema, response)
      return status === 'completed' || newest > attempt
    }),
  findLastSuccesses: ({ repository, workflow, branch, runId, isOther = false }) => {
    const counts = ({ id, event, actor, isOfFork }: Run): boolean =>
      id < runId && (countsAsBase({ event, actor }) || (isOther && event === STARTED_BY_RUN)) && !isOfFork
    return call('actions: read', repository, async ({ request, repo }) => {
      const route = 'GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs'
      const successes = { branch, status: 'success', exclude_pull_requests: true } as const
      const query = { ...repo, workflow_id: workflow, per_page: PAGE_SIZE, ...successes }
      const limits = { maxPages: MAX_PAGES, past: 'left' } as const
      const readPage = (cursor: Cursor) => request(route, { ...query, ...cursor })
      const runs = await readAll(readPage, { page: pageSchema, ...limits, isLast: counts })
      const found = runs.filter(counts)
      return [...new Set(found.map(({ headSha }) => headSha))].slice(0, MAX_HEADS)
    })
  },
})
