// Bundles every entry into dist: tsc strips the types, and ncc packs the code with its dependencies. The other steps make
// the actions start faster; docs/internals/benchmarks.md says by how much. Usage: build.ts [folder instead of dist].
import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { minify } from 'terser'
import { root } from '../../__tests__/support/markdown-files.ts'
import { copyPackages } from './bundled-packages.ts'
import { compileAtOnce } from './compile-at-once.ts'
import { MODULES_WITH_SIDE_EFFECTS } from './side-effects.ts'
import { SHARED_EMULATOR, shareEmulator } from './share-emulator.ts'
import { thirdPartyLicenses } from './third-party-licenses.ts'

const BUNDLES = {
  agent: 'src/entries/agent.js',
  visitors: 'src/entries/visitors.js',
  report: 'src/entries/report.js',
  'fleet-check': 'src/entries/fleet-check.js',
  'fleet-table': 'src/entries/fleet-table.js',
  emulator: 'src/entries/emulator.js',
  rehearse: 'src/entries/rehearse.js',
  start: 'scripts/start/main.js',
}


function run(file: string, ...args: readonly string[]): void {
  execFileSync(process.execPath, [path.join(root, file), ...args], { cwd: root, stdio: 'inherit' })
}

/** undici loads this module only to send form data, which nothing here does. Leaving it out makes the first file smaller. */
const UNUSED_MODULE = '../web/fetch/body.js'

/**
 * ncc's own `--minify` does not minify chunks, and keeps unused code in the first file: most of zod, which every step would
 * parse before its first request. Function names stay, because stack traces of defects are read by people. Node.js reads a
 * file of ASCII only faster.
 */
async function minifyBundle(folder: string): Promise<void> {
  for (const name of fs.readdirSync(folder).filter((name) => name.endsWith('.js'))) {
    const file = path.join(folder, name)
    const { code } = await minify(fs.readFileSync(file, 'utf8'), {
      module: true,
      keep_fnames: true,
      format: { ascii_only: true },
    })
    if (code === undefined) throw new Error(`${file} could not be minified.`)
    fs.writeFileSync(file, compileAtOnce(code))
  }
}

fs.rmSync(path.join(root, 'build'), { recursive: true, force: true })
run('node_modules/typescript/bin/tsc', '--project', 'tsconfig.build.json')
copyPackages(root, path.join(root, 'build'))
// webpack derives module ids from the paths of its loaders, which are inside ncc. A copy makes these paths the same everywhere.
fs.cpSync(path.join(root, 'node_modules/@vercel/ncc'), path.join(root, 'build/ncc'), {
  recursive: true,
  dereference: true,
})
// webpack leaves out a module that a bundle imports but does not use, if it knows that importing the module does nothing else.
const sideEffects = MODULES_WITH_SIDE_EFFECTS.map((file) => `./${file.replace(/\.ts$/, '.js')}`)
fs.writeFileSync(path.join(root, 'build/package.json'), JSON.stringify({ type: 'module', sideEffects }))
const sharedEmulator = shareEmulator(path.join(root, 'build'))
// ncc keeps its cache in the home folder, and a build that is killed leaves a broken cache there, which breaks later builds.
const NCC_OPTIONS = ['--external', UNUSED_MODULE, '--external', SHARED_EMULATOR, '--no-cache', '--quiet']

/** Bundles an entry into a folder of `build`. */
async function bundle(name: string, entry: string, out: string): Promise<void> {
  const stats = `build/${name}.stats.json`
  const files = ['--out', out, '--stats-out', path.join(root, stats)]
  run('build/ncc/dist/ncc/cli.js', 'build', `build/${entry}`, ...files, ...NCC_OPTIONS)
  await minifyBundle(path.join(root, out))
  const licenses = thirdPartyLicenses(path.join(root, stats))
  if (licenses !== '') fs.writeFileSync(path.join(root, out, 'licenses.txt'), licenses)
}

for (const [name, entry] of Object.entries(BUNDLES)) await bundle(name, entry, `build/dist/${name}`)
await bundle('shared-emulator', sharedEmulator, 'build/shared-emulator')
if (fs.existsSync(path.join(root, 'build/shared-emulator/licenses.txt')))
  throw new Error('The emulator contains a package, whose license dist/emulator lacks.')
// The file that `SHARED_EMULATOR` names.
fs.renameSync(path.join(root, 'build/shared-emulator/index.js'), path.join(root, 'build/dist/emulator/emulator.js'))
// Replace the previous build only after every bundle is complete.
const target = path.join(root, process.argv[2] ?? 'dist')
fs.rmSync(target, { recursive: true, force: true })
fs.renameSync(path.join(root, 'build/dist'), target)
