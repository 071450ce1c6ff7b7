// Bundles every entry into dist. Usage: build.ts [folder instead of dist].
import * as fs from 'node:fs'
import * as path from 'node:path'
import { root } from '../../testing/markdown-files.ts'
import { openBundler } from './bundler.ts'
import { formatSbom } from './sbom.ts'
import { shareEmulator } from './share-emulator.ts'
import type { ThirdPartyPackage } from './third-party-packages.ts'

const BUNDLES = {
  agent: 'src/entries/agent.js',
  visitors: 'src/entries/visitors.js',
  emulator: 'src/entries/emulator.js',
  rehearse: 'src/entries/rehearse.js',
  start: 'scripts/start/main.js',
}

const bundle = openBundler('build')
const sharedEmulator = shareEmulator(path.join(root, 'build'))
const released: ThirdPartyPackage[] = []
for (const [name, entry] of Object.entries(BUNDLES)) {
  const packages = await bundle(entry, `dist/${name}`)
  // `.gitattributes` keeps this bundle out of what runners download.
  if (name !== 'start') released.push(...packages)
}
fs.writeFileSync(path.join(root, 'build/dist/sbom.spdx.json'), formatSbom(released))
// The report is in the bundle of the agent, which has the same packages.
fs.mkdirSync(path.join(root, 'build/dist/report'))
fs.writeFileSync(
  path.join(root, 'build/dist/report/index.js'),
  "process.argv.push('report')\nawait import('../agent/index.js')\n",
)
fs.copyFileSync(path.join(root, 'build/dist/agent/package.json'), path.join(root, 'build/dist/report/package.json'))
if ((await bundle(sharedEmulator, 'shared-emulator')).length > 0)
  throw new Error('The emulator contains a package, whose license dist/emulator lacks.')
// The file that `SHARED_EMULATOR` names.
fs.renameSync(path.join(root, 'build/shared-emulator/index.js'), path.join(root, 'build/dist/emulator/emulator.js'))
// Replace the previous build only after every bundle is complete.
const target = path.join(root, process.argv[2] ?? 'dist')
fs.rmSync(target, { recursive: true, force: true })
fs.renameSync(path.join(root, 'build/dist'), target)
