import { ActionError, describeError } from '../runtime/errors.ts'
import type { Step } from '../action/step.ts'
import { describeRange, periodBefore, type DateRange } from './date-range.ts'
import type { VisitorsInputs } from './inputs.ts'
import { createPageReader, walkPages } from './read-pages.ts'
import type { ComparedPages, Comparison, PageChange } from './report.ts'
import { Tally } from './tally.ts'

/** How many pages are named that gained, and as many that lost. */
const MOST_CHANGES = 10

/** The pages with the greatest change, ties by path. */
function greatest(changes: readonly PageChange[], changeOf: (change: PageChange) => number): PageChange[] {
  return changes
    .filter((change) => changeOf(change) > 0)
    .sort((a, b) => changeOf(b) - changeOf(a) || (a.path < b.path ? -1 : 1))
    .slice(0, MOST_CHANGES)
}

export function comparePages(now: Tally, before: Tally): ComparedPages {
  const [isNowWhole, isBeforeWhole] = [now.doubts === '', before.doubts === '']
  const changes: PageChange[] = []
  for (const [path, total] of now.pageTotals)
    if (isBeforeWhole || before.pageTotals.has(path))
      changes.push({ path, before: before.pageTotals.get(path) ?? 0, now: total })
  for (const [path, total] of before.pageTotals)
    if (isNowWhole && !now.pageTotals.has(path)) changes.push({ path, before: total, now: 0 })
  return {
    gained: greatest(changes, ({ before, now }) => now - before),
    lost: greatest(changes, ({ before, now }) => before - now),
    isWhole: isNowWhole && isBeforeWhole,
  }
}

async function compare(range: DateRange, isOfPages: boolean, now: Tally, step: Step): Promise<Partial<Comparison>> {
  if (!isOfPages) return { totals: (await createPageReader(range, step, 1)(0)).totals }
  const before = new Tally(0, true)
  for await (const page of walkPages(createPageReader(range, step))) before.add(page)
  return { totals: before.totals, pages: comparePages(now, before) }
}

/**
 * Reads the period of the same length before. The export is whole by then, so whatever happens here costs the comparison alone,
 * a cancelled run included, and is said. Undefined if nothing is to be compared.
 */
export async function compareWithBefore(
  inputs: VisitorsInputs,
  now: Tally,
  step: Step,
): Promise<Comparison | undefined> {
  const period = inputs.compare === 'false' ? undefined : periodBefore(inputs.range)
  if (period === undefined) return undefined
  const { name, range } = period
  step.core.log(`Comparing with ${name}, ${describeRange(range)}.`)
  try {
    return { name, ...(await compare(range, inputs.compare === 'pages', now, step)) }
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    step.core.notice('The visitors are not compared', describeError(error))
    return { name, error }
  }
}
