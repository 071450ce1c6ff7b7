import type { Action } from '../action/run-action.ts'
import { conclude } from './conclusion.ts'
import { parseVisitorsInputs, VISITORS_FIELDS, type VisitorsInputs } from './inputs.ts'
import { toOutputs } from './outputs.ts'
import type { Report } from './report.ts'
import { runVisitorsStep } from './step.ts'
import { renderSummary } from './summary.ts'

export const visitorsAction: Action<VisitorsInputs, Report> = {
  fields: VISITORS_FIELDS,
  // A later step does not take a file for whole that nobody spoke for.
  firstOutputs: { complete: 'false' },
  parse: parseVisitorsInputs,
  run: runVisitorsStep,
  notRun: (error, durationMs) => ({
    ending: error === undefined ? 'skipped' : 'error',
    error,
    totals: undefined,
    rows: 0,
    topPages: [],
    doubts: '',
    durationMs,
  }),
  render(report, _redact, wantsSummary) {
    const conclusion = conclude(report)
    return {
      ...conclusion,
      quote: report.error?.quote,
      outputs: toOutputs(report),
      summary: wantsSummary ? renderSummary(report, conclusion) : undefined,
    }
  },
}
