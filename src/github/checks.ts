import * as z from 'zod/mini'
import { ActionError } from '../runtime/errors.ts'
import type { AskGitHub } from './ask-github.ts'
import { checkRunSchema, checkSuiteSchema, commitStatusSchema, workflowRunSchema } from './check-answers.ts'
import { type Check, type CommitAnswers, judgeChecks, type OwnRun } from './commit-checks.ts'
import { parseItems, parsePage } from './parse-list.ts'
import { PAGE_SIZE } from './read-pages.ts'

/** Something that a check run found in a file. */
export interface Annotation {
  readonly path: string
  readonly line: number
  readonly title: string
  readonly message: string
}

const MOST_ANNOTATIONS = 50

const annotationSchema = z.object({
  ...{ path: z.catch(z.string(), 'a file'), start_line: z.catch(z.number(), 0) },
  ...{ title: z.catch(z.string(), ''), message: z.catch(z.string(), '') },
})

/** All that is read of a commit, in four requests however much there is: the suites tell of runs past the first page. */
async function readAnswers(ask: AskGitHub, repository: string, sha: string): Promise<CommitAnswers> {
  const asked = { ref: sha, per_page: PAGE_SIZE }
  const checks = { permission: 'checks: read', repository }
  const suites = await ask(checks, async ({ rest }, where) =>
    parsePage(checkSuiteSchema, await rest.checks.listSuitesForRef({ ...where, ...asked }), 'check_suites'),
  )
  const checkRuns = await ask(checks, async ({ rest }, where) =>
    parsePage(checkRunSchema, await rest.checks.listForRef({ ...where, ...asked, filter: 'latest' }), 'check_runs'),
  )
  const { statuses, combinedStatus } = await ask(
    { permission: 'statuses: read', repository },
    async ({ rest }, where) => {
      const answer = await rest.repos.getCombinedStatusForRef({ ...where, ...asked })
      const { state }: { state?: unknown } = answer.data
      return {
        statuses: parsePage(commitStatusSchema, answer, 'statuses'),
        combinedStatus: typeof state === 'string' ? state : undefined,
      }
    },
  )
  return { repository, suites, checkRuns, statuses, combinedStatus, workflowRuns: await readRuns(ask, repository, sha) }
}

/** The newest runs of workflows on a commit, or why the token may not know them. */
async function readRuns(ask: AskGitHub, repository: string, sha: string): Promise<CommitAnswers['workflowRuns']> {
  const asked = { head_sha: sha, exclude_pull_requests: true, per_page: PAGE_SIZE }
  try {
    return await ask({ permission: 'actions: read', repository }, async ({ rest }, where) => {
      const { data } = await rest.actions.listWorkflowRunsForRepo({ ...where, ...asked })
      return parseItems(workflowRunSchema, data.workflow_runs)
    })
  } catch (error) {
    if (error instanceof ActionError && (error.code === 'forbidden' || error.code === 'not-found')) return error
    throw error
  }
}

export interface Checks {
  /**
   * All that counts of a commit's checks, but for those of the run that asks. Without `actions: read` it is not known what took
   * the place of what, so that all of it counts.
   */
  readonly readChecks: (repository: string, sha: string, own: OwnRun) => Promise<readonly Check[]>
  /** The first annotations of a check run. */
  readonly listAnnotations: (repository: string, checkRunId: number) => Promise<readonly Annotation[]>
}

export const connectChecks = (ask: AskGitHub): Checks => ({
  readChecks: async (repository, sha, own) => judgeChecks(await readAnswers(ask, repository, sha), own),
  listAnnotations: (repository, checkRunId) =>
    ask({ permission: 'checks: read', repository }, async ({ rest }, where) => {
      const asked = { ...where, check_run_id: checkRunId, per_page: MOST_ANNOTATIONS }
      const { data } = await rest.checks.listAnnotations(asked)
      return parseItems(annotationSchema, data).map(({ start_line: line, ...said }) => ({ ...said, line }))
    }),
})
