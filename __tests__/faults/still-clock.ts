import { virtualClock, type VirtualClock } from '../support/virtual-clock.ts'

export interface StillClock extends VirtualClock {
  /** Something happened on a socket, so more may follow from it before time goes on. */
  readonly touch: () => void
}

/** Time goes on when nothing has happened for so many looks, with the shortest of real pauses before each. */
const QUIET_LOOKS = 4
const PAUSE_MS = 1

/** Between two looks, all that the sockets of this process have to say is heard at least once. */
function hearSockets(): Promise<void> {
  return new Promise((resolve) => setTimeout(() => setImmediate(resolve), PAUSE_MS))
}

/**
 * A clock for work over real sockets of this process: it stands still while anything moves on them, and then jumps to what
 * is due next. So a minute takes some milliseconds, and how busy the machine is does not change what is measured.
 */
export function stillClock(): StillClock {
  let quietLooks = 0
  const touch = (): void => {
    quietLooks = 0
  }
  async function quiet(): Promise<void> {
    touch()
    while (quietLooks < QUIET_LOOKS) {
      await hearSockets()
      quietLooks++
    }
  }
  const clock = virtualClock({ quiet, isAlone: false, mostEvents: Infinity })
  return {
    ...clock,
    touch,
    sleep(ms, signal) {
      touch()
      return clock.sleep(ms, signal)
    },
  }
}
