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

/** What else a module would bring, though nothing here uses it, and so would be loaded before the first request. */
const MODULES: Readonly<Record<string, string>> = {
  // A method for each of GitHub's operations; its client is told addresses.
  '@octokit/plugin-rest-endpoint-methods/dist-src/index.js': 'export const restEndpointMethods = () => undefined\n',
  '@octokit/plugin-paginate-rest/dist-src/index.js': 'export const paginateRest = () => undefined\n',
  // Of the index GitHub's client needs one part, as it is given what to ask with.
  'undici/index.js': "exports.fetch = undefined\nexports.ProxyAgent = require('./lib/dispatcher/proxy-agent.js')\n",
  // HTTP/2 is never switched on, as it sends a request again by itself.
  'undici/lib/dispatcher/client-h2.js':
    "module.exports = () => {\n  throw new Error('HTTP/2 is not in this bundle.')\n}\n",
  // No redirect is followed here.
  'undici/lib/interceptor/redirect-interceptor.js': 'module.exports = () => (dispatch) => dispatch\n',
  // An index of the names of headers, which pays off after some hundred answers.
  'undici/lib/core/tree.js': 'exports.tree = { lookup: () => null }\n',
}

/** What undici uses of large modules of Node.js that a step does not load otherwise. */
const BUILT_INS: Readonly<Record<string, string>> = {
  "require('node:assert')": '((holds, message) => { if (!holds) throw new Error(message) })',
  "require('node:http')": '({ IncomingMessage: class {}, maxHeaderSize: 16 * 1024 })',
}

function leaveOut(modules: string): void {
  for (const [name, code] of Object.entries(MODULES)) {
    const file = path.join(modules, name)
    if (!fs.existsSync(file)) throw new Error(`${name} is somewhere else now.`)
    fs.writeFileSync(file, code)
  }
  for (const name of fs.globSync('undici/lib/{api,core,dispatcher}/*.js', { cwd: modules })) {
    const file = path.join(modules, name)
    const code = fs.readFileSync(file, 'utf8')
    fs.writeFileSync(file, code.replace(/require\('node:(?:assert|http)'\)/g, (load) => BUILT_INS[load] ?? load))
  }
  // Its modules for OpenID Connect, platforms and summaries load much, and webpack may leave out what has no side effects.
  const core = path.join(modules, '@actions/core/package.json')
  fs.writeFileSync(core, fs.readFileSync(core, 'utf8').replace('{', '{ "sideEffects": false,'))
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
