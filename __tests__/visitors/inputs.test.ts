import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { ActionError } from '../../src/runtime/errors.ts'
import { INPUT_NAMES, type VisitorsInputs } from '../../src/visitors/inputs.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { visitorsInputs } from '../support/visitors-run.ts'

type Given = Readonly<Record<string, string>>

const parse = (given: Given): VisitorsInputs => visitorsInputs(given, temporaryFolder())

function messageOf(given: Given): string {
  try {
    parse(given)
  } catch (error) {
    if (error instanceof ActionError && error.code === 'invalid-input') return error.message
    throw error
  }
  throw new Error('The inputs were taken.')
}

test('fills in the defaults', () => {
  const workspace = temporaryFolder()
  expect(visitorsInputs({}, workspace)).toMatchObject({
    projectId: 'docs-demo',
    apiKey: 'docs_key',
    baseUrl: 'https://docs.example.com/api',
    range: {},
    format: 'csv',
    place: { file: join(workspace, 'visitors.csv'), name: 'visitors.csv' },
    top: 20,
    compare: 'false',
    timeoutMs: 900_000,
    summary: true,
  })
})

test('takes every input', () => {
  expect(
    parse({
      'date-from': ' 2026-01-01 ',
      'date-to': '2026-01-31T09:00:00+02:00',
      format: ' ndjson ',
      'output-file': 'out/pages.txt',
      top: '0',
      'timeout-minutes': '0.5',
      summary: 'False',
    }),
  ).toMatchObject({
    range: { dateFrom: '2026-01-01', dateTo: '2026-01-31T09:00:00+02:00' },
    format: 'ndjson',
    place: { name: 'out/pages.txt' },
    top: 0,
    timeoutMs: 30_000,
    summary: false,
  })
})

test.each(['csv', 'json', 'ndjson'])('the default file of the format %s carries its name', (format) => {
  expect(parse({ format }).place.name).toBe(`visitors.${format}`)
})

const TWO_TIMES = { 'date-from': '2026-01-01T10:00:00+02:00', 'date-to': '2026-01-01T09:00:00Z' }

test.each([
  // A number of days ends before today.
  [{ days: '28' }, { dateFrom: '2026-02-01', dateTo: '2026-03-01' }],
  [{ days: '3660' }, expect.objectContaining({ dateTo: '2026-03-01' })],
  [{ 'date-from': '2026-01-01' }, { dateFrom: '2026-01-01' }],
  [{ 'date-to': '2026-01-01' }, { dateTo: '2026-01-01' }],
  // Two times on one day are a range, where offsets say so.
  [TWO_TIMES, { dateFrom: TWO_TIMES['date-from'], dateTo: TWO_TIMES['date-to'] }],
  [
    { days: '1', 'date-from': ' ', 'date-to': '\n' },
    { dateFrom: '2026-02-28', dateTo: '2026-03-01' },
  ],
] as [Given, object][])('%j is the range %j', (given, range) => {
  expect(parse(given).range).toEqual(range)
})

test.each<[string, Given, string]>([
  ['a day that never was', { 'date-from': '2026-02-30' }, '`date-from` is not a day of the calendar'],
  ['an end that is none', { 'date-to': 'today' }, '`date-to` must be `YYYY-MM-DD`'],
  ['an end before the start', { 'date-from': '2026-02-02', 'date-to': '2026-02-01' }, '`date-to` must be after'],
  ['an empty range', { 'date-from': '2026-02-01', 'date-to': '2026-02-01' }, '`date-to` must be after `date-from`'],
  [
    'an end that only looks later',
    { 'date-from': '2026-01-01T10:00:00Z', 'date-to': '2026-01-01T11:00:00+02:00' },
    '`date-to` must be after',
  ],
  ['days with a start', { days: '7', 'date-from': '2026-01-01' }, '`days` cannot be combined'],
  ['days with an end', { days: '7', 'date-to': '2026-01-01' }, '`days` cannot be combined'],
  ['no days', { days: '0' }, '`days` must be a whole number from 1 to 3660'],
  ['too many days', { days: '3661' }, '`days` must be a whole number'],
  ['another format', { format: 'xlsx' }, '`format` must be `csv`, `json` or `ndjson`'],
  ['a format in capitals', { format: 'CSV' }, '`format` must be'],
  ['a file outside', { 'output-file': '../visitors.csv' }, '`output-file` is outside the workspace'],
  ['too many pages at the top', { top: '1001' }, '`top` must be a whole number from 0 to 1000'],
  ['a comparison without a length', { compare: 'true' }, '`compare` needs `days`, or both'],
  ['a comparison with one end', { compare: 'pages', 'date-from': '2026-01-01' }, '`compare` needs `days`, or both'],
  ['another comparison', { compare: 'week', days: '7' }, '`compare` must be `false`, `true` or `pages`'],
])('refuses %s', (_name, fields, message) => {
  expect(messageOf(fields)).toContain(message)
  expect(messageOf(fields)).not.toContain('inputs are wrong')
})

test('names all problems in one error', () => {
  const message = messageOf({
    ...Object.fromEntries(INPUT_NAMES.map((name) => [name, ''])),
    'date-from': '2026-02-30',
    'date-to': '1',
    days: '0',
    format: 'xml',
    'output-file': '../x',
    top: '-1',
  })
  const problems = message.split('\n').slice(1)
  expect(new Set(problems.map((line) => /`([a-z-]+)`/.exec(line)?.[1]))).toEqual(
    new Set(['project-id', 'api-key', 'base-url', 'date-from', 'date-to', 'days', 'format', 'output-file', 'top']),
  )
})
