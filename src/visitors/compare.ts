import { ActionError, describeError } from '../runtime/errors.ts'
import type { Step } from '../action/step.ts'
import { describeRange, periodBefore, type DateRange, type PeriodBefore } from './date-range.ts'
import type { VisitorsInputs } from './inputs.ts'
import { PageChanges } from './page-changes.ts'
import { createPageReader } from './page-reader.ts'
import type { Comparison } from './report.ts'
import { Tally } from './tally.ts'
import { walkPages } from './walk-pages.ts'

type Compared = Omit<Extract<Comparison, { kind: 'compared' }>, 'kind' | 'name'>

async function compareTotals(range: DateRange, step: Step): Promise<Compared> {
  const { totals } = await createPageReader(range, step, 1)(0)
  return { totals }
}

async function comparePages(
  range: DateRange,
  now: Tally,
  pageTotals: Map<string, number>,
  step: Step,
): Promise<Compared> {
  const isNowWhole = now.doubts.length === 0
  const changes = new PageChanges(pageTotals, isNowWhole)
  const before = new Tally(0)
  for await (const page of walkPages(createPageReader(range, step))) {
    before.add(page)
    for (const row of page.rows) changes.addBefore(row)
  }
  const isBeforeWhole = before.doubts.length === 0
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
  { compare, range }: VisitorsInputs,
  now: Tally,
  step: Step,
): Promise<Comparison | undefined> {
  const period: PeriodBefore | undefined = compare === 'false' ? undefined : periodBefore(range)
  if (period === undefined) return undefined
  const { core } = step
  const { name } = period
  core.log(`Comparing with ${name}, ${describeRange(period.range)}.`)
  try {
    const { pageTotals } = now
    const compared =
      pageTotals === undefined ? compareTotals(period.range, step) : comparePages(period.range, now, pageTotals, step)
    return { kind: 'compared', name, ...(await compared) }
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    core.notice('The visitors are not compared', describeError(error))
    return { kind: 'failed', name, error }
  }
}
