import { createHash } from 'node:crypto'
import { ActionError } from '../runtime/errors.ts'
import { asSentence, formatCount } from '../text/sentences.ts'
import { apiKeyInput, baseUrlInput, projectIdInput, Refused, type Input, type RawInputs } from './parse-inputs.ts'

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

/** The inputs whose values must not be shown. */
export const SECRET_INPUTS: readonly string[] = ['api-key', 'github-token']

/** Tells the legs of a matrix from each other: what else the runner tells a step is the same in each. */
export function hashInputs(fields: Fields, raw: RawInputs): string {
  const shown = inputNames(fields).filter((name) => !SECRET_INPUTS.includes(name))
  const values = shown.map((name) => [name, raw[name] ?? ''])
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 16)
}

/** Those of one input must not push those of another out of the annotation, which GitHub cuts at 4 KiB. */
const MOST_PROBLEMS = 3

/** What is wrong with one input, each as a sentence. */
function formatProblems(name: string, problems: readonly string[]): readonly string[] {
  const more = problems.length - MOST_PROBLEMS
  const rest = more <= 0 ? [] : [`has ${formatCount(more, 'more problem')}`]
  return [...problems.slice(0, MOST_PROBLEMS), ...rest].map((problem) => asSentence(`\`${name}\` ${problem}`))
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
  const title = wrong.length === 1 ? 'An input is wrong' : `${wrong.length} inputs are wrong`
  const list = [`${title}:`, ...problems.map((problem) => `- ${problem}`)].join('\n')
  throw new ActionError('invalid-input', problems.length === 1 ? problems.join('') : list, {
    hint: 'Nothing was sent. Correct the `with:` block of this step.',
  })
}
