import { createRandom } from '../../src/emulator/service/random.ts'
import { ANSWER_FAULTS } from './answer-faults.ts'
import { BODY_FAULTS } from './body-faults.ts'
import { CONNECTION_FAULTS, TLS_FAULTS } from './connection-faults.ts'
import { PROXY_FAULTS, PROXY_FAULT_NAMES, type ProxyFaultName } from './proxy-faults.ts'
import type { PromptFate, ReadFate, ServiceFault } from './service-fault.ts'
import { STATUS_FAULTS } from './status-faults.ts'

const PLAIN_FAULTS = { ...CONNECTION_FAULTS, ...ANSWER_FAULTS, ...BODY_FAULTS, ...STATUS_FAULTS }

export type ServiceFaultName = keyof typeof PLAIN_FAULTS | keyof typeof TLS_FAULTS
export const SERVICE_FAULTS: Readonly<Record<ServiceFaultName, ServiceFault>> = { ...PLAIN_FAULTS, ...TLS_FAULTS }

const PLAIN_FAULT_NAMES = Object.keys(PLAIN_FAULTS) as (keyof typeof PLAIN_FAULTS)[]
const TLS_FAULT_NAMES = Object.keys(TLS_FAULTS) as (keyof typeof TLS_FAULTS)[]

/** What one peer does with one request after the other; what comes after the last one is answered well. */
interface Strikes<Name> {
  readonly posts: readonly Name[]
  readonly reads: readonly Name[]
}

/** What has to become of a run, where one fault alone decides it. */
export type Expected = 'pull-request' | 'red' | 'unknown-fate'

/** All that decides how a run over real sockets goes. */
export interface FaultScript extends Strikes<ServiceFaultName> {
  /** Says it all in short, and picks this script alone: `FAULT=<name>`. */
  readonly name: string
  readonly task: 'create' | 'follow-up' | 'attach'
  readonly timeoutMs: number
  /** With a proxy before the service: what that does. */
  readonly proxy?: Strikes<ProxyFaultName>
  /** Whether the service is asked over TLS. It has none that anybody trusts. */
  readonly isSecure?: boolean
  readonly expected?: Expected | undefined
}

/** Where a fault strikes: at one of the operations, and at the first answer or at a later one. */
const TASKS = { create: 'create', message: 'follow-up', 'first-read': 'attach', 'later-read': 'attach' } as const
type Place = keyof typeof TASKS
const PLACES = Object.keys(TASKS) as Place[]

const isPrompt = (place: Place): boolean => place === 'create' || place === 'message'

/** Long enough for a read and a prompt that time out, and for the agent's work after that. */
const TIMEOUT_MS = 150_000
const NOTHING = { posts: [], reads: [] }

function strike<Name>(place: Place, fault: Name, well: Name): Strikes<Name> {
  if (isPrompt(place)) return { posts: [fault], reads: [] }
  return { posts: [], reads: place === 'first-read' ? [fault] : [well, fault] }
}

const OF_PROMPTS: Readonly<Record<PromptFate, Expected | undefined>> = {
  accepted: 'pull-request',
  again: 'pull-request',
  stop: 'red',
  unknown: 'unknown-fate',
  any: undefined,
}
const OF_READS: Readonly<Record<ReadFate, Expected>> = { heard: 'pull-request', passing: 'pull-request', final: 'red' }

/** A message of unknown fate is looked up: where the service has taken it, its turn is seen. */
function expectedOf(place: Place, prompt: PromptFate, read: ReadFate, takes: boolean): Expected | undefined {
  if (place === 'message' && prompt === 'unknown' && takes) return 'pull-request'
  return isPrompt(place) ? OF_PROMPTS[prompt] : OF_READS[read]
}

function scriptOf(place: Place, fault: ServiceFaultName, way: 'directly' | 'by-proxy'): FaultScript {
  const { prompt, read, takes } = SERVICE_FAULTS[fault]
  return {
    name: `${place}/${fault}/${way}`,
    task: TASKS[place],
    timeoutMs: TIMEOUT_MS,
    ...strike(place, fault, 'good'),
    ...(way === 'by-proxy' && { proxy: NOTHING }),
    expected: expectedOf(place, prompt, read, takes),
  }
}

/** Every fault of the service at every place; of these each third one is met through a proxy that works. */
export const SERVICE_SCRIPTS: readonly FaultScript[] = PLAIN_FAULT_NAMES.flatMap((fault, index) =>
  PLACES.map((place, turn) => scriptOf(place, fault, (index + turn) % 3 === 0 ? 'by-proxy' : 'directly')),
)

/** Every fault of a proxy at every place. */
export const PROXY_SCRIPTS: readonly FaultScript[] = PROXY_FAULT_NAMES.flatMap((fault) =>
  PLACES.map((place) => {
    const { prompt, read, tunnel } = PROXY_FAULTS[fault]
    return {
      name: `${place}/${fault}`,
      task: TASKS[place],
      timeoutMs: TIMEOUT_MS,
      ...NOTHING,
      proxy: strike<ProxyFaultName>(place, fault, 'proxy-works'),
      expected: expectedOf(place, prompt, read, tunnel?.downBytes !== undefined),
    }
  }),
)

const OFTEN = 40

/** TLS that goes wrong each time, directly and behind a proxy. Without TLS that works nothing is ever read. */
export const TLS_SCRIPTS: readonly FaultScript[] = TLS_FAULT_NAMES.flatMap((fault) =>
  (['create', 'first-read'] as const).flatMap((place) =>
    (['directly', 'by-proxy'] as const).map((way) => ({
      ...scriptOf(place, fault, way),
      isSecure: true,
      posts: Array<ServiceFaultName>(OFTEN).fill(fault),
      reads: Array<ServiceFaultName>(OFTEN).fill(fault),
      expected: place === 'create' && SERVICE_FAULTS[fault].prompt === 'unknown' ? 'unknown-fate' : 'red',
    })),
  ),
)

const TIMEOUTS_MS = [4_000, 40_000, 90_000, 180_000]

/** Several faults in one run, some of them over and over: they follow from the seed alone. */
export function randomScript(seed: number): FaultScript {
  const random = createRandom(seed)
  const below = (count: number): number => Math.floor(random() * count)
  const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value
  const draw = <Name>(names: readonly Name[], well: Name, most: number): Name[] =>
    Array.from({ length: below(most + 1) }, () => (random() < 0.3 ? well : pick(names))).flatMap((name) =>
      Array<Name>(random() < 0.8 ? 1 : 1 + below(12)).fill(name),
    )
  const drawBoth = <Name>(names: readonly Name[], well: Name): Strikes<Name> => ({
    posts: draw(names, well, 3),
    reads: draw(names, well, 5),
  })
  return {
    name: `random-${seed}`,
    task: pick(Object.values(TASKS).slice(0, 3)),
    timeoutMs: pick(TIMEOUTS_MS),
    ...drawBoth<ServiceFaultName>(PLAIN_FAULT_NAMES, 'good'),
    ...(random() < 0.4 && { proxy: drawBoth<ProxyFaultName>(PROXY_FAULT_NAMES, 'proxy-works') }),
  }
}
