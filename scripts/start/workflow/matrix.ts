import { type Scope, evaluateValue } from './expressions.ts'
import type { Located } from './located.ts'

type Combination = Readonly<Record<string, unknown>>

/** The JSON value of a part of the file. Expressions in it are evaluated. */
function toJson(from: Located, scope: Scope): unknown {
  if (from.kind === 'list') return from.items.map((item) => toJson(item, scope))
  if (from.kind === 'map')
    return Object.fromEntries([...from.entries].map(([name, value]) => [name, toJson(value, scope)]))
  return toPlain(evaluateValue(from, scope))
}

function toPlain(value: ReturnType<typeof evaluateValue>): unknown {
  if ('pairs' in value) return Object.fromEntries(value.pairs().map(({ key, value: one }) => [key, toPlain(one)]))
  if ('values' in value) return value.values().map(toPlain)
  return value.coerceString()
}

const isMatch = (one: Combination, other: Combination): boolean =>
  Object.entries(other).every(([name, value]) => JSON.stringify(one[name]) === JSON.stringify(value))

/**
 * The combinations of a job's matrix, by GitHub's rules for `include` and `exclude`.
 * @returns one empty combination for a job without a matrix
 * @throws NotEvaluable
 */
export function listCombinations(matrix: Located | undefined, scope: Scope): readonly Combination[] {
  if (matrix === undefined) return [{}]
  const { include = [], exclude = [], ...axes } = toJson(matrix, scope) as Readonly<Record<string, readonly unknown[]>>
  let combinations: Combination[] = Object.keys(axes).length === 0 ? [] : [{}]
  for (const [name, values] of Object.entries(axes))
    combinations = combinations.flatMap((one) => values.map((value) => ({ ...one, [name]: value })))
  combinations = combinations.filter((one) => !exclude.some((other) => isMatch(one, other as Combination)))
  const added: Combination[] = []
  for (const extra of include as readonly Combination[]) {
    const shared = Object.fromEntries(Object.entries(extra).filter(([name]) => name in axes))
    if (combinations.length === 0 || !combinations.some((one) => isMatch(one, shared))) added.push(extra)
    else combinations = combinations.map((one) => (isMatch(one, shared) ? { ...one, ...extra } : one))
  }
  return [...combinations, ...added]
}
