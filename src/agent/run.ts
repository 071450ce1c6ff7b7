import { ActionError, describeError, ERROR_TITLES } from '../runtime/errors.ts'
import type { OnCrash } from '../action/action.ts'
import type { Step } from '../action/step.ts'
import { findChangeAuthors } from './trigger/change-authors.ts'
import { resolveChange } from './trigger/resolve-change.ts'
import { describeTrigger } from './trigger/started-by.ts'
import type { AgentInputs } from './inputs/agent-inputs.ts'
import { withContext } from './inputs/task.ts'
import { JobWatch } from './job/job-watch.ts'
import { runTurn } from './job/run-turn.ts'
import { readChanges } from './pull-request/read-changes.ts'
import { trackPullRequest } from './pull-request/track-pull-request.ts'
import { writeLog } from './pull-request/write-log.ts'
import { nextRound } from './pull-request/next-round.ts'
import { STOPS } from './report/fixing.ts'
import { withJournal, type AgentStep } from './report/journal.ts'
import type { Report, TaskResult } from './report/report.ts'
import { formatVerdict, nameTurn, titleTurn } from './report/turn-texts.ts'
import { Course, findStop, findUntold, isToTrack, reportOf, stoppedBy, type Plan } from './report/turns.ts'
import { answerComment, keepTimeToReply } from './task/answer-comment.ts'
import { chooseAnew, chooseTask } from './task/choose-task.ts'
import { fromComment } from './task/comment-task.ts'

const UNREADABLE_EVENT = [
  'The event could not be read',
  "The runner's event file is empty, cut off or not an event. The step runs as if there were none, so the agent is told nothing about it.",
] as const

/** From the event to a pull request that can be merged. Throws only what nobody foresaw. */
export async function runAgent(inputs: AgentInputs, given: Step, onCrash?: OnCrash<Report>): Promise<Report> {
  const step = withJournal(inputs, given)
  const course = new Course(inputs.task)
  const report = (error?: ActionError): Report => {
    if (error !== undefined) course.see({ stopped: stoppedBy(error, step.signal.aborted) })
    return reportOf(course.turns, step.journal.recorded())
  }
  onCrash?.(report)
  try {
    step.journal.add({ skipReason: await run(inputs, keepTimeToReply(inputs, step), course) })
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    report(error) // an accepted job and a known pull request stay in it
  }
  noteEnd(course, step)
  await writeLog(course.turns, report(), inputs, keepTimeToReply(inputs, step))
  return answerComment(report(), inputs, step)
}

/** Takes the turns, one after the other. Gives why there is none, as a full sentence, if there is no reason to. */
async function run(inputs: AgentInputs, step: AgentStep, course: Course): Promise<string | undefined> {
  const { journal } = step
  inputs.warnings.forEach(step.core.warn)
  if (!step.context.event.isReadable) journal.notice(...UNREADABLE_EVENT)
  journal.add({ startedBy: describeTrigger(step.context.event, inputs.command) })
  const asked = await fromComment(inputs, step)
  if (typeof asked === 'string') return asked
  const change = await resolveChange(inputs, step)
  journal.add({ change: change.description })
  if (change.kind === 'skip') return change.reason
  const plan = asked ?? (await chooseTask(inputs, step))
  if (typeof plan === 'string') return plan

  const authors = await findChangeAuthors(change.commits, inputs, step)
  const watch = new JobWatch(inputs, step, course)
  let next: Plan | undefined = { ...plan, task: withContext(plan.task, change.promptContext) }
  while (next !== undefined) {
    course.begin(next.task)
    course.see({ at: step.clock.wallTime(), failing: next.failing })
    const name = nameTurn(course.turns, inputs.fixRounds)
    step.core.startGroup(titleTurn(name, course.newest))
    try {
      const result = await runTurn(next, watch)
      const { outdated } = result
      next =
        outdated === undefined
          ? await followThrough(result, authors, inputs, step, course)
          : await chooseAnew(outdated, inputs, step)
    } finally {
      step.core.endGroup()
    }
    step.core.log(`${name}: ${formatVerdict(course.newest)}.`)
  }
  return undefined
}

/** Takes the turn's pull request as far as it goes. Gives the round that follows, if one does. */
async function followThrough(
  result: TaskResult,
  authors: readonly string[],
  inputs: AgentInputs,
  step: AgentStep,
  course: Course,
): Promise<Plan | undefined> {
  // A prompt on its way is seen through when the run is cancelled, but such a step has not just done its work.
  if (result.outcome === 'submitted') step.signal.throwIfAborted()
  course.see({ result })
  if (!isToTrack(course.turns)) return undefined
  course.see({ pullRequest: await trackPullRequest(course.turns, inputs, step, authors) })
  const round = await nextRound(course.turns, inputs, step)
  if (typeof round === 'object') return round
  course.see({ stop: round })
  step.journal.add({ changes: await readChanges(course.turns, step) })
  return undefined
}

/** What ended the rounds, as the step's own turn stays its result. */
function noteEnd(course: Course, { journal }: AgentStep): void {
  const { turns, newest } = course
  const { error } = newest.result ?? {}
  // Commits that may be in no merge are not to be overlooked.
  if (turns.length > 1 && error?.code === 'left-behind')
    journal.notice(ERROR_TITLES['left-behind'], describeError(error))
  const untold = findUntold(turns)
  if (untold !== undefined) journal.note(describeError(untold))
  const stop = findStop(turns)
  // That they have passed was said.
  if (stop !== undefined && stop !== 'passed') journal.note(`No further round: ${STOPS[stop]}`)
}
