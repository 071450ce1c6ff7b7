/** The inputs of the visitors action: names, defaults and checks, and the formats of the file. */
import {
  booleanInput,
  choiceInput,
  field,
  type Input,
  inputThat,
  isGiven,
  optionalInput,
  type Parsed,
  parseFields,
  type RawInputs,
  SERVICE_FIELDS,
  timeoutInput,
  wholeNumberInput,
} from '../action/inputs.ts'
import { findOutputPlace, type OutputPath } from '../action/workspace-file.ts'
import type { VisitorsPage } from '../docs-service/interface.ts'
import { dateInput, type DateRange, lastDays, parseTime } from './date-range.ts'

// The file formats of an export. No cell is executed as a formula.

export const FORMATS = ['csv', 'json'] as const
type Format = (typeof FORMATS)[number]

/** Section 2.2 of the service's interface. */
export type VisitorTotals = VisitorsPage['totals']
/** Section 2.3 of the service's interface: exactly these fields, in this order. */
export type VisitorRow = VisitorsPage['visitors'][number]

/**
 * Texts that a spreadsheet may read as a formula: also with full-width signs, and after white space and invisible characters,
 * which some spreadsheets remove. Only paths are checked: the service's numbers are never negative.
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
}

// The inputs of a workflow: the dates, the format and the file of one export.

const placeInput: Input<OutputPath> = (text, raw, workspace) => {
  const format = FORMATS.find((one) => one === raw['format']?.trim()) ?? 'csv'
  return findOutputPlace(workspace, text || `visitors.${format}`)
}

const endInput = inputThat(
  dateInput,
  // An invalid start is reported at its own input.
  (end, raw) =>
    parseTime(end) <= parseTime(raw['date-from'] ?? '') &&
    'must be after `date-from`, because the day of `date-to` is not included',
)

const daysInput = inputThat(
  wholeNumberInput(1, 3660),
  (_days, raw) =>
    (isGiven(raw, 'date-from') || isGiven(raw, 'date-to')) && 'cannot be combined with `date-from` or `date-to`',
)

const compareInput = inputThat(booleanInput, (compare, raw) => {
  const hasLength = isGiven(raw, 'days') || (isGiven(raw, 'date-from') && isGiven(raw, 'date-to'))
  return (
    compare &&
    !hasLength &&
    'needs `days`, or both `date-from` and `date-to`: without them the period has no known length'
  )
})

/** Every input of the action, in the order of action.yml. The default of `output-file` follows from `format`. */
export const VISITORS_FIELDS = {
  ...SERVICE_FIELDS,
  dateFrom: field('date-from', '', optionalInput(dateInput)),
  dateTo: field('date-to', '', optionalInput(endInput)),
  days: field('days', '', optionalInput(daysInput)),
  format: field('format', 'csv', choiceInput(FORMATS)),
  place: field('output-file', '', placeInput),
  /** How many pages the summary and `top-pages` contain. */
  top: field('top', '20', wholeNumberInput(0, 1000)),
  compare: field('compare', 'false', compareInput),
  timeoutMs: field('timeout-minutes', '15', timeoutInput),
}

export interface VisitorsInputs extends Parsed<typeof VISITORS_FIELDS> {
  readonly range: DateRange
}

/** @throws ActionError `invalid-input` that names every problem */
export function parseVisitorsInputs(raw: RawInputs, workspace: string, now: Date): VisitorsInputs {
  const inputs = parseFields(VISITORS_FIELDS, raw, workspace)
  const { days, dateFrom, dateTo } = inputs
  const given = { ...(dateFrom && { dateFrom }), ...(dateTo && { dateTo }) }
  return { ...inputs, range: days === undefined ? given : lastDays(days, now) }
}
