import type { Trace } from './run-schedule.ts'

/** Something that must hold on every schedule; gives what is wrong, or undefined. */
export interface Invariant {
  readonly sentence: string
  readonly problem: (trace: Trace) => string | undefined
}

/** The problem, where there is one. */
export function problemIf(condition: boolean, problem: string): string | undefined {
  return condition ? problem : undefined
}
