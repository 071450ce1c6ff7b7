import type { Step } from '../action/step.ts'
import { createTryRead, getRetryDelayMs, patienceMs } from '../docs-service/retry.ts'
import { MAX_PAGE_ROWS, type VisitorsPage } from '../docs-service/schemas.ts'
import { ActionError, describeError } from '../runtime/errors.ts'
import { sleepAloud } from '../runtime/heartbeat.ts'
import { joinSentences } from '../text/sentences.ts'
import type { DateRange } from './date-range.ts'

/**
 * Reads the page that begins after `offset` rows.
 * @throws ActionError if no further attempt could help, or none fits the deadline
 */
export type ReadPage = (offset: number) => Promise<VisitorsPage>

/**
 * Section 4.4 of the service's interface. A read changes nothing, so it may be repeated.
 * @param limit rows a page, by default as many as there can be
 */
export function createPageReader(range: DateRange, step: Step, limit = MAX_PAGE_ROWS): ReadPage {
  const { client, clock, signal, random, deadlineAt } = step
  const { log, redact } = step.core
  const tryRead = createTryRead(signal)

  return async (offset) => {
    let lastProblem: ActionError | undefined
    for (let attempt = 1; clock.now() < deadlineAt; attempt++) {
      const seen = await tryRead(() => client.getVisitors({ ...range, limit, offset }))
      if (!(seen instanceof ActionError)) {
        // A page's path is a text of strangers: should it hold the key, the key does not get into a file that others read.
        return { ...seen, visitors: seen.visitors.map((row) => ({ ...row, path: redact(row.path) })) }
      }
      lastProblem = seen
      patienceMs(seen, clock, deadlineAt)
      const leftMs = deadlineAt - clock.now()
      const delayMs = getRetryDelayMs(seen, attempt, { refusals: client.refusals(), leftMs, random: random() })
      log(`${describeError(seen)} Asking again in ${Math.ceil(delayMs / 1000)} s.`)
      await sleepAloud(delayMs, { clock, signal, log })
    }
    const told = lastProblem && `The last attempt failed: ${lastProblem.message}`
    throw new ActionError('deadline', joinSentences(['The time ran out before all pages were read.', told]), {
      hint: 'Allow more time in `timeout-minutes`, or export fewer days.',
      quote: lastProblem?.quote,
    })
  }
}
