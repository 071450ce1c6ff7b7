import { data, Evaluator, Lexer, Parser } from '@actions/expressions'
import type { FunctionDefinition } from '@actions/expressions/funcs/info'
import { truthy } from '@actions/expressions/result'
import type { Template } from './located.ts'

type Data = data.ExpressionData

/** What an expression can refer to. */
export interface Scope {
  readonly contexts: Readonly<Record<string, unknown>>
  /** How the earlier steps of the job, or the jobs that this one needs, have ended. */
  readonly status: 'success' | 'failure' | 'cancelled' | 'skipped'
}

/** An expression that needs more than `npm start` has. The message names its line. */
export class NotEvaluable extends Error {}

const CONTEXTS = [
  ...['github', 'env', 'vars', 'secrets', 'inputs', 'needs', 'jobs', 'steps', 'matrix', 'strategy', 'job', 'runner'],
]

export const DEMO_PREFIX = 'demo-'

/** The library's dictionary has every name that objects have, such as `constructor` and `__proto__`. */
class Dictionary extends data.Dictionary {
  constructor(entries: readonly (readonly [key: string, value: Data])[]) {
    super()
    Object.setPrototypeOf(Reflect.get(this, 'indexMap'), null)
    for (const [key, value] of entries) this.add(key, value)
  }
}

/** Values for names that the file does not define, such as `demo-DOCS_AGENT_PROJECT_ID`. */
export class DemoValues extends Dictionary {
  readonly #createValue: (name: string) => string

  constructor(known: Readonly<Record<string, string>>, createValue: (name: string) => string) {
    super(Object.entries(known).map(([key, value]) => [key, new data.StringData(value)] as const))
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
    return new Dictionary(
      Object.entries(value).flatMap(([key, one]) => (one === undefined ? [] : [[key, toData(one)] as const])),
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
    define('cancelled', () => status === 'cancelled'),
    define(
      'hashFiles',
      () => {
        throw new Error('hashFiles needs a checkout')
      },
      255,
    ),
  ])
}

function compute(expression: string, { contexts, status }: Scope): Data {
  const functions = createFunctions(status)
  const parsed = new Parser(new Lexer(expression).lex().tokens, CONTEXTS, [...functions.values()]).parse()
  const context = new Dictionary(CONTEXTS.map((key) => [key, toData(contexts[key] ?? {})] as const))
  return new Evaluator(parsed, context, new Map(functions)).evaluate()
}

function evaluate(expression: string, line: number, scope: Scope): Data {
  try {
    return compute(expression, scope)
  } catch (error) {
    const reason = `${(error as Error).message}.${explainDemoValues(expression, scope)}`
    throw new NotEvaluable(`Line ${line}: \`${expression}\` cannot be evaluated here: ${reason}`)
  }
}

/** Strings in an expression can contain `}}`. */
const EXPRESSION = /\$\{\{((?:'[^']*'|(?!\}\})[^'])*)\}\}/g

/** The value of a text that is one expression and nothing else, not even the line end of `|` and `>`; otherwise its text. */
export function evaluateValue({ text, line }: Template, scope: Scope): Data {
  const parts = [...text.matchAll(EXPRESSION)]
  if (parts.length === 1 && parts[0]?.[0] === text) return evaluate((parts[0][1] ?? '').trim(), line, scope)
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

interface DemoValue {
  /** Such as `steps.filter.outputs.api`. */
  readonly reference: string
  readonly value: string
  /** The option that chooses another value. */
  readonly flag: string
}

/** The variables that a script would set. */
export const ENV_ID = 'env'

const REFERENCE = /\b(?:(?:steps|needs|jobs)\.(?<id>[\w-]+)\.outputs|(?<context>vars|env))\.(?<name>[\w-]+)/g

/** Finds the references in an expression whose values only GitHub knows. */
export function listDemoValues(expression: string, scope: Scope): readonly DemoValue[] {
  const dotted = expression.replaceAll(/\[\s*'([\w-]+)'\s*\]/g, '.$1')
  const found = [...dotted.matchAll(REFERENCE)].map(({ 0: reference, groups = {} }): DemoValue => {
    const { id, context, name = '' } = groups
    const flag = context === 'vars' ? `--var ${name}=…` : `--output ${id ?? ENV_ID}.${name}=…`
    return { reference, value: compute(reference, scope).coerceString(), flag }
  })
  return found.filter(({ reference, value }, index) => {
    const isDemo = value.startsWith(reference.startsWith('env.') ? `${DEMO_PREFIX}${ENV_ID}-` : DEMO_PREFIX)
    return isDemo && found.findIndex((one) => one.reference === reference) === index
  })
}

/** Sentences about the demo values in an expression. Empty: there are none. */
export function explainDemoValues(expression: string, scope: Scope): string {
  return listDemoValues(expression, scope)
    .map(({ reference, value, flag }) => ` ${reference} is ${value}; choose another value with ${flag}.`)
    .join('')
}

const STATUS_FUNCTION = /\b(?:success|failure|always|cancelled)\s*\(/i

export const hasStatusFunction = (condition: Template | undefined): boolean =>
  STATUS_FUNCTION.test(condition?.text ?? '')

/** What is between `${{` and `}}`, or the whole text without them. */
const unwrap = (condition: string): string => /^\$\{\{([^]*)\}\}$/.exec(condition)?.[1] ?? condition

/**
 * Whether a condition has text around an expression, even the line end of `|` and `>`. It is then a text, which is always true
 * (actions/runner#1173, rhysd/actionlint#272, airbytehq/airbyte#60939).
 */
export const isTextCondition = ({ text }: Template): boolean => unwrap(text).includes('${{')

/**
 * Whether a step or job runs. Without a status function, GitHub adds `success()`.
 * @param condition its `if`
 * @throws NotEvaluable
 */
export function evaluateCondition(condition: Template | undefined, scope: Scope): boolean {
  const { text, line } = condition?.text.trim() ? condition : { text: 'success()', line: 1 }
  const whole = unwrap(text)
  const hasStatus = STATUS_FUNCTION.test(whole)
  if (isTextCondition({ text, line }))
    return (hasStatus || scope.status === 'success') && evaluateText({ text, line }, scope) !== ''
  const expression = hasStatus ? whole : `success() && (${whole})`
  return truthy(evaluate(expression.trim(), line, scope))
}
