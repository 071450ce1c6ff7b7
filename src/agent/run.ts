import { ActionError } from '../runtime/errors.ts'
import type { OnCrash } from '../action/action.ts'
import type { Step } from '../action/step.ts'
import { resolveChange } from './trigger/look-at-change.ts'
import { findOwnEvent } from './trigger/loop-guard.ts'
import type { AgentInputs } from './inputs/agent-inputs.ts'
import { withContext } from './inputs/task.ts'
import { openJobWatch } from './job/job-watch.ts'
import { runTask } from './job/run-task.ts'
import { trackPullRequest } from './pull-request/track-pull-request.ts'
import { nextRound } from './pull-request/next-round.ts'
import { openReport, type OpenReport } from './report/open-report.ts'
import type { Report } from './report/report.ts'
import { answerComment, keepTimeToReply } from './task/answer-comment.ts'
import { chooseTask } from './task/choose-task.ts'

const UNREADABLE_EVENT = [
  'The event could not be read',
  'The file in which the runner keeps it is empty, cut or no event. The run is taken for one without an event, so nothing of it goes to the agent.',
] as const

/** From the event to a pull request that can be merged. Throws only what nobody foresaw. */
export async function runAgent(inputs: AgentInputs, step: Step, onCrash?: OnCrash<Report>): Promise<Report> {
  const known = openReport(inputs, step) // the only thing that changes: what is known so far
  onCrash?.((error) => known.stopped(error))
  const report = await goThrough(inputs, keepTimeToReply(inputs, step), known)
  return answerComment(report, inputs, step, known)
}

async function goThrough(inputs: AgentInputs, step: Step, known: OpenReport): Promise<Report> {
  const watch = openJobWatch(inputs, step, known)
  inputs.warnings.forEach(step.core.warn)
  try {
    if (step.context.isEventUnreadable === true) known.notice(...UNREADABLE_EVENT)
    const own = await findOwnEvent(inputs, step, known)
    if (own !== undefined) return known.skipped(own)
    const choice = await chooseTask(inputs, step, known)
    if (choice.kind === 'skip') return known.skipped(choice.reason)
    const change = await resolveChange(choice.task, inputs, step, known)
    known.add({ change: change.description })
    if (change.skipReason !== undefined) return known.skipped(change.skipReason)

    let { task, beforeSending } = { ...choice, task: withContext(choice.task, change.promptContext) }
    known.add({ task })
    for (let headOfLastRound: string | undefined; ;) {
      const result = await runTask(task, inputs, step, watch, beforeSending)
      known.addResult(result)
      if (!known.goesOn || result.job === undefined) return known.ended()
      const pullRequest = await trackPullRequest(result, inputs, step, known)
      known.add({ pullRequest })
      const round = await nextRound(result.job, pullRequest, headOfLastRound, inputs, step, known)
      if (round === undefined) return known.ended()
      task = { kind: 'follow-up', jobId: result.job.id, prompt: round.prompt }
      beforeSending = round.beforeSending
      headOfLastRound = pullRequest.headSha
    }
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    return known.stopped(error) // an accepted job and a known pull request stay in it
  }
}
