import { ActionError } from '../shared/errors.ts'
import { tellConclusion } from '../shared/conclusion.ts'
import type { Feature } from '../step/feature.ts'
import { conclude } from './conclusion.ts'
import { INPUT_NAMES, parseVisitorsInputs, type VisitorsInputs } from './inputs.ts'
import { toOutputs } from './outputs.ts'
import type { Report } from './report.ts'
import { runVisitorsStep } from './step.ts'
import { renderSummary } from './summary.ts'

/** Exports the unique visitors. */
export const visitorsAction: Feature<VisitorsInputs, Report> = {
  inputNames: INPUT_NAMES,
  // A later step does not take a file for whole that nobody spoke for.
  firstOutputs: { complete: 'false' },
  parse: parseVisitorsInputs,
  run: runVisitorsStep,
  notRun: (error, durationMs) => ({
    ending: error === undefined ? 'skipped' : 'error',
    error,
    projectId: undefined,
    range: undefined,
    place: undefined,
    totals: undefined,
    rows: 0,
    topPages: [],
    doubts: [],
    durationMs,
  }),
  present(report) {
    const conclusion = conclude(report)
    const quote = report.error instanceof ActionError ? report.error.quote : undefined
    return {
      conclusion,
      text: tellConclusion(conclusion, quote),
      outputs: toOutputs(report),
      summary: () => renderSummary(report, conclusion),
    }
  },
}
