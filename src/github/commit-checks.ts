import type { ActionError } from '../runtime/errors.ts'
import {
  ACTIONS,
  type CheckRun,
  type CheckSuite,
  type CommitStatus,
  isWaiting,
  joinSuites,
  replacementsOf,
  type State,
  stateOf,
  stateOfStatus,
  type Suite,
  type WorkflowRun,
} from './check-suites.ts'
import { type FirstPage, PAGE_SIZE } from './pages.ts'

/** A check run, a commit status, or what GitHub knows of without showing it: all count alike. */
export interface Check {
  readonly name: string
  readonly state: State
  /** That it is pending until somebody lets it run. */
  readonly waitsForApproval?: boolean
  /** Of a check run. */
  readonly id?: number | undefined
  /** What made the check run, such as `github-actions`. */
  readonly app?: string | undefined
  readonly title?: string | undefined
  /** Markdown, or a commit status's description. */
  readonly summary?: string | undefined
  /** How many annotations it has. */
  readonly annotations?: number | undefined
  readonly detailsUrl?: string | undefined
  /** Of a check run that has ended, in milliseconds. */
  readonly tookMs?: number | undefined
  /** Why it is not known whether a later run of its workflow took its place. */
  readonly doubt?: ActionError
}

/** Whether it stands for a suite and not for a check run or a commit status. */
export const isOfSuite = ({ id, app }: Check): boolean => id === undefined && app !== undefined

/** The run that asks: it would wait for itself. */
export interface OwnRun {
  readonly serverUrl: string
  readonly repository: string
  readonly runId: number
}

/** What GitHub says of one commit. */
export interface CommitAnswers {
  readonly repository: string
  readonly suites: FirstPage<CheckSuite>
  readonly checkRuns: FirstPage<CheckRun>
  readonly statuses: FirstPage<CommitStatus>
  /** Of all commit statuses, as GitHub sums them up. */
  readonly combinedStatus: string | undefined
  /** Or why they are not known. */
  readonly workflowRuns: readonly WorkflowRun[] | ActionError
}

/** Whether a page belongs to the run that asks. */
function isOwnPage(url: string | undefined, { serverUrl, repository, runId }: OwnRun): boolean {
  const own = `${serverUrl}/${repository}/actions/runs/${runId}`.toLowerCase()
  return url?.toLowerCase().startsWith(own) === true && /^(?:[/?#]|$)/.test(url.slice(own.length))
}

function durationOf({ started_at: from = '', completed_at: to = '' }: CheckRun): number | undefined {
  const tookMs = Date.parse(to) - Date.parse(from)
  return tookMs >= 0 ? tookMs : undefined
}

const toCheck = (run: CheckRun): Check => ({
  ...{ name: run.name ?? 'a check without a name', state: stateOf(run), id: run.id, app: run.app },
  ...(isWaiting(run) && { waitsForApproval: true }),
  ...{ title: run.output?.title, summary: run.output?.summary, annotations: run.output?.annotations_count },
  detailsUrl: run.details_url,
  tookMs: durationOf(run),
})

const counted = (count: number, one: string): string =>
  `${count} ${one}${count === 1 ? '' : one.endsWith('s') ? 'es' : 's'}`

/** What GitHub counts and does not show may be anything: it is never taken for passed. */
function unlisted(what: string, missing: number, isFull: boolean): readonly Check[] {
  const where = isFull ? `past the first ${PAGE_SIZE}` : 'that GitHub does not list'
  return missing > 0 ? [{ name: `${counted(missing, what)} ${where}`, state: 'pending' }] : []
}

/** What a suite says that its check runs on the list do not. Other apps have suites for nothing, and leave them as they are. */
function checkOfSuite({ app, name, state, conclusion, count }: Suite, listed: readonly CheckRun[]): readonly Check[] {
  const missing = count - listed.length
  const isUsed = app === ACTIONS || count > 0 || listed.length > 0
  const isTold = listed.some((run) => (state === 'approval' ? isWaiting(run) : stateOf(run) === state))
  if (state === 'approval') return isTold ? [] : [{ name, state: 'pending', waitsForApproval: true, app }]
  if (state === 'success')
    return missing > 0 ? [{ name: `${counted(missing, 'more check')} of ${name}`, state, app }] : []
  if (!isUsed || isTold) return []
  if (state === 'failure') return [{ name: `${name}, which ended with ${conclusion ?? state}`, state, app }]
  return app === ACTIONS || missing > 0 ? [{ name: `${name}, which has not ended`, state, app }] : []
}

/** GitHub's sum counts for the statuses that are on no page that was read. */
function checksOfStatuses({ items, missing, isFull }: FirstPage<CommitStatus>, combined: string | undefined): Check[] {
  const checks = items.map(({ context, state, description, target_url }) => ({
    ...{ name: context ?? 'a commit status without a name', state: stateOfStatus(state) },
    ...{ summary: description, detailsUrl: target_url },
  }))
  const state = isFull ? stateOfStatus(combined) : 'pending'
  const isTold = checks.some((check) => check.state === 'failure')
  if (missing <= 0 || state === 'pending' || (state === 'failure' && isTold))
    return [...checks, ...unlisted('commit status', missing, isFull)]
  return [...checks, { name: counted(missing, 'more commit status'), state }]
}

/**
 * What counts of all that a commit's checks are. A check is of one app, one workflow and event, and one suite: only a later
 * run of the same workflow and event takes its place.
 */
export function judgeChecks(answers: CommitAnswers, own: OwnRun): readonly Check[] {
  const { repository, checkRuns, statuses, combinedStatus, workflowRuns } = answers
  const [runs, unread] = workflowRuns instanceof Error ? [[], workflowRuns] : [workflowRuns]
  const listed = checkRuns.items
  const isOwn = ({ app, details_url, html_url }: CheckRun): boolean =>
    app === ACTIONS && isOwnPage(details_url ?? html_url, own)
  const isHere = repository.toLowerCase() === own.repository.toLowerCase()
  const ownSuites = new Set(listed.filter(isOwn).map((run) => run.check_suite?.id))
  const all = joinSuites(answers.suites.items, runs)
  const suites = all.filter(
    ({ id, app, run }) =>
      !(isHere && run?.id === own.runId) && !(app === ACTIONS && id !== undefined && ownSuites.has(id)),
  )
  const ofSuite = ({ id }: Suite): readonly CheckRun[] =>
    listed.filter((run) => id !== undefined && run.check_suite?.id === id)

  /** A later run that skips a job does not take the place of one that did it. */
  const isReplaced = (run: CheckRun): boolean => {
    const suite = suites.find(({ id }) => id !== undefined && id === run.check_suite?.id)
    return (
      suite !== undefined &&
      replacementsOf(suite, all).some((later) => {
        const ofName = ofSuite(later).filter(({ name }) => name === run.name)
        return ofName.length === 0 || ofName.some(({ conclusion }) => conclusion !== 'skipped')
      })
    )
  }
  const known = suites.reduce((sum, suite) => sum + Math.max(0, suite.count - ofSuite(suite).length), 0)
  const isDoubtful = suites.filter(({ app }) => app === ACTIONS).length > 1
  const doubted = (check: Check): Check =>
    unread !== undefined && isDoubtful && check.app === ACTIONS && check.state !== 'success'
      ? { ...check, doubt: unread }
      : check
  return [
    ...[
      ...listed.filter((run) => !isOwn(run) && !isReplaced(run)).map(toCheck),
      ...suites
        .filter((suite) => replacementsOf(suite, all).length === 0)
        .flatMap((suite) => checkOfSuite(suite, ofSuite(suite))),
    ].map(doubted),
    ...unlisted('check run', checkRuns.missing - known, checkRuns.isFull),
    ...unlisted('check suite', answers.suites.missing, answers.suites.isFull),
    ...checksOfStatuses(statuses, combinedStatus),
  ]
}
