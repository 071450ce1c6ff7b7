import type { AskGitHub } from './ask-github.ts'
import { readEmptySuites, readWorkflowNames } from './check-suites.ts'
import { PAGE_SIZE, readPages } from './read-pages.ts'
import { splitRepository } from './repository-name.ts'

/** A check run, a commit status, or what GitHub knows of without showing it: all count alike. */
export interface Check {
  readonly name: string
  readonly state: 'success' | 'failure' | 'pending'
  /** A commit status has none; of two check runs with one name, the newer one has the greater. */
  readonly id?: number | undefined
  /** What made the check run, such as `github-actions`. */
  readonly app?: string | undefined
  readonly title?: string | undefined
  /** Markdown, or a commit status's description. */
  readonly summary?: string | undefined
  readonly detailsUrl?: string | undefined
}

/** Of a check run, what decides whether another one took its place. */
interface Run extends Check {
  readonly id: number
  readonly app: string
  /** Of the run of the workflow that it is a job of. */
  readonly workflowRun: number | undefined
}

/** Conclusions that branch protection takes for passed. All others, such as `cancelled` and `stale`, are failures. */
const PASSED = ['success', 'neutral', 'skipped']
const MOST_PAGES = 10

function stateOfRun(status: string, conclusion: string | null): Check['state'] {
  if (status !== 'completed') return 'pending'
  return PASSED.includes(conclusion ?? '') ? 'success' : 'failure'
}

function stateOfStatus(state: string): Check['state'] {
  if (state === 'success' || state === 'pending') return state
  return 'failure'
}

/** The workflow's run that the page of a check run belongs to. */
function workflowRunOf(...urls: readonly (string | null | undefined)[]): number | undefined {
  const id = urls
    .map((url) => /\/actions\/runs\/(\d+)(?:\/|$)/.exec(url ?? '')?.[1])
    .find((found) => found !== undefined)
  return id === undefined ? undefined : Number(id)
}

const NO_WORKFLOWS: ReadonlyMap<number, string> = new Map()

/**
 * The newest check run of each name, app and workflow. GitHub lists the newest of each check suite, and an event such as a
 * label makes another suite with the same names.
 * @param workflows by their runs' ids, where they are known
 */
function newestOf(runs: readonly Run[], workflows = NO_WORKFLOWS): readonly Run[] {
  const newest = new Map<string, Run>()
  for (const run of runs) {
    const { id, name, app, workflowRun = 0 } = run
    const key = JSON.stringify([name, app, workflows.get(workflowRun)])
    if ((newest.get(key)?.id ?? 0) <= id) newest.set(key, run)
  }
  return [...newest.values()]
}

/** Whether a bad result is about to be dropped that may be another workflow's, whose job has the same name. */
function mayHide(runs: readonly Run[]): boolean {
  const newest = newestOf(runs)
  return runs.some((run) => run.state !== 'success' && run.workflowRun !== undefined && !newest.includes(run))
}

const pending = (name: string): Check => ({ name, state: 'pending' })

/** What GitHub counts and does not list may be anything: it is never taken for passed. */
function unlisted(what: string, listed: number, counted: number): readonly Check[] {
  return listed < counted ? [pending(`${counted - listed} ${what} that GitHub does not list`)] : []
}

/**
 * All check runs and commit statuses of a commit, those of the run `ownRunId` left out: it would wait for itself. Where none
 * of them is failed or pending, check suites without check runs count too: a workflow that is queued, or that waits for
 * somebody's approval, has no others.
 * @throws ActionError if GitHub does not tell of one of them
 */
export async function readChecks(
  ask: AskGitHub,
  repository: string,
  sha: string,
  ownRunId: number,
): Promise<readonly Check[]> {
  const where = { ...splitRepository(repository), ref: sha, per_page: PAGE_SIZE }
  const counted = { runs: 0, statuses: 0 }

  const listed = await ask({ permission: 'checks: read', repository }, ({ rest }) =>
    readPages(async (page) => {
      const { data } = await rest.checks.listForRef({ ...where, filter: 'latest', page })
      counted.runs = data.total_count
      return data.check_runs
    }, MOST_PAGES),
  )
  const statuses = await ask({ permission: 'statuses: read', repository }, ({ rest }) =>
    readPages(async (page) => {
      const { data } = await rest.repos.getCombinedStatusForRef({ ...where, page })
      counted.statuses = data.total_count
      return data.statuses
    }, MOST_PAGES),
  )
  const runs = listed
    .map(({ id, name, app, status, conclusion, output, details_url, html_url }) => ({
      ...{ id, name, app: app?.slug ?? '', state: stateOfRun(status, conclusion) },
      ...{
        title: output.title ?? undefined,
        summary: output.summary ?? undefined,
        detailsUrl: details_url ?? undefined,
      },
      workflowRun: workflowRunOf(details_url, html_url),
    }))
    .filter(({ workflowRun }) => workflowRun !== ownRunId)
  const workflows = mayHide(runs) ? await readWorkflowNames(ask, repository, sha) : NO_WORKFLOWS
  const checks: readonly Check[] = [
    ...newestOf(runs, workflows),
    ...statuses.map(({ context, state, description, target_url }) => ({
      ...{ name: context, state: stateOfStatus(state) },
      ...{ summary: description ?? undefined, detailsUrl: target_url ?? undefined },
    })),
    ...unlisted('check runs', listed.length, counted.runs),
    ...unlisted('commit statuses', statuses.length, counted.statuses),
  ]
  if (checks.some(({ state }) => state !== 'success')) return checks
  return [...checks, ...(await readEmptySuites(ask, repository, sha)).map(pending)]
}
