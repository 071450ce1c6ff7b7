import { createHash } from 'node:crypto'
import type { Step } from '../action/step.ts'
import { pauseMs, ReadAgain } from '../docs-service/retry.ts'
import { MAX_PAGE_ROWS, type VisitorsPage } from '../docs-service/schemas.ts'
import { ActionError, describeError } from '../runtime/errors.ts'
import { sleepAloud } from '../runtime/heartbeat.ts'
import type { Redact } from '../text/redact.ts'
import { joinSentences } from '../text/sentences.ts'
import type { DateRange } from './date-range.ts'
import type { VisitorRow, VisitorTotals } from './export-format.ts'

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

  return async (offset) => {
    let lastProblem: ActionError | undefined
    for (let attempt = 1; clock.now() < deadlineAt; attempt++) {
      const seen = await again.attempt(() => client.getVisitors({ ...range, limit, offset }))
      if (!(seen instanceof ActionError)) return withoutSecrets(seen, redact)
      lastProblem = seen
      again.patienceMs(seen)
      const leftMs = deadlineAt - clock.now()
      const delayMs = pauseMs(seen, { attempt, refusals: client.refusals(), leftMs, random: random() })
      log(`${describeError(seen)} Asking again in ${Math.ceil(delayMs / 1000)} s.`)
      await sleepAloud(delayMs, clock, signal, log)
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

/**
 * Why the pages would go on for ever, or undefined. A last part of nothing but rows that moved is an end; a part that came
 * before is a service that does not turn the page.
 */
function endlessness(
  { visitors, hasMore }: VisitorsPage,
  fresh: readonly VisitorRow[],
  cameBefore: boolean,
): string | undefined {
  if (fresh.length > 0) return undefined
  if (visitors.length === 0) return hasMore ? 'the service sent an empty part and says that there is more' : undefined
  if (hasMore) return 'the service sent a part in which every row had come before, and says that there is more'
  return cameBefore ? 'the service sent the same part again' : undefined
}

/** Most paths are short, and kept as they are. Of others it is a hash, which is longer than these: no two marks are the same. */
function markOf(path: string): string {
  return path.length < 64 ? path : createHash('sha256').update(path).digest('hex')
}

function isNew(mark: string, seen: Set<string>): boolean {
  return !seen.has(mark) && seen.add(mark).has(mark)
}

/**
 * All rows of a range, one answer of the service after the other, so that no request is wasted. The service's order is
 * not documented and rows can move between two answers, so each path is let through once. Kept in memory are marks of the paths,
 * which take little room however long a path is.
 * @throws ActionError `bad-answer` if there is no end or a path is too long, and what reading a page throws
 */
export async function* walkPages(readPage: ReadPage): AsyncGenerator<WalkedPage, void> {
  const seen = new Set<string>()
  let offset = 0
  const parts = new Set<string>()
  for (let count = 1; count <= MAX_PAGES; count++) {
    const page = await readPage(offset)
    const { totals, visitors, hasMore } = page
    if (offset + visitors.length > MAX_ROWS) throw endless(`the service sent more than ${MAX_ROWS} rows`)
    if (visitors.some(({ path }) => Buffer.byteLength(path) > LONGEST_PATH))
      throw wrongAnswer(`The service sent a path that is longer than ${LONGEST_PATH} bytes.`)
    const rows = visitors.filter(({ path }) => isNew(markOf(path), seen))
    const cameBefore = !isNew(markOf(JSON.stringify(visitors.map(({ path }) => path))), parts)
    const problem = endlessness(page, rows, cameBefore)
    if (problem !== undefined) throw endless(problem)
    offset += visitors.length
    yield { totals, rows, repeated: visitors.length - rows.length }
    if (!hasMore) return
  }
  throw endless(`after ${MAX_PAGES} answers the service still says that there is more`)
}
