/** Hides how rows are written in each file format, so that no cell runs as a formula. */
import type { VisitorsPage } from '../docs-service/schemas.ts'
import type { DateRange } from './date-range.ts'

export const FORMATS = ['csv', 'json', 'ndjson'] as const
export type Format = (typeof FORMATS)[number]

/** Section 2.2 of the service's interface. */
export type VisitorTotals = VisitorsPage['totals']
/** Section 2.3 of the service's interface: exactly these fields, in this order. */
export type VisitorRow = VisitorsPage['visitors'][number]

/**
 * Texts that a spreadsheet may read as a formula: also with full-width signs, and after white space and invisible characters,
 * which some spreadsheets drop. Only paths are checked: a number of the service is never negative.
 */
const FORMULA_START = /^(?:[\t\r]|[\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]*[=+\-@\uff1d\uff0b\uff0d\uff20])/u

/**
 * A text as one cell of RFC 4180. An apostrophe in front of a formula makes spreadsheets read it as text. Semicolons and tabs
 * are quoted too, because a spreadsheet with another separator would split the cell there and read a formula.
 */
export function csvCell(text: string): string {
  const inert = FORMULA_START.test(text) ? `'${text}` : text
  return /[",;\t\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}

interface ExportFormat {
  readonly head: (range: DateRange, totals: VisitorTotals) => string
  /** @param index of the row in the file, from 0 */
  readonly row: (row: VisitorRow, index: number) => string
  readonly tail: string
}

export const EXPORT_FORMATS: Readonly<Record<Format, ExportFormat>> = {
  csv: {
    head: () => 'path,human,ai,total\r\n',
    row: ({ path, human, ai, total }) => `${csvCell(path)},${human},${ai},${total}\r\n`,
    tail: '',
  },
  json: {
    head({ dateFrom = null, dateTo = null }, totals) {
      return `${JSON.stringify({ range: { dateFrom, dateTo }, totals }).slice(0, -1)},"rows":[`
    },
    row: (row, index) => `${index === 0 ? '' : ','}\n${JSON.stringify(row)}`,
    tail: '\n]}\n',
  },
  ndjson: {
    head: () => '',
    row: (row) => `${JSON.stringify(row)}\n`,
    tail: '',
  },
}
