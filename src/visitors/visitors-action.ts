/** Runs an export: writes the file first, then reads the totals of the preceding period, then creates the report. */
import { OutputFileError, writeFileAtomically } from '../action/workspace-file.ts'
import type { Action } from '../action/run-action.ts'
import type { Step } from '../action/step.ts'
import { ActionError, logCauses } from '../runtime/errors.ts'
import { formatDuration } from '../text/format.ts'
import { readComparison } from './comparison.ts'
import { describeRange } from './date-range.ts'
import { EXPORT_FORMATS, parseVisitorsInputs, VISITORS_FIELDS, type VisitorsInputs } from './inputs.ts'
import { concludeExport, renderExportSummary, type ExportReport, toExportOutputs } from './report.ts'
import { createPageReader, VisitorList } from './visitor-list.ts'

/** The minimum time between two progress lines in the log. */
const PROGRESS_INTERVAL_MS = 10_000

/**
 * Writes each page to the file when it arrives.
 * @throws ActionError, OutputFileError
 */
async function exportPages(inputs: VisitorsInputs, list: VisitorList, step: Step): Promise<void> {
  const { range, place, format, top } = inputs
  const { runner, clock, signal } = step
  const { head, row, tail } = EXPORT_FORMATS[format]
  // Open the file before the first request, so that an unwritable path costs no request.
  await writeFileAtomically(place.file, async (write) => {
    let loggedAt = clock.now()
    await list.read(createPageReader(range, step), top, (rows, totals) => {
      if (list.totals === undefined) write(head(range, totals))
      write(rows.map((one, index) => row(one, list.rows + index)).join(''))
      if (clock.now() - loggedAt < PROGRESS_INTERVAL_MS) return
      loggedAt = clock.now()
      runner.log(`${list.rows + rows.length} rows so far.`)
    })
    write(tail)
    signal.throwIfAborted()
  })
}

/** Exports the visitors and returns a report of the result. Throws only in case of a defect. */
export async function runVisitorsStep(inputs: VisitorsInputs, step: Step): Promise<ExportReport> {
  const { runner, clock, signal, startedAt } = step
  const { projectId, range, format, place, timeoutMs } = inputs
  const list = new VisitorList()

  function report(fields: Pick<ExportReport, 'ending'> & Partial<ExportReport>): ExportReport {
    const { totals, rows, topPages, doubts } = list
    const durationMs = clock.now() - startedAt
    const { isRehearsal } = step.context
    return { projectId, range, totals, rows, topPages, doubts, durationMs, isRehearsal, ...fields }
  }

  // Shows what the step is doing if it hangs.
  const limit = `timeout ${formatDuration(timeoutMs)}`
  runner.log(`Exporting the visitors of project ${projectId} as ${format}, ${describeRange(range)}, ${limit}.`)
  try {
    await exportPages(inputs, list, step)
    const { doubts } = list
    if (doubts !== '') runner.warn(doubts)
    // The file is complete and in its final place, so no later error removes it.
    const comparison = await readComparison(inputs, step)
    return report({ ending: doubts === '' ? 'complete' : 'uncertain', file: place.name, comparison })
  } catch (error) {
    if (!(error instanceof ActionError) && !(error instanceof OutputFileError)) throw error
    logCauses(error, runner.debug)
    return report(signal.aborted ? { ending: 'cancelled' } : { ending: 'error', error })
  }
}

export const visitorsAction: Action<VisitorsInputs, ExportReport> = {
  fields: VISITORS_FIELDS,
  // Written at the start, so that a later step does not treat the file of a killed step as complete.
  initialOutputs: { complete: 'false' },
  parse: parseVisitorsInputs,
  run: runVisitorsStep,
  createSkippedReport: (error, durationMs, isRehearsal) => ({
    ending: error === undefined ? 'skipped' : 'error',
    error,
    totals: undefined,
    rows: 0,
    topPages: [],
    doubts: '',
    durationMs,
    isRehearsal,
  }),
  render(report) {
    const conclusion = concludeExport(report)
    return {
      ...conclusion,
      quote: report.error?.quote,
      outputs: toExportOutputs(report),
      summary: renderExportSummary(report, conclusion),
    }
  },
}
