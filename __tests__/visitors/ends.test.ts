import { expect, test } from '@jest/globals'
import { OutputFileError } from '../../src/action/output-file.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { conclude, describeChange, explainDoubts } from '../../src/visitors/conclusion.ts'
import { toOutputs } from '../../src/visitors/outputs.ts'
import { DOUBTS, type Ending, ENDINGS, hasFile } from '../../src/visitors/report.ts'
import { visitorsAction } from '../../src/visitors/visitors-action.ts'
import { failure } from '../support/fake-client.ts'
import { row, rows, visitorsReport } from '../support/visitors-run.ts'

test('only an export that was read to its end leaves a file', () => {
  expect(ENDINGS.filter((ending) => hasFile({ ending }))).toEqual(['complete', 'uncertain'])
})

test('a whole export has all outputs', () => {
  expect(toOutputs(visitorsReport({ topPages: [row('/a', 2)] }))).toEqual({
    human: '30',
    ai: '12',
    total: '40',
    'previous-human': '',
    'previous-ai': '',
    'previous-total': '',
    rows: '3',
    file: 'out/visitors.csv',
    complete: 'true',
    'top-pages': '[{"path":"/a","human":2,"ai":0,"total":2}]',
  })
})

test('only an export that is known to be whole is complete', () => {
  const complete = ENDINGS.filter((ending) => toOutputs(visitorsReport({ ending })).complete === 'true')
  expect(complete).toEqual(['complete'])
  expect(toOutputs(visitorsReport({ ending: 'uncertain' }))).toMatchObject({ file: 'out/visitors.csv', rows: '3' })
})

test.each(['error', 'cancelled'] as const)(
  'where it ended with %s there is no file, and so no rows in it',
  (ending) => {
    expect(toOutputs(visitorsReport({ ending }))).toMatchObject({ rows: '0', file: '', 'top-pages': '[]', total: '40' })
  },
)

test('what is not known is empty', () => {
  const report = visitorsReport({ ending: 'skipped', totals: undefined, place: undefined, rows: 0, topPages: [] })
  expect(toOutputs(report)).toMatchObject({ human: '', ai: '', total: '', rows: '0', file: '' })
})

test('the top pages fit into a variable of a script, cut between two pages', () => {
  const topPages = rows(1000, `/${'é'.repeat(200)}-`)
  const text = toOutputs(visitorsReport({ topPages }))['top-pages']
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(120_000)
  const kept = JSON.parse(text) as unknown[]
  expect(kept).toEqual(topPages.slice(0, kept.length))
  expect(kept.length).toBeGreaterThan(200)
})

test('a thousand usual pages all fit', () => {
  const topPages = rows(1000, '/reference/installation/page-')
  expect(JSON.parse(toOutputs(visitorsReport({ topPages }))['top-pages'])).toHaveLength(1000)
})

test('printed in a log, the top pages are one line without a command', () => {
  const path = '/\n::error::x\r##[error]y\u2028::warning::z\u0085##[[group]'
  const text = toOutputs(visitorsReport({ topPages: [row(path)] }))['top-pages']
  expect(text).not.toMatch(/[\n\r\u0085\u2028\u2029]|##\[/)
  expect(JSON.parse(text)).toEqual([row(path)])
})

const GREEN: Readonly<Record<Ending, boolean>> = {
  complete: true,
  uncertain: true,
  cancelled: false,
  skipped: true,
  error: false,
}

function reportOf(ending: Ending): ReturnType<typeof visitorsReport> {
  return visitorsReport({
    ending,
    doubts: ending === 'uncertain' ? DOUBTS : [],
    error: ending === 'error' ? new ActionError('service-error', 'The service failed (503).') : undefined,
  })
}

test.each(ENDINGS)('%s is green only where there is a file or nothing was wanted, and says what happened', (ending) => {
  const { isGreen, title, text } = conclude(reportOf(ending))
  expect(isGreen).toBe(GREEN[ending])
  expect(title).toMatch(/^[A-Z]/)
  expect(text).toMatch(/^[A-Z0-9].*\.$/)
})

test('a whole export says how many rows there are and where', () => {
  expect(conclude(visitorsReport()).text).toBe('3 rows were written to `out/visitors.csv`.')
  expect(conclude(visitorsReport({ rows: 1 })).text).toContain('1 row was written')
})

test('a file name that could be Markdown or HTML is left out', () => {
  const place = { file: '/workspace/x', name: 'a`<img src=x>.csv' }
  expect(conclude(visitorsReport({ place })).text).toContain('written to the file of `output-file`.')
})

test.each(DOUBTS)('the doubt %s is explained in the verdict', (doubt) => {
  const report = visitorsReport({ ending: 'uncertain', doubts: [doubt] })
  expect(explainDoubts([doubt])).toMatch(/^[A-Z].*\.$/)
  expect(conclude(report).text).toContain(explainDoubts([doubt]))
})

test.each([
  [112, 100, '12 % more than the day before'],
  [88, 100, '12 % fewer than the day before'],
  [101, 100, '1.0 % more than the day before'],
  [100, 100, 'as many as the day before'],
  [5, 0, 'the day before had none'],
  [0, 0, 'as many as the day before'],
  [0, 5, '100 % fewer than the day before'],
  [100_001, 100_000, 'less than 0.1 % more than the day before'],
  [20_100, 100, '20,000 % more than the day before'],
])('%d after %d is told as “%s”', (now, before, words) => {
  expect(describeChange(now, before, 'the day before')).toBe(words)
})

test('a comparison that failed says why and what to do, and the step stays green', () => {
  const error = new ActionError('rejected', 'The service rejected the request (400).', { hint: 'Ask for later days.' })
  const comparison = { kind: 'failed', name: 'the day before', error } as const
  expect(conclude(visitorsReport({ comparison }))).toMatchObject({
    isGreen: true,
    text: '3 rows were written to `out/visitors.csv`. They are not compared with the day before: The service rejected the request (400).',
    advice: 'Ask for later days.',
  })
})

test('an error is followed by its own advice', () => {
  const error = new ActionError('unauthorized', 'No.', { hint: 'Check that the secret holds a current key.' })
  expect(conclude(visitorsReport({ ending: 'error', error })).advice).toBe(error.hint)
})

test('an error in the middle says that what was read is no file', () => {
  const { text } = conclude(visitorsReport({ ending: 'error', rows: 250, error: failure('deadline') }))
  expect(text).toBe('It is deadline. 250 rows had been read. No file was written.')
})

test('a file that cannot be written says where to look', () => {
  const error = new OutputFileError('The file could not be written (ENOSPC).', 'Check the free space.')
  const { title, text, advice } = conclude(visitorsReport({ ending: 'error', rows: 0, error }))
  expect(title).toBe('The export failed')
  expect(text).toContain('(ENOSPC)')
  expect(advice).toContain('free space')
})

test('a cancelled run says that there is no file', () => {
  expect(conclude(visitorsReport({ ending: 'cancelled', error: failure('cancelled') })).text).toContain('no file')
})

const present = (report: Parameters<typeof visitorsAction.render>[0]) =>
  visitorsAction.render(report, undefined, (text) => text)

test('until the export has an end, nobody takes it for whole', () => {
  expect(visitorsAction.firstOutputs).toEqual({ complete: 'false' })
})

test('a step that was stopped by wrong inputs is red, and has exported nothing', () => {
  const { conclusion, outputs, text } = present(
    visitorsAction.notRun(new ActionError('invalid-input', '`days` is wrong.', { hint: 'Correct it.' }), 100),
  )
  expect(conclusion).toMatchObject({ isGreen: false, title: 'The inputs are wrong' })
  expect(outputs).toMatchObject({ complete: 'false', rows: '0', file: '' })
  expect(text).toBe('`days` is wrong. Correct it.')
})

test('a step without a key that may be missing is skipped, and green', () => {
  const { conclusion, outputs } = present(visitorsAction.notRun(undefined, 100))
  expect([conclusion.isGreen, outputs['complete']]).toEqual([true, 'false'])
})

test('an export is told in all its forms, and the service is quoted', () => {
  const { conclusion, outputs, summary } = present(visitorsReport())
  expect(conclusion.isGreen).toBe(true)
  expect(outputs).toMatchObject({ complete: 'true', rows: '3' })
  expect(summary()).toContain('The visitors are exported')
  const error = new ActionError('rejected', 'It was rejected.', { quote: 'No.' })
  expect(present(visitorsReport({ ending: 'error', error })).text).toContain('The service says: “No.”')
})
