// Measures the memory in each minute of a ten-minute wait, with a clock that runs a hundred times as fast.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../testing/markdown-files.ts'
import { timesFaster } from '../small-runner/faster-time.ts'
import { preload } from '../small-runner/preload.ts'
import { runAction } from '../small-runner/run-action.ts'
import { openScratchFolder } from '../small-runner/scratch-folder.ts'
import type { Row } from './row.ts'
import { serve } from './serve.ts'

const SPEED = 100

/** Runs in the measured process. Collects garbage before it measures the heap. */
const NOTE_MEMORY = `
  import { writeFileSync } from 'node:fs'
  const minutes = []
  setInterval(() => {
    const residentMiB = process.memoryUsage.rss() / 2 ** 20
    globalThis.gc()
    minutes.push({ residentMiB, liveMiB: process.memoryUsage().heapUsed / 2 ** 20 })
  }, ${60_000 / SPEED}).unref()
  process.on('exit', () => writeFileSync(process.env.MEMORY_FILE, JSON.stringify(minutes)))
`

interface Minute {
  readonly liveMiB: number
  readonly residentMiB: number
}

/** @returns the memory at the end of each minute */
async function waitTenMinutes(): Promise<readonly Minute[]> {
  const service = await serve(({ method }) => ({
    status: method === 'POST' ? 201 : 200,
    body: { id: 'job_1', status: 'active' },
  }))
  const { path, remove } = openScratchFolder('bench-memory-')
  const file = join(path, 'memory.json')
  try {
    await runAction({
      action: root,
      workspace: path,
      env: {
        MEMORY_FILE: file,
        NODE_OPTIONS: `--expose-gc ${preload(NOTE_MEMORY, timesFaster(SPEED)).NODE_OPTIONS}`,
      },
      inputs: {
        'base-url': service.url,
        'project-id': 'docs-demo',
        'api-key': 'docs_benchmark_key',
        prompt: 'Fix the guide.',
        'timeout-minutes': '10.2',
        'github-token': '',
      },
    })
    return JSON.parse(readFileSync(file, 'utf8')) as Minute[]
  } finally {
    await service.close()
    remove()
  }
}

export async function measureMemory(): Promise<Row[]> {
  const minutes = await waitTenMinutes()
  const [first, tenth] = [minutes[0], minutes[9]]
  if (first === undefined || tenth === undefined) throw new Error(`The wait took ${minutes.length} minutes, not ten.`)
  const row = (what: string, ours: number, firstMinute: number, most: number): Row => [
    what,
    `${ours.toFixed(1)} MiB`,
    `${firstMinute.toFixed(1)} MiB`,
    ours / firstMinute,
    most,
  ]
  return [
    row('Resident', tenth.residentMiB, first.residentMiB, 1.3),
    row('Live heap', tenth.liveMiB, first.liveMiB, 1.15),
  ]
}
