import * as z from 'zod'
import { ActionError } from './errors.ts'
import { isLoopback } from './loopback.ts'

/** What the runner gives: every input as text, empty where nothing was given. */
export type RawInputs<Name extends string> = Readonly<Record<Name, string>>

/**
 * Parses all inputs at once.
 * @throws ActionError `invalid-input` that names every problem, so that nobody has to mend them one run at a time
 */
export function parseInputs<T>(schema: z.ZodType<T>, raw: RawInputs<string>): T {
  const result = schema.safeParse(raw)
  if (result.success) return result.data
  const problems = result.error.issues.map(({ path, message }) => `\`${path.join('.')}\` ${message}`)
  const [first = ''] = problems
  const message =
    problems.length === 1
      ? `${first}.`
      : `${problems.length} inputs are wrong:\n${problems.map((problem) => `- ${problem}.`).join('\n')}`
  throw new ActionError('invalid-input', message, { hint: 'Nothing was sent. Correct the `with:` block of this step.' })
}

/** An input left empty means its default, so that a workflow can pass on an input of its own that was not given. */
export function withDefault<T>(schema: z.ZodType<T, string>, value: string): z.ZodType<T, string> {
  return z
    .string()
    .transform((text) => (text.trim() === '' ? value : text))
    .pipe(schema)
}

/** An input that may be left empty, and is then undefined. */
export function optionalInput<T>(schema: z.ZodType<T, string>): z.ZodType<T | undefined, string> {
  return z.string().transform((text, context) => {
    if (text.trim() === '') return undefined
    const result = schema.safeParse(text)
    if (result.success) return result.data
    for (const { message } of result.error.issues) context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
}

export const projectIdInput = z
  .string()
  .trim()
  .regex(
    /^[A-Za-z0-9_-]{1,128}$/,
    'must be 1 to 128 letters, digits, `_` or `-`, as on the API keys page of the dashboard',
  )

export const apiKeyInput = z
  .string()
  .trim()
  .min(1, {
    error: 'is empty; give it from a secret, and mind that pull requests from forks and Dependabot get no secrets',
    abort: true,
  })
  .regex(/^[\x21-\x7e]+$/, 'must not contain spaces, line breaks or other characters that no key has')

/** A problem with an address, or undefined. Addresses can hold passwords, so no message repeats one. */
function baseUrlProblem(text: string): string | undefined {
  // URL parsing drops tabs and line breaks, turns `\` into `/`, and an empty `?` or `#` leaves no trace.
  if (/[^\x21-\x7e]|\\/.test(text)) return 'must be an address without spaces or control characters'
  if (!URL.canParse(text)) return 'must be an address such as `https://docs.example.com/api`'
  const url = new URL(text)
  if (url.username !== '' || url.password !== '' || text.includes('@')) return 'must not contain user information'
  if (/[?#]/.test(text)) return 'must not contain a query or a fragment'
  if (url.protocol === 'https:') return undefined
  if (url.protocol !== 'http:') return 'must begin with `https://`'
  return isLoopback(url) ? undefined : 'must begin with `https://`; `http://` is for loopback only'
}

export const baseUrlInput = z
  .string()
  .trim()
  .min(1, { error: 'is empty; give it, or set the environment variable `DOCS_AGENT_BASE_URL`', abort: true })
  .transform((text, context) => {
    const problem = baseUrlProblem(text)
    if (problem === undefined) return new URL(text).href.replace(/\/+$/, '')
    context.addIssue({ code: 'custom', message: problem })
    return z.NEVER
  })

/** YAML's core spellings, the ones that the runner's own actions take. */
export const booleanInput = z
  .string()
  .trim()
  .regex(/^(?:true|True|TRUE|false|False|FALSE)$/, 'must be `true` or `false`')
  .transform((text) => text.toLowerCase() === 'true')

function numberInput(rule: string, isInRange: (value: number) => boolean): z.ZodType<number, string> {
  return z
    .string()
    .trim()
    .regex(/^\d+(?:\.\d+)?$/, { error: rule, abort: true })
    .transform(Number)
    .refine(isInRange, rule)
}

/** Minutes, as milliseconds. */
export const timeoutInput = numberInput(
  'must be a number of minutes, more than 0 and at most 360',
  (minutes) => minutes > 0 && minutes <= 360,
).transform((minutes) => minutes * 60_000)

/** Seconds, as milliseconds. */
export const pollIntervalInput = numberInput(
  'must be a number of seconds from 0.1 to 300',
  (seconds) => seconds >= 0.1 && seconds <= 300,
).transform((seconds) => seconds * 1000)

export const onMissingKeyInput = z
  .string()
  .trim()
  .pipe(z.enum(['fail', 'skip'], 'must be `fail` or `skip`'))

/**
 * Where secrets are withheld, a step may be asked to end green. Nothing else is looked at then: other inputs may come
 * from secrets too.
 */
export function isSkipped(raw: RawInputs<'api-key' | 'on-missing-key'>): boolean {
  return raw['api-key'].trim() === '' && raw['on-missing-key'].trim() === 'skip'
}

/** Whether a summary is wanted, for a step whose inputs could not be parsed. */
export function wantsSummary(raw: RawInputs<'summary'>): boolean {
  return raw.summary.trim().toLowerCase() !== 'false'
}
