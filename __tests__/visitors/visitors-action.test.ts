import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import type { VisitorsPage } from '../../src/docs-service/schemas.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { runVisitorsStep } from '../../src/visitors/visitors-action.ts'
import { fakeClient } from '../support/fake-client.ts'
import { fakeStep } from '../support/fake-step.ts'
import { namesIn, temporaryFolder } from '../support/temporary-folder.ts'
import { inTurn, page, refusal, row, rows, runExport, TOTALS, visitorsInputs } from '../support/visitors-run.ts'

const MORE = { hasMore: true }
const FIRST = page(rows(250), MORE)

test.each(['csv', 'json', 'ndjson'])('writes the responses of %s as one list', async (format) => {
  const write = async (...responses: VisitorsPage[]): Promise<string | undefined> => {
    const { report, written } = await runExport(inTurn(...responses), { format })
    expect([report.ending === 'error', report.rows]).toEqual([false, 3])
    return written
  }
  const [a, b, c] = [row('/a'), row('/b'), row('/c')]
  const whole = await write(page([a, b, c]))
  expect(await write(page([a], MORE), page([a, b], MORE), page([c]))).toBe(whole)
  for (const last of [page([]), page([b])]) expect(await write(page([a, b, c], MORE), last)).toBe(whole)
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
  ['ndjson', '', `${FIRST_ROW}\n${SECOND_ROW}\n`, ''],
])('a file of %s contains all rows, or none for a site without visitors', async (format, head, rows, tail) => {
  expect((await runExport(inTurn(page(ROWS)), { format })).written).toBe(head + rows + tail)
  const { report, written } = await runExport(inTurn(page([])), { format })
  expect(report).toMatchObject({ ending: 'complete', rows: 0, topPages: [] })
  expect(written).toBe(head + tail)
})

/** Runs the step against two pages, with a callback while the second one is read. */
function runStep(onSecond: (workspace: string, cancel: () => void) => void, name = 'visitors.csv') {
  const workspace = temporaryFolder()
  const run = new AbortController()
  const cancel = (): void => {
    run.abort(new ActionError('cancelled', 'The run was cancelled.'))
  }
  let requests = 0
  const getVisitors = (): Promise<VisitorsPage> => {
    if (++requests === 1) return Promise.resolve(FIRST)
    onSecond(workspace, cancel)
    return Promise.resolve(page([row('/last')]))
  }
  const inputs = { ...visitorsInputs({}, workspace), place: { file: join(workspace, name), name } }
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
  expect(namesIn(workspace)).toEqual(['visitors.csv', 'visitors.csv/in-the-way'])
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
  expect(namesIn(workspace)).toEqual([])
})

test('leaves no file after a defect, and throws it', async () => {
  const { report, workspace } = runStep(() => {
    throw new TypeError('a defect')
  })
  await expect(report).rejects.toThrow('a defect')
  expect(namesIn(workspace)).toEqual([])
})

test.each([
  ['it waits', refusal(500)],
  ['it reads', { delivery: 'never' as const }],
])('leaves no file and sends no request if the run is cancelled while %s', async (_when, second) => {
  const { report, requests } = await runExport(inTurn(FIRST, second), {}, { cancelAtMs: 500 })
  expect(report).toMatchObject({ ending: 'cancelled' })
  expect(requests).toHaveLength(2)
})

test('logs first what it is about to do, and later its progress', async () => {
  const parts = Array.from({ length: 5 }, (_, index) => page(rows(2, `/${index}-`), { hasMore: index < 4 }))
  const slow = parts.flatMap((part, index) => (index === 2 ? [refusal(429, 10), part] : [part]))
  const { log } = await runExport(inTurn(...slow), { 'date-from': '2026-01-01' })
  expect(log[0]).toBe('Exporting the visitors of project docs-demo as csv, from 1 January 2026, timeout 15 min.')
  expect(log.filter((line) => line.includes('so far'))).toEqual(['6 rows so far.'])
})
