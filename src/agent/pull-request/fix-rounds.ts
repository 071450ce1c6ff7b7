import { openGitHub } from '../../action/step.ts'
import { type Check, isOfSuite } from '../../github/checks.ts'
import { findForkPoint, historyIn, listOwners, type PullRequestCommit } from '../../github/commits.ts'
import { isOpen, type PullRequest, toPullRequestAddress } from '../../github/pull-requests.ts'
import { type ErrorCode, rethrowFatal } from '../../runtime/errors.ts'
import { MAX_NAME_CHARS, oneLine } from '../../text/untrusted.ts'
import type { Task } from '../inputs.ts'
import type { Plan, Target } from '../plan.ts'
import { type FailedCheck, renderFixPrompt } from '../prompt.ts'
import type { AgentStep } from '../journal.ts'
import {
  getFindings,
  describePullRequest,
  type Ended,
  getEnded,
  getNewest,
  listFailedChecks,
  type PullRequestFindings,
  type RoundStop,
  type Turns,
} from '../report/turn.ts'
import { listSentRounds, getStopForStatus } from '../report/turns.ts'

/** A round takes a turn of the agent and its checks; one that cannot end in this time is not begun. */
const ROUND_MS = 600_000

/** The head that the round before was about; undefined before the first one. */
function findHeadOfLastRound(turns: Turns): string | undefined {
  const before = turns.at(-2)
  return before && getFindings(before)?.headSha
}

/** Whether a commit may fix a failed check. */
const isForAgent = ({ needsPerson }: Check): boolean => needsPerson !== true

/**
 * Why no further round is to be sent, as far as it can be said without asking anybody.
 * @param found what is known of the pull request when its checks are in
 * @param leftMs until the deadline, in milliseconds
 */
export function findRoundStop(
  found: PullRequestFindings,
  turns: Turns,
  maxRounds: number,
  leftMs: number,
): RoundStop | undefined {
  const ended = getEnded(getNewest(turns))
  if (found.checks === 'success') return 'passed'
  if (found.checks !== 'failure') return 'nothing-to-tell'
  if (!isOpen(found)) return 'closed'
  const failed = listFailedChecks(found.checkList)
  if (failed.length > 0 && !failed.some(isForAgent)) return 'needs-person'
  if (found.headSha === findHeadOfLastRound(turns)) return 'no-new-commit'
  if (listSentRounds(turns).length >= maxRounds) return 'used-up'
  if (leftMs < ROUND_MS) return 'no-time'
  return ended && getStopForStatus(ended.job.status)
}

/**
 * Why a round is not to be sent after all, directly before it would be.
 * @param pullRequest as it is now
 * @param examinedHead the commit whose checks the round is about
 * @param leftMs until the deadline, in milliseconds
 */
export function findStopBeforeSend(
  pullRequest: PullRequest,
  examinedHead: string,
  leftMs: number,
): RoundStop | undefined {
  if (!isOpen(pullRequest)) return 'closed'
  if (pullRequest.headSha !== examinedHead) return 'foreign-commits'
  return leftMs < ROUND_MS ? 'no-time' : undefined
}

/**
 * Why no further round is to be sent, if what came to the pull request since the round before is not the agent's own work on top
 * of it.
 * @param commits those of the pull request, in any order
 * @param headOfLastRound the head that the round before was about; undefined before the first one, when only the newest commit counts
 */
export function findStopInCommits(
  commits: readonly PullRequestCommit[],
  { headSha, author }: PullRequest,
  headOfLastRound: string | undefined,
): RoundStop | undefined {
  const all = historyIn(commits, headSha)
  // An old copy, which does not tell whose the newest commit is.
  if (all.length === 0) return 'not-sent'
  const earlier = new Set(historyIn(commits, headOfLastRound ?? '').map(({ sha }) => sha))
  if (headOfLastRound !== undefined && !all.some(({ sha }) => sha === headOfLastRound)) return 'diverged'
  const since = headOfLastRound === undefined ? all.slice(0, 1) : all.filter(({ sha }) => !earlier.has(sha))
  const own = listOwners(author, commits, headSha)
  const isOthers = ({ account, writtenBy }: PullRequestCommit): boolean => account.type !== 'Bot' && !own.has(writtenBy)
  return since.some(isOthers) ? 'foreign-commits' : undefined
}

/**
 * The checks that failed because of what a pull request changes.
 * @param before those of the commit that its branch came from: what failed there under the same name does not count
 */
export function listFailedByChange(failed: readonly Check[], before: readonly Check[]): readonly Check[] {
  const wasRed = new Set(listFailedChecks(before).map(({ name }) => name))
  return failed.filter(({ name }) => !wasRed.has(name))
}

/** Of all details together: a round must not wait for long for what it only may tell. */
const DETAILS_MS = 120_000
/** Past so many, checks are told by name, title and summary only. */
const MAX_DETAILED = 10

/** The job of GitHub Actions that a check run stands for. */
const JOB_PAGE = /\/actions\/runs\/\d+\/job\/(\d+)/

/** A log that is gone or broken costs this log. All else is the same for the next one. */
const OF_ONE: readonly ErrorCode[] = ['rejected', 'not-found', 'bad-answer', 'redirected']

/** Asks for a detail of one check after the other. What is lost is said once for each reason, and what is refused is not asked for again. */
function askForEach(what: string, { journal }: AgentStep) {
  const said = new Set<string>()
  let isRefused = false
  return async <T>(perform: () => Promise<T>): Promise<T | undefined> => {
    if (isRefused) return undefined
    try {
      return await perform()
    } catch (caught) {
      const error = rethrowFatal(caught)
      isRefused = !OF_ONE.includes(error.code)
      if (!said.has(error.message)) journal.warn(`Some ${what} of failing checks were not sent to the agent`, error)
      said.add(error.message)
      return undefined
    }
  }
}

/** What GitHub tells of failing checks: of the first ones all, of the others no details. */
async function readDetails(
  failed: readonly Check[],
  repository: string,
  step: AgentStep,
): Promise<readonly FailedCheck[]> {
  const github = openGitHub(step, DETAILS_MS)
  const [askAnnotations, askLog] = [askForEach('annotations', step), askForEach('logs', step)]
  const found: FailedCheck[] = []
  for (const check of failed.slice(0, MAX_DETAILED)) {
    const { id, app, detailsUrl = '' } = check
    const jobId = app === 'github-actions' ? JOB_PAGE.exec(detailsUrl)?.[1] : undefined
    const mayHaveAny = id !== undefined && check.annotations !== 0
    const annotations = mayHaveAny ? await askAnnotations(() => github.listAnnotations(repository, id)) : undefined
    const log = jobId && (await askLog(() => github.readJobLog(repository, Number(jobId))))
    found.push({ check, annotations, log })
  }
  return [...found, ...failed.slice(MAX_DETAILED).map((check) => ({ check }))]
}

const LOST = 'The failing checks were not sent to the agent'

/** The failing checks that are to be told. */
async function findFailing(
  pullRequest: PullRequest,
  commits: readonly PullRequestCommit[],
  failed: readonly Check[],
  step: AgentStep,
): Promise<readonly Check[]> {
  const lost = 'Could not tell which checks also fail without these changes'
  const before = await step.journal.orWarn(lost, async () => {
    const github = openGitHub(step)
    const base = findForkPoint(commits) ?? (await step.heads.compareWithBase(pullRequest, github)).mergeBase
    // What is not red there by its check runs and commit statuses is not red by all that they are.
    const suffices = (listed: readonly Check[]): boolean =>
      !failed.some(isOfSuite) && listFailedByChange(failed, listed).length === failed.length
    return github.readChecks(pullRequest.repository, base, step.context, suffices)
  })
  return listFailedByChange(failed, before ?? [])
}

/** What follows on a pull request whose checks are in. */
type NextRound =
  | { readonly kind: 'send'; readonly plan: Plan; readonly found: PullRequestFindings }
  /** The pull request has another head by now, whose checks are to be looked at. */
  | { readonly kind: 'look-again'; readonly pullRequest: PullRequest }
  /** `reason`: undefined if nobody asked for rounds. */
  | { readonly kind: 'stop'; readonly reason: RoundStop | undefined; readonly found: PullRequestFindings }

/**
 * Decides whether the checks that fail on a pull request go back to its job, and what the job is told of them. Whatever GitHub
 * does, the job's result stands.
 * @throws ActionError `cancelled`
 */
export async function decideNextRound({ job }: Ended, found: PullRequestFindings, step: AgentStep): Promise<NextRound> {
  const { clock, context, deadlineAt, heads, inputs, journal } = step
  const { turns } = journal
  const { id: jobId, prLink: link } = job
  const { fixRounds } = inputs
  const stopFor = (reason: RoundStop | undefined, seen = found): NextRound => ({ kind: 'stop', reason, found: seen })
  if (fixRounds === 0 || link === undefined) return stopFor(undefined)
  const stop = findRoundStop(found, turns, fixRounds, deadlineAt - clock.now())
  if (stop !== undefined) return stopFor(stop)
  const next = await journal.orWarn(LOST, async (): Promise<NextRound> => {
    const { headSha = '' } = found
    const address = toPullRequestAddress(link, context)
    const pullRequest = heads.newest(address) ?? (await heads.read(address))
    const commits = await heads.listCommits(pullRequest, openGitHub(step))
    const others = findStopInCommits(commits, pullRequest, findHeadOfLastRound(turns))
    const failing =
      others === undefined
        ? await findFailing(pullRequest, commits, listFailedChecks(found.checkList).filter(isForAgent), step)
        : []
    const details = await readDetails(failing, address.repository, step)
    // What was found out is believed of a head that is read once more.
    const last = await heads.read(address)
    const lastRead = { pullRequest: last, atMs: clock.now() }
    // The checks that were read are of the commit before, a merged pull request's too.
    if (last.headSha !== headSha) return { kind: 'look-again', pullRequest: last }
    const seen = { ...found, ...describePullRequest(last) }
    const stop = (isOpen(last) ? others : 'closed') ?? (failing.length === 0 ? 'red-before' : undefined)
    if (stop !== undefined) return stopFor(stop, seen)
    const names = failing.map(({ name }) => oneLine(name, MAX_NAME_CHARS)).join(', ')
    const announcement = `Round ${listSentRounds(turns).length + 1} of ${fixRounds}: sending the failing checks of ${headSha.slice(0, 7)} back to the agent (${names}).`
    const task: Task = {
      kind: 'follow-up',
      jobId,
      prompt: renderFixPrompt(details, headSha, inputs.changeContextBytes),
    }
    const target: Target = { kind: 'fix-round', address, link, examinedHead: headSha, failing, lastRead, announcement }
    return { kind: 'send', plan: { task, target }, found: seen }
  })
  return next ?? stopFor('not-sent')
}
