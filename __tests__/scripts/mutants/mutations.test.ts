import { expect, test } from '@jest/globals'
import { listMutations } from '../../../scripts/mutants/mutations.ts'

const listMutants = (source: string): string[] =>
  listMutations(source).map(({ start, end, text }) => source.slice(0, start) + text + source.slice(end))

test.each([
  ['if (a) b', ['if (!(a)) b', 'if (a) {}']],
  ['x = a <= b', ['{}', 'x = a < b']],
  ['x = a ?? b', ['{}', 'x = b']],
  ['x = /^a+$/i', ['{}', 'x = /a+$/i', 'x = /^a+/i', 'x = /^a*$/i', 'x = /^a+$/']],
  ['x = a?.b', ['{}', 'x = a!.b']],
  ['x = a.some(f)', ['{}', 'x = a.every(f)']],
  ['x = [a, true]', ['{}', 'x = [...[], true]', 'x = [a, ...[]]', 'x = [a, false]']],
])('%s has a mutation for each part', (source, mutants) => {
  expect(listMutants(source).sort()).toEqual([...mutants].sort())
})

test('mutates no types, imports or messages', () => {
  expect(listMutants("import { a } from 'a'\ntype A = 'b' | true\nconst c = 'Words for people.'")).toEqual([])
})
