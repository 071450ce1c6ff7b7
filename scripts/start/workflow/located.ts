import { FeatureFlags } from '@actions/expressions'
import {
  convertWorkflowTemplate,
  isBasicExpression,
  isLiteral,
  isMapping,
  isScalar,
  isSequence,
  NoOperationTraceWriter,
  parseWorkflow,
} from '@actions/workflow-parser'
import { TemplateContext, TemplateValidationErrors } from '@actions/workflow-parser/templates/template-context'
import { getWorkflowSchema } from '@actions/workflow-parser/workflows/workflow-schema'
import { isScalar as isYamlScalar, LineCounter, parse, parseDocument, visit } from 'yaml'

/** A text that may contain `${{ }}`, and its line in the workflow file. */
export interface Template {
  readonly text: string
  readonly line: number
}

/** A value of a workflow file. Each knows its line. */
export type Located =
  | { readonly kind: 'map'; readonly line: number; readonly entries: ReadonlyMap<string, Located> }
  | { readonly kind: 'list'; readonly line: number; readonly items: readonly Located[] }
  | (Template & {
      readonly kind: 'scalar'
      /** A boolean, a number, null or a text. Undefined if it is a text with expressions. */
      readonly value: unknown
    })

type Token = NonNullable<ReturnType<typeof parseWorkflow>['value']>

/**
 * The parser keeps the indentation of a block with `${{ }}`, and quotes, so its source is parsed again. It has already parsed
 * a line with other text beside `${{ }}`.
 */
function readText(token: Token): string {
  if (!isBasicExpression(token) || token.source === undefined) return isScalar(token) ? token.toString() : ''
  const { blockScalarHeader: header, source, originalExpressions, range } = token
  if (originalExpressions !== undefined && range?.start.line === range?.end.line) return source
  return String(parse(header === undefined ? source : `${header}\n${source}`))
}

export function toLocated(token: Token): Located {
  const line = token.range?.start.line ?? 1
  if (isSequence(token)) return { kind: 'list', line, items: Array.from(token, toLocated) }
  if (!isMapping(token)) {
    const value: unknown = isLiteral(token) ? token.toJSON() : undefined
    return { kind: 'scalar', line, text: readText(token), value }
  }
  const entries = Array.from(token, ({ key, value }) => {
    const { kind, ...rest } = toLocated(value)
    // The line of `name:`, also where its value begins on the next line.
    return [key.toString(), { kind, ...rest, line: key.range?.start.line ?? rest.line } as Located] as const
  })
  return { kind: 'map', line, entries: new Map(entries) }
}

/** Aliases of aliases can stand for more values than fit into memory, which GitHub's parser does not notice. */
const MAX_ALIAS_COUNT = 10_000

/** Features that are off by default, because an older GitHub Enterprise Server does not have them, such as parallel steps. */
const FEATURES = new FeatureFlags({ all: true })

/** GitHub accepts `default: false` of an input without a type, as a text. The parser does not. */
const UNTYPED_DEFAULT = "reading 'input default'. The type 'StringToken' was expected"

/** The parser looks up keys in objects, in which it would find `constructor` and `__proto__` of every object. */
export function createContext(schema: ReturnType<typeof getWorkflowSchema>): TemplateContext {
  for (const definition of Object.values(schema.definitions))
    if ('properties' in definition) Object.setPrototypeOf(definition.properties, null)
  return new TemplateContext(new TemplateValidationErrors(), schema, new NoOperationTraceWriter())
}

/** @throws Error that names every problem with its line */
export function refuseFile(problems: readonly string[], what = 'workflow'): void {
  if (problems.length === 0) return
  const list = problems.map((one) => `  ${one}`).join('\n')
  throw new Error(`GitHub's parser does not accept this ${what} file.\n${list}`)
}

/** A key of the file is in its document and its outermost mapping. */
const ROOT_DEPTH = 2

/**
 * What GitHub refuses and its parser accepts: `if: !cancelled()` is a tag of YAML (agama-project/agama#1707), a pattern that
 * begins with `*` an alias, and some tools write `true:` for `on:` (yaml/pyyaml#470).
 */
function findYamlProblems(content: string): readonly { readonly line: number; readonly problem: string }[] {
  const lineCounter = new LineCounter()
  const document = parseDocument(content, { lineCounter })
  // The parser finds these itself.
  if (document.errors.length > 0) return []
  const problems = document.warnings.flatMap(({ code, message, pos }) => {
    const [, tag] = /^Unresolved tag: (.+) at line/.exec(message) ?? []
    return code === 'TAG_RESOLVE_FAILED'
      ? [{ pos: pos[0], problem: `Unexpected tag '${tag ?? ''}'. Put the value in quotes.` }]
      : []
  })
  visit(document, {
    Alias(_key, alias) {
      if (alias.resolve(document) !== undefined) return
      problems.push({
        pos: alias.range?.[0] ?? 0,
        problem: `Unknown alias '*${alias.source}'. Put the value in quotes.`,
      })
    },
    Pair(_key, { key }, { length: depth }) {
      if (depth === ROOT_DEPTH && isYamlScalar(key) && key.value === true)
        problems.push({ pos: key.range?.[0] ?? 0, problem: "Unexpected value 'true'. Write `on`." })
    },
  })
  if (problems.length === 0) document.toJS({ maxAliasCount: MAX_ALIAS_COUNT })
  return problems.map(({ pos, problem }) => ({ line: lineCounter.linePos(pos).line, problem }))
}

/**
 * Parses a workflow file with GitHub's own parser and schema.
 * @throws Error that names every problem with its line
 */
export async function parseLocated(name: string, content: string): Promise<Located> {
  refuseFile(findYamlProblems(content).map(({ line, problem }) => `${name} (Line: ${line}): ${problem}`))
  const context = createContext(getWorkflowSchema())
  // The parser reads them here, and its options set them only after that.
  context.state['featureFlags'] = FEATURES
  const { value } = parseWorkflow({ name, content }, context)
  // Finds cycles of jobs, unknown jobs, duplicate ids and invalid schedules. What it returns lacks `permissions`, `with`,
  // `timeout-minutes` and the lines of filters, so the values are read from the tokens.
  if (value !== undefined) await convertWorkflowTemplate(context, value, undefined, { featureFlags: FEATURES })
  const problems = context.errors.getErrors().map(({ message }) => message)
  refuseFile(problems.filter((message) => !message.includes(UNTYPED_DEFAULT)))
  if (value === undefined) throw new Error(`${name} is empty.`)
  return toLocated(value)
}

export function getEntry(from: Located | undefined, name: string): Located | undefined {
  return from?.kind === 'map' ? from.entries.get(name) : undefined
}

export function listEntries(from: Located | undefined): readonly (readonly [name: string, value: Located])[] {
  return from?.kind === 'map' ? [...from.entries] : []
}

export function getText(from: Located | undefined): Template | undefined {
  return from?.kind === 'scalar' ? { text: from.text, line: from.line } : undefined
}

/** The items of a list. One value counts as a list of one. */
export function listTexts(from: Located | undefined): readonly string[] {
  if (from === undefined || from.kind === 'map') return []
  return from.kind === 'list' ? from.items.flatMap((item) => getText(item)?.text ?? []) : [from.text]
}

/** The texts of a map, such as those of `with` and `env`. */
export function getTexts(from: Located | undefined): Readonly<Record<string, Template>> {
  return Object.fromEntries(
    listEntries(from).flatMap(([name, value]) => {
      const text = getText(value)
      return text === undefined ? [] : [[name, text] as const]
    }),
  )
}
