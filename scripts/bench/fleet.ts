// Compares many concurrent steps with one key with two loops that workflows often contain. All run on the virtual clock against
// the embedded service, whose jobs take 20 s.
import {
  HOURLY_LIMIT,
  measureFleets,
  planFleet,
  playStep,
  type FleetFigures,
  type FleetPlan,
  type LimitPlan,
  type PlayMember,
} from '../../__tests__/model/fleet.ts'
import { createJobSchema, acceptedJobSchema, parseBody, type Job } from '../../src/docs-service/schemas.ts'
import type { Row } from './row.ts'

const PATH = '/v2/agent/docs-demo/job'

/** A loop with a fixed poll interval. After a refusal it waits for `Retry-After`, with exponential backoff. */
const loop =
  (readEveryMs: number, maxDelayMs: number): PlayMember<undefined> =>
  async ({ transport, clock }) => {
    const { signal } = new AbortController()
    const send = async (id?: string): Promise<Job> => {
      const path = id === undefined ? PATH : `${PATH}/${id}`
      const post = id === undefined && { body: '{"prompt":"Fix it."}' }
      for (let delayMs = 1_000; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
        const request = { method: id === undefined ? 'POST' : 'GET', path, timeoutMs: 30_000, ...post } as const
        const result = await transport(request, signal)
        if (result.kind === 'failure') throw new Error('Only the rate limit fails requests here.')
        const job = parseBody(id === undefined ? acceptedJobSchema : createJobSchema(id), result.body)
        if (job !== undefined) return job
        await clock.sleep(Math.max(delayMs, result.retryAfterMs ?? 0))
      }
    }
    const { id } = await send()
    do await clock.sleep(readEveryMs)
    while ((await send(id)).status === 'active')
    return undefined
  }

const PEERS: readonly { readonly name: string; readonly play: PlayMember<undefined> }[] = [
  { name: 'a loop', play: loop(5_000, 1_000) },
  { name: 'a loop that doubles its waits', play: loop(10_000, 60_000) },
]

/** Two kinds of limit that allow two requests a second. */
const LIMITS: readonly LimitPlan[] = [
  { kind: 'window', everyMs: 500, burst: 2, retryAfter: true },
  { kind: 'bucket', everyMs: 500, burst: 10, retryAfter: false },
]
const SECOND_MS = 1_000

const planAll = (steps: number, seeds: number, withinMs: number): FleetPlan[] =>
  LIMITS.flatMap((limit) => Array.from({ length: seeds }, (_, index) => planFleet(steps, withinMs, index + 1, limit)))

const HOUR_MS = 3_600_000
const CASES: readonly { readonly what: string; readonly plans: () => readonly FleetPlan[] }[] = [
  { what: '1 step', plans: () => planAll(1, 20, SECOND_MS) },
  ...[3, 10, 30, 100].map((steps) => ({ what: `${steps} steps`, plans: () => planAll(steps, 20, SECOND_MS) })),
  { what: '1,000 steps', plans: () => planAll(1_000, 1, SECOND_MS) },
  { what: '100 steps, spread over 100 s', plans: () => planAll(100, 5, 100 * SECOND_MS) },
  {
    what: '130 steps, 100 prompts an hour',
    plans: () => [{ ...planFleet(130, SECOND_MS, 1, HOURLY_LIMIT), timeoutMs: 2 * HOUR_MS }],
  },
]

const describe = ({ time, refusalsPerResponse, slowestToMedian }: FleetFigures): string =>
  [time.toFixed(2), refusalsPerResponse.toFixed(2), slowestToMedian.toFixed(1)].join(' / ')

/** @param isChosen leaves out cases; the seeds are fixed, so each case always gives the same row */
export async function measureFleet(isChosen: (what: string) => boolean = () => true): Promise<Row[]> {
  const rows: Row[] = []
  for (const { what, plans } of CASES.filter(({ what }) => isChosen(what))) {
    const ours = await measureFleets(plans(), playStep)
    const comparison: string[] = []
    for (const { name, play } of PEERS) comparison.push(`${describe(await measureFleets(plans(), play))}: ${name}`)
    rows.push([what, describe(ours), comparison.join('; '), ours.time])
  }
  return rows
}
