// How late the end of a job is seen, and for how many requests, beside the best that a clairvoyant could do with the same
// number of requests. Nothing is waited for: it is a calculation.
import { DISTRIBUTIONS } from './polling/distributions.mjs'
import { leastLag } from './polling/optimum.mjs'
import { simulate } from './polling/simulate.mjs'

/** @returns {import('./bench.mjs').Row[]} */
export function measurePolling() {
  return DISTRIBUTIONS.map((distribution) => {
    const { lagS, requests } = simulate(distribution)
    const leastS = leastLag(distribution, requests)
    return {
      what: `Polling, jobs ${distribution.name}: mean lag`,
      ours: `${lagS.toFixed(1)} s`,
      beside: `${leastS.toFixed(1)} s, the optimum with as many requests (${requests.toFixed(0)})`,
      ratio: lagS / leastS,
    }
  })
}
