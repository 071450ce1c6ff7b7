import { measureDownload } from './download.ts'
import { measureMemory } from './memory.ts'
import { measureOverhead } from './overhead.ts'
import { measurePolling } from './polling.ts'
import type { Row } from './row.ts'
import { measureStart } from './start.ts'
import { measureVisitors } from './visitors.ts'

interface Part {
  readonly about: string
  readonly measure: () => Row[] | Promise<Row[]>
}

/** By the names that `--only` takes. docs/internals/benchmarks.md has a table for each. */
export const PARTS: Readonly<Record<string, Part>> = {
  polling: { about: 'how late the end of a job is seen; a calculation', measure: measurePolling },
  start: {
    about: 'time to the first request, compared with packages from the registry; needs dist/',
    measure: measureStart,
  },
  download: { about: 'what the runner downloads', measure: measureDownload },
  memory: { about: 'memory of a wait of ten minutes, on a fast clock; needs dist/', measure: measureMemory },
  overhead: {
    about: 'what a step adds to the time of the agent, in two minutes of real time; needs dist/',
    measure: measureOverhead,
  },
  visitors: { about: 'speed, memory and requests of large exports; needs dist/', measure: measureVisitors },
}
