/**
 * Reads the periods before the exported one, for the comparison and the trend. An error here affects only these, not the
 * file.
 */
import type { Step } from '../action/step.ts'
import { MAX_PAGE_ROWS, type VisitorsPage } from '../docs-service/interface.ts'
import { ActionError, describeError, type ErrorCode } from '../runtime/errors.ts'
import { formatCount } from '../text/format.ts'
import { getEarlierPeriod, namePeriodBefore, toPeriod, type Period } from './date-range.ts'
import type { VisitorsInputs, VisitorTotals } from './inputs.ts'
import { createPageReader, selectTop, shortenPath, VisitorList, type ReadPage } from './visitor-list.ts'

/** Unique visitors of one page in two periods. */
export interface PageChange {
  readonly path: string
  readonly before: number
  readonly now: number
}

export interface ComparedPages {
  readonly gained: readonly PageChange[]
  readonly lost: readonly PageChange[]
  /** Visitors in the period before by shortened path: of the most visited pages, if known. */
  readonly topBefore: ReadonlyMap<string, number>
  /** Whether both lists are complete. If not, pages in only one list are left out: an incomplete list may lack them. */
  readonly isComplete: boolean
}

export interface PeriodTotals {
  readonly period: Period
  /** Undefined if they could not be read. */
  readonly totals: VisitorTotals | undefined
}

/** The exported period and those before it. */
export interface EarlierPeriods {
  /** Oldest first; the last one is the exported period. */
  readonly periods: readonly PeriodTotals[]
  /** With `compare: pages`, the pages of the last two periods. */
  readonly pages?: ComparedPages | undefined
  /** Why the oldest periods have no totals, or if they have totals, why the pages were not compared. */
  readonly error?: ActionError | undefined
}

/** The maximum length of each list: pages that gained visitors, and pages that lost visitors. */
const MAX_CHANGES = 10

const getGain = ({ before, now }: PageChange): number => now - before

/** Adds a change to the list if it is among those with the greatest weights. */
function addChange(
  kept: readonly PageChange[],
  change: PageChange,
  weigh: (change: PageChange) => number,
): readonly PageChange[] {
  const last = kept[MAX_CHANGES - 1]
  return last !== undefined && weigh(change) < weigh(last) ? kept : selectTop([...kept, change], MAX_CHANGES, weigh)
}

/**
 * Compares the pages while the pages of the period before are read. Removes compared pages from `now`, so that only one
 * list is in memory.
 * @param readPage of the period before
 */
export async function comparePages(now: VisitorList, readPage: ReadPage): Promise<ComparedPages> {
  const before = new VisitorList()
  const isNowComplete = now.doubts === ''
  const topPaths = new Set(now.topPages.map(({ path }) => shortenPath(path)))
  const topBefore = new Map<string, number>()
  let gained: readonly PageChange[] = []
  let lost: readonly PageChange[] = []
  const add = (change: PageChange): void => {
    if (topPaths.has(change.path)) topBefore.set(change.path, change.before)
    if (getGain(change) > 0) gained = addChange(gained, change, getGain)
    if (getGain(change) < 0) lost = addChange(lost, change, (listed) => -getGain(listed))
  }
  await before.read(readPage, 0, (rows) => {
    for (const row of rows) {
      const path = shortenPath(row.path)
      const total = now.pageTotals.get(path)
      now.pageTotals.delete(path)
      if (total !== undefined || isNowComplete) add({ path, before: row.total, now: total ?? 0 })
    }
  })
  const isBeforeComplete = before.doubts === ''
  if (isBeforeComplete) for (const [path, total] of now.pageTotals) add({ path, before: 0, now: total })
  return { gained, lost, topBefore, isComplete: isNowComplete && isBeforeComplete }
}

/** @throws the error, unless it is one that costs only the comparison or the trend */
function reportError(error: unknown, title: string, step: Step): ActionError {
  if (!(error instanceof ActionError)) throw error
  step.runner.notice(title, describeError(error))
  return error
}

/** After these errors, no other request can succeed. */
const FINAL_ERRORS: readonly ErrorCode[] = ['cancelled', 'deadline', 'rate-limited']

/**
 * Reads the totals of the periods before the exported one, the newest first, and then the pages of the period directly before.
 * The file is already complete, so any error, even a cancelled run, is only reported. The first error ends the totals: each
 * request was already retried, and a service that refuses a period because of its age would refuse older ones too.
 * @param now the exported list
 * @returns undefined if the inputs request no earlier period
 */
export async function readEarlierPeriods(
  { compare, trend, range }: VisitorsInputs,
  now: VisitorList,
  step: Step,
): Promise<EarlierPeriods | undefined> {
  const exported = toPeriod(range)
  const count = Math.max(trend, compare === 'false' ? 0 : 2)
  if (count === 0 || exported === undefined) return undefined
  const { log } = step.runner
  log(`Reading ${formatCount(count - 1, 'earlier period')} of the same length.`)

  const periods: PeriodTotals[] = [{ period: exported, totals: now.totals }]
  let firstPage: VisitorsPage | undefined
  let error: ActionError | undefined
  while (periods.length < count) {
    const period = getEarlierPeriod(exported, periods.length)
    let page: VisitorsPage | undefined
    try {
      // The first page of the period directly before has its totals, too.
      const limit = compare === 'pages' && firstPage === undefined ? MAX_PAGE_ROWS : 1
      if (error === undefined) page = await createPageReader(period, step, limit)(0)
    } catch (cause) {
      error = reportError(cause, 'Not all earlier periods were read', step)
    }
    firstPage ??= page
    periods.unshift({ period, totals: page?.totals })
  }

  if (compare !== 'pages' || firstPage === undefined) return { periods, error }
  if (firstPage.hasMore && error !== undefined && FINAL_ERRORS.includes(error.code)) return { periods, error }
  log(`Comparing the pages with those of ${namePeriodBefore(exported)}.`)
  const first = Promise.resolve(firstPage)
  const readPage = createPageReader(getEarlierPeriod(exported, 1), step)
  try {
    const pages = await comparePages(now, (offset) => (offset === 0 ? first : readPage(offset)))
    return { periods, pages, error }
  } catch (cause) {
    const pagesError = reportError(cause, 'The pages were not compared', step)
    return { periods, error: error ?? pagesError }
  }
}
