import type { Action } from '../action/run-action.ts'
import { connectGitHub } from '../github/github.ts'
import { AGENT_FIELDS, isDryRunRequested, parseAgentInputs, type AgentInputs } from './inputs.ts'
import { conclude } from './report/outcomes.ts'
import { renderResult, toOutputs } from './report/outputs.ts'
import { createSkippedReport, type Outcome, redactReport, type Report, formatWarnings } from './report/report.ts'
import { getError } from './report/turns.ts'
import { renderSummary } from './report/summary.ts'
import { runAgent } from './run.ts'
import { describeMovedBase } from './change/change-range.ts'

/** Runs an agent job. */
export const agentAction: Action<AgentInputs, Report> = {
  fields: AGENT_FIELDS,
  initialOutputs: { outcome: 'error' satisfies Outcome },
  connectGitHub,
  parse: parseAgentInputs,
  needsNoKey: isDryRunRequested,
  describeMissingKey: describeMovedBase,
  run: runAgent,
  createSkippedReport,
  render(unredacted, redact, wantsSummary) {
    const report = redactReport(unredacted, redact)
    const conclusion = conclude(report)
    const outputs = toOutputs(report)
    const notDone = formatWarnings(report.warnings)
    return {
      ...conclusion,
      quote: getError(report)?.quote,
      // No period at the end, because it would become a part of the link.
      last: outputs['pr-link'] === '' ? undefined : `Pull request: ${outputs['pr-link']}`,
      outputs: { ...outputs, result: renderResult(report, conclusion, redact) },
      notice: notDone === undefined ? undefined : { title: 'Not done on GitHub', text: notDone },
      summary: wantsSummary ? renderSummary(report, conclusion) : undefined,
    }
  },
}
