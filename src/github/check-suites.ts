import { ActionError } from '../shared/errors.ts'
import type { AskGitHub } from './ask-github.ts'
import { PAGE_SIZE, readPages } from './read-pages.ts'
import { splitRepository } from './repository-name.ts'

const MOST_PAGES = 3
const ACTIONS = 'github-actions'

/**
 * Names for the check suites of a commit that have no check run and are not over: a workflow that is queued, or one that
 * waits for approval. GitHub opens a queued suite for every app that may write checks, whether or not the app ever uses it,
 * so a queued one counts if it is of a workflow.
 * @throws ActionError if GitHub does not tell
 */
export async function readEmptySuites(ask: AskGitHub, repository: string, sha: string): Promise<readonly string[]> {
  const where = { ...splitRepository(repository), ref: sha, per_page: PAGE_SIZE }
  const suites = await ask({ permission: 'checks: read', repository }, ({ rest }) =>
    readPages(async (page) => (await rest.checks.listSuitesForRef({ ...where, page })).data.check_suites, MOST_PAGES),
  )
  return suites
    .filter(({ latest_check_runs_count }) => latest_check_runs_count === 0)
    .flatMap(({ app, status, conclusion }) => {
      const name = app?.slug ?? 'an app'
      if (conclusion === 'action_required') return [`${name}, which waits for approval`]
      return status !== 'completed' && name === ACTIONS ? [`${name}, which is queued`] : []
    })
}

/**
 * The files of the workflows that ran on a commit, by the ids of their runs. Empty if the token may not know.
 * @throws ActionError if GitHub does not tell for another reason
 */
export async function readWorkflowNames(
  ask: AskGitHub,
  repository: string,
  sha: string,
): Promise<ReadonlyMap<number, string>> {
  const where = { ...splitRepository(repository), head_sha: sha, exclude_pull_requests: true, per_page: PAGE_SIZE }
  try {
    const runs = await ask({ permission: 'actions: read', repository }, ({ rest }) =>
      readPages(
        async (page) => (await rest.actions.listWorkflowRunsForRepo({ ...where, page })).data.workflow_runs,
        MOST_PAGES,
      ),
    )
    // Behind the file there may be the ref that it was taken from.
    return new Map(runs.map(({ id, path }) => [id, path.split('@')[0] ?? '']))
  } catch (error) {
    if (error instanceof ActionError && (error.code === 'forbidden' || error.code === 'not-found')) return new Map()
    throw error
  }
}
