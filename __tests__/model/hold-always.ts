import { expect } from '@jest/globals'
import fc from 'fast-check'
import { SEED } from '../support/seed.ts'
import { getSoakMs, MODEL_RUNS, reportDrawn } from '../support/soak.ts'

/** What a failure prints to replay it. */
const path = process.env['MODEL_PATH']
export const IS_REPLAY = path !== undefined
/** More than any soak gets through. */
const MAX_SOAK_RUNS = 1_000_000_000

export interface Held {
  readonly problems: readonly string[]
  readonly log: readonly string[]
}

export interface DrawPlan {
  /** What is drawn, in the plural, for the report of a soak. */
  readonly what: string
  /** How many cases an ordinary run draws. */
  readonly runs: number
  /** The share of its suite's time that a soak draws cases for. */
  readonly soakShare: number
}

/**
 * Plays random cases and checks that every promise is kept: `runs` or `MODEL_RUNS` of them, or in a soak as many as fit into
 * its time.
 * @returns how many cases were played
 * @throws Error with the smallest case on which a promise was broken, and how to replay it
 */
export async function holdAlways<Case>(
  cases: fc.Arbitrary<Case>,
  { what, runs, soakShare }: DrawPlan,
  play: (one: Case) => Promise<Held>,
): Promise<number> {
  const hold = (one: Case): Promise<Held> =>
    play(one).catch((error: unknown) => {
      const crash = error instanceof Error ? (error.stack ?? error.message) : String(error)
      return { problems: [`It crashed. ${crash}`], log: [] }
    })
  const property = fc.asyncProperty(cases, async (one) => (await hold(one)).problems.length === 0)
  const soakMs = getSoakMs(soakShare)
  const details = await fc.check(property, {
    seed: SEED,
    ...(path !== undefined && { path }),
    ...(soakMs === undefined
      ? { numRuns: MODEL_RUNS ?? runs }
      : { numRuns: MAX_SOAK_RUNS, interruptAfterTimeLimit: soakMs }),
  })
  reportDrawn({ what, cases: details.numRuns })
  const [smallest] = details.counterexample ?? []
  if (smallest === undefined) return details.numRuns
  const { problems, log } = await hold(smallest)
  const shown = JSON.stringify(smallest, (_key, value: unknown) => (value === Infinity ? 'never' : value), 2)
  const { currentTestName = '' } = expect.getState()
  const lines = [
    ...problems,
    '',
    `Replay: SEED=${details.seed} MODEL_PATH=${details.counterexamplePath ?? ''} npm test -- __tests__/model -t '${currentTestName}'`,
    `Found after ${details.numRuns} runs, shrunk ${details.numShrinks} times to:`,
    shown,
    'Keep it as a test in regressions.test.ts or histories.test.ts. Its log:',
    ...log,
  ]
  throw new Error(lines.join('\n'))
}
