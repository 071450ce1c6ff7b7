import { ActionError, orUndefined } from '../runtime/errors.ts'
import type { OnStop } from '../action/run-action.ts'
import { endingAt, type Step } from '../action/step.ts'
import { describeBaseMovedByDryRun, describeBaseMovedByRange } from './change/change-range.ts'
import { compareForPeople, findPeople, listNamedSources } from './change/change-sources.ts'
import { type ChangeFindings, resolveChange } from './change/resolve-change.ts'
import { describeTrigger } from './change/event-origin.ts'
import { type AgentInputs, appendContext } from './inputs.ts'
import { hasSeenEnd } from './turn/job-state.ts'
import { JobWatch } from './turn/job-watch.ts'
import { decideTurn, type Stop } from './turn/decide-turn.ts'
import { announceStart, previewTurn, runTurn } from './turn/run-turn.ts'
import {
  requestReviews,
  examinePullRequest,
  needsReviews,
  markPullRequest,
  readAtEnd,
} from './pull-request/track-pull-request.ts'
import { withdrawTurn, writeLog } from './pull-request/marker-comment.ts'
import { noteNewHead } from './pull-request/checks.ts'
import { decideNextRound } from './pull-request/fix-rounds.ts'
import { openAgentStep, type AgentStep, writeMilestone } from './journal.ts'
import type { Report } from './report/report.ts'
import { formatVerdict, nameTurn, titleTurn } from './report/turn-texts.ts'
import { isSkip, type Plan, type Skip } from './plan.ts'
import type { Ended, PullRequestFindings, TurnEnd } from './report/turn.ts'
import { shouldTrackPullRequest } from './report/turns.ts'
import { replyToComment, reserveReplyTime } from './conversation/answer-comment.ts'
import { chooseTask, replan } from './conversation/choose-task.ts'
import { fromComment } from './conversation/comment-command.ts'

const UNREADABLE_EVENT = [
  'The event could not be read',
  "The runner's event file is empty, cut off or not an event. The step runs as if there were none, so the agent is told nothing about it.",
] as const

/** From the event to a pull request that can be merged. Throws only what nobody foresaw. */
export async function runAgent(inputs: AgentInputs, given: Step, onStop?: OnStop<Report>): Promise<Report> {
  const step = openAgentStep(inputs, reserveReplyTime(given, inputs))
  const { journal } = step
  onStop?.((error) => {
    journal.interrupt(error)
    return journal.report()
  })
  // An accepted job and a known pull request stay in the journal.
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

/** Finds out what to send. */
async function createPlan(step: AgentStep): Promise<Planned | Skip> {
  const asked = await fromComment(step)
  if (asked !== undefined && isSkip(asked)) return asked
  const change = await resolveChange(step)
  if (isSkip(change)) return change
  const firstTurn = asked ?? (await chooseTask(step))
  if (isSkip(firstTurn)) return firstTurn
  return { firstTurn, change: await compareForPeople(change, step) }
}

/** Takes the turns, one after the other. Gives why there is none, as a full sentence, if there is no reason to. */
async function runTurns(step: AgentStep): Promise<string | undefined> {
  const { context, core, inputs, journal } = step
  inputs.warnings.forEach(core.warn)
  if (!context.event.isReadable) journal.notice(...UNREADABLE_EVENT)
  journal.recordTrigger(describeTrigger(context.event, inputs.command))
  noticeMovedBase(describeBaseMovedByRange(inputs, context), step)
  const planned = await step.questions.spend(() => createPlan(step))
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
    let taken: Plan | Stop | undefined
    try {
      taken = await playTurn({ task: journal.newest.task, target }, change, watch)
    } finally {
      core.endGroup()
    }
    if (taken !== undefined && 'error' in taken) {
      journal.stop(taken.error, taken.roundStop)
      return undefined
    }
    next = taken
    core.log(`${name}: ${formatVerdict(journal.newest)}.`)
  }
  return undefined
}

/** Takes one turn, and its pull request as far as it goes. Gives what is to be sent next, if anything is. */
async function playTurn(plan: Plan, change: ChangeFindings, watch: JobWatch): Promise<Plan | Stop | undefined> {
  const { step } = watch
  announceStart(plan, step)
  const decision = await decideTurn(plan, watch)
  switch (decision.kind) {
    case 'send': {
      const end = await runTurn(decision.start, plan.target, watch)
      return end.kind === 'stop' ? end : finishTurn(end, change, step)
    }
    case 'preview':
      return finishTurn(previewTurn(plan, step), change, step)
    case 'not-sent':
      return finishTurn(decision, change, step)
    case 'replan':
      await withdrawTurn(step)
      return replan(decision, step)
    case 'stop':
      return decision
  }
}

function noticeMovedBase(moved: string | undefined, { journal }: AgentStep): void {
  if (moved !== undefined) journal.notice('The base of the next range moves', moved)
}

/** Finds out which pull requests the change came from, for the log. They are shown only, so a failure is ignored. */
async function recordSources({ job }: Ended, change: ChangeFindings, step: AgentStep): Promise<void> {
  const { github, inputs, journal } = step
  if (github === undefined || inputs.label === '' || job.prLink === undefined || journal.turns.length > 1) return
  journal.recordSources((await orUndefined(listNamedSources(change, step))) ?? [])
}

/** Marks the turn's pull request, asks for its reviews, and looks at its checks and its files. */
async function trackPullRequest(end: Ended, change: ChangeFindings, step: AgentStep): Promise<PullRequestFindings> {
  const pullRequest = await markPullRequest(end, step)
  if (pullRequest === undefined) return {}
  if (needsReviews(end, pullRequest, step.journal)) await requestReviews(pullRequest, await findPeople(change, step), step)
  return examinePullRequest(end, pullRequest, step)
}

/** Takes the turn's pull request as far as it goes. Gives the round that follows, if one does. */
async function finishTurn(end: TurnEnd, change: ChangeFindings, step: AgentStep): Promise<Plan | undefined> {
  const { context, inputs, journal, signal } = step
  // A prompt on its way is seen through when the run is cancelled, but such a step has not just done its work.
  if (end.kind === 'submitted') signal.throwIfAborted()
  journal.updateTurn(end)
  writeMilestone(step)
  if (end.kind === 'previewed') noticeMovedBase(describeBaseMovedByDryRun(inputs, context), step)
  if (end.kind !== 'ended' || !shouldTrackPullRequest(journal.turns)) return undefined
  await recordSources(end, change, step)
  for (;;) {
    const found = await trackPullRequest(end, change, step)
    journal.updateTurn({ ...end, pullRequest: found })
    writeMilestone(step)
    const next = await decideNextRound(end, found, step)
    if (next.kind === 'look-again') {
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
