/** Hides how the inputs of a workflow become the dates, the format and the file of one export. */
import { field, parseFields, SERVICE_FIELDS, type Parsed } from '../action/input-table.ts'
import {
  booleanInput,
  choiceInput,
  inputThat,
  isGiven,
  onMissingKeyInput,
  optionalInput,
  refuse,
  rejecting,
  timeoutInput,
  wholeNumberInput,
  type Input,
  type RawInputs,
} from '../action/parse-inputs.ts'
import { findOutputPlace, type OutputPlace } from '../action/workspace-file.ts'
import { dateInput, lastDays, parseTime, type DateRange } from './date-range.ts'
import { FORMATS } from './export-format.ts'

/** `true` compares the totals with the period before, `pages` its pages too. */
export const COMPARE = ['false', 'true', 'pages'] as const

const placeInput: Input<OutputPlace> = (text, raw, workspace) => {
  const format = FORMATS.find((one) => one === raw['format']?.trim()) ?? 'csv'
  return findOutputPlace(workspace, text || `visitors.${format}`)
}

const endInput = inputThat(
  dateInput,
  // An invalid start is reported at its own input.
  (end, raw) =>
    parseTime(end) <= parseTime(raw['date-from'] ?? '') &&
    'must be after `date-from`, as that day itself is not included',
)

const daysInput = inputThat(
  wholeNumberInput(1, 3660),
  (_days, raw) =>
    (isGiven(raw, 'date-from') || isGiven(raw, 'date-to')) && 'cannot be combined with `date-from` or `date-to`',
)

function requireLength(raw: RawInputs): string | false {
  const hasLength = isGiven(raw, 'days') || (isGiven(raw, 'date-from') && isGiven(raw, 'date-to'))
  return !hasLength && 'needs `days`, or both `date-from` and `date-to`: without them the period has no known length'
}

const compareInput = inputThat(choiceInput(COMPARE), (compare, raw) => compare !== 'false' && requireLength(raw))

const MIN_TREND = 2
const MAX_TREND = 24

const periodCountInput: Input<number> = (text) => {
  const count = /^\d{1,2}$/.test(text) ? Number(text) : NaN
  const isAllowed = count === 0 || (count >= MIN_TREND && count <= MAX_TREND)
  return isAllowed ? count : refuse(rejecting(`must be 0, or a whole number from ${MIN_TREND} to ${MAX_TREND}`, text))
}

const trendInput = inputThat(periodCountInput, (count, raw) => count > 0 && requireLength(raw))

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
  /** How many periods the trend has, the exported one included; 0 for no trend. */
  trend: field('trend', '0', trendInput),
  timeoutMs: field('timeout-minutes', '15', timeoutInput),
  onMissingKey: field('on-missing-key', 'fail', onMissingKeyInput),
  summary: field('summary', 'true', booleanInput),
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
