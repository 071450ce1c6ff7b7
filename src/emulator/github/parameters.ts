import { type Reply, notPlayed, refusal } from './reply.ts'

/** What a query parameter or a field of a body may be. A list: one of these texts. */
export type Kind = readonly string[] | keyof typeof KINDS

/** What of a request an operation reads. */
export interface Plays {
  readonly query?: Readonly<Record<string, Kind>>
  readonly body?: Readonly<Record<string, Kind>>
  /** Fields of the body that must be there. */
  readonly required?: readonly string[]
  /** Of media types such as `application/vnd.github.diff`, besides JSON. */
  readonly formats?: readonly string[]
  /** What GitHub's description has besides these. A request that uses one of them is answered 501, so none is ignored. */
  readonly unplayed?: readonly string[]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The values of a path's parameters. */
export function decodeAll(params: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(params).map(([name, text]) => [name, decoded(text)]))
}

/** Of every list. */
export const PAGE = { per_page: 'count', page: 'count' } as const satisfies Plays['query']

const isText = (value: unknown): value is string => typeof value === 'string'
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Query parameters are texts; `count` is for these alone. */
const KINDS = {
  text: { noun: 'a string', fits: isText },
  'text or null': { noun: 'a string', fits: (value: unknown) => isText(value) || value === null },
  texts: { noun: 'an array', fits: (value: unknown) => Array.isArray(value) && value.every(isText) },
  boolean: {
    noun: 'a boolean',
    fits: (value: unknown) => typeof value === 'boolean' || /^(?:true|false)$/.test(String(value)),
  },
  integer: {
    noun: 'an integer',
    fits: (value: unknown) => Number.isInteger(typeof value === 'string' ? Number(value) : value),
  },
  // GitHub takes any text here, and falls back to its default.
  count: { noun: 'an integer', fits: isText },
  time: { noun: 'a date-time', fits: (value: unknown) => isText(value) && !Number.isNaN(Date.parse(value)) },
  object: { noun: 'an object', fits: isObject },
  objects: { noun: 'an array', fits: (value: unknown) => Array.isArray(value) && value.every(isObject) },
  any: { noun: 'a value', fits: () => true },
} as const

function fits(kind: Kind, value: unknown): boolean {
  return typeof kind === 'string' ? KINDS[kind].fits(value) : isText(value) && kind.includes(value)
}

function wrongField(name: string, kind: Kind, value: unknown): string {
  const shown = value === null ? 'nil' : JSON.stringify(value)
  const wanted = typeof kind === 'string' ? KINDS[kind].noun : `a member of ${JSON.stringify(kind)}`
  return `Invalid request.\n\nFor 'properties/${name}', ${shown} is not ${wanted}.`
}

/**
 * Checks a request before its operation answers it. GitHub ignores names that it does not know, and so does this.
 * @param operation by its name in GitHub's description
 * @returns 422 for what GitHub refuses, 501 for what is not played here, nothing if the request can be answered
 */
export function checkParameters(
  operation: string,
  { query: parameters = {}, body: fields = {}, required = [], unplayed = [] }: Plays,
  query: URLSearchParams,
  body: Readonly<Record<string, unknown>>,
): Reply | undefined {
  const notHere = unplayed.find((name) => query.has(name) || body[name] !== undefined)
  if (notHere !== undefined) return notPlayed(`“${notHere}” in ${operation}`)
  const wrong = Object.entries(parameters).filter(([name, kind]) => query.has(name) && !fits(kind, query.get(name)))
  if (wrong.length > 0)
    return refusal(422, 'Validation Failed', {
      errors: wrong.map(([field]) => ({ field, code: 'invalid', value: query.get(field) })),
    })
  const missing = required.find((name) => body[name] === undefined)
  if (missing !== undefined) return refusal(422, `Invalid request.\n\n"${missing}" wasn't supplied.`)
  const ill = Object.entries(fields).find(([name, kind]) => body[name] !== undefined && !fits(kind, body[name]))
  return ill === undefined ? undefined : refusal(422, wrongField(...ill, body[ill[0]]))
}
