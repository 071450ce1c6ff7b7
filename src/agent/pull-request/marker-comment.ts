import { openGitHub } from '../../action/step.ts'
import type { ListedComment } from '../../github/comments.ts'
import type { GitHub } from '../../github/github.ts'
import type { PullRequestAddress } from '../../github/pull-requests.ts'
import { canName } from '../../github/schemas.ts'
import { pausesBefore, pollUntil } from '../../runtime/clock.ts'
import { ActionError, type ErrorCode, rethrowFatal } from '../../runtime/errors.ts'
import { formatTimeAfter, sleepWithProgress } from '../../runtime/heartbeat.ts'
import { type Deadline, toDeadline } from '../../runtime/time-budget.ts'
import type { AgentInputs } from '../inputs.ts'
import {
  createMarkerComment,
  isMarkerComment,
  LOG_BEGINNING,
  type Marker,
  pickLogComment,
  readMarker,
} from '../marker.ts'
import type { AgentStep } from '../journal.ts'
import type { LogPlace } from '../report/report.ts'
import {
  type CommentUpdate,
  exceedsLimit,
  findWorkingRows,
  formatSources,
  isUpdated,
  rememberVersion,
  settleRow,
  toLogEntry,
  toUnsentRows,
  toWorkingRows,
  updateComment,
  type WorkingRow,
} from './pull-request-log.ts'

/** A request that ended like this may have been carried out. */
const UNKNOWN_RESULT: readonly ErrorCode[] = ['service-error', 'unreachable', 'bad-answer']
/** A comment that was added shows in the list after this time at the latest, in milliseconds. */
const LOOK_UP_AFTER_MS = 3_000

/**
 * How long after a write the comment is read again, in milliseconds: by then, steps that had read it before this write have
 * written, too. Between reading and writing they may pause for a second, as GitHub asks for between two writes.
 */
const VERIFY_AFTER_MS = 2_000
/** Added to it at random for each write, so that two steps do not keep writing at the same moments, in milliseconds. */
const JITTER_MS = 1_000
/** What reading it again may take, in milliseconds. */
const READ_MS = 1_000
/** A copy of GitHub's may lag for as long, in milliseconds. */
const LAG_PAUSES_MS = [2_000, 3_000, 5_000, 5_000]
/** Of the steps that write at the same time, at least one is done after each write. */
const MAX_WRITES = 8

const NO_ROOM = `The log continues here, because the comment before has no room left.\n\n${LOG_BEGINNING}`

/** What it takes to write a comment. */
interface CommentAccess extends Pick<AgentStep, 'clock' | 'core' | 'random' | 'signal'> {
  readonly github: GitHub
  readonly deadline: Deadline
  /** Settles the rows that ended runs have left, which takes requests; undefined if there is none to settle. */
  readonly settle?: (rows: readonly string[]) => Promise<readonly string[] | undefined>
}

/** `commentId`: of the comment that has the update; undefined if GitHub's response does not have it. */
type UpdateResult = { readonly commentId: number | undefined } | 'used-up'

type JobPlace = Pick<LogPlace, 'pullRequest' | 'jobId'>

async function findMarkerComment({ pullRequest, jobId }: JobPlace, github: GitHub): Promise<ListedComment | undefined> {
  const comments = await github.listComments(pullRequest, (body) => isMarkerComment(body, jobId))
  return pickLogComment(comments)
}

/**
 * Adds a marker comment. If the result of the request is unknown, the comment is looked up, and the request is repeated once.
 * @param beginning a marker comment that the update is merged into
 * @returns its id; undefined if GitHub's response does not have it
 */
async function addMarkerComment(
  place: JobPlace,
  beginning: string,
  update: CommentUpdate,
  { clock, core, deadline, github, signal }: CommentAccess,
): Promise<number | undefined> {
  const body = core.redact(updateComment(beginning, update) ?? beginning)
  const add = (): Promise<number | undefined> => github.addComment(place.pullRequest, body)
  try {
    return await add()
  } catch (error) {
    const { code } = rethrowFatal(error, ...UNKNOWN_RESULT)
    core.debug(`Whether the comment was added is unknown (${code}).`)
    if (clock.now() + LOOK_UP_AFTER_MS + READ_MS >= deadline.at) throw error
  }
  await clock.sleep(LOOK_UP_AFTER_MS, signal)
  const found = await findMarkerComment(place, github)
  return found !== undefined && isUpdated(found.body, update) ? found.id : add()
}

/** Writes a comment once. @returns the error after which it may be written all the same, or later; undefined if it was written */
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

/** @param writes how many writes this step has made */
const getVerifyPauseMs = (writes: number, random: () => number): number =>
  VERIFY_AFTER_MS + writes * JITTER_MS * random()

/**
 * Writes an update to the marker comment after a full one, which may have to be added. Several steps can add one at the same
 * time, so after each write this step looks for a newer one and writes to that, too: all later steps use the newest.
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
  let commentId = full.id
  while (hasTime()) {
    const newest = await findMarkerComment(place, github)
    if (newest === undefined || newest.id <= commentId) break
    const result = await updateMarkerComment(place, newest.id, update, access)
    if (result === 'used-up' || result.commentId === undefined) return result
    commentId = result.commentId
  }
  if (commentId !== full.id) return { commentId }

  const beginning = createMarkerComment(place.jobId, full.marker.labels, NO_ROOM)
  const addedId = await addMarkerComment(place, beginning, update, access)
  if (addedId === undefined || !hasTime()) return { commentId: addedId }
  await clock.sleep(pauseMs, signal)
  const newest = await findMarkerComment(place, github)
  if (newest === undefined || newest.id <= addedId) return { commentId: addedId }
  return updateMarkerComment(place, newest.id, update, access)
}

/**
 * Updates a marker comment so that no update of another step is lost: reads it, merges, writes, and reads it again, until the
 * update is there and nobody else writes. If no time is left to read it again, it is written once. If people's text leaves no
 * room, a new marker comment takes the update.
 * @param readBody the comment as it was read less than `VERIFY_AFTER_MS` before the write; by default it is read here
 * @returns `used-up` if the follow-up that the step counts would be one too many: then nothing is written
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
  const seen = rememberVersion(update, body)
  const settled = await access.settle?.(seen.rows)
  if (settled !== undefined) {
    known = { ...seen, rows: settled }
    // Other steps may have written meanwhile.
    body = await read()
  }
  // What this step wrote last, or found in its place.
  let expected: string | undefined
  for (let writes = 0; ;) {
    const marker = readMarker(body)
    if (marker?.jobId !== jobId) throw new ActionError('rejected', 'The comment that names its job was changed.')
    const before = body
    let failure: ActionError | undefined
    if (isUpdated(body, update)) {
      if (expected === undefined || body === expected) return { commentId }
      // Another step has written since, and a third one may still write what it read before that.
      expected = body
    } else {
      if (update.isReservation === true && exceedsLimit(marker, known)) return 'used-up'
      if (writes++ === MAX_WRITES) throw new ActionError('rejected', 'Other steps write the same comment all the time.')

      known = rememberVersion(known, body)
      const next = updateComment(body, known)
      if (next === undefined)
        return continueLog(place, { id: commentId, marker }, { ...known, rows: update.rows }, access)
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
      if (failure === undefined) return { commentId }
      throw failure
    }
    if (limit !== undefined) await waitForLimit(limit, pauseMs, access)
    else await clock.sleep(pauseMs, signal)
    // A copy that lags may still have the version before. After a failure that version may be the right one.
    const isOld = (found: string): boolean => failure === undefined && found === before && found !== expected
    body = await pollUntil(
      read,
      (found) => !isOld(found),
      pausesBefore(LAG_PAUSES_MS, () => deadline.at, clock),
      access,
    )
    if (isOld(body)) throw new ActionError('rejected', 'What was written is not there.')
  }
}

/**
 * Makes sure that a comment names the job, as soon as its pull request is known: without it, the next step would start another
 * job. For a new job there can be no comment yet.
 */
export async function nameJob(pullRequest: PullRequestAddress, jobId: string, step: AgentStep): Promise<void> {
  const { context, inputs, journal } = step
  const { label } = inputs
  const { repository, number, visibility } = pullRequest
  const log = journal.logPlace
  if (log?.jobId === jobId && log.pullRequest.number === number && log.commentId !== undefined) return
  const place: LogPlace = { pullRequest: { repository, number, visibility }, jobId, commentId: undefined, followUps: 0 }
  journal.setLogPlace(place)
  const isNew = journal.turns[0].task.kind === 'create'
  const commentId = await journal.orWarn('The comment that names the job was not written', async () => {
    const access = { ...step, github: openGitHub(step), deadline: toDeadline(step.deadlineAt, step.clock) }
    const found = isNew ? undefined : await findMarkerComment(place, access.github)
    const update = { label, followUps: 0, maxFollowUps: getLimit(inputs), rows: [], left: undefined }
    if (found === undefined) {
      // In the first version already: GitHub does not document whether an edit creates a reference.
      const references = canName({ ...context.event, repository: context.repository }, pullRequest)
        ? formatSources(journal.report())
        : ''
      const note = references === '' ? '' : `It is about ${references}.`
      return addMarkerComment(place, createMarkerComment(jobId, [], note), update, access)
    }
    if (isUpdated(found.body, update)) return found.id
    const result = await updateMarkerComment(place, found.id, update, access)
    return result === 'used-up' ? undefined : result.commentId
  })
  journal.setLogPlace({ ...place, commentId })
}

/** The limit that the comment shows: that of the workflow whose follow-ups are counted, and not that of a command. */
const getLimit = ({ maxFollowUps, onOpenPr }: AgentInputs): number | undefined =>
  onOpenPr === 'follow-up' ? maxFollowUps : undefined

/** How much later than its deadline a step may end, in milliseconds, and by how much two runners' clocks may differ. */
const OVERRUN_MS = 60_000
/** Each costs a request. */
const MAX_RUN_LOOKUPS = 3

const getWaitsUntil = ({ clock, deadlineAt }: Pick<AgentStep, 'clock' | 'deadlineAt'>): Date =>
  new Date(clock.wallTime().getTime() + deadlineAt - clock.now())

/**
 * Settles the rows of turns that have ended, as a step finds them that has seen the job idle: a step that waited for one of
 * these turns has ended, or its run has completed, such as a killed one.
 * @returns undefined if no other run, and no earlier attempt of this run, has such a row
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
  const over = new Set<string>()
  for (const [name, { runId, runAttempt }] of [...runs].slice(0, MAX_RUN_LOOKUPS)) {
    try {
      if (await github.hasCompleted(context.repository, runId, runAttempt)) over.add(name)
    } catch (error) {
      // The row keeps its warning.
      core.debug(`Whether run ${runId} has completed is unknown (${rethrowFatal(error).code}).`)
    }
  }
  const ended = working.filter((row) => isPast(row) || over.has(`${row.runId}.${row.runAttempt}`))
  const isEnded = new Set(ended.map(({ row }) => row))
  return rows.map((row) => (isEnded.has(row) ? settleRow(row) : row))
}

/** The rows that say that the agent is working on the newest turn. */
function getWorkingRows(step: AgentStep): readonly string[] {
  const { clock, context, journal } = step
  journal.markInLog()
  return toWorkingRows(journal.turns, journal.report(), context, clock.wallTime(), getWaitsUntil(step))
}

/** The most that writing the row of a turn that is about to begin may take, in milliseconds. */
const ANNOUNCE_MS = 30_000
/** The share of the time for questions that is kept for the last look at the pull request, without which nothing is sent. */
const LAST_LOOK_SHARE = 1 / 6
const limitAnnouncement = ({ clock, questions }: AgentStep): Deadline =>
  questions.limit(Math.min(ANNOUNCE_MS, questions.at - clock.now() - questions.totalMs * LAST_LOOK_SHARE))
const NOT_ANNOUNCED = 'The log does not say that the agent is working'

/** Writes rows into the log, if there is one, in the time of the questions before the prompt. */
async function writeRows(rows: readonly string[], lost: string, step: AgentStep): Promise<void> {
  const { inputs, journal, questions } = step
  const log = journal.logPlace
  const { commentId } = log ?? {}
  if (log === undefined || commentId === undefined || inputs.label === '' || inputs.dryRun) return
  const { followUps, signature } = log
  const update = { label: inputs.label, followUps, signature, maxFollowUps: getLimit(inputs), rows, left: undefined }
  const write = () => {
    const deadline = limitAnnouncement(step)
    const github = openGitHub(step, deadline)
    const settle = (known: readonly string[]) => settleRows(known, step, github)
    return updateMarkerComment(log, commentId, update, { ...step, github, settle, deadline })
  }
  await journal.orWarn(lost, () => questions.spend(write))
}

/** Says in the log that the agent is working, before a prompt is sent to a job that was given by its id, if there is a log. */
export async function announceToJob(pullRequest: PullRequestAddress, jobId: string, step: AgentStep): Promise<void> {
  const { inputs, journal, questions } = step
  if (inputs.label === '' || inputs.dryRun) return
  const { repository, number, visibility } = pullRequest
  const place = { pullRequest: { repository, number, visibility }, jobId }
  const find = () => findMarkerComment(place, openGitHub(step, limitAnnouncement(step)))
  const found = await journal.orWarn(NOT_ANNOUNCED, () => questions.spend(find))
  if (found === undefined) return
  journal.setLogPlace({ ...place, commentId: found.id, followUps: 0 })
  await announceTurn(step)
}

/** Says in the log that the agent is working, before a prompt is sent that nobody counts. */
export async function announceTurn(step: AgentStep): Promise<void> {
  await writeRows(getWorkingRows(step), NOT_ANNOUNCED, step)
}

/** Says in the log that the newest turn was not sent, if the log says that the agent is working on it. */
export async function withdrawTurn(step: AgentStep): Promise<void> {
  const { context, journal } = step
  if (journal.newest.isInLog === true)
    await writeRows(toUnsentRows(journal.turns, journal.report(), context), LOST, step)
}

/** The most that writing the log may take, in milliseconds. */
const LOG_MS = 30_000
/** How long after the deadline it may end, in milliseconds: the last read of a job may end at the deadline. */
const GRACE_MS = 1_500
/** The same for a cancelled step, to which the runner gives some seconds in all: one read and one write. */
const CANCELLED_MS = 1_000
const LOST = 'The log in the pull request may not have been written'

/** Access for the end of a step: the log is written however the step ended. */
function openAtEnd(step: AgentStep): CommentAccess {
  const { clock } = step
  const now = clock.now()
  const github = openGitHub(step, LOG_MS, GRACE_MS)
  const endsAt = Math.min(now + LOG_MS, step.deadlineAt + GRACE_MS)
  if (!step.signal.aborted) return { ...step, github, deadline: toDeadline(endsAt, clock) }
  const { signal } = new AbortController()
  const deadlineAt = now + CANCELLED_MS
  return { ...step, github: github.until(deadlineAt, signal), deadline: toDeadline(deadlineAt, clock), signal }
}

/**
 * Adds the step's turns to the log in the pull request, once and at the end of the step, a red one too. If it cannot be
 * written, nothing else is lost.
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
    // A step that sends a prompt has settled the rows before.
    const { task, state } = journal.newest
    const isSettling = task.kind === 'attach' && state.kind === 'ended' && hasSeenEnd(task.jobId)
    const access = isSettling ? { ...opened, settle } : opened
    // Requests for other things follow a list, so its text is old unless all has to end before it can be.
    const isHurried = access.deadline.at - step.clock.now() < VERIFY_AFTER_MS
    const found = log.commentId === undefined ? await findMarkerComment(log, access.github) : undefined
    const commentId = log.commentId ?? found?.id
    if (commentId === undefined) await addMarkerComment(log, createMarkerComment(jobId, []), update, access)
    else await updateMarkerComment(log, commentId, update, access, isHurried ? found?.body : undefined)
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    journal.warn(LOST, error)
  }
}

/**
 * Counts a follow-up in the comment that names the job. A dry run only compares the count.
 * @returns where it was counted, or `used-up` if there were as many as are allowed
 * @throws ActionError if it may not have been counted
 */
export async function countFollowUp(rolling: LogPlace, step: AgentStep): Promise<LogPlace | 'used-up'> {
  const { pullRequest, jobId, commentId, followUps } = rolling
  if (commentId === undefined)
    throw new ActionError(
      'not-sent',
      `The follow-ups to pull request #${pullRequest.number} cannot be counted: nobody whose marker counts wrote the comment that names its job.`,
      { hint: 'Remove the label from this pull request: the next run then starts a new job.' },
    )
  const { clock, context, inputs, questions, random } = step
  if (inputs.dryRun) return followUps < inputs.maxFollowUps ? rolling : 'used-up'
  const github = openGitHub(step, questions)
  const settle = (rows: readonly string[]) => settleRows(rows, step, github)
  const access = { ...step, deadline: questions, github, settle }
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
  const result = await updateMarkerComment(rolling, commentId, update, access)
  return result === 'used-up' ? result : { pullRequest, jobId, followUps, signature, ...result }
}
