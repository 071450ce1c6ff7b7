import { appendFileSync } from 'node:fs'

/**
 * `npm run test:soak` gives each of its suites this much time, in milliseconds, to draw as many cases as fit. Undefined in
 * `npm test`, which draws a fixed number.
 */
const suiteMs = process.env['SOAK_SUITE_MS'] === undefined ? undefined : Number(process.env['SOAK_SUITE_MS'])

export const IS_SOAK = suiteMs !== undefined

/**
 * How many cases each test of a model draws, in place of its own number: `MODEL_RUNS=5000 SEED=7 npm test -- __tests__/model`.
 */
export const MODEL_RUNS = process.env['MODEL_RUNS'] === undefined ? undefined : Number(process.env['MODEL_RUNS'])

/** A test that draws cases ends if it hangs. Until its time is over, or its cases are drawn at a second each, it may draw. */
export const DRAWING_TEST_TIMEOUT_MS = 2 * (suiteMs ?? 0) + 1_000 * (MODEL_RUNS ?? 0) + 600_000

/** How long a test of a suite may draw cases, by its share of the suite's time; undefined in an ordinary run. */
export function getSoakMs(share: number): number | undefined {
  return suiteMs === undefined ? undefined : suiteMs * share
}

/** What one test has drawn, for the report at the end of a soak. */
export interface Drawn {
  readonly what: string
  readonly cases: number
}

/** Adds a line to the report of a soak; does nothing in an ordinary run. */
export function reportDrawn(drawn: Drawn): void {
  const report = process.env['SOAK_REPORT']
  if (report !== undefined) appendFileSync(report, `${JSON.stringify(drawn)}\n`)
}
