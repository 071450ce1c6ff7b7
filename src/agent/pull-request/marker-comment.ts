/**
 * Keeps the marker comment of a pull request up to date: its job, its count of follow-ups and its log. Hides how steps
 * that run at the same time share one comment.
 */
import { openGitHub } from '../../action/step.ts'
import type { GitHub } from '../../github/github.ts'
import type { PullRequest, PullRequestAddress } from '../../github/pull-requests.ts'
import { canName } from '../../github/schemas.ts'
import { pausesBefore, pollUntil } from '../../runtime/clock.ts'
import { ActionError, type ErrorCode, orUndefined, rethrowFatal } from '../../runtime/errors.ts'
import { formatTimeAfter, sleepWithProgress } from '../../runtime/heartbeat.ts'
import { type Deadline, toDeadline } from '../../runtime/time-budget.ts'
import type { AgentInputs } from '../inputs.ts'
import {
  createMarkerComment,
  listMarkerCommentsOfJob,
  type ListedMarkerComment,
  LOG_BEGINNING,
  type Marker,
  type MarkerComment,
  pickLogComment,
  recognizeComment,
} from '../marker.ts'
import type { AgentStep } from '../journal.ts'
import type { ListedLogComment, LogPlace, WrittenComment } from '../report/report.ts'
import { describePullRequest } from '../report/turn.ts'
import {
  type CommentUpdate,
  exceedsLimit,
  findWorkingRows,
  formatSources,
  isUpdated,
  type LogEntry,
  rememberVersion,
  settleRow,
  toLogEntry,
  toUnsentRows,
  toWorkingRows,
  updateComment,
  updateRows,
  type WorkingRow,
} from './pull-request-log.ts'

/** GitHub may have processed a request that fails with one of these errors. */
const UNKNOWN_RESULT: readonly ErrorCode[] = ['service-error', 'unreachable', 'bad-answer']
/** How long a new comment may be missing from the list of comments. */
const LOOK_UP_AFTER_MS = 3_000

/**
 * How long after a write the comment is read again. Steps that read the comment before this write have written by then: they
 * pause at most a second between reading and writing, because GitHub asks for a second between two writes.
 */
const VERIFY_AFTER_MS = 2_000
/** The maximum of a random addition per write, so that two steps do not keep writing at the same moments. */
const JITTER_MS = 1_000
/** Reserved for reading the comment again. */
const READ_MS = 1_000
/** The pauses between reads while GitHub's replicas may lag. */
const LAG_PAUSES_MS = [2_000, 3_000, 5_000, 5_000]
/** Each write lets at least one competing step succeed. */
const MAX_WRITES = 8

const CONTINUATION = `The log continues here, because the previous comment is full.\n\n${LOG_BEGINNING}`

interface CommentAccess extends Pick<AgentStep, 'clock' | 'core' | 'random' | 'signal'> {
  readonly github: GitHub
  readonly deadline: Deadline
  /** Settles rows of ended runs, which costs requests. Resolves to undefined if there is no such row. */
  readonly settle?: (rows: readonly string[]) => Promise<readonly string[] | undefined>
}

/** The comment with the update. `used-up`: the update would exceed the maximum number of follow-ups, so it was not written. */
type UpdateResult = WrittenComment | 'used-up'

const toWritten = (id: number | undefined): WrittenComment =>
  id === undefined ? { kind: 'id-unknown' } : { kind: 'known', id }

type JobPlace = Pick<LogPlace, 'pullRequest' | 'jobId'>

async function findMarkerComment(
  { pullRequest, jobId }: JobPlace,
  github: GitHub,
): Promise<ListedMarkerComment | undefined> {
  return pickLogComment(await listMarkerCommentsOfJob(pullRequest, jobId, github))
}

/**
 * Adds a marker comment. If the result of the request is unknown, looks for the comment, and repeats the request once if the
 * comment is missing.
 * @param beginning a marker comment that the update is merged into
 */
async function addMarkerComment(
  place: JobPlace,
  beginning: MarkerComment,
  update: CommentUpdate,
  { clock, core, deadline, github, signal }: CommentAccess,
): Promise<WrittenComment> {
  const body = core.redact(updateComment(beginning, update) ?? beginning.body)
  const add = async (): Promise<WrittenComment> => toWritten(await github.addComment(place.pullRequest, body))
  try {
    return await add()
  } catch (error) {
    const { code } = rethrowFatal(error, ...UNKNOWN_RESULT)
    core.debug(`It is unknown whether the comment was added (${code}).`)
    if (clock.now() + LOOK_UP_AFTER_MS + READ_MS >= deadline.at) throw error
  }
  await clock.sleep(LOOK_UP_AFTER_MS, signal)
  const found = await findMarkerComment(place, github)
  return found !== undefined && isUpdated(found, update) ? toWritten(found.id) : add()
}

/** @returns undefined on success, or an error after which the edit may have succeeded or may succeed later */
async function tryToEdit(edit: () => Promise<void>): Promise<ActionError | undefined> {
  try {
    await edit()
    return undefined
  } catch (error) {
    return rethrowFatal(error, ...UNKNOWN_RESULT, 'rate-limited', 'rejected')
  }
}

async function waitForLimit(limit: ActionError, ms: number, { clock, core, signal }: CommentAccess): Promise<void> {
  core.log(`${limit.message} Waiting until ${formatTimeAfter(ms, clock)}.`)
  await sleepWithProgress(ms, { clock, log: core.log, signal })
}

/** @param writes how many times this step has written the comment */
const getVerifyPauseMs = (writes: number, random: () => number): number =>
  VERIFY_AFTER_MS + writes * JITTER_MS * random()

/** Updates the rows that a full comment contains, because it still says that the agent is working. A failure is ignored. */
async function updateFullComment(
  { pullRequest }: JobPlace,
  { id, comment }: { readonly id: number; readonly comment: MarkerComment },
  { rows }: CommentUpdate,
  { clock, core, deadline, github }: CommentAccess,
): Promise<void> {
  const next = updateRows(comment, rows)
  if (next === undefined || clock.now() + VERIFY_AFTER_MS >= deadline.at) return
  await orUndefined(github.editComment(pullRequest, id, core.redact(next), { isSentOnce: true }))
}

/**
 * Writes an update to the comment that continues a full one, and adds that comment if it is missing. Several steps can add one
 * at the same time, and later steps use the newest. So after each write, this step looks for a newer comment and writes to that
 * too.
 */
async function continueLog(
  place: JobPlace,
  full: { readonly id: number; readonly marker: Marker },
  update: CommentUpdate,
  access: CommentAccess,
): Promise<UpdateResult> {
  const { clock, deadline, github, random, signal } = access
  const pauseMs = getVerifyPauseMs(1, random)
  const hasTime = (): boolean => clock.now() + pauseMs + READ_MS < deadline.at
  let newestId = full.id
  while (hasTime()) {
    const newest = await findMarkerComment(place, github)
    if (newest === undefined || newest.id <= newestId) break
    const result = await updateMarkerComment(place, newest.id, update, access)
    if (result === 'used-up' || result.kind === 'id-unknown') return result
    newestId = result.id
  }
  if (newestId !== full.id) return { kind: 'known', id: newestId }

  const beginning = createMarkerComment(place.jobId, full.marker.labels, CONTINUATION)
  const added = await addMarkerComment(place, beginning, update, access)
  if (added.kind === 'id-unknown' || !hasTime()) return added
  await clock.sleep(pauseMs, signal)
  const newest = await findMarkerComment(place, github)
  if (newest === undefined || newest.id <= added.id) return added
  return updateMarkerComment(place, newest.id, update, access)
}

/** @throws ActionError if the comment is no longer the marker comment of the job */
function toCommentOfJob(body: string, jobId: string): MarkerComment {
  const comment = recognizeComment(body)
  if (comment.kind === 'marker' && comment.marker.jobId === jobId) return comment
  throw new ActionError('rejected', `The comment no longer names job ${jobId}.`)
}

/**
 * Updates a marker comment without losing the updates of other steps: reads, merges, writes, and reads again, until the
 * comment contains the update and no other step writes. If no time is left to read again, writes once. If other people's text
 * leaves no room, writes the update to a new marker comment.
 * @param readBody the body as read less than `VERIFY_AFTER_MS` before the write; read here by default
 * @returns `used-up` if the update would exceed the maximum number of follow-ups, in which case nothing is written
 * @throws ActionError if the update may not have been written
 */
async function updateMarkerComment(
  place: JobPlace,
  commentId: number,
  update: CommentUpdate,
  access: CommentAccess,
  readBody?: string,
): Promise<UpdateResult> {
  const { clock, core, deadline, github, random, signal } = access
  const { pullRequest, jobId } = place
  const read = (): Promise<string> => github.readComment(pullRequest, commentId)
  let known = update
  let body = readBody ?? (await read())
  const seen = rememberVersion(update, toCommentOfJob(body, jobId))
  const settled = await access.settle?.(seen.rows)
  if (settled !== undefined) {
    known = { ...seen, rows: settled }
    // Other steps may have written in the meantime.
    body = await read()
  }
  // The body that this step wrote last, or a later body that already contains the update.
  let expected: string | undefined
  /** Why the last write failed. */
  let failure: ActionError | undefined
  for (let writes = 0; ;) {
    const comment = toCommentOfJob(body, jobId)
    const { marker, body: before } = comment
    if (isUpdated(comment, update)) {
      failure = undefined
      if (expected === undefined || body === expected) return toWritten(commentId)
      // Another step has written since. A third step may still overwrite that with an older version, so read again.
      expected = body
    } else {
      if (update.isReservation === true && exceedsLimit(marker, known)) return 'used-up'
      if (writes++ === MAX_WRITES)
        throw failure ?? new ActionError('rejected', 'Other steps kept overwriting the comment.')

      known = rememberVersion(known, comment)
      const next = updateComment(comment, known)
      if (next === undefined) {
        await updateFullComment(place, { id: commentId, comment }, known, access)
        return continueLog(place, { id: commentId, marker }, { ...known, rows: update.rows }, access)
      }
      const text = core.redact(next)
      failure = await tryToEdit(() => github.editComment(pullRequest, commentId, text, { isSentOnce: true }))
      if (failure?.code === 'rejected')
        return continueLog(place, { id: commentId, marker }, { ...known, rows: update.rows }, access)
      expected = text
    }

    const pauseMs = Math.max(failure?.retryAfterMs ?? 0, getVerifyPauseMs(writes, random))
    const limit = failure?.code === 'rate-limited' ? failure : undefined
    const hasTime = limit !== undefined ? deadline.allowWait(pauseMs) : clock.now() + pauseMs + READ_MS < deadline.at
    if (!hasTime) {
      if (failure === undefined) return toWritten(commentId)
      throw failure
    }
    if (limit !== undefined) await waitForLimit(limit, pauseMs, access)
    else await clock.sleep(pauseMs, signal)
    // A lagging replica may still return the previous version. After a failed write, the previous version may be current.
    const isStale = (found: string): boolean => failure === undefined && found === before && found !== expected
    body = await pollUntil(
      read,
      (found) => !isStale(found),
      pausesBefore(LAG_PAUSES_MS, () => deadline.at, clock),
      access,
    )
    if (isStale(body))
      throw new ActionError('rejected', 'GitHub accepted the edit, but the comment still has its previous text.')
  }
}

/**
 * Ensures that a comment names the job as soon as its pull request is known. Without the comment, the next step would start
 * another job. A new job has no comment yet.
 */
export async function nameJob(pullRequest: PullRequestAddress, jobId: string, step: AgentStep): Promise<void> {
  const { context, inputs, journal } = step
  const { label } = inputs
  const { repository, number, visibility } = pullRequest
  const log = journal.logPlace
  if (log?.jobId === jobId && log.pullRequest.number === number && log.comment.kind === 'known') return
  const place = { pullRequest: { repository, number, visibility }, jobId, followUps: 0 }
  journal.setLogPlace({ ...place, comment: { kind: 'missing' } })
  const isNew = journal.turns[0].task.kind === 'create'
  const written = await journal.orWarn('The comment that names the job was not written', async () => {
    const access = { ...step, github: openGitHub(step), deadline: toDeadline(step.deadlineAt, step.clock) }
    const found = isNew ? undefined : await findMarkerComment(place, access.github)
    const update = { label, followUps: 0, maxFollowUps: getLimit(inputs), rows: [], left: undefined }
    if (found === undefined) {
      // References must be in the first version: GitHub does not document whether an edit creates a cross-reference.
      const references = canName({ ...context.event, repository: context.repository }, pullRequest)
        ? formatSources(journal.report())
        : ''
      const note = references === '' ? '' : `It is about ${references}.`
      return addMarkerComment(place, createMarkerComment(jobId, [], note), update, access)
    }
    if (isUpdated(found, update)) return toWritten(found.id)
    const result = await updateMarkerComment(place, found.id, update, access)
    return result === 'used-up' ? undefined : result
  })
  journal.setLogPlace({ ...place, comment: written ?? { kind: 'id-unknown' } })
}

/** The limit that the comment shows. Only steps that count follow-ups set it, not steps with a command. */
const getLimit = ({ maxFollowUps, onOpenPr }: AgentInputs): number | undefined =>
  onOpenPr === 'follow-up' ? maxFollowUps : undefined

/** How much later than its deadline a step may end, including the difference between two runners' clocks. */
const OVERRUN_MS = 60_000
/** Each lookup costs a request. */
const MAX_RUN_LOOKUPS = 3

const getWaitsUntil = ({ clock, deadlineAt }: Pick<AgentStep, 'clock' | 'deadlineAt'>): Date =>
  new Date(clock.wallTime().getTime() + deadlineAt - clock.now())

/**
 * Settles the `working` rows of steps that have ended: their deadline has passed, or their run has completed, for example
 * because it was killed. Only called after this step has seen the job idle, so that those turns have ended.
 * @returns undefined if no other run and no earlier attempt of this run has such a row
 */
async function settleRows(
  rows: readonly string[],
  step: AgentStep,
  github: GitHub,
): Promise<readonly string[] | undefined> {
  const { clock, context, core } = step
  const own = { runId: context.runId, runAttempt: context.runAttempt }
  const now = clock.wallTime().getTime()
  const isPast = ({ runId, runAttempt, untilMs }: WorkingRow): boolean =>
    untilMs + OVERRUN_MS < now || (runId === own.runId && runAttempt < own.runAttempt)
  const working = findWorkingRows(rows).filter((row) => isPast(row) || row.runId !== own.runId)
  if (working.length === 0) return undefined
  const open = working.filter((row) => !isPast(row))
  const runs = new Map(open.map(({ runId, runAttempt }) => [`${runId}.${runAttempt}`, { runId, runAttempt }]))
  const completed = new Set<string>()
  for (const [name, { runId, runAttempt }] of [...runs].slice(0, MAX_RUN_LOOKUPS)) {
    try {
      if (await github.hasCompleted(context.repository, runId, runAttempt)) completed.add(name)
    } catch (error) {
      // The row keeps its warning.
      core.debug(`It is unknown whether run ${runId} has completed (${rethrowFatal(error).code}).`)
    }
  }
  const ended = working.filter((row) => isPast(row) || completed.has(`${row.runId}.${row.runAttempt}`))
  const endedRows = new Set(ended.map(({ row }) => row))
  return rows.map((row) => (endedRows.has(row) ? settleRow(row) : row))
}

/** Returns the rows of all turns. The row of the newest turn says that the agent is working. */
function getWorkingRows(step: AgentStep): readonly string[] {
  const { clock, context, journal } = step
  journal.markInLog()
  return toWorkingRows(journal.turns, journal.report(), context, clock.wallTime(), getWaitsUntil(step))
}

/** The time for writing a turn's row before its prompt. */
const MAX_ANNOUNCE_MS = 30_000
/** Share of the time reserved for the pull request read that must precede the prompt. */
const LAST_READ_SHARE = 1 / 6
/** Rate-limit waits are extra, but never delay the prompt longer than this. */
const MAX_ANNOUNCE_WAITS_MS = 60_000

/** Returns the deadline for writing the turn's row before its prompt. */
export function limitAnnouncement({ clock, planningBudget }: AgentStep): Deadline {
  const limit = planningBudget.limit(
    Math.min(MAX_ANNOUNCE_MS, planningBudget.at - clock.now() - planningBudget.totalMs * LAST_READ_SHARE),
  )
  const waitsEndAt = clock.now() + MAX_ANNOUNCE_WAITS_MS
  return {
    get at() {
      return limit.at
    },
    allowWait: (ms) => clock.now() + ms < waitsEndAt && limit.allowWait(ms),
  }
}
export const LOG_NOT_UPDATED = 'The log may not show that the agent is working'

/** Writes to the log, if there is one, before the end of the step. A failure is a warning. */
async function writeEntry(
  entry: LogEntry,
  warning: string,
  step: AgentStep,
  openAccess: () => CommentAccess,
): Promise<void> {
  const { inputs, journal } = step
  const log = journal.logPlace
  if (log?.comment.kind !== 'known' || inputs.label === '' || inputs.dryRun) return
  const { followUps, signature, comment } = log
  const update = { label: inputs.label, followUps, signature, maxFollowUps: getLimit(inputs), ...entry }
  const result = await journal.orWarn(warning, () => updateMarkerComment(log, comment.id, update, openAccess()))
  // The rows may be in a new comment, which continues a full one.
  if (result !== undefined && result !== 'used-up') journal.setLogPlace({ ...log, comment: result })
}

/** Writes rows to the log, if there is one, within the time for requests before the prompt. */
async function writeRows(rows: readonly string[], warning: string, step: AgentStep): Promise<void> {
  const openAccess = (): CommentAccess => {
    const deadline = limitAnnouncement(step)
    const github = openGitHub(step, deadline)
    return { ...step, github, settle: (known) => settleRows(known, step, github), deadline }
  }
  await step.planningBudget.spend(() => writeEntry({ rows, left: undefined }, warning, step, openAccess))
}

/** Writes to the log, if there is one, that the agent is working, before a prompt is sent to the job in `job-id`. */
export async function announceInLog(pullRequest: PullRequestAddress, jobId: string, step: AgentStep): Promise<void> {
  const { journal, planningBudget } = step
  const { repository, number, visibility } = pullRequest
  const place = { pullRequest: { repository, number, visibility }, jobId }
  const find = () => findMarkerComment(place, openGitHub(step, limitAnnouncement(step)))
  const found = await journal.orWarn(LOG_NOT_UPDATED, () => planningBudget.spend(find))
  if (found === undefined) return
  journal.setLogPlace({ ...place, comment: toWritten(found.id), followUps: 0 })
  await announceTurn(step)
}

/** Writes to the log that the agent is working, before a prompt that does not count as a follow-up is sent. */
export async function announceTurn(step: AgentStep): Promise<void> {
  await writeRows(getWorkingRows(step), LOG_NOT_UPDATED, step)
}

/** Writes to the log that the newest turn was not sent, if the log shows it as working. */
export async function withdrawTurn(step: AgentStep): Promise<void> {
  const { context, journal } = step
  if (journal.newest.isInLog === true)
    await writeRows(toUnsentRows(journal.turns, journal.report(), context), LOG_MAY_BE_LOST, step)
}

/** For writing the result of a turn to the log, at the end of the step or before it waits for checks. */
const MAX_LOG_MS = 30_000
/** How long after the deadline writing may end. The last read of a job may end at the deadline. */
const GRACE_MS = 1_500
/** For one read and one write after a cancellation: the runner kills a cancelled step after some seconds. */
const CANCELLED_MS = 1_000
const LOG_MAY_BE_LOST = 'The log in the pull request may not have been written'

/** Writes the result of a turn to the log before the step waits for checks, if the log shows the turn as working. */
export async function writeResult(pullRequest: PullRequest, step: AgentStep): Promise<void> {
  const { clock, context, deadlineAt, journal } = step
  if (journal.newest.isInLog !== true) return
  const pullRequestAtEnd = { ...describePullRequest(pullRequest), checks: 'pending' } as const
  const entry = toLogEntry(journal.turns, { ...journal.report(), pullRequestAtEnd }, context, clock.wallTime())
  const endsAt = Math.min(clock.now() + MAX_LOG_MS, deadlineAt)
  const openAccess = () => ({ ...step, github: openGitHub(step, MAX_LOG_MS), deadline: toDeadline(endsAt, clock) })
  await writeEntry(entry, LOG_MAY_BE_LOST, step, openAccess)
}

/** Opens the access for the end of the step. Ignores a cancellation, because the log is written in any case. */
function openAtEnd(step: AgentStep): CommentAccess {
  const { clock } = step
  const now = clock.now()
  const github = openGitHub(step, MAX_LOG_MS, GRACE_MS)
  const endsAt = Math.min(now + MAX_LOG_MS, step.deadlineAt + GRACE_MS)
  if (!step.signal.aborted) return { ...step, github, deadline: toDeadline(endsAt, clock) }
  const { signal } = new AbortController()
  const deadlineAt = now + CANCELLED_MS
  return { ...step, github: github.until(deadlineAt, signal), deadline: toDeadline(deadlineAt, clock), signal }
}

/**
 * Adds the step's turns to the log in the pull request at the end of the step, even if the step fails. A failure is a warning.
 * @param hasSeenEnd whether the step has seen a turn of a job end
 */
export async function writeLog(step: AgentStep, hasSeenEnd: (jobId: string) => boolean = () => false): Promise<void> {
  const { inputs, journal } = step
  const report = journal.report()
  const { log } = report
  if (log === undefined || inputs.label === '' || inputs.dryRun) return
  const { jobId, followUps, signature } = log
  const entry = toLogEntry(journal.turns, report, step.context, step.clock.wallTime(), getWaitsUntil(step))
  const update = { label: inputs.label, followUps, signature, maxFollowUps: getLimit(inputs), ...entry }
  try {
    const opened = openAtEnd(step)
    const settle = (rows: readonly string[]) => settleRows(rows, step, opened.github)
    // A step that sends a prompt has already settled the rows.
    const { task, state } = journal.newest
    const isSettling = task.kind === 'attach' && state.kind === 'ended' && hasSeenEnd(task.jobId)
    const access = isSettling ? { ...opened, settle } : opened
    // Other requests follow the list of comments, so its text is only used if there is no time to read the comment again.
    const isHurried = access.deadline.at - step.clock.now() < VERIFY_AFTER_MS
    const found = log.comment.kind === 'known' ? undefined : await findMarkerComment(log, access.github)
    const commentId = log.comment.kind === 'known' ? log.comment.id : found?.id
    if (commentId === undefined) await addMarkerComment(log, createMarkerComment(jobId, []), update, access)
    else await updateMarkerComment(log, commentId, update, access, isHurried ? found?.body : undefined)
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    journal.warn(LOG_MAY_BE_LOST, error)
  }
}

/**
 * Counts a follow-up in the comment that names the job. A dry run only checks the count.
 * @returns the comment with the count, or `used-up` if the maximum is reached
 * @throws ActionError if the follow-up may not have been counted
 */
export async function countFollowUp(
  rolling: LogPlace<ListedLogComment>,
  step: AgentStep,
): Promise<LogPlace | 'used-up'> {
  const { pullRequest, jobId, comment, followUps } = rolling
  if (comment.kind === 'untrusted')
    throw new ActionError(
      'not-sent',
      `The follow-ups to pull request #${pullRequest.number} cannot be counted: no trusted author wrote the comment that names its job.`,
      { hint: 'Remove the label from this pull request: the next run then starts a new job.' },
    )
  const { clock, context, inputs, planningBudget, random } = step
  if (inputs.dryRun) return followUps < inputs.maxFollowUps ? rolling : 'used-up'
  const github = openGitHub(step, planningBudget)
  const settle = (rows: readonly string[]) => settleRows(rows, step, github)
  const access = { ...step, deadline: planningBudget, github, settle }
  const now = clock.wallTime().getTime()
  const signature = [context.runId, context.runAttempt, now, Math.floor(random() * 1e6)].join('.')
  const update = {
    label: inputs.label,
    followUps,
    signature,
    maxFollowUps: inputs.maxFollowUps,
    isReservation: true,
    rows: getWorkingRows(step),
    left: undefined,
  }
  const result = await updateMarkerComment(rolling, comment.id, update, access)
  return result === 'used-up' ? result : { pullRequest, jobId, followUps, signature, comment: result }
}
