/** Decides whether failing checks are sent back to the agent, and with which prompt. Hides what a round depends on. */
import { openGitHub } from '../action/step.ts'
import { type Check, isCheckSuite } from '../github/checks.ts'
import { findForkPoint, isByOwner, listHistory, listOwners, type PullRequestCommit } from '../github/commits.ts'
import { isOpen, type PullRequest, toPullRequestAddress } from '../github/pull-requests.ts'
import { getUnsuccessfulStatus, isSamePullRequest } from '../docs-service/schemas.ts'
import { ActionError, type ErrorCode, asExpectedError } from '../runtime/errors.ts'
import { MAX_NAME_CHARS, oneLine } from '../text/untrusted.ts'
import {
  type AgentStep,
  describePullRequest,
  type Findings,
  listFailedChecks,
  listSentRounds,
  readAndRecordPullRequest,
  ROUND_STOP_REASONS,
  type RoundStop,
  type Turn,
} from './record.ts'
import { type FailedCheck, MAX_CONTEXT_BYTES, renderFixPrompt } from './prompt.ts'
import { announceTurn } from './pull-request/mark.ts'
import type { Recipient } from './turn/recipient.ts'

/** A round is only sent if this much time is left for the agent's turn and the checks after it. */
const MIN_ROUND_MS = 600_000

/** @returns the head commit whose checks the previous round was about; undefined before the first round */
const getPreviousHead = (turns: readonly Turn[]): string | undefined => turns.at(-2)?.pullRequest?.headSha

/** Whether the agent may fix a failed check with a commit. */
const isForAgent = ({ needsPerson }: Check): boolean => needsPerson !== true

/**
 * Finds a reason not to send another round, without any request.
 * @param found the findings after the checks have finished
 * @param leftMs until the deadline
 */
export function findRoundStop(
  found: Findings,
  turns: readonly Turn[],
  maxRounds: number,
  leftMs: number,
): RoundStop | undefined {
  const status = turns.at(-1)?.job?.status
  if (found.checks === 'success') return 'passed'
  if (found.checks !== 'failure') return 'no-failed-check'
  if (!isOpen(found)) return 'closed'
  const failed = listFailedChecks(found.checkList)
  if (failed.length > 0 && !failed.some(isForAgent)) return 'needs-person'
  if (found.headSha === getPreviousHead(turns)) return 'no-new-commit'
  if (listSentRounds({ turns }).length >= maxRounds) return 'used-up'
  if (leftMs < MIN_ROUND_MS) return 'no-time'
  return status && getUnsuccessfulStatus(status)
}

/**
 * Finds a reason not to send a round, directly before it is sent.
 * @param pullRequest a fresh read
 * @param examinedHead the commit whose checks the round is about
 * @param leftMs until the deadline
 */
export function findStopBeforeSend(
  pullRequest: PullRequest,
  examinedHead: string,
  leftMs: number,
): RoundStop | undefined {
  if (!isOpen(pullRequest)) return 'closed'
  if (pullRequest.headSha !== examinedHead) return 'commits-by-others'
  return leftMs < MIN_ROUND_MS ? 'no-time' : undefined
}

/**
 * Finds a reason not to send another round in the commits since the previous round: commits by people, or a rewritten branch.
 * @param commits the commits of the pull request, in any order
 * @param previousHead the head commit of the previous round; undefined before the first round, when only the newest commit counts
 */
export function findStopInCommits(
  commits: readonly PullRequestCommit[],
  { headSha, author }: PullRequest,
  previousHead: string | undefined,
): RoundStop | undefined {
  const all = listHistory(commits, headSha)
  // A stale list does not contain the head, so the author of the newest commit is unknown.
  if (all.length === 0) return 'not-sent'
  const earlier = new Set(listHistory(commits, previousHead ?? '').map(({ sha }) => sha))
  if (previousHead !== undefined && !all.some(({ sha }) => sha === previousHead)) return 'diverged'
  const since = previousHead === undefined ? all.slice(0, 1) : all.filter(({ sha }) => !earlier.has(sha))
  const own = listOwners(author, commits, headSha)
  const isOthers = (commit: PullRequestCommit): boolean => commit.account.type !== 'Bot' && !isByOwner(commit, own)
  return since.some(isOthers) ? 'commits-by-others' : undefined
}

/**
 * Lists the checks that failed because of the changes of a pull request.
 * @param before the checks of the merge base: failures there with the same name are not caused by the pull request
 */
export function listFailedByChange(failed: readonly Check[], before: readonly Check[]): readonly Check[] {
  const failedBefore = new Set(listFailedChecks(before).map(({ name }) => name))
  return failed.filter(({ name }) => !failedBefore.has(name))
}

/** All other checks are sent with their name, title and summary only. */
const MAX_DETAILED = 10

/** The page of the GitHub Actions job behind a check run. */
const JOB_PAGE = /\/actions\/runs\/\d+\/job\/(\d+)/

/** Errors that only affect one log. Any other error would be the same for the next log. */
const SINGLE_FAILURES: readonly ErrorCode[] = ['rejected', 'not-found', 'invalid-response', 'redirected']

/**
 * Returns a function that performs one optional read per check. Warns once for each error message, and skips all further
 * reads after an error that affects all of them.
 */
function createDetailReader(what: string, { record }: AgentStep) {
  const warned = new Set<string>()
  let isStopped = false
  return async <T>(perform: () => Promise<T>): Promise<T | undefined> => {
    if (isStopped) return undefined
    try {
      return await perform()
    } catch (caught) {
      const error = asExpectedError(caught)
      isStopped = !SINGLE_FAILURES.includes(error.code)
      if (!warned.has(error.message)) record.warn(`Some ${what} of failing checks were not sent to the agent`, error)
      warned.add(error.message)
      return undefined
    }
  }
}

/** Reads the annotations and logs of the first failing checks. */
async function readDetails(
  failed: readonly Check[],
  repository: string,
  step: AgentStep,
): Promise<readonly FailedCheck[]> {
  const github = openGitHub(step)
  const [readAnnotations, readLog] = [createDetailReader('annotations', step), createDetailReader('logs', step)]
  const detailed: FailedCheck[] = []
  for (const check of failed.slice(0, MAX_DETAILED)) {
    const { id, app, detailsUrl = '' } = check
    const jobId = app === 'github-actions' ? JOB_PAGE.exec(detailsUrl)?.[1] : undefined
    const mayHaveAnnotations = id !== undefined && check.annotations !== 0
    const annotations = mayHaveAnnotations
      ? await readAnnotations(() => github.listAnnotations(repository, id))
      : undefined
    const log = jobId && (await readLog(() => github.readJobLog(repository, Number(jobId))))
    detailed.push({ check, annotations, log })
  }
  return [...detailed, ...failed.slice(MAX_DETAILED).map((check) => ({ check }))]
}

const LOST = 'The failing checks were not sent to the agent'

/** Lists the failed checks to send: those that the merge base does not fail. */
async function findFailing(
  pullRequest: PullRequest,
  commits: readonly PullRequestCommit[],
  failed: readonly Check[],
  step: AgentStep,
): Promise<readonly Check[]> {
  const lost = 'Could not determine which checks also fail without these changes'
  const before = await step.record.attempt(lost, async () => {
    const github = openGitHub(step)
    const { repository, baseRef, headSha } = pullRequest
    const base = findForkPoint(commits) ?? (await github.compare(repository, baseRef, headSha)).mergeBase
    // A check that does not fail by its check runs and commit statuses does not fail in the complete result either.
    const suffices = (listed: readonly Check[]): boolean =>
      !failed.some(isCheckSuite) && listFailedByChange(failed, listed).length === failed.length
    return (await github.readChecks(pullRequest.repository, base, step.context, suffices)).checks
  })
  return listFailedByChange(failed, before ?? [])
}

/** What to do after the checks of a pull request have finished. */
type NextRound =
  | { readonly kind: 'send'; readonly recipient: Recipient; readonly found: Findings }
  /** The head has moved: wait for the checks of the new head. */
  | { readonly kind: 'recheck'; readonly pullRequest: PullRequest }
  /** `reason`: undefined if `fix-rounds` is 0. */
  | { readonly kind: 'stop'; readonly reason: RoundStop | undefined; readonly found: Findings }

function refuseRound(roundStop: RoundStop, { record }: AgentStep): never {
  record.update({ roundStop })
  throw new ActionError('not-sent', ROUND_STOP_REASONS[roundStop])
}

/**
 * Decides whether to send the failing checks of a pull request to its job, and makes the recipient. If GitHub fails, no round
 * is sent, and the job's result is kept.
 * @throws ActionError `cancelled`
 */
export async function decideNextRound(found: Findings, step: AgentStep): Promise<NextRound> {
  const { clock, context, deadlineAt, inputs, record } = step
  const { turns, newest } = record
  const { id: jobId = '', prLink: link } = newest.job ?? {}
  const { fixRounds } = inputs
  const stopFor = (reason: RoundStop | undefined, seen = found): NextRound => ({ kind: 'stop', reason, found: seen })
  if (fixRounds === 0 || link === undefined) return stopFor(undefined)
  const stop = findRoundStop(found, turns, fixRounds, deadlineAt - clock.now())
  if (stop !== undefined) return stopFor(stop)
  const next = await record.attempt(LOST, async (): Promise<NextRound> => {
    const { headSha = '' } = found
    const address = toPullRequestAddress(link, context)
    const pullRequest = record.getNewestRead(address) ?? (await readAndRecordPullRequest(address, step))
    const commits = await openGitHub(step).listPullRequestCommits(pullRequest)
    const commitStop = findStopInCommits(commits, pullRequest, getPreviousHead(turns))
    const failing =
      commitStop === undefined
        ? await findFailing(pullRequest, commits, listFailedChecks(found.checkList).filter(isForAgent), step)
        : []
    const details = await readDetails(failing, address.repository, step)
    // Read the head again: the findings only count if it has not moved in the meantime.
    const last = await readAndRecordPullRequest(address, step)
    if (last.headSha !== headSha) return { kind: 'recheck', pullRequest: last }
    const seen = { ...found, ...describePullRequest(last) }
    const stop = (isOpen(last) ? commitStop : 'closed') ?? (failing.length === 0 ? 'failed-before' : undefined)
    if (stop !== undefined) return stopFor(stop, seen)
    const names = failing.map(({ name }) => oneLine(name, MAX_NAME_CHARS)).join(', ')
    const announcement = `Round ${listSentRounds({ turns }).length + 1} of ${fixRounds}: sending the failing checks of commit ${headSha.slice(0, 7)} to the agent (${names}).`
    const recipient: Recipient = {
      task: { kind: 'follow-up', jobId, prompt: renderFixPrompt(details, headSha, MAX_CONTEXT_BYTES) },
      failing,
      announcement,
      pullRequestNumber: address.number,
      // The job has ended before its checks.
      getIdleWaitMs: () => Promise.resolve(0),
      async announce(idle) {
        if (idle?.prLink === undefined || !isSamePullRequest(idle.prLink, link)) return
        await record.attempt('The history may not show that the agent is working', () => announceTurn(step))
      },
      async check() {
        const current =
          record.getRecentRead(address) ?? (await record.attempt(LOST, () => readAndRecordPullRequest(address, step)))
        if (current === undefined) refuseRound('not-sent', step)
        const { prLink } = record.newest.job ?? {}
        if (prLink === undefined || !isSamePullRequest(prLink, link)) refuseRound('other-pull-request', step)
        const stop = findStopBeforeSend(current, headSha, deadlineAt - clock.now())
        if (stop !== undefined) refuseRound(stop, step)
      },
    }
    return { kind: 'send', recipient, found: seen }
  })
  return next ?? stopFor('not-sent')
}
