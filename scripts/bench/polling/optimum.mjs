import { ROUND_TRIP_S } from './simulate.mjs'

/** @typedef {import('./distributions.mjs').Distribution} Distribution */

/**
 * The schedule that costs least where a request costs as much as `price` seconds of lag, for jobs whose distribution is
 * known: dynamic programming from the end, over the time of the last look.
 * @param {Distribution} distribution
 * @param {number} price
 * @returns {{ lagS: number, requests: number }}
 */
function cheapest({ stepS, density }, price) {
  const count = density.length
  const running = new Float64Array(count + 1)
  const weighted = new Float64Array(count + 1)
  for (let step = count - 1; step >= 0; step--) {
    const share = density[step] ?? 0
    running[step] = (running[step + 1] ?? 0) + share
    weighted[step] = (weighted[step + 1] ?? 0) + share * (step + 0.5) * stepS
  }
  const cost = new Float64Array(count + 1)
  const next = new Int32Array(count + 1)
  for (let from = count - 1; from >= 0; from--) {
    let best = Infinity
    for (let to = from + 1; to <= count; to++) {
      const found = (running[from] ?? 0) - (running[to] ?? 0)
      const lag = found * to * stepS - ((weighted[from] ?? 0) - (weighted[to] ?? 0))
      // The lag of this gap only grows from here on.
      if (lag > best) break
      const total = price * (running[from] ?? 0) + lag + (cost[to] ?? 0)
      if (total < best) {
        best = total
        next[from] = to
      }
    }
    cost[from] = best
  }
  let requests = 0
  for (let at = 0; at < count; at = next[at] ?? count) requests += running[at] ?? 0
  return { requests, lagS: (cost[0] ?? 0) - price * requests + ROUND_TRIP_S / 2 }
}

/**
 * The least mean lag that any schedule can have with the same mean number of requests, in seconds.
 * @param {Distribution} distribution
 * @param {number} requests
 */
export function leastLag(distribution, requests) {
  let [low, high] = [1e-4, 1e5]
  let [above, below] = [cheapest(distribution, low), cheapest(distribution, high)]
  for (let round = 0; round < 18; round++) {
    const middle = Math.sqrt(low * high)
    const result = cheapest(distribution, middle)
    if (result.requests > requests) [low, above] = [middle, result]
    else [high, below] = [middle, result]
  }
  // Between two schedules of the frontier lies a mix of both.
  const part = above.requests === below.requests ? 0 : (requests - below.requests) / (above.requests - below.requests)
  return below.lagS + part * (above.lagS - below.lagS)
}
