import { ActionError, describeError } from '../runtime/errors.ts'
import type { Step } from '../action/step.ts'
import { describeRange, periodBefore } from './date-range.ts'
import type { VisitorsInputs } from './inputs.ts'
import { createPageReader, type ReadPage } from './read-pages.ts'
import type { Comparison, PageChange } from './report.ts'
import { shortenPath, topOf, VisitorList } from './visitor-list.ts'

/** How many pages are named that gained, and as many that lost. */
const MOST_CHANGES = 10

const gainOf = ({ before, now }: PageChange): number => now - before

/** The changes that weigh the most, with one more if it is among these. */
function addChange(
  kept: readonly PageChange[],
  change: PageChange,
  weigh: (change: PageChange) => number,
): readonly PageChange[] {
  const last = kept[MOST_CHANGES - 1]
  return last !== undefined && weigh(change) < weigh(last) ? kept : topOf([...kept, change], MOST_CHANGES, weigh)
}

/** Compares the pages one by one as they are read, and takes them out of `now`: of the two lists only one is kept. */
export async function comparePages(now: VisitorList, readPage: ReadPage): Promise<Partial<Comparison>> {
  const isNowWhole = now.doubts === ''
  let gained: readonly PageChange[] = []
  let lost: readonly PageChange[] = []
  const add = (change: PageChange): void => {
    if (gainOf(change) > 0) gained = addChange(gained, change, gainOf)
    if (gainOf(change) < 0) lost = addChange(lost, change, (one) => -gainOf(one))
  }
  const before = new VisitorList()
  await before.read(readPage, 0, (rows) => {
    for (const row of rows) {
      const path = shortenPath(row.path)
      const total = now.pageTotals.get(path)
      now.pageTotals.delete(path)
      if (total !== undefined || isNowWhole) add({ path, before: row.total, now: total ?? 0 })
    }
  })
  const isBeforeWhole = before.doubts === ''
  if (isBeforeWhole) for (const [path, total] of now.pageTotals) add({ path, before: 0, now: total })
  return { totals: before.totals, pages: { gained, lost, isWhole: isNowWhole && isBeforeWhole } }
}

/**
 * Reads the period of the same length before. The export is whole by then, so whatever happens here costs the comparison alone,
 * a cancelled run included, and is said. Undefined if nothing is to be compared.
 */
export async function compareWithBefore(
  inputs: VisitorsInputs,
  now: VisitorList,
  step: Step,
): Promise<Comparison | undefined> {
  const period = inputs.compare === 'false' ? undefined : periodBefore(inputs.range)
  if (period === undefined) return undefined
  const { name, range } = period
  step.core.log(`Comparing with ${name}, ${describeRange(range)}.`)
  try {
    if (inputs.compare === 'pages') return { name, ...(await comparePages(now, createPageReader(range, step))) }
    return { name, totals: (await createPageReader(range, step, 1)(0)).totals }
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    step.core.notice('The visitors are not compared', describeError(error))
    return { name, error }
  }
}
