// Measures the costs of a step, compares them with a lower bound and common alternatives, and prints a table for each part.
//
//   npm run bench                   all parts
//   npm run bench -- --list         lists the parts
//   npm run bench -- --only start   one part; several with commas between them
//   npm run bench -- --save         saves the results in docs/internals/benchmarks.json and benchmarks.md
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../../__tests__/support/markdown-files.ts'
import { replaceBetweenMarkers } from '../docs/markdown-tables.ts'
import { renderPart, type SavedPart, type SavedParts } from './benchmark-page.ts'
import { measureDownload } from './download.ts'
import { measureFleet } from './fleet.ts'
import { measureHostileText } from './hostile-text.ts'
import { measureMemory } from './memory.ts'
import { measurePolling } from './polling.ts'
import { measureRequests } from './requests.ts'
import type { Row } from './row.ts'
import { measureStart } from './start.ts'
import { measureVisitors } from './visitors.ts'

interface Part {
  readonly about: string
  readonly measure: () => Row[] | Promise<Row[]>
}

const PARTS: Readonly<Record<string, Part>> = {
  polling: { about: 'how late the end of a job is seen; a calculation', measure: measurePolling },
  start: { about: 'time to the first request, beside packages from the registry; needs dist/', measure: measureStart },
  download: { about: 'what the runner downloads', measure: measureDownload },
  fleet: { about: 'many steps under one key, on a virtual clock', measure: measureFleet },
  memory: { about: 'memory of a wait of ten minutes, on a fast clock; needs dist/', measure: measureMemory },
  visitors: { about: 'speed, memory and requests of large exports; needs dist/', measure: measureVisitors },
  requests: { about: 'requests to GitHub, by story', measure: measureRequests },
  'hostile-text': { about: 'time for the worst known texts', measure: measureHostileText },
}

/** Date, commit (dirty if there are changes), machine and Node.js version of the figures. */
function describeCircumstances(): string {
  const describe = ['describe', '--always', '--dirty', '--abbrev=12']
  const commit = execFileSync('git', describe, { cwd: root, encoding: 'utf8' }).trim()
  const [first, ...rest] = cpus()
  const machine = `${rest.length + 1} × ${first?.model.trim() ?? 'unknown'}, ${process.platform} ${process.arch}`
  return `${new Date().toISOString().slice(0, 10)}, commit ${commit}, ${machine}, Node ${process.versions.node}`
}

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

function save(name: string, part: SavedPart): void {
  const [data, page] = ['json', 'md'].map((kind) => join(root, `docs/internals/benchmarks.${kind}`)) as [string, string]
  const saved: SavedParts = { ...(JSON.parse(readFileSync(data, 'utf8')) as SavedParts), [name]: part }
  writeFileSync(data, `${JSON.stringify(saved, undefined, 2)}\n`)
  writeFileSync(page, replaceBetweenMarkers(readFileSync(page, 'utf8'), name, renderPart(part)))
}

for (const name of names) {
  console.error(`Measuring ${name} …`)
  const rows = (await PARTS[name]?.measure()) ?? []
  const part = { circumstances: describeCircumstances(), rows }
  console.log(`## ${name}\n\n${renderPart(part)}\n`)
  if (values.save) save(name, part)
}
