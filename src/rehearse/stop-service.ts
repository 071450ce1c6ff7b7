import * as z from 'zod/mini'
import type { Clock } from '../runtime/clock.ts'
import { askService } from './ask-service.ts'

const LOOK_AGAIN_MS = 50
const LONGEST_STOP_MS = 5_000

/** What the post step has to know of the service that the main step started. */
const serviceStateSchema = z.object({
  pid: z.int().check(z.positive()),
  baseUrl: z.url({ protocol: /^http$/ }),
  logFile: z.string().check(z.minLength(1)),
})

export type ServiceState = Readonly<z.infer<typeof serviceStateSchema>>

/** Reads what the main step saved, or undefined if it saved nothing because the service never ran. */
export function parseServiceState(text: string): ServiceState | undefined {
  if (text === '') return undefined
  const result = serviceStateSchema.safeParse(JSON.parse(text))
  return result.success ? result.data : undefined
}

interface StopPorts {
  readonly clock: Clock
  /** Of the operating system. Throws where there is no such process. */
  readonly kill: (pid: number, signal: 'SIGTERM' | 'SIGKILL') => unknown
}

/**
 * Ends the service. A process id can belong to another program once its owner has ended, and so can a port, so nothing is
 * killed unless what answers at the address says that it is this very process.
 */
export async function stopService(
  { pid, baseUrl }: Pick<ServiceState, 'pid' | 'baseUrl'>,
  { clock, kill }: StopPorts,
): Promise<'stopped' | 'was-gone'> {
  if ((await askService(baseUrl)) !== pid) return 'was-gone'
  const end = (signal: 'SIGTERM' | 'SIGKILL'): void => {
    try {
      kill(pid, signal)
    } catch {
      // It ended by itself a moment ago.
    }
  }
  end('SIGTERM')
  const deadlineAt = clock.now() + LONGEST_STOP_MS
  while ((await askService(baseUrl)) === pid) {
    if (clock.now() >= deadlineAt) {
      end('SIGKILL')
      break
    }
    await clock.sleep(LOOK_AGAIN_MS)
  }
  return 'stopped'
}
