import fc from 'fast-check'
import { SEED } from '../support/seed.ts'

/** What a failure prints to replay it. */
const path = process.env['MODEL_PATH']
export const IS_REPLAY = path !== undefined

export interface Held {
  readonly problems: readonly string[]
  readonly log: readonly string[]
}

/**
 * Plays what is drawn, so often, and looks whether every promise holds.
 * @throws Error with the smallest case on which one was broken, and how to replay it
 */
export async function holdAlways<Case>(
  cases: fc.Arbitrary<Case>,
  numRuns: number,
  play: (one: Case) => Promise<Held>,
): Promise<void> {
  const hold = (one: Case): Promise<Held> =>
    play(one).catch((error: unknown) => {
      const crash = error instanceof Error ? (error.stack ?? error.message) : String(error)
      return { problems: [`It crashed. ${crash}`], log: [] }
    })
  const property = fc.asyncProperty(cases, async (one) => (await hold(one)).problems.length === 0)
  const details = await fc.check(property, { numRuns, seed: SEED, ...(path === undefined ? {} : { path }) })
  const [smallest] = details.counterexample ?? []
  if (smallest === undefined) return
  const { problems, log } = await hold(smallest)
  const shown = JSON.stringify(smallest, (_key, value: unknown) => (value === Infinity ? 'never' : value), 2)
  const lines = [
    ...problems,
    '',
    `Replay: SEED=${details.seed} MODEL_PATH=${details.counterexamplePath ?? ''} npm test -- __tests__/model -t '<this test>'`,
    `Found after ${details.numRuns} runs, shrunk ${details.numShrinks} times to:`,
    shown,
    'Its log:',
    ...log,
  ]
  throw new Error(lines.join('\n'))
}
