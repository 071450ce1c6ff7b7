import { ActionError } from '../runtime/errors.ts'
import type { AskGitHub } from './ask-github.ts'
import { checkRunSchema, checkSuiteSchema, commitStatusSchema, workflowRunSchema } from './check-answers.ts'
import { type Check, type CommitAnswers, judgeChecks, type OwnRun } from './commit-checks.ts'
import { parseItems, parsePage } from './parse-list.ts'
import { PAGE_SIZE } from './read-pages.ts'
import { splitRepository } from './repository-name.ts'

/** All that is read of a commit, in four requests however much there is: the suites tell of runs past the first page. */
async function readAnswers(ask: AskGitHub, repository: string, sha: string): Promise<CommitAnswers> {
  const where = { ...splitRepository(repository), ref: sha, per_page: PAGE_SIZE }
  const checks = { permission: 'checks: read', repository }
  const suites = await ask(checks, async ({ rest }) =>
    parsePage(checkSuiteSchema, await rest.checks.listSuitesForRef(where), 'check_suites'),
  )
  const checkRuns = await ask(checks, async ({ rest }) =>
    parsePage(checkRunSchema, await rest.checks.listForRef({ ...where, filter: 'latest' }), 'check_runs'),
  )
  const { statuses, combinedStatus } = await ask({ permission: 'statuses: read', repository }, async ({ rest }) => {
    const answer = await rest.repos.getCombinedStatusForRef(where)
    const { state }: { state?: unknown } = answer.data
    return {
      statuses: parsePage(commitStatusSchema, answer, 'statuses'),
      combinedStatus: typeof state === 'string' ? state : undefined,
    }
  })
  return { repository, suites, checkRuns, statuses, combinedStatus, workflowRuns: await readRuns(ask, repository, sha) }
}

/** The newest runs of workflows on a commit, or why the token may not know them. */
async function readRuns(ask: AskGitHub, repository: string, sha: string): Promise<CommitAnswers['workflowRuns']> {
  const where = { ...splitRepository(repository), head_sha: sha, exclude_pull_requests: true, per_page: PAGE_SIZE }
  try {
    return await ask({ permission: 'actions: read', repository }, async ({ rest }) => {
      const { data } = await rest.actions.listWorkflowRunsForRepo(where)
      return parseItems(workflowRunSchema, data.workflow_runs)
    })
  } catch (error) {
    if (error instanceof ActionError && (error.code === 'forbidden' || error.code === 'not-found')) return error
    throw error
  }
}

/**
 * All that counts of a commit's checks, but for those of the run that asks. Without `actions: read` it is not known what took
 * the place of what, so that all of it counts.
 * @throws ActionError if GitHub does not tell of one of them
 */
export async function readChecks(
  ask: AskGitHub,
  repository: string,
  sha: string,
  own: OwnRun,
): Promise<readonly Check[]> {
  return judgeChecks(await readAnswers(ask, repository, sha), own)
}
