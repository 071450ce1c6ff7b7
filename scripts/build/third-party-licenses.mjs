// The licences of what a bundle contains. ncc's own option loses those of all chunks but one.
import * as fs from 'node:fs'
import * as path from 'node:path'

/**
 * @typedef {object} StatsModule
 * @property {string | null} [nameForCondition] the file that the module was made of
 * @property {StatsModule[]} [modules] what was joined into this one
 */

/**
 * @param {readonly StatsModule[]} modules
 * @returns {string[]}
 */
function filesOf(modules) {
  return modules.flatMap(({ nameForCondition, modules: inner = [] }) => [nameForCondition ?? '', ...filesOf(inner)])
}

/**
 * @param {string} file
 * @returns {string | undefined} the folder of the package that the file belongs to
 */
function packageFolder(file) {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.[0]
}

/**
 * @param {string} folder
 * @returns {string[]} nothing for a package that the build itself made
 */
function noticesOf(folder) {
  const about = /** @type {{ name: string, version: string, license: string, private?: boolean }} */ (
    JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'))
  )
  if (about.private === true) return []
  const title = `${about.name} ${about.version} (${about.license})`
  const file = fs.readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
  const text =
    file === undefined ? '' : fs.readFileSync(path.join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim()
  return [`${title}\n${'='.repeat(title.length)}\n\n${text}`.trim()]
}

/**
 * @param {string} statsFile what ncc writes with `--stats-out`
 * @returns {string} the licences of all packages in the bundle, in alphabetical order
 */
export function thirdPartyLicenses(statsFile) {
  const stats = /** @type {{ modules: StatsModule[] }} */ (JSON.parse(fs.readFileSync(statsFile, 'utf8')))
  const folders = filesOf(stats.modules).flatMap((file) => packageFolder(file) ?? [])
  return `${[...new Set(folders)].flatMap(noticesOf).sort().join('\n\n\n')}\n`
}
