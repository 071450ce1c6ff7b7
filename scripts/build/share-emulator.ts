// Moves the emulator into one file that its own program and `npm start` import. Bundled into both, it would be downloaded twice.
import * as fs from 'node:fs'
import * as path from 'node:path'

/** The modules that import the emulator, in the folder into which tsc compiles. */
const IMPORTERS = ['src/entries/emulator.js', 'scripts/start/**/*.js']

const EMULATOR = 'src/emulator/'
const IMPORT = /^import \{([^}]*)\} from "(\.[^"]+)";$/gm

/** The file's specifier in the bundles, which are next to each other in `dist`. */
export const SHARED_EMULATOR = '../emulator/emulator.js'

/**
 * Makes each importer import `SHARED_EMULATOR`, and writes an entry for it that exports the imported names only.
 * @param build the folder into which tsc compiles
 * @returns the entry's path in `build`
 */
export function shareEmulator(build: string): string {
  const exported = new Map<string, Set<string>>()
  for (const importer of fs.globSync(IMPORTERS, { cwd: build }).sort()) {
    const file = path.join(build, importer)
    const folder = path.dirname(importer).replaceAll('\\', '/')
    const code = fs.readFileSync(file, 'utf8').replace(IMPORT, (statement, names: string, specifier: string) => {
      const module = path.posix.join(folder, specifier)
      if (!module.startsWith(EMULATOR)) return statement
      const known = exported.get(module) ?? new Set<string>()
      exported.set(module, known)
      for (const name of names.split(',')) known.add(name.replace(/ as .*/s, '').trim())
      return `import {${names}} from "${SHARED_EMULATOR}";`
    })
    fs.writeFileSync(file, code)
  }
  const statements = [...exported].map(([module, names]) => {
    const listed = [...names].filter((name) => name !== '').join(', ')
    return `export { ${listed} } from "./${module}";\n`
  })
  const entry = 'shared-emulator.js'
  fs.writeFileSync(path.join(build, entry), statements.join(''))
  return entry
}
