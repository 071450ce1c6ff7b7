// Copies the packages of the bundles, so that a bundle depends on the lock file and not on the location of node_modules, and
// so that code which no step needs can be left out.
import * as fs from 'node:fs'
import * as path from 'node:path'

/** Code, data and licenses. Most other files are types and source maps. */
const WANTED = /(?:\.[cm]?js|\.json|(?:^|[\\/])licen[cs]e[^\\/]*)$/i

/** GitHub's parser of workflows, with its dependencies. Only `npm start` contains it, which no runner needs. */
const PACKAGES_OF_START = ['@actions/workflow-parser', '@actions/expressions', 'cronstrue', 'yaml'].map(
  (name) => `node_modules/${name}`,
)

/** Lists the folders of all bundled packages, such as `node_modules/zod`. */
function listBundledPackages(root: string): string[] {
  const lock = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly optional?: boolean }>>
  }
  return Object.entries(lock.packages).flatMap(([folder, { dev, optional }]) =>
    folder === '' || optional === true || (dev === true && !PACKAGES_OF_START.includes(folder)) ? [] : [folder],
  )
}

/**
 * Modules that other modules load although no step uses them, by their path in node_modules. In the bundles they are empty. No
 * other code of a package is changed, and `licenses.txt` names them. A module stays if loading another one needs it, such as a
 * class that is extended.
 */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'undici/lib/api/api-pipeline.js': 'requests as streams, which are never sent',
  'undici/lib/api/api-stream.js': 'requests as streams, which are never sent',
  'undici/lib/api/api-upgrade.js': 'upgrades of connections, which are never requested',
  'undici/lib/dispatcher/balanced-pool.js': 'several servers for one host, which are never used',
  'undici/lib/dispatcher/client-h2.js':
    'HTTP/2, which is never enabled, because undici retries requests over it by itself',
  'undici/lib/dispatcher/env-http-proxy-agent.js': 'proxies of the environment, which the action reads itself',
  'undici/lib/dispatcher/retry-agent.js': 'retries, which the action decides on itself',
  'undici/lib/handler/redirect-handler.js': 'redirects, which the action follows itself',
  'undici/lib/handler/retry-handler.js': 'retries, which the action decides on itself',
  'undici/lib/interceptor/dns.js': 'an interceptor that is never used',
  'undici/lib/interceptor/dump.js': 'an interceptor that is never used',
  'undici/lib/llhttp/llhttp-wasm.js': 'a parser for processors without SIMD, which all runners have',
  'undici/lib/mock/mock-agent.js': 'mocks, which only tests use',
  'undici/lib/mock/mock-client.js': 'mocks, which only tests use',
  'undici/lib/mock/mock-pool.js': 'mocks, which only tests use',
  'undici/lib/web/cache/cache.js': 'the cache of `fetch`, which is never called',
  'undici/lib/web/cookies/index.js': 'cookies, which are never used',
  'undici/lib/web/eventsource/eventsource.js': 'server-sent events, which are never read',
  'undici/lib/web/fetch/body.js': 'form data and other bodies of `fetch`, which is never called',
  'undici/lib/web/fetch/data-url.js': 'MIME types and data URLs of `fetch`, which is never called',
  'undici/lib/web/fetch/formdata.js': 'form data of `fetch`, which is never called',
  'undici/lib/web/fetch/headers.js': 'headers of `fetch`, which is never called',
  'undici/lib/web/fetch/index.js': '`fetch`, which is never called',
  'undici/lib/web/fetch/request.js': 'requests of `fetch`, which is never called',
  'undici/lib/web/fetch/response.js': 'responses of `fetch`, which is never called',
  'undici/lib/web/fileapi/filereader.js': 'a reader of files, which is never used',
  'undici/lib/web/websocket/events.js': 'WebSockets, which are never opened',
  'undici/lib/web/websocket/websocket.js': 'WebSockets, which are never opened',
}

/** Says what the bundles lack of a package. Empty if they lack nothing. */
export function describeLeftOut(name: string): string {
  const modules = Object.entries(LEFT_OUT).filter(([file]) => file.startsWith(`${name}/`))
  return modules.map(([file, what]) => `Left out of this bundle: ${file} (${what}).\n`).join('')
}

function leaveOut(modules: string): void {
  for (const name of Object.keys(LEFT_OUT)) {
    const file = path.join(modules, name)
    if (!fs.existsSync(file)) throw new Error(`${name} has moved.`)
    fs.writeFileSync(file, '')
  }
  // Tells webpack that importing a module of this package does nothing, so that it leaves out the modules that nothing uses.
  const about = path.join(modules, '@actions/core/package.json')
  const fields = JSON.parse(fs.readFileSync(about, 'utf8')) as object
  fs.writeFileSync(about, JSON.stringify({ ...fields, sideEffects: false }))
}

/**
 * Copies the packages next to the code that ncc packs.
 * @param target the folder in which `node_modules` is created
 */
export function copyPackages(root: string, target: string): void {
  for (const folder of listBundledPackages(root)) {
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
