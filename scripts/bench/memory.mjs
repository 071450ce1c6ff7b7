// The memory of a wait of ten minutes, minute by minute, with a clock that runs a hundred times as fast.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runAction } from '../small-runner.mjs'

const root = join(import.meta.dirname, '../..')
const node = join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node')

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

await runAction({
  action: root,
  node,
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
service.close()
const minutes = /** @type {{ liveMiB: number, residentMiB: number }[]} */ (JSON.parse(readFileSync(file, 'utf8')))
rmSync(folder, { recursive: true })

const [first = { liveMiB: NaN, residentMiB: NaN }] = minutes
console.log('minute of the wait   live heap MiB   ratio to the first   resident MiB   ratio to the first')
for (const [index, { liveMiB, residentMiB }] of minutes.entries()) {
  const columns = [
    String(index + 1).padStart(18),
    liveMiB.toFixed(1).padStart(16),
    (liveMiB / first.liveMiB).toFixed(2).padStart(21),
    residentMiB.toFixed(1).padStart(15),
    (residentMiB / first.residentMiB).toFixed(2).padStart(21),
  ]
  console.log(columns.join(''))
}
