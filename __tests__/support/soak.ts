import { appendFileSync } from 'node:fs'

/**
 * The time in which each suite of `npm run test:soak` draws as many cases as possible, in milliseconds. Undefined in
 * `npm test`, which draws a fixed number of cases.
 */
const suiteMs = process.env['SOAK_SUITE_MS'] === undefined ? undefined : Number(process.env['SOAK_SUITE_MS'])

export const IS_SOAK = suiteMs !== undefined

/**
 * Replaces the number of cases of each model test: `MODEL_RUNS=5000 SEED=7 npm test -- __tests__/model`.
 */
export const MODEL_RUNS = process.env['MODEL_RUNS'] === undefined ? undefined : Number(process.env['MODEL_RUNS'])

/** The timeout of tests that draw cases: twice the time of a suite, a second for each case, and ten minutes. */
export const DRAWING_TEST_TIMEOUT_MS = 2 * (suiteMs ?? 0) + 1_000 * (MODEL_RUNS ?? 0) + 600_000

/** Returns how long a test may draw cases, as a share of the time of its suite. Undefined outside of a soak. */
export function getSoakMs(share: number): number | undefined {
  return suiteMs === undefined ? undefined : suiteMs * share
}

/** The number of cases of a test, for the report at the end of a soak. */
export interface Drawn {
  readonly what: string
  readonly cases: number
}

/** Adds a line to the report of a soak. Does nothing otherwise. */
export function reportDrawn(drawn: Drawn): void {
  const report = process.env['SOAK_REPORT']
  if (report !== undefined) appendFileSync(report, `${JSON.stringify(drawn)}\n`)
}
