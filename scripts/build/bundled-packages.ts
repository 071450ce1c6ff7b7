// Copies the packages of the bundles, so that a bundle depends on the lock file and not on the location of node_modules, and
// so that code which no step needs can be left out.
import * as fs from 'node:fs'
import * as path from 'node:path'
import { REPLACED_MODULES } from './replaced-modules.ts'

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

/** The parts that undici uses of large Node.js modules, which a step does not load otherwise. */
const BUILT_IN_PARTS: Readonly<Record<string, string>> = {
  "require('node:assert')": '((condition, message) => { if (!condition) throw new Error(message) })',
  "require('node:http')": '({ IncomingMessage: class {}, maxHeaderSize: 16 * 1024 })',
}

/** Replaces a text in a file of a package. */
function replaceIn(file: string, old: string, replacement: string): void {
  const text = fs.readFileSync(file, 'utf8')
  if (!text.includes(old)) throw new Error(`${file} has no ${old}`)
  fs.writeFileSync(file, text.replace(old, replacement))
}

function leaveOut(modules: string): void {
  for (const [name, code] of Object.entries(REPLACED_MODULES)) {
    const file = path.join(modules, name)
    if (!fs.existsSync(file)) throw new Error(`${name} has moved.`)
    fs.writeFileSync(file, code)
  }
  for (const name of fs.globSync('undici/lib/{api,core,dispatcher}/*.js', { cwd: modules })) {
    const file = path.join(modules, name)
    const code = fs.readFileSync(file, 'utf8')
    fs.writeFileSync(
      file,
      code.replace(/require\('node:(?:assert|http)'\)/g, (load) => BUILT_IN_PARTS[load] ?? load),
    )
  }
  // Lets webpack drop the unused modules for OpenID Connect, platforms and summaries, which load many others.
  const core = path.join(modules, '@actions/core')
  replaceIn(path.join(core, 'package.json'), '{', '{ "sideEffects": false,')
  // For the delimiter of a value in the runner's files. It need not be secret: core checks that the value does not contain it.
  const random = 'const crypto = { randomUUID: () => Math.random().toString(36).slice(2) }'
  replaceIn(path.join(core, 'lib/file-command.js'), "import * as crypto from 'crypto';", random)
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
