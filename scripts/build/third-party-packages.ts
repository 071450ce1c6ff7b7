// Finds the packages of a bundle. ncc's own option for licenses keeps only those of one chunk.
import * as fs from 'node:fs'
import * as path from 'node:path'
import { describeLeftOut } from './bundled-packages.ts'

interface StatsModule {
  /** True for modules that were left out, and for those that are also in `modules` of another one. */
  readonly orphan?: boolean
  /** The source file. */
  readonly nameForCondition?: string | null
  /** Modules that were concatenated into this one. */
  readonly modules?: readonly StatsModule[]
}

/** What webpack reports of a bundle. */
export interface BundleStats {
  readonly modules: readonly StatsModule[]
}

export interface ThirdPartyPackage {
  readonly name: string
  readonly version: string
  /** An SPDX expression. */
  readonly license: string
  /** The text of the license. */
  readonly notice: string
}

const listFiles = (modules: readonly StatsModule[]): string[] =>
  modules.flatMap(({ nameForCondition, modules: inner = [] }) => [nameForCondition ?? '', ...listFiles(inner)])

function readPackage(folder: string): ThirdPartyPackage {
  const about = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')) as ThirdPartyPackage
  const file = fs.readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
  const notice =
    file === undefined ? '' : fs.readFileSync(path.join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim()
  return { name: about.name, version: about.version, license: about.license, notice }
}

/** Lists all packages in a bundle. */
export function listPackages(stats: BundleStats): readonly ThirdPartyPackage[] {
  const packagePattern = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/
  const folders = listFiles(stats.modules.filter(({ orphan }) => orphan !== true)).flatMap(
    (file) => packagePattern.exec(file)?.[0] ?? [],
  )
  return [...new Set(folders)].map(readPackage)
}

/** Writes the licenses of packages in alphabetical order. Empty if there is no package. */
export function formatLicenses(packages: readonly ThirdPartyPackage[]): string {
  const notices = packages.map(({ name, version, license, notice }) => {
    const title = `${name} ${version} (${license})`
    return `${title}\n${'='.repeat(title.length)}\n\n${describeLeftOut(name)}${notice}`.trim()
  })
  return notices.length === 0 ? '' : `${[...new Set(notices)].sort().join('\n\n\n')}\n`
}
