import type { OnStop, Action } from '../action/run-action.ts'
import type { Step } from '../action/step.ts'
import { connectGitHub } from '../github/github.ts'
import { ActionError, describeError, ERROR_TITLES, orUndefined } from '../runtime/errors.ts'
import { joinSentences } from '../text/format.ts'
import { MAX_NAME_CHARS, oneLine } from '../text/untrusted.ts'
import { type ChangeFacts, resolveChange } from './change/change.ts'
import { findPeople, compareForPeople, needsReviews, requestReviews } from './features/reviewers.ts'
import { listSources } from './change/sources.ts'
import { describeTrigger } from './change/event-origin.ts'
import { assertEventAllowed, guardPullRequestEvent } from './change/loop.ts'
import { acceptCommand, checkInstruction, chooseCommandTarget, hasCommand, replyToComment } from './features/command.ts'
import { decideNextRound, findRoundStop } from './features/fix-rounds.ts'
import { AGENT_FIELDS, appendContext, isDryRunRequested, namesInputs, parseAgentInputs } from './inputs.ts'
import type { AgentInputs } from './facts.ts'
import { conclude, formatVerdict } from './conclude.ts'
import { nameTurn } from './words.ts'
import { describePullRequest, getError, getRoundStop, mayBeSent, shouldTrackPullRequest } from './selectors.ts'
import { formatWarnings } from './journal.ts'
import {
  type Outcome,
  createUnstartedRun,
  explainRoundStop,
  type PullRequestFacts,
  type Recorder,
  type Run,
  type Source,
} from './record.ts'
import { redactRun } from './redact-run.ts'
import { type Acts, openAgentStep } from './step.ts'
import { renderResult, toOutputs, writeEarlyOutputs } from './output/outputs.ts'
import { renderSummary } from './output/summary.ts'
import { waitForChecks, readMergeability } from './features/checks.ts'
import { readTrackable, completeHistory, trackPullRequest } from './features/track.ts'
import { readChanges } from './features/changed-files.ts'
import { createJobFollowUp } from './follow-up.ts'
import { chooseRollingTarget, isRolling, openRollingLookUp, type RollingLookUp } from './features/rolling.ts'
import { isSkip, type Skip } from './skip.ts'
import { applyExemption } from './features/exempt.ts'
import { findOutside } from './features/scope.ts'
import { type TurnEnd, JobWatch } from './turn/watch.ts'
import { plainTarget, type Target } from './turn/target.ts'
import { runTurn } from './turn/send.ts'

/** A step while it runs. Everything that it finds out is added to the record here, and nowhere else. */
interface RunningStep {
  readonly step: Acts
  readonly record: Recorder
  /** Writes the outputs as far as they are known. */
  readonly writeMilestone: () => void
}

/** Runs a step, from the event to the report. Throws only unexpected errors. */
export async function runAgent(inputs: AgentInputs, given: Step, onStop?: OnStop<Run>): Promise<Run> {
  const { step, record } = openAgentStep(inputs, given)
  const running = {
    step,
    record,
    writeMilestone() {
      writeEarlyOutputs(record.read('running'), step.runner)
    },
  }
  onStop?.((error) => {
    record.fail(error)
    return record.read()
  })
  try {
    record.add({ skipReason: await runTurns(running) })
  } catch (error) {
    // The record keeps the job and the pull request.
    if (!(error instanceof ActionError)) throw error
    record.fail(error)
    await trackUnobserved(running)
  }
  logEnd(running)
  // Both also run after a cancel, so neither may throw an `ActionError`.
  const [untracked] = await Promise.all([completeHistory(step), replyToComment(record.read(), step, namesInputs)])
  if (untracked !== undefined) record.add({ untracked })
  return record.read()
}

/** Runs the turns one after the other. If the step is skipped, returns the reason as a full sentence. */
async function runTurns({ step, record, writeMilestone }: RunningStep): Promise<string | undefined> {
  const { context, runner, inputs, journal } = step
  assertEventAllowed(step)
  if (!context.event.isReadable)
    journal.notice(
      'The event could not be read',
      "The runner's event file is empty, truncated or not an event. The step runs without the event, and the prompt does not mention it.",
    )
  record.add({ startedBy: describeTrigger(context.event, hasCommand(context, inputs.command) ? inputs.command : '') })

  // Before the change is read: most comments are not commands, and a command gets a reply even if its change cannot be read.
  const comment = inputs.command === '' ? undefined : await acceptCommand(step)
  if (comment !== undefined) {
    if (isSkip(comment)) return comment.reason
    record.add({ comment: comment.address, isMailReply: comment.isMailReply })
    const refused = checkInstruction(comment, inputs.command)
    if (refused !== undefined) return refused.reason
  }
  const lookUp = openRollingLookUp(step)
  const resolved = await resolveChange(step, record.add, lookUp.begin)
  if (isSkip(resolved)) return resolved.reason
  const change = await applyExemption(resolved, step)
  if (isSkip(change)) return change.reason
  const { description, added, promptContext } = change
  record.add({ change: description })
  if (inputs.task.kind !== 'attach') warnOfReRun(step)
  const first = await (comment === undefined ? chooseTarget(lookUp, step) : chooseCommandTarget(comment, step))
  if (isSkip(first)) return first.reason
  if (added !== undefined) runner.log(added)
  record.add({ change: joinSentences([description, added]) || undefined })
  const compared = await compareForPeople(change, step)

  const watch = new JobWatch(step, record, writeMilestone)
  let next: Target | undefined = { ...first, task: appendContext(first.task, promptContext) }
  while (next !== undefined) {
    const { task, followUpReason, failing } = next
    record.begin({ task, followUpReason, failing })
    const name = nameTurn(record.turns, inputs.fixRounds)
    const failed = failing?.map((check) => oneLine(check.name, MAX_NAME_CHARS)).join(', ')
    runner.startGroup(failed === undefined ? name : `${name}: ${failed}`)
    try {
      next = await finishTurn(await runTurn(next, watch), compared, { step, record, writeMilestone })
    } finally {
      runner.endGroup()
    }
    runner.log(`${name}: ${formatVerdict(record.newest)}.`)
  }
  return undefined
}

/** Whom the prompt is for if no comment determines it: the job of the label's pull request, or in `job-id`; otherwise a new job. */
async function chooseTarget(lookUp: RollingLookUp, step: Acts): Promise<Target | Skip> {
  const { inputs } = step
  const { task } = inputs
  if (task.kind === 'attach') return plainTarget(task)
  let chosen: Target | Skip = plainTarget(task)
  if (task.kind === 'follow-up') chosen = createJobFollowUp(task, step)
  else if (isRolling(inputs)) chosen = await chooseRollingTarget(task.prompt, lookUp, step)
  return isSkip(chosen) ? chosen : guardPullRequestEvent(chosen, step)
}

/**
 * Records the end of a turn, looks after its pull request, waits for what the inputs ask of it, and decides whether failing checks
 * go back to the agent. Returns the target of the next fix round, if there is one.
 */
async function finishTurn(ending: TurnEnd, change: ChangeFacts, running: RunningStep): Promise<Target | undefined> {
  const { step, record, writeMilestone } = running
  const { clock, deadlineAt, inputs, signal } = step
  // If the run was cancelled while the prompt was sent, the outcome is `cancelled`, not `submitted`.
  if (ending.end === 'not-awaited') signal.throwIfAborted()
  record.update(ending)
  writeMilestone()
  const { newest } = record
  const { job } = newest
  if (job === undefined || !shouldTrackPullRequest(record)) return undefined
  const [{ pullRequest, ...untracked }, sources] = await Promise.all([
    readTrackable(newest, step),
    findSources(change, running),
  ])
  record.add(untracked)
  if (pullRequest === undefined) return undefined
  // Its checks and files are not known yet.
  const described = describePullRequest(pullRequest)
  record.update({ pullRequest: inputs.waitForChecks ? { ...described, checks: 'pending' } : described })
  writeMilestone()
  const { turns } = record
  await Promise.all([
    trackPullRequest(pullRequest, job.id, step).then((untracked) => {
      record.add({ untracked })
    }),
    // Shown in the summary only, so a failure is ignored.
    orUndefined(readChanges(pullRequest, turns, step)).then((files) => {
      record.add({ files })
    }),
    needsReviews(pullRequest, turns, step)
      ? findPeople(change, sources, step).then((people) => requestReviews(pullRequest, people, step))
      : undefined,
  ])

  const mayFix = (failed: PullRequestFacts): boolean =>
    findRoundStop(failed, turns, inputs.fixRounds, deadlineAt - clock.now()) === undefined
  const facts = await waitForChecks(pullRequest, mayFix, findOutside, step)
  record.update({ pullRequest: facts })
  writeMilestone()
  const { target, stop } = await decideNextRound(pullRequest, facts, turns, step, record.update)
  if (target !== undefined) return target
  record.update({ roundStop: stop })
  record.update({ pullRequest: await readMergeability(pullRequest, facts, step) })
  return undefined
}

/** Marks the known pull request of a job whose end could not be observed: without a mark, the next run would open a second one. */
async function trackUnobserved({ step, record }: RunningStep): Promise<void> {
  const { newest } = record
  const { end, job } = newest
  if (job?.prLink === undefined || !mayBeSent(newest) || end !== undefined || step.signal.aborted) return
  try {
    const { pullRequest } = await readTrackable(newest, step)
    // The error of the step says already what to do before the next run.
    if (pullRequest !== undefined) await trackPullRequest(pullRequest, job.id, step)
  } catch (error) {
    // The run was cancelled, which the record already shows.
    if (!(error instanceof ActionError)) throw error
  }
}

/** Finds what the change came from, and records it for the history of the pull request. */
async function findSources(change: ChangeFacts, { step, record }: RunningStep): Promise<readonly Source[]> {
  const { github, inputs } = step
  const { reviewers, label } = inputs
  if (github === undefined || record.turns.length > 1 || (label === '' && !reviewers.hasApprovers)) return []
  const sources = await listSources(change, step)
  record.add({ sources: sources.filter(({ number = 0 }) => change.exempt?.includes(number) !== true) })
  return sources
}

/** Logs why the fix rounds ended: the result of the step is that of its own turn, so it does not show this. */
function logEnd({ step: { journal }, record }: RunningStep): void {
  const run = record.read()
  const { error } = record.newest
  const isShown = error === undefined || error === getError(run)
  // Readers must not overlook commits that may be unmerged.
  if (error?.code === 'merged-too-early' && !isShown)
    journal.notice(ERROR_TITLES['merged-too-early'], describeError(error))
  const reason = explainRoundStop(getRoundStop(run))
  const isReported =
    isShown || error.code === 'merged-too-early' || (error.code === 'not-sent' && record.newest.roundStop !== undefined)
  if (!isReported) journal.note(describeError(error))
  if (reason !== undefined) journal.note(`No further round: ${reason}`)
}

/** Warns that a re-run sends the prompt again. */
function warnOfReRun({ context: { runAttempt }, inputs: { command, dryRun }, journal }: Acts): void {
  if (runAttempt === 1 || dryRun) return
  // `command` cannot be combined with `job-id`.
  const step =
    command === ''
      ? 'the step with its `job-id` and without a prompt'
      : 'the action in a step with its `job-id`, without a prompt and without `command`'
  journal.notice(
    'This run is a re-run',
    `This is attempt ${runAttempt}. The previous attempt may already have sent the prompt, and this attempt sends it again. To continue with that job instead, cancel this run, and run ${step}.`,
  )
}

/**
 * Runs an agent job, from the inputs to the exit code. Hides the order of a step: its change, its turns, their pull request, and its
 * report.
 */
export const agentAction: Action<AgentInputs, Run> = {
  fields: AGENT_FIELDS,
  initialOutputs: { outcome: 'error' satisfies Outcome },
  connectGitHub,
  parse: parseAgentInputs,
  needsNoKey: isDryRunRequested,
  run: runAgent,
  createSkippedReport: createUnstartedRun,
  render(unredacted, redact) {
    const run = redactRun(unredacted, redact)
    const conclusion = conclude(run)
    const outputs = toOutputs(run, conclusion)
    const notDone = formatWarnings(run.warnings)
    return {
      ...conclusion,
      // No period at the end, because it would become a part of the link.
      last: outputs['pr-link'] === '' ? undefined : `Pull request: ${outputs['pr-link']}`,
      outputs: { ...outputs, result: renderResult(run, conclusion, redact) },
      notice: notDone === undefined ? undefined : { title: 'Not done on GitHub', text: notDone },
      summary: renderSummary(run, conclusion),
    }
  },
}
