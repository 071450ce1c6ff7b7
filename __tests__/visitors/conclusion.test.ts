import { expect, test } from '@jest/globals'
import { ActionError } from '../../src/runtime/errors.ts'
import { OutputFileError } from '../../src/action/workspace-output.ts'
import { conclude, describeChange, explainDoubts } from '../../src/visitors/conclusion.ts'
import { DOUBTS, ENDINGS, type Ending } from '../../src/visitors/report.ts'
import { failure } from '../support/fake-client.ts'
import { visitorsReport } from '../support/visitors-run.ts'

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
