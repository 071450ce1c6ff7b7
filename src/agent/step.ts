import { ActionError } from '../shared/errors.ts'
import type { Step } from '../step/step.ts'
import { lookAtChange } from './change/look-at-change.ts'
import type { AgentInputs } from './inputs/agent-inputs.ts'
import { withContext } from './inputs/task.ts'
import { openJobWatch } from './job/job-watch.ts'
import { runTask } from './job/run-task.ts'
import { handOff } from './pull-request/hand-off.ts'
import { openReport, type OpenReport } from './report/open-report.ts'
import type { Report } from './report/report.ts'
import { answerComment } from './task/answer-comment.ts'
import { chooseTask } from './task/choose-task.ts'

/** From the event to a pull request that can be merged. Throws only what nobody foresaw. */
export async function runAgentStep(inputs: AgentInputs, step: Step): Promise<Report> {
  const known = openReport(inputs, step) // the only thing that changes: what is known so far
  const report = await goThrough(inputs, step, known)
  return answerComment(report, inputs, step, known)
}

async function goThrough(inputs: AgentInputs, step: Step, known: OpenReport): Promise<Report> {
  const watch = openJobWatch(inputs, step, known)
  inputs.warnings.forEach(step.host.warn)
  try {
    const choice = await chooseTask(inputs, step, known)
    if (choice.kind === 'skip') return known.skipped(choice.reason)
    const change = await lookAtChange(choice.task, inputs, step, known)
    known.add({ change: change.description })
    if (change.skipReason !== undefined) return known.skipped(change.skipReason)

    const task = withContext(choice.task, change.context)
    known.add({ task })
    const result = await runTask(task, inputs, step, watch, choice.beforeSending)
    known.addResult(result)
    if (result.outcome !== 'pull-request') return known.ended()
    known.add({ pullRequest: await handOff(result, inputs, step, known) })
    return known.ended()
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    return known.stopped(error) // an accepted job and a known pull request stay in it
  }
}
