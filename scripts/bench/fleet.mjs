// What many steps cost together that begin under one key: this action's steps, beside two loops as workflows have them. All are
// played on the virtual clock, against the embedded service, whose jobs take 20 s, with a limit of two requests a second.
import { jobSchema, parseBody } from '../../src/docs-service/schemas.ts'
import { createRandom } from '../../src/emulator/service/random.ts'
import { figuresOf, playFleet, playStep } from '../../__tests__/model/fleet.ts'

/** @typedef {import('../../__tests__/model/fleet.ts').PlayMember} PlayMember */

/**
 * A loop that looks every few seconds, and after a refusal waits as long as the service says, and longer with each in a row.
 * @param {number} readEveryMs
 * @param {number} longestMs
 * @returns {PlayMember}
 */
const loop = (readEveryMs, longestMs) => async (transport, world) => {
  const { signal } = new AbortController()
  const path = '/v2/agent/docs-demo/job'
  /** @param {'GET' | 'POST'} method */
  async function ask(method, at = path) {
    for (let delayMs = 1_000; ; delayMs = Math.min(2 * delayMs, longestMs)) {
      const body = method === 'POST' ? { body: '{"prompt":"Fix it."}' } : {}
      const result = await transport.send({ method, path: at, timeoutMs: 30_000, ...body }, signal)
      if (result.kind === 'failure') throw new Error('Nothing breaks here.')
      const job = parseBody(jobSchema, result.body)
      if (job !== undefined) return job
      await world.sleep(Math.max(delayMs, result.retryAfterMs ?? 0))
    }
  }
  const { id } = await ask('POST')
  do await world.sleep(readEveryMs)
  while ((await ask('GET', `${path}/${id}`)).status === 'active')
  return undefined
}

/** A loop without manners, and one that backs off.
 * @type {readonly PlayMember[]} */
const PEERS = [loop(5_000, 1_000), loop(10_000, 60_000)]

const LIMITS = /** @type {const} */ ([
  { name: 'window', kind: 'window', everyMs: 500, burst: 2 },
  { name: 'bucket of ten', kind: 'bucket', everyMs: 500, burst: 10 },
])

/** A fleet with these, and how often it is played for the mean. */
const SIZES = [
  { steps: 10, seeds: [1, 2, 3, 4, 5] },
  { steps: 100, seeds: [1, 2, 3, 4, 5] },
  { steps: 1_000, seeds: [1] },
]

/** @param {readonly number[]} values */
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length

/** @param {Omit<import('../../__tests__/model/fleet.ts').FleetPlan, 'random'>} plan @param {readonly number[]} seeds @param {PlayMember} play */
async function measure(plan, seeds, play) {
  const all = []
  for (const seed of seeds) {
    const seeded = { ...plan, random: createRandom(seed) }
    all.push(figuresOf(seeded, await playFleet(seeded, play)))
  }
  const time = mean(all.map((figures) => figures.time))
  const refused = mean(all.map((figures) => figures.refusedForEachAnswered)).toFixed(2)
  const last = mean(all.map((figures) => figures.lastToMedian)).toFixed(1)
  return { time, text: `${time.toFixed(2)} / ${refused} / ${last}` }
}

/** @returns {Promise<import('./bench.mjs').Row[]>} */
export async function measureFleet() {
  const rows = []
  for (const { steps, seeds } of SIZES)
    for (const { name, ...limit } of LIMITS)
      for (const retryAfter of steps === 100 ? [true, false] : [true])
        for (const startsWithinMs of [1_000, 1_000 * steps]) {
          const plan = { steps, limit: { ...limit, retryAfter }, startsWithinMs }
          const ours = await measure(plan, seeds, playStep)
          const beside = []
          for (const peer of PEERS) beside.push((await measure(plan, seeds, peer)).text)
          rows.push({
            what: `${steps} steps, ${name}, ${startsWithinMs === 1_000 ? 'at once' : 'spread'}${retryAfter ? '' : ', no Retry-After'}`,
            ...{ ours: ours.text, beside: beside.join(' and '), ratio: ours.time },
          })
        }
  return rows
}
