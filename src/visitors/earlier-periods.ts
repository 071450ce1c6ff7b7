/**
 * Reads and compares the periods before the exported one. An error here affects only the comparison or the trend, not
 * the file.
 */
import type { Step } from '../action/step.ts'
import { ActionError, describeError } from '../runtime/errors.ts'
import { formatCount } from '../text/format.ts'
import { describeRange, getEarlierPeriod, namePeriodBefore, toPeriod, type Period } from './date-range.ts'
import type { VisitorsInputs, VisitorTotals } from './inputs.ts'
import { createPageReader, readTotals, selectTop, shortenPath, VisitorList, type ReadPage } from './visitor-list.ts'

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

export interface PeriodComparison {
  /** Names the period, for the middle of a sentence. */
  readonly name: string
  /** Undefined if the period could not be read. */
  readonly totals?: VisitorTotals | undefined
  readonly pages?: ComparedPages
  /** Why the totals, or only the pages, are missing. */
  readonly error?: ActionError
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
 * @param before is still empty; it has the totals even if a later page cannot be read
 */
export async function comparePages(now: VisitorList, before: VisitorList, readPage: ReadPage): Promise<ComparedPages> {
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

/**
 * Reads the period of the same length before. The file is already complete, so any error, even a cancelled run, is only reported.
 * @returns undefined if the inputs request no comparison or the period has no known length
 */
export async function readComparison(
  { compare, range }: VisitorsInputs,
  now: VisitorList,
  step: Step,
): Promise<PeriodComparison | undefined> {
  const period = toPeriod(range)
  if (compare === 'false' || period === undefined) return undefined
  const [name, earlier] = [namePeriodBefore(period), getEarlierPeriod(period, 1)]
  step.runner.log(`Comparing with ${name}, ${describeRange(earlier)}.`)
  const before = new VisitorList()
  try {
    if (compare === 'true') return { name, totals: await readTotals(earlier, step) }
    const pages = await comparePages(now, before, createPageReader(earlier, step))
    return { name, totals: before.totals, pages }
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    const { totals } = before
    const what = totals === undefined ? 'The visitors' : 'The pages'
    step.runner.notice(`${what} were not compared`, describeError(error))
    return { name, totals, error }
  }
}

export interface TrendPeriod {
  readonly period: Period
  /** Undefined if the service did not return them. */
  readonly totals: VisitorTotals | undefined
}

export interface Trend {
  /** Oldest first; the last one is the exported period. */
  readonly periods: readonly TrendPeriod[]
  /** Why the oldest periods are missing. */
  readonly error: ActionError | undefined
}

/**
 * Reads the totals of the earlier periods, the newest first. The first error ends it: each request was already retried, and a
 * service that refuses a period because of its age would refuse older ones too.
 * @param comparison contains the totals of the period directly before, which are not read again
 */
export async function readTrend(
  { trend: count, range }: VisitorsInputs,
  totals: VisitorTotals | undefined,
  comparison: PeriodComparison | undefined,
  step: Step,
): Promise<Trend | undefined> {
  const exported = toPeriod(range)
  if (count === 0 || exported === undefined) return undefined
  // If only the pages were not compared, the service knows the period.
  let error = comparison?.totals === undefined ? comparison?.error : undefined
  const requests = error === undefined ? count - (comparison === undefined ? 1 : 2) : 0
  if (requests > 0) {
    const what = `the trend over ${count} periods`
    const verb = requests === 1 ? 'counts' : 'count'
    step.runner.log(
      `Reading ${what}: ${formatCount(requests, 'request')}, which ${verb} toward the service's rate limit.`,
    )
  }
  const periods: TrendPeriod[] = [{ period: exported, totals }]
  for (let age = 1; age < count; age++) {
    const period = getEarlierPeriod(exported, age)
    let before = age === 1 ? comparison?.totals : undefined
    try {
      if (error === undefined) before ??= await readTotals(period, step)
    } catch (cause) {
      if (!(cause instanceof ActionError)) throw cause
      error = cause
      step.runner.notice('The trend has a gap', `${describeRange(period)}: ${describeError(error)}`)
    }
    periods.unshift({ period, totals: before })
  }
  return { periods, error }
}
