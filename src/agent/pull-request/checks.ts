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

/** How long a commit's first check may take to be registered. */
const DISCOVERY_MS = 60_000
/** How long others may take to be registered when those that are known have passed. */
const SETTLE_MS = 15_000
/** How long somebody may take to approve what waits for it, if nothing else is expected. */
const APPROVAL_MS = 300_000
/** How long the others may take after the first failure, if all that failed is to be told to the agent. */
const OTHERS_MS = 300_000

const isPending = ({ state }: Check): boolean => state === 'pending'
const isRunning = (check: Check): boolean => isPending(check) && check.waitsForApproval !== true

/** Whether nothing is expected but somebody's approval. */
function waitForApproval(checks: readonly Check[]): boolean {
  return checks.some(isPending) && !checks.some(isRunning)
}

/**
 * What the checks come to if all stays as it is, and how much longer it has to.
 * @param stoodMs for how long all that is known has stood as it is
 * @param othersMs how much longer to wait for the others when one has failed
 */
function foresee(checks: readonly Check[], stoodMs: number, othersMs: number): [end: ChecksState, endsInMs: number] {
  if (listFailedChecks(checks).length > 0) return ['failure', checks.some(isPending) ? othersMs : 0]
  if (checks.some(isPending)) return ['pending', waitForApproval(checks) ? APPROVAL_MS - stoodMs : Infinity]
  if (checks.length === 0) return ['none', stoodMs < DISCOVERY_MS ? Infinity : 0]
  return ['success', SETTLE_MS - stoodMs]
}

/** All that a verdict rests on: what has the same fingerprint has not changed. */
function toFingerprint(checks: readonly Check[]): string {
  const parts = checks.map(({ name, state, id, app, waitsForApproval }) =>
    JSON.stringify([name, state, id, app, waitsForApproval]),
  )
  return parts.sort().join()
}

/** What the looks at the checks of one commit have shown. Without `checks` and `state` they never were read. */
interface Looks {
  readonly checks?: readonly Check[]
  readonly state?: ChecksState
  /** Whether nothing is expected but somebody's approval. */
  readonly waitsForApproval?: boolean
  /** Whether that, or the state, has changed. */
  readonly isNews?: boolean
  /** After how much longer without a change waiting is of no use, in milliseconds; 0 or less if it is of none now. */
  readonly endsInMs: number
  /** That all have passed, so that no look before that end is of use. */
  readonly isSettling?: boolean
  readonly hasChanged: boolean
  /** On the clock's scale, as all times here. */
  readonly changedAt: number
  readonly failedSince?: number | undefined
  /** Why the last look has shown nothing. */
  readonly problem?: ActionError
}

/** What may be over at the next look. */
const PASSING = new Set(['unreachable', 'service-error', 'rate-limited', 'bad-answer'])

/**
 * @param look the checks, or why they could not be read, which changes nothing of what is known
 * @param isAll whether all that fails is to be told, so that the others are waited for
 * @param isOver whether the pull request is merged or closed
 */
export function nextLook(
  before: Looks | undefined,
  look: readonly Check[] | ActionError,
  now: number,
  { isAll, isOver }: { readonly isAll: boolean; readonly isOver: boolean },
): Looks {
  if (look instanceof ActionError) {
    const endsInMs = isOver || !PASSING.has(look.code) ? 0 : Infinity
    return { changedAt: now, ...before, problem: look, isNews: false, hasChanged: false, endsInMs, isSettling: false }
  }
  const isSame = before?.checks !== undefined && toFingerprint(before.checks) === toFingerprint(look)
  const changedAt = isSame ? before.changedAt : now
  const failedSince = listFailedChecks(look).length === 0 ? undefined : (before?.failedSince ?? now)
  const othersMs = isAll ? (failedSince ?? now) + OTHERS_MS - now : 0
  const [end, leftMs] = foresee(look, now - changedAt, othersMs)
  // No more are expected then.
  const endsInMs = isOver && end !== 'success' ? 0 : leftMs
  const state = end === 'failure' || endsInMs <= 0 ? end : 'pending'
  const waitsForApproval = waitForApproval(look)
  const isNews = state !== before?.state || waitsForApproval !== before.waitsForApproval
  const shown = { checks: look, state, waitsForApproval, isNews, hasChanged: !isSame }
  return { ...shown, endsInMs, isSettling: end === 'success', changedAt, failedSince }
}

const MAX_NAMES = 3
function formatSome(checks: readonly Check[], isWanted: (check: Check) => boolean, happens: string): string[] {
  const found = checks.filter(isWanted)
  const names = found.map(({ name }) => oneLine(name, MAX_NAME_CHARS))
  const shown = [...names.slice(0, MAX_NAMES), ...(names.length > MAX_NAMES ? ['…'] : [])].join(', ')
  return found.length === 0 ? [] : [`${countChecks(found)} of ${countChecks(checks)} ${happens} (${shown})`]
}

/** What is known of a commit's checks, in one line for the log. */
export function formatChecks({ checks = [], state }: Pick<Looks, 'checks' | 'state'>, sha: string): string {
  const commit = sha.slice(0, 7)
  if (checks.length === 0) return `Commit ${commit} has no checks${state === 'none' ? '' : ' yet'}.`
  const parts = [
    ...formatSome(checks, (check) => check.state === 'failure', 'failed'),
    ...formatSome(checks, (check) => check.waitsForApproval === true, 'waiting for approval'),
    ...formatSome(checks, isRunning, 'still running'),
  ]
  if (parts.length === 0) parts.push(`all ${countChecks(checks)} passed${state === 'success' ? '' : ' so far'}`)
  return `Checks of commit ${commit}: ${parts.join(', ')}.`
}

/** How long the slowest check that still runs took on an earlier commit, as a sentence with a space before it; '' if unknown. */
export function formatUsualTime(checks: readonly Check[], earlier: readonly Check[]): string {
  const times = checks.filter(isRunning).flatMap(({ name, app }) => {
    const { tookMs } = earlier.find((check) => check.name === name && check.app === app) ?? {}
    return tookMs === undefined ? [] : [{ name, tookMs }]
  })
  const [slowest] = times.sort((a, b) => b.tookMs - a.tookMs)
  if (slowest === undefined) return ''
  return ` On the commit before, ${oneLine(slowest.name, MAX_NAME_CHARS)} took ${formatDuration(slowest.tookMs)}.`
}

const MIN_LOOK_PAUSE_MS = 10_000
const MAX_LOOK_PAUSE_MS = 60_000
const SHARE_OF_AGE = 0.1

const SHARE_LEFT = 0.1
const FIRST_REQUESTS = 20
const REQUESTS_PER_HOUR = 75
const HOUR_MS = 3_600_000

/**
 * The time to the next look, in milliseconds: a tenth of the age of the wait, so that the lag is in proportion. A change is
 * often followed by another one. A look that shows nothing new costs no request, and one that does costs up to five.
 * @param ageMs since the head came
 * @param isShort that requests have to be saved
 */
export function nextLookMs({ hasChanged, endsInMs, isSettling }: Looks, ageMs: number, isShort: boolean): number {
  if (isSettling) return endsInMs
  const byAgeMs = Math.min(Math.max(ageMs * SHARE_OF_AGE, MIN_LOOK_PAUSE_MS), MAX_LOOK_PAUSE_MS)
  const usualMs = hasChanged ? MIN_LOOK_PAUSE_MS : byAgeMs
  return Math.min(isShort ? 2 * byAgeMs : usualMs, endsInMs)
}

/** Whether few of the requests are left that the token has in an hour. */
export function isNearLimit({ remaining, limit }: Usage): boolean {
  return remaining < limit * SHARE_LEFT
}

/** Whether a wait has cost more than its share: ten of them have one hour of a token together. */
export function isOverShare(counted: number, elapsedMs: number): boolean {
  return counted > FIRST_REQUESTS + (REQUESTS_PER_HOUR * elapsedMs) / HOUR_MS
}

const DOUBTFUL = 'A failed run counts although a later run of its workflow may have replaced it'
const LOST_SCOPE = 'Could not tell whether the files of the pull request match `allowed-paths`'
/** Left for the last read, so that it is over when the deadline is. */
const LAST_READ_MS = 3_000

/** What is outside of `allowed-paths`, by a comparison: the list of a pull request's files would be of no certain commit. */
async function findOutside(pullRequest: PullRequest, step: AgentStep): Promise<readonly string[] | undefined> {
  const { heads, inputs, journal } = step
  const { allowedPaths } = inputs
  if (allowedPaths.length === 0) return undefined
  return journal.orWarn(LOST_SCOPE, async () => {
    const github = openGitHub(step)
    const { repository, baseSha, headSha } = pullRequest
    // A merge may have brought the head into its base branch, which holds all of it then.
    const isIn = ({ relation }: Comparison): boolean => relation === 'identical' || relation === 'behind'
    let change = await heads.compareWithBase(pullRequest, github)
    if (isIn(change)) change = await github.compare(repository, baseSha, headSha)
    const { files, fileList } = change
    const outside = await findOutOfScope(allowedPaths, files, step)
    if (outside.length > 0 || (fileList === 'whole' && !isIn(change))) return outside
    throw new ActionError('rejected', `GitHub lists only ${files.length} files of it.`)
  })
}

export function noteNewHead({ headSha }: PullRequest, { journal }: AgentStep): void {
  journal.note(`The pull request has a new commit, ${headSha.slice(0, 7)}; looking at that one.`)
}

/** The pause after a look by how long the wait has lasted and what it has cost, in milliseconds. */
function createPace(github: GitHub, { clock }: Step, heartbeat: Heartbeat): (ageMs: number, looks: Looks) => number {
  const [startedAt, { counted: before }] = [clock.now(), github.usage()]
  let isSaid = false
  return (ageMs, looks) => {
    const usage = github.usage()
    const isNear = isNearLimit(usage)
    if (isNear && !isSaid)
      heartbeat.say(
        `This token has ${usage.remaining} of ${usage.limit} requests left this hour, so the step asks half as often.`,
      )
    isSaid ||= isNear
    const isShort = isNear || isOverShare(usage.counted - before, clock.now() - startedAt)
    return nextLookMs(looks, ageMs, isShort)
  }
}

/** What is found of a pull request by what the looks at its checks have shown. */
function listFindings(pullRequest: PullRequest, looks: Partial<Looks>, { journal }: AgentStep): PullRequestFindings {
  const { checks, state, waitsForApproval, problem } = looks
  if (checks === undefined && problem !== undefined) journal.warn('The checks could not be read', problem)
  const doubt = checks?.find((check) => check.doubt !== undefined)?.doubt
  if (doubt !== undefined) journal.warn(DOUBTFUL, doubt)
  return {
    ...describePullRequest(pullRequest),
    ...(state !== undefined && { checks: state }),
    ...(state === 'pending' && waitsForApproval === true && { waitsForApproval }),
    ...(checks !== undefined && { checkList: checks }),
  }
}

/**
 * Looks at a pull request until its checks and its files are known for the commit that is its head then, or the deadline is
 * near.
 * @throws ActionError `cancelled`
 */
export async function waitForChecks(pullRequest: PullRequest, step: AgentStep): Promise<PullRequestFindings> {
  const { clock, deadlineAt, context, heads, inputs, journal, signal } = step
  const { turns } = journal
  const github = openGitHub(step)
  const lastLookAt = deadlineAt - LAST_READ_MS
  // These show how long checks take.
  const before = turns.at(-2)
  const earlier = (before && getFindings(before)?.checkList) ?? []
  const heartbeat = new Heartbeat({ clock, log: step.core.log })
  const getPace = createPace(github, step, heartbeat)
  let known = pullRequest

  const readAgain = async (): Promise<void> => {
    known = (await orUndefined(heads.read(known))) ?? known
  }
  /** Whether what fails on this head would go back to the agent, so that all of it is waited for. */
  const mayGoBack = (): boolean => {
    const failed: PullRequestFindings = { ...describePullRequest(known), checks: 'failure' }
    return findRoundStop(failed, turns, inputs.fixRounds, deadlineAt - clock.now()) === undefined
  }

  /** Until the checks of this head are known, there is another one, or time is up. */
  async function watchHead(headSha: string): Promise<Partial<Looks>> {
    const watchedSince = clock.now()
    let before: Looks | undefined
    for (;;) {
      const checks = await github.readChecks(known.repository, headSha, context).catch(rethrowFatal)
      const look = (): Looks => nextLook(before, checks, clock.now(), { isAll: mayGoBack(), isOver: !isOpen(known) })
      // It was read directly before the first look. What is believed of a head was seen before it is read once more, which the
      // next round does too.
      const { endsInMs, state } = look()
      const isReadLater = endsInMs > 0 || (state === 'failure' && mayGoBack())
      if (before !== undefined || !isReadLater) await readAgain()
      if (known.headSha !== headSha) return { state: 'pending' }
      const looks = look()
      const told = formatChecks(looks, headSha)
      if (looks.problem !== undefined)
        heartbeat.beat(`The checks of commit ${headSha.slice(0, 7)} could not be read. ${describeError(looks.problem)}`)
      else if (looks.isNews) {
        heartbeat.restart()
        journal.note(told)
      } else heartbeat.beat(told + formatUsualTime(looks.checks ?? [], earlier))
      const leftMs = lastLookAt - clock.now()
      if (looks.endsInMs <= 0 || leftMs <= 0) return looks
      await clock.sleep(Math.min(getPace(clock.now() - watchedSince, looks), leftMs), signal)
      before = looks
    }
  }

  for (;;) {
    const { headSha } = known
    const outside = await findOutside(known, step)
    let looks: Partial<Looks> = {}
    if (inputs.waitForChecks) looks = await watchHead(headSha)
    else await readAgain()
    const found = listFindings(known, looks, step)
    if (known.headSha === headSha) return { ...found, ...(outside && { outside }) }
    heartbeat.restart()
    noteNewHead(known, step)
    if (clock.now() >= lastLookAt) return found
  }
}
