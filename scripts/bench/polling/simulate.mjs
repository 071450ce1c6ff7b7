import { nextPollMs } from '../../../src/agent/job/poll-schedule.ts'
import { createRandom } from '../../../src/emulator/service/random.ts'

/** From a request to its answer, in seconds. The service looks at the job half-way. */
export const ROUND_TRIP_S = 0.1
const RUNS = 100

/**
 * Follows the action's schedule through all durations at once: a job that ends between two looks is found by the second.
 * @param {import('./distributions.mjs').Distribution} distribution
 * @returns means over the jobs
 */
export function simulate({ stepS, density }) {
  const random = createRandom(1)
  const result = { lagS: 0, requests: 0 }
  for (let run = 0; run < RUNS; run++) {
    let answeredAtS = 0
    let step = 0
    for (let reads = 0; step < density.length; reads++) {
      const waited = { elapsedMs: answeredAtS * 1000, reads, waitMs: 0, giveWayMs: 0, random: random() }
      const seenAtS = answeredAtS + nextPollMs(undefined, waited) / 1000 + ROUND_TRIP_S / 2
      answeredAtS = seenAtS + ROUND_TRIP_S / 2
      for (; step < density.length && (step + 0.5) * stepS <= seenAtS; step++) {
        const share = (density[step] ?? 0) / RUNS
        result.lagS += (answeredAtS - (step + 0.5) * stepS) * share
        result.requests += (reads + 1) * share
      }
    }
  }
  return result
}
