/** Reads the service's list of pages to its end: paging, retries, duplicate rows, and lists that never end. */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Step } from '../action/step.ts'
import {
  formatRetryTime,
  getRetryDelayMs,
  LastingResponseError,
  maxRetryAfterMs,
  orTransientError,
} from '../docs-service/retry.ts'
import { MAX_PAGE_ROWS, type VisitorsPage } from '../docs-service/interface.ts'
import { ActionError, describeError } from '../runtime/errors.ts'
import { sleepWithProgress } from '../runtime/heartbeat.ts'
import { joinSentences } from '../text/format.ts'
import type { DateRange } from './date-range.ts'
import type { VisitorRow, VisitorTotals } from './inputs.ts'

/**
 * Reads the page that begins after `offset` rows.
 * @throws ActionError if no retry could help, or none fits the deadline
 */
export type ReadPage = (offset: number) => Promise<VisitorsPage>

/** More retries would not repair a page that is empty or lacks a required field. */
const MAX_INVALID_PAGES = 3

/**
 * Section 4.4 of the service's interface. A read changes nothing, so it is retried.
 * @param limit rows a page, by default as many as the service allows
 */
export function createPageReader(range: DateRange, step: Step, limit = MAX_PAGE_ROWS): ReadPage {
  const { client, clock, signal, random, deadlineAt } = step
  const { log, redact } = step.runner

  return async (offset) => {
    let lastError: ActionError | undefined
    let invalidInARow = 0
    for (let attempt = 1; clock.now() < deadlineAt; attempt++) {
      const page = await orTransientError(() => client.getVisitors({ ...range, limit, offset }), signal)
      if (!(page instanceof ActionError)) {
        // Visitors choose paths. If a path contains the key, the key must not get into a file that others read.
        return { ...page, visitors: page.visitors.map((row) => ({ ...row, path: redact(row.path) })) }
      }
      lastError = page
      invalidInARow = page instanceof LastingResponseError ? invalidInARow + 1 : 0
      if (invalidInARow === MAX_INVALID_PAGES) throw page
      maxRetryAfterMs(page, clock, deadlineAt)
      const leftMs = deadlineAt - clock.now()
      const delayMs = getRetryDelayMs(page, attempt, { refusals: client.rateLimitsInARow(), leftMs, random: random() })
      log(`${describeError(page)} Retrying ${formatRetryTime(page, delayMs, clock)}.`)
      await sleepWithProgress(delayMs, { clock, signal, log })
    }
    const lastMessage = lastError && `The last attempt failed: ${lastError.message}`
    throw new ActionError('deadline', joinSentences(['Not all pages were read before the deadline.', lastMessage]), {
      // More time does not help against the page of a proxy or a login, which comes with the status 200.
      hint:
        lastError?.code === 'invalid-response' ? lastError.hint : 'Increase `timeout-minutes`, or export fewer days.',
      quote: lastError?.quote,
    })
  }
}

/** 2.5 million rows, which take more than four days at 100 requests an hour. A longer list is treated as endless. */
export const MAX_PAGES = 10_000
/** Also limits a service that sends more rows a page than were requested. */
const MAX_ROWS = MAX_PAGES * MAX_PAGE_ROWS

/** No server accepts URLs that are longer, and the most visited pages are kept in memory. */
const MAX_PATH_BYTES = 8 * 1024

/** A service that filters its rows can have nothing left of a page. */
const MAX_EMPTY_PAGES = 3

function invalidResponse(message: string): ActionError {
  return new ActionError('invalid-response', message, {
    hint: 'Check `base-url`: a proxy may respond instead of the service. Otherwise, try again later.',
  })
}

function endless(reason: string): ActionError {
  return invalidResponse(`The list of pages does not end: ${reason}.`)
}

/** How many characters of a path the summary shows. */
export const SHOWN_PATH_LENGTH = 120

/**
 * Shortens a long path to its beginning and a hash, so that two different paths never become equal. Copies the text, because a
 * slice would keep the complete path in memory.
 */
export function shortenPath(path: string): string {
  if (path.length <= SHOWN_PATH_LENGTH) return path
  const hash = createHash('sha256').update(path).digest('hex')
  return Buffer.from(`${path.slice(0, SHOWN_PATH_LENGTH)}${hash}`).toString()
}

type UseRows = (rows: readonly VisitorRow[], totals: VisitorTotals) => void

/** The visitors of a range, and what is kept in memory while its pages are read. */
export class VisitorList {
  /** The service's totals in its first response. */
  totals: VisitorTotals | undefined
  /** How many distinct rows were read. */
  rows = 0
  /** The pages with the most visitors, ties by path. */
  topPages: readonly VisitorRow[] = []
  #haveTotalsChanged = false
  #haveRowsMoved = false

  /**
   * Reads all rows, one response after the other, without a wasted request. The order of the rows is not documented, and rows
   * can move between two responses, so each path is used once. A last response with only moved rows ends the list.
   *
   * After a full page, the next one begins `limit` rows later (section 4.4 of the service's interface). A short page with
   * more to come is either all that is left of its `limit` rows after a filter, or all that the service sends at once. Rows
   * are lost in neither case if the next page begins after the rows received. After a filter, that page overlaps the short
   * one and can repeat its rows.
   * @param top how many of the most visited pages are kept
   * @param use receives the new rows of each response, before they are counted here
   * @throws ActionError `invalid-response` if the list does not end or a path is too long, and any error of `readPage`
   */
  async read(readPage: ReadPage, top = 0, use?: UseRows): Promise<void> {
    /** By shortened path, the offset at which the last page with this row ended. */
    const ends = new Map<string, number>()
    let [offset, overlapEnd, received, emptyInARow] = [0, 0, 0, 0]
    for (let count = 1; count <= MAX_PAGES; count++) {
      const { totals, visitors, hasMore } = await readPage(offset)
      received += visitors.length
      if (received > MAX_ROWS) throw endless(`the service sent more than ${MAX_ROWS} rows`)
      if (visitors.some(({ path }) => Buffer.byteLength(path) > MAX_PATH_BYTES))
        throw invalidResponse(`The service sent a path that is longer than ${MAX_PATH_BYTES} bytes.`)
      emptyInARow = visitors.length === 0 ? emptyInARow + 1 : 0
      if (hasMore && emptyInARow === MAX_EMPTY_PAGES)
        throw endless(
          `the service returned ${MAX_EMPTY_PAGES} empty pages in a row and reports that there are more rows`,
        )
      const end = offset + MAX_PAGE_ROWS
      const rows = visitors.filter((row) => {
        const path = shortenPath(row.path)
        const lastEnd = ends.get(path)
        ends.set(path, end)
        // Unless an overlapped page explains the repetition, the row has moved back, so another row may have moved to a page
        // that was already read.
        this.#haveRowsMoved ||= lastEnd !== undefined && (lastEnd <= offset || lastEnd === end)
        return lastEnd === undefined
      })
      // Even where pages overlap, a full page extends past all rows that were read.
      const mustHaveNewRows = visitors.length >= MAX_PAGE_ROWS || (hasMore && offset >= overlapEnd)
      if (visitors.length > 0 && rows.length === 0 && mustHaveNewRows)
        throw endless('the service returned a page with only known rows')
      use?.(rows, totals)
      this.totals ??= totals
      this.#haveTotalsChanged ||= !isDeepStrictEqual(this.totals, totals)
      this.rows += rows.length
      this.topPages = [...this.topPages, ...rows]
        .sort((a, b) => b.total - a.total || (a.path < b.path ? -1 : 1))
        .slice(0, top)
      if (!hasMore) return
      overlapEnd = end
      // A page without new rows has been read to its end: a service that only limits its pages would have sent some.
      offset += rows.length === 0 ? MAX_PAGE_ROWS : visitors.length
    }
    throw endless(`after ${MAX_PAGES} responses the service still reports that there are more rows`)
  }

  /** Why a list that was read to its end may be incomplete, as full sentences; empty if it is complete. */
  get doubts(): string {
    return joinSentences([
      this.#haveTotalsChanged && "The service's totals changed while the pages were read.",
      this.#haveRowsMoved &&
        'Rows moved while the pages were read: some appeared twice and were written once, so others may be missing.',
    ])
  }
}
