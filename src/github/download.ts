import { exchange } from '../http/exchange.ts'
import { proxyFor } from '../http/proxy.ts'
import { withDeadline } from '../runtime/deadline.ts'
import { ActionError } from '../runtime/errors.ts'
import type { GitHubOptions } from './ask-github.ts'

/**
 * Reads a text from an address that needs no token, piece by piece, and keeps nothing of it.
 * @throws ActionError
 */
export type Download = (url: URL, take: (text: string) => void) => Promise<void>

/** All of it. What takes longer is not worth the wait. */
const DOWNLOAD_MS = 60_000

/** By the same proxies as all else, with a limit of time that no drip resets. */
export function createDownload({ env, clock, signal, deadlineAt }: GitHubOptions): Download {
  return async (url, take) => {
    signal.throwIfAborted()
    const timeoutMs = Math.min(DOWNLOAD_MS, deadlineAt - clock.now())
    const timedOut = (): Error => new ActionError('deadline', 'The log did not come in time.')
    const read = async (end: AbortSignal): Promise<void> => {
      const { status, body } = await exchange({ method: 'GET', url, headers: {} }, proxyFor(url, env), end)
      if (status !== 200) throw new ActionError('rejected', `The address of the log answered ${status}.`)
      const decoder = new TextDecoder()
      for await (const chunk of body) take(decoder.decode(chunk, { stream: true }))
    }
    try {
      await withDeadline(read, { clock, signal, timeoutMs, timedOut })
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof ActionError) throw error
      // Whatever it says may quote the address, which is a secret for as long as it is good.
      throw new ActionError('unreachable', 'The log could not be read.')
    }
  }
}
