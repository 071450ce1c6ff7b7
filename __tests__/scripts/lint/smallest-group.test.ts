import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { ESLint, Linter } from 'eslint'
import ts from 'typescript'
import tseslint from 'typescript-eslint'
import { smallestGroup } from '../../../scripts/lint/smallest-group.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The standard library is left out: loading it takes longer than all else. */
const GROUPS = `
  type Pick<T, K extends keyof T> = { [P in K]: T[P] }
  interface Facts { inputs: string }
  interface Reads extends Facts { clock: number; github: number }
  interface Acts extends Reads { record: string[] }
  declare function pure(step: Facts): string
  declare function read(step: Reads): Promise<string>
  declare function readIfGiven(step?: Reads): void
  declare function act(text: string, step: Acts): void
  declare function askClock(step: Pick<Reads, 'clock'>): number
  declare function keep<T>(value: T): T
  declare class Watch { step: Acts; constructor(step: Acts) }
`

/** Lints code that takes groups, with the types of the groups above. */
function lint(code: string): readonly string[] {
  const file = join(root, 'snippet.ts')
  const text = `${GROUPS}\n${code}`
  const host: ts.CompilerHost = {
    ...ts.createCompilerHost({}),
    getSourceFile: (name) =>
      name === file ? ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true) : undefined,
  }
  const programs = [ts.createProgram([file], { noLib: true, strict: true }, host)]
  const languageOptions = { parser: tseslint.parser as Linter.Parser, parserOptions: { programs } }
  const plugins = { local: { rules: { 'smallest-group': smallestGroup } } }
  const config: Linter.Config = { files: ['**'], languageOptions, plugins, rules: { 'local/smallest-group': 'error' } }
  return new Linter().verify(text, config, file).map(({ message }) => message)
}

const narrow = (group: string, smallest: string): readonly string[] => [
  `Takes ${group} but uses only what ${smallest} has: narrow the parameter to ${smallest}.`,
]

describe('reports a group of which a function uses less than a smaller one has', () => {
  test.each([
    ['Reads', 'Facts', 'function f(step: Reads) { return step.inputs }'],
    ['Acts', 'Reads', 'function f(step: Acts) { return step.clock }'],
    ['Acts', 'Facts', 'function f(step: Acts) { return step.inputs }'],
    ['Acts', 'Facts', 'function f(step: Acts) {}'],
    ['Acts', 'Reads', 'const f = ({ clock, inputs: { length } }: Acts) => clock + length'],
    ['Acts', 'Reads', 'function f(text: string, step: Acts) { const { clock } = step; return clock }'],
    ['Acts', 'Reads', 'function f(step: Acts) { return () => step.clock }'],
    ['Acts', 'Facts', 'function f(step: Acts) { return pure(step) }'],
    ['Acts', 'Reads', 'async function f(step: Acts) { pure(step); return read(step) }'],
    ['Acts', 'Reads', 'function f(step: Acts) { readIfGiven(step) }'],
    ['Acts', 'Reads', 'function f(step: Acts) { return askClock(step) }'],
    ['Acts', 'Facts', 'function f(step: Acts): Facts { return step }'],
    ['Acts', 'Reads', 'class C { constructor(step: Acts) { step.clock } }'],
    ['Acts', 'Reads', 'class C { m(step: Acts) { return step.clock } }'],
    ['Acts', 'Facts', 'function f(step: Acts) { const g = (step: Acts) => step.record; return [g, step.inputs] }'],
  ])('%s instead of %s: %s', (group, smallest, code) => {
    expect(lint(code)).toEqual(narrow(group, smallest))
  })
})

describe('accepts the smallest group that has what a function uses', () => {
  test.each([
    'function f(step: Facts) { return 1 }',
    'function f(step: Reads) { return step.clock }',
    'function f(step: Acts) { step.record.push(pure(step)) }',
    'function f({ record }: Acts) { return record }',
    "function f(step: Acts) { act('', step) }",
    'function f(step: Acts) { return new Watch(step) }',
    'class C { readonly step: Acts; constructor(step: Acts) { this.step = step } }',
    // What is used cannot be seen here.
    'function f({ inputs, ...others }: Acts) { return others }',
    'function f(step: Acts) { return keep(step) }',
    'function f(step: Acts) { const copy = step; return copy.inputs }',
    'function f(step: Acts) { return { ...step } }',
    // Other types are none of the groups.
    "function f(step: Pick<Acts, 'record' | 'clock'>) { return step.clock }",
  ])('%s', (code) => {
    expect(lint(code)).toEqual([])
  })
})

test('the lint rules of src/agent include it', async () => {
  const eslint = new ESLint({ cwd: root })
  const { rules } = (await eslint.calculateConfigForFile(`${root}src/agent/run.ts`)) as Linter.Config
  expect(rules).toMatchObject({ 'local/smallest-group': [2] })
})
