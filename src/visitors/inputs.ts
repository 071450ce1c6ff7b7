import { field, parseFields, SERVICE_FIELDS, type Parsed } from '../action/input-table.ts'
import {
  booleanInput,
  choiceInput,
  inputThat,
  isGiven,
  onMissingKeyInput,
  optionalInput,
  timeoutInput,
  wholeNumberInput,
  type Input,
  type RawInputs,
} from '../action/parse-inputs.ts'
import { findOutputPlace, type OutputPlace } from '../action/workspace-file.ts'
import { dateInput, lastDays, timeOf, type DateRange } from './date-range.ts'
import { FORMATS } from './export-format.ts'

/** `true` asks for the totals of the period before, `pages` for its whole list too. */
export const COMPARE = ['false', 'true', 'pages'] as const

const placeInput: Input<OutputPlace> = (text, raw, workspace) => {
  const format = FORMATS.find((one) => one === raw['format']?.trim()) ?? 'csv'
  return findOutputPlace(workspace, text || `visitors.${format}`)
}

const endInput = inputThat(
  dateInput,
  // A wrong start is reported at its own input.
  (end, raw) =>
    timeOf(end) <= timeOf(raw['date-from'] ?? '') && 'must be after `date-from`, as that day itself is not included',
)

const daysInput = inputThat(
  wholeNumberInput(1, 3660),
  (_days, raw) =>
    (isGiven(raw, 'date-from') || isGiven(raw, 'date-to')) && 'cannot be combined with `date-from` or `date-to`',
)

const compareInput = inputThat(choiceInput(COMPARE), (compare, raw) => {
  const hasLength = isGiven(raw, 'days') || (isGiven(raw, 'date-from') && isGiven(raw, 'date-to'))
  const rule = 'needs `days`, or both `date-from` and `date-to`: without them the period has no known length'
  return compare !== 'false' && !hasLength && rule
})

/** Every input of the action, in the order of action.yml. The default of `output-file` follows from `format`. */
export const VISITORS_FIELDS = {
  ...SERVICE_FIELDS,
  dateFrom: field('date-from', '', optionalInput(dateInput)),
  dateTo: field('date-to', '', optionalInput(endInput)),
  days: field('days', '', optionalInput(daysInput)),
  format: field('format', 'csv', choiceInput(FORMATS)),
  place: field('output-file', '', placeInput),
  /** How many pages the summary and the output hold. */
  top: field('top', '20', wholeNumberInput(0, 1000)),
  compare: field('compare', 'false', compareInput),
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
