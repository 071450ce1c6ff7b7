import type { Conclusion } from '../../action/conclusion.ts'
import { joinSentences } from '../../text/sentences.ts'
import type { FailOn } from '../inputs/fail-on.ts'
import { isFixing } from './fixing.ts'
import { isStillRunning, LOOK_BEFORE_SENDING, OUTCOME_ROWS, TURN_MAY_RUN } from './outcomes.ts'
import { jobIdOf, type Report } from './report.ts'
import { findBlocks, formatCause } from './standing.ts'

/** Whether a step that attaches could see the end that this one did not see. It tells the job's state, so never of a turn that was not seen. */
function mayStillEnd(report: Report): boolean {
  const { outcome, task, progress } = report
  if (isFixing(report) || progress === 'unsent' || (progress === 'taken' && outcome !== 'submitted')) return false
  if (isStillRunning(report)) return true
  return outcome === 'cancelled' || (outcome === 'timed-out' && task?.kind === 'attach')
}

/** What to run to wait for the job's end. */
export function adviseAttaching(report: Report): string | undefined {
  const id = jobIdOf(report)
  if (id === undefined || !mayStillEnd(report)) return undefined
  const tells =
    report.progress === undefined ? '' : ' It tells how the job ends, and not whether this follow-up was its last turn.'
  return `To wait for the job, run the same step with \`job-id: ${id}\` and without a prompt.${tells}`
}

function textOf(report: Report): string {
  const { outcome, error, lastProblem } = report
  const sentences: string[] = []
  if (error === undefined || error.code === 'cancelled') sentences.push(OUTCOME_ROWS[outcome].text(report))
  else {
    if (outcome === 'cancelled') sentences.push('The run was cancelled.')
    sentences.push(error.message)
    if (report.progress === 'taken') sentences.push(TURN_MAY_RUN)
    else if (isStillRunning(report)) sentences.push('The job itself goes on.')
  }
  if (outcome === 'timed-out' && lastProblem !== undefined)
    sentences.push(`The last look at it failed: ${lastProblem.message}`)
  return joinSentences(sentences)
}

const LOOK_AT_THE_ROUND = "Check the service's dashboard before you send the job anything else."

/** The first is what does the most harm if nobody does it, and the last what nobody misses. */
function adviceOf(report: Report): string | undefined {
  const { outcome, error } = report
  const isUntouched = error?.code === 'cancelled' && (jobIdOf(report) === undefined || report.progress === 'unsent')
  const inOrder = [
    error !== undefined && report.progress === 'taken' ? LOOK_BEFORE_SENDING : undefined,
    isStillRunning(report) && outcome !== 'error' ? adviseAttaching(report) : undefined,
    error?.hint,
    isFixing(report) ? LOOK_AT_THE_ROUND : undefined,
    adviseAttaching(report),
    error === undefined || isUntouched ? OUTCOME_ROWS[outcome].advice?.(report) : undefined,
  ]
  return inOrder.find(Boolean)
}

export function conclude(report: Report, failOn: ReadonlySet<FailOn>): Conclusion {
  const { colour, title } = OUTCOME_ROWS[report.outcome]
  const blocks = findBlocks(report, failOn)
  const isGood = colour === 'green' || (colour !== 'red' && !failOn.has(colour))
  return {
    // `fail-on` is about what became of an accepted job. If the step could not do its own part, it is red anyway.
    isGreen: isGood && report.error === undefined && blocks.length === 0,
    title: title(report),
    text: [textOf(report), ...formatCause(blocks, report)].join(' '),
    advice: adviceOf(report),
  }
}
