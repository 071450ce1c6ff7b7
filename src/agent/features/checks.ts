/**
 * Waits for the checks of a pull request. Hides when they count as finished, how often they are read, and how many
 * requests that may cost.
 */
import {
  booleanInput,
  field,
  findListSyntax,
  isTrue,
  linesField,
  type RawInputs,
  rejectInput,
  toLines,
} from '../../action/inputs.ts'
import { requireGitHub } from '../../action/step.ts'
import { type Check, type CommitChecks, countChecks } from '../../github/checks.ts'
import { isOpen, type PullRequest, type PullRequestAddress } from '../../github/pull-requests.ts'
import { ActionError, describeError, catchExpected, isTransient, orUndefined } from '../../runtime/errors.ts'
import { Heartbeat } from '../../runtime/heartbeat.ts'
import { MAX_NAME_CHARS, oneLine } from '../../text/untrusted.ts'
import { needsPullRequestRead } from '../facts.ts'
import { describePullRequest, listFailedChecks } from '../selectors.ts'
import type { ChecksState, PullRequestFacts } from '../record.ts'
import type { Acts, Reads } from '../step.ts'

/** Whether the step will wait for checks: rounds need them, so that `fix-rounds` alone is enough. */
export const isAwaitingChecks = (raw: RawInputs): boolean =>
  isTrue(raw, 'wait-for-checks') || Number(raw['fix-rounds'] ?? '') > 0

export const CHECKS_FIELDS = {
  waitForChecks: field(
    'wait-for-checks',
    'false',
    (text, raw, workspace) => booleanInput(text, raw, workspace) || isAwaitingChecks(raw),
  ),
  /** One name a line: names of checks can contain commas, such as those of the jobs of a matrix. */
  ignoreChecks: linesField('ignore-checks', (text, raw): readonly string[] => {
    const names = toLines(text)
    const problems = names.flatMap(({ line, at }) => {
      const problem = findListSyntax(line)
      return problem === undefined ? [] : [`${at} ${problem}`]
    })
    if (names.length > 0 && !isAwaitingChecks(raw)) problems.push('needs `wait-for-checks` or `fix-rounds`')
    return problems.length === 0 ? names.map(({ line }) => line) : rejectInput(...problems)
  }),
}

/** Whether a name matches a pattern, in which `*` stands for any characters. Takes linear time, unlike a regular expression. */
export function matchesName(name: string, pattern: string): boolean {
  const [start = '', ...rest] = pattern.split('*')
  const end = rest.pop()
  if (end === undefined) return name === start
  if (!name.startsWith(start) || !name.endsWith(end)) return false
  let from = start.length
  for (const part of rest) {
    const at = name.indexOf(part, from)
    if (at === -1) return false
    from = at + part.length
  }
  return from + end.length <= name.length
}

/** How long to wait for a commit's first check to be registered. */
const DISCOVERY_MS = 60_000

/** How long to wait for further checks to be registered after all known checks have passed. */
const SETTLE_MS = 15_000

/** From this age of the head on, completed suites of GitHub Actions show that no further check is to come. */
const REGISTERED_MS = 60_000

/** How long to wait for the remaining checks after the first failure, if the agent is sent all failures. */
const REMAINING_CHECKS_MS = 300_000

const isPending = ({ state }: Check): boolean => state === 'pending'
const isRunning = (check: Check): boolean => isPending(check) && check.waitsForApproval !== true

/** Whether every pending check waits for approval. */
function isWaitingForApproval(checks: readonly Check[]): boolean {
  return checks.some(isPending) && !checks.some(isRunning)
}

/** What decides how long to wait. */
interface Waited {
  /** How long the checks have not changed. */
  readonly stableMs: number
  /** How long this head has been watched. */
  readonly ageMs: number
  /** How much longer to wait for the other checks after one has failed. */
  readonly remainingMs: number
}

/** Predicts the final state of the checks if nothing changes, and how much longer nothing must change. */
function predictState(
  { checks, isComplete }: CommitChecks,
  { stableMs, ageMs, remainingMs }: Waited,
): [end: ChecksState, endsInMs: number] {
  if (listFailedChecks(checks).length > 0) return ['failure', checks.some(isPending) ? remainingMs : 0]
  if (checks.some(isPending)) return ['pending', isWaitingForApproval(checks) ? 0 : Infinity]
  if (checks.length === 0) return ['none', stableMs < DISCOVERY_MS ? Infinity : 0]
  return ['success', isComplete && ageMs >= REGISTERED_MS ? 0 : SETTLE_MS - stableMs]
}

/** Covers every field that affects the state. */
function toChecksFingerprint(checks: readonly Check[]): string {
  const parts = checks.map(({ name, state, id, app, waitsForApproval }) =>
    JSON.stringify([name, state, id, app, waitsForApproval]),
  )
  return parts.sort().join()
}

/** The checks of one commit after the newest read. `checks` and `state` are undefined if no read has succeeded. */
interface PolledChecks {
  readonly checks?: readonly Check[]
  readonly ignored?: readonly Check[] | undefined
  readonly state?: ChecksState
  /** Whether every pending check waits for approval. */
  readonly waitsForApproval?: boolean
  /** Whether `state` or `waitsForApproval` differs from the preceding read. */
  readonly isStateNew?: boolean
  /** When waiting ends unless the checks change, in milliseconds from now; 0 or less if it ends now. */
  readonly endsInMs: number
  /** On the clock's scale, like all times here. */
  readonly changedAt: number
  readonly failedSince?: number | undefined
  /** Why the newest read failed. */
  readonly problem?: ActionError
}

/**
 * Updates the checks of a commit after a read.
 * @param read the checks, or the error of a failed read, which keeps the known checks
 * @param awaitsAll whether to wait for the remaining checks after a failure
 * @param isEnded whether the pull request is merged or closed
 */
export function applyRead(
  before: PolledChecks | undefined,
  read: CommitChecks | ActionError,
  now: number,
  { awaitsAll, isEnded, ageMs }: { readonly awaitsAll: boolean; readonly isEnded: boolean; readonly ageMs: number },
): PolledChecks {
  if (read instanceof ActionError) {
    const endsInMs = isEnded || !isTransient(read) ? 0 : Infinity
    return {
      changedAt: now,
      ...before,
      problem: read,
      isStateNew: false,
      endsInMs,
    }
  }
  const { checks, ignored } = read
  const isSame = before?.checks !== undefined && toChecksFingerprint(before.checks) === toChecksFingerprint(checks)
  const changedAt = isSame ? before.changedAt : now
  const failedSince = listFailedChecks(checks).length === 0 ? undefined : (before?.failedSince ?? now)
  const remainingMs = awaitsAll ? (failedSince ?? now) + REMAINING_CHECKS_MS - now : 0
  const [end, leftMs] = predictState(read, { stableMs: now - changedAt, ageMs, remainingMs })
  // A merged or closed pull request is not expected to get further checks.
  const endsInMs = isEnded && end !== 'success' ? 0 : leftMs
  const state = end === 'failure' || endsInMs <= 0 ? end : 'pending'
  const waitsForApproval = isWaitingForApproval(checks)
  const isStateNew = state !== before?.state || waitsForApproval !== before.waitsForApproval
  return { checks, ignored, state, waitsForApproval, isStateNew, endsInMs, changedAt, failedSince }
}

const MAX_NAMES = 3
function formatNames(checks: readonly Check[]): string {
  const names = checks.map(({ name }) => oneLine(name, MAX_NAME_CHARS))
  return [...names.slice(0, MAX_NAMES), ...(names.length > MAX_NAMES ? ['…'] : [])].join(', ')
}

function formatMatching(checks: readonly Check[], matches: (check: Check) => boolean, status: string): string[] {
  const matching = checks.filter(matches)
  return matching.length === 0
    ? []
    : [`${countChecks(matching)} of ${countChecks(checks)} ${status} (${formatNames(matching)})`]
}

/** Summarizes the checks of a commit in one line for the log. */
export function formatChecks(
  { checks = [], ignored = [], state }: Pick<PolledChecks, 'checks' | 'ignored' | 'state'>,
  sha: string,
): string {
  const commit = sha.slice(0, 7)
  const left = ignored.length === 0 ? '' : `, ${countChecks(ignored)} ignored (${formatNames(ignored)})`
  if (checks.length === 0) return `Commit ${commit} has no checks${state === 'none' ? '' : ' yet'}${left}.`
  const parts = [
    ...formatMatching(checks, (check) => check.state === 'failure', 'failed'),
    ...formatMatching(checks, (check) => check.waitsForApproval === true, 'waiting for approval'),
    ...formatMatching(checks, isRunning, 'still running'),
  ]
  if (parts.length === 0) parts.push(`all ${countChecks(checks)} passed${state === 'success' ? '' : ' so far'}`)
  return `Checks of commit ${commit}: ${parts.join(', ')}${left}.`
}

const PAUSE_MS = 10_000

/** After this time, looking less often saves more requests than it costs in time. */
const FREQUENT_UNTIL_MS = 600_000
const LATER_PAUSE_MS = 30_000

/** Returns the pause before the next look, in milliseconds. @param ageMs how long this head has been watched */
export const getLookPauseMs = (ageMs: number): number => (ageMs < FREQUENT_UNTIL_MS ? PAUSE_MS : LATER_PAUSE_MS)

/** Reserved for the last read, so that it ends before the deadline. */
const LAST_READ_TIMEOUT_MS = 3_000

/**
 * Polls a pull request until its checks and its files are known for its current head commit, or the deadline is near, if the
 * inputs ask for them.
 * @param mayFix whether the agent would be sent the failures of this head: the step then waits for all checks
 * @param findOutside finds the files outside of the scope
 * @throws ActionError `cancelled`
 */
export async function waitForChecks(
  pullRequest: PullRequest,
  mayFix: (failed: PullRequestFacts) => boolean,
  findOutside: (pullRequest: PullRequest, step: Acts) => Promise<readonly string[] | undefined>,
  step: Acts,
): Promise<PullRequestFacts> {
  const { clock, deadlineAt, context, inputs, journal, signal } = step
  if (!needsPullRequestRead(inputs)) return describePullRequest(pullRequest)
  const github = requireGitHub(step)
  const lastReadAt = deadlineAt - LAST_READ_TIMEOUT_MS
  const heartbeat = new Heartbeat({ clock, log: step.runner.log })
  const isIgnored = ({ name }: Check): boolean => inputs.ignoreChecks.some((pattern) => matchesName(name, pattern))
  let known = pullRequest

  /** Looks at the checks of this head until their end is known, the pull request has another head, or time is up. */
  async function watchHead(headSha: string): Promise<Partial<PolledChecks>> {
    const watchedSince = clock.now()
    let before: PolledChecks | undefined
    for (;;) {
      const checks = await github.readChecks(known.repository, headSha, context, { isIgnored }).catch(catchExpected)
      const ageMs = clock.now() - watchedSince
      const apply = (read: CommitChecks | ActionError): PolledChecks => {
        const awaitsAll = mayFix({ ...describePullRequest(known), checks: 'failure' })
        return applyRead(before, read, clock.now(), { awaitsAll, isEnded: !isOpen(known), ageMs })
      }
      // Read the head again after its checks, to know that they are those of the current head.
      const head = apply(checks).endsInMs <= 0 ? await step.pullRequests.read(known).catch(catchExpected) : known
      if (!(head instanceof ActionError)) known = head
      const headProblem = head instanceof ActionError && !(checks instanceof ActionError) ? head : undefined
      if (known.headSha !== headSha) return { state: 'pending' }
      const polled = apply(headProblem ?? checks)
      const line = formatChecks(polled, headSha)
      if (polled.problem !== undefined)
        heartbeat.logIfDue(
          `The ${headProblem === undefined ? `checks of commit ${headSha.slice(0, 7)}` : 'pull request'} could not be read. ${describeError(polled.problem)}`,
        )
      else if (polled.isStateNew) {
        heartbeat.restart()
        journal.note(line)
      } else heartbeat.logIfDue(line)
      const leftMs = lastReadAt - clock.now()
      if (polled.endsInMs <= 0 || leftMs <= 0) {
        if (headProblem === undefined) return polled
        journal.warn('Could not determine whether the checks are those of the newest commit', headProblem)
        return {}
      }
      await clock.sleep(Math.min(getLookPauseMs(ageMs), polled.endsInMs, leftMs), signal)
      before = polled
    }
  }

  for (;;) {
    const { headSha } = known
    const outside = findOutside(known, step)
    // A cancelled run rejects both, and what is awaited first reports it.
    outside.catch(() => undefined)
    let polled: Partial<PolledChecks> = {}
    if (inputs.waitForChecks) polled = await watchHead(headSha)
    const { checks, ignored = [], state, waitsForApproval, problem } = polled
    if (checks === undefined && problem !== undefined) journal.warn('The checks could not be read', problem)
    const facts: PullRequestFacts = {
      ...describePullRequest(known),
      ...(state !== undefined && { checks: state }),
      ...(state === 'pending' && waitsForApproval === true && { waitsForApproval }),
      ...(checks !== undefined && { checkList: checks }),
      ...(ignored.length > 0 && { ignoredChecks: ignored }),
    }
    const foundOutside = await outside
    if (known.headSha === headSha) return { ...facts, ...(foundOutside && { outside: foundOutside }) }
    heartbeat.restart()
    journal.note(`The pull request has a new commit, ${known.headSha.slice(0, 7)}. Continuing with that commit.`)
    if (clock.now() >= lastReadAt) return facts
  }
}

/** GitHub computes `mergeable` in the background after the first read, usually within seconds. */
const MERGEABLE_PAUSES_MS = [1_000, 2_000, 3_000, 5_000]

/**
 * Reads an open pull request a few more times while GitHub has not computed `mergeable`, if the step has waited for its
 * checks. Ignores reads with another head commit.
 */
export async function readMergeability(
  pullRequest: PullRequestAddress,
  known: PullRequestFacts,
  step: Reads,
): Promise<PullRequestFacts> {
  const { clock, deadlineAt, inputs, signal } = step
  let facts = known
  if (signal.aborted || !inputs.waitForChecks) return facts
  for (const pauseMs of MERGEABLE_PAUSES_MS) {
    if (!isOpen(facts) || facts.mergeable !== undefined || clock.now() + pauseMs >= deadlineAt) return facts
    await clock.sleep(pauseMs, signal)
    const now = await orUndefined(requireGitHub(step).readPullRequest(pullRequest))
    // The known checks and files belong to one head commit, so only combine them with reads of the same one.
    if (now === undefined || now.headSha !== facts.headSha) return facts
    facts = { ...facts, ...describePullRequest(now) }
  }
  return facts
}
