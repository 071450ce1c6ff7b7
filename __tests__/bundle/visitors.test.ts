import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import { NODE_24 } from '../../scripts/small-runner/node-24.ts'
import { preload } from '../../scripts/small-runner/preload.ts'
import type { RunOptions } from '../../scripts/small-runner/run-action.ts'
import { EMULATOR_KEY } from '../../src/emulator/http/access.ts'
import { DEFAULT_PROJECT_ID } from '../../src/emulator/server.ts'
import { expectRun, type ExpectedRun, type PackagedRun } from '../support/bundle-expect.ts'
import { runPackaged } from '../support/bundle-run.ts'
import {
  servePages,
  createSitePage,
  createSiteRow,
  type PageResult,
  type PageRequest,
} from '../support/paging-server.ts'
import { listNames, temporaryFolder } from '../support/temporary-folder.ts'
import { NO_FILE } from '../support/visitors-run.ts'

/** Windows has no signals that a program could get from another one, and no limits of files. */
const testWithSignals = process.platform === 'win32' ? test.skip : test

const TOTALS = { human: '30000', ai: '9000', total: '35000' }

const ACTION_KEY = { 'project-id': DEFAULT_PROJECT_ID, 'api-key': EMULATOR_KEY }

interface VisitorsRun extends PackagedRun {
  /** The offset of every page that was asked for, in order. */
  readonly offsets: readonly number[]
  /** Every file that the workspace holds in the end, hidden ones included, by its path. */
  readonly files: Readonly<Record<string, string>>
}

/** Runs the packaged action in an empty workspace of its own, against a service that gives the answers of the test. */
async function runVisitors(
  answer: (request: PageRequest) => PageResult | Promise<PageResult>,
  { inputs, ...options }: Partial<RunOptions> = {},
): Promise<VisitorsRun> {
  const workspace = temporaryFolder()
  const { url, requests, close } = await servePages(answer)
  try {
    // A step that hangs ends with a log that tells why.
    const given = { ...ACTION_KEY, 'base-url': url, 'timeout-minutes': '0.5', ...inputs }
    const result = await runPackaged('visitors', { workspace, ...options, inputs: given })
    const names = listNames(workspace).filter((name) => statSync(join(workspace, name)).isFile())
    const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(workspace, name), 'utf8')]))
    return { ...result, inputs: given, offsets: requests.map(({ offset }) => offset), files }
  } finally {
    await close()
  }
}

/** Holds a run against the whole contract between a step and the runner; the outputs differ from those without a file. */
function expectExport(run: VisitorsRun, expected: ExpectedRun & { readonly offsets: readonly number[] }): void {
  expectRun(run, { ...expected, outputs: { ...NO_FILE, ...expected.outputs } })
  expect(run.offsets).toEqual(expected.offsets)
  expect(Object.keys(run.files)).toEqual(run.outputs['file'] === '' ? [] : [run.outputs['file']])
  expect(Object.values(run.files).join()).not.toContain(EMULATOR_KEY)
}

test('an export to CSV holds every page once, in the order of the service', async () => {
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

/** Throws from nowhere as soon as there is half a file. */
const DEFECT = `
  import { readdirSync } from 'node:fs'
  const look = () => readdirSync(process.env.GITHUB_WORKSPACE).some((name) => name.endsWith('.part'))
  setInterval(() => { if (look()) throw new Error('a defect') }, 5)
`

test('a defect that ends the process leaves no half file behind either', async () => {
  const run = await runVisitors(() => new Promise(() => undefined), { env: preload(DEFECT) })

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
  const run = await runVisitors((request) => ({ body: createSitePage(10_000, request) }), {
    inputs: { top: '0' },
    node: nodeWithSmallFiles(),
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
