import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { failure } from '../support/fake-client.ts'
import { namesIn, temporaryFolder } from '../support/temporary-folder.ts'
import { page, row, rows, runExport, TOTALS, type ExportScript } from '../support/visitors-run.ts'

const NOT_WRITTEN: unknown = expect.stringMatching(/^The file could not be written \(E\w+\)\.$/)
const MORE = { hasMore: true }
const TWO_PAGES = [page(rows(250), MORE), page([row('/last', 999)])]

test.each(['csv', 'json', 'ndjson'] as const)('puts the pages of %s together as if they were one', async (format) => {
  const write = async (...answers: ExportScript['answers']): Promise<string | undefined> => {
    const { report, written } = await runExport({ inputs: { format, range: { dateFrom: '2026-01-01' } }, answers })
    expect([report.ending === 'error', report.rows]).toEqual([false, 3])
    return written()
  }
  const [a, b, c] = [row('/a'), row('/b'), row('/c')]
  const whole = await write(page([a, b, c]))
  expect(await write(page([a], MORE), page([a, b], MORE), page([c]))).toBe(whole)
  for (const last of [page([]), page([b])]) expect(await write(page([a, b, c], MORE), last)).toBe(whole)
})

test.each([
  ['csv', 'path,human,ai,total\r\n'],
  ['json', `{"range":{"dateFrom":null,"dateTo":null},"totals":${JSON.stringify(TOTALS)},"rows":[\n]}\n`],
  ['ndjson', ''],
] as const)('a site without visitors is an empty %s file', async (format, text) => {
  const { report, written } = await runExport({ inputs: { format, range: {} }, answers: [page([])] })
  expect(report).toMatchObject({ ending: 'complete', rows: 0, topPages: [] })
  expect(written()).toBe(text)
})

test('reports what the service counts and what was read, also where an error in the middle leaves no file', async () => {
  const whole = await runExport({ answers: TWO_PAGES })
  expect(whole.report).toMatchObject({ ending: 'complete', totals: TOTALS, rows: 251, error: undefined })
  expect(whole.report.topPages.slice(0, 2)).toEqual([row('/last', 999), row('/page-249', 250)])

  const half = await runExport({ answers: [page(rows(250), MORE), failure('unauthorized')] })
  expect(half.report).toMatchObject({ ending: 'error', totals: TOTALS, rows: 250, error: { code: 'unauthorized' } })
  expect(half.written()).toBeUndefined()
})

test('a file that cannot be put in its place leaves nothing behind', async () => {
  const workspace = temporaryFolder()
  const onRequest = (nth: number): void => {
    if (nth === 2) mkdirSync(join(workspace, 'visitors.csv', 'in-the-way'), { recursive: true })
  }
  const { report } = await runExport({ answers: TWO_PAGES, workspace, onRequest })
  expect(report).toMatchObject({ ending: 'error', error: { message: NOT_WRITTEN } })
  expect(namesIn(workspace)).toEqual(['visitors.csv', 'visitors.csv/in-the-way'])
})

test('a file that cannot be opened costs no request', async () => {
  const workspace = temporaryFolder()
  writeFileSync(join(workspace, 'taken'), '')
  const place = { file: join(workspace, 'taken', 'visitors.csv'), name: 'taken/visitors.csv' }
  const { report, queries } = await runExport({ answers: [], workspace, inputs: { place } })
  expect(report).toMatchObject({ ending: 'error', error: { message: NOT_WRITTEN } })
  expect(queries).toEqual([])
})

test.each<[string, ExportScript]>([
  ['while it waits', { answers: [page(rows(250), MORE), failure('service-error')], cancelAtSleep: 0 }],
  ['with its last answer', { answers: TWO_PAGES, cancelAtRequest: 2 }],
  ['so that a read fails', { answers: [page(rows(250), MORE), failure('unreachable')], cancelAtRequest: 2 }],
])('a run that is cancelled %s leaves no file, and does not read again', async (_when, script) => {
  const { report, written, queries } = await runExport(script)
  expect(report).toMatchObject({ ending: 'cancelled', error: { code: 'cancelled' } })
  expect([written(), queries.length]).toEqual([undefined, 2])
})

test('a defect leaves no file either', async () => {
  const workspace = temporaryFolder()
  const run = runExport({ workspace, answers: [page(rows(1), MORE), new TypeError('a defect')] })
  await expect(run).rejects.toThrow('a defect')
  expect(namesIn(workspace)).toEqual([])
})

test('says first what it is about to do, and now and then how far it has come', async () => {
  const parts = Array.from({ length: 5 }, (_, index) => page(rows(2, `/${index}-`), { hasMore: index < 4 }))
  const slow = parts.flatMap((part, index) => (index === 2 ? [failure('rate-limited', 10_000), part] : [part]))
  const { host } = await runExport({ answers: slow, inputs: { range: { dateFrom: '2026-01-01' } } })
  expect(host.said[0]).toBe('log: Exporting the visitors of project docs-demo as csv, from 2026-01-01, timeout 15 min.')
  expect(host.said.filter((line) => line.includes('so far'))).toEqual(['log: 6 rows so far.'])
})
