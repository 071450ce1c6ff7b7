/** What was measured, beside the floor, the optimum or peers in the same run; and the ratio of the action to the first of them. */
export type Row = readonly [what: string, ours: string, beside: string, ratio: number]
