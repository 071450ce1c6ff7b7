import { appendFileSync } from 'node:fs'

/**
 * `npm run test:soak` gives each of its suites this much time, in milliseconds, to draw as many cases as fit. Undefined in
 * `npm test`, which draws a fixed number.
 */
const suiteMs = process.env['SOAK_SUITE_MS'] === undefined ? undefined : Number(process.env['SOAK_SUITE_MS'])

export const IS_SOAK = suiteMs !== undefined

/** For tests that draw cases: a test that hangs ends, and one that draws until its time is over does not fail. */
export const DRAWING_TEST_TIMEOUT_MS = 2 * (suiteMs ?? 0) + 600_000

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
