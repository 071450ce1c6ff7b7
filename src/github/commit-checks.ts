import type { ActionError } from '../runtime/errors.ts'
import { formatCount } from '../text/sentences.ts'
import {
  ACTIONS,
  type CheckRun,
  type CheckSuite,
  type CommitStatus,
  isWaiting,
  joinSuites,
  type State,
  stateOf,
  stateOfStatus,
  type Suite,
  tookPlace,
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
interface CommitAnswers {
  readonly repository: string
  readonly suites: FirstPage<CheckSuite>
  readonly checkRuns: FirstPage<CheckRun>
  readonly statuses: FirstPage<CommitStatus>
  /** Or why they are not known. */
  readonly workflowRuns: readonly WorkflowRun[] | ActionError
}

/** Whether a page belongs to the run that asks. */
function isOwnPage(url: string | undefined, { serverUrl, repository, runId }: OwnRun): boolean {
  const own = `${serverUrl}/${repository}/actions/runs/${runId}`.toLowerCase()
  return url?.toLowerCase().startsWith(own) === true && /^(?:[/?#]|$)/.test(url.slice(own.length))
}

/** What GitHub counts and does not show may be anything: it is never taken for passed. */
function unlisted(missing: number, isFull: boolean, what: string, more?: string): readonly Check[] {
  const where = isFull ? `past the first ${PAGE_SIZE}` : 'that GitHub does not list'
  return missing > 0 ? [{ name: `${formatCount(missing, what, more)} ${where}`, state: 'pending' }] : []
}

function toCheck(run: CheckRun): Check {
  const { name, id, app, title, summary, annotations, detailsUrl, tookMs } = run
  return {
    ...{ name, state: stateOf(run), id, app },
    ...(isWaiting(run) && { waitsForApproval: true }),
    ...{ title, summary, annotations, detailsUrl, tookMs: tookMs >= 0 ? tookMs : undefined },
  }
}

/** What a suite says that its check runs on the list do not. Other apps have suites for nothing, and leave them as they are. */
function checkOfSuite({ app, name, state, conclusion, count, listed }: Suite): readonly Check[] {
  const missing = count - listed.length
  if (state === 'success')
    return missing > 0 ? [{ name: `${formatCount(missing, 'more check')} of ${name}`, state, app }] : []
  if (state === 'approval')
    return listed.some(isWaiting) ? [] : [{ name, state: 'pending', waitsForApproval: true, app }]
  const isUsed = app === ACTIONS || count > 0 || listed.length > 0
  if (!isUsed || listed.some((run) => stateOf(run) === state)) return []
  if (state === 'failure') return [{ name: `${name}, which ended with ${conclusion ?? state}`, state, app }]
  return app === ACTIONS || missing > 0 ? [{ name: `${name}, which has not ended`, state, app }] : []
}

/** GitHub's sum counts for the statuses that are on no page that was read. */
function checksOfStatuses({ items: checks, missing, isFull, sum }: FirstPage<CommitStatus>): readonly Check[] {
  const state = isFull ? stateOfStatus(sum) : 'pending'
  const isTold = checks.some((check) => check.state === 'failure')
  if (missing <= 0 || state === 'pending' || (state === 'failure' && isTold))
    return [...checks, ...unlisted(missing, isFull, 'commit status', 'commit statuses')]
  return [...checks, { name: formatCount(missing, 'more commit status', 'more commit statuses'), state }]
}

/** A later run that skips a job does not take the place of one that did it. */
function isReplaced({ name }: CheckRun, { listed }: Suite): boolean {
  const ofName = listed.filter((run) => run.name === name)
  return ofName.length === 0 || ofName.some(({ conclusion }) => conclusion !== 'skipped')
}

/**
 * What counts of all that a commit's checks are. A check is of one app, one workflow and event, and one suite: only a later
 * run of the same workflow and event takes its place.
 */
export function judgeChecks(answers: CommitAnswers, own: OwnRun): readonly Check[] {
  const { repository, suites, checkRuns, statuses, workflowRuns } = answers
  const [runs, unread] = workflowRuns instanceof Error ? [[], workflowRuns] : [workflowRuns]
  const all = joinSuites(suites.items, runs, checkRuns.items)

  const isHere = repository.toLowerCase() === own.repository.toLowerCase()
  const isOwn = ({ app, pageUrl }: CheckRun): boolean => app === ACTIONS && isOwnPage(pageUrl, own)
  const others = all
    .filter(({ run, listed }) => !(isHere && run?.id === own.runId) && !listed.some(isOwn))
    .map((suite) => ({ ...suite, later: all.filter(({ run }) => tookPlace(run, suite.run)) }))

  const judged = [
    ...checkRuns.items
      .filter((run) => {
        const later = others.find(({ listed }) => listed.includes(run))?.later ?? []
        return !isOwn(run) && !later.some((suite) => isReplaced(run, suite))
      })
      .map(toCheck),
    ...others.filter(({ later }) => later.length === 0).flatMap(checkOfSuite),
  ]
  // With one suite, nothing can have taken its place.
  const doubt = others.filter(({ app }) => app === ACTIONS).length > 1 ? unread : undefined
  const isDoubtful = ({ app, state }: Check): boolean => app === ACTIONS && state !== 'success'
  const known = others.reduce((sum, { count, listed }) => sum + Math.max(0, count - listed.length), 0)
  return [
    ...judged.map((check) => (doubt !== undefined && isDoubtful(check) ? { ...check, doubt } : check)),
    ...unlisted(checkRuns.missing - known, checkRuns.isFull, 'check run'),
    ...unlisted(suites.missing, suites.isFull, 'check suite'),
    ...checksOfStatuses(statuses),
  ]
}
