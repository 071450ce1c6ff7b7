import { type Reply, notImplemented, replyWithError } from './reply.ts'

/** The type of a query parameter or body field. A list contains the allowed strings. */
export type ParameterType = readonly string[] | keyof typeof KINDS

/** The parts of a request that an operation supports. */
export interface SupportedParameters {
  readonly query?: Readonly<Record<string, ParameterType>>
  readonly body?: Readonly<Record<string, ParameterType>>
  /** Required fields of the body. */
  readonly required?: readonly string[]
  /**
   * All other parameters in GitHub's API description, and the unsupported values of a supported one as `name=value`.
   * They get a 501, so that none is silently ignored.
   */
  readonly unsupported?: readonly string[]
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Decodes the parameters of a path. */
export function decodeParameters(params: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(params).map(([name, text]) => [name, decode(text)]))
}

/** The parameters of every list. */
export const PAGE_PARAMETERS = { per_page: 'count', page: 'count' } as const satisfies SupportedParameters['query']

const isText = (value: unknown): value is string => typeof value === 'string'
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Query parameters are strings. `count` is only for query parameters. */
const KINDS = {
  text: { noun: 'a string', fits: isText },
  'text or null': { noun: 'a string', fits: (value: unknown) => isText(value) || value === null },
  texts: { noun: 'an array', fits: (value: unknown) => Array.isArray(value) && value.every(isText) },
  boolean: {
    noun: 'a boolean',
    fits: (value: unknown) => typeof value === 'boolean' || /^(?:true|false)$/.test(String(value)),
  },
  // GitHub accepts any string and uses its default for an invalid one.
  count: { noun: 'an integer', fits: isText },
  time: { noun: 'a date-time', fits: (value: unknown) => isText(value) && !Number.isNaN(Date.parse(value)) },
  object: { noun: 'an object', fits: isObject },
  objects: { noun: 'an array', fits: (value: unknown) => Array.isArray(value) && value.every(isObject) },
  any: { noun: 'a value', fits: () => true },
} as const

function fits(kind: ParameterType, value: unknown): boolean {
  return typeof kind === 'string' ? KINDS[kind].fits(value) : isText(value) && kind.includes(value)
}

function describeInvalidField(name: string, kind: ParameterType, value: unknown): string {
  const shown = value === null ? 'nil' : JSON.stringify(value)
  const expected = typeof kind === 'string' ? KINDS[kind].noun : `a member of ${JSON.stringify(kind)}`
  return `Invalid request.\n\nFor 'properties/${name}', ${shown} is not ${expected}.`
}

/**
 * Validates the parameters of a request. Ignores unknown names, as GitHub does.
 * @param operation id in GitHub's API description
 * @returns GitHub's 422 for an invalid request, a 501 for an unsupported parameter, or undefined
 */
export function checkParameters(
  operation: string,
  { query: parameters = {}, body: fields = {}, required = [], unsupported: unsupportedNames = [] }: SupportedParameters,
  query: URLSearchParams,
  body: Readonly<Record<string, unknown>>,
): Reply | undefined {
  const unsupported = unsupportedNames.find((entry) => {
    const [name = '', value] = entry.split('=')
    return value === undefined ? query.has(name) || body[name] !== undefined : query.get(name) === value
  })
  if (unsupported !== undefined) return notImplemented(`“${unsupported}” in ${operation}`)
  const wrong = Object.entries(parameters).filter(([name, kind]) => query.has(name) && !fits(kind, query.get(name)))
  if (wrong.length > 0)
    return replyWithError(422, 'Validation Failed', {
      errors: wrong.map(([field]) => ({ field, code: 'invalid', value: query.get(field) })),
    })
  const missing = required.find((name) => body[name] === undefined)
  if (missing !== undefined) return replyWithError(422, `Invalid request.\n\n"${missing}" wasn't supplied.`)
  const invalid = Object.entries(fields).find(([name, kind]) => body[name] !== undefined && !fits(kind, body[name]))
  return invalid === undefined ? undefined : replyWithError(422, describeInvalidField(...invalid, body[invalid[0]]))
}
