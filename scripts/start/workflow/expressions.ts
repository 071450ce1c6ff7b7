import { data, Evaluator, Lexer, Parser } from '@actions/expressions'
import type { FunctionDefinition } from '@actions/expressions/funcs/info'
import { truthy } from '@actions/expressions/result'
import type { Template } from './located.ts'

type Data = data.ExpressionData

/** What an expression can refer to. */
export interface Scope {
  readonly contexts: Readonly<Record<string, unknown>>
  /** How the earlier steps of the job, or the jobs that this one needs, have ended. */
  readonly status: 'success' | 'failure' | 'skipped'
}

/** An expression that needs more than `npm start` has. The message names its line. */
export class NotEvaluable extends Error {}

const CONTEXTS = [
  ...['github', 'env', 'vars', 'secrets', 'inputs', 'needs', 'steps', 'matrix', 'strategy', 'job', 'runner'],
]

export const DEMO_PREFIX = 'demo-'

/** Values for names that the file does not define, such as `demo-DOCS_AGENT_PROJECT_ID`. */
export class DemoValues extends data.Dictionary {
  readonly #createValue: (name: string) => string

  constructor(known: Readonly<Record<string, string>>, createValue: (name: string) => string) {
    super(...Object.entries(known).map(([key, value]) => ({ key, value: new data.StringData(value) })))
    this.#createValue = createValue
  }

  override get(name: string): Data {
    return super.get(name) ?? new data.StringData(this.#createValue(name))
  }
}

function toData(value: unknown): Data {
  if (value instanceof data.Dictionary) return value
  if (Array.isArray(value)) return new data.Array(...value.map(toData))
  if (typeof value === 'object' && value !== null)
    return new data.Dictionary(
      ...Object.entries(value).flatMap(([key, one]) => (one === undefined ? [] : [{ key, value: toData(one) }])),
    )
  return data.reviver('', value ?? null)
}

function createFunctions(status: Scope['status']): ReadonlyMap<string, FunctionDefinition> {
  const define = (name: string, result: () => boolean, maxArgs = 0): [string, FunctionDefinition] => [
    name.toLowerCase(),
    { name, minArgs: 0, maxArgs, call: () => new data.BooleanData(result()) },
  ]
  return new Map([
    define('success', () => status === 'success'),
    define('failure', () => status === 'failure'),
    define('always', () => true),
    define('cancelled', () => false),
    define(
      'hashFiles',
      () => {
        throw new Error('hashFiles needs a checkout')
      },
      255,
    ),
  ])
}

function evaluate(expression: string, line: number, { contexts, status }: Scope): Data {
  const functions = createFunctions(status)
  try {
    const parsed = new Parser(new Lexer(expression).lex().tokens, CONTEXTS, [...functions.values()]).parse()
    const context = new data.Dictionary(...CONTEXTS.map((key) => ({ key, value: toData(contexts[key] ?? {}) })))
    return new Evaluator(parsed, context, new Map(functions)).evaluate()
  } catch (error) {
    throw new NotEvaluable(`Line ${line}: \`${expression}\` cannot be evaluated here: ${(error as Error).message}.`)
  }
}

/** Strings in an expression can contain `}}`. */
const EXPRESSION = /\$\{\{((?:'[^']*'|(?!\}\})[^'])*)\}\}/g

/** The value of a text that may be one expression; otherwise its text. */
export function evaluateValue({ text, line }: Template, scope: Scope): Data {
  const parts = [...text.matchAll(EXPRESSION)]
  if (parts.length === 1 && parts[0]?.[0] === text.trim()) return evaluate((parts[0][1] ?? '').trim(), line, scope)
  return new data.StringData(
    text.replace(EXPRESSION, (_, expression: string) => evaluate(expression.trim(), line, scope).coerceString()),
  )
}

/** @throws NotEvaluable */
export function evaluateText(template: Template, scope: Scope): string {
  return evaluateValue(template, scope).coerceString()
}

/** @throws NotEvaluable */
export function evaluateTexts(
  templates: Readonly<Record<string, Template>>,
  scope: Scope,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(templates).map(([name, text]) => [name, evaluateText(text, scope)]))
}

const OUTPUT = /\b(?:steps|needs)\.[\w-]+\.outputs\.[\w-]+/g

/** Names the outputs in an `if` that have demo values, as the end of a sentence. Empty: there is none. */
export function nameDemoOutputs({ text, line }: Template, scope: Scope): string {
  const outputs = new Set(text.match(OUTPUT))
  const demo = Array.from(outputs, (name) => [name, evaluate(name, line, scope).coerceString()] as const)
  const named = demo.flatMap(([name, value]) => (value.startsWith(DEMO_PREFIX) ? `${name} is ${value}` : []))
  return named.length === 0 ? '' : `: ${named.join(', ')}, which only GitHub knows`
}

const STATUS_FUNCTION = /\b(?:success|failure|always|cancelled)\s*\(/i

/**
 * Whether a step or job runs. Without a status function, GitHub adds `success()`.
 * @param condition its `if`
 * @throws NotEvaluable
 */
export function evaluateCondition(condition: Template | undefined, scope: Scope): boolean {
  const { text, line } = condition?.text.trim() ? condition : { text: 'success()', line: 1 }
  const [, whole = text] = /^\s*\$\{\{([^]*)\}\}\s*$/.exec(text) ?? []
  if (whole.includes('${{')) return scope.status === 'success' && evaluateText({ text, line }, scope) !== ''
  const expression = STATUS_FUNCTION.test(whole) ? whole : `success() && (${whole})`
  return truthy(evaluate(expression.trim(), line, scope))
}
