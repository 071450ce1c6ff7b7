// Compares speed, peak memory and requests of the packaged export of visitors with a program that collects all rows before it
// writes them. Both read from the same service, which takes 50 ms for a page.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../../testing/markdown-files.ts'
import { preload } from '../small-runner/preload.ts'
import { runAction } from '../small-runner/run-action.ts'
import { openScratchFolder } from '../small-runner/scratch-folder.ts'
import { servePages, createSitePage } from '../../testing/paging-server.ts'
import type { Row } from './row.ts'

const LATENCY_MS = 50
const PAGE_ROWS = 250
const SIZES = [25_000, 400_000]

const OURS = join(root, 'dist/visitors/index.js')
const PEER = join(import.meta.dirname, 'collect-all-rows.mjs')

/** Runs in the measured process, because only that knows its peak memory. */
const WRITE_PEAK = `
  import { writeFileSync } from 'node:fs'
  process.on('exit', () => writeFileSync('peak', String(process.resourceUsage().maxRSS)))
`

/** @throws Error with the program's output, if it fails */
async function measure(
  program: string,
  rows: number,
): Promise<Record<'rowsPerSecond' | 'peakMiB' | 'requests', number>> {
  const service = await servePages(async (request) => {
    await sleep(LATENCY_MS)
    return { body: createSitePage(rows, request) }
  })
  const { path, remove } = openScratchFolder('bench-visitors-')
  try {
    const { durationMs, conclusion, rawOutput } = await runAction({
      action: join(root, 'visitors'),
      program,
      workspace: path,
      env: preload(WRITE_PEAK),
      inputs: { format: 'csv', 'project-id': 'docs', 'api-key': 'docs_bench_key', 'base-url': service.url },
    })
    if (conclusion !== 'success') throw new Error(`${program} failed:\n${rawOutput}`)
    return {
      rowsPerSecond: (rows / durationMs) * 1000,
      peakMiB: Number(readFileSync(join(path, 'peak'), 'utf8')) / 1024,
      requests: service.requests.length,
    }
  } finally {
    remove()
    await service.close()
  }
}

export async function measureVisitors(): Promise<Row[]> {
  const rows: Row[] = []
  for (const size of SIZES) {
    const [ours, peer] = [await measure(OURS, size), await measure(PEER, size)]
    const needed = Math.ceil(size / PAGE_ROWS)
    const title = `${size.toLocaleString('en')} rows`
    const [speed = '', peerSpeed = ''] = [ours, peer].map((one) => `${one.rowsPerSecond.toFixed(0)} rows/s`)
    const [peak = '', peerPeak = ''] = [ours, peer].map((one) => `${one.peakMiB.toFixed(0)} MiB`)
    rows.push(
      [`${title}: speed`, speed, peerSpeed, ours.rowsPerSecond / peer.rowsPerSecond],
      [
        `${title}: peak memory`,
        peak,
        peerPeak,
        ours.peakMiB / peer.peakMiB,
        // With few rows, most of the memory is that of the program itself.
        size === SIZES[0] ? 1.1 : 1,
      ],
      [`${title}: requests`, String(ours.requests), String(needed), ours.requests / needed, 1],
    )
  }
  return rows
}
