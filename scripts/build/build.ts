// Bundles every entry into dist: tsc strips the types, and ncc packs the code with its dependencies. The other steps make
// the actions start faster; docs/internals/benchmarks.md says by how much. Usage: build.ts [folder instead of dist].
import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { createRequire } from 'node:module'
import * as path from 'node:path'
import { minify } from '@swc/core'
import { root } from '../../__tests__/support/markdown-files.ts'
import { copyPackages } from './bundled-packages.ts'
import { compileAtOnce } from './compile-at-once.ts'
import { SHARED_EMULATOR, shareEmulator } from './share-emulator.ts'
import { formatSbom } from './sbom.ts'
import { type BundleStats, formatLicenses, listPackages, type ThirdPartyPackage } from './third-party-packages.ts'

const BUNDLES = {
  agent: 'src/entries/agent.js',
  visitors: 'src/entries/visitors.js',
  'fleet-check': 'src/entries/fleet-check.js',
  'fleet-table': 'src/entries/fleet-table.js',
  emulator: 'src/entries/emulator.js',
  rehearse: 'src/entries/rehearse.js',
  start: 'scripts/start/main.js',
}

/** The part of ncc that is used: https://github.com/vercel/ncc */
type Ncc = (
  entry: string,
  options: Readonly<Record<string, unknown>>,
) => Promise<{
  readonly code: string
  /** The other files, such as chunks, by their names. */
  readonly assets: Readonly<Record<string, { readonly source: string }>>
  readonly stats: { readonly toJson: () => BundleStats }
}>

/**
 * ncc's own `--minify` does not minify chunks, and keeps unused code in the first file: most of zod, which every step would
 * parse before its first request. Function names stay, because stack traces of defects are read by people. Node.js reads a
 * file of ASCII only faster.
 */
async function minifyModule(module: string): Promise<string> {
  const { code } = await minify(module, {
    module: true,
    compress: true,
    mangle: true,
    keep_fnames: true,
    format: { asciiOnly: true, comments: false },
  })
  return compileAtOnce(code)
}

// webpack derives module ids from paths that are relative to the current folder.
process.chdir(root)
fs.rmSync(path.join(root, 'build'), { recursive: true, force: true })
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.build.json'], {
  stdio: 'inherit',
})
copyPackages(root, path.join(root, 'build'))
// webpack derives module ids from the paths of its loaders, which are inside ncc. A copy makes these paths the same everywhere.
fs.cpSync(path.join(root, 'node_modules/@vercel/ncc'), path.join(root, 'build/ncc'), {
  recursive: true,
  dereference: true,
})
// webpack leaves out a module that a bundle imports but does not use, if it knows that importing the module does nothing else.
fs.writeFileSync(path.join(root, 'build/package.json'), JSON.stringify({ type: 'module', sideEffects: false }))
const sharedEmulator = shareEmulator(path.join(root, 'build'))
// In this process, which compiles ncc once. Its cache is in the home folder, and a build that is killed leaves a broken cache
// there, which breaks later builds.
const ncc = createRequire(import.meta.url)(path.join(root, 'build/ncc/dist/ncc/index.js')) as Ncc
const NCC_OPTIONS = { externals: [SHARED_EMULATOR], cache: false, quiet: true }

/** Bundles an entry into a folder of `build`. @returns the packages in the bundle */
async function bundle(entry: string, out: string): Promise<readonly ThirdPartyPackage[]> {
  const { code, assets, stats } = await ncc(path.join(root, 'build', entry), NCC_OPTIONS)
  const packages = listPackages(stats.toJson())
  const licenses = formatLicenses(packages)
  const files = {
    'index.js': code,
    ...Object.fromEntries(Object.entries(assets).map(([name, { source }]) => [name, source])),
    ...(licenses !== '' && { 'licenses.txt': licenses }),
  }
  fs.mkdirSync(path.join(root, out), { recursive: true })
  for (const [name, text] of Object.entries(files))
    fs.writeFileSync(path.join(root, out, name), name.endsWith('.js') ? await minifyModule(text) : text)
  return packages
}

const released: ThirdPartyPackage[] = []
for (const [name, entry] of Object.entries(BUNDLES)) {
  const packages = await bundle(entry, `build/dist/${name}`)
  // `.gitattributes` keeps this bundle out of what runners download.
  if (name !== 'start') released.push(...packages)
}
fs.writeFileSync(path.join(root, 'build/dist/sbom.spdx.json'), formatSbom(released))
// The report is in the bundle of the agent, which has the same packages.
fs.mkdirSync(path.join(root, 'build/dist/report'))
fs.writeFileSync(
  path.join(root, 'build/dist/report/index.js'),
  "process.argv.push('report')\nawait import('../agent/index.js')\n",
)
fs.copyFileSync(path.join(root, 'build/dist/agent/package.json'), path.join(root, 'build/dist/report/package.json'))
if ((await bundle(sharedEmulator, 'build/shared-emulator')).length > 0)
  throw new Error('The emulator contains a package, whose license dist/emulator lacks.')
// The file that `SHARED_EMULATOR` names.
fs.renameSync(path.join(root, 'build/shared-emulator/index.js'), path.join(root, 'build/dist/emulator/emulator.js'))
// Replace the previous build only after every bundle is complete.
const target = path.join(root, process.argv[2] ?? 'dist')
fs.rmSync(target, { recursive: true, force: true })
fs.renameSync(path.join(root, 'build/dist'), target)
