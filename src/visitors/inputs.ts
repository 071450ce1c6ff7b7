import * as z from 'zod/mini'
import {
  apiKeyInput,
  baseUrlInput,
  booleanInput,
  choiceInput,
  inputFrom,
  onMissingKeyInput,
  optionalInput,
  parseInputs,
  projectIdInput,
  timeoutInput,
  wholeNumberInput,
  withDefault,
  type Input,
  type RawInputs,
} from '../shared/parse-inputs.ts'
import type { FoundPlace, OutputPlace } from '../shared/workspace-output.ts'
import { dateInput, type DateInput } from './date-input.ts'
import { lastDays, type DateRange } from './date-range.ts'
import { FORMATS, type Format } from './export-format.ts'

export interface VisitorsInputs {
  readonly projectId: string
  readonly apiKey: string
  readonly baseUrl: string
  readonly range: DateRange
  readonly format: Format
  readonly place: OutputPlace
  /** How many pages the summary and the output hold. */
  readonly top: number
  readonly timeoutMs: number
  readonly summary: boolean
}

export const INPUT_NAMES = [
  'project-id',
  'api-key',
  'base-url',
  'date-from',
  'date-to',
  'days',
  'format',
  'output-file',
  'top',
  'timeout-minutes',
  'on-missing-key',
  'summary',
] as const
export type VisitorsRawInputs = RawInputs<(typeof INPUT_NAMES)[number]>

/** What the inputs are judged against. */
export interface InputSurroundings {
  readonly now: Date
  readonly findPlace: (file: string) => FoundPlace
}

const isBlank = (text: string): boolean => text.trim() === ''

const formatInput = choiceInput(FORMATS, `must be one of ${FORMATS.map((format) => `\`${format}\``).join(', ')}`)

function placeInput(findPlace: InputSurroundings['findPlace']): Input<OutputPlace> {
  return inputFrom((text, refuse) => {
    const found = findPlace(text.trim())
    return found.kind === 'place' ? found.place : refuse(found.problem)
  })
}

function isAfter(end: DateInput, startText: string): boolean {
  const start = dateInput.safeParse(startText)
  return !start.success || end.atMs > start.data.atMs
}

/** Rules between inputs stand at one of them, as zod leaves out the rules of an object while a field of it is wrong. */
function inputsSchema(raw: VisitorsRawInputs, { findPlace }: InputSurroundings) {
  const hasDates = !isBlank(raw['date-from']) || !isBlank(raw['date-to'])
  const format = formatInput.safeParse(raw.format).data ?? 'csv'
  return z.object({
    'project-id': projectIdInput,
    'api-key': apiKeyInput,
    'base-url': baseUrlInput,
    'date-from': optionalInput(dateInput),
    'date-to': optionalInput(
      dateInput.check(
        z.refine((end) => isAfter(end, raw['date-from']), 'must be after `date-from`, as it does not count itself'),
      ),
    ),
    days: optionalInput(
      wholeNumberInput(1, 3660).check(
        z.refine(() => !hasDates, 'must not be given together with `date-from` or `date-to`'),
      ),
    ),
    format: withDefault(formatInput, 'csv'),
    'output-file': withDefault(placeInput(findPlace), `visitors.${format}`),
    top: withDefault(wholeNumberInput(0, 1000), '20'),
    'timeout-minutes': withDefault(timeoutInput, '15'),
    'on-missing-key': withDefault(onMissingKeyInput, 'fail'),
    summary: withDefault(booleanInput, 'true'),
  })
}

function toRange(from: DateInput | undefined, to: DateInput | undefined): DateRange {
  return {
    ...(from === undefined ? {} : { dateFrom: from.text }),
    ...(to === undefined ? {} : { dateTo: to.text }),
  }
}

/** @throws ActionError `invalid-input` that names every problem */
export function parseVisitorsInputs(raw: VisitorsRawInputs, surroundings: InputSurroundings): VisitorsInputs {
  const inputs = parseInputs(inputsSchema(raw, surroundings), raw)
  return {
    projectId: inputs['project-id'],
    apiKey: inputs['api-key'],
    baseUrl: inputs['base-url'],
    range:
      inputs.days === undefined
        ? toRange(inputs['date-from'], inputs['date-to'])
        : lastDays(inputs.days, surroundings.now),
    format: inputs.format,
    place: inputs['output-file'],
    top: inputs.top,
    timeoutMs: inputs['timeout-minutes'],
    summary: inputs.summary,
  }
}
