// Measures the costs of a step, compares them with a lower bound and common alternatives, and prints a table for each part. Exits
// with 1 if a ratio is above its limit.
//
//   npm run bench                   all parts
//   npm run bench -- --list         lists the parts
//   npm run bench -- --only start   one part; several with commas between them
//   npm run bench -- --save         writes the tables into docs/internals/benchmarks.md
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../../testing/markdown-files.ts'
import { replaceBetweenMarkers } from '../docs/markdown-tables.ts'
import { renderPart } from './benchmark-page.ts'
import { PARTS } from './parts.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(PARTS).join(',') },
    list: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
  },
})
if (values.list) {
  for (const [name, { about }] of Object.entries(PARTS)) console.log(`${name.padEnd(14)} ${about}`)
  process.exit()
}
const names = values.only.split(',').map((name) => name.trim())
const unknown = names.filter((name) => !(name in PARTS))
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}. Name any of ${Object.keys(PARTS).join(', ')}.`)
  process.exit(2)
}

/**
 * Date, machine and Node.js of a measurement. No commit: the one that adds the figures has no name yet, and the one before does not
 * contain what was measured.
 */
function describeCircumstances(): string {
  const [first, ...rest] = cpus()
  const machine = `${rest.length + 1} × ${first?.model.trim() ?? 'unknown'}`
  return `${new Date().toISOString().slice(0, 10)}, ${machine}, Node ${process.versions.node}`
}

const PAGE = join(root, 'docs/internals/benchmarks.md')

for (const name of names) {
  console.error(`Measuring ${name} …`)
  const rows = (await PARTS[name]?.measure()) ?? []
  const part = renderPart(rows, describeCircumstances())
  console.log(`## ${name}\n\n${part}\n`)
  if (values.save) writeFileSync(PAGE, replaceBetweenMarkers(readFileSync(PAGE, 'utf8'), name, part))
  for (const [what, , , ratio, most = Infinity] of rows) {
    if (ratio <= most) continue
    console.error(`${name}: the ratio of “${what}” is ${ratio.toFixed(2)}, more than ${most.toFixed(2)}.`)
    process.exitCode = 1
  }
}
