// The memory of a wait of ten minutes, minute by minute, with a clock that runs a hundred times as fast.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { NODE_24 } from '../small-runner/node-24.ts'
import { runAction } from '../small-runner/run-action.ts'

const root = join(import.meta.dirname, '../..')

/**
 * @typedef {{ liveMiB: number, residentMiB: number }} Minute
 * @returns {Promise<Minute[]>} as each minute of the wait ends
 */
async function waitTenMinutes() {
  const service = createServer((request, response) => {
    request.resume()
    response.writeHead(request.method === 'POST' ? 201 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ id: 'job_1', status: 'active' }))
  })
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  const address = /** @type {import('node:net').AddressInfo} */ (service.address())
  const folder = mkdtempSync(join(tmpdir(), 'bench-memory-'))
  const file = join(folder, 'memory.json')
  try {
    await runAction({
      action: root,
      node: NODE_24,
      workspace: folder,
      env: {
        MEMORY_FILE: file,
        NODE_OPTIONS: `--expose-gc --import ${pathToFileURL(join(import.meta.dirname, 'memory/fast-clock.mjs')).href}`,
      },
      inputs: {
        'base-url': `http://127.0.0.1:${address.port}`,
        'project-id': 'docs-demo',
        'api-key': 'docs_benchmark_key',
        prompt: 'Fix the guide.',
        'timeout-minutes': '10.2',
        'github-token': '',
      },
    })
    /** @type {Minute[]} */
    const minutes = JSON.parse(readFileSync(file, 'utf8'))
    return minutes
  } finally {
    service.close()
    rmSync(folder, { recursive: true })
  }
}

/** @returns {Promise<import('./bench.mjs').Row[]>} */
export async function measureMemory() {
  const minutes = await waitTenMinutes()
  const [first, tenth] = [minutes[0], minutes[9]]
  if (first === undefined || tenth === undefined) throw new Error(`The wait took ${minutes.length} minutes, not ten.`)
  const row = (/** @type {string} */ what, /** @type {number} */ ours, /** @type {number} */ beside) => ({
    what: `Memory of a wait: ${what}, tenth minute`,
    ours: `${ours.toFixed(1)} MiB`,
    beside: `${beside.toFixed(1)} MiB, the first minute`,
    ratio: ours / beside,
  })
  return [row('resident', tenth.residentMiB, first.residentMiB), row('live heap', tenth.liveMiB, first.liveMiB)]
}
