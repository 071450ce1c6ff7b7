import { AGENT_USER } from '../../src/emulator/github/demo-state.ts'
import { BASE_URL } from '../support/in-process-github.ts'
import type { Turn } from '../../src/emulator/service/job-machine.ts'
import { brokenIn, endsInTime, SHOWN_PROMISES } from './shown-promises.ts'
import { OUTSIDE, REPOSITORY, runIdOf, type HistoryRun, type HistoryTrace } from './history.ts'
import {
  type Checked,
  checkedOf,
  docsOf,
  filesUpTo,
  jobOf,
  MARKERS_BY,
  openSince,
  pullOf,
  pullPushesOf,
  pushesOf,
  turnsOf,
} from './history-truth.ts'

/** Something that must hold for each step of each history; gives what is wrong, or undefined. */
type HistoryInvariant = (run: HistoryRun, trace: HistoryTrace) => string | undefined

/** The oldest copies, and the way to the servers: what is newer than this before a request, no step can know. */
export const OLDEST_COPY_MS = 10_000
const UNKNOWABLE_MS = OLDEST_COPY_MS + 6_000
/** How long all that is known of checks has to stand. */
const STANDING_MS = 15_000
/** What has not changed for so long, every step has seen. */
const LONG_MS = 120_000
/** After the last read of the job, the commits of the turn are looked for during this time. */
const LATE_PUSH_MS = 30_000
const ENDED = ['completed', 'failed', 'archived']
/** Outcomes that claim an end of the turn. */
const CLAIMS = ['pull-request', 'no-changes', 'failed', 'archived']

const waits = ({ step }: HistoryRun): boolean => step.given['wait'] !== 'false'

/** The end of every turn of a step has to be read before anything is claimed of it, and before the next is started. */
function endsAreRead(run: HistoryRun, trace: HistoryTrace): string | undefined {
  const turns = turnsOf(run)
  const isRead = (call: (typeof turns)[number], beforeMs: number): boolean =>
    run.calls.some(
      ({ what, atMs, asOfMs, jobId, status = '' }) =>
        what === 'read' &&
        jobId === call.jobId &&
        asOfMs >= call.turn.endsAtMs &&
        atMs < beforeMs &&
        ENDED.includes(status),
    )
  const early = turns.slice(1).find((next, index) => {
    const before = turns[index] ?? next
    return before.jobId === next.jobId && !isRead(before, next.atMs)
  })
  // Nobody can tell whose turn it is that ends while several steps send messages to one job.
  if (early !== undefined && !othersWorked(run, trace))
    return 'A message was sent while the turn before was unfinished, or its end was not read.'
  const claims = CLAIMS.includes(run.report.outcome) && run.report.error === undefined && waits(run)
  // A round that ends badly, or is never seen to end, leaves the result as it was.
  if (!claims || turns.length === 0 || othersWorked(run, trace)) return undefined
  if (turns.some((call) => isRead(call, Infinity))) return undefined
  return `${run.report.outcome} was claimed, and the end of the turn was not read.`
}

const ENDINGS: Readonly<Record<string, readonly string[]>> = {
  'pull-request': ['pull-request', 'no-changes'],
  'no-changes': ['pull-request', 'no-changes'],
  failed: ['failed'],
}

function outcomeIsTrue(run: HistoryRun, trace: HistoryTrace): string | undefined {
  const endings = turnsOf(run).map(({ turn }) => turn.plan.ending)
  const { outcome, error } = run.report
  const fitting = ENDINGS[outcome]
  if (endings.length === 0 || fitting === undefined || error !== undefined || !waits(run)) return undefined
  return endings.some((ending) => fitting.includes(ending)) || othersWorked(run, trace)
    ? undefined
    : `${outcome} was claimed, and the turn ended as ${endings.join()}.`
}

const someTurnBegan = ({ startMs, endMs }: HistoryRun, { service }: HistoryTrace): boolean =>
  [...service.listJobs()].some(({ turns }) =>
    turns.some(({ startsAtMs }) => startsAtMs > startMs && startsAtMs < endMs),
  )

/** Whether the agent worked on other prompts of the job in this time, which the service does not tell apart. */
function othersWorked(run: HistoryRun, trace: HistoryTrace): boolean {
  const own = turnsOf(run)
  const [first] = own
  // A prompt whose answer was lost counts as taken if a turn begins, and nobody can tell whose turn it is.
  if (first === undefined) return someTurnBegan(run, trace)
  const others = (jobOf(trace, first.jobId)?.turns ?? []).filter((turn) => own.every((one) => one.turn !== turn))
  // A message is sent after 15 s of reads that show the job idle, but replica lag can hide a short turn right before it.
  const sinceMs = first.atMs - OLDEST_COPY_MS
  const lastReadMs = Math.max(...run.calls.map(({ atMs }) => atMs))
  const untilMs = Math.min(run.endMs, lastReadMs + LATE_PUSH_MS)
  return others.some(({ startsAtMs, endsAtMs }) => startsAtMs < untilMs && endsAtMs > sinceMs)
}

function changeIsTrue(run: HistoryRun, trace: HistoryTrace): string | undefined {
  const { changed = '', 'pr-operation': operation = '', outcome = '' } = run.outputs
  const turns = turnsOf(run)
  const pushed = turns.some(({ turn }) => pushesOf(trace, turn).some((atMs) => atMs <= run.endMs))
  if (othersWorked(run, trace)) return undefined
  if (changed === 'true' && !pushed) return `It says ${operation}, and the agent pushed nothing in this turn.`
  // What came a moment ago may not be seen yet.
  const seenMs = Math.max(0, ...run.calls.filter(({ what }) => what === 'read').map(({ asOfMs }) => asOfMs))
  const isShown = ({ endsAtMs, plan }: Turn): boolean => endsAtMs + plan.linkDelayMs <= seenMs
  const hasPushed = turns.some(
    (call) => isShown(call.turn) && pullPushesOf(trace, call).some((atMs) => atMs <= run.endMs - UNKNOWABLE_MS),
  )
  return changed === 'false' && hasPushed
    ? `It says that nothing changed (${outcome}), and the agent pushed.`
    : undefined
}

/** What a step says if GitHub did not tell which commits came. */
const LOST_COMMITS = /^Could not determine whether (?:the follow-up change|commits were pushed after)/

/** Commits of a follow-up that came after its pull request was merged or closed are in no pull request. */
function leftBehindIsTold(run: HistoryRun, trace: HistoryTrace): string | undefined {
  const { error, warnings } = run.report
  const [first] = turnsOf(run)
  // Without GitHub it may not be known what the turn has changed.
  const isLost = run.outputs['changed'] === '' && warnings.some(({ message }) => LOST_COMMITS.test(message))
  const isKnown = run.outputs['pr-operation'] !== '' && error === undefined && !isLost
  if (!isKnown || first?.what !== 'message' || !waits(run)) return undefined
  const job = jobOf(trace, first.jobId)
  const { closedAtMs = Infinity } = (job && pullOf(trace, job)) ?? {}
  const late = pushesOf(trace, first.turn).some((atMs) => atMs > closedAtMs && atMs <= run.endMs - UNKNOWABLE_MS)
  return late && !othersWorked(run, trace)
    ? 'The agent pushed to a pull request that had ended, and nobody is told.'
    : undefined
}

/** While others work on a job nothing is sent to it, as far as a step can know. */
function busyJobIsSentNothing(run: HistoryRun, trace: HistoryTrace): string | undefined {
  if (!waits(run) && run.step.asks === 'follow-up') return undefined
  const message = turnsOf(run).find(({ what, atMs, jobId, turn }) => {
    const others = (jobOf(trace, jobId)?.turns ?? []).filter((other) => other !== turn)
    return (
      what === 'message' &&
      others.some(({ startsAtMs, endsAtMs }) => startsAtMs < atMs - UNKNOWABLE_MS && endsAtMs > atMs)
    )
  })
  return message === undefined ? undefined : 'A message was sent to a job that was at work on another prompt.'
}

function promptsAreBounded(run: HistoryRun): string | undefined {
  const most = 1 + Number(run.step.given['fix-rounds'] ?? '0')
  const count = turnsOf(run).length
  if (count > most) return `${count} prompts were taken, and at most ${most} were asked for.`
  if (run.step.given['on-open-pr'] === 'skip' && turnsOf(run)[0]?.what === 'message')
    return 'A message was sent, and `on-open-pr` is `skip`.'
  const creates = turnsOf(run).filter(({ what }) => what === 'create').length
  return creates > 1 ? 'One step created two jobs.' : undefined
}

/** No new job while a marked pull request is open that its own job proves, from before the step to the creation. */
function noSecondIsOpened(run: HistoryRun, trace: HistoryTrace): string | undefined {
  const create = turnsOf(run).find(({ what }) => what === 'create')
  if (run.step.asks !== 'rolling' || create === undefined) return undefined
  const open = [...trace.service.listJobs()].find((job) => {
    const sinceMs = openSince(trace, job, create.atMs)
    // A job that had failed may have got another prompt a moment ago.
    const wasOpen = openSince(trace, job, create.atMs - UNKNOWABLE_MS) !== undefined
    return sinceMs !== undefined && sinceMs < run.startMs && wasOpen
  })
  return open === undefined ? undefined : `A job was created while the pull request of ${open.id} was open.`
}

/** Whatever was taken for the job's pull request is the one that it has opened. */
function pullRequestIsProven(run: HistoryRun, trace: HistoryTrace): string | undefined {
  const { outputs } = run
  const { 'pr-link': link = '', 'job-id': jobId = '', continued = '' } = outputs
  const job = jobOf(trace, jobId)
  const turns = turnsOf(run)
  if (jobId !== '' && turns.some((call) => call.jobId !== jobId))
    return 'The output names another job than the one that was asked.'
  if (link !== '' && link !== `${BASE_URL}/${REPOSITORY}/pull/${job?.pullNumber ?? ''}`)
    return `${link} is not that of ${jobId}.`
  const message = turns.find(({ what }) => what === 'message')
  if (continued === '' || message === undefined || job === undefined) return undefined
  const pull = pullOf(trace, job)
  const isOpen = pull !== undefined && (pull.closedAtMs ?? Infinity) > message.atMs - UNKNOWABLE_MS
  return isOpen ? undefined : 'A message was sent for a pull request that was not open.'
}

/** Whether GitHub answered all that it was asked. */
const isCalm = ({ history: { github } }: HistoryTrace): boolean =>
  (github.faults?.faults ?? []).every((fault) => fault === 'none')

/** Long ago, with time to see it after the turn, and nothing that kept the step from it. */
function checksHadEnded({ endMs, deadlineMs, outputs, calls }: HistoryRun, all: readonly Checked[]): boolean {
  const times = [...all.map(({ endedMs }) => endedMs), ...calls.map(({ atMs }) => atMs)]
  const isStarted = all.every(({ name }) => !name.startsWith('suite'))
  const isLongAgo = Math.max(...times) < Math.min(endMs, deadlineMs) - LONG_MS
  return all.length > 0 && outputs['pr-state'] === 'open' && isStarted && isLongAgo
}

/** The checks without those that came after all had ended and stood, which no step can know. */
function knownInTime(ever: readonly Checked[]): readonly Checked[] {
  const checks = ever.toSorted((a, b) => a.knownMs - b.knownMs)
  const end = checks.findIndex(({ knownMs }, index) => {
    const quietMs = Math.max(...checks.slice(0, index).map(({ endedMs }) => endedMs))
    return index > 0 && knownMs > quietMs + STANDING_MS
  })
  return end === -1 ? checks : checks.slice(0, end)
}

function checksAreTrue(run: HistoryRun, trace: HistoryTrace): string | undefined {
  const { checks = '', 'pr-head-sha': sha = '' } = run.outputs
  const ever = checkedOf(trace, sha)
  const all = ever.filter(({ isReplaced }) => !isReplaced)
  if (checks === 'failure' && all.every(({ isGood }) => isGood)) {
    // What failed may have been replaced since.
    const { checkRuns, statuses } = docsOf(trace)
    const failed = [
      ...checkRuns.filter(({ conclusion }) => conclusion === 'failure'),
      ...statuses.filter(({ state }) => state === 'failure'),
    ]
    return failed.some(({ headSha }) => headSha === sha) ? undefined : 'It says that checks failed, and none did.'
  }
  if (checks === 'pending')
    return isCalm(trace) && checksHadEnded(run, all) ? 'It says that checks are not over, and all were.' : undefined
  if (checks !== 'success') return undefined
  if (all.length === 0) return 'It says that checks passed, and there is none.'
  const bad = knownInTime(ever).find(({ isGood, isReplaced }) => !isGood && isReplaced !== true)
  return bad === undefined ? undefined : `It says that all checks passed, and ${bad.name} did not.`
}

/** What no round takes back, nor anything else that is done once the turn has ended. */
function resultStays(run: HistoryRun): string | undefined {
  const { outcome, error } = run.report
  if (turnsOf(run).length < 2) return undefined
  const isKept = outcome === 'cancelled' || (['pull-request', 'no-changes'].includes(outcome) && error === undefined)
  return isKept ? undefined : `After a round it says ${outcome}, ${error?.code ?? ''}.`
}

/** What is asked for about the pull request is known to be good. */
const gatesAreGood = ({ outputs, step: { given } }: HistoryRun): boolean =>
  (given['wait-for-checks'] !== 'true' || outputs['checks'] === 'success') &&
  ((given['allowed-paths'] ?? '') === '' || outputs['in-scope'] === 'true')

function readyIsTrue(run: HistoryRun): string | undefined {
  const { title, isGreen, outputs, step, report } = run
  const isOpen = outputs['pr-state'] === 'open' && outputs['pr-mergeable'] === 'true'
  if (title.includes('is ready') && !(isOpen && gatesAreGood(run))) return `“${title}”: ${JSON.stringify(outputs)}`
  const hasEnded = CLAIMS.includes(report.outcome) && report.job?.prLink !== undefined
  const isOver = ['merged', 'closed'].includes(outputs['pr-state'] ?? '')
  const isAsked = step.given['fail-on'] !== 'none' && waits(run) && !isOver
  return isGreen && hasEnded && isAsked && !gatesAreGood(run)
    ? `It is green, and not all that was asked for is known to be good.`
    : undefined
}

/** By its number a job is asked of the service alone. */
function gitHubStopsNothing({ step, report: { error } }: HistoryRun): string | undefined {
  const isStopped = step.asks === 'follow-up' && error?.message.includes('GitHub') === true
  return isStopped ? `GitHub made the step red: ${error.message}` : undefined
}

function scopeIsTrue({ outputs }: HistoryRun, trace: HistoryTrace): string | undefined {
  const { 'in-scope': scope = '', 'pr-head-sha': sha = '', 'pr-state': state = '' } = outputs
  if (scope === '' || state === 'merged') return undefined
  const isInside = !filesUpTo(trace, sha).includes(OUTSIDE)
  return scope === String(isInside) ? undefined : `It says in-scope ${scope} of ${sha.slice(0, 7)}.`
}

function greenIsTrue(run: HistoryRun, trace: HistoryTrace): string | undefined {
  const { outcome, error } = run.report
  if (!run.isGreen) return undefined
  if (error !== undefined) return 'It is green with an error.'
  if (turnsOf(run).length > 0 || outcome === 'skipped') return undefined
  return someTurnBegan(run, trace) ? undefined : `It is green with ${outcome}, and nothing was sent.`
}

/** The count comes before the message, so that it may be greater than the number of those that were taken. */
function followUpsAreCounted(run: HistoryRun, trace: HistoryTrace): string | undefined {
  const message = turnsOf(run).find(({ what }) => what === 'message')
  const job = jobOf(trace, message?.jobId ?? '')
  const pull = job && pullOf(trace, job)
  if (run.outputs['continued'] !== 'pull-request' || job === undefined || pull === undefined) return undefined
  const counts = pull.comments.map(({ body }) => Number(/follow-ups=(\d+)/.exec(body)?.[1] ?? 0))
  const count = Math.max(0, ...counts)
  return count > 20 || count === 0 ? `The count of pull request #${job.pullNumber} is ${count}.` : undefined
}

const TOLD: Readonly<Record<string, string>> = {
  created: 'opened',
  updated: 'new commit',
  unchanged: 'nothing to change',
}

/** Rows of the step in the comments of its pull request: one for its turn and one for each round, as it came out. */
function logIsTrue(run: HistoryRun, trace: HistoryTrace): string | undefined {
  const { log, warnings, error } = run.report
  const { comments = [] } = docsOf(trace).pulls[log?.pullRequest.number ?? 0] ?? {}
  const ours = comments.filter(({ body }) => body.includes('docs-agent-action: log -->'))
  const lines = ours.flatMap(({ body }) => body.split('\n'))
  const mentions = lines.some((line) => line.replace(/<!--.*?-->|<code>.*?<\/code>/g, '').includes('@'))
  if (mentions) return 'The comment mentions somebody.'
  const index = trace.runs.indexOf(run)
  const isAlone = trace.history.steps.every(({ begins }) => begins === 'after')
  if (isAlone && ours.length > 1) return `${ours.length} comments tell of it.`
  const rows = lines.filter((line) => line.includes(`<!-- row=${runIdOf(index)}.1.`))
  const rounds = Number(run.outputs['fix-rounds'] ?? '0')
  const isWritten = !warnings.some(({ message }) => message.startsWith('The log'))
  // A round that is not sent may have one too: the row is written before the last look at the pull request.
  const isAnnounced = run.report.stop === 'not-sent' || !isWritten || rows.at(-1)?.includes('not sent') === true
  const most = 1 + rounds + (isAnnounced ? 1 : 0)
  if (rows.length > most) return `${rows.length} rows tell of one turn and ${rounds} rounds.`
  // What two steps write at once, one of them loses.
  if (log === undefined || !isAlone || !isWritten) return undefined
  // A step that was cancelled before it sent its prompt has no turn to tell of.
  const isSent = run.report.outcome !== 'cancelled' || run.outputs['changed'] !== 'false'
  if (isSent && rows.length < 1 + rounds) return `${rows.length} rows tell of one turn and ${rounds} rounds.`
  if (!rows.every((line) => line.includes(`/main...${runIdOf(index)}"`) || line.includes('checks failed: ')))
    return `A row does not say who started it.`
  if (rows.some((line) => line.includes('working since')))
    return 'A row says that the agent is working, and the step has ended.'
  const isNewest = index === trace.runs.length - 1
  const mayStillRun = run.report.outcome === 'timed-out' && turnsOf(run).length > 0
  if (isNewest && mayStillRun && !rows.some((line) => line.includes('may still be working')))
    return 'No row says that the agent may still be working.'
  const told = TOLD[run.outputs['pr-operation'] ?? ''] ?? ''
  return error !== undefined || rows.some((line) => line.includes(told))
    ? undefined
    : `No row says “${told}”: ${rows.join()}`
}

/** What a step says if it could not write the comment, or could not find out whether it is there. */
const LOST_MARK = /^(?:The comment that names the job|The pull request could not be read)/

/** By its comment the next step finds the pull request of a new job. */
function newIsMarked(run: HistoryRun, trace: HistoryTrace): string | undefined {
  const { outcome, error, warnings } = run.report
  const create = turnsOf(run).find(({ what }) => what === 'create')
  const job = jobOf(trace, create?.jobId ?? '')
  const pull = job && pullOf(trace, job)
  const isExpected = outcome === 'pull-request' && error === undefined && waits(run)
  if (!isExpected || job === undefined || pull === undefined || (pull.closedAtMs ?? Infinity) <= run.endMs)
    return undefined
  const isMarked = pull.comments.some(
    ({ user, body, createdAtMs }) =>
      MARKERS_BY.includes(user) &&
      body.startsWith(`<!-- docs-agent-action: job=${job.id} -->`) &&
      createdAtMs <= run.endMs,
  )
  const isTold = warnings.some(({ message }) => LOST_MARK.test(message))
  return isMarked || isTold ? undefined : `Pull request #${job.pullNumber} has no comment that names ${job.id}.`
}

/** The files that a step shows are its own work, whoever else has worked in the pull request. */
function filesAreOfTheAgent({ report: { changes } }: HistoryRun, trace: HistoryTrace): string | undefined {
  const ofAgent = docsOf(trace).commits.filter(({ author }) => author === AGENT_USER)
  const touched = new Set(ofAgent.flatMap(({ files }) => files.map(({ filename }) => filename)))
  const other = changes?.files.find(({ path }) => !touched.has(path))
  return other && `It shows ${other.path}, which the agent has not touched.`
}

const HISTORY_INVARIANTS: Readonly<Record<string, HistoryInvariant>> = {
  'A step ends by its deadline and 2 s.': ({ endMs, deadlineMs }) => endsInTime(endMs, deadlineMs),
  'The end of each turn is read before it is claimed, and before the next is started.': endsAreRead,
  'An outcome is that of this turn.': outcomeIsTrue,
  'A change is claimed only if the agent pushed in this turn.': changeIsTrue,
  'Commits that came after a merge are told.': leftBehindIsTold,
  'A job is sent nothing while it works on something else.': busyJobIsSentNothing,
  'No more prompts are sent than asked for.': promptsAreBounded,
  'No second pull request while one is open.': noSecondIsOpened,
  'The pull request is the one that the job has opened.': pullRequestIsProven,
  'Checks have passed only if every check of that commit ended well.': checksAreTrue,
  'The scope is that of the commit that is named.': scopeIsTrue,
  'Green is only what was sent and taken.': greenIsTrue,
  'No pull request gets more than twenty follow-ups, and each is counted.': followUpsAreCounted,
  'The log in the pull request tells each turn as it was, and mentions nobody.': logIsTrue,
  'The open pull request of a new job names its job, unless the step says that it does not.': newIsMarked,
  'Files that are shown are those of the agent.': filesAreOfTheAgent,
  'No round takes back what its step has come to.': resultStays,
  'Only what is known to be good in all that was asked for is ready, or green by `fail-on`.': readyIsTrue,
  'Nothing of GitHub stops a step that was given its job.': gitHubStopsNothing,
  ...SHOWN_PROMISES,
}

/** Every invariant that does not hold, with the step and what is wrong. */
export function problemsOf(trace: HistoryTrace): string[] {
  return trace.runs.flatMap((run, index) =>
    brokenIn(HISTORY_INVARIANTS, run, trace).map((problem) => `Step ${index + 1}: ${problem}`),
  )
}
