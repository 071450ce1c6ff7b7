import { createRandom } from '../../../src/emulator/service/random.ts'

/**
 * @typedef {import('./distributions.mjs').Distribution} Distribution
 * @typedef {import('./policies.mjs').Policy} Policy
 * @typedef {{ lagS: number, p95S: number, requests: number }} Result means over the jobs, but for the percentile
 */

/** From a request to its answer, in seconds. The service looks at the job half-way. */
export const ROUND_TRIP_S = 0.1

/**
 * Follows one run of the policy through all durations at once: a job that ends between two looks is found by the second.
 * @param {Distribution} distribution
 * @param {Policy} policy
 * @param {() => number} random
 * @param {(lagS: number, share: number, requests: number) => void} onFound
 */
function follow({ stepS, density }, { nextS, tailS }, random, onFound) {
  let answeredAtS = 0
  let step = 0
  for (let looks = 0; step < density.length; looks++) {
    const seenAtS = answeredAtS + nextS(answeredAtS, looks, random()) + ROUND_TRIP_S / 2
    answeredAtS = seenAtS + ROUND_TRIP_S / 2
    for (; step < density.length && (step + 0.5) * stepS <= seenAtS; step++) {
      onFound(answeredAtS - (step + 0.5) * stepS + tailS, density[step] ?? 0, looks + 1)
    }
  }
}

/**
 * @param {Distribution} distribution
 * @param {Policy} policy
 * @returns {Result}
 */
export function simulate(distribution, policy, runs = 100) {
  const random = createRandom(1)
  const result = { lagS: 0, p95S: 0, requests: 0 }
  /** @type {{ lagS: number, share: number }[]} */
  const lags = []
  for (let run = 0; run < runs; run++) {
    follow(distribution, policy, random, (lagS, share, requests) => {
      result.lagS += (lagS * share) / runs
      result.requests += (requests * share) / runs
      lags.push({ lagS, share: share / runs })
    })
  }
  lags.sort((a, b) => b.lagS - a.lagS)
  let slower = 0
  result.p95S = lags.find(({ share }) => (slower += share) >= 0.05)?.lagS ?? 0
  return result
}
