import { expect, test } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import { DEFAULT_START_MS } from '../../src/emulator/embedded-service.ts'
import { countVisitors } from '../../src/emulator/service/visitor-counts.ts'
import { generateVisits } from '../../src/emulator/service/visits.ts'
import { embedded, expectExport, runVisitors } from '../support/visitors-bundle.ts'

const SITE = { pages: 400, visits: 9_000, seed: 7 }

test('an export to CSV holds every page once, in the order of the service', async () => {
  const all = { fromMs: -Infinity, toMs: Infinity }
  const { totals, visitors } = countVisitors(generateVisits({ ...SITE, endMs: DEFAULT_START_MS }), all)
  const run = await runVisitors({ service: embedded(SITE) })

  expectExport(run, {
    conclusion: 'success',
    verdict: '✅ The visitors are exported',
    says: [`${visitors.length} rows were written to \`visitors.csv\``],
    outputs: {
      human: String(totals.human),
      ai: String(totals.ai),
      total: String(totals.total),
      rows: String(visitors.length),
      file: 'visitors.csv',
      complete: 'true',
      'top-pages': JSON.stringify(visitors.slice(0, 20)),
    },
    offsets: [0, 250],
  })
  const rows = visitors.map(({ path, human, ai, total }) => [path, human, ai, total].map(String))
  expect(parse(run.files['visitors.csv'] ?? '')).toEqual([['path', 'human', 'ai', 'total'], ...rows])
})
