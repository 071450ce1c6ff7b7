// Measures what a step costs beside the least that it could cost, and prints one table.
//
//   npm run bench                       all of it
//   npm run bench -- start visitors     only these parts
//   npm run bench -- --save             all of it, and writes the tables into docs/internals/benchmarks.md
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { measureDownload } from './download.mjs'
import { measureFleet } from './fleet.mjs'
import { measureMemory } from './memory.mjs'
import { measurePolling } from './polling.mjs'
import { measureStart } from './start.mjs'
import { measureVisitors } from './visitors.mjs'
import { renderTable, replaceBetweenMarkers } from '../docs-tables/markdown-tables.mjs'

/**
 * @typedef {object} Row
 * @property {string} what
 * @property {string} ours
 * @property {string} beside the floor or the peer, measured in the same run
 * @property {number} ratio ours to what is beside it
 */

/** @type {Record<string, () => Row[] | Promise<Row[]>>} */
const PARTS = {
  start: measureStart,
  polling: measurePolling,
  fleet: measureFleet,
  memory: measureMemory,
  visitors: measureVisitors,
  download: measureDownload,
}

const root = join(import.meta.dirname, '../..')
const DOCUMENT = 'docs/internals/benchmarks.md'

/** A change that is not committed is told of, since the commit alone would then name other code. */
function commit() {
  return execFileSync('git', ['describe', '--always', '--dirty', '--abbrev=12'], { cwd: root, encoding: 'utf8' }).trim()
}

/** What the numbers hold for: the day, the commit, and the machine. */
function circumstances() {
  const [first, ...rest] = cpus()
  const machine = `${rest.length + 1} × ${first?.model.trim() ?? 'unknown'}, ${process.platform} ${process.arch}`
  return `${new Date().toISOString().slice(0, 10)}, commit ${commit()}, ${machine}, Node ${process.versions.node}`
}

/** @param {Row[]} rows */
function renderRows(rows) {
  return renderTable([
    ['What', 'This action', 'Beside it', 'Ratio'],
    ...rows.map(({ what, ours, beside, ratio }) => [what, ours, beside, ratio.toFixed(2)]),
  ])
}

const args = process.argv.slice(2)
const isToSave = args.includes('--save')
const wanted = args.filter((arg) => arg !== '--save')
const unknown = wanted.filter((name) => !(name in PARTS))
if (unknown.length > 0 || (isToSave && wanted.length > 0)) {
  console.error(`Name any of ${Object.keys(PARTS).join(', ')}; or none, and then --save may stand there alone.`)
  process.exit(2)
}

/** @type {Record<string, Row[]>} */
const measured = {}
for (const [name, measure] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  console.error(`Measuring ${name} …`)
  measured[name] = await measure()
}
const { fleet = [], ...others } = measured
const rows = Object.values(others).flat()
const result = `${circumstances()}\n\n${renderRows(isToSave ? rows : [...rows, ...fleet])}`
console.log(`\n${result}`)

if (isToSave) {
  const path = join(root, DOCUMENT)
  const text = replaceBetweenMarkers(DOCUMENT, readFileSync(path, 'utf8'), 'results', result)
  writeFileSync(path, replaceBetweenMarkers(DOCUMENT, text, 'fleet', renderRows(fleet)))
}
