// Bundles every entry into dist. Usage: build.ts [folder instead of dist].
import * as fs from 'node:fs'
import * as path from 'node:path'
import { root } from '../../__tests__/support/markdown-files.ts'
import { openBundler } from './bundler.ts'
import { shareEmulator } from './share-emulator.ts'

const BUNDLES = {
  agent: 'src/entries/agent.js',
  visitors: 'src/entries/visitors.js',
  emulator: 'src/entries/emulator.js',
  rehearse: 'src/entries/rehearse.js',
  start: 'scripts/start/main.js',
}

const bundle = openBundler('build')
const sharedEmulator = shareEmulator(path.join(root, 'build'))
for (const [name, entry] of Object.entries(BUNDLES)) await bundle(entry, `dist/${name}`)
// The report is in the bundle of the agent, which has the same packages.
fs.mkdirSync(path.join(root, 'build/dist/report'))
fs.writeFileSync(
  path.join(root, 'build/dist/report/index.js'),
  "process.argv.push('report')\nawait import('../agent/index.js')\n",
)
fs.copyFileSync(path.join(root, 'build/dist/agent/package.json'), path.join(root, 'build/dist/report/package.json'))
await bundle(sharedEmulator, 'shared-emulator')
if (fs.existsSync(path.join(root, 'build/shared-emulator/licenses.txt')))
  throw new Error('The emulator contains a package, whose license dist/emulator lacks.')
// The file that `SHARED_EMULATOR` names.
fs.renameSync(path.join(root, 'build/shared-emulator/index.js'), path.join(root, 'build/dist/emulator/emulator.js'))
// Replace the previous build only after every bundle is complete.
const target = path.join(root, process.argv[2] ?? 'dist')
fs.rmSync(target, { recursive: true, force: true })
fs.renameSync(path.join(root, 'build/dist'), target)
