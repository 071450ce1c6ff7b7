import { readdirSync, readFileSync } from 'node:fs'
import { basename, posix } from 'node:path'
import { expect, test } from '@jest/globals'
import ts from 'typescript'

/**
 * What each folder of src, and each file with its own row, may import besides itself: a folder (without the folders and
 * files inside it that have a row), a file, a package or a part of Node. Files directly in `src/agent/` without a row belong to
 * `agent`.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  `
    entries: agent visitors report rehearse action emulator node:path
    agent: agent/inputs.ts agent/features agent/change agent/follow-up.ts agent/output agent/conclude.ts agent/words.ts agent/turn agent/step.ts agent/redact-run.ts agent/selectors.ts agent/record.ts agent/journal.ts agent/facts.ts agent/skip.ts action github text runtime
    agent/inputs.ts: agent/features agent/change agent/facts.ts action text
    agent/features: agent/change agent/follow-up.ts agent/find-job.ts agent/history agent/conclude.ts agent/words.ts agent/turn agent/label.ts agent/step.ts agent/redact-run.ts agent/selectors.ts agent/record.ts agent/prompt.ts agent/permissions.ts agent/facts.ts agent/path-filter.ts agent/skip.ts action docs-service github text runtime
    agent/change: agent/history agent/turn agent/label.ts agent/step.ts agent/record.ts agent/prompt.ts agent/permissions.ts agent/facts.ts agent/path-filter.ts agent/skip.ts action github text runtime
    agent/follow-up.ts: agent/find-job.ts agent/history agent/turn agent/step.ts agent/record.ts agent/prompt.ts agent/permissions.ts agent/facts.ts docs-service github text runtime
    agent/find-job.ts: agent/history agent/turn agent/step.ts action docs-service github runtime
    agent/history: agent/conclude.ts agent/words.ts agent/turn agent/step.ts agent/selectors.ts agent/record.ts agent/facts.ts action docs-service github text runtime zod
    agent/output: agent/conclude.ts agent/words.ts agent/redact-run.ts agent/selectors.ts agent/record.ts agent/journal.ts action github text
    agent/conclude.ts: agent/words.ts agent/turn agent/selectors.ts agent/record.ts agent/journal.ts agent/facts.ts action docs-service text runtime
    agent/words.ts: agent/selectors.ts agent/record.ts agent/facts.ts text
    agent/turn: agent/step.ts agent/selectors.ts agent/record.ts agent/facts.ts action docs-service github text runtime
    agent/label.ts: agent/step.ts agent/facts.ts action
    agent/step.ts: agent/record.ts agent/journal.ts agent/pull-request-reads.ts agent/facts.ts action docs-service github
    agent/redact-run.ts: agent/record.ts text
    agent/selectors.ts: agent/record.ts docs-service github runtime
    agent/record.ts: agent/journal.ts agent/facts.ts action docs-service github text runtime
    agent/journal.ts: agent/permissions.ts agent/facts.ts action github runtime
    agent/pull-request-reads.ts: action docs-service github runtime
    agent/prompt.ts: agent/facts.ts github text
    agent/permissions.ts: agent/facts.ts github
    agent/facts.ts: agent/path-filter.ts action github
    agent/path-filter.ts: action text
    agent/skip.ts:
    visitors: action docs-service text runtime node:crypto node:util
    report: agent/history/state.ts agent/history/store.ts action github text runtime
    rehearse: action runtime node:child_process node:crypto node:events node:fs node:os node:path
    action: docs-service github text runtime @actions/core node:crypto node:fs node:path
    docs-service: http text runtime node:diagnostics_channel zod
    github: http text runtime @actions/github node:fs zod
    http: runtime undici node:net node:stream node:zlib
    text:
    runtime: text
    emulator: text runtime emulator/github emulator/service emulator/http node:events node:http node:util
    emulator/github: emulator/service emulator/http node:crypto
    emulator/service: runtime emulator/http docs-service/interface.ts
    emulator/http: runtime node:http
  `
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/:? +/))
    .map(([folder = '', ...others]) => [folder.replace(':', ''), others]),
)

const SAYS_NOTHING = ['utils', 'util', 'helpers', 'helper', 'types', 'common', 'misc', 'index']

const isEmulator = (folder: string): boolean => folder.split('/')[0] === 'emulator'

const src = new URL('../src/', import.meta.url)

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
  .map((path) => {
    const text = readFileSync(new URL(path, src), 'utf8')
    const [imports, loads, exported] = [listImports(text), listLoadedModules(text), listExportedNames(text)]
    return { path, folder: getFolder(path), imports, loads, exported }
  })

/** Every module that a file names: in imports and re-exports, of types too, and in `import()`. */
function listImports(text: string): readonly string[] {
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName)
}

/** The modules that a file loads when it runs: types are gone then. */
function listLoadedModules(text: string): readonly string[] {
  return ts
    .createSourceFile('file.ts', text, ts.ScriptTarget.Latest)
    .statements.filter((statement) => ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement))
    .filter((statement) =>
      ts.isImportDeclaration(statement)
        ? statement.importClause?.phaseModifier !== ts.SyntaxKind.TypeKeyword
        : !statement.isTypeOnly,
    )
    .flatMap(({ moduleSpecifier }) =>
      moduleSpecifier !== undefined && ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : [],
    )
}

function listExportedNames(text: string): readonly string[] {
  const found = text.matchAll(/^export (?:async )?(?:const|function|class|interface|type) (\w+)/gm)
  return [...new Set(Array.from(found, ([, name = '']) => name))]
}

/** The innermost folder of a file that the table knows, or the file itself if it has its own row. */
function getFolder(path: string): string {
  if (path in MAY_IMPORT) return path
  const parts = path.split('/').slice(0, -1)
  const two = parts.slice(0, 2).join('/')
  return two in MAY_IMPORT ? two : (parts[0] ?? '')
}

const isFeature = (path: string): boolean => path.startsWith('agent/features/')

const isEntry = (path: string): boolean => path.startsWith('entries/') || path.startsWith('../entries/')

/** `../runtime/clock.ts` in agent/run.ts is `runtime/clock.ts`; packages stay as they are. */
function resolve(importer: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(posix.dirname(importer), specifier) : specifier
}

const listTargets = ({ path, imports }: (typeof files)[number]) => imports.map((name) => resolve(path, name))

/** A folder of the table stands for itself, and not for the folders and files inside it that have a row. */
function isCoveredBy(target: string, allowed: string): boolean {
  if (allowed in MAY_IMPORT) return getFolder(target) === allowed
  return target === allowed || target.startsWith(`${allowed}/`)
}

test('every folder of src is in the table of imports', () => {
  const unknown = files.filter(({ folder }) => !(folder in MAY_IMPORT)).map(({ path }) => path)
  expect(unknown).toEqual([])
  expect(files.length).toBeGreaterThan(90)
})

test('the table allows no import that no file uses', () => {
  const unused = Object.entries(MAY_IMPORT).flatMap(([folder, allowed]) => {
    const targets = files.filter((file) => file.folder === folder).flatMap(listTargets)
    return allowed.filter((one) => !targets.some((target) => isCoveredBy(target, one))).map((one) => [folder, one])
  })
  expect(unused).toEqual([])
})

const HOW_IT_WORKS = readFileSync(new URL('../docs/internals/how-it-works.md', import.meta.url), 'utf8')

test('the table in the docs lists every folder of the table of imports', () => {
  const listed = Array.from(HOW_IT_WORKS.matchAll(/^\| `src\/(\S+)\/` /gm), ([, folder]) => folder)
  const folders = Object.keys(MAY_IMPORT).filter((row) => !row.endsWith('.ts'))
  expect(listed.toSorted()).toEqual(folders.toSorted())
})

/** Returns the cycles of a graph, each from the node at which a walk first enters it. */
function findCycles(next: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const done = new Set<string>()
  const walk = (at: string, way: readonly string[]): string[] => {
    if (way.includes(at)) return [[...way.slice(way.indexOf(at)), at].join(' -> ')]
    const found = done.has(at) ? [] : [...(next.get(at) ?? [])].flatMap((other) => walk(other, [...way, at]))
    done.add(at)
    return found
  }
  return [...next.keys()].flatMap((start) => walk(start, []))
}

test('finds a cycle from any node of it', () => {
  const next = { a: ['b'], b: ['c', 'd'], c: ['d'], d: ['b'], e: ['e'] }
  const map = new Map(Object.entries(next).map(([from, to]) => [from, new Set(to)]))
  expect(findCycles(map)).toEqual(['b -> c -> d -> b', 'e -> e'])
})

test('only run.ts writes the record of a step, which step.ts opens', () => {
  const users = files.filter(({ path }) => /\bRecorder\b/.test(readFileSync(new URL(path, src), 'utf8')))
  expect(users.map(({ path }) => path).toSorted()).toEqual(['agent/record.ts', 'agent/run.ts', 'agent/step.ts'])
})

test('there are no circular imports between files, not even of types', () => {
  expect(findCycles(new Map(files.map((file) => [file.path, new Set(listTargets(file))])))).toEqual([])
})

test('there are no circular imports between folders', () => {
  const next = new Map(Object.keys(MAY_IMPORT).map((folder) => [folder, new Set<string>()]))
  for (const file of files)
    for (const other of listTargets(file).map(getFolder)) if (other !== file.folder) next.get(file.folder)?.add(other)
  expect(findCycles(next)).toEqual([])
})

test('no name is exported by two files', () => {
  const paths = new Map<string, readonly string[]>()
  for (const { path, exported } of files)
    for (const name of exported) paths.set(name, [...(paths.get(name) ?? []), path])
  expect(paths.size).toBeGreaterThan(500)
  expect([...paths].filter(([, found]) => found.length > 1)).toEqual([])
})

type File = (typeof files)[number]

/** The rules for each file. Each rule returns what is wrong with the file, as sentences. */
const RULES: Readonly<Record<string, (file: File) => readonly string[]>> = {
  'files import only what the table allows to their folder': (file) => {
    const { path, folder } = file
    const allowed = MAY_IMPORT[folder] ?? []
    return listTargets(file)
      .filter((target) => ![folder, ...allowed].some((one) => isCoveredBy(target, one)))
      .map((target) => `src/${path} imports ${target}. ${folder} may import: ${allowed.join(', ')}.`)
  },
  'features never import each other': (file) =>
    listTargets(file)
      .filter((target) => isFeature(file.path) && isFeature(target))
      .map((target) => `src/${file.path} imports ${target}. Put what both need into a file below the features.`),
  'the turn engine knows no feature and no sentence of the report': (file) =>
    listTargets(file)
      .filter((target) => file.folder === 'agent/turn' && /^agent\/(?:features\/|conclude|words)/.test(target))
      .map((target) => `src/${file.path} imports ${target}. Let a \`Target\` carry what the feature knows.`),
  'only the entry of the emulator imports the emulator': ({ path, folder, imports }) =>
    imports
      .filter((name) => isEmulator(resolve(path, name)) && !isEmulator(folder) && path !== 'entries/emulator.ts')
      .map((name) => `src/${path} imports ${name}, so its bundle would contain the emulator.`),
  'the emulator loads nothing of docs-service, whose schemas would bring zod into its bundle': ({
    path,
    folder,
    loads,
  }) =>
    loads
      .filter((name) => isEmulator(folder) && resolve(path, name).startsWith('docs-service/'))
      .map((name) => `src/${path} imports ${name}. Use \`import type\`.`),
  'nothing imports an entry, because importing one runs it': ({ path, imports }) =>
    imports.filter((name) => isEntry(name)).map((name) => `src/${path} imports ${name}.`),
  'files have kebab-case names that say what is in them': ({ path }) =>
    /^([a-z0-9]+(-[a-z0-9]+)*\/)+[a-z0-9]+(-[a-z0-9]+)*\.ts$/.test(path) &&
    !SAYS_NOTHING.includes(basename(path, '.ts'))
      ? []
      : [`src/${path} has no such name.`],
}

test.each(Object.entries(RULES))('%s', (_rule, listProblems) => {
  expect(files.flatMap(listProblems)).toEqual([])
})

test('no script, and nothing that tests and scripts share, imports a test', () => {
  const root = new URL('../', import.meta.url)
  const listFiles = (folder: string): string[] =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .map((path) => posix.join(folder, path.replaceAll('\\', '/')))
      .filter((path) => /\.(?:ts|m?js)$/.test(path))
  const programs = ['scripts', 'testing'].flatMap(listFiles)
  expect(programs.length).toBeGreaterThan(150)
  const problems = programs.flatMap((path) =>
    listImports(readFileSync(new URL(path, root), 'utf8'))
      .filter((name) => resolve(path, name).startsWith('__tests__/'))
      .map((name) => `${path} imports ${name}. Move what they share into testing/.`),
  )
  expect(problems).toEqual([])
})
