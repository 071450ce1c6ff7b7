// Measures what a step costs beside the least that it could cost, and prints one table.
//
//   npm run bench                       all of it
//   npm run bench -- start              only this part
//   npm run bench -- --save             all of it, and writes the table into docs/internals/benchmarks.md
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { gzipSync } from 'node:zlib'
import { root } from '../../__tests__/support/markdown-files.ts'
import { renderTable, replaceBetweenMarkers } from '../docs/markdown-tables.ts'
import { measureStart } from './start.ts'

/** What was measured, beside the floor or the peer in the same run, and the ratio of the two. */
export type Row = readonly [what: string, ours: string, beside: string, ratio: number]

const DOWNLOAD_LIMIT_MB = 1.2

/** What the runner downloads: the repository at a ref, packed. */
function measureDownload(): Row[] {
  const packedMb = (...paths: string[]): number => {
    const archive = execFileSync('git', ['archive', 'HEAD', ...paths], { cwd: root, maxBuffer: 2 ** 30 })
    return gzipSync(archive, { level: 9 }).length / 1e6
  }
  const [whole, bundles] = [packedMb(), packedMb('dist')]
  const mb = (size: number): string => `${size.toFixed(2)} MB`
  const limit = `${mb(DOWNLOAD_LIMIT_MB)}, the limit that it is held to`
  return [
    ['Download: the repository without tests and pictures, packed', mb(whole), limit, whole / DOWNLOAD_LIMIT_MB],
    ['Download: of it, the bundles', mb(bundles), `${mb(whole)}, the whole`, bundles / whole],
  ]
}

const PARTS: Readonly<Record<string, () => Row[] | Promise<Row[]>>> = { start: measureStart, download: measureDownload }

/** What the numbers hold for: the day, the commit, whether anything was changed since, and the machine. */
function circumstances(): string {
  const describe = ['describe', '--always', '--dirty', '--abbrev=12']
  const commit = execFileSync('git', describe, { cwd: root, encoding: 'utf8' }).trim()
  const [first, ...rest] = cpus()
  const machine = `${rest.length + 1} × ${first?.model.trim() ?? 'unknown'}, ${process.platform} ${process.arch}`
  return `${new Date().toISOString().slice(0, 10)}, commit ${commit}, ${machine}, Node ${process.versions.node}`
}

const args = process.argv.slice(2)
const isToSave = args.includes('--save')
const wanted = args.filter((arg) => arg !== '--save')
if (wanted.some((name) => !(name in PARTS)) || (isToSave && wanted.length > 0)) {
  console.error(`Name any of ${Object.keys(PARTS).join(', ')}; or none, and then --save may stand there alone.`)
  process.exit(2)
}

const rows: Row[] = []
for (const [name, measure] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  console.error(`Measuring ${name} …`)
  rows.push(...(await measure()))
}
const cells = rows.map(([what, ours, beside, ratio]) => [what, ours, beside, ratio.toFixed(2)])
const result = `${circumstances()}\n\n${renderTable([['What', 'This action', 'Beside it', 'Ratio'], ...cells])}`
console.log(`\n${result}`)

if (isToSave) {
  const path = `${root}docs/internals/benchmarks.md`
  writeFileSync(path, replaceBetweenMarkers(readFileSync(path, 'utf8'), 'results', result))
}
