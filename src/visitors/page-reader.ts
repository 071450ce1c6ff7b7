import { ReadAgain } from '../docs-service/read-again.ts'
import { pauseMs } from '../docs-service/retry.ts'
import { MAX_PAGE_ROWS, type VisitorsPage } from '../docs-service/schemas.ts'
import { ActionError, describeError } from '../runtime/errors.ts'
import { sleepAloud } from '../runtime/heartbeat.ts'
import type { Redact } from '../text/redact.ts'
import type { Step } from '../action/step.ts'
import type { DateRange } from './date-range.ts'

/**
 * Reads the page that begins after `offset` rows.
 * @throws ActionError if no further attempt could help, or none fits the deadline
 */
export type ReadPage = (offset: number) => Promise<VisitorsPage>

/** A page's path is a text of strangers: should it hold the key, the key does not get into a file that others read. */
function withoutSecrets(page: VisitorsPage, redact: Redact): VisitorsPage {
  const visitors = page.visitors.map((row) => {
    const path = redact(row.path)
    return path === row.path ? row : { ...row, path }
  })
  return { ...page, visitors }
}

/**
 * Section 4.4 of the service's interface. A read changes nothing, so it may be repeated.
 * @param limit rows a page, by default as many as there can be
 */
export function createPageReader(range: DateRange, step: Step, limit = MAX_PAGE_ROWS): ReadPage {
  const { client, clock, signal, random, deadlineAt } = step
  const { log, redact } = step.core
  const again = new ReadAgain(step)

  function outOfTime(lastProblem: ActionError | undefined): ActionError {
    const text = 'The time ran out before all pages were read.'
    const hint = 'Allow more time in `timeout-minutes`, or export fewer days.'
    if (lastProblem === undefined) return new ActionError('deadline', text, { hint })
    const { message, quote } = lastProblem
    return new ActionError('deadline', `${text} The last attempt failed: ${message}`, { hint, quote })
  }

  return async (offset) => {
    let lastProblem: ActionError | undefined
    for (let attempts = 1; clock.now() < deadlineAt; attempts++) {
      const seen = await again.attempt(() => client.getVisitors({ ...range, limit, offset }))
      if (!(seen instanceof ActionError)) return withoutSecrets(seen, redact)
      lastProblem = seen
      again.patienceMs(seen)
      const delayMs = pauseMs(
        seen,
        attempts,
        { refusals: client.refusals(), leftMs: deadlineAt - clock.now() },
        random(),
      )
      log(`${describeError(seen)} Asking again in ${Math.ceil(delayMs / 1000)} s.`)
      await sleepAloud(delayMs, clock, signal, log)
    }
    throw outOfTime(lastProblem)
  }
}
