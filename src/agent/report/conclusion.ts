import type { Conclusion } from '../../action/conclusion.ts'
import { joinSentences } from '../../text/sentences.ts'
import { isFixing } from './fixing.ts'
import { formatLosses } from './journal.ts'
import { isStillRunning, LOOK_BEFORE_SENDING, OUTCOME_ROWS, TURN_MAY_RUN } from './outcomes.ts'
import { isLookedAt, jobIdOf, type Report } from './report.ts'
import { formatPullRequest, passesGates } from './standing.ts'

/** What to run to wait for the job's end, if this step did not see it. It tells the job's state, so never of a turn that was not seen. */
export function adviseAttaching(report: Report): string | undefined {
  const { outcome, task, progress } = report
  const id = jobIdOf(report)
  const isUnseen = progress === 'unsent' || (progress === 'taken' && outcome !== 'submitted')
  const mayEnd =
    isStillRunning(report) || outcome === 'cancelled' || (outcome === 'timed-out' && task?.kind === 'attach')
  if (id === undefined || isUnseen || isFixing(report) || !mayEnd) return undefined
  const tells =
    progress === undefined ? '' : ' It tells how the job ends, and not whether this follow-up was its last turn.'
  const withoutPrompt = `with \`job-id: ${id}\` and without a prompt`
  // A step with `command` cannot take `job-id`.
  if (report.comment !== undefined)
    return `To wait for the job, run the action in a step ${withoutPrompt} and \`command\`.${tells}`
  return `To wait for the job, run the same step ${withoutPrompt}.${tells}`
}

function textOf(report: Report): string {
  const { outcome, error, progress, lastProblem } = report
  const last = outcome === 'timed-out' && lastProblem && `The last look at it failed: ${lastProblem.message}`
  if (error === undefined || error.code === 'cancelled')
    return joinSentences([OUTCOME_ROWS[outcome].text(report), isLookedAt(report) && formatPullRequest(report), last])
  const cancelled = outcome === 'cancelled' && 'The run was cancelled.'
  const goesOn = isStillRunning(report) && 'The job itself goes on.'
  return joinSentences([cancelled, error.message, progress === 'taken' ? TURN_MAY_RUN : goesOn, last])
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

export function conclude(report: Report): Conclusion {
  const { colour, title } = OUTCOME_ROWS[report.outcome]
  const gates = passesGates(report)
  const isGood = colour === 'green' || (colour !== 'red' && !report.failOn?.has(colour))
  return {
    // `fail-on` is about what became of an accepted job. If the step could not do its own part, it is red anyway.
    isGreen: isGood && report.error === undefined && gates.every((isPassed) => isPassed === true),
    title: title(report),
    // The cause of what is not known is no detail then.
    text: [textOf(report), ...(gates.includes(undefined) ? formatLosses(report.shortfalls) : [])].join(' '),
    advice: adviceOf(report),
  }
}
