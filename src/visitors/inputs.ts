import * as z from 'zod/mini'
import { field, inputNames, parseFields, type Fields, type Parsed } from '../shared/input-table.ts'
import {
  apiKeyInput,
  baseUrlInput,
  booleanInput,
  choiceInput,
  inputFrom,
  onMissingKeyInput,
  optionalInput,
  projectIdInput,
  timeoutInput,
  wholeNumberInput,
  withDefault,
  type Input,
  type RawInputs,
} from '../shared/parse-inputs.ts'
import { findOutputPlace, type OutputPlace } from '../shared/workspace-output.ts'
import type { InputSurroundings } from '../step/feature.ts'
import { dateInput, type DateInput } from './date-input.ts'
import { lastDays, type DateRange } from './date-range.ts'
import { FORMATS } from './export-format.ts'

const isGiven = (raw: RawInputs<string>, name: string): boolean => (raw[name] ?? '').trim() !== ''

const formatInput = choiceInput(FORMATS)

function placeInput(workspace: string): (raw: RawInputs<string>) => Input<OutputPlace> {
  return (raw) => {
    const format = formatInput.safeParse(raw['format']).data ?? 'csv'
    return withDefault(
      inputFrom((text, refuse) => {
        const found = findOutputPlace(workspace, text.trim())
        return found.kind === 'place' ? found.place : refuse(found.problem)
      }),
      `visitors.${format}`,
    )
  }
}

function isAfter(end: DateInput, startText: string): boolean {
  const start = dateInput.safeParse(startText)
  return !start.success || end.atMs > start.data.atMs
}

function endInput(raw: RawInputs<string>): Input<DateInput | undefined> {
  const rule = 'must be after `date-from`, as it does not count itself'
  return optionalInput(dateInput.check(z.refine((end) => isAfter(end, raw['date-from'] ?? ''), rule)))
}

function daysInput(raw: RawInputs<string>): Input<number | undefined> {
  const hasDates = isGiven(raw, 'date-from') || isGiven(raw, 'date-to')
  const rule = 'must not be given together with `date-from` or `date-to`'
  return optionalInput(wholeNumberInput(1, 3660).check(z.refine(() => !hasDates, rule)))
}

/** Every input of the action, in the order of action.yml. The default of `output-file` follows from `format`. */
const visitorsFields = (workspace: string) => ({
  projectId: field('project-id', '', projectIdInput),
  apiKey: field('api-key', '', apiKeyInput),
  baseUrl: field('base-url', '', baseUrlInput),
  dateFrom: field('date-from', '', optionalInput(dateInput)),
  dateTo: field('date-to', '', endInput),
  days: field('days', '', daysInput),
  format: field('format', 'csv', formatInput),
  place: field('output-file', '', placeInput(workspace)),
  /** How many pages the summary and the output hold. */
  top: field('top', '20', wholeNumberInput(0, 1000)),
  timeoutMs: field('timeout-minutes', '15', timeoutInput),
  onMissingKey: field('on-missing-key', 'fail', onMissingKeyInput),
  summary: field('summary', 'true', booleanInput),
})

export const VISITORS_FIELDS: Fields = visitorsFields('')
export const INPUT_NAMES = inputNames(VISITORS_FIELDS)

export interface VisitorsInputs extends Parsed<ReturnType<typeof visitorsFields>> {
  readonly range: DateRange
}

function toRange(from: DateInput | undefined, to: DateInput | undefined): DateRange {
  return {
    ...(from === undefined ? {} : { dateFrom: from.text }),
    ...(to === undefined ? {} : { dateTo: to.text }),
  }
}

/** @throws ActionError `invalid-input` that names every problem */
export function parseVisitorsInputs(raw: RawInputs<string>, { workspace, now }: InputSurroundings): VisitorsInputs {
  const inputs = parseFields(visitorsFields(workspace), raw)
  const { days, dateFrom, dateTo } = inputs
  return { ...inputs, range: days === undefined ? toRange(dateFrom, dateTo) : lastDays(days, now) }
}
