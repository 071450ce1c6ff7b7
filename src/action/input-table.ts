import {
  apiKeyInput,
  baseUrlInput,
  isGiven,
  projectIdInput,
  readInput,
  formatProblems,
  wrongInputs,
  type Input,
  type RawInputs,
} from './parse-inputs.ts'

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

/** What every action needs that asks the service. */
export const SERVICE_FIELDS = {
  projectId: field('project-id', '', projectIdInput),
  apiKey: field('api-key', '', apiKeyInput),
  baseUrl: field('base-url', '', baseUrlInput),
}

export function inputNames(fields: Fields): readonly string[] {
  return Object.values(fields).map(({ name }) => name)
}

/**
 * An input left empty means its default, so that a workflow can pass on an input of its own that was not given.
 * @throws ActionError `invalid-input` that names every problem
 */
export function parseFields<F extends Fields>(fields: F, raw: RawInputs): Parsed<F> {
  const wrong: (readonly string[])[] = []
  const values = Object.entries(fields).map(([key, { name, fallback, input }]) => {
    const given = raw[name] ?? ''
    const read = readInput(input, isGiven(raw, name) ? given : fallback || given, raw)
    if (read.kind === 'value') return [key, read.value]
    wrong.push(formatProblems(name, read.problems))
    return [key, undefined]
  })
  if (wrong.length > 0) throw wrongInputs(wrong)
  return Object.fromEntries(values) as Parsed<F>
}
