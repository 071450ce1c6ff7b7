import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import type { VisitorsPage } from '../../src/docs-service/interface.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { runVisitorsStep } from '../../src/visitors/visitors-action.ts'
import { fakeClient } from '../../testing/fake-client.ts'
import { fakeStep } from '../../testing/fake-step.ts'
import { listNames, createTemporaryFolder } from '../../testing/temporary-folder.ts'
import {
  respondInOrder,
  createPage,
  createRefusal,
  createRow,
  createRows,
  runExport,
  TOTALS,
  parseInputs,
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

/** Runs the step against two pages, with a callback while the second one is read. */
function runStep(onSecond: (workspace: string, cancel: () => void) => void, name = 'visitors.csv') {
  const workspace = createTemporaryFolder()
  const run = new AbortController()
  const cancel = (): void => {
    run.abort(new ActionError('cancelled', 'The run was cancelled.'))
  }
  let requests = 0
  const getVisitors = (): Promise<VisitorsPage> => {
    if (++requests === 1) return Promise.resolve(FIRST)
    onSecond(workspace, cancel)
    return Promise.resolve(createPage([createRow('/last')]))
  }
  const inputs = { ...parseInputs({}, workspace), place: { file: join(workspace, name), name } }
  const step = fakeStep({ client: { ...fakeClient({}), getVisitors }, signal: run.signal })
  return { report: runVisitorsStep(inputs, step), workspace, requests: () => requests }
}

const NOT_WRITTEN = {
  ending: 'error',
  error: { message: expect.stringMatching(/^The file could not be written \(E\w+\)\.$/) },
}

test('leaves nothing behind if the file cannot be moved to its place', async () => {
  const { report, workspace } = runStep((folder) =>
    mkdirSync(join(folder, 'visitors.csv', 'in-the-way'), { recursive: true }),
  )
  expect(await report).toMatchObject(NOT_WRITTEN)
  expect(listNames(workspace)).toEqual(['visitors.csv', 'visitors.csv/in-the-way'])
})

test('sends no request if the file cannot be opened', async () => {
  const { report, requests } = runStep(() => undefined, `${'x'.repeat(300)}/visitors.csv`)
  expect(await report).toMatchObject(NOT_WRITTEN)
  expect(requests()).toBe(0)
})

test('leaves no file if the run is cancelled at the last response', async () => {
  const { report, workspace } = runStep((_folder, cancel) => {
    cancel()
  })
  expect(await report).toMatchObject({ ending: 'cancelled' })
  expect(listNames(workspace)).toEqual([])
})

test('leaves no file after a defect, and throws the error', async () => {
  const { report, workspace } = runStep(() => {
    throw new TypeError('a defect')
  })
  await expect(report).rejects.toThrow('a defect')
  expect(listNames(workspace)).toEqual([])
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
