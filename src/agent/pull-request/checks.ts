/**
 * Waits for the checks of a pull request. Hides when they count as finished, how often they are read, and how many
 * requests that may cost.
 */
import { openGitHub, type Step } from '../../action/step.ts'
import { type Check, countChecks } from '../../github/checks.ts'
import type { Comparison } from '../../github/commits.ts'
import type { GitHub } from '../../github/github.ts'
import { isOpen, type PullRequest } from '../../github/pull-requests.ts'
import type { Usage } from '../../github/transport.ts'
import { ActionError, describeError, rethrowFatal, orUndefined } from '../../runtime/errors.ts'
import { Heartbeat } from '../../runtime/heartbeat.ts'
import { formatDuration } from '../../text/format.ts'
import { MAX_NAME_CHARS, oneLine } from '../../text/untrusted.ts'
import { findOutOfScope } from '../path-filter.ts'
import type { AgentStep } from '../journal.ts'
import {
  getFindings,
  type ChecksState,
  describePullRequest,
  listFailedChecks,
  type PullRequestFindings,
} from '../report/turn.ts'
import { findRoundStop } from './fix-rounds.ts'

/** How long to wait for a commit's first check to be registered. */
const DISCOVERY_MS = 60_000
/** How long to wait for further checks to be registered after all known checks have passed. */
const SETTLE_MS = 15_000
/** How long to wait for an approval if no check is running. */
const APPROVAL_MS = 300_000
/** How long to wait for the remaining checks after the first failure, if the agent is sent all failures. */
const REMAINING_CHECKS_MS = 300_000

const isPending = ({ state }: Check): boolean => state === 'pending'
const isRunning = (check: Check): boolean => isPending(check) && check.waitsForApproval !== true

/** Whether every pending check waits for approval. */
function waitForApproval(checks: readonly Check[]): boolean {
  return checks.some(isPending) && !checks.some(isRunning)
}

/**
 * Predicts the final state of the checks if nothing changes, and how much longer nothing must change.
 * @param stableMs how long the checks have not changed
 * @param remainingMs how much longer to wait for the other checks after one has failed
 */
function predictState(
  checks: readonly Check[],
  stableMs: number,
  remainingMs: number,
): [end: ChecksState, endsInMs: number] {
  if (listFailedChecks(checks).length > 0) return ['failure', checks.some(isPending) ? remainingMs : 0]
  if (checks.some(isPending)) return ['pending', waitForApproval(checks) ? APPROVAL_MS - stableMs : Infinity]
  if (checks.length === 0) return ['none', stableMs < DISCOVERY_MS ? Infinity : 0]
  return ['success', SETTLE_MS - stableMs]
}

/** Covers every field that affects the state. */
function toFingerprint(checks: readonly Check[]): string {
  const parts = checks.map(({ name, state, id, app, waitsForApproval }) =>
    JSON.stringify([name, state, id, app, waitsForApproval]),
  )
  return parts.sort().join()
}

/** The checks of one commit after the newest read. `checks` and `state` are undefined if no read has succeeded. */
interface PolledChecks {
  readonly checks?: readonly Check[]
  readonly state?: ChecksState
  /** Whether every pending check waits for approval. */
  readonly waitsForApproval?: boolean
  /** Whether `state` or `waitsForApproval` differs from the preceding read. */
  readonly isStateNew?: boolean
  /** When waiting ends unless the checks change, in milliseconds from now; 0 or less if it ends now. */
  readonly endsInMs: number
  /** Whether all checks have passed, so that the next read is only needed when waiting ends. */
  readonly isSettling?: boolean
  readonly hasChanged: boolean
  /** On the clock's scale, like all times here. */
  readonly changedAt: number
  readonly failedSince?: number | undefined
  /** Why the newest read failed. */
  readonly problem?: ActionError
}

/** Errors that the next read may not have. */
const TRANSIENT = new Set(['unreachable', 'service-error', 'rate-limited', 'bad-answer'])

/**
 * Updates the checks of a commit after a read.
 * @param read the checks, or the error of a failed read, which keeps the known checks
 * @param awaitsAll whether to wait for the remaining checks after a failure
 * @param isEnded whether the pull request is merged or closed
 */
export function applyRead(
  before: PolledChecks | undefined,
  read: readonly Check[] | ActionError,
  now: number,
  { awaitsAll, isEnded }: { readonly awaitsAll: boolean; readonly isEnded: boolean },
): PolledChecks {
  if (read instanceof ActionError) {
    const endsInMs = isEnded || !TRANSIENT.has(read.code) ? 0 : Infinity
    return {
      changedAt: now,
      ...before,
      problem: read,
      isStateNew: false,
      hasChanged: false,
      endsInMs,
      isSettling: false,
    }
  }
  const isSame = before?.checks !== undefined && toFingerprint(before.checks) === toFingerprint(read)
  const changedAt = isSame ? before.changedAt : now
  const failedSince = listFailedChecks(read).length === 0 ? undefined : (before?.failedSince ?? now)
  const remainingMs = awaitsAll ? (failedSince ?? now) + REMAINING_CHECKS_MS - now : 0
  const [end, leftMs] = predictState(read, now - changedAt, remainingMs)
  // A merged or closed pull request is not expected to get further checks.
  const endsInMs = isEnded && end !== 'success' ? 0 : leftMs
  const state = end === 'failure' || endsInMs <= 0 ? end : 'pending'
  const waitsForApproval = waitForApproval(read)
  const isStateNew = state !== before?.state || waitsForApproval !== before.waitsForApproval
  const known = { checks: read, state, waitsForApproval, isStateNew, hasChanged: !isSame }
  return { ...known, endsInMs, isSettling: end === 'success', changedAt, failedSince }
}

const MAX_NAMES = 3
function formatMatching(checks: readonly Check[], matches: (check: Check) => boolean, status: string): string[] {
  const found = checks.filter(matches)
  const names = found.map(({ name }) => oneLine(name, MAX_NAME_CHARS))
  const shown = [...names.slice(0, MAX_NAMES), ...(names.length > MAX_NAMES ? ['…'] : [])].join(', ')
  return found.length === 0 ? [] : [`${countChecks(found)} of ${countChecks(checks)} ${status} (${shown})`]
}

/** Summarizes the checks of a commit in one line for the log. */
export function formatChecks({ checks = [], state }: Pick<PolledChecks, 'checks' | 'state'>, sha: string): string {
  const commit = sha.slice(0, 7)
  if (checks.length === 0) return `Commit ${commit} has no checks${state === 'none' ? '' : ' yet'}.`
  const parts = [
    ...formatMatching(checks, (check) => check.state === 'failure', 'failed'),
    ...formatMatching(checks, (check) => check.waitsForApproval === true, 'waiting for approval'),
    ...formatMatching(checks, isRunning, 'still running'),
  ]
  if (parts.length === 0) parts.push(`all ${countChecks(checks)} passed${state === 'success' ? '' : ' so far'}`)
  return `Checks of commit ${commit}: ${parts.join(', ')}.`
}

/** @returns how long the slowest running check took on an earlier commit, as a sentence after a space; '' if unknown */
export function formatUsualTime(checks: readonly Check[], earlier: readonly Check[]): string {
  const times = checks.filter(isRunning).flatMap(({ name, app }) => {
    const { tookMs } = earlier.find((check) => check.name === name && check.app === app) ?? {}
    return tookMs === undefined ? [] : [{ name, tookMs }]
  })
  const [slowest] = times.sort((a, b) => b.tookMs - a.tookMs)
  if (slowest === undefined) return ''
  return ` On the previous commit, ${oneLine(slowest.name, MAX_NAME_CHARS)} took ${formatDuration(slowest.tookMs)}.`
}

const MIN_PAUSE_MS = 10_000
const MAX_PAUSE_MS = 60_000
const SHARE_OF_AGE = 0.1

const SHARE_LEFT = 0.1
const FIRST_REQUESTS = 20
const REQUESTS_PER_HOUR = 75
const HOUR_MS = 3_600_000

/**
 * Returns the pause before the next read, in milliseconds: a tenth of the time waited so far, or the minimum after a change,
 * because another change often follows soon. A read without changes does not count against the rate limit, and a read with
 * changes costs up to five requests.
 * @param ageMs how long this head commit has been watched
 */
export function getPollPauseMs(
  { hasChanged, endsInMs, isSettling }: PolledChecks,
  ageMs: number,
  savesRequests: boolean,
): number {
  if (isSettling) return endsInMs
  const byAgeMs = Math.min(Math.max(ageMs * SHARE_OF_AGE, MIN_PAUSE_MS), MAX_PAUSE_MS)
  const usualMs = hasChanged ? MIN_PAUSE_MS : byAgeMs
  return Math.min(savesRequests ? 2 * byAgeMs : usualMs, endsInMs)
}

/** Whether less than a tenth of the token's hourly requests is left. */
export function isNearLimit({ remaining, limit }: Usage): boolean {
  return remaining < limit * SHARE_LEFT
}

/** Whether a wait has used more than its share of the hourly requests. Ten waits at the same time stay within the limit. */
export function isOverShare(counted: number, elapsedMs: number): boolean {
  return counted > FIRST_REQUESTS + (REQUESTS_PER_HOUR * elapsedMs) / HOUR_MS
}

const MAY_BE_REPLACED = 'A failed run counts as a failure although a later run of its workflow may have replaced it'
const SCOPE_UNKNOWN = 'Could not determine whether the files of the pull request match `allowed-paths`'
/** Reserved for the last read, so that it ends before the deadline. */
const LAST_READ_TIMEOUT_MS = 3_000

/**
 * Lists the files outside of `allowed-paths`. Uses a comparison, because the list of a pull request's files does not say
 * which head commit it belongs to.
 */
async function findOutside(pullRequest: PullRequest, step: AgentStep): Promise<readonly string[] | undefined> {
  const { heads, inputs, journal } = step
  const { allowedPaths } = inputs
  if (allowedPaths.length === 0) return undefined
  return journal.orWarn(SCOPE_UNKNOWN, async () => {
    const github = openGitHub(step)
    const { repository, baseSha, headSha } = pullRequest
    // After a merge, the base branch may contain the head, so that comparing them shows no files.
    const isContained = ({ relation }: Comparison): boolean => relation === 'identical' || relation === 'behind'
    let change = await heads.compareWithBase(pullRequest, github)
    if (isContained(change)) change = await github.compare(repository, baseSha, headSha)
    const { files, fileList } = change
    const outside = await findOutOfScope(allowedPaths, files, step)
    if (outside.length > 0 || (fileList === 'complete' && !isContained(change))) return outside
    throw new ActionError('rejected', `GitHub lists only ${files.length} files of the pull request.`)
  })
}

export function noteNewHead({ headSha }: PullRequest, { journal }: AgentStep): void {
  journal.note(`The pull request has a new commit, ${headSha.slice(0, 7)}. Continuing with that commit.`)
}

/** Returns a function that determines the pause before the next read, in milliseconds, from the requests used so far. */
function createPacer(
  github: GitHub,
  { clock }: Step,
  heartbeat: Heartbeat,
): (ageMs: number, polled: PolledChecks) => number {
  const [startedAt, { counted: before }] = [clock.now(), github.usage()]
  let isLogged = false
  return (ageMs, polled) => {
    const usage = github.usage()
    const isNear = isNearLimit(usage)
    if (isNear && !isLogged)
      heartbeat.log(
        `This token has ${usage.remaining} of ${usage.limit} requests left this hour, so the step polls half as often.`,
      )
    isLogged ||= isNear
    const savesRequests = isNear || isOverShare(usage.counted - before, clock.now() - startedAt)
    return getPollPauseMs(polled, ageMs, savesRequests)
  }
}

/** Combines a pull request with its checks, and warns if the checks are unknown or uncertain. */
function combineFindings(
  pullRequest: PullRequest,
  polled: Partial<PolledChecks>,
  { journal }: AgentStep,
): PullRequestFindings {
  const { checks, state, waitsForApproval, problem } = polled
  if (checks === undefined && problem !== undefined) journal.warn('The checks could not be read', problem)
  const doubt = checks?.find((check) => check.doubt !== undefined)?.doubt
  if (doubt !== undefined) journal.warn(MAY_BE_REPLACED, doubt)
  return {
    ...describePullRequest(pullRequest),
    ...(state !== undefined && { checks: state }),
    ...(state === 'pending' && waitsForApproval === true && { waitsForApproval }),
    ...(checks !== undefined && { checkList: checks }),
  }
}

/**
 * Polls a pull request until its checks and its files are known for its current head commit, or the deadline is near.
 * @throws ActionError `cancelled`
 */
export async function waitForChecks(pullRequest: PullRequest, step: AgentStep): Promise<PullRequestFindings> {
  const { clock, deadlineAt, context, heads, inputs, journal, signal } = step
  const { turns } = journal
  const github = openGitHub(step)
  const lastReadAt = deadlineAt - LAST_READ_TIMEOUT_MS
  // The checks of the previous turn show how long each check takes.
  const before = turns.at(-2)
  const earlier = (before && getFindings(before)?.checkList) ?? []
  const heartbeat = new Heartbeat({ clock, log: step.core.log })
  const getPauseMs = createPacer(github, step, heartbeat)
  let known = pullRequest

  const readAgain = async (): Promise<void> => {
    known = (await orUndefined(heads.read(known))) ?? known
  }
  /** Whether the agent would be sent the failures of this head: then the step waits for all checks. */
  const mayFixFailures = (): boolean => {
    const failed: PullRequestFindings = { ...describePullRequest(known), checks: 'failure' }
    return findRoundStop(failed, turns, inputs.fixRounds, deadlineAt - clock.now()) === undefined
  }

  /** Polls until the checks of this head are known, the pull request has another head, or time is up. */
  async function watchHead(headSha: string): Promise<Partial<PolledChecks>> {
    const watchedSince = clock.now()
    let before: PolledChecks | undefined
    for (;;) {
      const checks = await github.readChecks(known.repository, headSha, context).catch(rethrowFatal)
      const apply = (): PolledChecks =>
        applyRead(before, checks, clock.now(), { awaitsAll: mayFixFailures(), isEnded: !isOpen(known) })
      // Read the head again after its checks, to know that the checks are those of the current head. Not after the first poll
      // if the head is read later anyway, by the next poll or by the fix round: it was read directly before this poll.
      const { endsInMs, state } = apply()
      const isReadLater = endsInMs > 0 || (state === 'failure' && mayFixFailures())
      if (before !== undefined || !isReadLater) await readAgain()
      if (known.headSha !== headSha) return { state: 'pending' }
      const polled = apply()
      const line = formatChecks(polled, headSha)
      if (polled.problem !== undefined)
        heartbeat.logIfDue(
          `The checks of commit ${headSha.slice(0, 7)} could not be read. ${describeError(polled.problem)}`,
        )
      else if (polled.isStateNew) {
        heartbeat.restart()
        journal.note(line)
      } else heartbeat.logIfDue(line + formatUsualTime(polled.checks ?? [], earlier))
      const leftMs = lastReadAt - clock.now()
      if (polled.endsInMs <= 0 || leftMs <= 0) return polled
      await clock.sleep(Math.min(getPauseMs(clock.now() - watchedSince, polled), leftMs), signal)
      before = polled
    }
  }

  for (;;) {
    const { headSha } = known
    const outside = await findOutside(known, step)
    let polled: Partial<PolledChecks> = {}
    if (inputs.waitForChecks) polled = await watchHead(headSha)
    else await readAgain()
    const found = combineFindings(known, polled, step)
    if (known.headSha === headSha) return { ...found, ...(outside && { outside }) }
    heartbeat.restart()
    noteNewHead(known, step)
    if (clock.now() >= lastReadAt) return found
  }
}
