import { expect, test } from '@jest/globals'
import { OutputFileError } from '../../src/action/workspace-file.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import {
  concludeExport,
  describeChange,
  ENDINGS,
  formatNumber,
  toExportOutputs,
  type Ending,
  type ExportReport,
} from '../../src/visitors/report.ts'
import { visitorsAction } from '../../src/visitors/visitors-action.ts'
import { failure } from '../../testing/jobs.ts'
import { NO_FILE, createComparison, createRow, createRows, createVisitorsReport } from '../../testing/visitors-run.ts'

const COUNTS = { human: '30', ai: '12', total: '40' }

test('reports a file only after a finished export, and completeness only without doubts', () => {
  const file = { rows: '3', file: 'out/visitors.csv', 'top-pages': '[]' }
  const outputs = ENDINGS.map((ending) => [ending, toExportOutputs(createVisitorsReport({ ending, topPages: [] }))])
  expect(Object.fromEntries(outputs)).toEqual({
    complete: { ...NO_FILE, ...COUNTS, ...file, complete: 'true' },
    uncertain: { ...NO_FILE, ...COUNTS, ...file },
    cancelled: { ...NO_FILE, ...COUNTS },
    skipped: { ...NO_FILE, ...COUNTS },
    error: { ...NO_FILE, ...COUNTS },
  })
  expect(toExportOutputs(createVisitorsReport({ ending: 'skipped', totals: undefined }))).toEqual(NO_FILE)
  expect(toExportOutputs(createVisitorsReport({ ending: 'error' }))).toMatchObject({ 'top-pages': '[]' })
})

test.each([
  ['all with usual paths', '/reference/installation/page-', 1_000, 1_000],
  ['with long paths as many as fit into an environment variable', `/${'é'.repeat(200)}-`, 200, 300],
])('includes in `top-pages`, of a thousand pages, %s', (_name, prefix, min, max) => {
  const topPages = createRows(1_000, prefix)
  const { 'top-pages': text = '' } = toExportOutputs(createVisitorsReport({ topPages }))
  const kept = JSON.parse(text) as unknown[]
  expect(kept).toEqual(topPages.slice(0, kept.length))
  expect(kept.length).toBeGreaterThanOrEqual(min)
  expect(kept.length).toBeLessThanOrEqual(max)
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(120_000)
})

test('writes `top-pages` as one line without a workflow command', () => {
  const path = '/\n::error::x\r##[error]y\u2028::warning::z\u0085##[[group]'
  const { 'top-pages': text = '' } = toExportOutputs(createVisitorsReport({ topPages: [createRow(path)] }))
  expect(text).not.toMatch(/[\n\r\u0085\u2028\u2029]|##\[/)
  expect(JSON.parse(text)).toEqual([createRow(path)])
})

test('escapes in `top-pages` what GitHub takes for a secret, so that a job can pass it on', () => {
  const path = '/search?q=Authorization: Bearer abc'
  const { 'top-pages': text = '' } = toExportOutputs(createVisitorsReport({ topPages: [createRow(path)] }))
  expect(text).not.toMatch(/Authorization:|Bearer abc/)
  expect(JSON.parse(text)).toEqual([createRow(path)])
})

const WRITTEN = '3 rows were written to `out/visitors.csv`.'

test.each<[Ending, boolean, Partial<ExportReport>, string | RegExp]>([
  ['complete', true, {}, WRITTEN],
  ['complete', true, { rows: 1 }, '1 row was written to `out/visitors.csv`.'],
  // The name could be Markdown or HTML.
  ['complete', true, { file: 'a`<img src=x>.csv' }, /written to the file of `output-file`\.$/],
  ['uncertain', true, { doubts: 'Rows moved.' }, `${WRITTEN} Rows moved.`],
  ['cancelled', false, {}, 'The run was cancelled, so no file was written.'],
  ['skipped', true, {}, /^Nothing was sent to the service, because `api-key` is empty/],
  ['error', false, { rows: 0, error: failure('deadline') }, 'It is deadline.'],
  ['error', false, { rows: 250, error: failure('deadline') }, /^It is deadline\. 250 rows .* No file was written\.$/],
])('concludes that %s is green (%j), and describes the ending', (ending, isGreen, fields, text) => {
  const conclusion = concludeExport(createVisitorsReport({ ending, ...fields }))
  expect(conclusion.isGreen).toBe(isGreen)
  expect(conclusion.title).toMatch(/^(?:[A-Z]|40 visitors \(30 people, 12 AI agents\))/)
  expect(conclusion.text).toEqual(typeof text === 'string' ? text : expect.stringMatching(text))
})

test.each([
  [112, 100, 'That is 12% more than the day before.'],
  [88, 100, 'That is 12% fewer than the day before.'],
  [101, 100, 'That is 1% more than the day before.'],
  [100, 100, 'That is as many as the day before.'],
  [5, 0, 'The day before had none.'],
  [0, 0, 'That is as many as the day before.'],
  [0, 5, 'That is 100% fewer than the day before.'],
  [100_300, 100_000, 'That is 0.3% more than the day before.'],
  [100_001, 100_000, 'That is 0% more than the day before.'],
  [20_100, 100, 'That is 20,000% more than the day before.'],
])('describes %d after %d as “%s”', (now, before, words) => {
  expect(describeChange(now, before, 'the day before')).toBe(words)
})

test('reports a comparison, and why it failed, and stays green', () => {
  const describe = (total: number): string =>
    concludeExport(createVisitorsReport({ comparison: createComparison({ human: total, ai: 0, total }) })).text
  expect(describe(20)).toBe(`That is 100% more than the 31 days before. ${WRITTEN}`)
  expect(describe(0)).toBe(`The 31 days before had none. ${WRITTEN}`)

  const error = new ActionError('rejected', 'The service rejected the request (400).', { hint: 'Ask for later days.' })
  expect(concludeExport(createVisitorsReport({ comparison: { name: 'the 31 days before', error } }))).toMatchObject({
    isGreen: true,
    text: `${WRITTEN} There is no comparison with the 31 days before: ${error.message}`,
    advice: 'Ask for later days.',
  })
})

test.each([
  [{ human: 1_234, ai: 1, total: 1_235 }, '1,235 visitors (1,234 people, 1 AI agent)'],
  [{ human: 1, ai: 0, total: 1 }, '1 visitor (1 person, 0 AI agents)'],
])('uses the numbers as the title: %j', (totals, title) => {
  expect(concludeExport(createVisitorsReport({ totals })).title).toBe(title)
  const uncertain = concludeExport(createVisitorsReport({ totals, ending: 'uncertain' }))
  expect(uncertain.title).toBe(`${title}, but the numbers changed during the export`)
})

test.each([
  [new ActionError('unauthorized', 'No.', { hint: 'Check the secret.' }), 'Invalid API key', 'Check the secret.'],
  [new OutputFileError('It is full (ENOSPC).', 'Check the space.'), 'The export failed', 'Check the space.'],
])('uses the advice of the error: %s', (error, title, advice) => {
  const conclusion = concludeExport(createVisitorsReport({ ending: 'error', rows: 0, error }))
  expect(conclusion).toMatchObject({ title, text: error.message, advice })
})

test('sets `complete` to `false` before the end of the export', () => {
  expect(visitorsAction.initialOutputs).toEqual({ complete: 'false' })
})

test('returns a green result without a file if the step skips because there is no key', () => {
  const skipped = visitorsAction.render(visitorsAction.createSkippedReport(undefined, 100), String)
  expect(skipped).toMatchObject({ isGreen: true, outputs: NO_FILE })
})

test.each([0, 7, 999, 1_000, 20_000, 999_999, 1_000_000, 1_234_567_890])('separates the thousands of %d', (value) => {
  expect(formatNumber(value)).toBe(value.toLocaleString('en-US'))
})
