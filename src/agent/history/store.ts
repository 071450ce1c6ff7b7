/** Finds the history comment of a pull request, and writes what the step adds to it. */
import type { ListedComment } from '../../github/comments.ts'
import type { PullRequestAddress } from '../../github/pull-requests.ts'
import type { Resources } from '../../github/github.ts'
import {
  parseHistory,
  mayBeHistory,
  type History,
  startHistory,
  mergeHistory,
  type HistoryUpdate,
  getRemainingStartMs,
} from './state.ts'
import { requireGitHub } from '../../action/step.ts'
import type { Acts, HistoryRef, Reads } from '../step.ts'
import { ActionError, isTransient, catchExpected } from '../../runtime/errors.ts'
import { renderHistory } from './render.ts'
import { createUpdate, namePrompt, toUpdateFingerprint } from './rows.ts'
import type { AgentInputs } from '../facts.ts'

/** A history comment on GitHub. */
export interface ListedHistory extends Omit<ListedComment, 'body'> {
  readonly history: History
}

/** The history comments of a pull request, and the comments that begin like one but cannot be read. */
export interface FoundHistories {
  /** Oldest first. */
  readonly histories: readonly ListedHistory[]
  /** Whether somebody has edited a history comment so that it can no longer be read. */
  readonly hasBroken: boolean
}

/** @throws ActionError if the comments cannot be read */
export async function listHistories(
  { repository, number }: PullRequestAddress,
  github: Pick<Resources, 'listComments'>,
): Promise<FoundHistories> {
  // The address of a comment has more fields, with which only the replies to it are listed.
  const comments = await github.listComments({ repository, number }, mayBeHistory)
  const histories = comments.flatMap(({ body, ...comment }) => {
    const history = parseHistory(body)
    return history === undefined ? [] : [{ ...comment, history }]
  })
  const hasBroken = comments.some(({ body, author }) => author !== 'untrusted' && !parseHistory(body))
  return { histories, hasBroken }
}

/** Picks the comment to write to: the oldest by a trusted author, otherwise the oldest by an app of an earlier step. */
export function pickOwn(comments: readonly ListedHistory[]): ListedHistory | undefined {
  return comments.find(({ author }) => author === 'trusted') ?? comments.find(({ author }) => author === 'bot')
}

/** Finds the history of a job on its pull request. @throws ActionError if the comments cannot be read */
export async function findHistory(
  pullRequest: PullRequestAddress,
  jobId: string,
  step: Reads,
): Promise<ListedHistory | undefined> {
  const { histories } = await listHistories(pullRequest, requireGitHub(step))
  return pickOwn(histories.filter(({ history }) => history.job === jobId))
}

/** Makes what the step adds to the history, from what is known now. */
export async function readUpdate(ref: HistoryRef, step: Acts): Promise<HistoryUpdate> {
  const { clock, deadlineAt, history } = step
  const promptName = await namePrompt(step)
  const now = clock.wallTime()
  const times = { now, until: new Date(now.getTime() + deadlineAt - clock.now()) }
  return createUpdate({ ...history, ref }, promptName, times, step)
}

/** @param ageMs since the comment was last written, on GitHub's clock; undefined if unknown */
type MergeUpdate = (state: History, update: HistoryUpdate, ageMs?: number) => HistoryUpdate | undefined

/**
 * Writes the step's rows to the history: reads the comment, merges the rows by key, and writes it back, once. A pull request
 * of a new job gets its comment.
 * @param merge checks the state and adds to the update; it may throw. Nothing is written if it returns undefined
 * @throws ActionError if the history may not have been written
 */
export async function writeHistory(
  ref: HistoryRef,
  github: Resources,
  step: Acts,
  merge: MergeUpdate = (_, update) => update,
): Promise<void> {
  const { clock, runner, history } = step
  const { pullRequest, jobId } = ref
  const update = await readUpdate(ref, step)
  const written = toUpdateFingerprint(update)
  const now = clock.wallTime()
  // The response to an earlier attempt may have been lost.
  const existing = ref.mayExist === true ? await findHistory(pullRequest, jobId, step) : undefined
  const { commentId = existing?.id } = ref
  if (commentId === undefined) {
    const state = startHistory(jobId)
    const merged = merge(state, update)
    if (merged === undefined) return
    const body = runner.redact(renderHistory(mergeHistory(state, merged, now)))
    history.ref = { ...ref, mayExist: true }
    const added = await github.addComment(pullRequest, body).catch((caught: unknown) => {
      const error = catchExpected(caught)
      if (!isTransient(error) || error.code === 'rate-limited') throw error
      return undefined
    })
    // If it is not known whether GitHub has added the comment, add it again only if it is missing.
    const id =
      added ?? (await findHistory(pullRequest, jobId, step))?.id ?? (await github.addComment(pullRequest, body))
    history.ref = { ...ref, commentId: id, written }
    return
  }
  const comment = await github.readComment(pullRequest, commentId)
  const state = parseHistory(comment.body)
  if (state?.job !== jobId)
    throw new ActionError(
      'not-found',
      `The history comment of pull request #${pullRequest.number} can no longer be read, because somebody has edited or deleted it.`,
      { hint: 'Delete what is left of the comment.' },
    )
  const merged = merge(state, update, comment.ageMs)
  if (merged === undefined) return
  const body = runner.redact(renderHistory(mergeHistory(state, merged, now)))
  await github.editComment(pullRequest, commentId, body)
  history.ref = { ...ref, mayExist: false, commentId, written }
}

export const isInUse = ({ label, dryRun }: AgentInputs): boolean => label !== '' && !dryRun

/**
 * Writes in the history that the agent is working, before a follow-up is sent. Writes nothing if another step has announced a
 * turn that may not have begun yet: two workflows can meet on one job, because their concurrency groups differ.
 * @param merge checks the state before anything is written, and counts the follow-up
 * @returns how much longer that turn may take to begin, in milliseconds; 0 if the turn of this step was announced
 * @throws ActionError if the history may not have been written
 */
export async function announceTurn(
  step: Acts,
  merge: (state: History, update: HistoryUpdate) => HistoryUpdate = (_, update) => update,
  idleMs = Infinity,
): Promise<number> {
  const { inputs, history } = step
  const { ref } = history
  if (ref === undefined || !isInUse(inputs)) return 0
  const { turns } = history.read()
  // As with a busy job: a follow-up to `job-id` whose end does not matter is sent at once.
  const needsIdleJob = inputs.wait || turns.at(-1)?.followUpReason !== undefined
  let startsWithinMs = 0
  await writeHistory(ref, requireGitHub(step), step, (state, update, ageMs) => {
    // A turn that this step has seen end needs no further wait, and the step that ended it has written the comment.
    const hasSeenEnd = (ageMs ?? 0) >= idleMs
    startsWithinMs =
      needsIdleJob && !hasSeenEnd ? getRemainingStartMs(state, update.rows, ageMs, step.clock.wallTime()) : 0
    if (startsWithinMs > 0) return undefined
    history.announced.add(turns.length - 1)
    return merge(state, update)
  })
  return startsWithinMs
}
