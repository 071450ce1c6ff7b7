/** Runs a report: reads the agent's pull requests, and counts them. Writes nothing on GitHub. */
import type { Action } from '../action/run-action.ts'
import type { Step } from '../action/step.ts'
import { connectGitHub } from '../github/github.ts'
import { DAY_MS } from '../runtime/clock.ts'
import { ActionError, type ErrorCode, logCauses } from '../runtime/errors.ts'
import { quoteNames } from '../text/markdown.ts'
import { readAgentWork } from './agent-work.ts'
import { parseReportInputs, REPORT_FIELDS, type ReportInputs } from './inputs.ts'
import { countPullRequests } from './numbers.ts'
import { concludeReport, type Report, toReportOutputs } from './report.ts'
import { renderReportSummary } from './summary.ts'

/** What to do about errors whose usual advice is about a job of the agent. */
const HINTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  unauthorized: 'Check `github-token`. The token of a GitHub App lasts one hour, so create it in the same job.',
  'rate-limited': 'Run the step again in an hour.',
}

const adviseReader = (error: ActionError): ActionError =>
  new ActionError(error.code, error.message, { cause: error, hint: HINTS[error.code] ?? error.hint })

/** @throws ActionError */
async function readReport(repository: string, { days, labels }: ReportInputs, step: Step): Promise<Partial<Report>> {
  const { clock, runner } = step
  const at = clock.wallTime()
  runner.log(`Reading the pull requests with a label of ${quoteNames(labels)}.`)
  const work = await readAgentWork(repository, labels, new Date(at.getTime() - days * DAY_MS), step)
  return { work, numbers: countPullRequests(work.pullRequests, new Date(work.since), at), at }
}

/** Makes the report. Throws only in case of a defect. */
async function runReportStep(inputs: ReportInputs, step: Step): Promise<Report> {
  const { context, runner } = step
  const { days, prRepository } = inputs
  const { serverUrl, isRehearsal } = context
  const repository = prRepository === '' ? context.repository : prRepository
  const create = (read: Partial<Report>): Report => ({
    prRepository: repository,
    serverUrl,
    days,
    isRehearsal,
    ...read,
  })
  try {
    return create(await readReport(repository, inputs, step))
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    logCauses(error, runner.debug)
    return create({ error: adviseReader(error) })
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
