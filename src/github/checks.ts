import * as z from 'zod/mini'
import { ActionError } from '../runtime/errors.ts'
import { path, type AskGitHub, type Query } from './ask-github.ts'
import { checkRunSchema, checkSuiteSchema, commitStatusSchema, workflowRunSchema } from './check-suites.ts'
import { type Check, type CommitAnswers, judgeChecks, type OwnRun } from './commit-checks.ts'
import { PAGE_SIZE, parseFirstPage } from './pages.ts'
import { parseItems } from './parse-answer.ts'

/** Something that a check run found in a file. */
export interface Annotation {
  readonly path: string
  readonly line: number
  readonly title: string
  readonly message: string
}

const MOST_ANNOTATIONS = 50

const annotationSchema = z.object({
  path: z.catch(z.string(), 'a file'),
  start_line: z.catch(z.number(), 0),
  title: z.catch(z.string(), ''),
  message: z.catch(z.string(), ''),
})

const NONE = { items: [], missing: 0, isFull: false }

/**
 * All that is read of a commit, in four requests however much there is: the suites tell of runs past the first page.
 * @param suffices whether the suites and the runs of workflows need not be asked for, if that may be
 */
async function readAnswers(
  ask: AskGitHub,
  repository: string,
  sha: string,
  suffices?: (listed: CommitAnswers) => boolean,
): Promise<CommitAnswers> {
  const commit = path`/commits/${sha}`
  const read = <T>(permission: string, place: string, query: Query, name: string, schema: z.ZodMiniType<T>) =>
    ask({ permission, repository }, async (api) => {
      const answer = await api.get(place, { per_page: PAGE_SIZE, ...query })
      return { ...parseFirstPage(schema, answer, name), state: (answer.data as { readonly state?: unknown }).state }
    })
  const readSuites = () => read('checks: read', `${commit}/check-suites`, {}, 'check_suites', checkSuiteSchema)
  const early = suffices === undefined ? await readSuites() : undefined
  const latest = { filter: 'latest' }
  const checkRuns = await read('checks: read', `${commit}/check-runs`, latest, 'check_runs', checkRunSchema)
  const statuses = await read('statuses: read', `${commit}/status`, {}, 'statuses', commitStatusSchema)
  const combinedStatus = typeof statuses.state === 'string' ? statuses.state : undefined
  const listed = { repository, suites: early ?? NONE, checkRuns, statuses, combinedStatus, workflowRuns: [] }
  if (suffices?.(listed) === true) return listed
  const suites = early ?? (await readSuites())
  const ofCommit = { head_sha: sha, exclude_pull_requests: true }
  const workflowRuns = await read('actions: read', '/actions/runs', ofCommit, 'workflow_runs', workflowRunSchema).then(
    ({ items }) => items,
    whyUnknown,
  )
  return { ...listed, suites, workflowRuns }
}

/** Why the token may not know something. */
function whyUnknown(error: unknown): ActionError {
  if (error instanceof ActionError && (error.code === 'forbidden' || error.code === 'not-found')) return error
  throw error
}

export const connectChecks = (ask: AskGitHub) => ({
  /**
   * All that counts of a commit's checks, but for those of the run that asks. Without `actions: read` it is not known what took
   * the place of what, so that all of it counts.
   * @param suffices whether check runs and commit statuses tell enough by themselves. Two requests less are made then, and what
   * is replaced counts, and what only a suite tells does not.
   */
  readChecks: async (
    repository: string,
    sha: string,
    own: OwnRun,
    suffices?: (listed: readonly Check[]) => boolean,
  ): Promise<readonly Check[]> =>
    judgeChecks(
      await readAnswers(ask, repository, sha, suffices && ((listed) => suffices(judgeChecks(listed, own)))),
      own,
    ),
  /** The first annotations of a check run. */
  listAnnotations: (repository: string, checkRunId: number): Promise<readonly Annotation[]> =>
    ask({ permission: 'checks: read', repository }, async (api) => {
      const { data } = await api.get(path`/check-runs/${checkRunId}/annotations`, { per_page: MOST_ANNOTATIONS })
      return parseItems(annotationSchema, data).map(({ start_line: line, ...said }) => ({ ...said, line }))
    }),
})
