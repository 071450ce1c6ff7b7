import { expect, test } from '@jest/globals'
import { formatShortfalls } from '../../../src/agent/report/shortfalls.ts'
import { refusal } from '../../support/fake-github.ts'

test('one text tells every loss, and each reason and each advice once', () => {
  const error = refusal('forbidden', 'Grant it.')
  expect(
    formatShortfalls([
      { lost: 'A', error },
      { lost: 'B', error: refusal('not-found') },
      { lost: 'C', error },
      { lost: 'A', error },
    ]),
  ).toBe('A. C: GitHub said forbidden. B: GitHub said not-found. Grant it.')
  expect(formatShortfalls([])).toBeUndefined()
})
