import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** A part of an OpenAPI document, as plain JSON. */
export type Schema = Readonly<Record<string, unknown>>

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Schema
}

export interface Operation {
  readonly operationId: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: Schema
  readonly responses: Readonly<Record<string, Schema>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, Schema>>>>
}

function parseDescription(): Document {
  const file = createRequire(import.meta.url).resolve('@octokit/openapi/generated/api.github.com.json')
  return JSON.parse(readFileSync(file, 'utf8')) as Document
}

let parsed: Document | undefined

/** Returns GitHub's published API description of 13 MB, which is parsed once it is needed. */
const getDescription = (): Document => (parsed ??= parseDescription())

export function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Follows `#/components/<kind>/<name>`. */
export function resolve(schema: Schema): Schema {
  const ref = schema['$ref']
  if (typeof ref !== 'string') return schema
  const [, , kind = '', name = ''] = ref.split('/')
  const found = getDescription().components[kind]?.[name]
  if (found === undefined) throw new Error(`The description has no ${ref}.`)
  return resolve(found)
}

/** Returns a pattern with a named group for each value in a path. */
function toPattern(template: string): RegExp {
  // The path of a file and a ref can have several segments, which the description does not allow for.
  const last = /\/(?:contents\/\{path\}|git\/[\w-]+\/\{ref\})$/.test(template) ? '.*' : '[^/]*'
  return new RegExp(
    `^${template
      .replaceAll('.', '\\.')
      .replaceAll(/\{(\w+)\}(?!$)/g, '(?<$1>[^/]*)')
      .replace(/\{(\w+)\}$/, `(?<$1>${last})`)}$`,
  )
}

const patterns = new Map<string, readonly (readonly [RegExp, Operation])[]>()

function listPatterns(method: string): readonly (readonly [RegExp, Operation])[] {
  const found =
    patterns.get(method) ??
    Object.entries(getDescription().paths).flatMap(([template, { [method]: operation }]) =>
      operation === undefined ? [] : [[toPattern(template), operation] as const],
    )
  patterns.set(method, found)
  return found
}

interface FoundOperation {
  readonly operation: Operation
  /** The values in the path. */
  readonly params: Readonly<Record<string, string>>
}

function searchOperation(method: string, pathname: string): FoundOperation | undefined {
  for (const [pattern, operation] of listPatterns(method.toLowerCase())) {
    const match = pattern.exec(pathname)
    if (match === null) continue
    const values = Object.entries(match.groups ?? {}).map(([name, text]) => [name, decodeURIComponent(text)] as const)
    return { operation, params: Object.fromEntries(values) }
  }
  return undefined
}

const foundOperations = new Map<string, FoundOperation | undefined>()

/** Finds the operation of a request. The description has hundreds, and the tests send the same requests again and again. */
export function findOperation(method: string, pathname: string): FoundOperation | undefined {
  const key = `${method} ${pathname}`
  if (!foundOperations.has(key)) foundOperations.set(key, searchOperation(method, pathname))
  return foundOperations.get(key)
}

/** Returns the schema of the body of a request or a response. */
export function getBodySchema(holder: Schema | undefined): Schema | undefined {
  if (holder === undefined) return undefined
  const content = resolve(holder)['content'] as Record<string, { schema: Schema }> | undefined
  return content?.['application/json']?.schema
}

/**
 * Required fields that a response may omit: URLs and global ids, of which each resource has dozens, and which lead to
 * resources that the embedded GitHub does not have. Also the parent of a team, about which the description is
 * inconsistent.
 */
const UNCHECKED_FIELDS = /(?:^|_)(?:url|links|href)$|^node_id$|^gravatar_id$|^parent$/

/**
 * Fields that are null in real responses, which the description does not allow, each with another field of the same
 * object. `repo` is null for a deleted fork.
 */
const NULL_IN_RESPONSES = [
  ['description', 'color'],
  ['body', 'score'],
  ['repo', 'sha'],
] as const

function allowNull(properties: Schema): Schema {
  const fields = NULL_IN_RESPONSES.flatMap(([name, sibling]) => (sibling in properties ? [name] : []))
  const nullable = fields.map((name) => [name, { ...(properties[name] as Schema), nullable: true }] as const)
  return { ...properties, ...Object.fromEntries(nullable) }
}

/**
 * Converts a schema of the document to a JSON schema: `nullable`, which is specific to OpenAPI, becomes `anyOf`. Removes
 * `UNCHECKED_FIELDS` from the required fields.
 * @param define is called once for each schema to which a `$ref` leads, with its new name
 */
export function createConverter(define: (name: string, schema: Schema) => void): (schema: Schema) => Schema {
  const defined = new Set<string>()

  function convert(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(convert)
    if (!isObject(value)) return value
    if (value['nullable'] === true) return { anyOf: [convert({ ...value, nullable: false }), { type: 'null' }] }
    const ref = value['$ref']
    if (typeof ref === 'string' && ref.startsWith('#/components/')) {
      const name = ref.split('/').slice(2).join('.')
      if (!defined.has(name)) {
        defined.add(name)
        define(name, convert(resolve(value)) as Schema)
      }
      return { $ref: name }
    }
    const parts = Object.entries(value).filter(([key]) => !['nullable', 'example', 'examples'].includes(key))
    const converted = Object.fromEntries(
      parts.map(([key, part]) => [key, convert(key === 'properties' && isObject(part) ? allowNull(part) : part)]),
    )
    const { required } = converted
    if (Array.isArray(required)) converted['required'] = required.filter((name) => !UNCHECKED_FIELDS.test(String(name)))
    return converted
  }

  return (schema) => convert(schema) as Schema
}

const fieldsOfSchemas = new WeakMap<Schema, Readonly<Record<string, Schema>>>()

/** Returns the fields that a schema and its variants define. */
function getFields(schema: Schema): Readonly<Record<string, Schema>> {
  const known = fieldsOfSchemas.get(schema)
  if (known !== undefined) return known
  const variants = ['anyOf', 'oneOf', 'allOf'].flatMap((kind) => (schema[kind] as Schema[] | undefined) ?? [])
  const parts = [schema, ...variants.map(resolve)]
  const fields = Object.assign({}, ...parts.map((part) => part['properties'])) as Record<string, Schema>
  fieldsOfSchemas.set(schema, fields)
  return fields
}

/** Lists the fields of a value that its schema does not define, with their paths. Responses have lists of many objects. */
export function listUnknownFields(schema: Schema, value: unknown): string[] {
  const unknown: string[] = []
  const visit = (described: Schema, part: unknown, place: string): void => {
    if (typeof part !== 'object' || part === null) return
    const resolved = resolve(described)
    if (Array.isArray(part)) {
      for (const item of part) visit((resolved['items'] ?? {}) as Schema, item, `${place}[]`)
      return
    }
    const fields = getFields(resolved)
    if (Object.keys(fields).length === 0) return
    for (const [name, field] of Object.entries(part)) {
      const known = fields[name]
      if (known === undefined) unknown.push(`${place}/${name}`)
      else visit(known, field, `${place}/${name}`)
    }
  }
  visit(schema, value, '')
  return unknown
}

/** Lists the query parameters and the body fields of an operation, by its id in the description. */
export function listParameters(operationId: string): {
  readonly query: readonly string[]
  readonly body: readonly string[]
} {
  for (const operations of Object.values(getDescription().paths)) {
    const operation = Object.values(operations).find((one) => one.operationId === operationId)
    if (operation === undefined) continue
    const parameters = operation.parameters.map((parameter) => resolve({ ...parameter }) as unknown as Parameter)
    const schema = getBodySchema(operation.requestBody)
    return {
      query: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
      body: schema === undefined ? [] : listProperties(schema),
    }
  }
  throw new Error(`The description has no ${operationId}.`)
}

/** Lists the fields of an object, including those of its variants. */
function listProperties(schema: Schema): readonly string[] {
  const resolved = resolve(schema)
  const variants = ['anyOf', 'oneOf', 'allOf'].flatMap((kind) => (resolved[kind] as Schema[] | undefined) ?? [])
  return [...new Set([...Object.keys(resolved['properties'] ?? {}), ...variants.flatMap(listProperties)])]
}
