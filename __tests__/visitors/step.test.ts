import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { failure } from '../support/fake-client.ts'
import { namesIn, temporaryFolder } from '../support/temporary-folder.ts'
import { page, row, rows, runExport, TOTALS } from '../support/visitors-run.ts'

const NOT_WRITTEN = /^The file could not be written \(E\w+\)\.$/
const MORE = { hasMore: true }
const TWO_PAGES = [page(rows(250), MORE), page([row('/last', 999)])]

test('writes all rows, and reports what the service counts', async () => {
  const { report, written, queries } = await runExport({ answers: TWO_PAGES })

  expect(report).toMatchObject({ ending: 'complete', totals: TOTALS, rows: 251, doubts: [], error: undefined })
  expect(report.topPages.slice(0, 2)).toEqual([row('/last', 999), row('/page-249', 250)])
  expect(written()?.split('\r\n')).toHaveLength(1 + 251 + 1)
  expect(queries).toHaveLength(2)
})

test.each(['csv', 'json', 'ndjson'] as const)('puts the pages of %s together as if they were one', async (format) => {
  const inputs = { format, range: { dateFrom: '2026-01-01' } }
  const parts = [page([row('/a')], MORE), page([row('/a'), row('/b')], MORE), page([row('/c')])]
  const { written } = await runExport({ inputs, answers: parts })
  const whole = await runExport({ inputs, answers: [page([row('/a'), row('/b'), row('/c')])] })
  expect(written()).toBe(whole.written())
})

test.each(['csv', 'json', 'ndjson'] as const)('a last page that adds no row adds nothing to %s', async (format) => {
  const whole = await runExport({ inputs: { format }, answers: [page([row('/a'), row('/b')])] })
  for (const last of [page([]), page([row('/b')])]) {
    const { written } = await runExport({ inputs: { format }, answers: [page([row('/a'), row('/b')], MORE), last] })
    expect(written()).toBe(whole.written())
  }
})

test.each(['csv', 'json', 'ndjson'] as const)('a site without visitors is an empty %s file', async (format) => {
  const { report, written } = await runExport({ inputs: { format }, answers: [page([])] })
  expect(report).toMatchObject({ ending: 'complete', rows: 0, topPages: [] })
  expect(written()).toBeDefined()
})

test('a rate limit in the middle is waited for', async () => {
  const [first, second] = TWO_PAGES
  const { report, clock, queries } = await runExport({
    answers: [first, failure('rate-limited', 20_000), second].filter((answer) => answer !== undefined),
  })
  expect(report.ending).toBe('complete')
  expect(clock.sleeps).toEqual([52_000])
  expect(report.durationMs).toBe(52_000)
  expect(queries.map(({ offset }) => offset)).toEqual([0, 250, 250])
})

test('an error in the middle leaves no file, and what was counted is known', async () => {
  const { report, written } = await runExport({ answers: [page(rows(250), MORE), failure('unauthorized')] })
  expect(report).toMatchObject({ ending: 'error', totals: TOTALS, rows: 250, error: { code: 'unauthorized' } })
  expect(written()).toBeUndefined()
})

test('a file that cannot be put in its place leaves nothing behind', async () => {
  const workspace = temporaryFolder()
  const onRequest = (nth: number): void => {
    if (nth === 2) mkdirSync(join(workspace, 'visitors.csv', 'in-the-way'), { recursive: true })
  }
  const { report } = await runExport({ answers: TWO_PAGES, workspace, onRequest })
  expect(report).toMatchObject({ ending: 'error', error: { message: expect.stringMatching(NOT_WRITTEN) as unknown } })
  expect(namesIn(workspace)).toEqual(['visitors.csv', 'visitors.csv/in-the-way'])
})

test('a file that cannot be opened costs no request', async () => {
  const workspace = temporaryFolder()
  writeFileSync(join(workspace, 'taken'), '')
  const place = { file: join(workspace, 'taken', 'visitors.csv'), name: 'taken/visitors.csv' }
  const { report, queries } = await runExport({ answers: [], workspace, inputs: { place } })
  expect(report).toMatchObject({ ending: 'error', error: { message: expect.stringMatching(NOT_WRITTEN) as unknown } })
  expect(queries).toEqual([])
})

test('no request is made after the deadline', async () => {
  const { report, queries } = await runExport({ answers: [], inputs: { timeoutMs: 0 } })
  expect(report).toMatchObject({ ending: 'error', error: { code: 'deadline' } })
  expect(queries).toEqual([])
})

test('a cancelled run leaves no file', async () => {
  const { report, written } = await runExport({
    answers: [page(rows(250), MORE), failure('service-error')],
    cancelAtSleep: 0,
  })
  expect(report).toMatchObject({ ending: 'cancelled', rows: 250 })
  expect(written()).toBeUndefined()
})

test('a run that is cancelled with its last answer leaves no file', async () => {
  const { report, written } = await runExport({ answers: TWO_PAGES, cancelAtRequest: 2 })
  expect(report.ending).toBe('cancelled')
  expect(written()).toBeUndefined()
})

test('a read that fails because the run is cancelled is not tried again', async () => {
  const { report, host } = await runExport({ answers: [failure('unreachable')], cancelAtRequest: 1 })
  expect(report).toMatchObject({ ending: 'cancelled', error: { code: 'cancelled' } })
  expect(host.said.join()).not.toContain('Asking again')
})

test('a defect leaves no file either', async () => {
  const workspace = temporaryFolder()
  const run = runExport({ workspace, answers: [page(rows(1), MORE), new TypeError('a defect')] })
  await expect(run).rejects.toThrow('a defect')
  expect(namesIn(workspace)).toEqual([])
})

test('says first what it is about to do', async () => {
  const { host } = await runExport({ answers: TWO_PAGES, inputs: { range: { dateFrom: '2026-01-01' } } })
  expect(host.said).toEqual([
    'log: Exporting the visitors of project docs-demo as csv, from 2026-01-01, timeout 15 min.',
  ])
})

test('tells now and then how far it has come, and not at every page', async () => {
  const parts = Array.from({ length: 5 }, (_, index) => page(rows(2, `/${index}-`), { hasMore: index < 4 }))
  const slow = parts.flatMap((part, index) => (index === 2 ? [failure('rate-limited', 10_000), part] : [part]))
  const { host } = await runExport({ answers: slow })
  expect(host.said.filter((line) => line.includes('so far'))).toEqual(['log: 6 rows so far.'])
})
