import { type ActionError, rethrowFatal } from '../runtime/errors.ts'
import { path, type AskGitHub, type Query } from './ask-github.ts'
import { toCheckRun, toCheckSuite, toWorkflowRun } from './check-suites.ts'
import { type Check, judgeChecks, type OwnRun, toCommitStatus } from './commit-checks.ts'
import { PAGE_SIZE, toFirstPage } from './pages.ts'
import { items, number, required, text } from './read-json.ts'

const MOST_ANNOTATIONS = 50

const toAnnotation = (annotation: object) => ({
  path: text(annotation, 'path') ?? 'a file',
  line: number(annotation, 'start_line') ?? 0,
  title: text(annotation, 'title') ?? '',
  message: text(annotation, 'message') ?? '',
})
/** Something that a check run found in a file. */
export type Annotation = Readonly<ReturnType<typeof toAnnotation>>

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

export const connectChecks = (ask: AskGitHub): Checks => ({
  readChecks: async (repository, sha, own, suffices) => {
    const commit = path`/commits/${sha}`
    const read = <T>(permission: string, place: string, name: string, toItem: (item: object) => T, query?: Query) =>
      ask(permission, repository, async (api) =>
        toFirstPage(await api.get(place, { per_page: PAGE_SIZE, ...query }), name, toItem),
      )
    const readSuites = () => read('checks: read', `${commit}/check-suites`, 'check_suites', toCheckSuite)
    const early = suffices === undefined ? await readSuites() : undefined
    const latest = { filter: 'latest' }
    const checkRuns = await read('checks: read', `${commit}/check-runs`, 'check_runs', toCheckRun, latest)
    const statuses = await read('statuses: read', `${commit}/status`, 'statuses', toCommitStatus)
    if (suffices !== undefined) {
      const listed = judgeChecks({ suites: NONE, checkRuns, statuses, workflowRuns: [] }, own)
      if (suffices(listed)) return listed
    }
    const suites = early ?? (await readSuites())
    const ofCommit = { head_sha: sha, exclude_pull_requests: true }
    const runs = read('actions: read', '/actions/runs', 'workflow_runs', toWorkflowRun, ofCommit)
    const mayNotKnow = (error: unknown): ActionError => rethrowFatal(error, 'forbidden', 'not-found')
    const workflowRuns = await runs.then(({ items }) => items, mayNotKnow)
    return judgeChecks({ suites, checkRuns, statuses, workflowRuns }, own)
  },
  listAnnotations: (repository, checkRunId) =>
    ask('checks: read', repository, async (api) => {
      const answer = await api.get(path`/check-runs/${checkRunId}/annotations`, { per_page: MOST_ANNOTATIONS })
      return required(items(answer, 'data', toAnnotation))
    }),
})
