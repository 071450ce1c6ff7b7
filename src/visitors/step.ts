import { formatDuration } from '../shared/duration.ts'
import { ActionError } from '../shared/errors.ts'
import type { Redact } from '../shared/redact.ts'
import { OutputFileError, type OutputFile, type OutputPlace } from '../shared/workspace-output.ts'
import { describeRange } from './date-range.ts'
import { EXPORT_FORMATS, type VisitorRow } from './export-format.ts'
import type { VisitorsInputs } from './inputs.ts'
import { createPageReader, type PageReaderPorts } from './page-reader.ts'
import type { Report } from './report.ts'
import { Tally } from './tally.ts'
import { walkPages, type WalkedPage } from './walk-pages.ts'

export interface ExportPorts extends Omit<PageReaderPorts, 'deadlineAt'> {
  /** When the step began, on the clock's scale. */
  readonly startedAt: number
  readonly redact: Redact
  readonly openFile: (place: OutputPlace) => OutputFile
}

type Task = Pick<VisitorsInputs, 'projectId' | 'range' | 'format' | 'place' | 'top' | 'timeoutMs'>

/** The log tells at most this often how far it has come. */
const PROGRESS_MS = 10_000

/** The first line of the log: a step that hangs has at least said what it was about to do. */
function announce({ projectId, range, format, timeoutMs }: Task): string {
  const limit = `to be done within ${formatDuration(timeoutMs)}`
  return `Exporting the visitors of project ${projectId} as ${format}, ${describeRange(range)}, ${limit}.`
}

/** Adds the rows of one answer to the file. */
function writePage({ range, format }: Task, file: OutputFile, { totals, rows }: WalkedPage, rowsBefore: number): void {
  const { head, row, between } = EXPORT_FORMATS[format]
  if (rowsBefore === 0) file.write(head({ range, totals }))
  else if (rows.length > 0) file.write(between)
  file.write(rows.map(row).join(between))
}

/** A page's path is a text of strangers: should it hold the key, the key does not get into a file that others read. */
function withoutSecrets(page: WalkedPage, redact: Redact): WalkedPage {
  const rows = page.rows.map((row): VisitorRow => {
    const path = redact(row.path)
    return path === row.path ? row : { ...row, path }
  })
  return { ...page, rows }
}

/** Exports the visitors and reports what became of it. Throws only what nobody foresaw, and then too leaves no half file. */
export async function exportVisitors(task: Task, ports: ExportPorts): Promise<Report> {
  const { clock, signal, log, redact, startedAt } = ports
  const tally = new Tally(task.top)
  const readPage = createPageReader(task.range, { ...ports, deadlineAt: startedAt + task.timeoutMs })
  let file: OutputFile | undefined

  function report(fields: Pick<Report, 'ending' | 'error'>): Report {
    const { totals, rows, topPages, doubts } = tally
    const { range, place } = task
    return { range, place, totals, rows, topPages, doubts, durationMs: clock.now() - startedAt, ...fields }
  }

  async function fill(file: OutputFile): Promise<void> {
    let toldAt = clock.now()
    for await (const walked of walkPages(readPage)) {
      const page = withoutSecrets(walked, redact)
      writePage(task, file, page, tally.rows)
      tally.add(page)
      if (clock.now() - toldAt < PROGRESS_MS) continue
      toldAt = clock.now()
      log(`${tally.rows} rows so far.`)
    }
    file.write(EXPORT_FORMATS[task.format].tail)
  }

  log(announce(task))
  try {
    // Before the first request: a place that cannot be written to shall cost none.
    file = ports.openFile(task.place)
    await fill(file)
    signal.throwIfAborted()
    file.commit()
    return report({ ending: tally.doubts.length === 0 ? 'complete' : 'uncertain', error: undefined })
  } catch (error) {
    if (!(error instanceof ActionError) && !(error instanceof OutputFileError)) throw error
    return report({ ending: signal.aborted ? 'cancelled' : 'error', error })
  } finally {
    file?.discard()
  }
}
