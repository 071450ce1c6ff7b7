// What a step costs before its first request is at the service, and in all where the job is done at once: the packaged
// action and a program of built-ins, started in turns.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PAIRS = 25
const root = join(import.meta.dirname, '../..')
const node = join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node')
const programs = [
  { name: 'built-ins only', script: join(import.meta.dirname, 'start/floor.cjs') },
  { name: 'this action', script: join(root, 'dist/agent/index.js') },
]

/** @type {(time: number) => void} */
let onRequest = () => undefined
const service = createServer((request, response) => {
  onRequest(performance.now())
  request.resume()
  response.writeHead(201, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ id: 'job_1', status: 'completed', prLink: 'http://127.0.0.1/acme/docs/pull/1' }))
})
service.listen(0, '127.0.0.1')
await once(service, 'listening')
const address = /** @type {import('node:net').AddressInfo} */ (service.address())

const folder = mkdtempSync(join(tmpdir(), 'bench-start-'))

/**
 * @param {string} script
 * @returns {Promise<{ firstRequestMs: number, wholeMs: number }>}
 */
async function measure(script) {
  const [outputs, summary] = ['outputs', 'summary'].map((name) => join(folder, name))
  for (const file of [outputs, summary]) writeFileSync(String(file), '')
  const env = {
    PATH: process.env['PATH'],
    SystemRoot: process.env['SystemRoot'],
    GITHUB_OUTPUT: outputs,
    GITHUB_STEP_SUMMARY: summary,
    'INPUT_BASE-URL': `http://127.0.0.1:${address.port}`,
    'INPUT_PROJECT-ID': 'docs-demo',
    'INPUT_API-KEY': 'docs_benchmark_key',
    INPUT_PROMPT: 'Fix the guide.',
  }
  /** @type {Promise<number>} */
  const requested = new Promise((resolve) => (onRequest = resolve))
  const startedAt = performance.now()
  const child = spawn(node, [script], { env, stdio: 'ignore' })
  const ended = once(child, 'exit')
  const firstRequestMs = (await requested) - startedAt
  const [exitCode] = await ended
  if (exitCode !== 0) throw new Error(`${script} ended with ${exitCode}.`)
  return { firstRequestMs, wholeMs: performance.now() - startedAt }
}

/** @param {number[]} values */
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN

const runs = programs.map(() => /** @type {{ firstRequestMs: number, wholeMs: number }[]} */ ([]))
try {
  for (let pair = 0; pair < PAIRS; pair++) {
    for (const [index, { script }] of programs.entries()) runs[index]?.push(await measure(script))
  }
} finally {
  service.close()
  rmSync(folder, { recursive: true })
}

const results = runs.map((all) => ({
  firstRequestMs: median(all.map(({ firstRequestMs }) => firstRequestMs)),
  wholeMs: median(all.map(({ wholeMs }) => wholeMs)),
}))
console.log(`medians of ${PAIRS} pairs     first request ms   ratio   whole run ms   ratio`)
for (const [index, { firstRequestMs, wholeMs }] of results.entries()) {
  const floor = results[0] ?? { firstRequestMs, wholeMs }
  const columns = [
    firstRequestMs.toFixed(1).padStart(16),
    (firstRequestMs / floor.firstRequestMs).toFixed(2).padStart(7),
    wholeMs.toFixed(1).padStart(14),
    (wholeMs / floor.wholeMs).toFixed(2).padStart(7),
  ]
  console.log(`${(programs[index]?.name ?? '').padEnd(24)}${columns.join(' ')}`)
}
