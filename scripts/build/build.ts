// Bundles every entry into dist: tsc takes the types away, and ncc packs what is left with its dependencies. What is done
// beyond that makes steps start faster; docs/internals/benchmarks.md says how much each part saves.
import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { minify } from 'terser'
import { root } from '../../__tests__/support/markdown-files.ts'
import { copyPackages } from './bundled-packages.ts'
import { compileAtOnce } from './compile-at-once.ts'
import { thirdPartyLicenses } from './third-party-licenses.ts'

const BUNDLES = {
  agent: 'src/entries/agent.js',
  visitors: 'src/entries/visitors.js',
  emulator: 'src/entries/emulator.js',
  rehearse: 'src/entries/rehearse.js',
  start: 'scripts/start/main.js',
}

function run(file: string, ...args: readonly string[]): void {
  execFileSync(process.execPath, [path.join(root, file), ...args], { cwd: root, stdio: 'inherit' })
}

/** What undici loads to send a form, which nothing here does. Left out, it stays out of the file that is read first. */
const NEVER_LOADED = '../web/fetch/body.js'

/**
 * ncc's own `--minify` leaves the chunks as they are, and in the first file what nobody calls: most of zod, which every
 * step would then read and run before its first request. Names stay, as people read the stack of an unexpected fault; and
 * a file of ASCII alone is faster to read.
 */
async function minifyBundle(folder: string): Promise<void> {
  for (const name of fs.readdirSync(folder).filter((name) => name.endsWith('.js'))) {
    const file = path.join(folder, name)
    const { code } = await minify(fs.readFileSync(file, 'utf8'), {
      module: true,
      keep_fnames: true,
      format: { ascii_only: true },
    })
    if (code === undefined) throw new Error(`${file} could not be made small.`)
    fs.writeFileSync(file, compileAtOnce(code))
  }
}

fs.rmSync(path.join(root, 'build'), { recursive: true, force: true })
run('node_modules/typescript/bin/tsc', '--project', 'tsconfig.build.json')
copyPackages(root, path.join(root, 'build'))
// webpack numbers modules by the paths of their loaders too, and these are ncc's. A copy is always at the same place.
fs.cpSync(path.join(root, 'node_modules/@vercel/ncc'), path.join(root, 'build/ncc'), {
  recursive: true,
  dereference: true,
})
for (const [name, entry] of Object.entries(BUNDLES)) {
  const out = `build/dist/${name}`
  const stats = `build/${name}.stats.json`
  const files = ['--out', out, '--stats-out', path.join(root, stats)]
  run('build/ncc/dist/ncc/cli.js', 'build', `build/${entry}`, ...files, '--external', NEVER_LOADED, '--quiet')
  await minifyBundle(path.join(root, out))
  fs.writeFileSync(path.join(root, out, 'licenses.txt'), thirdPartyLicenses(path.join(root, stats)))
}
// Only a whole build takes the place of the one before.
fs.rmSync(path.join(root, 'dist'), { recursive: true, force: true })
fs.renameSync(path.join(root, 'build/dist'), path.join(root, 'dist'))
