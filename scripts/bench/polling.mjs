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

/** @returns {string[][]} a table with its heading: every schedule on every distribution, beside the optimum and ours */
export function comparePolicies() {
  const heading = ['Jobs', 'Schedule', 'Mean lag', '95 % within', 'Requests', 'Lag / optimum', 'Our lag / its lag']
  const rows = DISTRIBUTIONS.flatMap((distribution) => {
    const ours = judge(distribution, OURS)
    return [OURS, ...PEERS].map((policy) => {
      const { lagS, p95S, requests, ratio } = policy === OURS ? ours : judge(distribution, policy)
      return [
        policy === OURS ? distribution.name : '',
        policy.name,
        `${lagS.toFixed(1)} s`,
        `${p95S.toFixed(1)} s`,
        requests.toFixed(1),
        ratio.toFixed(2),
        (ours.lagS / lagS).toFixed(2),
      ]
    })
  })
  return [heading, ...rows]
}
