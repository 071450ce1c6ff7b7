import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import type { VisitorsPage } from '../../src/docs-service/interface.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { listNames, createTemporaryFolder } from '../../testing/temporary-folder.ts'
import {
  respondInOrder,
  createPage,
  createRefusal,
  createRow,
  createRows,
  runExport,
  TOTALS,
  respondWith,
  playExport,
} from '../../testing/visitors-run.ts'

const MORE = { hasMore: true }
const FIRST = createPage(createRows(250), MORE)

test.each(['csv', 'json'])('writes several responses as one %s file', async (format) => {
  const write = async (...responses: VisitorsPage[]): Promise<string | undefined> => {
    const { report, written } = await runExport(respondInOrder(...responses), { format })
    expect([report.ending === 'error', report.rows]).toEqual([false, 3])
    return written
  }
  const [a, b, c] = [createRow('/a'), createRow('/b'), createRow('/c')]
  const whole = await write(createPage([a, b, c]))
  expect(await write(createPage([a], MORE), createPage([a, b], MORE), createPage([c]))).toBe(whole)
  for (const last of [createPage([]), createPage([b])])
    expect(await write(createPage([a, b, c], MORE), last)).toBe(whole)
  expect(await write(createPage([], MORE), createPage([a, b, c]))).toBe(whole)
})

const ROWS = [
  { path: '/', human: 2, ai: 1, total: 3 },
  { path: '/a,"b"', human: 1, ai: 0, total: 1 },
]
const [FIRST_ROW = '', SECOND_ROW = ''] = ROWS.map((one) => JSON.stringify(one))
const JSON_HEAD = `{"range":{"dateFrom":null,"dateTo":null},"totals":${JSON.stringify(TOTALS)},"rows":[`

test.each([
  ['csv', 'path,human,ai,total\r\n', '/,2,1,3\r\n"/a,""b""",1,0,1\r\n', ''],
  ['json', JSON_HEAD, `\n${FIRST_ROW},\n${SECOND_ROW}`, '\n]}\n'],
])('writes all rows to a %s file, or none for a site without visitors', async (format, head, rows, tail) => {
  expect((await runExport(respondInOrder(createPage(ROWS)), { format })).written).toBe(head + rows + tail)
  const { report, written } = await runExport(respondInOrder(createPage([])), { format })
  expect(report).toMatchObject({ ending: 'complete', rows: 0, topPages: [] })
  expect(written).toBe(head + tail)
})

interface Meanwhile {
  /** Called after the inputs have been read. */
  readonly onStart?: (workspace: string) => unknown
  /** Called while the second page is read. */
  readonly onSecond?: (workspace: string, cancel: () => void) => unknown
}

/** Exports two pages to `out/visitors.csv`. */
async function runStep({ onStart, onSecond }: Meanwhile) {
  const workspace = createTemporaryFolder()
  const run = new AbortController()
  const cancel = (): void => {
    run.abort(new ActionError('cancelled', 'The run was cancelled.'))
  }
  let requests = 0
  const respond = respondWith(({ nth }) => {
    requests = nth
    if (nth === 1) return FIRST
    onSecond?.(workspace, cancel)
    return createPage([createRow('/last')])
  })
  const given = { 'output-file': 'out/visitors.csv' }
  const play = { workspace, signal: run.signal }
  const ended = await playExport(respond, given, play, () => onStart?.(workspace)).catch((error: unknown) => error)
  return { ended, files: listNames(workspace), requests }
}

const NOT_WRITTEN = {
  ending: 'error',
  error: { message: expect.stringMatching(/^The file could not be written \(E\w+\)\.$/) },
}

test('leaves nothing behind if the file cannot be moved to its place', async () => {
  const { ended, files } = await runStep({
    onSecond: (folder) => mkdirSync(join(folder, 'out', 'visitors.csv', 'in-the-way'), { recursive: true }),
  })
  expect(ended).toMatchObject({ report: NOT_WRITTEN })
  expect(files).toEqual(['out', 'out/visitors.csv', 'out/visitors.csv/in-the-way'])
})

test('sends no request if the file cannot be opened', async () => {
  const { ended, requests } = await runStep({
    onStart: (folder) => {
      writeFileSync(join(folder, 'out'), '')
    },
  })
  expect(ended).toMatchObject({ report: NOT_WRITTEN })
  expect(requests).toBe(0)
})

test('leaves no file if the run is cancelled at the last response', async () => {
  const { ended, files } = await runStep({
    onSecond: (_folder, cancel) => {
      queueMicrotask(cancel)
    },
  })
  expect(ended).toMatchObject({ report: { ending: 'cancelled' } })
  expect(files).toEqual(['out'])
})

test('leaves no file after a defect, and throws the error', async () => {
  const { ended, files } = await runStep({
    onSecond: () => {
      throw new TypeError('a defect')
    },
  })
  expect(ended).toEqual(new TypeError('a defect'))
  expect(files).toEqual(['out'])
})

test.each([
  ['it waits', createRefusal(500)],
  ['it reads', { delivery: 'never' as const }],
])('leaves no file and sends no request if the run is cancelled while %s', async (_when, second) => {
  const { report, requests } = await runExport(respondInOrder(FIRST, second), {}, { cancelAtMs: 500 })
  expect(report).toMatchObject({ ending: 'cancelled' })
  expect(requests).toHaveLength(2)
})

test('logs its inputs first, and its progress later', async () => {
  const parts = Array.from({ length: 5 }, (_, index) => createPage(createRows(2, `/${index}-`), { hasMore: index < 4 }))
  const slow = parts.flatMap((part, index) => (index === 2 ? [createRefusal(429, 10), part] : [part]))
  const { log } = await runExport(respondInOrder(...slow), { 'date-from': '2026-01-01' })
  expect(log[0]).toBe('Exporting the visitors of project docs-demo as csv, from 1 January 2026, timeout 15 min.')
  expect(log.filter((line) => line.includes('so far'))).toEqual(['6 rows so far.'])
})
