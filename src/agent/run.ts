import { ActionError } from '../runtime/errors.ts'
import type { OnStop } from '../action/run-action.ts'
import { endingAt, type Step } from '../action/step.ts'
import { describeBaseMovedByDryRun, describeBaseMovedByRange } from './change/change-range.ts'
import { openChangeSources } from './change/change-sources.ts'
import { resolveChange } from './change/resolve-change.ts'
import { describeTrigger } from './change/event-origin.ts'
import { type AgentInputs, withContext } from './inputs.ts'
import { JobWatch } from './turn/job-watch.ts'
import { runTurn } from './turn/run-turn.ts'
import { type ChangeSources, readAtEnd, trackPullRequest } from './pull-request/track-pull-request.ts'
import { withdrawTurn, writeLog } from './pull-request/marker-comment.ts'
import { noteNewHead } from './pull-request/checks.ts'
import { decideNextRound } from './pull-request/fix-rounds.ts'
import { openAgentStep, type AgentStep, writeMilestone } from './journal.ts'
import type { Report } from './report/report.ts'
import { formatVerdict, nameTurn, titleTurn } from './report/turn-texts.ts'
import type { Plan } from './plan.ts'
import type { TurnEnd } from './report/turn.ts'
import { isToTrack } from './report/turns.ts'
import { answerComment, keepTimeToReply } from './conversation/answer-comment.ts'
import { chooseTask, replan } from './conversation/choose-task.ts'
import { fromComment } from './conversation/comment-command.ts'

const UNREADABLE_EVENT = [
  'The event could not be read',
  "The runner's event file is empty, cut off or not an event. The step runs as if there were none, so the agent is told nothing about it.",
] as const

/** From the event to a pull request that can be merged. Throws only what nobody foresaw. */
export async function runAgent(inputs: AgentInputs, given: Step, onStop?: OnStop<Report>): Promise<Report> {
  const step = openAgentStep(inputs, keepTimeToReply(given, inputs))
  const { journal } = step
  onStop?.((error) => {
    journal.stop(error)
    return journal.report()
  })
  // An accepted job and a known pull request stay in the journal.
  const stop = (error: unknown): undefined => {
    if (!(error instanceof ActionError)) throw error
    journal.stop(error)
  }
  journal.add({ skipReason: await run(step).catch(stop) })
  await readAtEnd(step).catch(stop)
  journal.noteEnd()
  await writeLog(step)
  await answerComment(endingAt(step, given.deadlineAt))
  return journal.report()
}

interface Planned {
  readonly firstTurn: Plan
  /** About the change that started the run, for the end of the prompt. */
  readonly promptContext: string
  /** Where that change came from. */
  readonly sources: ChangeSources
}

/** Finds out what to send, or why there is nothing to send, as a full sentence. */
async function plan(step: AgentStep): Promise<Planned | string> {
  const asked = await fromComment(step)
  if (typeof asked === 'string') return asked
  const change = await resolveChange(step)
  if (typeof change === 'string') return change
  const firstTurn = asked ?? (await chooseTask(step))
  if (typeof firstTurn === 'string') return firstTurn
  const sources = await openChangeSources(change, step)
  return { firstTurn, promptContext: change.promptContext, sources }
}

/** Takes the turns, one after the other. Gives why there is none, as a full sentence, if there is no reason to. */
async function run(step: AgentStep): Promise<string | undefined> {
  const { context, core, inputs, journal } = step
  inputs.warnings.forEach(core.warn)
  if (!context.event.isReadable) journal.notice(...UNREADABLE_EVENT)
  journal.add({ startedBy: describeTrigger(context.event, inputs.command) })
  noticeMovedBase(describeBaseMovedByRange(inputs, context), step)
  const planned = await step.questions.spend(() => plan(step))
  if (typeof planned === 'string') return planned

  const { firstTurn, promptContext, sources } = planned
  const watch = new JobWatch(step)
  let next: Plan | undefined = firstTurn
  while (next !== undefined) {
    const { target } = next
    const isRound = target.kind === 'fix-round'
    journal.begin({
      task: isRound ? next.task : withContext(next.task, promptContext),
      followUpReason: target.kind === 'pull-request' ? target.reason : undefined,
      failing: isRound ? target.failing : undefined,
    })
    const name = nameTurn(journal.turns, inputs.fixRounds)
    core.startGroup(titleTurn(name, journal.newest))
    try {
      next = await takeTurn({ task: journal.newest.task, target }, sources, watch)
    } finally {
      core.endGroup()
    }
    core.log(`${name}: ${formatVerdict(journal.newest)}.`)
  }
  return undefined
}

/** Takes one turn, and its pull request as far as it goes. Gives what is to be sent next, if anything is. */
async function takeTurn(plan: Plan, sources: ChangeSources, watch: JobWatch): Promise<Plan | undefined> {
  const { step } = watch
  const result = await runTurn(plan, watch)
  if (result.kind === 'replan') {
    await withdrawTurn(step)
    return replan(result, step)
  }
  if (result.kind !== 'stop') return followThrough(result, sources, step)
  step.journal.endRounds(result.roundStop)
  throw result.error
}

function noticeMovedBase(moved: string | undefined, { journal }: AgentStep): void {
  if (moved !== undefined) journal.notice('The base of the next range moves', moved)
}

/** Takes the turn's pull request as far as it goes. Gives the round that follows, if one does. */
async function followThrough(end: TurnEnd, sources: ChangeSources, step: AgentStep): Promise<Plan | undefined> {
  const { context, inputs, journal, signal } = step
  // A prompt on its way is seen through when the run is cancelled, but such a step has not just done its work.
  if (end.kind === 'submitted') signal.throwIfAborted()
  journal.updateTurn(end)
  writeMilestone(step)
  if (end.kind === 'previewed') noticeMovedBase(describeBaseMovedByDryRun(inputs, context), step)
  if (end.kind !== 'ended' || !isToTrack(journal.turns)) return undefined
  for (;;) {
    const found = await trackPullRequest(end, step, sources)
    journal.updatePullRequest(found)
    writeMilestone(step)
    const next = await decideNextRound(end, found, step)
    if (next.kind === 'look-again') {
      noteNewHead(next.pullRequest, step)
      continue
    }
    journal.updatePullRequest(next.found)
    if (next.kind === 'send') return next.plan
    journal.endRounds(next.reason)
    return undefined
  }
}
