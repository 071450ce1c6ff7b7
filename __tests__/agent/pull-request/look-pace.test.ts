import { expect, test } from '@jest/globals'
import { isNearLimit, isOverShare, nextLookMs } from '../../../src/agent/pull-request/look-pace.ts'

test.each([
  ['usually a tenth of the age of the wait, from 10 seconds to a minute', {}, [10_000, 20_000, 60_000]],
  ['10 seconds after a change', { hasChanged: true }, [10_000, 10_000, 10_000]],
  [
    'twice as long if requests have to be saved, also after a change',
    { hasChanged: true, isShort: true },
    [20_000, 40_000, 120_000],
  ],
])('the next look comes %s', (_name, given, pauses) => {
  const paceAt = (ageMs: number) => nextLookMs({ ...{ hasChanged: false, isShort: false }, ...given, ageMs })
  expect([0, 200_000, 9e9].map(paceAt)).toEqual(pauses)
})

test('under a tenth of the limit is near it, and a limit that GitHub has not told is not', () => {
  const near = [100, 99].map((remaining) => isNearLimit({ counted: 5, remaining, limit: 1_000 }))
  expect([...near, isNearLimit({ counted: 5, remaining: 0, limit: 0 })]).toEqual([false, true, false])
})

test('the share of a wait grows with its time', () => {
  expect([isOverShare(20, 0), isOverShare(21, 0), isOverShare(21, 3_600_000)]).toEqual([false, true, false])
})
