import { expect, test } from '@jest/globals'
import { tellShortfalls } from '../../../src/agent/report/shortfalls.ts'
import { refusal } from '../../support/fake-github.ts'

test('one text tells every loss, and each advice once', () => {
  const error = refusal('forbidden', 'Grant it.')
  expect(
    tellShortfalls([
      { lost: 'A', error },
      { lost: 'B', error },
    ]),
  ).toBe('A: GitHub said forbidden. B: GitHub said forbidden. Grant it.')
  expect(tellShortfalls([])).toBeUndefined()
})
