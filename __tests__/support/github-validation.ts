import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import {
  bodySchema,
  resolve,
  standalone,
  unknownFields,
  type Operation,
  type Parameter,
  type Schema,
} from './github-schema.ts'

const ajv = new Ajv({ strict: false, coerceTypes: false, logger: false, allErrors: false })
const asQuery = new Ajv({ strict: false, coerceTypes: true, logger: false })
addFormats.default(ajv)
addFormats.default(asQuery)

const compiled = new Map<string, ValidateFunction>()

function check(name: string, schema: Schema, value: unknown, validator = ajv): string[] {
  const validate = compiled.get(name) ?? validator.compile(standalone(schema))
  compiled.set(name, validate)
  if (validate(value)) return []
  return (validate.errors ?? []).map(({ instancePath, message = '' }) => `${name}${instancePath} ${message}`)
}

export interface CheckedRequest {
  readonly operation: Operation
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: unknown
}

/** What of a request GitHub's description does not allow. */
export function checkRequest({ operation, params, query, body }: CheckedRequest): string[] {
  const { operationId, parameters, requestBody } = operation
  const known = parameters.map((parameter) => resolve({ ...parameter }) as unknown as Parameter)
  const problems: string[] = []
  for (const { name, in: place, required = false, schema: described } of known) {
    const { oneOf, ...rest } = described
    // In an address a number is a text as well.
    const schema = oneOf === undefined ? described : { ...rest, anyOf: oneOf }
    const value = place === 'path' ? params[name] : (query.get(name) ?? undefined)
    if (value === undefined && required) problems.push(`${operationId}: ${name} is missing`)
    if (value !== undefined)
      problems.push(
        ...check(`${operationId} ${name}`, { type: 'object', properties: { value: schema } }, { value }, asQuery),
      )
  }
  for (const name of query.keys()) {
    if (!known.some((parameter) => parameter.name === name)) problems.push(`${operationId}: there is no ${name}`)
  }
  const schema = bodySchema(requestBody)
  if (schema === undefined || body === undefined) return problems
  return [...problems, ...check(`${operationId} body`, schema, body)]
}

/** What of an answer GitHub's description does not allow, and what it requires and the answer leaves out. */
export function checkAnswer({ operationId, responses }: Operation, status: number, given: unknown): string[] {
  const schema = bodySchema(responses[String(status)])
  // Refusals that the description leaves out all have GitHub's usual form.
  if (schema === undefined || given === undefined) return []
  const name = `${operationId} ${status}`
  const unknown = status < 300 ? unknownFields(schema, given).map((field) => `${name} has no ${field}`) : []
  return [...unknown, ...check(name, schema, given)]
}
