import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import { sitePage } from '../../scripts/bench/paging-server.ts'
import { NODE_24 } from '../../scripts/small-runner/node-24.ts'
import { DEFAULT_START_MS } from '../../src/emulator/embedded-service.ts'
import { countVisitors } from '../../src/emulator/service/visitor-counts.ts'
import { generateVisits } from '../../src/emulator/service/visits.ts'
import { commit } from '../support/github-state.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { answering, embedded, expectExport, runVisitors } from '../support/visitors-bundle.ts'

/** Windows has no signals that a program could get from another one, and no limits of files. */
const testWithSignals = process.platform === 'win32' ? test.skip : test

const SITE = { pages: 400, visits: 9_000 }

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

testWithSignals('a run that is cancelled in the middle leaves no file behind', async () => {
  const cancel = new AbortController()
  const run = await runVisitors({
    service: answering((request) => {
      if (request.nth < 3) return { body: sitePage(10_000, request) }
      cancel.abort()
      return new Promise(() => undefined)
    }),
    inputs: { 'output-file': 'new/folder/visitors.csv' },
    cancel: cancel.signal,
  })

  expectExport(run, {
    conclusion: 'cancelled',
    verdict: '🛑 Cancelled',
    says: ['The run was cancelled, so no file was written.'],
    outputs: { human: '30000', ai: '9000', total: '35000' },
    offsets: [0, 250, 500],
  })
})

/** Throws from nowhere as soon as there is half a file. */
const DEFECT = `
  import { readdirSync } from 'node:fs'
  const look = () => readdirSync(process.env.GITHUB_WORKSPACE).some((name) => name.endsWith('.part'))
  setInterval(() => { if (look()) throw new Error('a defect') }, 5)
`

test('a defect that ends the process leaves no half file behind either', async () => {
  const run = await runVisitors({
    service: answering(() => new Promise(() => undefined)),
    inputs: {},
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(DEFECT)}` },
  })

  expect(run).toMatchObject({ conclusion: 'failure', signal: null })
  expect(run.files).toEqual({})
})

/** A Node.js that may write files of 32 KiB at most, which to a program is much like a disk that is full. */
function nodeWithSmallFiles(): string {
  const script = join(temporaryFolder(), 'node')
  writeFileSync(script, `#!/bin/bash\nulimit -f 32\nexec '${NODE_24}' "$@"\n`)
  chmodSync(script, 0o755)
  return script
}

testWithSignals('a disk that is full ends red and leaves nothing behind', async () => {
  const run = await runVisitors({
    service: answering((request) => ({ body: sitePage(10_000, request) })),
    inputs: { top: '0' },
    node: nodeWithSmallFiles(),
  })

  expectExport(run, {
    conclusion: 'failure',
    verdict: '❌ The export failed',
    says: ['The file could not be written (EFBIG).', 'No file was written.', 'Check the free space of the runner'],
    outputs: { human: '30000', ai: '9000', total: '35000' },
    offsets: Array.from(run.offsets, (_, index) => index * 250),
  })
})

test('without a key the step can be told to end green, without a file', async () => {
  const run = await runVisitors({
    service: embedded(),
    inputs: { 'api-key': '', 'on-missing-key': 'skip' },
    eventName: 'pull_request',
    event: {
      pull_request: { head: { sha: commit('a'), repo: { full_name: 'fork/docs' } } },
      repository: { full_name: 'acme/docs' },
    },
  })

  expectExport(run, {
    conclusion: 'success',
    verdict: '⏭️ Skipped, no API key',
    remarks: ['This run gets no secrets'],
    offsets: [],
  })
})
