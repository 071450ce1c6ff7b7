import { data } from '@actions/expressions'
import { evaluateValue, explainDemoValues, NotEvaluable, type Scope } from './expressions.ts'
import type { Located } from './located.ts'

type Combination = Readonly<Record<string, unknown>>

/** The JSON value of a part of the file. Expressions in it are evaluated. */
export function toJson(from: Located, scope: Scope): unknown {
  if (from.kind === 'list') return from.items.map((item) => toJson(item, scope))
  if (from.kind === 'map')
    return Object.fromEntries([...from.entries].map(([name, value]) => [name, toJson(value, scope)]))
  if (from.value !== undefined) return from.value
  return JSON.parse(JSON.stringify(evaluateValue(from, scope), data.replacer)) as unknown
}

function listExpressions(from: Located): readonly string[] {
  if (from.kind === 'scalar') return [from.text]
  return (from.kind === 'list' ? from.items : [...from.entries.values()]).flatMap(listExpressions)
}

/** @throws NotEvaluable for a matrix that GitHub would refuse, such as one from a demo value */
function readLists(matrix: Located, scope: Scope): Readonly<Record<string, readonly unknown[]>> {
  const json = toJson(matrix, scope)
  const lists = typeof json === 'object' ? Object.entries(json ?? {}) : [['matrix', json] as const]
  const other = lists.find(([, values]) => !Array.isArray(values))
  if (other === undefined) return Object.fromEntries(lists)
  const problem = `Line ${matrix.line}: \`${other[0]}\` is ${JSON.stringify(other[1])}, and must be a list.`
  throw new NotEvaluable(problem + explainDemoValues(listExpressions(matrix).join(' '), scope))
}

/** GitHub's limit for one run. */
const MAX_COMBINATIONS = 256

const isMatch = (one: Combination, other: Combination): boolean =>
  Object.entries(other).every(([name, value]) => JSON.stringify(one[name]) === JSON.stringify(value))

/**
 * The combinations of a job's matrix, by GitHub's rules for `include` and `exclude`.
 * @returns one empty combination for a job without a matrix
 * @throws NotEvaluable
 */
export function listCombinations(matrix: Located | undefined, scope: Scope): readonly Combination[] {
  if (matrix === undefined) return [{}]
  const { include = [], exclude = [], ...axes } = readLists(matrix, scope)
  const empty = Object.keys(axes).find((name) => axes[name]?.length === 0)
  // GitHub's sentence.
  if (empty !== undefined)
    throw new NotEvaluable(`Line ${matrix.line}: Matrix vector '${empty}' does not contain any values.`)
  const count = Object.values(axes).reduce((product, values) => product * values.length, 1)
  if (count > MAX_COMBINATIONS)
    throw new NotEvaluable(`Line ${matrix.line}: ${count} combinations are more than ${MAX_COMBINATIONS}.`)
  let combinations: Combination[] = Object.keys(axes).length === 0 ? [] : [{}]
  for (const [name, values] of Object.entries(axes))
    combinations = combinations.flatMap((one) => values.map((value) => ({ ...one, [name]: value })))
  combinations = combinations.filter((one) => !exclude.some((other) => isMatch(one, other as Combination)))
  const added: Combination[] = []
  for (const extra of include as readonly Combination[]) {
    const shared = Object.fromEntries(Object.entries(extra).filter(([name]) => Object.hasOwn(axes, name)))
    if (combinations.length === 0 || !combinations.some((one) => isMatch(one, shared))) added.push(extra)
    else combinations = combinations.map((one) => (isMatch(one, shared) ? { ...one, ...extra } : one))
  }
  return [...combinations, ...added]
}
