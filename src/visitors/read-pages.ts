import { createHash } from 'node:crypto'
import type { Step } from '../action/step.ts'
import { createTryRead, patienceMs, pauseMs } from '../docs-service/retry.ts'
import { MAX_PAGE_ROWS, type VisitorsPage } from '../docs-service/schemas.ts'
import { ActionError, describeError } from '../runtime/errors.ts'
import { sleepAloud } from '../runtime/heartbeat.ts'
import { joinSentences } from '../text/sentences.ts'
import type { DateRange } from './date-range.ts'
import type { VisitorRow, VisitorTotals } from './export-format.ts'

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
      const delayMs = pauseMs(seen, attempt, { refusals: client.refusals(), leftMs, random: random() })
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

export interface WalkedPage {
  readonly totals: VisitorTotals
  /** Without those whose path came before, which are `repeated`. */
  readonly rows: readonly VisitorRow[]
  readonly repeated: number
}

/** 2.5 million rows, and more than four days at 100 requests an hour: whoever says "more" after that never stops. */
export const MAX_PAGES = 10_000
/** Holds for a service that sends more rows a page than it was asked for, too. */
const MAX_ROWS = MAX_PAGES * MAX_PAGE_ROWS

/** In bytes. No server takes addresses that are longer, and the pages at the top are kept in memory. */
const LONGEST_PATH = 8 * 1024

function wrongAnswer(message: string): ActionError {
  return new ActionError('bad-answer', message, {
    hint: 'Check `base-url`: a proxy may answer instead of the service. Otherwise, try again later.',
  })
}

function endless(what: string): ActionError {
  return wrongAnswer(`The list of pages does not end: ${what}.`)
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** As many characters as the summary shows of a path. */
export const SHOWN_PATH = 120

/**
 * A path as it is kept where many are compared: of a longer one the beginning and a hash, so that no two are the same. It is
 * copied, as what is cut from a text holds on to the whole of it.
 */
export function shortenPath(path: string): string {
  if (path.length <= SHOWN_PATH) return path
  return Buffer.from(`${path.slice(0, SHOWN_PATH)}${hashOf(path)}`).toString()
}

/**
 * Gives whether a text was not there before. Most paths are short, and kept as they are. Of others it is a hash, which takes
 * little room and is longer than these, so that no two are the same.
 */
function addIfNew(text: string, seen: Set<string>): boolean {
  return seen.size < seen.add(text.length < 64 ? text : hashOf(text)).size
}

/**
 * All rows of a range, one answer of the service after the other, so that no request is wasted. The service's order is
 * not documented and rows can move between two answers, so each path is let through once. Kept in memory are short paths and
 * hashes. A last part of nothing but rows that moved is an end; a part that came before is a service that does not turn the page.
 * @throws ActionError `bad-answer` if there is no end or a path is too long, and what reading a page throws
 */
export async function* walkPages(readPage: ReadPage): AsyncGenerator<WalkedPage, void> {
  const seen = new Set<string>()
  const seenParts = new Set<string>()
  let offset = 0
  for (let count = 1; count <= MAX_PAGES; count++) {
    const { totals, visitors, hasMore } = await readPage(offset)
    offset += visitors.length
    if (offset > MAX_ROWS) throw endless(`the service sent more than ${MAX_ROWS} rows`)
    if (visitors.some(({ path }) => Buffer.byteLength(path) > LONGEST_PATH))
      throw wrongAnswer(`The service sent a path that is longer than ${LONGEST_PATH} bytes.`)
    const rows = visitors.filter(({ path }) => addIfNew(path, seen))
    const isNewPart = addIfNew(JSON.stringify(visitors.map(({ path }) => path)), seenParts)
    if (hasMore && visitors.length === 0) throw endless('the service sent an empty part and says that there is more')
    if (hasMore && rows.length === 0)
      throw endless('the service sent a part in which every row had come before, and says that there is more')
    if (!isNewPart) throw endless('the service sent the same part again')
    yield { totals, rows, repeated: visitors.length - rows.length }
    if (!hasMore) return
  }
  throw endless(`after ${MAX_PAGES} answers the service still says that there is more`)
}
