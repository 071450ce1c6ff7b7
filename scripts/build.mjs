// Bundles every entry of src into dist: tsc takes the types away, and ncc packs what is left with its dependencies.
import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { thirdPartyLicenses } from './third-party-licenses.mjs'

const root = path.dirname(import.meta.dirname)
const entries = ['agent', 'emulator']

/**
 * @param {string} script
 * @param {string[]} args
 */
function run(script, args) {
  execFileSync(process.execPath, [path.join(root, 'node_modules', script), ...args], { cwd: root, stdio: 'inherit' })
}

fs.rmSync(path.join(root, 'build'), { recursive: true, force: true })
fs.rmSync(path.join(root, 'dist'), { recursive: true, force: true })
run('typescript/bin/tsc', ['--project', 'tsconfig.build.json'])
for (const entry of entries) {
  const input = `build/${entry}/main.js`
  const stats = path.join(root, `build/${entry}.stats.json`)
  run('@vercel/ncc/dist/ncc/cli.js', [
    'build',
    input,
    '--out',
    `dist/${entry}`,
    '--minify',
    '--quiet',
    '--stats-out',
    stats,
  ])
  fs.writeFileSync(path.join(root, `dist/${entry}/licenses.txt`), thirdPartyLicenses(stats))
}
