// Runs `npm start` and the embedded service on the Node.js that runs this file, with nothing installed. `npm cit` brings
// its own Node.js, so it tests no other version.
//
//   node scripts/smoke-test/run-without-install.mjs
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Runs a program, and fails if it does. @param {string[]} args */
function run(...args) {
  console.log(`node ${args.join(' ')}`)
  execFileSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
}

const START = 'dist/start/index.js'
run(START, '--list')
run(START, '--scenario', 'fixed', '--speed', '40')
run(START, '--scenario', 'rolling', '--speed', '40')
run(START, '--action', 'visitors')
run(START, '--action', 'report')
run(START, '--workflow', 'docs/recipes/on-push.yml', '--speed', '40')
run(START, '--check')

const EMULATOR = 'dist/emulator/index.js'
run(EMULATOR, '--help')
console.log(`node ${EMULATOR}`)
const service = spawn(process.execPath, [EMULATOR, '--port', '0'], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
try {
  const [line] = await once(createInterface(service.stdout), 'line')
  const url = String(line).replace('listening ', '')
  const { status } = await fetch(`${url}/v2/agent/docs-demo/job/job_1`)
  if (status !== 401) throw new Error(`The embedded service responds with ${status} to a request without a key.`)
} finally {
  service.kill()
}
console.log(`All of it runs on Node.js ${process.versions.node}.`)
