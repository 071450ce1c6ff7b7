import { expect, test } from '@jest/globals'
import { Shortfalls, tellShortfalls } from '../../../src/agent/report/shortfalls.ts'
import { refusal, rejecting } from '../../support/fake-github.ts'

test('what cannot be done is told and costs nothing else', async () => {
  const lines: string[] = []
  const shortfalls = new Shortfalls((line) => lines.push(line))
  await shortfalls.attempt('The label', rejecting(refusal('forbidden', 'Grant it.')))
  expect(await shortfalls.attempt('The state', () => Promise.resolve('open'))).toBe('open')
  expect(lines).toEqual(['The label: GitHub said forbidden.'])
})

test('a cancelled run is not a shortfall, and neither is a defect', async () => {
  const shortfalls = new Shortfalls(() => undefined)
  await expect(shortfalls.attempt('x', rejecting(refusal('cancelled')))).rejects.toMatchObject({ code: 'cancelled' })
  await expect(shortfalls.attempt('x', () => Promise.reject(new RangeError()))).rejects.toBeInstanceOf(RangeError)
  expect(shortfalls.list).toEqual([])
})

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
