import type { ActionError } from '../runtime/errors.ts'
import type { DateRange } from './date-range.ts'
import type { VisitorTotals } from './export-format.ts'
import type { VisitorList } from './visitor-list.ts'

/** How a step can end. Only the first two leave a file. */
export const ENDINGS = ['complete', 'uncertain', 'cancelled', 'skipped', 'error'] as const
export type Ending = (typeof ENDINGS)[number]

/** Unique visitors of one page in two periods. */
export interface PageChange {
  readonly path: string
  readonly before: number
  readonly now: number
}

/** The pages that gained and lost the most. */
export interface ComparedPages {
  readonly gained: readonly PageChange[]
  readonly lost: readonly PageChange[]
  /** Whether both lists are whole. Else a page that only one of them names is left out: the other may lack it. */
  readonly isWhole: boolean
}

export interface Comparison {
  /** Of the period, for the middle of a sentence. */
  readonly name: string
  /** Undefined if the period could not be read. */
  readonly totals?: VisitorTotals | undefined
  readonly pages?: ComparedPages
  readonly error?: ActionError
}

/** All that the step knows at its end. Log, outputs, summary and exit code are made of this and of nothing else. */
export interface Report extends Readonly<Pick<VisitorList, 'totals' | 'rows' | 'topPages' | 'doubts'>> {
  readonly ending: Ending
  /** This and the range are undefined if the inputs did not say what to do. */
  readonly projectId?: string
  readonly range?: DateRange
  /** The file's path below the workspace; undefined if there is none. */
  readonly file?: string
  /** Undefined if nothing was to be compared, or there is no file. */
  readonly comparison?: Comparison | undefined
  readonly durationMs: number
  /** What the ending `error` came of. That of a file has no code and no quote. */
  readonly error?: (Pick<ActionError, 'message' | 'hint'> & Partial<Pick<ActionError, 'code' | 'quote'>>) | undefined
}
