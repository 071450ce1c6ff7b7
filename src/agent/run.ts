import type { OnStop, Action } from '../action/run-action.ts'
import { endingAt, type Step } from '../action/step.ts'
import { connectGitHub } from '../github/github.ts'
import { ActionError, orUndefined } from '../runtime/errors.ts'
import { describeBaseMovedByTrial, describeBaseMovedByRange } from './change/change-range.ts'
import { describeTrigger } from './change/event-origin.ts'
import {
  compareForPeople,
  findPeople,
  listNamedSources,
  type ChangeFindings,
  resolveChange,
} from './change/resolve-change.ts'
import { chooseTask, replan } from './conversation/choose-task.ts'
import { replyToComment, reserveReplyTime, fromComment } from './conversation/comment-command.ts'
import { type AgentInputs, appendContext, AGENT_FIELDS, isDryRunRequested, parseAgentInputs } from './inputs.ts'
import { openAgentStep, type AgentStep, writeMilestone } from './journal.ts'
import { isSkip, type Plan, type Skip } from './plan.ts'
import { noteNewHead } from './pull-request/checks.ts'
import { decideNextRound } from './pull-request/fix-rounds.ts'
import { withdrawTurn, writeLog } from './pull-request/marker-comment.ts'
import {
  requestReviews,
  examinePullRequest,
  needsReviews,
  markPullRequest,
  readAtEnd,
} from './pull-request/track-pull-request.ts'
import { formatVerdict, nameTurn, titleTurn, conclude } from './report/outcomes.ts'
import { renderResult, toOutputs } from './report/outputs.ts'
import { type Report, createSkippedReport, type Outcome, redactReport, formatWarnings } from './report/report.ts'
import { renderSummary } from './report/summary.ts'
import type { EndedState, PullRequestFindings, TurnEnd } from './report/turn.ts'
import { shouldTrackPullRequest, getError } from './report/turns.ts'
import { decideTurn, type Stop } from './turn/decide-turn.ts'
import { hasSeenEnd, JobWatch } from './turn/job-watch.ts'
import { announceStart, previewTurn, runTurn } from './turn/run-turn.ts'

const UNREADABLE_EVENT = [
  'The event could not be read',
  "The runner's event file is empty, truncated or not an event. The step runs without the event, and the prompt does not mention it.",
] as const

/** Runs a step, from the event to the report. Throws only unexpected errors. */
export async function runAgent(inputs: AgentInputs, given: Step, onStop?: OnStop<Report>): Promise<Report> {
  const step = openAgentStep(inputs, reserveReplyTime(given, inputs))
  const { journal } = step
  onStop?.((error) => {
    journal.interrupt(error)
    return journal.report()
  })
  // The journal keeps the job and the pull request.
  const stop = (error: unknown): undefined => {
    if (!(error instanceof ActionError)) throw error
    journal.stop(error)
  }
  journal.recordSkip(await runTurns(step).catch(stop))
  await readAtEnd(step).catch(stop)
  journal.logEnd()
  await writeLog(step, (jobId) => hasSeenEnd(jobId, step))
  await replyToComment(endingAt(step, given.deadlineAt))
  return journal.report()
}

interface Planned {
  readonly firstTurn: Plan
  /** The change that started the run. */
  readonly change: ChangeFindings
}

/** Determines the change that started the run, and the first turn. */
async function createPlan(step: AgentStep): Promise<Planned | Skip> {
  const requested = await fromComment(step)
  if (requested !== undefined && isSkip(requested)) return requested
  const change = await resolveChange(step)
  if (isSkip(change)) return change
  const firstTurn = requested ?? (await chooseTask(step))
  if (isSkip(firstTurn)) return firstTurn
  return { firstTurn, change: await compareForPeople(change, step) }
}

/** Runs the turns one after the other. If the step is skipped, returns the reason as a full sentence. */
async function runTurns(step: AgentStep): Promise<string | undefined> {
  const { context, core, inputs, journal } = step
  inputs.warnings.forEach(core.warn)
  if (!context.event.isReadable) journal.notice(...UNREADABLE_EVENT)
  journal.recordTrigger(describeTrigger(context.event, inputs.command))
  noticeMovedBase(describeBaseMovedByRange(inputs, context), step)
  noticeMovedBase(describeBaseMovedByTrial(inputs, context), step)
  const planned = await step.planningBudget.spend(() => createPlan(step))
  if (isSkip(planned)) return planned.reason

  const { firstTurn, change } = planned
  const watch = new JobWatch(step)
  let next: Plan | undefined = firstTurn
  while (next !== undefined) {
    const { target } = next
    const isRound = target.kind === 'fix-round'
    journal.begin({
      task: isRound ? next.task : appendContext(next.task, change.promptContext),
      followUpReason: target.kind === 'pull-request' ? target.reason : undefined,
      failing: isRound ? target.failing : undefined,
    })
    const name = nameTurn(journal.turns, inputs.fixRounds)
    core.startGroup(titleTurn(name, journal.newest))
    let result: Plan | Stop | undefined
    try {
      result = await runNextTurn({ task: journal.newest.task, target }, change, watch)
    } finally {
      core.endGroup()
    }
    if (result !== undefined && 'error' in result) {
      journal.stop(result.error, result.roundStop)
      return undefined
    }
    next = result
    core.log(`${name}: ${formatVerdict(journal.newest)}.`)
  }
  return undefined
}

/** Runs a turn and tracks its pull request. Returns the next turn, if there is one. */
async function runNextTurn(plan: Plan, change: ChangeFindings, watch: JobWatch): Promise<Plan | Stop | undefined> {
  const { step } = watch
  announceStart(plan, step)
  const decision = await decideTurn(plan, watch)
  const result = decision.kind === 'send' ? await runTurn(decision.start, plan.target, watch) : decision
  if (result.kind === 'stop') return result
  if (result.kind === 'replan') {
    await withdrawTurn(step)
    // The step can be killed before the service accepts a new job.
    if (!step.inputs.dryRun) step.core.setOutput('job-id', '')
    return replan(result, step)
  }
  return finishTurn(result.kind === 'preview' ? previewTurn(plan, step) : result, change, step)
}

function noticeMovedBase(moved: string | undefined, { journal }: AgentStep): void {
  if (moved !== undefined) journal.notice('The base of the next range moves', moved)
}

/** Records the pull requests that the change comes from. They are only shown, so a failure is ignored. */
async function recordSources({ job }: EndedState, change: ChangeFindings, step: AgentStep): Promise<void> {
  const { github, inputs, journal } = step
  if (github === undefined || inputs.label === '' || job.prLink === undefined || journal.turns.length > 1) return
  journal.recordSources((await orUndefined(listNamedSources(change, step))) ?? [])
}

/** Marks the turn's pull request, requests its reviews, and examines its checks and files. */
async function trackPullRequest(
  end: EndedState,
  change: ChangeFindings,
  step: AgentStep,
): Promise<PullRequestFindings> {
  const pullRequest = await markPullRequest(end, step)
  if (pullRequest === undefined) return {}
  if (needsReviews(end, pullRequest, step.journal))
    await requestReviews(pullRequest, await findPeople(change, step), step)
  return examinePullRequest(end, pullRequest, step)
}

/** Records the end of a turn and tracks its pull request. Returns the next fix round, if there is one. */
async function finishTurn(end: TurnEnd, change: ChangeFindings, step: AgentStep): Promise<Plan | undefined> {
  const { journal, signal } = step
  // If the run was cancelled while the prompt was sent, the outcome is `cancelled`, not `submitted`.
  if (end.kind === 'submitted') signal.throwIfAborted()
  journal.updateTurn(end)
  writeMilestone(step)
  if (end.kind !== 'ended' || !shouldTrackPullRequest(journal.turns)) return undefined
  await recordSources(end, change, step)
  for (;;) {
    const found = await trackPullRequest(end, change, step)
    journal.updateTurn({ ...end, pullRequest: found })
    writeMilestone(step)
    const next = await decideNextRound(end, found, step)
    if (next.kind === 'recheck') {
      noteNewHead(next.pullRequest, step)
      continue
    }
    if (next.kind === 'send') {
      journal.updateTurn({ ...end, pullRequest: next.found })
      return next.plan
    }
    journal.updateTurn({ ...end, pullRequest: next.found, roundStop: next.reason })
    return undefined
  }
}

/**
 * Runs an agent job, from the inputs to the exit code. Hides the order of a step: its change, its turns, their pull request, and its
 * report.
 */
export const agentAction: Action<AgentInputs, Report> = {
  fields: AGENT_FIELDS,
  initialOutputs: { outcome: 'error' satisfies Outcome },
  connectGitHub,
  parse: parseAgentInputs,
  needsNoKey: isDryRunRequested,
  run: runAgent,
  createSkippedReport,
  render(unredacted, redact, wantsSummary) {
    const report = redactReport(unredacted, redact)
    const conclusion = conclude(report)
    const outputs = toOutputs(report)
    const notDone = formatWarnings(report.warnings)
    return {
      ...conclusion,
      quote: getError(report)?.quote,
      // No period at the end, because it would become a part of the link.
      last: outputs['pr-link'] === '' ? undefined : `Pull request: ${outputs['pr-link']}`,
      outputs: { ...outputs, result: renderResult(report, conclusion, redact) },
      notice: notDone === undefined ? undefined : { title: 'Not done on GitHub', text: notDone },
      summary: wantsSummary ? renderSummary(report, conclusion) : undefined,
    }
  },
}
