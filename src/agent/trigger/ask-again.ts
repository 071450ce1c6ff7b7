import type { Step } from '../../action/step.ts'

/**
 * Asks until an answer will do, after each of the pauses. The last answer counts, whatever it is.
 * @param pausesMs in milliseconds
 * @param endsAt on the clock's scale: no pause goes beyond it
 */
export async function askAgain<T>(
  ask: () => Promise<T>,
  willDo: (answer: T) => boolean,
  pausesMs: readonly number[],
  { clock, signal }: Pick<Step, 'clock' | 'signal'>,
  endsAt: number,
): Promise<T> {
  let answer = await ask()
  for (const ms of pausesMs) {
    if (willDo(answer) || clock.now() + ms >= endsAt) break
    await clock.sleep(ms, signal)
    answer = await ask()
  }
  return answer
}
