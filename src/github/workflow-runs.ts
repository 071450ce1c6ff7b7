import type { AskGitHub } from './ask-github.ts'
import { splitRepository } from './repository-name.ts'

export interface WorkflowBranch {
  readonly repository: string
  /** The name of the workflow's file, such as `docs.yml`. */
  readonly workflow: string
  readonly branch: string
  /** This run's own id. Runs began after it do not count: a re-run looks back from where it first stood. */
  readonly runId: number
}

/** The newest ones are enough: the list is newest first, and all after this run are at its top. */
const RUNS_READ = 30

/**
 * The head of the last successful run of a workflow on a branch before this one, or undefined where there is none
 * (`GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs`).
 * @throws ActionError where GitHub does not tell
 */
export function findLastSuccess(ask: AskGitHub, query: WorkflowBranch): Promise<string | undefined> {
  const { repository, workflow, branch, runId } = query
  return ask({ permission: 'actions: read', repository }, async ({ rest }) => {
    const { data } = await rest.actions.listWorkflowRuns({
      ...splitRepository(repository),
      workflow_id: workflow,
      branch,
      status: 'success',
      exclude_pull_requests: true,
      per_page: RUNS_READ,
    })
    return data.workflow_runs.find(({ id }) => id < runId)?.head_sha
  })
}
