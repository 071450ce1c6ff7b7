import * as z from 'zod/mini'
import { parseInputs, withDefault, type Input, type RawInputs } from './parse-inputs.ts'

/** One input of an action: the row from which its name, its default, its type and its check fall out. */
export interface Field<T> {
  /** As in action.yml. */
  readonly name: string
  /** What an input left empty means; empty if it means nothing. The same as in action.yml. */
  readonly otherwise: string
  readonly read: (raw: RawInputs<string>) => Input<T>
}

export type Fields = Readonly<Record<string, Field<unknown>>>
export type Parsed<F extends Fields> = { readonly [Key in keyof F]: F[Key] extends Field<infer T> ? T : never }

/** @param input what the text becomes; a function of all inputs if it depends on another one */
export function field<T>(name: string, otherwise: string, input: Input<T> | Field<T>['read']): Field<T> {
  const read = typeof input === 'function' ? input : () => input
  return { name, otherwise, read: otherwise === '' ? read : (raw) => withDefault(read(raw), otherwise) }
}

export function inputNames(fields: Fields): readonly string[] {
  return Object.values(fields).map(({ name }) => name)
}

/**
 * Rules between inputs stand at one of them, as zod leaves out the rules of an object while a field of it is wrong.
 * @throws ActionError `invalid-input` that names every problem
 */
export function parseFields<F extends Fields>(fields: F, raw: RawInputs<string>): Parsed<F> {
  const schema = z.object(Object.fromEntries(Object.values(fields).map(({ name, read }) => [name, read(raw)])))
  const values: Readonly<Record<string, unknown>> = parseInputs(schema, raw)
  return Object.fromEntries(Object.entries(fields).map(([key, { name }]) => [key, values[name]])) as Parsed<F>
}
