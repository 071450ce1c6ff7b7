// How late the end of a job is seen, and for how many requests: this action's schedule beside those of others, and beside
// the best that a clairvoyant could do with the same number of requests. Nothing is waited for: it is a calculation.
import { DISTRIBUTIONS } from './polling/distributions.mjs'
import { leastLag } from './polling/optimum.mjs'
import { OURS, PEERS } from './polling/policies.mjs'
import { simulate } from './polling/simulate.mjs'

/**
 * @param {import('./polling/distributions.mjs').Distribution} distribution
 * @param {import('./polling/policies.mjs').Policy} policy
 */
function judge(distribution, policy) {
  const result = simulate(distribution, policy)
  const leastS = leastLag(distribution, result.requests)
  return { ...result, leastS, ratio: result.lagS / leastS }
}

/** @returns {import('./bench.mjs').Row[]} */
export function measurePolling() {
  return DISTRIBUTIONS.map((distribution) => {
    const { lagS, requests, leastS, ratio } = judge(distribution, OURS)
    return {
      what: `Polling, jobs ${distribution.name}: mean lag`,
      ours: `${lagS.toFixed(1)} s`,
      beside: `${leastS.toFixed(1)} s, the optimum with as many requests (${requests.toFixed(0)})`,
      ratio,
    }
  })
}

/** @returns {string[][]} a table with its heading: the mean lag of every schedule on every distribution, and its requests */
export function comparePolicies() {
  const cellOf = (/** @type {import('./polling/simulate.mjs').Result} */ { lagS, requests }) =>
    `${lagS.toFixed(1)} s, ${requests.toFixed(0)}`
  const rows = [OURS, ...PEERS].map((policy) => [
    policy.name,
    ...DISTRIBUTIONS.map((distribution) => cellOf(simulate(distribution, policy))),
  ])
  return [['Schedule', ...DISTRIBUTIONS.map(({ name }) => name)], ...rows]
}
