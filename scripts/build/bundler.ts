// Bundles entries: tsc strips the types, and ncc packs the code with its dependencies. The other steps make the actions start
// faster; docs/internals/benchmarks.md says by how much.
import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { createRequire } from 'node:module'
import * as path from 'node:path'
import { minify } from '@swc/core'
import { root } from '../../testing/markdown-files.ts'
import { copyPackages } from './bundled-packages.ts'
import { compileAtOnce } from './compile-at-once.ts'
import { SHARED_EMULATOR } from './share-emulator.ts'
import { type BundleStats, formatLicenses, listPackages, type ThirdPartyPackage } from './third-party-packages.ts'

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

/** Bundles an entry into a folder. Both are relative to the bundler's folder. @returns the packages in the bundle */
export type Bundle = (entry: string, out: string) => Promise<readonly ThirdPartyPackage[]>

/**
 * Compiles `src/` and `scripts/start/`, and copies the packages next to them.
 * @param name of a folder in the project's folder, which is emptied first
 */
export function openBundler(name: string): Bundle {
  // webpack derives module ids from paths that are relative to the current folder.
  process.chdir(root)
  const folder = path.join(root, name)
  fs.rmSync(folder, { recursive: true, force: true })
  const compile = ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.build.json', '--outDir', folder]
  execFileSync(process.execPath, compile, { stdio: 'inherit' })
  copyPackages(root, folder)
  // webpack derives module ids from the paths of its loaders, which are inside ncc. A copy makes these paths the same everywhere.
  fs.cpSync(path.join(root, 'node_modules/@vercel/ncc'), path.join(folder, 'ncc'), {
    recursive: true,
    dereference: true,
  })
  // webpack leaves out a module that a bundle imports but does not use, if it knows that importing the module does nothing else.
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ type: 'module', sideEffects: false }))
  // In this process, which compiles ncc once. Its cache is in the home folder, and a build that is killed leaves a broken cache
  // there, which breaks later builds.
  const ncc = createRequire(import.meta.url)(path.join(folder, 'ncc/dist/ncc/index.js')) as Ncc
  const options = { externals: [SHARED_EMULATOR], cache: false, quiet: true }

  return async (entry, out) => {
    const { code, assets, stats } = await ncc(path.join(folder, entry), options)
    const packages = listPackages(stats.toJson())
    const licenses = formatLicenses(packages)
    const files = {
      'index.js': code,
      ...Object.fromEntries(Object.entries(assets).map(([name, { source }]) => [name, source])),
      ...(licenses !== '' && { 'licenses.txt': licenses }),
    }
    fs.mkdirSync(path.join(folder, out), { recursive: true })
    for (const [name, text] of Object.entries(files))
      fs.writeFileSync(path.join(folder, out, name), name.endsWith('.js') ? await minifyModule(text) : text)
    return packages
  }
}
