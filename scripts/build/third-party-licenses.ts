// Collects the licenses of a bundle. ncc's own option keeps only those of one chunk.
import * as fs from 'node:fs'
import * as path from 'node:path'

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

const listFiles = (modules: readonly StatsModule[]): string[] =>
  modules.flatMap(({ nameForCondition, modules: inner = [] }) => [nameForCondition ?? '', ...listFiles(inner)])

/** The notice of a package; none for a package that the build itself has written. */
function readNotices(folder: string): string[] {
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

/** Lists the licenses of all packages in a bundle, in alphabetical order. Empty if there is no package. */
export function thirdPartyLicenses(stats: BundleStats): string {
  const packagePattern = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/
  const folders = listFiles(stats.modules.filter(({ orphan }) => orphan !== true)).flatMap(
    (file) => packagePattern.exec(file)?.[0] ?? [],
  )
  const notices = [...new Set(folders)].flatMap(readNotices).sort()
  return notices.length === 0 ? '' : `${notices.join('\n\n\n')}\n`
}
