/**
 * A result of this action, the baseline, optimum or peers it is compared with, its ratio to the first of them, and the largest ratio
 * that is accepted.
 */
export type Row = readonly [what: string, ours: string, comparison: string, ratio: number, most?: number | undefined]
