import { expect } from '@jest/globals'
import fc from 'fast-check'
import { RUNS, SEED } from '../../testing/seed.ts'

/** The position of a case in the sequence of its seed. A failure prints it. */
const path = process.env['MODEL_PATH']
export interface CaseResult {
  readonly problems: readonly string[]
  readonly log: readonly string[]
}

/**
 * Plays random cases and checks that none has problems.
 * @param usualCases how many cases are played, times `RUNS`
 * @returns how many cases were played
 * @throws Error with the smallest case that has problems, and the command that replays it
 */
export async function checkCases<Case>(
  cases: fc.Arbitrary<Case>,
  usualCases: number,
  play: (drawn: Case) => Promise<CaseResult>,
): Promise<number> {
  const playSafely = (drawn: Case): Promise<CaseResult> =>
    play(drawn).catch((error: unknown) => {
      const crash = error instanceof Error ? (error.stack ?? error.message) : String(error)
      return { problems: [`The case crashed. ${crash}`], log: [] }
    })
  const property = fc.asyncProperty(cases, async (drawn) => (await playSafely(drawn)).problems.length === 0)
  const details = await fc.check(property, {
    seed: SEED,
    ...(path !== undefined && { path }),
    numRuns: usualCases * RUNS,
  })
  const [smallest] = details.counterexample ?? []
  if (smallest === undefined) return details.numRuns
  const { problems, log } = await playSafely(smallest)
  const shown = JSON.stringify(smallest, (_key, value: unknown) => (value === Infinity ? 'never' : value), 2)
  const { currentTestName = '' } = expect.getState()
  const lines = [
    ...problems,
    '',
    `Replay: SEED=${details.seed} MODEL_PATH=${details.counterexamplePath ?? ''} npm test -- __tests__/model -t '${currentTestName}'`,
    `Found after ${details.numRuns} runs, shrunk ${details.numShrinks} times to:`,
    shown,
    'Keep this case as a test in regressions.test.ts or histories.test.ts. Its log:',
    ...log,
  ]
  throw new Error(lines.join('\n'))
}
