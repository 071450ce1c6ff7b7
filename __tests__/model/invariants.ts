import type { Outcome } from '../../src/agent/report/report.ts'
import { problemIf, type Invariant } from './invariant.ts'
import { keyIsNowhere, logIsBounded, outputsAreKnown, redSaysWhy, runningIsTrue } from './invariants-of-texts.ts'
import { NEW_LINK, OLD_LINK, type View } from './job-life.ts'
import type { Trace } from './run-schedule.ts'
import type { PostRecord } from './service-model.ts'

const NOT_PROCESSED = new Set([425, 429])

/** How much later than its deadline, or than its cancellation, a step may end. */
const GRACE_MS = 2_000
const MAX_TRIES = 3

/** The requests of each prompt: that of the task, if it has one, and those of the rounds after it. */
function promptsOf({ service: { posts } }: Trace): readonly (readonly PostRecord[])[] {
  return [...new Set(posts.map(({ body }) => body))].map((prompt) => posts.filter(({ body }) => body === prompt))
}

/** Those of the task's own prompt. */
function ownPosts(trace: Trace): readonly PostRecord[] {
  return trace.schedule.task === 'attach' ? [] : (promptsOf(trace)[0] ?? [])
}

function promptIsReadOnce(trace: Trace): string | undefined {
  const reads = promptsOf(trace).map(
    (posts) => posts.filter(({ wasRead, status }) => wasRead && !NOT_PROCESSED.has(status ?? 0)).length,
  )
  const twice = reads.find((count) => count > 1)
  return problemIf(twice !== undefined, `The service read a complete prompt ${twice ?? 0} times.`)
}

function roundsAreBounded(trace: Trace): string | undefined {
  const { schedule, github } = trace
  const { asks } = schedule
  const rounds = promptsOf(trace).length - (ownPosts(trace).length > 0 ? 1 : 0)
  if (rounds > (asks.checks ? asks.fixRounds : 0)) return `${rounds} rounds were sent.`
  const haveFailed = [...(github?.told.checks.values() ?? [])].flat().some(({ state }) => state === 'failure')
  return problemIf(rounds > 0 && !haveFailed, 'A round was sent, and no check was told to have failed.')
}

const nothingIsSentAgainUnproven = (trace: Trace): string | undefined =>
  promptsOf(trace)
    .map(isSentAgainUnproven)
    .find((problem) => problem !== undefined)

function isSentAgainUnproven(posts: readonly PostRecord[]): string | undefined {
  const followed = posts.slice(0, -1)
  const again = followed.findIndex(({ status, wasRead }) => wasRead && !NOT_PROCESSED.has(status ?? 0))
  if (again !== -1) return `Prompt ${again + 1} was read, and still another one was sent.`
  const late = followed.findIndex(({ wasRead }, index) => !wasRead && index + 1 >= MAX_TRIES)
  return problemIf(late !== -1, `Try ${late + 1} did not reach the service, and still another one was made.`)
}

function archivedIsSentNothing({ service: { posts, delivered } }: Trace): string | undefined {
  const seen = delivered.find(({ view }) => view.status === 'archived')
  return problemIf(
    posts.some(({ at }) => seen !== undefined && at >= seen.at),
    'A prompt was sent to a job that had read archived.',
  )
}

function busyIsSentNothing({ service: { posts, delivered }, schedule }: Trace): string | undefined {
  const first = posts[0]
  if (schedule.task !== 'follow-up' || !schedule.wait || first === undefined) return undefined
  const last = delivered.filter(({ at, method }) => method === 'GET' && at <= first.at).at(-1)
  return problemIf(last === undefined || isActive(last.view), 'The prompt was sent while the job was busy.')
}

function isActive({ status }: View): boolean {
  return status !== 'completed' && status !== 'failed' && status !== 'archived'
}

function wasAnswered(trace: Trace, matches: (view: View) => boolean): boolean {
  const isOurs = ({ whose }: View): boolean => trace.schedule.task === 'attach' || whose === 'ours'
  return trace.service.delivered.some(({ view }) => isOurs(view) && matches(view))
}

/** Whether anything has said that our turn has come to a pull request: the service, or a list that holds its commit. */
function cameToPullRequest(trace: Trace): boolean {
  const { outputs, github } = trace
  const isNamed = ({ status, link }: View): boolean =>
    status === 'completed' && link !== undefined && (outputs['pr-link'] ?? link).startsWith(link)
  return wasAnswered(trace, isNamed) || github?.toldOfOurPush() === true
}

const isUnchanged = ({ outputs }: Trace): boolean => outputs['pr-operation'] === 'unchanged'

type Proof = (trace: Trace) => boolean

/** What the service must have said before an outcome may be claimed, whatever its colour. */
const PROOFS: Readonly<Partial<Record<Outcome, Proof>>> = {
  'pull-request': cameToPullRequest,
  'no-changes': (trace) =>
    wasAnswered(trace, ({ status, link }) => status === 'completed' && (link === undefined || isUnchanged(trace))),
  skipped: ({ service: { posts }, schedule: { github } }) =>
    posts.length === 0 && (github?.changeCounts === false || github?.pushIsOwn === true),
  failed: (trace) => wasAnswered(trace, ({ status }) => status === 'failed'),
  archived: (trace) => trace.service.delivered.some(({ view }) => view.status === 'archived'),
  submitted: (trace) =>
    trace.schedule.task === 'attach'
      ? wasAnswered(trace, isActive)
      : trace.service.posts.some((post) => post.wasProcessed),
}

function outcomeIsProven(trace: Trace): string | undefined {
  const { outcome, error } = trace.report
  const proof = PROOFS[outcome]
  const isMissing = error === undefined && proof !== undefined && !proof(trace)
  return problemIf(isMissing, `The outcome ${outcome} was claimed, and no answer says so.`)
}

const COLOURED_BY_FAIL_ON: Readonly<Partial<Record<Outcome, string>>> = {
  failed: 'failed',
  archived: 'archived',
  'timed-out': 'timeout',
  'no-changes': 'no-changes',
}
const ENDED: readonly Outcome[] = ['pull-request', 'no-changes', 'failed', 'archived']
const ALWAYS_GREEN: readonly Outcome[] = ['pull-request', 'submitted', 'skipped']

function greenIsAllowed({ conclusion, report, schedule }: Trace): string | undefined {
  if (!conclusion.isGreen) return undefined
  const word = COLOURED_BY_FAIL_ON[report.outcome]
  const isAllowed =
    ALWAYS_GREEN.includes(report.outcome) || (word !== undefined && !schedule.failOn.some((on) => on === word))
  if (report.error !== undefined) return 'The step is green although something kept it from its work.'
  return problemIf(!isAllowed, `The step is green with the outcome ${report.outcome}.`)
}

/** Whether the step has seen the end of a turn, and knows the pull request of its job. */
function hasPullRequest({ report: { outcome, error, job } }: Pick<Trace, 'report'>): boolean {
  return ENDED.includes(outcome) && error === undefined && job?.prLink !== undefined
}

function redIsAllowed({ conclusion, report, schedule }: Trace): string | undefined {
  if (conclusion.isGreen || report.error !== undefined || report.outcome === 'unconfirmed') return undefined
  const word = COLOURED_BY_FAIL_ON[report.outcome]
  const gates = hasPullRequest({ report }) ? ['checks', 'out-of-scope'] : []
  return problemIf(
    !schedule.failOn.some((on) => on === word || gates.includes(on)),
    `The step is red with the outcome ${report.outcome}, without an error.`,
  )
}

function greenMeansAccepted({ conclusion, report, schedule, service }: Trace): string | undefined {
  const wasAccepted =
    schedule.task === 'attach' || report.outcome === 'skipped' || service.posts.some(({ wasProcessed }) => wasProcessed)
  return problemIf(conclusion.isGreen && !wasAccepted, 'The step is green, and the service has never taken the prompt.')
}

function settlesInTime({ endedAt, schedule }: Trace): string | undefined {
  return problemIf(
    endedAt > schedule.timeoutMs + GRACE_MS,
    `It ended ${endedAt - schedule.timeoutMs} ms after its deadline.`,
  )
}

function hearsCancel({ endedAt, schedule: { cancelAtMs = Infinity } }: Trace): string | undefined {
  return problemIf(endedAt > cancelAtMs + GRACE_MS, `It ended ${endedAt - cancelAtMs} ms after it was cancelled.`)
}

function durationIsMonotonic({ endedAt, report }: Trace): string | undefined {
  return problemIf(
    report.durationMs !== endedAt,
    `It says that it took ${report.durationMs} ms, and took ${endedAt} ms.`,
  )
}

function acceptedJobIsHandedOn({ service: { posts }, accepted, outputs, schedule }: Trace): string | undefined {
  const times = posts.flatMap(({ acceptedAt }) => acceptedAt ?? [])
  if (schedule.task !== 'create' && outputs['job-id'] === '') return 'The job that was given is not an output.'
  if (accepted.length !== times.length)
    return `A job was accepted ${times.length} times, and handed on ${accepted.length} times.`
  const other = accepted.find(({ id }) => id !== outputs['job-id'])
  if (other !== undefined) return `The output is ${outputs['job-id'] ?? 'missing'}, not ${other.id}.`
  return problemIf(
    accepted.some(({ at }, index) => at !== times[index]),
    'The job was handed on only after some waiting.',
  )
}

function unknownFateIsTold(trace: Trace): string | undefined {
  const { report, log } = trace
  const posts = ownPosts(trace)
  const isOpen =
    posts.some(({ wasProcessed }) => wasProcessed) && posts.every(({ acceptedAt }) => acceptedAt === undefined)
  const wasFound = log.some((line) => line.includes('The agent has begun this follow-up.'))
  const isTold = report.error === undefined || report.error.code === 'unknown-fate'
  return problemIf(
    isOpen && !wasFound && !isTold,
    `The prompt may have been taken, and the error is ${report.error?.code ?? ''}.`,
  )
}

function changeIsTrue(trace: Trace): string | undefined {
  const { outputs, schedule, github } = trace
  const { task, before, github: plan } = schedule
  const { changed = '', 'pr-link': link = '', 'pr-operation': operation = '' } = outputs
  const hadLink = task === 'follow-up' && before.ending === 'completed' && before.hasLink
  // An archived job may have a link as well.
  const isLinked = cameToPullRequest(trace) || wasAnswered(trace, (view) => view.link !== undefined)
  if (changed === 'true' && !isLinked) return 'It says that it changed something, and nothing says so.'
  if (changed !== 'true' && (operation === 'created' || operation === 'updated')) return `${operation} is no change.`
  if (changed === 'false' && !isKnownUnchanged(trace)) return 'It says that nothing changed, and nobody knows.'
  if (operation === 'created' && hadLink && link.startsWith(OLD_LINK)) return 'The pull request was there before.'
  if (operation === 'updated' && github?.toldOfOurPush() !== true) return 'No commit of ours was told.'
  return problemIf(operation === 'unchanged' && plan?.oursPushes === true, 'The turn had added a commit.')
}

function gatesAreKnownGood(trace: Trace): string | undefined {
  const { conclusion, report, schedule, github } = trace
  if (!conclusion.isGreen || !hasPullRequest(trace)) return undefined
  const { failOn, github: plan } = schedule
  const checks = github?.told.checks.get(report.pullRequest?.headSha ?? '') ?? []
  const havePassed = checks.length > 0 && checks.every(({ state }) => state === 'success')
  if (failOn.includes('checks') && !havePassed)
    return 'It is green, and the checks of its head were not told to be good.'
  const isInside = github?.told.files === true && plan?.filesAreInside === true
  return problemIf(
    failOn.includes('out-of-scope') && !isInside,
    'It is green, and the files were not told to be inside.',
  )
}

function titleIsKnown({ conclusion, outputs, schedule: { asks } }: Trace): string | undefined {
  if (!conclusion.title.includes('is ready')) return undefined
  const isGood = (name: 'checks' | 'in-scope', good: string): boolean => outputs[name] === good
  const isKnown =
    outputs['pr-state'] === 'open' &&
    outputs['pr-mergeable'] !== 'false' &&
    (!asks.checks || isGood('checks', 'success')) &&
    (!asks.scope || isGood('in-scope', 'true'))
  return problemIf(!isKnown, `“${conclusion.title}”: ${JSON.stringify(outputs)}`)
}

/** Whether an end of this turn was told, or nothing of its prompt can have been taken. */
function isKnownUnchanged(trace: Trace): boolean {
  const { schedule, report, service } = trace
  const isUnsent = schedule.task !== 'attach' && !service.posts.some(({ wasProcessed }) => wasProcessed)
  const hasEnded = ENDED.includes(report.outcome) || isUnchanged(trace)
  return isUnsent || (hasEnded && wasAnswered(trace, (view) => !isActive(view)))
}

function gitHubStopsNothing({ report: { error } }: Trace): string | undefined {
  return problemIf(error?.message.includes('GitHub') === true, `GitHub made the step red: ${error?.message ?? ''}`)
}

function isWrittenOnce(trace: Trace): string | undefined {
  const { github, schedule, report } = trace
  const { task, asks, oursHasTheSameLink, cancelAtMs = Infinity, timeoutMs } = schedule
  const hasNone = report.outcome !== 'pull-request' && ENDED.includes(report.outcome)
  const isOld = task === 'attach' || (task === 'follow-up' && oursHasTheSameLink)
  // Without one of this turn it is the one that the job has had.
  const link = (hasNone ? report.job?.prLink?.href : undefined) ?? (isOld ? OLD_LINK : NEW_LINK)
  const writes = github?.writes ?? []
  if (new Set(writes.map(({ what }) => what)).size < writes.length) return 'A label or a comment was written twice.'
  const isRight = writes.every(
    ({ number, at }) => link.includes(`/pull/${number}`) && at <= Math.min(cancelAtMs, timeoutMs),
  )
  return problemIf(writes.length > 0 && !(asks.label && isRight), `This was written: ${JSON.stringify(writes)}`)
}

export const INVARIANTS: readonly Invariant[] = [
  { sentence: 'The service reads each prompt that it may process once at most.', problem: promptIsReadOnce },
  { sentence: 'No more rounds are sent than asked for, and only about checks that failed.', problem: roundsAreBounded },
  { sentence: 'A prompt is sent again only if nothing was processed.', problem: nothingIsSentAgainUnproven },
  { sentence: 'A job that has read archived is sent nothing.', problem: archivedIsSentNothing },
  { sentence: 'A job is sent a follow-up to wait for only when its turn has ended.', problem: busyIsSentNothing },
  { sentence: 'An outcome is claimed only if an answer about this turn says so.', problem: outcomeIsProven },
  { sentence: 'Green is only what `fail-on` and the outcome allow.', problem: greenIsAllowed },
  { sentence: 'Red is only an error, or what `fail-on` asks for.', problem: redIsAllowed },
  { sentence: 'A prompt that was never taken is never green.', problem: greenMeansAccepted },
  { sentence: 'The step ends by its deadline and 2 s.', problem: settlesInTime },
  { sentence: 'A cancelled step ends within 2 s.', problem: hearsCancel },
  { sentence: 'A duration does not depend on the wall clock.', problem: durationIsMonotonic },
  { sentence: 'The key is in no text, in no encoding, not even cut.', problem: keyIsNowhere },
  { sentence: 'An accepted job is an output, handed on before any waiting.', problem: acceptedJobIsHandedOn },
  { sentence: 'A red step says what happened and what to do.', problem: redSaysWhy },
  { sentence: 'A prompt that may have been taken is said to be so.', problem: unknownFateIsTold },
  { sentence: 'Only a job that was last seen active is said to go on.', problem: runningIsTrue },
  { sentence: 'The log has at most a line for a change and one for a minute.', problem: logIsBounded },
  { sentence: 'The outputs are the known ones, with known values.', problem: outputsAreKnown },
  { sentence: 'A change is claimed only if this turn made it.', problem: changeIsTrue },
  { sentence: 'A gate that `fail-on` asks for is green only if GitHub said so.', problem: gatesAreKnownGood },
  { sentence: 'Only what is known to be good in all that was asked for is called ready.', problem: titleIsKnown },
  { sentence: 'Nothing of GitHub stops a step.', problem: gitHubStopsNothing },
  { sentence: 'Label and comment are written once, and to the pull request of this turn.', problem: isWrittenOnce },
]

/** Every invariant that does not hold, with what is wrong. */
export function problemsOf(trace: Trace): string[] {
  return INVARIANTS.flatMap(({ sentence, problem }) => {
    const found = problem(trace)
    return found === undefined ? [] : [`${sentence} ${found}`]
  })
}
