// How fast the packaged export of visitors is, and how much memory it takes, beside a program that collects all rows
// before it writes them. Both ask the same service, which takes 50 ms for a page, one after the other in one run.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { measureProcess } from './visitors/measure-process.mjs'
import { servePages, sitePage } from './visitors/paging-server.mjs'

const LATENCY_MS = 50
const PAGE_ROWS = 250
const SIZES = [25_000, 100_000]

const root = join(import.meta.dirname, '../..')
const node = join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node')
const programs = [
  { name: 'this action', script: join(root, 'dist/visitors/index.js') },
  { name: 'collects all rows', script: join(import.meta.dirname, 'visitors/collect-all-rows.mjs') },
]

/** @typedef {{ name: string, rows: number, rowsPerSecond: number, peakMiB: number, requestRatio: number }} Measured */

/**
 * @param {{ name: string, script: string }} program
 * @param {number} rows
 * @returns {Promise<Measured>}
 */
async function measure({ name, script }, rows) {
  const service = await servePages(async (request) => {
    await sleep(LATENCY_MS)
    return { body: sitePage(rows, request) }
  })
  const workspace = mkdtempSync(join(tmpdir(), 'bench-visitors-'))
  try {
    const { durationMs, peakMiB } = await measureProcess({
      node,
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
    const needed = Math.ceil(rows / PAGE_ROWS)
    return {
      name,
      rows,
      rowsPerSecond: (rows / durationMs) * 1000,
      peakMiB,
      requestRatio: service.requests.length / needed,
    }
  } finally {
    rmSync(workspace, { recursive: true })
    await service.close()
  }
}

/**
 * @param {Measured} measured
 * @param {Measured} baseline
 */
function toRow({ name, rows, rowsPerSecond, peakMiB, requestRatio }, baseline) {
  return {
    rows,
    program: name,
    'rows/s': Math.round(rowsPerSecond),
    'rows/s, ratio': (rowsPerSecond / baseline.rowsPerSecond).toFixed(2),
    'peak MiB': Math.round(peakMiB),
    'peak, ratio': (peakMiB / baseline.peakMiB).toFixed(2),
    'requests made / needed': requestRatio.toFixed(2),
  }
}

/** @type {ReturnType<typeof toRow>[]} */
const table = []
for (const rows of SIZES) {
  /** @type {Measured[]} */
  const measured = []
  for (const program of programs) measured.push(await measure(program, rows))
  const baseline = measured.at(-1)
  if (baseline !== undefined) table.push(...measured.map((each) => toRow(each, baseline)))
}
console.log(`${LATENCY_MS} ms a page of ${PAGE_ROWS} rows, CSV. Ratios are to the program that collects all rows.`)
console.table(table)
