import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import ts from 'typescript'
import { copyPackages } from '../../../scripts/build/bundled-packages.ts'
import { compileAtOnce } from '../../../scripts/build/compile-at-once.ts'
import { root } from '../../../testing/markdown-files.ts'
import { createTemporaryFolder } from '../../../testing/temporary-folder.ts'

interface Sbom {
  readonly packages: readonly { readonly SPDXID: string; readonly name: string; readonly versionInfo: string }[]
  readonly relationships: readonly { readonly relationshipType: string; readonly relatedSpdxElement: string }[]
}

const dist = new URL('../../../dist/', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, dist), 'utf8')
const bundles = readdirSync(dist).filter((name) => name !== 'sbom.spdx.json')
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

test('contains the licenses of all chunks, and of a single copy of undici', () => {
  const titles = licencesIn('agent').map(([title]) => title)
  const names = titles.map((title) => title.replace(/@[^@]+$/, ''))
  expect(names).toEqual(expect.arrayContaining(['@actions/core', '@actions/github', '@octokit/core', 'undici', 'zod']))
  const { version } = JSON.parse(read('../node_modules/undici/package.json')) as { version: string }
  expect(titles.filter((title) => title.startsWith('undici@'))).toEqual([`undici@${version}`])
})

test('the build changes no code of a package, but empties the modules that licenses.txt names', () => {
  const target = createTemporaryFolder()
  copyPackages(root, target)
  const changed = readdirSync(join(target, 'node_modules'), { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\.[cm]?js$/.test(file) && statSync(join(target, 'node_modules', file)).isFile())
    .filter(
      (file) =>
        !readFileSync(join(target, 'node_modules', file)).equals(readFileSync(join(root, 'node_modules', file))),
    )
  for (const file of changed) expect([file, statSync(join(target, 'node_modules', file)).size]).toEqual([file, 0])
  const named = Array.from(
    read('agent/licenses.txt').matchAll(/^Left out of this bundle: (\S+) \(/gm),
    ([, file]) => file,
  )
  expect(named.length).toBeGreaterThan(0)
  expect(changed.sort()).toEqual(named.sort())
})

test('the SBOM lists the packages of the bundles that runners download, in the versions of the lock file', () => {
  const sbom = JSON.parse(read('sbom.spdx.json')) as Sbom
  const [action, ...packages] = sbom.packages
  expect(action?.name).toBe('docs-agent-action')
  const listed = packages.map(({ name, versionInfo }) => `${name}@${versionInfo}`)
  const downloaded = withPackages.filter((bundle) => bundle !== 'start')
  const licensed = downloaded.flatMap((bundle) => licencesIn(bundle).map(([title]) => title))
  expect(listed.sort()).toEqual([...new Set(licensed)].sort())
  const lock = JSON.parse(read('../package-lock.json')) as { packages: Record<string, { version: string }> }
  // A package can have a copy of another one in a version of its own.
  const locked = Object.entries(lock.packages).map(
    ([folder, { version }]) => `${folder.replace(/^.*node_modules\//, '')}@${version}`,
  )
  expect(locked).toEqual(expect.arrayContaining(listed))
  const contained = sbom.relationships.filter(({ relationshipType }) => relationshipType === 'CONTAINS')
  expect(contained.map(({ relatedSpdxElement }) => relatedSpdxElement)).toEqual(packages.map(({ SPDXID }) => SPDXID))
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
  const holders = files.filter((file) => read(file).includes('runs in which the agent opened no pull request'))
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

test('V8 parses no module of a downloaded bundle twice, and the agent loads no module that it does not use', () => {
  const lazy = /[{,]\d+:(?:\([^()]*\)=>|\w+=>|function\b)/
  const downloaded = files.filter((file) => file.endsWith('.js') && !file.startsWith('start/'))
  expect(downloaded.filter((file) => lazy.test(read(file)))).toEqual([])
  const agent = read('agent/index.js')
  expect(agent).toMatch(/[{,]\d+:\(\(/)
  expect(agent).toContain('$ZodObject')
  expect(agent).not.toMatch(/\$ZodTemplateLiteral|text\/event-stream|OidcClient/)
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
