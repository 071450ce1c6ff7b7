import * as z from 'zod/mini'
import { ActionError } from '../runtime/errors.ts'
import { path, type AskGitHub } from './ask-github.ts'
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

/** All that is read of a commit, in four requests however much there is: the suites tell of runs past the first page. */
async function readAnswers(ask: AskGitHub, repository: string, sha: string): Promise<CommitAnswers> {
  const checks = { permission: 'checks: read', repository }
  const first = { per_page: PAGE_SIZE }
  const suites = await ask(checks, async (api) =>
    parseFirstPage(checkSuiteSchema, await api.get(path`/commits/${sha}/check-suites`, first), 'check_suites'),
  )
  const latest = { ...first, filter: 'latest' }
  const checkRuns = await ask(checks, async (api) =>
    parseFirstPage(checkRunSchema, await api.get(path`/commits/${sha}/check-runs`, latest), 'check_runs'),
  )
  const { statuses, combinedStatus } = await ask({ permission: 'statuses: read', repository }, async (api) => {
    const answer = await api.get(path`/commits/${sha}/status`, first)
    const { state } = answer.data as { readonly state?: unknown }
    return {
      statuses: parseFirstPage(commitStatusSchema, answer, 'statuses'),
      combinedStatus: typeof state === 'string' ? state : undefined,
    }
  })
  return { repository, suites, checkRuns, statuses, combinedStatus, workflowRuns: await readRuns(ask, repository, sha) }
}

/** The newest runs of workflows on a commit, or why the token may not know them. */
async function readRuns(ask: AskGitHub, repository: string, sha: string): Promise<CommitAnswers['workflowRuns']> {
  const query = { head_sha: sha, exclude_pull_requests: true, per_page: PAGE_SIZE }
  try {
    return await ask({ permission: 'actions: read', repository }, async (api) => {
      const { items } = parseFirstPage(workflowRunSchema, await api.get('/actions/runs', query), 'workflow_runs')
      return items
    })
  } catch (error) {
    if (error instanceof ActionError && (error.code === 'forbidden' || error.code === 'not-found')) return error
    throw error
  }
}

export const connectChecks = (ask: AskGitHub) => ({
  /**
   * All that counts of a commit's checks, but for those of the run that asks. Without `actions: read` it is not known what took
   * the place of what, so that all of it counts.
   */
  readChecks: async (repository: string, sha: string, own: OwnRun): Promise<readonly Check[]> =>
    judgeChecks(await readAnswers(ask, repository, sha), own),
  /** The first annotations of a check run. */
  listAnnotations: (repository: string, checkRunId: number): Promise<readonly Annotation[]> =>
    ask({ permission: 'checks: read', repository }, async (api) => {
      const { data } = await api.get(path`/check-runs/${checkRunId}/annotations`, { per_page: MOST_ANNOTATIONS })
      return parseItems(annotationSchema, data).map(({ start_line: line, ...said }) => ({ ...said, line }))
    }),
})
