import { createRandom } from '../../src/emulator/service/random.ts'
import type { FaultScript } from './fault-script.ts'
import { PROXY_FAULT_NAMES, type ProxyFaultName } from './proxy-faults.ts'
import { SERVICE_FAULT_NAMES, type ServiceFaultName } from './service-faults.ts'

const TASKS: readonly FaultScript['task'][] = ['create', 'follow-up', 'attach']
const TIMEOUTS_MS = [4_000, 40_000, 90_000, 180_000] as const

/** Several faults in one run, some of them over and over: they follow from the seed alone. */
export function randomScript(seed: number): FaultScript {
  const random = createRandom(seed)
  const below = (count: number): number => Math.floor(random() * count)
  function pick<Value>(values: readonly Value[]): Value {
    const value = values[below(values.length)]
    if (value === undefined) throw new Error('There is nothing to pick from.')
    return value
  }
  const draw = <Name>(names: readonly Name[], good: Name, most: number): Name[] =>
    Array.from({ length: below(most + 1) }, () => (random() < 0.3 ? good : pick(names))).flatMap((name) =>
      Array.from({ length: random() < 0.8 ? 1 : 1 + below(12) }, () => name),
    )
  const drawBoth = <Name>(names: readonly Name[], good: Name): { posts: Name[]; reads: Name[] } => ({
    posts: draw(names, good, 3),
    reads: draw(names, good, 5),
  })
  return {
    name: `random-${seed}`,
    task: pick(TASKS),
    timeoutMs: pick(TIMEOUTS_MS),
    ...drawBoth<ServiceFaultName>(SERVICE_FAULT_NAMES, 'good'),
    ...(random() < 0.4 && { proxy: drawBoth<ProxyFaultName>(PROXY_FAULT_NAMES, 'proxy-works') }),
  }
}
