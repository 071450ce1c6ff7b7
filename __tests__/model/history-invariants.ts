import { AGENT_USER, TOKEN_USER } from '../../src/emulator/github/demo-state.ts'
import type { HistoryRow } from '../../src/agent/history/state.ts'
import { BASE_URL } from '../../testing/in-process-github.ts'
import type { ScheduledTurn } from '../../src/emulator/service/job-machine.ts'
import { checkEndsInTime, listViolations, SHOWN_INVARIANTS } from './shown-invariants.ts'
import { getRunId, LABEL, OUTSIDE, REPOSITORY, type HistoryRun, type HistoryTrace } from './history.ts'
import {
  type CheckResult,
  findJob,
  findPull,
  getRepository,
  isContinuable,
  listChangedFiles,
  listChecks,
  listHistories,
  listPullPushesMs,
  listPushesMs,
  listTurns,
  TRUSTED_AUTHORS,
} from './history-truth.ts'

/** Must hold for each step of each history. Returns what is wrong, or undefined if it holds. */
type HistoryInvariant = (run: HistoryRun, trace: HistoryTrace) => string | undefined

/** The lag of the service's replicas. */
export const MAX_LAG_MS = 15_000

/** After a turn, the step reads the head again once, after five seconds. */
export const MAX_HEAD_LAG_MS = 4_500

/** Replica lag and latency: a step cannot know what happened less than this before its request. */
const UNKNOWABLE_MS = MAX_LAG_MS + 6_000

/** The checks of a commit are final when they have not changed for this long, or at once if the commit is older than a minute. */
const STABLE_CHECKS_MS = 15_000
const NEW_HEAD_MS = 60_000

/** Every step has seen what has not changed for this long. */
const CERTAINLY_SEEN_MS = 120_000

/** After the last read of the job, the step looks for commits of the turn for this long. */
const LATE_PUSH_MS = 30_000
const ENDED = ['completed', 'failed', 'archived']

/** Outcomes that claim an end of the turn. */
const CLAIMS = ['pull-request', 'no-changes', 'failed', 'archived']

const waits = ({ step }: HistoryRun): boolean => step.inputs['wait'] !== 'false'

/** A step must read the end of each of its turns before it reports a result, and before it starts the next turn. */
function checkEndsAreRead(run: HistoryRun, trace: HistoryTrace): string | undefined {
  const turns = listTurns(run)
  const isRead = (call: (typeof turns)[number], beforeMs: number): boolean =>
    run.serviceCalls.some(
      ({ operation, atMs, asOfMs, jobId, status = '' }) =>
        operation === 'read' &&
        jobId === call.jobId &&
        asOfMs >= call.turn.endsAtMs &&
        atMs < beforeMs &&
        ENDED.includes(status),
    )
  const early = turns.slice(1).find((next, index) => {
    const before = turns[index] ?? next
    return before.jobId === next.jobId && !isRead(before, next.atMs)
  })
  // While several steps send messages to one job, no step can know whose turn has ended.
  if (early !== undefined && !didOthersPrompt(run, trace))
    return 'A message was sent while the preceding turn was unfinished, or its end was not read.'
  const claims = CLAIMS.includes(run.report.outcome) && run.report.error === undefined && waits(run)
  // A round that fails, or whose end is never seen, leaves the result unchanged.
  if (!claims || turns.length === 0 || didOthersPrompt(run, trace)) return undefined
  if (turns.some((call) => isRead(call, Infinity))) return undefined
  return `The step reported ${run.report.outcome}, but did not read the end of the turn.`
}

const ENDINGS: Readonly<Record<string, readonly string[]>> = {
  'pull-request': ['pull-request', 'no-changes'],
  'no-changes': ['pull-request', 'no-changes'],
  failed: ['failed'],
}

function checkOutcome(run: HistoryRun, trace: HistoryTrace): string | undefined {
  const endings = listTurns(run).map(({ turn }) => turn.plan.ending)
  const { outcome, error } = run.report
  const allowed = ENDINGS[outcome]
  if (endings.length === 0 || allowed === undefined || error !== undefined || !waits(run)) return undefined
  return endings.some((ending) => allowed.includes(ending)) || didOthersPrompt(run, trace)
    ? undefined
    : `The step reported ${outcome}, but the turn ended as ${endings.join()}.`
}

const didAnyTurnStart = ({ startMs, endMs }: HistoryRun, { service }: HistoryTrace): boolean =>
  [...service.listJobs()].some(({ turns }) =>
    turns.some(({ startsAtMs }) => startsAtMs > startMs && startsAtMs < endMs),
  )

/** Whether the agent worked on prompts of other clients in the same job. The service does not show whose turn it is. */
function didOthersPrompt(run: HistoryRun, trace: HistoryTrace): boolean {
  const own = listTurns(run)
  const [first] = own
  // If the response to a prompt was lost, the start of any turn counts as its delivery.
  if (first === undefined) return didAnyTurnStart(run, trace)
  const others = (findJob(trace, first.jobId)?.turns ?? []).filter((turn) => own.every((one) => one.turn !== turn))
  // A message is sent after 15 s of reads that show the job idle, but replica lag can hide a short turn right before it.
  const sinceMs = first.atMs - MAX_LAG_MS
  const lastReadMs = Math.max(...run.serviceCalls.map(({ atMs }) => atMs))
  const untilMs = Math.min(run.endMs, lastReadMs + LATE_PUSH_MS)
  return others.some(({ startsAtMs, endsAtMs }) => startsAtMs < untilMs && endsAtMs > sinceMs)
}

/** Whether other jobs pushed to the branch of the step's pull request. A commit does not record which job pushed it. */
function didOtherJobsPush(run: HistoryRun, trace: HistoryTrace): boolean {
  const [first] = listTurns(run)
  if (first === undefined || trace.history.github.agentBranch === undefined) return false
  const others = [...trace.service.listJobs()].filter(({ id }) => id !== first.jobId).flatMap(({ turns }) => turns)
  const pushesMs = others.flatMap((turn) => listPushesMs(trace, turn))
  return pushesMs.some((atMs) => atMs > first.atMs - MAX_LAG_MS && atMs <= run.endMs)
}

function checkChange(run: HistoryRun, trace: HistoryTrace): string | undefined {
  const { changed = '', 'pull_request.operation': operation = '', outcome = '' } = run.outputs
  const turns = listTurns(run)
  const didPush = turns.some(({ turn }) => listPushesMs(trace, turn).some((atMs) => atMs <= run.endMs))
  if (didOthersPrompt(run, trace) || didOtherJobsPush(run, trace)) return undefined
  if (changed === 'true' && !didPush) return `The step reported ${operation}, but the agent pushed nothing in its turn.`
  // Replica lag may hide the newest pushes.
  const seenMs = Math.max(
    0,
    ...run.serviceCalls.filter((call) => call.operation === 'read').map(({ asOfMs }) => asOfMs),
  )
  const isSeen = ({ endsAtMs, plan }: ScheduledTurn): boolean => endsAtMs + plan.linkDelayMs <= seenMs
  const hasSeenPush = turns.some(
    (call) => isSeen(call.turn) && listPullPushesMs(trace, call).some((atMs) => atMs <= run.endMs - UNKNOWABLE_MS),
  )
  return changed === 'false' && hasSeenPush
    ? `The step reported that nothing changed (${outcome}), but the agent pushed.`
    : undefined
}

/** Whether the agent's pull request was merged or closed before the step could read the end of the first turn. */
function isEndedDuringTurn(run: HistoryRun, trace: HistoryTrace): boolean {
  const [first] = listTurns(run)
  const job = first && findJob(trace, first.jobId)
  const { closedAtMs = Infinity } = (job && findPull(trace, job)) ?? {}
  return first?.operation === 'message' && closedAtMs < first.turn.endsAtMs
}

/** The warning of a step that could not read the pull request. */
const UNKNOWN_EFFECT = 'Could not determine whether the follow-up change'

/** Commits that a follow-up pushes after its pull request was merged or closed may be in no pull request. */
function checkMergedTooEarlyIsReported(run: HistoryRun, trace: HistoryTrace): string | undefined {
  const { outcome, warnings } = run.report
  const isUnknown = warnings.some(({ message }) => message.startsWith(UNKNOWN_EFFECT))
  const isGood = run.isGreen && ['pull-request', 'no-changes'].includes(outcome) && waits(run)
  return isGood && !isUnknown && isEndedDuringTurn(run, trace) && !didOthersPrompt(run, trace)
    ? 'The pull request was merged or closed while the agent worked on it, and the step is green.'
    : undefined
}

/** A step must not send a message to a job that it can know to be working on another prompt. */
function checkBusyJobGetsNoMessage(run: HistoryRun, trace: HistoryTrace): string | undefined {
  if (!waits(run) && run.step.task === 'follow-up') return undefined
  const message = listTurns(run).find(({ operation, atMs, jobId, turn }) => {
    const others = (findJob(trace, jobId)?.turns ?? []).filter((other) => other !== turn)
    return (
      operation === 'message' &&
      others.some(({ startsAtMs, endsAtMs }) => startsAtMs < atMs - UNKNOWABLE_MS && endsAtMs > atMs)
    )
  })
  return message === undefined ? undefined : 'A message was sent to a job that was working on another prompt.'
}

function checkPromptCount(run: HistoryRun): string | undefined {
  const maxPrompts = 1 + Number(run.step.inputs['fix-rounds'] ?? '0')
  const turns = listTurns(run)
  if (turns.length > maxPrompts)
    return `The service accepted ${turns.length} prompts, and the inputs allow ${maxPrompts}.`
  if (run.step.inputs['on-open-pr'] === 'skip' && turns[0]?.operation === 'message')
    return 'A message was sent, although `on-open-pr` is `skip`.'
  const creates = turns.filter(({ operation }) => operation === 'create').length
  return creates > 1 ? 'One step created two jobs.' : undefined
}

/** A step must not create a job if it could continue an open pull request from its start until the creation. */
function checkNoSecondPullRequest(run: HistoryRun, trace: HistoryTrace): string | undefined {
  const create = listTurns(run).find(({ operation }) => operation === 'create')
  if (run.step.task !== 'rolling' || create === undefined) return undefined
  const open = [...trace.service.listJobs()].find((job) => {
    const pull = run.pullsBefore[job.pullNumber]
    // A failed job becomes continuable when it accepts another prompt, which the step may not have seen yet.
    return [create.atMs - UNKNOWABLE_MS, create.atMs].every((atMs) => isContinuable(trace, job, pull, atMs))
  })
  return open === undefined ? undefined : `A job was created while the pull request of ${open.id} was open.`
}

/** The reported pull request must be the one that the job opened. */
function checkPullRequest(run: HistoryRun, trace: HistoryTrace): string | undefined {
  const { outputs } = run
  const { 'pr-link': link = '', 'job-id': jobId = '', continued = '' } = outputs
  const job = findJob(trace, jobId)
  const turns = listTurns(run)
  if (jobId !== '' && turns.some((call) => call.jobId !== jobId))
    return 'The output `job-id` is not the job that accepted the prompt.'
  if (link !== '' && link !== `${BASE_URL}/${REPOSITORY}/pull/${job?.pullNumber ?? ''}`)
    return `${link} is not the pull request of ${jobId}.`
  const message = turns.find(({ operation }) => operation === 'message')
  if (continued === '' || message === undefined || job === undefined) return undefined
  const pull = findPull(trace, job)
  const isOpen = pull !== undefined && (pull.closedAtMs ?? Infinity) > message.atMs - UNKNOWABLE_MS
  return isOpen ? undefined : 'A message was sent for a pull request that was not open.'
}

const isGitHubReliable = ({ history: { github } }: HistoryTrace): boolean =>
  (github.faults?.faults ?? []).every((fault) => fault === 'none')

/** Whether all checks ended long before the step and after its last read of the job, so that the step must have seen it. */
function hadChecksEnded(
  { endMs, deadlineMs, outputs, serviceCalls }: HistoryRun,
  checks: readonly CheckResult[],
): boolean {
  const times = [...checks.map(({ endedMs }) => endedMs), ...serviceCalls.map(({ atMs }) => atMs)]
  const isStarted = checks.every(({ name }) => !name.startsWith('suite'))
  const isLongAgo = Math.max(...times) < Math.min(endMs, deadlineMs) - CERTAINLY_SEEN_MS
  return checks.length > 0 && outputs['pr-state'] === 'open' && isStarted && isLongAgo
}

/** Leaves out checks that appeared after all others were final. The step may have ended before. */
function leaveOutLateChecks(all: readonly CheckResult[], pushedMs: number): readonly CheckResult[] {
  const checks = all.toSorted((a, b) => a.knownMs - b.knownMs)
  const firstLate = checks.findIndex(({ knownMs }, index) => {
    const lastEndMs = Math.max(...checks.slice(0, index).map(({ endedMs }) => endedMs))
    const finalMs = Math.min(lastEndMs + STABLE_CHECKS_MS, Math.max(lastEndMs, pushedMs + NEW_HEAD_MS))
    return index > 0 && knownMs > finalMs
  })
  return firstLate === -1 ? checks : checks.slice(0, firstLate)
}

function checkReportedChecks(run: HistoryRun, trace: HistoryTrace): string | undefined {
  const { checks = '', 'pr-head-sha': sha = '' } = run.outputs
  const all = listChecks(trace, sha)
  const latest = all.filter(({ isReplaced }) => !isReplaced)
  if (checks === 'failure' && latest.every(({ isGood }) => isGood)) {
    // A failed check may have been replaced since.
    const { checkRuns, statuses } = getRepository(trace)
    const failed = [
      ...checkRuns.filter(({ conclusion }) => conclusion === 'failure'),
      ...statuses.filter(({ state }) => state === 'failure'),
    ]
    return failed.some(({ headSha }) => headSha === sha)
      ? undefined
      : 'The step reported failed checks, but no check failed.'
  }
  if (checks === 'pending')
    return isGitHubReliable(trace) && hadChecksEnded(run, latest)
      ? 'The step reported pending checks, but all checks had ended.'
      : undefined
  if (checks !== 'success') return undefined
  if (latest.length === 0) return 'The step reported successful checks, but there is no check.'
  const { atMs = 0 } = getRepository(trace).commits.find((commit) => commit.sha === sha) ?? {}
  const bad = leaveOutLateChecks(all, atMs).find(({ isGood, isReplaced }) => !isGood && isReplaced !== true)
  return bad === undefined ? undefined : `The step reported successful checks, but ${bad.name} did not succeed.`
}

/** Neither a round nor anything else after the end of the first turn may change the step's result. */
function checkResultIsKept(run: HistoryRun): string | undefined {
  const { outcome, error } = run.report
  if (listTurns(run).length < 2) return undefined
  const isKept = outcome === 'cancelled' || (['pull-request', 'no-changes'].includes(outcome) && error === undefined)
  return isKept ? undefined : `After a round, the outcome is ${outcome}, and the error is ${error?.code ?? 'missing'}.`
}

/** Whether the pull request meets the requirements of `wait-for-checks` and `allowed-paths`. */
const meetsRequirements = ({ outputs, step: { inputs } }: HistoryRun): boolean =>
  (inputs['wait-for-checks'] !== 'true' || outputs['checks'] === 'success') &&
  ((inputs['allowed-paths'] ?? '') === '' || outputs['in-scope'] === 'true')

function checkReady(run: HistoryRun): string | undefined {
  const { title, isGreen, outputs, step, report } = run
  const isOpen = outputs['pr-state'] === 'open' && outputs['pull_request.mergeable'] === 'true'
  if (title.includes('is ready') && !(isOpen && meetsRequirements(run))) return `“${title}”: ${JSON.stringify(outputs)}`
  const hasEnded = CLAIMS.includes(report.outcome) && report.job?.prLink !== undefined
  const isClosed = ['merged', 'closed'].includes(outputs['pr-state'] ?? '')
  const isRequired = step.inputs['fail-on'] !== 'none' && waits(run) && !isClosed
  return isGreen && hasEnded && isRequired && !meetsRequirements(run)
    ? 'The step is green, although the pull request does not meet the requirements of the inputs.'
    : undefined
}

/** A step with a `job-id` needs only the service. */
function checkGitHubIsOptional({ step, report: { error } }: HistoryRun): string | undefined {
  const isStopped = step.task === 'follow-up' && error?.message.includes('GitHub') === true
  return isStopped ? `A failure of GitHub made the step red: ${error.message}` : undefined
}

function checkScope({ outputs }: HistoryRun, trace: HistoryTrace): string | undefined {
  const { 'in-scope': scope = '', 'pr-head-sha': sha = '', 'pr-state': state = '' } = outputs
  if (scope === '' || state === 'merged') return undefined
  const isInside = !listChangedFiles(trace, sha).includes(OUTSIDE)
  return scope === String(isInside) ? undefined : `The output \`in-scope\` is ${scope} for ${sha.slice(0, 7)}.`
}

function checkGreen(run: HistoryRun, trace: HistoryTrace): string | undefined {
  const { outcome, error } = run.report
  if (!run.isGreen) return undefined
  if (error !== undefined) return 'The step is green with an error.'
  if (listTurns(run).length > 0 || outcome === 'skipped') return undefined
  return didAnyTurnStart(run, trace) ? undefined : `The step is green with ${outcome}, but sent nothing.`
}

/** The count is written before the message is sent, so it can exceed the number of accepted messages. */
function checkFollowUpCount(run: HistoryRun, trace: HistoryTrace): string | undefined {
  const message = listTurns(run).find(({ operation }) => operation === 'message')
  const job = findJob(trace, message?.jobId ?? '')
  const pull = job && findPull(trace, job)
  if (run.outputs['continued'] !== 'pull-request' || pull === undefined) return undefined
  const count = Math.max(0, ...listHistories(pull).map(({ history }) => history.followUps))
  return count > 20 || count === 0 ? `The count of the pull request is ${count}.` : undefined
}

/** The text of a row for each operation on a pull request. */
const ROW_TEXTS: Readonly<Record<string, string>> = {
  created: 'opened',
  updated: 'new commit',
  unchanged: 'nothing to change',
}

/** A warning, or the error of a step whose pull request must be marked. */
const UNWRITTEN = /[Hh]istory|The pull request could not be read/

/** Whether a step reports that it could not write the history. */
function isUnwritten({ report: { warnings, untracked: unmarked, error } }: HistoryRun): boolean {
  const texts = [...warnings.map(({ message }) => message), unmarked?.message ?? '', error?.message ?? '']
  return texts.some((text) => UNWRITTEN.test(text))
}

const getPull = (run: HistoryRun, trace: HistoryTrace) => {
  const job = findJob(trace, run.outputs['job-id'] ?? '')
  return job && findPull(trace, job)
}

/** Checks the rows of a step whose history was written. */
function checkRows(rows: readonly HistoryRow[], run: HistoryRun): string | undefined {
  const { report, outputs, step } = run
  const rounds = Number(outputs['fix_rounds'] ?? '0')
  // A round can be announced, and then not be sent, or be rejected by the service.
  const sent = rows.filter(({ turn, result = '' }) => turn === 0 || !/not sent|rejected/.test(result)).length
  const isMarked = report.outcome === 'pull-request' && report.error === undefined && waits(run)
  if (rows.length > sent + 1 || sent > 1 + rounds || (isMarked && sent < 1 + rounds))
    return `The history has ${rows.length} rows for one turn and ${rounds} rounds.`
  const cause = step.task === 'rolling' ? 'push to' : 'manual run'
  if (rows.some(({ turn, startedBy }) => !startedBy.text.startsWith(turn === 0 ? cause : 'checks failed')))
    return 'A row does not name what started the step.'
  const isOpen = ({ end }: HistoryRow): boolean => end === undefined
  if (rows.some((row) => isOpen(row) && row.outcome === undefined))
    return 'A row says that the agent is working, but the step has ended.'
  const mayStillRun = report.outcome === 'timed-out' && listTurns(run).length > 0
  if (mayStillRun && rows.length > 0 && !rows.some(isOpen)) return 'No row says that the agent may still be working.'
  const text = ROW_TEXTS[outputs['pull_request.operation'] ?? ''] ?? ''
  return isMarked && !rows.some(({ result = '' }) => result.includes(text))
    ? `No row says “${text}”: ${JSON.stringify(rows)}`
    : undefined
}

/** The history of the pull request has a row for the step's turn and a row for each round. */
function checkHistory(run: HistoryRun, trace: HistoryTrace): string | undefined {
  const pull = getPull(run, trace)
  if (pull === undefined) return undefined
  const histories = listHistories(pull)
  const mentions = histories
    .filter(({ user }) => user === TOKEN_USER)
    .flatMap(({ body }) => body.split('\n').slice(1))
    .some((line) => line.replace(/<code>.*?<\/code>/g, '').includes('@'))
  if (mentions) return 'The comment mentions a user.'
  // A comment by a maintainer that names the job is used while GitHub confirms that this person has write access.
  const own = histories.filter(({ user }) => user === TOKEN_USER)
  if (own.length > 1) return `The pull request has ${own.length} history comments.`
  const index = trace.runs.indexOf(run)
  const rows = histories.flatMap(({ history }) => history.rows.filter(({ run: id }) => id === getRunId(index)))
  const isLater = trace.runs.slice(index + 1).some((later) => later.outputs['job-id'] === run.outputs['job-id'])
  // The next step completes the rows of this one, and has seen whether its turn was still running.
  return isUnwritten(run) || isLater || pull.closedAtMs !== undefined ? undefined : checkRows(rows, run)
}

/** The next step finds the pull request of a new job by its history comment and its label. */
function checkNewPullRequestIsMarked(run: HistoryRun, trace: HistoryTrace): string | undefined {
  const { outcome, error, warnings, untracked: unmarked } = run.report
  const create = listTurns(run).find(({ operation }) => operation === 'create')
  const job = findJob(trace, create?.jobId ?? '')
  const pull = job && findPull(trace, job)
  const isExpected = outcome === 'pull-request' && error === undefined && waits(run)
  if (!isExpected || job === undefined || pull === undefined || (pull.closedAtMs ?? Infinity) <= run.endMs)
    return undefined
  const isMarked =
    pull.labels.includes(LABEL) &&
    listHistories(pull).some(
      ({ user, history, createdAtMs }) =>
        TRUSTED_AUTHORS.includes(user) && history.job === job.id && createdAtMs <= run.endMs,
    )
  if (isMarked) return undefined
  // The next run of a rolling step would start another job.
  const isReported = run.step.task === 'rolling' ? !run.isGreen && unmarked !== undefined : warnings.length > 0
  return isReported
    ? undefined
    : `Pull request #${job.pullNumber} has no mark of ${job.id}, and the step does not say so.`
}

/** A step lists only files that the agent changed, although others may commit to the pull request. */
function checkFiles({ report: { files } }: HistoryRun, trace: HistoryTrace): string | undefined {
  const agentCommits = getRepository(trace).commits.filter(({ author }) => author === AGENT_USER)
  const agentFiles = new Set(agentCommits.flatMap(({ files }) => files.map(({ filename }) => filename)))
  const other = files?.files.find(({ path }) => !agentFiles.has(path))
  return other && `The step lists ${other.path}, which the agent has not changed.`
}

const HISTORY_INVARIANTS: Readonly<Record<string, HistoryInvariant>> = {
  'A step ends within 30 s of its deadline, and within 2 s of its cancellation.': (run) => {
    const isCancelled = run.deadlineMs === run.startMs + (run.step.cancelAfterMs ?? Infinity)
    return checkEndsInTime(run.endMs, run.deadlineMs, isCancelled ? undefined : 30_000)
  },
  'A step reads the end of each turn before it reports a result or starts the next turn.': checkEndsAreRead,
  "The outcome is that of the step's own turn.": checkOutcome,
  "A step reports a change only if the agent pushed in the step's turn.": checkChange,
  'A step whose pull request is merged or closed while the agent works on it is red.': checkMergedTooEarlyIsReported,
  'No step sends a message to a job that works on another prompt.': checkBusyJobGetsNoMessage,
  'A step sends no more prompts than its inputs allow.': checkPromptCount,
  'No step opens a second pull request while one is open.': checkNoSecondPullRequest,
  'The reported pull request is the one that the job opened.': checkPullRequest,
  'A step reports successful checks only if every check of the commit succeeded.': checkReportedChecks,
  'The scope is that of the reported head commit.': checkScope,
  'A green step has sent a prompt that the service accepted.': checkGreen,
  'No pull request gets more than twenty follow-ups, and each follow-up is counted.': checkFollowUpCount,
  'The history of the pull request has the correct rows, and mentions nobody.': checkHistory,
  'The open pull request of a new job is marked, or the step is red or warns.': checkNewPullRequestIsMarked,
  'A step lists only files that the agent changed.': checkFiles,
  "A round does not change the step's result.": checkResultIsKept,
  'A pull request is ready, or green with `fail-on`, only if it meets all requirements.': checkReady,
  'A failure of GitHub does not stop a step with a `job-id`.': checkGitHubIsOptional,
  ...SHOWN_INVARIANTS,
}

/** Returns each violated invariant, with the step and what is wrong. */
export function listProblems(trace: HistoryTrace): string[] {
  return trace.runs.flatMap((run, index) =>
    listViolations(HISTORY_INVARIANTS, run, trace).map((violation) => `Step ${index + 1}: ${violation}`),
  )
}
