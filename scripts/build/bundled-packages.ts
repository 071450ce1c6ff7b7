// The packages that go into the bundles: copies, so that a bundle depends on what was locked and not on where node_modules
// is, and so that what no step needs can be left out of what every step would load.
import * as fs from 'node:fs'
import * as path from 'node:path'

/** What a bundle and its licences are made of. Types and source maps are most of the rest. */
const WANTED = /(?:\.[cm]?js|\.json|(?:^|[\\/])licen[cs]e[^\\/]*)$/i

/** The folders of all packages that are needed at run time, such as `node_modules/zod`. */
function runtimePackages(root: string): string[] {
  const lock = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>
  }
  return Object.entries(lock.packages).flatMap(([folder, { dev }]) => (folder === '' || dev === true ? [] : [folder]))
}

function replacePackage(folder: string, code: string): void {
  const exports = { './*': './absent.js', '.': './absent.js' }
  fs.rmSync(folder, { recursive: true })
  fs.mkdirSync(folder)
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', exports }))
  fs.writeFileSync(path.join(folder, 'absent.js'), code)
}

/**
 * @actions/core also signs in by OpenID Connect and asks the machine what system it runs, for which it loads all of undici
 * and what starts processes. undici also speaks HTTP/2, which is never switched on, as it sends a request again by itself.
 * Nothing here uses either, and both would be loaded before the first request.
 */
function leaveOut(modules: string): void {
  const absent = (names: string): string => `export const ${names} = undefined\n`
  replacePackage(path.join(modules, '@actions/http-client'), absent('HttpClient = undefined, BearerCredentialHandler'))
  replacePackage(path.join(modules, '@actions/exec'), absent('getExecOutput'))
  // Of undici's index GitHub's client needs one part, as it is given what to ask with.
  const index = "exports.fetch = undefined\nexports.ProxyAgent = require('./lib/dispatcher/proxy-agent.js')\n"
  fs.writeFileSync(path.join(modules, 'undici/index.js'), index)
  const http2 = path.join(modules, 'undici/lib/dispatcher/client-h2.js')
  if (!fs.existsSync(http2)) throw new Error('undici has its HTTP/2 somewhere else now.')
  fs.writeFileSync(http2, "module.exports = () => {\n  throw new Error('HTTP/2 is not in this bundle.')\n}\n")
}

/**
 * Puts the packages beside the code that ncc is to pack.
 * @param target the folder that gets a `node_modules`
 */
export function copyPackages(root: string, target: string): void {
  for (const folder of runtimePackages(root)) {
    const from = path.join(root, folder)
    if (!fs.existsSync(from)) throw new Error(`${folder} is not installed. Run npm ci.`)
    fs.cpSync(from, path.join(target, folder), {
      recursive: true,
      dereference: true,
      filter: (file) =>
        path.basename(file) !== 'node_modules' && (fs.statSync(file).isDirectory() || WANTED.test(file)),
    })
  }
  leaveOut(path.join(target, 'node_modules'))
}
