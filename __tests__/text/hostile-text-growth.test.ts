import { expect, test } from '@jest/globals'
import { HOSTILE_TEXTS, measureGrowth, TEXT_FUNCTIONS } from '../support/hostile-texts.ts'

/** The whole takes about as long as its eight parts if the time is linear, and eight times as long if it is quadratic. */
const MAX_GROWTH = 5
/** Less time than this is never too slow, in microseconds. */
const MIN_SLOW_US = 10_000
const MAX_TRIES = 5
/** With quadratic time, text of this length takes seconds. */
const LENGTH = 65_536

const cases = Object.keys(TEXT_FUNCTIONS).flatMap((name) =>
  Object.keys(HOSTILE_TEXTS).map((text) => [name, text] as const),
)

test.each(cases)('%s takes linear time for %s', (name, text) => {
  let growth = Infinity
  // The best of several tries: other work of the engine can only slow a try down.
  for (let tries = 0; tries < MAX_TRIES && growth >= MAX_GROWTH; tries++) {
    const { wholeUs, partsUs } = measureGrowth(name, text, LENGTH)
    growth = wholeUs < MIN_SLOW_US ? 0 : wholeUs / partsUs
  }
  expect(growth).toBeLessThan(MAX_GROWTH)
})
