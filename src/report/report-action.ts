/** Runs a report: reads the agent's pull requests, and counts them. Writes nothing on GitHub. */
import type { Action } from '../action/run-action.ts'
import type { Step } from '../action/step.ts'
import { connectGitHub } from '../github/github.ts'
import { DAY_MS } from '../runtime/clock.ts'
import { ActionError, logCauses } from '../runtime/errors.ts'
import { quoteNames } from '../text/markdown.ts'
import { readAgentWork } from './agent-work.ts'
import { parseReportInputs, REPORT_FIELDS, type ReportInputs } from './inputs.ts'
import { countPullRequests } from './numbers.ts'
import { concludeReport, type Report, toReportOutputs } from './report.ts'
import { renderReportSummary } from './summary.ts'

/** Makes the report. Throws only in case of a defect. */
async function runReportStep({ days, labels, prRepository: given }: ReportInputs, step: Step): Promise<Report> {
  const { clock, context, runner } = step
  const prRepository = given || context.repository
  const report = { prRepository, days, isRehearsal: context.isRehearsal }
  const now = clock.wallTime()
  runner.log(`Reading the pull requests with a label of ${quoteNames(labels)}.`)
  try {
    const work = await readAgentWork(prRepository, labels, new Date(now.getTime() - days * DAY_MS), step)
    return { ...report, work, numbers: countPullRequests(work.pullRequests, work.since, now) }
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    logCauses(error, runner.debug)
    return { ...report, error }
  }
}

export const reportAction: Action<ReportInputs, Report> = {
  fields: REPORT_FIELDS,
  initialOutputs: { result: '' },
  connectGitHub,
  parse: parseReportInputs,
  needsNoKey: () => true,
  run: runReportStep,
  createSkippedReport: (error, _durationMs, isRehearsal) => ({ error, isRehearsal }),
  render(report) {
    const conclusion = concludeReport(report)
    return {
      ...conclusion,
      outputs: toReportOutputs(report, conclusion),
      summary: renderReportSummary(report, conclusion),
    }
  },
}
