import type { Outcome } from '../../src/agent/report/report.ts'
import { OLD_LINK, type View } from './job-life.ts'
import { givesKeyAway } from './planted-key.ts'
import type { Trace } from './run-schedule.ts'
import { listViolations, checkEndsInTime, SHOWN_INVARIANTS } from './shown-invariants.ts'

const NOT_PROCESSED = new Set([425, 429])

const MAX_TRIES = 3

function promptIsReadOnce({ service: { posts } }: Trace): string | undefined {
  const reads = posts.filter(({ wasRead, status }) => wasRead && !NOT_PROCESSED.has(status ?? 0)).length
  return reads > 1 ? `The service read a complete prompt ${reads} times.` : undefined
}

function nothingIsSentAgainUnproven({ service: { posts } }: Trace): string | undefined {
  const followed = posts.slice(0, -1)
  const again = followed.findIndex(({ status, wasRead }) => wasRead && !NOT_PROCESSED.has(status ?? 0))
  if (again !== -1) return `Prompt ${again + 1} was read, and still another one was sent.`
  const late = followed.findIndex(({ wasRead }, index) => !wasRead && index + 1 >= MAX_TRIES)
  return late === -1 ? undefined : `Try ${late + 1} did not reach the service, and still another one was made.`
}

function archivedIsSentNothing({ service: { posts, delivered } }: Trace): string | undefined {
  const seen = delivered.find(({ view }) => view.status === 'archived')
  const isSent = posts.some(({ at }) => seen !== undefined && at >= seen.at)
  return isSent ? 'A prompt was sent to a job that had read archived.' : undefined
}

function busyIsSentNothing({ service: { posts, delivered }, schedule }: Trace): string | undefined {
  const first = posts[0]
  if (schedule.task !== 'follow-up' || !schedule.wait || first === undefined) return undefined
  const last = delivered.filter(({ at, method }) => method === 'GET' && at <= first.at).at(-1)
  return last === undefined || isActive(last.view) ? 'The prompt was sent while the job was busy.' : undefined
}

function isActive({ status }: View): boolean {
  return status !== 'completed' && status !== 'failed' && status !== 'archived'
}

function wasAnswered(trace: Trace, matches: (view: View) => boolean): boolean {
  const isOurs = ({ whose }: View): boolean => trace.schedule.task === 'attach' || whose === 'ours'
  return trace.service.delivered.some(({ view }) => isOurs(view) && matches(view))
}

/** Whether the service has said that our turn has come to a pull request. */
function cameToPullRequest(trace: Trace): boolean {
  const { 'pr-link': shown } = trace.outputs
  return wasAnswered(
    trace,
    ({ status, link }) => status === 'completed' && link !== undefined && (shown ?? link).startsWith(link),
  )
}

type Proof = (trace: Trace) => boolean

/** What the service must have said before an outcome may be claimed, whatever its colour. */
const PROOFS: Readonly<Partial<Record<Outcome, Proof>>> = {
  'pull-request': cameToPullRequest,
  'no-changes': (trace) => wasAnswered(trace, ({ status, link }) => status === 'completed' && link === undefined),
  skipped: () => false,
  failed: (trace) => wasAnswered(trace, ({ status }) => status === 'failed'),
  archived: (trace) => trace.service.delivered.some(({ view }) => view.status === 'archived'),
  submitted: (trace) =>
    trace.schedule.task === 'attach'
      ? wasAnswered(trace, isActive)
      : trace.service.posts.some((post) => post.wasProcessed),
}

function outcomeIsProven(trace: Trace): string | undefined {
  const { outcome, error } = trace.report
  const isMissing = error === undefined && PROOFS[outcome]?.(trace) === false
  return isMissing ? `The outcome ${outcome} was claimed, and no answer says so.` : undefined
}

const COLOURED_BY_FAIL_ON: Readonly<Partial<Record<Outcome, string>>> = {
  failed: 'failed',
  archived: 'archived',
  'timed-out': 'timeout',
  'no-changes': 'no-changes',
}
const ENDED: readonly Outcome[] = ['pull-request', 'no-changes', 'failed', 'archived']
const ALWAYS_GREEN: readonly Outcome[] = ['pull-request', 'submitted']

function colourIsRight({ isGreen, report: { outcome, error }, schedule }: Trace): string | undefined {
  const word = COLOURED_BY_FAIL_ON[outcome]
  const isAsked = schedule.failOn.some((on) => on === word)
  if (isGreen && error !== undefined) return 'The step is green although something kept it from its work.'
  if (isGreen && !ALWAYS_GREEN.includes(outcome) && (word === undefined || isAsked))
    return `The step is green with the outcome ${outcome}.`
  const isRed = !isGreen && error === undefined && outcome !== 'unconfirmed'
  return isRed && !isAsked ? `The step is red with the outcome ${outcome}, without an error.` : undefined
}

function greenMeansAccepted({ isGreen, schedule, service }: Trace): string | undefined {
  const wasAccepted = schedule.task === 'attach' || service.posts.some(({ wasProcessed }) => wasProcessed)
  return isGreen && !wasAccepted ? 'The step is green, and the service has never taken the prompt.' : undefined
}

function durationIsMonotonic({ endedAt, report: { durationMs } }: Trace): string | undefined {
  return durationMs === endedAt ? undefined : `It says that it took ${durationMs} ms, and took ${endedAt} ms.`
}

function keyIsNowhere({ schedule, outputs, report, ...shown }: Trace): string | undefined {
  const { summary, log, warnings, title, line, notice } = shown
  if (schedule.plant === 'none') return undefined
  const { error, lastProblem } = report
  const texts = {
    log: [...log, ...warnings],
    report: [error?.message, error?.hint, error?.quote, lastProblem?.message, lastProblem?.quote],
    annotation: [title, line, notice?.text],
    outputs: Object.values(outputs),
    summary: [summary],
  }
  const leak = Object.entries(texts).find(([, parts]) => parts.some((part) => part !== undefined && givesKeyAway(part)))
  return leak && `The key is in the ${leak[0]}.`
}

function acceptedJobIsHandedOn({ service: { posts }, accepted, outputs, schedule }: Trace): string | undefined {
  const times = posts.flatMap(({ acceptedAt }) => acceptedAt ?? [])
  if (schedule.task !== 'create' && outputs['job-id'] === '') return 'The job that was given is not an output.'
  if (accepted.length !== times.length)
    return `A job was accepted ${times.length} times, and handed on ${accepted.length} times.`
  const other = accepted.find(({ id }) => id !== outputs['job-id'])
  if (other !== undefined) return `The output is ${outputs['job-id'] ?? 'missing'}, not ${other.id}.`
  const isLate = accepted.some(({ at }, index) => at !== times[index])
  return isLate ? 'The job was handed on only after some waiting.' : undefined
}

function unknownFateIsTold({ report: { error }, log, service: { posts } }: Trace): string | undefined {
  const isOpen =
    posts.some(({ wasProcessed }) => wasProcessed) && posts.every(({ acceptedAt }) => acceptedAt === undefined)
  const wasFound = log.some((line) => line.includes('The agent has started this follow-up.'))
  const isTold = error === undefined || error.code === 'unknown-fate'
  return isOpen && !wasFound && !isTold
    ? `The service may have accepted the prompt, and the error is ${error.code}.`
    : undefined
}

function countChanges(values: readonly string[]): number {
  return values.filter((value, index) => index > 0 && value !== values[index - 1]).length
}

/** The step's own words: taken, sent, seen, waiting, looking up, and so on. */
const OWN_LINES = 8
/** One for each kind: an unlisted status, and a link that is not safe. */
const MAX_WARNINGS = 2

function logIsBounded({ log, warnings, service, endedAt, report }: Trace): string | undefined {
  const { looks, posts, delivered, requestedWaitsMs } = service
  const states = delivered.map(({ view: { status, link } }) => `${status} ${link ?? ''}`)
  const changes = countChanges(looks) + countChanges(states)
  // A wait of a minute or more is logged when it begins, even directly after another one.
  const longWaits = requestedWaitsMs.filter((ms) => ms >= 60_000).length
  const perMinute = Math.floor(endedAt / 60_000)
  const most = changes + posts.length + perMinute + longWaits + OWN_LINES + report.warnings.length
  if (warnings.length > MAX_WARNINGS) return `There are ${warnings.length} warnings.`
  return log.length > most ? `There are ${log.length} lines for ${changes} changes.` : undefined
}

/** Whether an end of this turn was told, or nothing of its prompt can have been taken. */
function isKnownUnchanged(trace: Trace): boolean {
  const { schedule, report, service } = trace
  const isUnsent = schedule.task !== 'attach' && !service.posts.some(({ wasProcessed }) => wasProcessed)
  return isUnsent || (ENDED.includes(report.outcome) && wasAnswered(trace, (view) => !isActive(view)))
}

function changeIsTrue(trace: Trace): string | undefined {
  const { task, before } = trace.schedule
  const { changed = '', 'pr-link': link = '', 'pr-operation': operation = '' } = trace.outputs
  const hadLink = task === 'follow-up' && before.ending === 'completed' && before.hasLink
  // An archived job may have a link as well.
  const isLinked = cameToPullRequest(trace) || wasAnswered(trace, (view) => view.link !== undefined)
  if (changed === 'true' && !isLinked) return 'It says that it changed something, and nothing says so.'
  if (changed !== 'true' && operation === 'created') return `${operation} is no change.`
  if (changed === 'false' && !isKnownUnchanged(trace)) return 'It says that nothing changed, and nobody knows.'
  if (operation === 'created' && hadLink && link.startsWith(OLD_LINK)) return 'The pull request was there before.'
  return ['', 'created'].includes(operation) ? undefined : `It says ${operation}, and GitHub was not asked.`
}

/** A link may be late by 15 s, of which a read on its way takes some; and a copy that is behind shows it later still. */
const MAX_LINK_LATE_MS = 13_000

function lateLinkIsFound({ schedule, report: { outcome } }: Trace): string | undefined {
  const { task, ours, lagsMs } = schedule
  const isLinked = task === 'create' && ours.ending === 'completed' && ours.hasLink
  const isInTime = ours.linkLateMs <= MAX_LINK_LATE_MS - Math.max(0, ...lagsMs)
  return isLinked && isInTime && outcome === 'no-changes'
    ? `The job got its pull request ${ours.linkLateMs} ms after its end, and the outcome is no-changes.`
    : undefined
}

/** Something that must hold on every schedule; gives what is wrong, or undefined. */
type Invariant = (trace: Trace) => string | undefined

const INVARIANTS: Readonly<Record<string, Invariant>> = {
  'The service reads each prompt that it may process once at most.': promptIsReadOnce,
  'A prompt is sent again only if nothing was processed.': nothingIsSentAgainUnproven,
  'A job that has read archived is sent nothing.': archivedIsSentNothing,
  'A job is sent a follow-up to wait for only when its turn has ended.': busyIsSentNothing,
  'An outcome is claimed only if an answer about this turn says so.': outcomeIsProven,
  'Green and red are only what the outcome, an error and `fail-on` ask for.': colourIsRight,
  'A prompt that was never taken is never green.': greenMeansAccepted,
  'The step ends by its deadline, or its cancellation, and 2 s.': ({
    endedAt,
    schedule: { timeoutMs, cancelAtMs = Infinity },
  }) => checkEndsInTime(endedAt, Math.min(timeoutMs, cancelAtMs)),
  'A duration does not depend on the wall clock.': durationIsMonotonic,
  'The key is in no text, in no encoding, not even cut.': keyIsNowhere,
  'An accepted job is an output, handed on before any waiting.': acceptedJobIsHandedOn,
  'A prompt that may have been taken is said to be so.': unknownFateIsTold,
  'The log has at most a line for each change, minute and long wait.': logIsBounded,
  'A change is claimed only if this turn made it.': changeIsTrue,
  'A link that comes in time is found, whatever reads fail.': lateLinkIsFound,
  ...SHOWN_INVARIANTS,
}

/** Every invariant that does not hold, with what is wrong. */
export const listProblems = (trace: Trace): string[] => listViolations(INVARIANTS, trace)
