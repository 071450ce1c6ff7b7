import { ActionError } from '../runtime/errors.ts'
import type { OnStop } from '../action/execute.ts'
import { endingAt, type Step } from '../action/step.ts'
import { findChangeAuthors } from './trigger/change-authors.ts'
import { resolveChange } from './trigger/resolve-change.ts'
import { describeTrigger } from './trigger/started-by.ts'
import type { AgentInputs } from './inputs/agent-inputs.ts'
import { withContext } from './inputs/task.ts'
import { JobWatch } from './job/job-watch.ts'
import { runTurn } from './job/run-turn.ts'
import { readAtEnd } from './pull-request/read-at-end.ts'
import { trackPullRequest } from './pull-request/track-pull-request.ts'
import { writeLog } from './pull-request/marker-comment.ts'
import { nextRound } from './pull-request/next-round.ts'
import { openAgentStep, type AgentStep } from './report/journal.ts'
import { writeMilestone } from './report/milestone.ts'
import type { Report } from './report/report.ts'
import { formatVerdict, nameTurn, titleTurn } from './report/turn-texts.ts'
import { getEnded, type TurnEnd } from './report/turn.ts'
import { isToTrack, type Plan } from './report/turns.ts'
import { answerComment, keepTimeToReply } from './task/answer-comment.ts'
import { chooseTask } from './task/choose-task.ts'
import { fromComment } from './task/comment-task.ts'

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
  /** Of that change. */
  readonly authors: readonly string[]
}

/** Finds out what to send, or why there is nothing to send, as a full sentence. */
async function plan(step: AgentStep): Promise<Planned | string> {
  const asked = await fromComment(step)
  if (typeof asked === 'string') return asked
  const change = await resolveChange(step)
  if (typeof change === 'string') return change
  const firstTurn = asked ?? (await chooseTask(step))
  if (typeof firstTurn === 'string') return firstTurn
  const authors = await findChangeAuthors(change.commits, step)
  return { firstTurn, promptContext: change.promptContext, authors }
}

/** Takes the turns, one after the other. Gives why there is none, as a full sentence, if there is no reason to. */
async function run(step: AgentStep): Promise<string | undefined> {
  const { context, core, inputs, journal } = step
  inputs.warnings.forEach(core.warn)
  if (!context.event.isReadable) journal.notice(...UNREADABLE_EVENT)
  journal.add({ startedBy: describeTrigger(context.event, inputs.command) })
  const planned = await step.questions.spend(() => plan(step))
  if (typeof planned === 'string') return planned

  const { firstTurn, promptContext, authors } = planned
  const watch = new JobWatch(step)
  const withChange = (plan: Plan): Plan => ({ ...plan, task: withContext(plan.task, promptContext) })
  let next: Plan | undefined = withChange(firstTurn)
  while (next !== undefined) {
    journal.begin({ task: next.task, failing: next.failing, followUpReason: next.preflight?.continued })
    const name = nameTurn(journal.turns, inputs.fixRounds)
    core.startGroup(titleTurn(name, journal.newest))
    try {
      const end = await runTurn(next, watch)
      const isReplaced = typeof end === 'function'
      next = isReplaced ? withChange(await end()) : await followThrough(end, authors, step)
    } finally {
      core.endGroup()
    }
    core.log(`${name}: ${formatVerdict(journal.newest)}.`)
  }
  return undefined
}

/** Takes the turn's pull request as far as it goes. Gives the round that follows, if one does. */
async function followThrough(end: TurnEnd, authors: readonly string[], step: AgentStep): Promise<Plan | undefined> {
  const { journal, signal } = step
  // A prompt on its way is seen through when the run is cancelled, but such a step has not just done its work.
  if (end.kind === 'submitted') signal.throwIfAborted()
  journal.updateTurn(end)
  writeMilestone(step)
  const ended = getEnded(journal.newest)
  if (ended === undefined || !isToTrack(journal.turns)) return undefined
  for (;;) {
    journal.updatePullRequest(await trackPullRequest(ended, step, authors))
    writeMilestone(step)
    const round = await nextRound(step)
    if (round === 'moved') continue
    if (typeof round === 'object') return round
    journal.endRounds(round)
    return undefined
  }
}
