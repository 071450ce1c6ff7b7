import type { Outcome } from '../../src/agent/record.ts'
import { OLD_LINK, type View } from './job-life.ts'
import { revealsKey } from './planted-key.ts'
import type { Trace } from './run-schedule.ts'
import { listViolations, checkEndsInTime, SHOWN_INVARIANTS } from './shown-invariants.ts'

/** With these statuses, the service has not processed the prompt. */
const NOT_PROCESSED = new Set([425, 429])

/** How long a prompt that does not reach the service is resent. */
const MAX_RESENDING_MS = 60_000

function checkPromptIsReadOnce({ service: { posts } }: Trace): string | undefined {
  const reads = posts.filter(({ wasRead, status }) => wasRead && !NOT_PROCESSED.has(status ?? 0)).length
  return reads > 1 ? `The service read a complete prompt ${reads} times.` : undefined
}

function checkNoUnsafeRetry({ service: { posts } }: Trace): string | undefined {
  const retried = posts.slice(0, -1)
  const unsafe = retried.findIndex(({ status, wasRead }) => wasRead && !NOT_PROCESSED.has(status ?? 0))
  if (unsafe !== -1) return `The service read prompt ${unsafe + 1}, and the step sent another one.`
  const late = retried.findIndex(({ at, wasRead }, index) => {
    const reached = retried.slice(0, index).findLastIndex(({ wasRead }) => wasRead)
    const first = posts[reached + 1]
    return !wasRead && first !== undefined && at - first.at >= MAX_RESENDING_MS
  })
  return late === -1
    ? undefined
    : `Prompt ${late + 1} did not reach the service after a minute, and the step sent another one.`
}

function checkArchivedGetsNoPrompt({ service: { posts, delivered } }: Trace): string | undefined {
  const seen = delivered.find(({ view }) => view.status === 'archived')
  const isSent = posts.some(({ at }) => seen !== undefined && at >= seen.at)
  return isSent ? 'A prompt was sent after the step had read that the job was archived.' : undefined
}

function checkBusyJobGetsNoPrompt({ service: { posts, delivered }, schedule }: Trace): string | undefined {
  const first = posts[0]
  if (schedule.task !== 'follow-up' || !schedule.wait || first === undefined) return undefined
  const last = delivered.filter(({ at, method }) => method === 'GET' && at <= first.at).at(-1)
  return last === undefined || isActive(last.view) ? 'The prompt was sent while the job was busy.' : undefined
}

function isActive({ status }: View): boolean {
  return status !== 'completed' && status !== 'failed' && status !== 'archived'
}

/** Whether the step received a response that shows its own turn in a matching state. */
function wasReceived(trace: Trace, matches: (view: View) => boolean): boolean {
  const isOwn = ({ turn }: View): boolean => trace.schedule.task === 'attach' || turn === 'own'
  return trace.service.delivered.some(({ view }) => isOwn(view) && matches(view))
}

function hasReceivedPullRequest(trace: Trace): boolean {
  const { 'pr-link': shown } = trace.outputs
  return wasReceived(
    trace,
    ({ status, link }) => status === 'completed' && link !== undefined && (shown ?? link).startsWith(link),
  )
}

type Proof = (trace: Trace) => boolean

/** The responses that a step must receive before it reports an outcome, whether green or red. */
const PROOFS: Readonly<Partial<Record<Outcome, Proof>>> = {
  'pull-request': hasReceivedPullRequest,
  'no-changes': (trace) => wasReceived(trace, ({ status, link }) => status === 'completed' && link === undefined),
  skipped: () => false,
  failed: (trace) => wasReceived(trace, ({ status }) => status === 'failed'),
  archived: (trace) => trace.service.delivered.some(({ view }) => view.status === 'archived'),
  submitted: (trace) =>
    trace.schedule.task === 'attach'
      ? wasReceived(trace, isActive)
      : trace.service.posts.some((post) => post.wasProcessed),
}

function checkOutcome(trace: Trace): string | undefined {
  const { outcome, error } = trace.report
  const isMissing = error === undefined && PROOFS[outcome]?.(trace) === false
  return isMissing ? `The step reported the outcome ${outcome} without a response that proves it.` : undefined
}

/** The word of `fail-on` that makes an outcome red. */
const FAIL_ON_WORDS: Readonly<Partial<Record<Outcome, string>>> = {
  failed: 'failed',
  archived: 'archived',
  'timed-out': 'timed-out',
  'no-changes': 'no-changes',
}

const ENDED: readonly Outcome[] = ['pull-request', 'no-changes', 'failed', 'archived']
const ALWAYS_GREEN: readonly Outcome[] = ['pull-request', 'submitted']

function checkColor({ isGreen, report: { outcome, error }, schedule }: Trace): string | undefined {
  const word = FAIL_ON_WORDS[outcome]
  const isListed = schedule.failOn.some((on) => on === word)
  if (isGreen && error !== undefined) return 'The step is green with an error.'
  if (isGreen && !ALWAYS_GREEN.includes(outcome) && (word === undefined || isListed))
    return `The step is green with the outcome ${outcome}.`
  const isRed = !isGreen && error === undefined && outcome !== 'unconfirmed'
  return isRed && !isListed ? `The step is red with the outcome ${outcome}, without an error.` : undefined
}

function checkGreen({ isGreen, schedule, service }: Trace): string | undefined {
  const wasAccepted = schedule.task === 'attach' || service.posts.some(({ wasProcessed }) => wasProcessed)
  return isGreen && !wasAccepted ? 'The step is green, but the service has not processed the prompt.' : undefined
}

function checkDuration({ endedAt, report: { durationMs } }: Trace): string | undefined {
  return durationMs === endedAt ? undefined : `The step reported ${durationMs} ms, and took ${endedAt} ms.`
}

function checkKeyIsRedacted({ schedule, outputs, report, ...shown }: Trace): string | undefined {
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
  const leak = Object.entries(texts).find(([, parts]) => parts.some((part) => part !== undefined && revealsKey(part)))
  return leak && `The key can be read in the ${leak[0]}.`
}

function checkAcceptedJobIsReported({ service: { posts }, accepted, outputs, schedule }: Trace): string | undefined {
  const times = posts.flatMap(({ acceptedAt }) => acceptedAt ?? [])
  if (schedule.task !== 'create' && outputs['job-id'] === '') return 'The input `job-id` is not an output.'
  if (accepted.length !== times.length)
    return `The service accepted ${times.length} prompts, and the step reported ${accepted.length}.`
  const other = accepted.find(({ id }) => id !== outputs['job-id'])
  if (other !== undefined) return `The output \`job-id\` is ${outputs['job-id'] ?? 'missing'}, not ${other.id}.`
  const isLate = accepted.some(({ at }, index) => at !== times[index])
  return isLate ? 'The step reported the job later than it was accepted.' : undefined
}

function checkUnknownDeliveryIsReported({ report: { error, sent }, service: { posts } }: Trace): string | undefined {
  const isUnknown =
    posts.some(({ wasProcessed }) => wasProcessed) && posts.every(({ acceptedAt }) => acceptedAt === undefined)
  const wasFound = sent === 'started'
  const isReported = error === undefined || error.code === 'maybe-sent'
  return isUnknown && !wasFound && !isReported
    ? `The service may have accepted the prompt, and the error is ${error.code}.`
    : undefined
}

function countChanges(values: readonly string[]): number {
  return values.filter((value, index) => index > 0 && value !== values[index - 1]).length
}

/** Lines about the step itself, such as that it sent the prompt. */
const OWN_LINES = 8

/** One for an unlisted status. */
const MAX_WARNINGS = 1

/** The longest random delay that is added to a wait after a 429 response. */
const MAX_RANDOM_DELAY_MS = 32_000

function checkLogLength({ log, warnings, service, endedAt, report }: Trace): string | undefined {
  const { readTexts, posts, delivered, requestedWaitsMs } = service
  const states = delivered.map(({ view: { status, link } }) => `${status} ${link ?? ''}`)
  const changes = countChanges(readTexts) + countChanges(states)
  // A wait of a minute or more is logged when it begins, even directly after another one. It includes a random delay.
  const longWaits = requestedWaitsMs.filter((ms) => ms >= 60_000 - MAX_RANDOM_DELAY_MS).length
  const minutes = Math.floor(endedAt / 60_000)
  const maxLines = changes + posts.length + minutes + longWaits + OWN_LINES + report.warnings.length
  if (warnings.length > MAX_WARNINGS) return `There are ${warnings.length} warnings.`
  return log.length > maxLines ? `There are ${log.length} lines for ${changes} changes.` : undefined
}

/** Whether the step received the end of its turn, or the service did not process its prompt. */
function isKnownUnchanged(trace: Trace): boolean {
  const { schedule, report, service } = trace
  const isUnsent = schedule.task !== 'attach' && !service.posts.some(({ wasProcessed }) => wasProcessed)
  return isUnsent || (ENDED.includes(report.outcome) && wasReceived(trace, (view) => !isActive(view)))
}

function checkChange(trace: Trace): string | undefined {
  const { task, precedingTurn } = trace.schedule
  const { changed = '', 'pr-link': link = '', 'pull_request.operation': operation = '' } = trace.outputs
  const hadLink = task === 'follow-up' && precedingTurn.ending === 'completed' && precedingTurn.hasLink
  // An archived job may also have a link.
  const isLinked = hasReceivedPullRequest(trace) || wasReceived(trace, (view) => view.link !== undefined)
  if (changed === 'true' && !isLinked) return 'The step reported a change, but received no link.'
  if (changed !== 'true' && operation === 'created')
    return `The \`operation\` is ${operation}, but \`changed\` is ${changed}.`
  if (changed === 'false' && !isKnownUnchanged(trace)) return 'The step reported no change, but cannot know it.'
  if (operation === 'created' && hadLink && link.startsWith(OLD_LINK))
    return 'The step reported a created pull request that existed before.'
  return ['', 'created'].includes(operation) ? undefined : `The step reported ${operation} without a request to GitHub.`
}

/** The step looks for a link for 15 s. The last read takes a part of that time, and replica lag delays the link further. */
const MAX_LINK_DELAY_MS = 13_000

function checkLateLinkIsFound({ schedule, report: { outcome } }: Trace): string | undefined {
  const { task, ownTurn, lagsMs } = schedule
  const isLinked = task === 'create' && ownTurn.ending === 'completed' && ownTurn.hasLink
  const isInTime = ownTurn.linkDelayMs <= MAX_LINK_DELAY_MS - Math.max(0, ...lagsMs)
  return isLinked && isInTime && outcome === 'no-changes'
    ? `The job got its link ${ownTurn.linkDelayMs} ms after the end of the turn, but the outcome is no-changes.`
    : undefined
}

/** Must hold for every schedule. Returns what is wrong, or undefined if it holds. */
type Invariant = (trace: Trace) => string | undefined

const INVARIANTS: Readonly<Record<string, Invariant>> = {
  'The service reads at most one prompt that it may process.': checkPromptIsReadOnce,
  'The step resends a prompt only if the service did not process it.': checkNoUnsafeRetry,
  'The step sends no prompt to a job that it knows to be archived.': checkArchivedGetsNoPrompt,
  'A step that waits sends a follow-up only after the preceding turn has ended.': checkBusyJobGetsNoPrompt,
  'The step reports an outcome only after a response about its own turn that proves it.': checkOutcome,
  'Whether the step is green follows from the outcome, the error and `fail-on`.': checkColor,
  'A step is not green if the service has not processed its prompt.': checkGreen,
  'The step ends within 2 s of its deadline or its cancellation.': ({
    endedAt,
    schedule: { timeoutMs, cancelAtMs = Infinity },
  }) => checkEndsInTime(endedAt, Math.min(timeoutMs, cancelAtMs)),
  'The duration does not depend on the wall clock.': checkDuration,
  'No text contains the key or its start, in any encoding.': checkKeyIsRedacted,
  'An accepted job is an output, and is reported immediately.': checkAcceptedJobIsReported,
  'The step reports that a prompt may have been processed.': checkUnknownDeliveryIsReported,
  'The log has at most one line for each change, each minute and each long wait.': checkLogLength,
  'The step reports a change only if its own turn made it.': checkChange,
  'The step finds a link that is in time, even if reads fail.': checkLateLinkIsFound,
  ...SHOWN_INVARIANTS,
}

/** Returns each violated invariant, with what is wrong. */
export const listProblems = (trace: Trace): string[] => listViolations(INVARIANTS, trace)
