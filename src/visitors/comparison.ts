/** Compares the exported period with the preceding one. An error costs only the comparison, not the file. */
import type { Step } from '../action/step.ts'
import { ActionError, describeError } from '../runtime/errors.ts'
import { getPrecedingPeriod, namePrecedingPeriod } from './date-range.ts'
import type { VisitorsInputs, VisitorTotals } from './inputs.ts'
import { createPageReader } from './visitor-list.ts'

export interface PeriodComparison {
  /** The preceding period, for the middle of a sentence: `the 30 days before`. */
  readonly name: string
  /** Undefined if they could not be read. */
  readonly totals?: VisitorTotals
  /** Why the totals could not be read. */
  readonly error?: ActionError
}

/**
 * Reads the totals of the preceding period. The file is already complete, so any error, even a cancelled run, is only
 * reported.
 * @returns undefined if the inputs request no comparison
 */
export async function readComparison(
  { compare, range: { dateFrom, dateTo } }: VisitorsInputs,
  step: Step,
): Promise<PeriodComparison | undefined> {
  if (!compare || dateFrom === undefined || dateTo === undefined) return undefined
  const name = namePrecedingPeriod({ dateFrom, dateTo })
  step.runner.log(`Reading the totals of ${name}.`)
  try {
    const { totals } = await createPageReader(getPrecedingPeriod({ dateFrom, dateTo }), step, 1)(0)
    return { name, totals }
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    step.runner.notice(`There is no comparison with ${name}`, describeError(error))
    return { name, error }
  }
}
