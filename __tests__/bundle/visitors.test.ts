import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import { timesFaster } from '../../scripts/small-runner/faster-time.ts'
import { preload } from '../../scripts/small-runner/preload.ts'
import type { RunOptions } from '../../scripts/small-runner/run-action.ts'
import { EMULATOR_KEY } from '../../src/emulator/http/access.ts'
import { DEFAULT_PROJECT_ID } from '../../src/emulator/server.ts'
import { expectRun, type ExpectedRun, type PackagedRun } from '../../testing/bundle-expect.ts'
import { type Intermediary, runPackaged } from '../../testing/bundle-run.ts'
import { changeOnWire, encode } from '../../testing/change-on-wire.ts'
import {
  servePages,
  createSitePage,
  createSiteRow,
  type PageResult,
  type PageRequest,
} from '../../testing/paging-server.ts'
import { listNames, createTemporaryFolder } from '../../testing/temporary-folder.ts'
import { NO_FILE } from '../../testing/visitors-run.ts'

/** Windows has no signals between processes, and no limits of file sizes. */
const testWithSignals = process.platform === 'win32' ? test.skip : test

const TOTALS = { human: '30000', ai: '9000', total: '35000' }

const ACTION_KEY = { 'project-id': DEFAULT_PROJECT_ID, 'api-key': EMULATOR_KEY }

interface VisitorsRun extends PackagedRun {
  /** The offsets of all requested pages, in order. */
  readonly offsets: readonly number[]
  /** All files of the workspace after the run, including hidden ones, by path. */
  readonly files: Readonly<Record<string, string>>
}

/** Runs the packaged action in an empty workspace, against a service with the responses of the test. */
async function runVisitors(
  respond: (request: PageRequest) => PageResult | Promise<PageResult>,
  { inputs, ...options }: Partial<RunOptions> = {},
  intermediary?: Intermediary,
): Promise<VisitorsRun> {
  const workspace = createTemporaryFolder()
  const { url, requests, close } = await servePages(respond)
  const entrance = await intermediary?.(url)
  try {
    // A step that hangs ends with a useful log.
    const given = { ...ACTION_KEY, 'base-url': entrance?.url ?? url, 'timeout-minutes': '0.5', ...inputs }
    const result = await runPackaged('visitors', { workspace, ...options, inputs: given })
    const names = listNames(workspace).filter((name) => statSync(join(workspace, name)).isFile())
    const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(workspace, name), 'utf8')]))
    return { ...result, inputs: given, offsets: requests.map(({ offset }) => offset), files }
  } finally {
    await entrance?.close()
    await close()
  }
}

/** Checks a run against the complete contract between a step and the runner. The given outputs override empty ones. */
function expectExport(run: VisitorsRun, expected: ExpectedRun & { readonly offsets: readonly number[] }): void {
  expectRun(run, { ...expected, outputs: { ...NO_FILE, ...expected.outputs } })
  expect(run.offsets).toEqual(expected.offsets)
  expect(Object.keys(run.files)).toEqual(run.outputs['file'] === '' ? [] : [run.outputs['file']])
  expect(Object.values(run.files).join()).not.toContain(EMULATOR_KEY)
}

test('an export to CSV contains every page once, in the order of the service', async () => {
  const run = await runVisitors((request) => ({ body: createSitePage(400, request) }))

  const sites = Array.from({ length: 400 }, (_, index) => createSiteRow(index))
  expectExport(run, {
    conclusion: 'success',
    verdict: '✅ 35,000 visitors (30,000 people, 9,000 AI agents)',
    messageParts: ['400 rows were written to `visitors.csv`'],
    outputs: {
      ...TOTALS,
      rows: '400',
      file: 'visitors.csv',
      complete: 'true',
      'top-pages': JSON.stringify(sites.slice(0, 20)),
    },
    offsets: [0, 250],
  })
  const rows = sites.map(({ path, human, ai, total }) => [path, human, ai, total].map(String))
  expect(parse(run.files['visitors.csv'] ?? '')).toEqual([['path', 'human', 'ai', 'total'], ...rows])
})

test.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
])('an export reads pages in %s', async (encoding, compress) => {
  const change = changeOnWire(encode(compress, encoding))
  const run = await runVisitors((request) => ({ body: createSitePage(3, request) }), {}, change)
  expect(run).toMatchObject({ conclusion: 'success', outputs: { rows: '3', complete: 'true' } })
})

test('a refusal quotes everything that the service says about it', async () => {
  const refusal = { error: 'Invalid query', details: [{ message: 'dateFrom must be within the last 90 days' }] }
  const run = await runVisitors(() => ({ status: 400, body: refusal }))

  expect(run.conclusion).toBe('failure')
  const quote = 'The service says: “Invalid query. dateFrom must be within the last 90 days”'
  expect(run.annotations.at(-1)?.message).toContain(quote)
})

test('a service that sends no content is named after three reads', async () => {
  const options = { inputs: { 'timeout-minutes': '15' }, env: preload(timesFaster(10)) }
  const run = await runVisitors(() => ({ status: 204, body: '' }), options)

  expect([run.conclusion, run.offsets]).toEqual(['failure', [0, 0, 0]])
  expect(run.annotations.at(-1)?.message).toContain('an invalid response (204): it has no content.')
})

testWithSignals('a run that is cancelled in the middle leaves no file behind', async () => {
  const cancel = new AbortController()
  const run = await runVisitors(
    (request) => {
      if (request.nth < 3) return { body: createSitePage(10_000, request) }
      cancel.abort()
      return new Promise(() => undefined)
    },
    { inputs: { 'output-file': 'new/folder/visitors.csv' }, cancel: cancel.signal },
  )

  expectExport(run, {
    conclusion: 'cancelled',
    verdict: '🛑 Cancelled',
    messageParts: ['The run was cancelled, so no file was written.'],
    outputs: TOTALS,
    offsets: [0, 250, 500],
  })
})

/** Throws an uncaught error as soon as there is a partial file. */
const DEFECT = `
  import { readdirSync } from 'node:fs'
  const hasPart = () => readdirSync(process.env.GITHUB_WORKSPACE).some((name) => name.endsWith('.part'))
  setInterval(() => { if (hasPart()) throw new Error('a defect') }, 5)
`

test('an unexpected error that ends the process leaves no partial file', async () => {
  const run = await runVisitors(() => new Promise(() => undefined), { env: preload(DEFECT) })

  expect(run).toMatchObject({ conclusion: 'failure', signal: null })
  expect(run.files).toEqual({})
})

/** Creates a Node.js that can write files of at most 32 KiB. A program sees this like a full disk. */
function createNodeWithSmallFiles(): string {
  const script = join(createTemporaryFolder(), 'node')
  writeFileSync(script, `#!/bin/bash\nulimit -f 32\nexec '${process.execPath}' "$@"\n`)
  chmodSync(script, 0o755)
  return script
}

testWithSignals('a full disk ends the step red, and leaves no file', async () => {
  const run = await runVisitors((request) => ({ body: createSitePage(10_000, request) }), {
    inputs: { top: '0' },
    node: createNodeWithSmallFiles(),
  })

  expectExport(run, {
    conclusion: 'failure',
    verdict: '❌ The export failed',
    messageParts: [
      'The file could not be written (EFBIG).',
      'No file was written.',
      'Check the free disk space of the runner',
    ],
    outputs: TOTALS,
    offsets: Array.from(run.offsets, (_, index) => index * 250),
  })
})
