import type { VisitorsPage } from '../docs-service/schemas.ts'
import { csvCell } from './csv-cell.ts'
import type { DateRange } from './date-range.ts'

export const FORMATS = ['csv', 'json', 'ndjson'] as const
export type Format = (typeof FORMATS)[number]

/** Section 2.2 of the service's interface. */
export type VisitorTotals = VisitorsPage['totals']
/** Section 2.3 of the service's interface. */
export type VisitorRow = VisitorsPage['visitors'][number]

interface ExportHead {
  readonly range: DateRange
  readonly totals: VisitorTotals
}

/** How a file is put together: the head, the rows with something between them, the tail. */
interface ExportFormat {
  readonly head: (head: ExportHead) => string
  readonly row: (row: VisitorRow) => string
  readonly between: string
  readonly tail: string
}

/** The service's fields in a fixed order, and no others. */
function plainRow({ path, human, ai, total }: VisitorRow): VisitorRow {
  return { path, human, ai, total }
}

function jsonHead({ range, totals: { human, ai, total } }: ExportHead): string {
  const dates = { dateFrom: range.dateFrom ?? null, dateTo: range.dateTo ?? null }
  const head = JSON.stringify({ range: dates, totals: { human, ai, total } })
  return `${head.slice(0, -1)},"rows":[`
}

export const EXPORT_FORMATS: Readonly<Record<Format, ExportFormat>> = {
  csv: {
    head: () => 'path,human,ai,total\r\n',
    row: ({ path, human, ai, total }) => `${csvCell(path)},${human},${ai},${total}\r\n`,
    between: '',
    tail: '',
  },
  json: {
    head: jsonHead,
    row: (row) => `\n${JSON.stringify(plainRow(row))}`,
    between: ',',
    tail: '\n]}\n',
  },
  ndjson: {
    head: () => '',
    row: (row) => `${JSON.stringify(plainRow(row))}\n`,
    between: '',
    tail: '',
  },
}
