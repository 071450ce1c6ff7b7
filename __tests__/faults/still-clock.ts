import { virtualClock, type VirtualClock } from '../../testing/virtual-clock.ts'

export interface StillClock extends VirtualClock {
  /** Reports activity on a socket, so that time does not move on yet. */
  readonly touch: () => void
}

/** Time moves on after this many checks without activity, with a short real pause before each. */
const MIN_QUIET_CHECKS = 4
const PAUSE_MS = 1

/** Lets the event loop handle the sockets of this process at least once. */
function pollSockets(): Promise<void> {
  return new Promise((resolve) => setTimeout(() => setImmediate(resolve), PAUSE_MS))
}

/**
 * Creates a clock for work over sockets of this process. It stands still while the sockets are active, and then jumps
 * to the next timer. So a minute takes a few milliseconds, and the load of the machine does not change what is
 * measured.
 */
export function stillClock(): StillClock {
  let quietChecks = 0
  const touch = (): void => {
    quietChecks = 0
  }
  async function waitForQuiet(): Promise<void> {
    touch()
    while (quietChecks < MIN_QUIET_CHECKS) {
      await pollSockets()
      quietChecks++
    }
  }
  const clock = virtualClock({ quiet: waitForQuiet, isAlone: false, mostEvents: Infinity })
  return {
    ...clock,
    touch,
    sleep(ms, signal) {
      touch()
      return clock.sleep(ms, signal)
    },
  }
}
