import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import ts from 'typescript'
import { compileAtOnce } from '../../../scripts/build/compile-at-once.ts'

const dist = new URL('../../../dist/', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, dist), 'utf8')
const bundles = readdirSync(dist)
const withPackages = bundles.filter((bundle) => readdirSync(new URL(bundle, dist)).includes('licenses.txt'))
const files = bundles.flatMap((bundle) => readdirSync(new URL(bundle, dist)).map((name) => `${bundle}/${name}`))

/** The title of each licence, such as `zod@4.6.7`, with its text. */
const licencesIn = (bundle: string): (readonly [title: string, text: string])[] =>
  Array.from(
    read(`${bundle}/licenses.txt`).matchAll(/^(\S+) (\S+) \(.+\)\n=+\n([^]*?)(?=^\S+ \S+ \(.+\)\n=+\n|(?![^]))/gm),
    ([, name, version, text = '']) => [`${name}@${version}`, text] as const,
  )

test.each(withPackages)('dist/%s contains the text of every license that it names', (bundle) => {
  expect(licencesIn(bundle).length).toBeGreaterThan(0)
  for (const [, text] of licencesIn(bundle)) expect(text).toMatch(/permission|license/i)
})

test('contains the licenses of all chunks, and of a single copy of undici, that of @actions/core', () => {
  const titles = licencesIn('agent').map(([title]) => title)
  const names = titles.map((title) => title.replace(/@[^@]+$/, ''))
  expect(names).toEqual(expect.arrayContaining(['@actions/core', '@actions/github', '@octokit/core', 'undici', 'zod']))
  const { version } = JSON.parse(read('../node_modules/undici/package.json')) as { version: string }
  expect(titles.filter((title) => title.startsWith('undici@'))).toEqual([`undici@${version}`])
})

test('the emulator is in one file, which its program and npm start import', () => {
  const holders = files.filter((file) => read(file).includes('docs_emulator_'))
  expect(holders).toEqual(['emulator/emulator.js'])
  const importers = files.filter((file) => read(file).includes('from"../emulator/emulator.js"'))
  expect(importers.sort()).toEqual(['emulator/index.js', 'start/index.js'])
})

test("only npm start contains GitHub's parser of workflows", () => {
  const holders = withPackages.filter((bundle) =>
    licencesIn(bundle).some(([title]) => title.startsWith('@actions/workflow-parser@')),
  )
  expect(holders).toEqual(['start'])
})

test('the emulator contains no package', () => {
  expect(files).not.toContain('emulator/licenses.txt')
})

test('the report is in the bundle of the agent, which loads it only for a report', () => {
  expect(files.filter((file) => file.startsWith('report/'))).toEqual(['report/index.js', 'report/package.json'])
  const holders = files.filter((file) => read(file).includes('No pull requests of the agent'))
  expect(holders).toEqual([expect.stringMatching(/^agent\/\d+\.index\.js$/)])
})

test('a rehearsal contains neither the emulator nor a client of the service', () => {
  expect(licencesIn('rehearse').map(([title]) => title.replace(/@[^@]+$/, ''))).toEqual(['@actions/core'])
})

test('puts only the functions of the module table in parentheses', () => {
  expect(compileAtOnce('var a,e={1:(A,e)=>{A.f=()=>1},2:function(A){}},b={x:1};(()=>{e[1]()})();')).toBe(
    'var a,e={1:((A,e)=>{A.f=()=>1}),2:(function(A){})},b={x:1};(()=>{e[1]()})();',
  )
  expect(compileAtOnce('export const id=7,modules={8:(A)=>{}};')).toBe('export const id=7,modules={8:((A)=>{})};')
  expect(compileAtOnce('const f=()=>1;f();')).toBe('const f=()=>1;f();')
})

test('parses no module of a bundle twice, and the agent loads no module that it does not use', () => {
  const lazy = /[{,]\d+:(?:\([^()]*\)=>|\w+=>|function\b)/
  expect(files.filter((file) => file.endsWith('.js') && lazy.test(read(file)))).toEqual([])
  const agent = read('agent/index.js')
  expect(agent).toMatch(/[{,]\d+:\(\(/)
  expect(agent).toContain('$ZodObject')
  expect(agent).not.toMatch(/\$ZodTemplateLiteral|"node:(?:assert|http)"|"crypto"/)
})

/** The statements of a file that do more than to declare something. */
function findEffects(path: string): string[] {
  const text = read(`../${path}`)
  const { statements } = ts.createSourceFile(path, text, ts.ScriptTarget.Latest)
  return statements
    .filter((statement) => !DECLARATIONS.some((isDeclaration) => isDeclaration(statement)))
    .map((statement) => `${path}: ${text.slice(statement.pos, statement.end).trim()}`)
}

const DECLARATIONS = [
  ts.isClassDeclaration,
  ts.isExportDeclaration,
  ts.isFunctionDeclaration,
  ts.isImportDeclaration,
  ts.isInterfaceDeclaration,
  ts.isTypeAliasDeclaration,
  ts.isVariableStatement,
]

// The build leaves unused modules out of the bundles.
test('importing a bundled module does nothing', () => {
  const bundled = ['src', 'scripts/start', 'scripts/small-runner'].flatMap((folder) =>
    readdirSync(new URL(`../${folder}/`, dist), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((path) => /(?<!\.d)\.ts$/.test(path)),
  )
  const isEntry = (path: string): boolean => path.startsWith('src/entries/') || path === 'scripts/start/main.ts'
  const found = bundled.filter((path) => !isEntry(path)).filter((path) => findEffects(path).length > 0)
  expect(found).toEqual([])
})
