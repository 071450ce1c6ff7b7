import { formatDuration } from '../text/duration.ts'
import { ActionError } from '../runtime/errors.ts'
import { OutputFileError, writeWholeFile } from '../action/output-file.ts'
import type { Step } from '../action/step.ts'
import { compareWithBefore } from './compare.ts'
import { describeRange } from './date-range.ts'
import { EXPORT_FORMATS } from './export-format.ts'
import type { VisitorsInputs } from './inputs.ts'
import { createPageReader } from './read-pages.ts'
import type { Report } from './report.ts'
import { VisitorList } from './visitor-list.ts'

/** The log tells at most this often how far it has come. */
const PROGRESS_MS = 10_000

/** The first line of the log: a step that hangs has at least said what it was about to do. */
function announce({ projectId, range, format, timeoutMs }: VisitorsInputs): string {
  const limit = `timeout ${formatDuration(timeoutMs)}`
  return `Exporting the visitors of project ${projectId} as ${format}, ${describeRange(range)}, ${limit}.`
}

/**
 * Puts the pages into the file as they come.
 * @throws ActionError, OutputFileError
 */
async function exportPages(inputs: VisitorsInputs, list: VisitorList, step: Step): Promise<void> {
  const { range, place, format, top } = inputs
  const { core, clock, signal } = step
  const { head, row, tail } = EXPORT_FORMATS[format]
  // Before the first request: if the place cannot be written to, there is none.
  await writeWholeFile(place.file, async (write) => {
    let toldAt = clock.now()
    await list.read(createPageReader(range, step), top, (rows, totals) => {
      if (list.rows === 0) write(head(range, totals))
      write(rows.map((one, index) => row(one, list.rows + index)).join(''))
      if (clock.now() - toldAt < PROGRESS_MS) return
      toldAt = clock.now()
      core.log(`${list.rows + rows.length} rows so far.`)
    })
    write(tail)
    signal.throwIfAborted()
  })
}

/** Exports the visitors and reports what became of it. Throws only what nobody foresaw. */
export async function runVisitorsStep(inputs: VisitorsInputs, step: Step): Promise<Report> {
  const { core, clock, signal, startedAt } = step
  const { projectId, range, place } = inputs
  const list = new VisitorList(inputs.compare === 'pages')

  function report(fields: Pick<Report, 'ending'> & Partial<Report>): Report {
    const { totals, rows, topPages, doubts } = list
    const durationMs = clock.now() - startedAt
    return { projectId, range, totals, rows, topPages, doubts, durationMs, ...fields }
  }

  core.log(announce(inputs))
  try {
    await exportPages(inputs, list, step)
    const { doubts } = list
    if (doubts !== '') core.warn(doubts)
    // The file is in its place by now, and nothing that is asked from here on takes it away.
    const comparison = await compareWithBefore(inputs, list, step)
    return report({ ending: doubts === '' ? 'complete' : 'uncertain', file: place.name, comparison })
  } catch (error) {
    if (!(error instanceof ActionError) && !(error instanceof OutputFileError)) throw error
    return report(signal.aborted ? { ending: 'cancelled' } : { ending: 'error', error })
  }
}
