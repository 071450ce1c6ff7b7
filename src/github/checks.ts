import type { AskGitHub } from './ask-github.ts'
import { PAGE_SIZE, readPages } from './read-pages.ts'
import { splitRepository } from './repository-name.ts'

/** A check run or a commit status, which count alike. */
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

/**
 * All check runs and commit statuses of a commit, those of the run `ownRunId` left out: it would wait for itself.
 * @throws ActionError where GitHub does not tell of one of the two
 */
export async function readChecks(
  ask: AskGitHub,
  repository: string,
  sha: string,
  ownRunId: number,
): Promise<readonly Check[]> {
  const where = { ...splitRepository(repository), ref: sha, per_page: PAGE_SIZE }
  const isOwn = (url: string | null): boolean => `${url ?? ''}/`.includes(`/actions/runs/${ownRunId}/`)

  const runs = await ask({ permission: 'checks: read', repository }, ({ rest }) =>
    readPages(
      async (page) => (await rest.checks.listForRef({ ...where, filter: 'latest', page })).data.check_runs,
      MOST_PAGES,
    ),
  )
  const statuses = await ask({ permission: 'statuses: read', repository }, ({ rest }) =>
    readPages(async (page) => (await rest.repos.getCombinedStatusForRef({ ...where, page })).data.statuses, MOST_PAGES),
  )
  return [
    ...runs
      .filter(({ details_url, html_url }) => !isOwn(details_url) && !isOwn(html_url))
      .map(({ name, status, conclusion, id, app, output, details_url }) => ({
        ...{ name, state: stateOfRun(status, conclusion), id, app: app?.slug, detailsUrl: details_url ?? undefined },
        ...{ title: output.title ?? undefined, summary: output.summary ?? undefined },
      })),
    ...statuses.map(({ context, state, description, target_url }) => ({
      ...{ name: context, state: stateOfStatus(state) },
      ...{ summary: description ?? undefined, detailsUrl: target_url ?? undefined },
    })),
  ]
}
