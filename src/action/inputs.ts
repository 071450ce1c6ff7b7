import { createHash } from 'node:crypto'
import { ActionError } from '../runtime/errors.ts'
import { ID_PATTERN, isLoopback, parseUrl } from '../runtime/url.ts'
import { asSentence, formatCount } from '../text/format.ts'
import { createRedactor } from '../text/redact.ts'
import { oneLine } from '../text/untrusted.ts'

/** What the runner gives: every input as text, empty if nothing was given. */
export type RawInputs = Readonly<Record<string, string>>

export const isGiven = (raw: RawInputs, name: string): boolean => (raw[name] ?? '').trim() !== ''

/** Says what is wrong with one input. */
class Refused extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join(', '))
    this.problems = problems
  }
}

/** Says why a text is refused. To be returned, so that the compiler knows that it ends there: `return refuse('is blank')`. */
export function refuse(...problems: readonly string[]): never {
  throw new Refused(problems)
}

/**
 * An input: a text, without white space around it, that becomes a value. It may depend on other inputs, as they were given.
 * @param workspace the folder that a file is in
 * @throws Refused
 */
export type Input<T> = (text: string, raw: RawInputs, workspace: string) => T

/** The inputs whose values must not be shown. */
export const SECRET_INPUTS: readonly string[] = ['api-key', 'github-token']

/** A text without the secrets that other inputs have, before it is cut: a secret that was cut is redacted nowhere. */
export function withoutSecrets(text: string, raw: RawInputs): string {
  return createRedactor(SECRET_INPUTS.map((name) => (raw[name] ?? '').trim()))(text)
}

/** A longer value may be a key that was given to the wrong input. */
const MAX_ECHO = 20
const BEGINNING = 8

/**
 * The rule that a value breaks, and the value: for inputs that are never secret. It may come from an event, and the summary
 * is Markdown, so it stands in a code span that it cannot end.
 */
export function rejecting(rule: string, given: string, raw: RawInputs): string {
  const text = withoutSecrets(given, raw)
  const shown = text.length > MAX_ECHO ? `${text.slice(0, BEGINNING)}…` : text
  const value = oneLine(shown, MAX_ECHO).replaceAll('`', "'")
  return value === '' ? rule : `${rule}, not \`${value}\``
}

/** The lines that are not blank, each with what a problem calls it. */
export function toLines(text: string): readonly { readonly line: string; readonly at: string }[] {
  const lines = text.split(/\r?\n/).map((line, index) => ({ line: line.trim(), at: `line ${index + 1}` }))
  return lines.filter(({ line }) => line !== '')
}

/** An input that has to look like `pattern`. */
export function textInput(pattern: RegExp, rule: string): Input<string> {
  return (text) => (pattern.test(text) ? text : refuse(rule))
}

export function choiceInput<T extends string>(choices: readonly T[]): Input<T> {
  const words = choices.map((choice) => `\`${choice}\``)
  const rule = `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`
  return (text, raw) => choices.find((choice) => choice === text) ?? refuse(rejecting(rule, text, raw))
}

/** An input that may be left empty, and is then undefined. */
export function optionalInput<T>(input: Input<T>): Input<T | undefined> {
  return (text, ...around) => (text === '' ? undefined : input(text, ...around))
}

/**
 * An input that, when it is right by itself, has to keep to a rule as well.
 * @param breaks gives the rule that is broken, if one is
 */
export function inputThat<T>(input: Input<T>, breaks: (value: T, raw: RawInputs) => string | false): Input<T> {
  return (text, raw, workspace) => {
    const value = input(text, raw, workspace)
    const rule = breaks(value, raw)
    return rule === false ? value : refuse(rule)
  }
}

const ID_RULE = 'must be 1 to 128 letters, digits, `_` or `-`'

export const jobIdInput = optionalInput(textInput(ID_PATTERN, ID_RULE))
export const projectIdInput = textInput(ID_PATTERN, `${ID_RULE}, as on the API keys page of the dashboard`)

/** A header that is much longer is refused by servers anyway. */
const MAX_KEY = 4_096

export const apiKeyInput: Input<string> = (key) => {
  if (key === '')
    return refuse('is empty; set it from a secret (pull requests from forks and Dependabot have no access to secrets)')
  if (key.length > MAX_KEY) return refuse(`is longer than ${MAX_KEY} characters; no key is that long`)
  if (/[^\x21-\x7e]/.test(key)) return refuse('must consist of printable ASCII characters without spaces')
  return key
}

/** Before the host; an `@` in the path is like any other character. */
const EMPTY_USER = /^[a-z]+:\/*[^/]*@/i

/** Addresses can hold passwords, so no message repeats one. */
export const baseUrlInput: Input<string> = (address) => {
  if (address === '') return refuse('is empty; set it, or the environment variable `DOCS_AGENT_BASE_URL`')
  // URL parsing drops tabs and line breaks, turns `\` into `/`, and an empty `?` or `#` leaves no trace.
  if (/[^\x21-\x7e]|\\/.test(address)) return refuse('must be a URL without spaces or control characters')
  const url = parseUrl(address)
  if (url === undefined) return refuse('must be a URL such as `https://docs.example.com/api`')
  if (url.username !== '' || url.password !== '' || EMPTY_USER.test(address))
    return refuse('must not contain a user name or a password')
  if (/[?#]/.test(address)) return refuse('must not contain a query or a fragment')
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))) return url.href.replace(/\/+$/, '')
  return refuse(
    `must begin with \`https://\`${url.protocol === 'http:' ? '; `http://` is allowed for loopback addresses only' : ''}`,
  )
}

/** YAML's core spellings, the ones that the runner's own actions take. */
export const booleanInput: Input<boolean> = (text, raw) => {
  if (['true', 'True', 'TRUE'].includes(text)) return true
  return ['false', 'False', 'FALSE'].includes(text) ? false : refuse(rejecting('must be `true` or `false`', text, raw))
}

/** Never bare `Number`, which takes an empty text for 0, or `parseInt`, which reads the beginning of anything. */
function numberInput(pattern: RegExp, rule: string, isInRange: (value: number) => boolean, unit = 1): Input<number> {
  return (text, raw) => {
    const value = pattern.test(text) ? Number(text) : NaN
    return isInRange(value) ? value * unit : refuse(rejecting(rule, text, raw))
  }
}

const DECIMAL = /^\d+(?:\.\d+)?$/

export function wholeNumberInput(least: number, most: number, unit = ''): Input<number> {
  const rule = `must be a whole number${unit} from ${least} to ${most}`
  return numberInput(/^\d{1,9}$/, rule, (value) => value >= least && value <= most)
}

/** Minutes, as milliseconds. */
export const timeoutInput = numberInput(
  DECIMAL,
  'must be a number of minutes, more than 0 and at most 360',
  (minutes) => minutes > 0 && minutes <= 360,
  60_000,
)

/** Seconds, as milliseconds. */
export const pollIntervalInput = numberInput(
  DECIMAL,
  'must be a number of seconds from 0.1 to 300',
  (seconds) => seconds >= 0.1 && seconds <= 300,
  1_000,
)

export const onMissingKeyInput = choiceInput(['fail', 'skip'])

/** One input of an action: the row from which its name, its default, its type and its check fall out. */
interface Field<T> {
  /** As in action.yml. */
  readonly name: string
  /** What an input left empty means; empty if it means nothing. The same as in action.yml. */
  readonly fallback: string
  readonly input: Input<T>
}

export type Fields = Readonly<Record<string, Field<unknown>>>
export type Parsed<F extends Fields> = { readonly [Key in keyof F]: F[Key] extends Field<infer T> ? T : never }

export function field<T>(name: string, fallback: string, input: Input<T>): Field<T> {
  return { name, fallback, input }
}

/** An input of several lines, which are counted as they were given, so with blank ones before them. */
export function linesField<T>(name: string, input: Input<T>): Field<T> {
  return field(name, '', (_, raw, workspace) => input(raw[name] ?? '', raw, workspace))
}

/** What every action needs that asks the service. */
export const SERVICE_FIELDS = {
  projectId: field('project-id', '', projectIdInput),
  apiKey: field('api-key', '', apiKeyInput),
  baseUrl: field('base-url', '', baseUrlInput),
}

export function inputNames(fields: Fields): readonly string[] {
  return Object.values(fields).map(({ name }) => name)
}

/** Tells the legs of a matrix from each other: what else the runner tells a step is the same in each. */
export function hashInputs(fields: Fields, raw: RawInputs): string {
  const shown = inputNames(fields).filter((name) => !SECRET_INPUTS.includes(name))
  const values = shown.map((name) => [name, raw[name] ?? ''])
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 16)
}

/** Those of one input must not push those of another out of the annotation, which GitHub cuts at 4 KiB. */
const MAX_PROBLEMS = 3

/** What is wrong with one input, each as a sentence. */
function formatProblems(name: string, problems: readonly string[]): readonly string[] {
  const more = problems.length - MAX_PROBLEMS
  const rest = more <= 0 ? [] : [`has ${formatCount(more, 'more problem')}`]
  return [...problems.slice(0, MAX_PROBLEMS), ...rest].map((problem) => asSentence(`\`${name}\` ${problem}`))
}

/**
 * An input left empty means its default, so that a workflow can pass on an input of its own that was not given.
 * @throws ActionError `invalid-input` that names every problem, so that nobody has to mend them one run at a time
 */
export function parseFields<F extends Fields>(fields: F, raw: RawInputs, workspace: string): Parsed<F> {
  const wrong: (readonly string[])[] = []
  const values = Object.entries(fields).map(([key, { name, fallback, input }]) => {
    try {
      return [key, input((raw[name] ?? '').trim() || fallback, raw, workspace)]
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      wrong.push(formatProblems(name, error.problems))
      return []
    }
  })
  if (wrong.length === 0) return Object.fromEntries(values) as Parsed<F>
  const problems = wrong.flat()
  const title = wrong.length === 1 ? 'An input is invalid' : `${wrong.length} inputs are invalid`
  const list = [`${title}:`, ...problems.map((problem) => `- ${problem}`)].join('\n')
  throw new ActionError('invalid-input', problems.length === 1 ? problems.join('') : list, {
    hint: 'Nothing was sent. Correct the `with:` block of this step.',
  })
}
