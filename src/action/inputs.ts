/** Parses and validates the inputs of an action, which a table of fields describes. */
import { ActionError } from '../runtime/errors.ts'
import { ID_PATTERN, isLoopback, parseUrl } from '../runtime/url.ts'
import { asSentence, formatCount } from '../text/format.ts'
import { createRedactor } from '../text/redact.ts'
import { oneLine } from '../text/untrusted.ts'
import { describeMisspelledInput, findMisspelledInputs } from './misspelled-inputs.ts'

/**
 * The inputs as the runner passes them: each is a text, which is empty if the input is not set. Contains names that no input has,
 * if the workflow sets them.
 */
export type RawInputs = Readonly<Record<string, string>>

export const isGiven = (raw: RawInputs, name: string): boolean => (raw[name] ?? '').trim() !== ''

/** Whether an input will be true, for an input that depends on it. */
export const isTrue = (raw: RawInputs, name: string): boolean => /^\s*true\s*$/i.test(raw[name] ?? '')

/** The problems of one input. */
class InvalidInput extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join(', '))
    this.problems = problems
  }
}

/**
 * Rejects an input. Call it as `return rejectInput('is blank')`, so that the compiler knows that the function ends there.
 * @param problems each continues a sentence that begins with the name of the input
 * @throws InvalidInput
 */
export function rejectInput(...problems: readonly string[]): never {
  throw new InvalidInput(problems)
}

/**
 * Parses the trimmed text of an input.
 * @param raw all inputs, not yet parsed, for an input that depends on others
 * @param workspace the folder that file inputs are relative to
 * @throws InvalidInput
 */
export type Input<T> = (text: string, raw: RawInputs, workspace: string) => T

/** The inputs whose values must never be shown. */
export const SECRET_INPUTS: readonly string[] = ['api-key', 'github-token']

/**
 * Removes the values of all secret inputs from a text. Must run before the text is cut: a redactor does not recognise a
 * secret that was cut.
 */
export function removeSecrets(text: string, raw: RawInputs): string {
  return createRedactor(SECRET_INPUTS.map((name) => (raw[name] ?? '').trim()))(text)
}

/** A longer value may be a secret in the wrong input, so only a short prefix is shown. */
const MAX_QUOTED_CHARS = 20
const QUOTED_PREFIX_CHARS = 8

/**
 * Appends the rejected value to a rule. Only for inputs that are never secret. The value can come from an event, and
 * the summary is Markdown, so the value is put into a code span that it cannot end.
 */
export function appendRejectedValue(rule: string, given: string, raw: RawInputs): string {
  const text = removeSecrets(given, raw)
  const quoted = text.length > MAX_QUOTED_CHARS ? `${text.slice(0, QUOTED_PREFIX_CHARS)}…` : text
  const value = oneLine(quoted, MAX_QUOTED_CHARS).replaceAll('`', "'")
  return value === '' ? rule : `${rule}, not \`${value}\``
}

/** Returns the lines that are not blank, each with its position for messages, such as `line 3`. */
export function toLines(text: string): readonly { readonly line: string; readonly at: string }[] {
  const lines = text.split(/\r?\n/).map((line, index) => ({ line: line.trim(), at: `line ${index + 1}` }))
  return lines.filter(({ line }) => line !== '')
}

/**
 * Finds the syntax of YAML or Markdown in an item of a list, which is part of a text and would become part of the name.
 * @returns the problem, as the end of a sentence that does not repeat the item
 */
export function findListSyntax(item: string): string | undefined {
  if (/^-$|^[-*•–]\s/.test(item)) return `begins with \`${item.charAt(0)}\` and a space, as in a list; remove both`
  if (/^["'`“”‘’„]/.test(item)) return 'has quotes around it, which would be part of the name; remove them'
  if (/(?:^|\s)#(?:\s|$)/.test(item)) return 'has a comment, which would be part of the name; remove it'
  return undefined
}

/**
 * Returns the items of a list that are not blank, one a line or separated by commas, each with the position of its line for
 * messages. Not for patterns of paths, which can contain commas.
 * @throws InvalidInput if an item has the syntax of YAML or Markdown
 */
export function toItems(text: string): readonly { readonly item: string; readonly at: string }[] {
  const items = toLines(text).flatMap(({ line, at }) => {
    const items = line.split(',').map((item) => ({ item: item.trim(), at }))
    return items.filter(({ item }) => item !== '')
  })
  const problems = items.flatMap(({ item, at }) => {
    const problem = findListSyntax(item)
    return problem === undefined ? [] : [`${at} ${problem}`]
  })
  return problems.length === 0 ? items : rejectInput(...problems)
}

/** Accepts text that matches `pattern`. */
export function textInput(pattern: RegExp, rule: string): Input<string> {
  return (text) => (pattern.test(text) ? text : rejectInput(rule))
}

export function choiceInput<T extends string>(choices: readonly T[]): Input<T> {
  const words = choices.map((choice) => `\`${choice}\``)
  const rule = `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`
  return (text, raw) => choices.find((choice) => choice === text) ?? rejectInput(appendRejectedValue(rule, text, raw))
}

/** Returns `undefined` for an empty input. */
export function optionalInput<T>(input: Input<T>): Input<T | undefined> {
  return (text, ...rest) => (text === '' ? undefined : input(text, ...rest))
}

/**
 * Adds a rule to an input.
 * @param findBrokenRule runs on a valid value; returns `false` if the value obeys the rule
 */
export function inputThat<T>(input: Input<T>, findBrokenRule: (value: T, raw: RawInputs) => string | false): Input<T> {
  return (text, raw, workspace) => {
    const value = input(text, raw, workspace)
    const rule = findBrokenRule(value, raw)
    return rule === false ? value : rejectInput(rule)
  }
}

const ID_RULE = 'must be 1 to 128 letters, digits, `_` or `-`'

export const jobIdInput = optionalInput(textInput(ID_PATTERN, ID_RULE))
const projectIdText = textInput(ID_PATTERN, `${ID_RULE}, as on the API keys page of the dashboard`)
export const projectIdInput: Input<string> = (id, ...rest) =>
  id === ''
    ? rejectInput("is empty: set it, for example from the repository's variable `DOCS_AGENT_PROJECT_ID`")
    : projectIdText(id, ...rest)

/** `owner/name`. `.` and `..` would be path segments in a URL. */
const REPOSITORY_PATTERN = /^(?!\.{1,2}\/)[\w.-]{1,100}\/(?!\.{1,2}$)[\w.-]{1,100}$/

/** A branch, a tag or a commit's id, by Git's rules for the names of references. */
export const REF_PATTERN = /^(?![-/.])(?!.*(?:\.\.|@\{|\/\/))[^\s\x00-\x20\x7f~^:?*[\\]{1,255}(?<![/.])$/

export const tokenInput = textInput(
  /^[\x21-\x7e]{0,4096}$/,
  'has a space, a line break or another character that no token has, or is longer than 4096 characters',
)

/** GitHub limits the name of a label to 50 characters. `.` and `..` would be path segments in the label's URL. */
export const LABEL_PATTERN = /^(?!\.{1,2}$)[^\p{Cc},]{0,50}$/u

export const labelInput = textInput(
  LABEL_PATTERN,
  'must be the name of one label, at most 50 characters, without a comma, and neither `.` nor `..`',
)

export const repositoryInput: Input<string> = (text) =>
  text === '' || REPOSITORY_PATTERN.test(text) ? text : rejectInput('must be a repository such as `owner/name`')

/** A shorter text can be a part of ordinary words: masking it would destroy the log. */
export const MIN_SECRET_CHARS = 8
/** Servers reject headers that are much longer. */
const MAX_KEY_CHARS = 4_096

export const apiKeyInput: Input<string> = (key) => {
  if (key === '')
    return rejectInput(
      'is empty: the secret that it is set from does not exist here, or its name is misspelled; a secret of an environment needs `environment` in the job',
    )
  if (key.length > MAX_KEY_CHARS) return rejectInput(`is longer than ${MAX_KEY_CHARS} characters; no key is that long`)
  if (/[^\x21-\x7e]/.test(key)) return rejectInput('must consist of printable ASCII characters without spaces')
  if (key.length < MIN_SECRET_CHARS)
    return rejectInput(`is shorter than ${MIN_SECRET_CHARS} characters; no key is that short`)
  return key
}

/** User information before the host, which may be empty (`https://@host`). An `@` in the path is allowed. */
const USER_INFO = /^[a-z]+:\/*[^/]*@/i

/** URLs can contain passwords, so no message quotes the value. */
export const baseUrlInput: Input<string> = (address) => {
  if (address === '')
    return rejectInput("is empty: set it, for example from the repository's variable `DOCS_AGENT_BASE_URL`")
  // The raw text is checked: the URL parser drops tabs, line breaks and an empty `?` or `#`, and turns `\` into `/`.
  if (/[^\x21-\x7e]|\\/.test(address)) return rejectInput('must be a URL without spaces or control characters')
  const url = parseUrl(address)
  if (url === undefined) return rejectInput('must be a URL such as `https://docs.example.com/api`')
  if (url.username !== '' || url.password !== '' || USER_INFO.test(address))
    return rejectInput('must not contain a user name or a password')
  if (/[?#]/.test(address)) return rejectInput('must not contain a query or a fragment')
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))) return url.href.replace(/\/+$/, '')
  return rejectInput(
    `must begin with \`https://\`${url.protocol === 'http:' ? '; `http://` is allowed for loopback addresses only' : ''}`,
  )
}

/** Accepts the booleans of YAML's core schema, as `getBooleanInput` of @actions/core does. */
export const booleanInput: Input<boolean> = (text, raw) => {
  if (['true', 'True', 'TRUE'].includes(text)) return true
  return ['false', 'False', 'FALSE'].includes(text)
    ? false
    : rejectInput(appendRejectedValue('must be `true` or `false`', text, raw))
}

/** Checks the text before it converts it: `Number('')` is 0, and `parseInt` ignores all text after the digits. */
function createNumberInput(
  pattern: RegExp,
  rule: string,
  isInRange: (value: number) => boolean,
  unit = 1,
): Input<number> {
  return (text, raw) => {
    const value = pattern.test(text) ? Number(text) : NaN
    return isInRange(value) ? value * unit : rejectInput(appendRejectedValue(rule, text, raw))
  }
}

const DECIMAL = /^\d+(?:\.\d+)?$/

export function wholeNumberInput(min: number, max: number, unit = ''): Input<number> {
  const rule = `must be a whole number${unit} from ${min} to ${max}`
  return createNumberInput(/^\d{1,9}$/, rule, (value) => value >= min && value <= max)
}

/** Takes minutes, returns milliseconds. */
export const timeoutInput = createNumberInput(
  DECIMAL,
  'must be a number of minutes, more than 0 and at most 360',
  (minutes) => minutes > 0 && minutes <= 360,
  60_000,
)

/** Takes seconds, returns milliseconds. */
export const pollIntervalInput = createNumberInput(
  DECIMAL,
  'must be a number of seconds from 0.1 to 300',
  (seconds) => seconds >= 0.1 && seconds <= 300,
  1_000,
)

/** One input of an action. The type of its value follows from `input`. */
export interface Field<T> {
  /** As in action.yml. */
  readonly name: string
  /** The value of an empty input, the same as `default` in action.yml. Empty if there is no default. */
  readonly fallback: string
  readonly input: Input<T>
}

export type Fields = Readonly<Record<string, Field<unknown>>>
export type Parsed<F extends Fields> = { readonly [Key in keyof F]: F[Key] extends Field<infer T> ? T : never }

export function field<T>(name: string, fallback: string, input: Input<T>): Field<T> {
  return { name, fallback, input }
}

/** An input of several lines. Its text is not trimmed, so that the line numbers in messages are correct. */
export function linesField<T>(name: string, input: Input<T>): Field<T> {
  return field(name, '', (_, raw, workspace) => input(raw[name] ?? '', raw, workspace))
}

/** The inputs of every action that sends requests to the service. */
export const SERVICE_FIELDS = {
  projectId: field('project-id', '', projectIdInput),
  apiKey: field('api-key', '', apiKeyInput),
  baseUrl: field('base-url', '', baseUrlInput),
}

export function inputNames(fields: Fields): readonly string[] {
  return Object.values(fields).map(({ name }) => name)
}

/** Returns the SHA-256 of a text, in hex digits. */
export async function hashText(text: string): Promise<string> {
  // Loaded on demand, because it takes long, and no step needs it before its first request.
  const { createHash } = await import('node:crypto')
  return createHash('sha256').update(text).digest('hex')
}

/** Returns a hash of all inputs except secrets. It distinguishes the legs of a matrix, which share all other ids. */
export async function hashInputs(fields: Fields, raw: RawInputs): Promise<string> {
  const names = inputNames(fields).filter((name) => !SECRET_INPUTS.includes(name))
  const values = names.map((name) => [name, raw[name] ?? ''])
  return (await hashText(JSON.stringify(values))).slice(0, 16)
}

/** Per input, so that the problems of all inputs fit into the annotation, which GitHub cuts at 4 KiB. */
const MAX_PROBLEMS = 3

/**
 * Parses and validates all inputs. An empty input means its default, so that a workflow can pass on its own optional
 * input.
 * @param maxProblems per input
 * @throws ActionError `invalid-input` that lists the problems of all inputs
 */
export function parseFields<F extends Fields>(
  fields: F,
  raw: RawInputs,
  workspace: string,
  maxProblems = MAX_PROBLEMS,
): Parsed<F> {
  const invalid: (readonly string[])[] = []
  const values = Object.entries(fields).map(([key, { name, fallback, input }]) => {
    try {
      return [key, input((raw[name] ?? '').trim() || fallback, raw, workspace)]
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error
      const more = error.problems.length - maxProblems
      const rest = more > 0 ? [`has ${formatCount(more, 'more problem')}`] : []
      const problems = [...error.problems.slice(0, maxProblems), ...rest]
      invalid.push(problems.map((problem) => asSentence(`\`${name}\` ${problem}`)))
      return []
    }
  })
  const defaults = Object.fromEntries(Object.values(fields).map(({ name, fallback }) => [name, fallback]))
  const misspelled = findMisspelledInputs(raw, defaults)
  // First, because the input that was meant may be missing, which is a problem too.
  invalid.unshift(...misspelled.map((input) => [describeMisspelledInput(input)]))
  if (invalid.length === 0) return Object.fromEntries(values) as Parsed<F>
  const problems = invalid.flat()
  const title = invalid.length === 1 ? 'An input is invalid' : `${invalid.length} inputs are invalid`
  const list = [`${title}:`, ...problems.map((problem) => `- ${problem}`)].join('\n')
  throw new ActionError('invalid-input', problems.length === 1 ? problems.join('') : list, {
    hint: 'Nothing was sent. Correct the `with:` block of this step, or the secrets and variables that it uses.',
  })
}
