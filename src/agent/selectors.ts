/** Selectors: what follows from the facts of a step. Pure functions over its record. */
import { getUnsuccessfulStatus, type Job, type PullRequestLink } from '../docs-service/schemas.ts'
import type { Check } from '../github/checks.ts'
import type { PullRequest } from '../github/pull-requests.ts'
import type { ActionError } from '../runtime/errors.ts'
import type { PullRequestFacts, RoundStop, Run, Turn } from './record.ts'

export function describePullRequest(pullRequest: PullRequest): PullRequestFacts {
  const { title, state, branch, headSha, mergeable, isBlocked, isBehind } = pullRequest
  return { title, state, branch, headSha, isBlocked, isBehind, ...(mergeable === undefined ? {} : { mergeable }) }
}

export function listFailedChecks(checks: readonly Check[] = []): readonly Check[] {
  return checks.filter(({ state }) => state === 'failure')
}

/** Whether all files match `allowed-paths`; undefined if unknown. */
export function isInScope({ outside }: PullRequestFacts): boolean | undefined {
  return outside === undefined ? undefined : outside.length === 0
}

/** The step's own turn; undefined if the step did not start. */
export const getOwnTurn = ({ turns }: Run): Turn | undefined => turns[0]

/** Whether the service has accepted the prompt, or may have. */
export const mayBeSent = ({ sent }: Pick<Turn, 'sent'>): boolean => sent !== undefined && sent !== 'no'

/** Whether the agent may still be working on the turn when the step ends. */
export const mayStillRun = (turn: Turn): boolean => mayBeSent(turn) && turn.end !== 'finished'

/** Returns the job of the step's own turn. A dry run has none, even if it has read a job. */
export function getJob(run: Run): Job | undefined {
  return run.dryRun === true ? undefined : getOwnTurn(run)?.job
}

/** Returns the job as it was last read, including in fix rounds. */
export const getLastReadJob = (run: Run): Job | undefined => (run.dryRun === true ? undefined : run.turns.at(-1)?.job)

/** Returns the id of the job for later steps to follow up on or attach to. A dry run has none. */
export function getJobId(run: Run): string | undefined {
  const task = getOwnTurn(run)?.task
  if (run.dryRun === true || task === undefined) return undefined
  return getJob(run)?.id ?? (task.kind === 'create' ? undefined : task.jobId)
}

/** Returns the newest facts about the pull request. Empty if the step has not read it. */
export function getPullRequestFacts({ turns }: Run): PullRequestFacts {
  return turns.findLast(({ pullRequest }) => pullRequest !== undefined)?.pullRequest ?? {}
}

/** Returns the fix rounds that were sent. */
export const listSentRounds = ({ turns }: Pick<Run, 'turns'>): readonly Turn[] => turns.slice(1).filter(mayBeSent)

/** Errors that change the result of a step although the end of its turn was seen. */
const DECIDING_CODES: readonly string[] = ['merged-too-early', 'cancelled', 'internal']

/** Returns the error that decides the outcome of the step. It is then red regardless of `fail-on`. */
export function getError({ turns, startError }: Pick<Run, 'turns' | 'startError'>): ActionError | undefined {
  const [firstTurn, ...rounds] = turns
  if (firstTurn?.error !== undefined && (firstTurn.end !== 'finished' || DECIDING_CODES.includes(firstTurn.error.code)))
    return firstTurn.error
  const inRound = rounds.at(-1)?.error
  return inRound !== undefined && ['cancelled', 'internal'].includes(inRound.code) ? inRound : startError
}

/** Returns why no further fix round follows; undefined if nothing has ruled one out, or the step has no `fix-rounds`. */
export function getRoundStop({ turns }: Pick<Run, 'turns'>): RoundStop | undefined {
  const [firstTurn, newest] = [turns[0], turns.at(-1)]
  if (firstTurn === undefined || newest === undefined) return undefined
  if (newest.roundStop !== undefined) return newest.roundStop
  if (firstTurn.end !== 'finished' || getError({ turns }) !== undefined) return undefined
  if (newest === firstTurn) return firstTurn.error === undefined ? undefined : 'failed'
  const { end, error, job, effect } = newest
  if (error?.code === 'merged-too-early') return 'not-open'
  if (end === undefined && error === undefined) return undefined
  const hasFinished =
    end === 'finished' && error === undefined && (job && getUnsuccessfulStatus(job.status)) === undefined
  // Without a new commit too: the agent may have changed the title of the pull request, which starts its checks again.
  const mayFollow = effect === undefined || effect.kind === 'updated' || effect.kind === 'unchanged'
  return hasFinished && mayFollow ? undefined : 'failed'
}

/** Whether failing checks were sent to the job, and the end of its turn was not seen. */
export const isFixRoundRunning = (run: Run): boolean =>
  listSentRounds(run).length > 0 && getRoundStop(run) === undefined

/** Whether a round may have pushed after the pull request was last read, or to another pull request. */
export function mayHaveUnseenChanges(run: Run): boolean {
  const round = listSentRounds(run).at(-1)
  if (round === undefined) return false
  const { end, effect } = round
  return end !== 'finished' || effect?.kind === 'created' || effect?.kind === 'none'
}

/** What the step did to the pull request: the field `operation` of `result`. */
export type Operation = 'created' | 'updated' | 'unchanged'

/**
 * Returns what the step did to the pull request. Commits from fix rounds count as the step's work. While a round may still
 * push, or may have pushed, the result is not `unchanged`.
 */
export function getOperation(run: Run): Operation | undefined {
  const [firstTurn, ...rounds] = run.turns
  const kind = firstTurn?.effect?.kind
  const operation = kind === 'none' ? undefined : kind
  if (operation === 'created' || firstTurn?.end === undefined) return operation
  if (rounds.some(({ effect }) => effect?.kind === 'updated')) return 'updated'
  const isUnknown = rounds.some(({ end, effect }) => end === 'finished' && effect === undefined)
  return operation === 'unchanged' && (mayHaveUnseenChanges(run) || isUnknown) ? undefined : operation
}

/** Whether a round changed the pull request, or may have changed it. */
export function hasChangedInRound({ turns }: Run): boolean {
  return turns
    .slice(1)
    .some(({ end, effect }) => effect?.kind === 'updated' || (end === 'finished' && effect === undefined))
}

/**
 * Counts the commits that the agent has added to existing pull requests, in all turns. Those of a new pull request, and of turns
 * whose effect is unknown, are not counted.
 */
export const countCommitsOfUpdates = ({ turns }: Pick<Run, 'turns'>): number =>
  turns.reduce((sum, { effect }) => sum + (effect?.kind === 'updated' ? effect.commits : 0), 0)

/** Whether the step has seen the end of its own turn, and may look after a pull request. */
export function shouldTrackPullRequest({ turns }: Pick<Run, 'turns'>): boolean {
  const [firstTurn] = turns
  const isDecided = getError({ turns }) !== undefined || getRoundStop({ turns }) !== undefined
  return firstTurn?.end === 'finished' && firstTurn.job?.prLink !== undefined && !isDecided
}

/** Whether the step has read the pull request of its job, because it has seen the end of a turn. */
export const isPullRequestRead = (run: Run): boolean =>
  getOwnTurn(run)?.end === 'finished' && getError(run) === undefined && getJob(run)?.prLink !== undefined

/**
 * Returns the pull request to show for this step. After a follow-up that did not complete, the job's pull request comes from an
 * earlier turn: it is shown only if its state was read from GitHub.
 */
export function getOwnLink(run: Run): PullRequestLink | undefined {
  const firstTurn = getOwnTurn(run)
  const job = getJob(run)
  if (firstTurn === undefined || job === undefined) return undefined
  const isFollowUp = firstTurn.task.kind === 'follow-up'
  const hasEnded = getOperation(run) !== undefined || (firstTurn.end === 'finished' && job.status === 'completed')
  return !isFollowUp || hasEnded || getPullRequestFacts(run).state !== undefined ? job.prLink : undefined
}
