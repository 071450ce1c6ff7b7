/** Finds earlier runs of workflows. */
import * as z from 'zod/mini'
import { type Call, type Cursor, PAGE_SIZE, readAll } from './pages.ts'
import { DEPENDABOT } from './event.ts'
import { parseResponse, skipMalformed } from './schemas.ts'

interface WorkflowBranch {
  readonly repository: string
  /** The file name of the workflow, such as `docs.yml`, or its id. */
  readonly workflow: string
  readonly branch: string
  /** The current run. Later runs do not count, so that a re-run starts at the same point as its first attempt. */
  readonly runId: number
  /** Whether this is the workflow that triggers the current one. If so, its own runs by `workflow_run` count, too. */
  readonly isOther?: boolean
}

/**
 * Events whose runs cover the branch. A run for a pull request, an issue or a comment succeeds without covering the
 * earlier commits of the branch.
 */
const BRANCH_EVENTS = ['push', 'schedule', 'workflow_dispatch', 'repository_dispatch', 'merge_group']

/**
 * GitHub records such a run with the newest commit of the default branch, although it may have covered an older commit
 * or another branch.
 */
const STARTED_BY_RUN = 'workflow_run'

/** Whether this run, if it is green, is a base for later runs of the same workflow on the same branch. */
export function countsAsBase({ event, actor }: { readonly event: string; readonly actor: string }): boolean {
  // A push by Dependabot has no access to secrets, so its run can be green without having sent anything.
  return BRANCH_EVENTS.includes(event) && !(event === 'push' && actor === DEPENDABOT)
}

/** The list is newest first. Branches of forks can have the same name, so the run can be on a later page. */
const MAX_PAGES = 10
/** Each head that no longer exists costs a comparison. */
const MAX_HEADS = 10

/** A run of a deleted fork has no repository, so it is skipped as malformed. */
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
  /** Returns whether an attempt of a run has completed (`GET /repos/{owner}/{repo}/actions/runs/{run_id}`). */
  readonly hasCompleted: (repository: string, runId: number, attempt: number) => Promise<boolean>
  /**
   * Finds the head commits of the last successful runs of a workflow on a branch before the current run, newest first
   * and without duplicates (`GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs`). GitHub filters branches
   * by name only, so runs of forks and of pull requests are skipped here. Returns several heads, because some may no
   * longer exist.
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
    const isBase = ({ id, event, actor, isOfFork }: Run): boolean =>
      id < runId && (countsAsBase({ event, actor }) || (isOther && event === STARTED_BY_RUN)) && !isOfFork
    return call('actions: read', repository, async ({ request, repo }) => {
      const route = 'GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs'
      const successes = { branch, status: 'success', exclude_pull_requests: true } as const
      const query = { ...repo, workflow_id: workflow, per_page: PAGE_SIZE, ...successes }
      const limits = { maxPages: MAX_PAGES, canBeCut: true } as const
      const readPage = (cursor: Cursor) => request(route, { ...query, ...cursor })
      const runs = await readAll(readPage, { page: pageSchema, ...limits, isLast: isBase })
      const found = runs.filter(isBase)
      return [...new Set(found.map(({ headSha }) => headSha))].slice(0, MAX_HEADS)
    })
  },
})
