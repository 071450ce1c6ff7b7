import { expect, test } from '@jest/globals'
import { readInput } from '../../src/action/parse-inputs.ts'
import { dateInput } from '../../src/visitors/date-input.ts'

test.each([
  ['2026-01-31', Date.UTC(2026, 0, 31)],
  [' 2024-02-29 ', Date.UTC(2024, 1, 29)],
  ['2026-01-31T09:30Z', Date.UTC(2026, 0, 31, 9, 30)],
  ['2026-01-31T09:30:15.5Z', Date.UTC(2026, 0, 31, 9, 30, 15, 500)],
  ['2026-01-31T00:30:00+02:00', Date.UTC(2026, 0, 30, 22, 30)],
  ['2026-01-31T09:30', Date.UTC(2026, 0, 31, 9, 30)],
])('%j is a time', (text, atMs) => {
  expect(dateInput(text, {})).toEqual({ text: text.trim(), atMs })
})

test.each([
  ['2026-02-30', 'not in the calendar'],
  ['2025-02-29', 'not in the calendar'],
  ['2026-13-01', 'not in the calendar'],
  ['2026-00-10', 'not in the calendar'],
  ['2026-04-31T10:00:00Z', 'not in the calendar'],
  ['2026-01-01T24:00:00Z', 'must be `YYYY-MM-DD`'],
  ['2026-01-01T10:60:00Z', 'must be `YYYY-MM-DD`'],
  ['2026-01-01T10:00:00+99:00', 'offset that no place has'],
  ['2026-1-1', 'must be `YYYY-MM-DD`'],
  ['01/02/2026', 'must be `YYYY-MM-DD`'],
  ['yesterday', 'must be `YYYY-MM-DD`'],
  ['5', 'must be `YYYY-MM-DD`'],
  ['2026-01-01&limit=1', 'must be `YYYY-MM-DD`'],
])('%j is none, and the reason is told', (text, problem) => {
  expect(readInput(dateInput, text)).toEqual({ kind: 'refused', problems: [expect.stringContaining(problem)] })
})
