import { ActionError, describeError } from '../runtime/errors.ts'
import type { Step } from '../action/step.ts'
import { describeRange, periodBefore, type DateRange } from './date-range.ts'
import type { VisitorsInputs } from './inputs.ts'
import { createPageReader, walkPages } from './read-pages.ts'
import type { Comparison } from './report.ts'
import { PageChanges, Tally } from './tally.ts'

async function compare(range: DateRange, { doubts, pageTotals }: Tally, step: Step): Promise<Omit<Comparison, 'name'>> {
  if (pageTotals === undefined) return { totals: (await createPageReader(range, step, 1)(0)).totals }
  const isNowWhole = doubts.size === 0
  const changes = new PageChanges(pageTotals, isNowWhole)
  const before = new Tally(0)
  for await (const page of walkPages(createPageReader(range, step))) {
    before.add(page)
    for (const row of page.rows) changes.addBefore(row)
  }
  const isBeforeWhole = before.doubts.size === 0
  if (isBeforeWhole) changes.addNew()
  const { gained, lost } = changes
  const { totals = { human: 0, ai: 0, total: 0 } } = before
  return { totals, pages: { gained, lost, isWhole: isNowWhole && isBeforeWhole } }
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
    return { name, ...(await compare(range, now, step)) }
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    step.core.notice('The visitors are not compared', describeError(error))
    return { name, error }
  }
}
