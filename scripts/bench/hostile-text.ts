import { HOSTILE_TEXTS, HOSTILE_LENGTH, measureGrowth, TEXT_FUNCTIONS } from '../../__tests__/support/hostile-texts.ts'
import type { Row } from './row.ts'

const TRIES = 5
const KIB = 1_024
/** Shorter times cannot be measured. */
const NOISE_US = 1_000

/** Measures the slowest text for each function, and the same length in eight texts. */
export function measureHostileText(): Row[] {
  return Object.keys(TEXT_FUNCTIONS).map((name) => {
    const worst = Object.keys(HOSTILE_TEXTS)
      .map((text) => {
        const tries = Array.from({ length: TRIES }, () => measureGrowth(name, text))
        const best = tries.reduce((a, b) => (b.wholeUs < a.wholeUs ? b : a))
        return { text, ...best }
      })
      .reduce((a, b) => (b.wholeUs > a.wholeUs ? b : a))
    const { text, wholeUs, partsUs } = worst
    const format = (us: number): string => `${(us / 1_000).toFixed(1)} ms`
    const title = `${name}, ${HOSTILE_LENGTH / KIB} KiB of the worst: ${text}`
    return [title, format(wholeUs), `${format(partsUs)}: in eight texts`, wholeUs / Math.max(partsUs, NOISE_US)]
  })
}
