import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { GitHubExchange } from '../src/emulator/github/github.ts'
import { shareInWorker } from './share-in-worker.ts'
import {
  createConverter,
  getBodySchema,
  findOperation,
  resolve,
  listUnknownFields,
  type Operation,
  type Parameter,
  type Schema,
} from './github-schema.ts'

/** Most schemas check only a few responses, so what counts is that they are compiled fast. */
const FAST = { validateSchema: false, inlineRefs: false, code: { optimize: false } }
const ajv = new Ajv({ strict: false, coerceTypes: false, logger: false, allErrors: false, ...FAST })
const queryAjv = new Ajv({ strict: false, coerceTypes: true, logger: false, ...FAST })
addFormats.default(ajv)
addFormats.default(queryAjv)
// The address of an app contains `[bot]`.
ajv.addFormat('email', /^[^@]+@[^@]+$/)

/** Responses share schemas, such as that of a user. Each is compiled once. */
const convert = createConverter((name, schema) => ajv.addSchema(schema, name))
const convertParameter = createConverter((name, schema) => queryAjv.addSchema(schema, name))

const compiled = new Map<string, ValidateFunction>()

function check(name: string, schema: Schema, value: unknown, isParameter = false): string[] {
  const validate =
    compiled.get(name) ?? (isParameter ? queryAjv.compile(convertParameter(schema)) : ajv.compile(convert(schema)))
  compiled.set(name, validate)
  if (validate(value)) return []
  return (validate.errors ?? []).map(({ instancePath, message = '' }) => `${name}${instancePath} ${message}`)
}

/** Lists how a request violates GitHub's API description. */
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
    // In a URL, a number is also a valid string.
    const schema = oneOf === undefined ? described : { ...rest, anyOf: oneOf }
    const value = place === 'path' ? params[name] : (query.get(name) ?? undefined)
    if (value === undefined && required) problems.push(`${operationId}: ${name} is missing`)
    if (value !== undefined)
      problems.push(
        ...check(`${operationId} ${name}`, { type: 'object', properties: { value: schema } }, { value }, true),
      )
  }
  for (const name of query.keys()) {
    if (!known.some((parameter) => parameter.name === name)) problems.push(`${operationId}: there is no ${name}`)
  }
  const schema = getBodySchema(requestBody)
  if (schema === undefined || body === undefined) return problems
  return [...problems, ...check(`${operationId} body`, schema, body)]
}

/** Lists how a response violates the description, including missing required fields. */
function checkResponse({ operationId, responses }: Operation, status: number, given: unknown): string[] {
  const schema = getBodySchema(responses[String(status)])
  // Statuses that the description omits have GitHub's usual error body.
  if (schema === undefined || given === undefined) return []
  const name = `${operationId} ${status}`
  const unknown = status < 300 ? listUnknownFields(schema, given).map((field) => `${name} has no ${field}`) : []
  return [...unknown, ...check(name, schema, given)]
}

const parseJson = (text: string): unknown => (text === '' ? undefined : (JSON.parse(text) as unknown))

function listExchangeViolations({ operation: name, request, fault, response }: GitHubExchange): string[] {
  const { pathname, searchParams: query } = new URL(request.target, 'http://localhost')
  // GitHub redirects requests for a moved repository to its id. The description does not contain this path.
  const path = pathname.replace(/^\/api\/v3(?=\/)/, '').replace(/^\/repositories\/\d+(?=\/)/, '/repos/acme/docs')
  const found = findOperation(request.method, path)
  // The description covers the REST API only.
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

/**
 * Lists how a request and its response violate GitHub's API description. The responses of faults are not checked. It takes a
 * while to parse the description and to compile its schemas, so all suites of a worker use those of the first one.
 */
export const listViolations = shareInWorker('listViolations', listExchangeViolations)
