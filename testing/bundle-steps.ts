// Bundles what the suites that play steps import from `src/`, with the build of the actions, so that these suites run what users
// run. For each module, a file at the module's path exports its names from the bundle, so errors, schemas and clocks of the tests'
// fakes are the step's own. Does nothing if the bundle is up to date.
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { openBundler } from '../scripts/build/bundler.ts'
import { root } from './markdown-files.ts'
import { listStepImports } from './step-suites.ts'

/** `jest.config.js` names it, too. */
const TARGET = path.join(root, '.tmp/step-bundle')

const INPUTS = ['src/**/*.ts', 'scripts/build/*.ts', 'testing/bundle-steps.ts', 'tsconfig*.json', 'package-lock.json']

/** Contains the hash of everything that the bundle was built from. */
const HASH_FILE = 'hash.txt'

type Names = readonly (readonly [original: string, name: string])[]

const exportNames = (names: Names, specifier: string): string =>
  `export { ${names.map(([original, name]) => `${original} as ${name}`).join(', ')} } from '${specifier}'\n`

/** Modules may export the same names, so the bundle adds the number of the module to each. */
const modules = [...listStepImports()].map(([module, names], index) => ({
  file: module.replace(/\.ts$/, '.js'),
  names: [...names].sort().map((name) => [name, `${name}_${index}`] as const),
}))

/** GitHub's toolkit is loaded lazily, from a file of its own, as in the actions. */
const ENTRY = [
  ...modules.map(({ file, names }) => exportNames(names, `./${file}`)),
  "export const loadToolkit = () => import('@actions/github')\n",
].join('')

const FILES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    modules.map(({ file, names }) => [
      file,
      exportNames(
        names.map(([original, name]) => [name, original]),
        `${'../'.repeat(file.split('/').length - 1)}bundle/index.js`,
      ),
    ]),
  ),
  'toolkit.js': "import { loadToolkit } from './bundle/index.js'\nexport const { getOctokit } = await loadToolkit()\n",
  'package.json': '{"type":"module"}\n',
}

const hash = createHash('sha256').update(JSON.stringify([ENTRY, FILES]))
for (const file of fs.globSync(INPUTS, { cwd: root }).sort()) hash.update(file).update(fs.readFileSync(root + file))
const inputs = hash.digest('hex')

const built = path.join(TARGET, HASH_FILE)
if (!fs.existsSync(built) || fs.readFileSync(built, 'utf8') !== inputs) {
  const folder = `.tmp/build-${process.pid}`
  try {
    const bundle = openBundler(folder)
    fs.writeFileSync(path.join(root, folder, 'entry.js'), ENTRY)
    await bundle('entry.js', 'out/bundle')
    for (const [name, text] of Object.entries({ ...FILES, [HASH_FILE]: inputs })) {
      const file = path.join(root, folder, 'out', name)
      fs.mkdirSync(path.dirname(file), { recursive: true })
      fs.writeFileSync(file, text)
    }
    fs.rmSync(TARGET, { recursive: true, force: true })
    fs.renameSync(path.join(root, folder, 'out'), TARGET)
  } finally {
    fs.rmSync(path.join(root, folder), { recursive: true, force: true })
  }
}
