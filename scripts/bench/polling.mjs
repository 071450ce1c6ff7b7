// How late the end of a job is seen, and for how many requests: this action's schedule beside those of others, and beside
// the best that a clairvoyant could do with the same number of requests. Nothing is waited for: it is a calculation.
import { DISTRIBUTIONS } from './polling/distributions.mjs'
import { leastLag } from './polling/optimum.mjs'
import { OURS, PEERS } from './polling/policies.mjs'
import { simulate } from './polling/simulate.mjs'

for (const distribution of DISTRIBUTIONS) {
  console.log(`\n${distribution.name}`)
  console.log('policy                             mean lag s  p95 lag s  requests  lag / optimum at equal requests')
  for (const policy of [OURS, ...PEERS]) {
    const { lagS, p95S, requests } = simulate(distribution, policy)
    const ratio = lagS / leastLag(distribution, requests)
    const numbers = [
      lagS.toFixed(1).padStart(10),
      p95S.toFixed(1).padStart(9),
      requests.toFixed(1).padStart(8),
      ratio.toFixed(2).padStart(14),
    ]
    console.log(`${policy.name.padEnd(35)}${numbers.join('  ')}`)
  }
}
