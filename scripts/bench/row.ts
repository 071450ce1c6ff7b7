/** A result of this action, the floor, optimum or peers it is compared with, and its ratio to the first of them. */
export type Row = readonly [what: string, ours: string, comparison: string, ratio: number]
