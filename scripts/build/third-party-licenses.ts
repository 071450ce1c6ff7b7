// The licences of what a bundle contains. ncc's own option loses those of all chunks but one.
import * as fs from 'node:fs'
import * as path from 'node:path'

interface StatsModule {
  /** True of what was looked at and left out, and of what stands in `modules` of another one as well. */
  readonly orphan?: boolean
  /** The file that the module was made of. */
  readonly nameForCondition?: string | null
  /** What was joined into this one. */
  readonly modules?: readonly StatsModule[]
}

const filesOf = (modules: readonly StatsModule[]): string[] =>
  modules.flatMap(({ nameForCondition, modules: inner = [] }) => [nameForCondition ?? '', ...filesOf(inner)])

/** The notice of the package in a folder; nothing for a package that the build itself made. */
function noticesOf(folder: string): string[] {
  const about = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')) as Readonly<
    Record<'name' | 'version' | 'license', string> & { private?: boolean }
  >
  if (about.private === true) return []
  const title = `${about.name} ${about.version} (${about.license})`
  const file = fs.readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
  const text =
    file === undefined ? '' : fs.readFileSync(path.join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim()
  return [`${title}\n${'='.repeat(title.length)}\n\n${text}`.trim()]
}

/**
 * The licences of all packages in a bundle, in alphabetical order.
 * @param statsFile what ncc writes with `--stats-out`
 */
export function thirdPartyLicenses(statsFile: string): string {
  const stats = JSON.parse(fs.readFileSync(statsFile, 'utf8')) as { readonly modules: readonly StatsModule[] }
  const ofPackage = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/
  const folders = filesOf(stats.modules.filter(({ orphan }) => orphan !== true)).flatMap((file) => ofPackage.exec(file)?.[0] ?? [])
  return `${[...new Set(folders)].flatMap(noticesOf).sort().join('\n\n\n')}\n`
}
