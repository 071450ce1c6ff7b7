import type { DocsServiceClient } from '../service/client.ts'
import { isPassingReadError } from '../service/retry.ts'
import { MAX_PAGE_ROWS, type VisitorsPage } from '../service/schemas.ts'
import type { Clock } from '../shared/clock.ts'
import { formatDuration } from '../shared/duration.ts'
import { ActionError, describeError } from '../shared/errors.ts'
import type { DateRange } from './date-range.ts'

export interface PageReaderPorts {
  readonly client: Pick<DocsServiceClient, 'getVisitors'>
  readonly clock: Clock
  readonly signal: AbortSignal
  /** From 0 to 1. */
  readonly random: () => number
  readonly log: (line: string) => void
  /** Of the whole step, on the clock's scale. */
  readonly deadlineAt: number
}

/**
 * Reads the page that begins after `offset` rows.
 * @throws ActionError where no further attempt could help, or none fits the deadline
 */
export type ReadPage = (offset: number) => Promise<VisitorsPage>

const FIRST_DELAY_MS = 1_000
const FIRST_RATE_LIMIT_DELAY_MS = 5_000
const LONGEST_DELAY_MS = 60_000
const HEARTBEAT_MS = 60_000

/**
 * How long to wait after a failed attempt, in milliseconds. What the service asks for is a floor.
 * @param attempt how often this page was asked for, from 1
 * @param random from 0 to 1
 */
export function retryDelayMs({ code, retryAfterMs = 0 }: ActionError, attempt: number, random: number): number {
  const first = code === 'rate-limited' ? FIRST_RATE_LIMIT_DELAY_MS : FIRST_DELAY_MS
  const backOffMs = Math.min(first * 2 ** (attempt - 1), LONGEST_DELAY_MS) * (0.75 + 0.5 * random)
  return Math.max(backOffMs, retryAfterMs)
}

/** Section 4.4 of the service's interface, in the largest pages there are. A read changes nothing, so it may be repeated. */
export function createPageReader(range: DateRange, ports: PageReaderPorts): ReadPage {
  const { client, clock, signal, random, log, deadlineAt } = ports
  let badAnswersInARow = 0

  async function attempt(offset: number): Promise<VisitorsPage | ActionError> {
    try {
      const page = await client.getVisitors({ ...range, limit: MAX_PAGE_ROWS, offset })
      badAnswersInARow = 0
      return page
    } catch (error) {
      if (!(error instanceof ActionError)) throw error
      signal.throwIfAborted()
      badAnswersInARow = error.code === 'bad-answer' ? badAnswersInARow + 1 : 0
      if (!isPassingReadError(error, { badAnswersInARow, isYoung: false })) throw error
      return error
    }
  }

  /** @throws ActionError where the service asks for more time than the step has, which is known without waiting for it */
  function insistOnTime(error: ActionError): void {
    const { code, message, retryAfterMs = 0, quote } = error
    if (clock.now() + retryAfterMs <= deadlineAt) return
    const until = new Date(clock.wallTime().getTime() + retryAfterMs).toISOString()
    const text = `${message} It asks not to be asked before ${until}, which is after this step's deadline.`
    throw new ActionError(code, text, quote === undefined ? {} : { quote })
  }

  function outOfTime(lastProblem: ActionError | undefined): ActionError {
    if (lastProblem === undefined) return new ActionError('deadline', 'The time ran out before all pages were read.')
    const { message, quote } = lastProblem
    const text = `The time ran out before all pages were read. The last attempt failed: ${message}`
    return new ActionError('deadline', text, quote === undefined ? {} : { quote })
  }

  async function pause(ms: number): Promise<void> {
    const endsAt = clock.now() + ms
    for (let leftMs = ms; leftMs > 0; leftMs = endsAt - clock.now()) {
      await clock.sleep(Math.min(leftMs, HEARTBEAT_MS), signal)
      if (endsAt > clock.now()) log(`Still waiting, for another ${formatDuration(endsAt - clock.now())}.`)
    }
  }

  return async (offset) => {
    let lastProblem: ActionError | undefined
    for (let attempts = 1; clock.now() < deadlineAt; attempts++) {
      const seen = await attempt(offset)
      if (!(seen instanceof ActionError)) return seen
      lastProblem = seen
      insistOnTime(seen)
      const delayMs = Math.min(retryDelayMs(seen, attempts, random()), deadlineAt - clock.now())
      log(`${describeError(seen)} Asking again in ${Math.ceil(delayMs / 1000)} s.`)
      await pause(delayMs)
    }
    throw outOfTime(lastProblem)
  }
}
