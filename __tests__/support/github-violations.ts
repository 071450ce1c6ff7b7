import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { GitHubExchange } from '../../src/emulator/github/github.ts'
import {
  getBodySchema,
  findOperation,
  resolve,
  toStandaloneSchema,
  listUnknownFields,
  type Operation,
  type Parameter,
  type Schema,
} from './github-schema.ts'

const ajv = new Ajv({ strict: false, coerceTypes: false, logger: false, allErrors: false })
const queryAjv = new Ajv({ strict: false, coerceTypes: true, logger: false })
addFormats.default(ajv)
addFormats.default(queryAjv)

const compiled = new Map<string, ValidateFunction>()

function check(name: string, schema: Schema, value: unknown, validator = ajv): string[] {
  const validate = compiled.get(name) ?? validator.compile(toStandaloneSchema(schema))
  compiled.set(name, validate)
  if (validate(value)) return []
  return (validate.errors ?? []).map(({ instancePath, message = '' }) => `${name}${instancePath} ${message}`)
}

/** What of a request GitHub's description does not allow. */
function checkRequest(
  { operationId, parameters, requestBody }: Operation,
  params: Readonly<Record<string, string>>,
  query: URLSearchParams,
  body: unknown,
): string[] {
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
        ...check(`${operationId} ${name}`, { type: 'object', properties: { value: schema } }, { value }, queryAjv),
      )
  }
  for (const name of query.keys()) {
    if (!known.some((parameter) => parameter.name === name)) problems.push(`${operationId}: there is no ${name}`)
  }
  const schema = getBodySchema(requestBody)
  if (schema === undefined || body === undefined) return problems
  return [...problems, ...check(`${operationId} body`, schema, body)]
}

/** What of an answer GitHub's description does not allow, and what it requires and the answer leaves out. */
function checkResponse({ operationId, responses }: Operation, status: number, given: unknown): string[] {
  const schema = getBodySchema(responses[String(status)])
  // Refusals that the description leaves out all have GitHub's usual form.
  if (schema === undefined || given === undefined) return []
  const name = `${operationId} ${status}`
  const unknown = status < 300 ? listUnknownFields(schema, given).map((field) => `${name} has no ${field}`) : []
  return [...unknown, ...check(name, schema, given)]
}

const parseJson = (text: string): unknown => (text === '' ? undefined : (JSON.parse(text) as unknown))

/** What in a request and its answer GitHub's published description does not allow. Faults are what they are. */
export function listViolations({ operation: name, request, fault, response }: GitHubExchange): string[] {
  const { pathname, searchParams: query } = new URL(request.target, 'http://localhost')
  // Where a repository has moved, GitHub sends on to its id, of which its description says nothing.
  const path = pathname.replace(/^\/api\/v3(?=\/)/, '').replace(/^\/repositories\/\d+(?=\/)/, '/repos/acme/docs')
  const found = findOperation(request.method, path)
  // GitHub's description is of its REST interface.
  if (name === 'graphql') return []
  if (found === undefined || name === undefined) return [`There is no ${request.method} ${pathname} here.`]
  if (response.status === 501) return [(JSON.parse(response.body) as { message: string }).message]
  const { operation, params } = found
  const wrongName = operation.operationId === name ? [] : [`${name} is called ${operation.operationId}.`]
  const problems = checkRequest(operation, params, query, parseJson(request.body))
  return fault === 'none'
    ? [...wrongName, ...problems, ...checkResponse(operation, response.status, parseJson(response.body))]
    : [...wrongName, ...problems]
}
