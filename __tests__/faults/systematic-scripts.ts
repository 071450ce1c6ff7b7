import type { Expected, FaultScript } from './fault-script.ts'
import { PROXY_FAULTS, PROXY_FAULT_NAMES, type ProxyFaultName } from './proxy-faults.ts'
import type { PromptFate, ReadFate } from './service-fault.ts'
import { SERVICE_FAULTS, SERVICE_FAULT_NAMES, TLS_FAULT_NAMES, type ServiceFaultName } from './service-faults.ts'

/** Where a fault strikes: at one of the operations, and at the first answer or at a later one. */
const PLACES = ['create', 'message', 'first-read', 'later-read'] as const
type Place = (typeof PLACES)[number]

const TASKS: Readonly<Record<Place, FaultScript['task']>> = {
  create: 'create',
  message: 'follow-up',
  'first-read': 'attach',
  'later-read': 'attach',
}

/** Long enough for a read and a prompt that time out, and for the agent's work after that. */
const TIMEOUT_MS = 150_000

function strike<Name>(place: Place, fault: Name, well: Name): { posts: Name[]; reads: Name[] } {
  return {
    posts: place === 'create' || place === 'message' ? [fault] : [],
    reads: place === 'first-read' ? [fault] : place === 'later-read' ? [well, fault] : [],
  }
}

const OF_PROMPTS: Readonly<Record<PromptFate, Expected | undefined>> = {
  accepted: 'pull-request',
  again: 'pull-request',
  stop: 'red',
  unknown: 'unknown-fate',
  any: undefined,
}
const OF_READS: Readonly<Record<ReadFate, Expected>> = { heard: 'pull-request', passing: 'pull-request', final: 'red' }

interface Fates {
  readonly prompt: PromptFate
  readonly read: ReadFate
  readonly takes?: boolean
}

/** A message of unknown fate is looked up: where the service has taken it, its turn is seen. */
function expect({ prompt, read, takes = false }: Fates, place: Place): { expected?: Expected } {
  if (place === 'message' && prompt === 'unknown' && takes) return { expected: 'pull-request' }
  const expected = place === 'create' || place === 'message' ? OF_PROMPTS[prompt] : OF_READS[read]
  return expected === undefined ? {} : { expected }
}

function scriptOf(place: Place, fault: ServiceFaultName, way: 'directly' | 'by-proxy'): FaultScript {
  return {
    name: `${place}/${fault}/${way}`,
    task: TASKS[place],
    timeoutMs: TIMEOUT_MS,
    ...strike(place, fault, 'good'),
    ...(way === 'by-proxy' && { proxy: { posts: [], reads: [] } }),
    ...expect(SERVICE_FAULTS[fault], place),
  }
}

/** Every fault of the service at every place; of these each third one is met through a proxy that works. */
export const SERVICE_SCRIPTS: readonly FaultScript[] = SERVICE_FAULT_NAMES.flatMap((fault, index) =>
  PLACES.map((place, turn) => scriptOf(place, fault, (index + turn) % 3 === 0 ? 'by-proxy' : 'directly')),
)

/** Every fault of a proxy at every place. */
export const PROXY_SCRIPTS: readonly FaultScript[] = PROXY_FAULT_NAMES.flatMap((fault: ProxyFaultName) =>
  PLACES.map((place) => ({
    name: `${place}/${fault}`,
    task: TASKS[place],
    timeoutMs: TIMEOUT_MS,
    posts: [],
    reads: [],
    proxy: strike<ProxyFaultName>(place, fault, 'proxy-works'),
    ...expect({ ...PROXY_FAULTS[fault], takes: PROXY_FAULTS[fault].tunnel?.downBytes !== undefined }, place),
  })),
)

const OFTEN = 40

/** TLS that goes wrong each time, directly and behind a proxy. Without TLS that works nothing is ever read. */
export const TLS_SCRIPTS: readonly FaultScript[] = TLS_FAULT_NAMES.flatMap((fault) =>
  (['create', 'first-read'] as const).flatMap((place) =>
    (['directly', 'by-proxy'] as const).map((way) => ({
      ...scriptOf(place, fault, way),
      isSecure: true,
      posts: Array.from({ length: OFTEN }, () => fault),
      reads: Array.from({ length: OFTEN }, () => fault),
      expected: place === 'create' && SERVICE_FAULTS[fault].prompt === 'unknown' ? 'unknown-fate' : 'red',
    })),
  ),
)
