import { expect, test } from '@jest/globals'

import { createRandom } from '../../../src/emulator/service/random.ts'

function take(count: number, seed: number): number[] {
  const random = createRandom(seed)
  return Array.from({ length: count }, () => random())
}

test('the same seed gives the same numbers, another seed gives others', () => {
  expect(take(20, 7)).toEqual(take(20, 7))
  expect(take(20, 7)).not.toEqual(take(20, 8))
})

test('the numbers fill the range from 0 to 1 evenly', () => {
  for (const seed of [0, 1, -5, 2 ** 31]) {
    const tenths = Array.from({ length: 10 }, () => 0)
    for (const number of take(10_000, seed)) {
      const tenth = Math.floor(number * 10)
      tenths[tenth] = (tenths[tenth] ?? NaN) + 1
    }
    expect(tenths).toHaveLength(10)
    expect(Math.min(...tenths)).toBeGreaterThan(850)
    expect(Math.max(...tenths)).toBeLessThan(1_150)
  }
})
