// Calculates how late a step sees the end of a job and with how many requests, and compares it with the optimum for as many
// requests and with common alternatives.
import { getPollDelayMs } from '../../src/agent/turn/schedule.ts'
import { createRandom } from '../../src/emulator/service/random.ts'
import { DISTRIBUTIONS, type Distribution } from './job-durations.ts'
import type { Row } from './row.ts'

/** The service reads the job half-way through a round trip. */
const ROUND_TRIP_S = 0.1
const RUNS = 100

interface Policy {
  readonly name: string
  /** The time to the next read, in seconds. */
  readonly nextS: (reads: number, elapsedS: number, random: number) => number
}

const OURS: Policy = {
  name: 'this action',
  nextS: (reads, elapsedS, random) =>
    getPollDelayMs(undefined, { elapsedMs: elapsedS * 1_000, reads, minDelayMs: 0, random }) / 1_000,
}

const ALTERNATIVES: readonly Policy[] = [
  { name: 'every 10 s', nextS: () => 10 },
  { name: 'doubling', nextS: (reads) => Math.min(2 * 2 ** reads, 120) },
]

interface Cost {
  readonly lagS: number
  readonly requests: number
}

/** Computes the means over all durations: a job that ends between two reads is seen by the second one. */
function simulate({ stepS, density }: Distribution, { nextS }: Policy): Cost {
  const random = createRandom(1)
  let [lagS, requests] = [0, 0]
  for (let run = 0; run < RUNS; run++) {
    let respondedAtS = 0
    let step = 0
    for (let reads = 0; step < density.length; reads++) {
      const seenAtS = respondedAtS + nextS(reads, respondedAtS, random()) + ROUND_TRIP_S / 2
      respondedAtS = seenAtS + ROUND_TRIP_S / 2
      for (; step < density.length && (step + 0.5) * stepS <= seenAtS; step++) {
        const share = (density[step] ?? 0) / RUNS
        lagS += (respondedAtS - (step + 0.5) * stepS) * share
        requests += (reads + 1) * share
      }
    }
  }
  return { lagS, requests }
}

/**
 * The cheapest schedule if a request costs as much as `price` seconds of lag and the distribution is known: dynamic
 * programming from the end, over the time of the last read.
 */
function findCheapest({ stepS, density }: Distribution, price: number): Cost {
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

/** The minimum mean lag of any schedule with the same mean number of requests, in seconds. */
function getMinLagS(distribution: Distribution, requests: number): number {
  let [low, high] = [1e-4, 1e5]
  let [above, below] = [findCheapest(distribution, low), findCheapest(distribution, high)]
  for (let round = 0; round < 18; round++) {
    const middle = Math.sqrt(low * high)
    const result = findCheapest(distribution, middle)
    if (result.requests > requests) [low, above] = [middle, result]
    else [high, below] = [middle, result]
  }
  // Interpolate: a mix of two optimal schedules has any mean between theirs.
  const part = above.requests === below.requests ? 0 : (requests - below.requests) / (above.requests - below.requests)
  return below.lagS + part * (above.lagS - below.lagS)
}

const describe = ({ lagS, requests }: Cost): string => `${lagS.toFixed(1)} s, ${requests.toFixed(0)} requests`

/** A cleverer schedule could gain no more than this. */
const MAX_LAG_RATIO = 1.3

export function measurePolling(): Row[] {
  return DISTRIBUTIONS.map((distribution) => {
    const ours = simulate(distribution, OURS)
    const minS = getMinLagS(distribution, ours.requests)
    const others = ALTERNATIVES.map((policy) => `${describe(simulate(distribution, policy))}: ${policy.name}`)
    const comparison = [`${minS.toFixed(1)} s: optimum`, ...others].join('; ')
    return [distribution.name, describe(ours), comparison, ours.lagS / minS, MAX_LAG_RATIO]
  })
}
