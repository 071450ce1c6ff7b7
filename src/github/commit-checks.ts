import * as z from 'zod/mini'
import type { ActionError } from '../runtime/errors.ts'
import { formatCount } from '../text/sentences.ts'
import { ACTIONS, joinSuites, tookPlace } from './check-suites.ts'
import type { CheckRun, CheckSuite, State, Suite, WorkflowRun } from './check-suites.ts'
import { type FirstPage, PAGE_SIZE } from './pages.ts'
import { text } from './schemas.ts'

/** A check run, a commit status, or what GitHub knows of without showing it: all count alike. */
export type Check = Pick<CheckRun, 'name' | 'state'> &
  Partial<CheckRun> & {
    /** Why it is not known whether a later run of its workflow took its place. */
    readonly doubt?: ActionError
  }

/** Whether it stands for a suite and not for a check run or a commit status. */
export const isOfSuite = ({ id, app }: Check): boolean => id === undefined && app !== undefined

function stateOfStatus(state: string | undefined): State {
  if (state === 'success' || state === 'pending') return state
  return state === undefined ? 'pending' : 'failure'
}

export const commitStatusSchema = z.pipe(
  z.object({
    context: z.catch(z.string(), 'a commit status without a name'),
    state: text,
    description: text,
    target_url: text,
  }),
  z.transform(({ context: name, state, description: summary, target_url: detailsUrl }): Check => ({
    name,
    state: stateOfStatus(state),
    summary,
    detailsUrl,
  })),
)

/** The run that asks: it would wait for itself. Its id is the only one of the server, whatever its repository is called by now. */
export interface OwnRun {
  readonly serverUrl: string
  readonly runId: number
}

/** What GitHub says of one commit. */
interface CommitAnswers {
  readonly suites: FirstPage<CheckSuite>
  readonly checkRuns: FirstPage<CheckRun>
  readonly statuses: FirstPage<Check>
  /** Or why they are not known. */
  readonly workflowRuns: readonly WorkflowRun[] | ActionError
}

/** Whether a page belongs to the run that asks. */
function isOwnPage(url = '', { serverUrl, runId }: OwnRun): boolean {
  const isOfServer = url.toLowerCase().startsWith(`${serverUrl}/`.toLowerCase())
  const page = /^[^/?#]+\/[^/?#]+\/actions\/runs\/(\d+)(?:[/?#]|$)/.exec(url.slice(serverUrl.length + 1))
  return isOfServer && page?.[1] === String(runId)
}

/** What GitHub counts and does not show may be anything: it is never taken for passed. */
function unlisted(missing: number, isFull: boolean, what: string, more?: string): readonly Check[] {
  const where = isFull ? `past the first ${PAGE_SIZE}` : 'that GitHub does not list'
  return missing > 0 ? [{ name: `${formatCount(missing, what, more)} ${where}`, state: 'pending' }] : []
}

/** What a suite says that its check runs on the list do not. Other apps have suites for nothing, and leave them as they are. */
function checkOfSuite({ app, name, state, conclusion, needsPerson, count, listed }: Suite): readonly Check[] {
  const missing = count - listed.length
  if (state === 'success')
    return missing > 0 ? [{ name: `${formatCount(missing, 'more check')} of ${name}`, state, app }] : []
  if (state === 'approval')
    return listed.some((run) => run.waitsForApproval) ? [] : [{ name, state: 'pending', waitsForApproval: true, app }]
  const isUsed = app === ACTIONS || needsPerson || count > 0 || listed.length > 0
  if (!isUsed || listed.some((run) => run.state === state)) return []
  if (state === 'failure')
    return [{ name: `${name}, which ended with ${conclusion ?? state}`, state, app, needsPerson }]
  return app === ACTIONS || missing > 0 ? [{ name: `${name}, which has not ended`, state, app }] : []
}

/** GitHub's sum counts for the statuses that are on no page that was read. */
function checksOfStatuses({ items, missing, isFull, sum }: FirstPage<Check>): readonly Check[] {
  const state = isFull ? stateOfStatus(sum) : 'pending'
  const isTold = items.some((check) => check.state === 'failure')
  if (missing <= 0 || state === 'pending' || (state === 'failure' && isTold))
    return [...items, ...unlisted(missing, isFull, 'commit status', 'commit statuses')]
  return [...items, { name: formatCount(missing, 'more commit status', 'more commit statuses'), state }]
}

/** A later run that skips a job does not take the place of one that did it. */
function isReplaced({ name }: CheckRun, { listed }: Suite): boolean {
  const ofName = listed.filter((run) => run.name === name)
  return ofName.length === 0 || ofName.some(({ isSkipped }) => !isSkipped)
}

/**
 * What counts of all that a commit's checks are. A check is of one app, one workflow and event, and one suite: only a later
 * run of the same workflow and event takes its place.
 */
export function judgeChecks(answers: CommitAnswers, own: OwnRun): readonly Check[] {
  const { suites, checkRuns, statuses, workflowRuns } = answers
  const [runs, unread] = workflowRuns instanceof Error ? [[], workflowRuns] : [workflowRuns]
  const all = joinSuites(suites.items, runs, checkRuns.items)

  const isOwn = ({ app, pageUrl }: CheckRun): boolean => app === ACTIONS && isOwnPage(pageUrl, own)
  const others = all.filter(({ run, listed }) => run?.id !== own.runId && !listed.some(isOwn))
  const laterThan = (older: Suite | undefined) => all.filter(({ run }) => tookPlace(run, older?.run))

  const judged: readonly Check[] = [
    ...checkRuns.items.filter((run) => {
      const suite = others.find(({ listed }) => listed.includes(run))
      return !isOwn(run) && !laterThan(suite).some((later) => isReplaced(run, later))
    }),
    ...others.filter((suite) => laterThan(suite).length === 0).flatMap(checkOfSuite),
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
