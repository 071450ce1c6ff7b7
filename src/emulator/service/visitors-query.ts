import { DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS } from '../../docs-service/schemas.ts'
import { type Refusal, refuse } from '../http/exchange.ts'
import { parseDate } from './parse-date.ts'

export interface DateRange {
  /** The first millisecond that counts. */
  readonly fromMs: number
  /** The first millisecond that does not count any more. */
  readonly toMs: number
}

export interface VisitorsQuery {
  readonly range: DateRange
  /** In rows, as `offset` is. */
  readonly limit: number
  readonly offset: number
}

interface Parameter {
  readonly otherwise: number
  readonly parse: (text: string) => number | undefined
  readonly problem: string
}

function integerFrom(least: number, most: number): (text: string) => number | undefined {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : NaN
    return value >= least && value <= most ? value : undefined
  }
}

const dateProblem = (name: string): string => `\`${name}\` must be YYYY-MM-DD or ISO 8601.`

/** Section 4.4. A date that is left out leaves its side open. */
const PARAMETERS = {
  dateFrom: { otherwise: -Infinity, parse: parseDate, problem: dateProblem('dateFrom') },
  dateTo: { otherwise: Infinity, parse: parseDate, problem: dateProblem('dateTo') },
  limit: {
    otherwise: DEFAULT_PAGE_ROWS,
    parse: integerFrom(1, MAX_PAGE_ROWS),
    problem: `\`limit\` must be an integer from 1 to ${MAX_PAGE_ROWS}.`,
  },
  offset: {
    otherwise: 0,
    parse: integerFrom(0, Number.MAX_SAFE_INTEGER),
    problem: '`offset` must be an integer of 0 or more.',
  },
} as const satisfies Record<string, Parameter>

/** Reads a query string, without its question mark. A parameter that comes twice is wrong, an unknown one is ignored. */
export function parseVisitorsQuery(queryString: string): VisitorsQuery | Refusal {
  const given = new URLSearchParams(queryString)
  const problems: string[] = []

  function read(name: keyof typeof PARAMETERS): number {
    const { otherwise, parse, problem } = PARAMETERS[name]
    const [text, ...more] = given.getAll(name)
    if (text === undefined) return otherwise
    const value = more.length === 0 ? parse(text) : undefined
    if (value === undefined) problems.push(problem)
    return value ?? otherwise
  }

  const range = { fromMs: read('dateFrom'), toMs: read('dateTo') }
  const query = { range, limit: read('limit'), offset: read('offset') }
  if (range.fromMs > range.toMs) problems.push('`dateFrom` must not be after `dateTo`.')
  return problems.length === 0 ? query : refuse(400, problems)
}
