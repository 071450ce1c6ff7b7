import * as z from 'zod/mini'
import { type ActionError, rethrowFatal } from '../runtime/errors.ts'
import type { Call } from './call.ts'
import { checkRunSchema, checkSuiteSchema, workflowRunSchema } from './check-suites.ts'
import { type Check, judgeChecks, commitStatusSchema, type OwnRun } from './commit-checks.ts'
import { PAGE_SIZE, toFirstPage } from './pages.ts'
import { parseResponse, skipMalformed, textOrEmpty } from './schemas.ts'

const MOST_ANNOTATIONS = 50

const annotationSchema = z.pipe(
  z.object({
    path: z.catch(z.string(), 'a file'),
    start_line: z.catch(z.int(), 0),
    title: textOrEmpty,
    message: textOrEmpty,
  }),
  z.transform(({ path, start_line: line, title, message }) => ({ path, line, title, message })),
)
/** Something that a check run found in a file. */
export type Annotation = Readonly<z.infer<typeof annotationSchema>>

const NONE = { items: [], missing: 0, isFull: false }

export interface Checks {
  /**
   * All that counts of a commit's checks, but for those of the run that asks: four requests however much there is, as the
   * suites tell of runs past the first page. Without `actions: read` it is not known what took the place of what, so that all
   * of it counts.
   * @param suffices whether check runs and commit statuses tell enough by themselves. Two fewer requests are made then; what
   * was replaced counts as well, and what only a suite tells is missing.
   */
  readonly readChecks: (
    repository: string,
    sha: string,
    own: OwnRun,
    suffices?: (listed: readonly Check[]) => boolean,
  ) => Promise<readonly Check[]>
  /** The first annotations of a check run. */
  readonly listAnnotations: (repository: string, checkRunId: number) => Promise<readonly Annotation[]>
}

export const connectChecks = (call: Call): Checks => ({
  readChecks: async (repository, sha, own, suffices) => {
    const ofCommit = { ref: sha, per_page: PAGE_SIZE }
    const readSuites = () =>
      call('checks: read', repository, async ({ request, repo }) => {
        const route = 'GET /repos/{owner}/{repo}/commits/{ref}/check-suites'
        return toFirstPage(await request(route, { ...repo, ...ofCommit }), 'check_suites', checkSuiteSchema)
      })
    const early = suffices === undefined ? await readSuites() : undefined
    const checkRuns = await call('checks: read', repository, async ({ request, repo }) => {
      const route = 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs'
      return toFirstPage(await request(route, { ...repo, ...ofCommit, filter: 'latest' }), 'check_runs', checkRunSchema)
    })
    const statuses = await call('statuses: read', repository, async ({ request, repo }) => {
      const route = 'GET /repos/{owner}/{repo}/commits/{ref}/status'
      return toFirstPage(await request(route, { ...repo, ...ofCommit }), 'statuses', commitStatusSchema)
    })
    if (suffices !== undefined) {
      const listed = judgeChecks({ suites: NONE, checkRuns, statuses, workflowRuns: [] }, own)
      if (suffices(listed)) return listed
    }
    const suites = early ?? (await readSuites())
    const runs = call('actions: read', repository, async ({ request, repo }) => {
      const query = { per_page: PAGE_SIZE, head_sha: sha, exclude_pull_requests: true }
      const response = await request('GET /repos/{owner}/{repo}/actions/runs', { ...repo, ...query })
      return toFirstPage(response, 'workflow_runs', workflowRunSchema)
    })
    const mayNotKnow = (error: unknown): ActionError => rethrowFatal(error, 'forbidden', 'not-found')
    const workflowRuns = await runs.then(({ items }) => items, mayNotKnow)
    return judgeChecks({ suites, checkRuns, statuses, workflowRuns }, own)
  },
  listAnnotations: (repository, checkRunId) =>
    call('checks: read', repository, async ({ request, repo }) => {
      const route = 'GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations'
      const response = await request(route, { ...repo, check_run_id: checkRunId, per_page: MOST_ANNOTATIONS })
      return parseResponse(skipMalformed(annotationSchema), response)
    }),
})
