import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { root } from './markdown-files.ts'

/** What plays a step. */
export const PLAYED = new Set(['agentAction', 'reportAction', 'visitorsAction'])

const IMPORT = /^import \{([^}]*)\} from '(\.[^']+\.ts)'$/gm

interface Imported {
  readonly path: string
  readonly names: readonly string[]
}

/** Lists what a file imports from other files of the project, except types. */
function listImports(path: string): readonly Imported[] {
  return [...readFileSync(root + path, 'utf8').matchAll(IMPORT)].flatMap(([, list = '', specifier = '']) => {
    const names = list
      .split(',')
      .map((name) => name.trim().replace(/ as .*/s, ''))
      .filter((name) => name !== '' && !name.startsWith('type '))
    return names.length === 0 ? [] : [{ path: posix.join(posix.dirname(path), specifier), names }]
  })
}

const isSource = (path: string): boolean => path.startsWith('src/')

const importsOf = new Map<string, readonly Imported[]>()

/** Lists everything outside of `src/` that a suite loads, including itself, with its imports. */
function listLoaded(suite: string): readonly (readonly [path: string, imports: readonly Imported[]])[] {
  const found = new Map<string, readonly Imported[]>()
  const visit = (path: string): void => {
    if (isSource(path) || found.has(path)) return
    const imports = importsOf.get(path) ?? listImports(path)
    importsOf.set(path, imports)
    found.set(path, imports)
    for (const imported of imports) visit(imported.path)
  }
  visit(suite)
  return [...found]
}

function playsSteps(suite: string): boolean {
  return listLoaded(suite).some(
    ([path, imports]) =>
      /^(?:__tests__|testing)\//.test(path) &&
      imports.some((imported) => isSource(imported.path) && imported.names.some((name) => PLAYED.has(name))),
  )
}

const SUITES = globSync('__tests__/**/*.test.ts', { cwd: root }).map((path) => path.replaceAll('\\', '/'))

/** The suites that play steps, by their paths in the project. */
export const STEP_SUITES: readonly string[] = SUITES.filter(playsSteps).sort()

/** Lists what the suites that play steps import from `src/`, directly or through their support: the names by module. */
export function listStepImports(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  const imports = STEP_SUITES.flatMap((suite) => listLoaded(suite).flatMap(([, list]) => list))
  for (const { path, names } of imports.filter(({ path }) => isSource(path))) {
    const known = found.get(path) ?? new Set()
    found.set(path, known)
    for (const name of names) known.add(name)
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}
