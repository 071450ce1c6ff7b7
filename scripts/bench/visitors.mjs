// How fast the packaged export of visitors is, and how much memory it takes, beside a program that collects all rows
// before it writes them. Both ask the same service, which takes 50 ms for a page, one after the other in one run.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { NODE_24 } from '../small-runner/node-24.ts'
import { measureProcess } from './visitors/measure-process.mjs'
import { servePages, sitePage } from './visitors/paging-server.mjs'

const LATENCY_MS = 50
const PAGE_ROWS = 250
const SIZES = [25_000, 100_000]

const root = join(import.meta.dirname, '../..')
const OURS = join(root, 'dist/visitors/index.js')
const PEER = join(import.meta.dirname, 'visitors/collect-all-rows.mjs')

/** @typedef {{ rowsPerSecond: number, peakMiB: number, requests: number }} Measured */

/**
 * @param {string} script
 * @param {number} rows
 * @returns {Promise<Measured>}
 */
async function measure(script, rows) {
  const service = await servePages(async (request) => {
    await sleep(LATENCY_MS)
    return { body: sitePage(rows, request) }
  })
  const workspace = mkdtempSync(join(tmpdir(), 'bench-visitors-'))
  try {
    const { durationMs, peakMiB } = await measureProcess({
      node: NODE_24,
      script,
      cwd: workspace,
      env: {
        GITHUB_WORKSPACE: workspace,
        INPUT_FORMAT: 'csv',
        INPUT_SUMMARY: 'false',
        'INPUT_PROJECT-ID': 'docs',
        'INPUT_API-KEY': 'docs_bench_key',
        'INPUT_BASE-URL': service.url,
      },
    })
    return { rowsPerSecond: (rows / durationMs) * 1000, peakMiB, requests: service.requests.length }
  } finally {
    rmSync(workspace, { recursive: true })
    await service.close()
  }
}

/** @returns {Promise<import('./bench.mjs').Row[]>} */
export async function measureVisitors() {
  const rows = []
  for (const size of SIZES) {
    const [ours, peer] = [await measure(OURS, size), await measure(PEER, size)]
    const needed = Math.ceil(size / PAGE_ROWS)
    const title = `Visitors, ${size.toLocaleString('en')} rows, ${LATENCY_MS} ms a page`
    rows.push(
      {
        what: `${title}: speed`,
        ours: `${ours.rowsPerSecond.toFixed(0)} rows/s`,
        beside: `${peer.rowsPerSecond.toFixed(0)} rows/s, a program that collects all rows`,
        ratio: ours.rowsPerSecond / peer.rowsPerSecond,
      },
      {
        what: `${title}: peak memory`,
        ours: `${ours.peakMiB.toFixed(0)} MiB`,
        beside: `${peer.peakMiB.toFixed(0)} MiB, the same program`,
        ratio: ours.peakMiB / peer.peakMiB,
      },
      {
        what: `${title}: requests`,
        ours: `${ours.requests} made`,
        beside: `${needed} needed`,
        ratio: ours.requests / needed,
      },
    )
  }
  return rows
}
