import type { GitHub } from '../github/github.ts'
import { ActionError } from '../runtime/errors.ts'
import type { Step } from './step.ts'

/**
 * GitHub for some questions, which a GitHub that hangs must not let take the time of the step.
 * @param timeMs what they may take in all
 * @param graceMs how far past the step's deadline they may go
 * @throws ActionError if there is no token, or GitHub's client cannot be started
 */
export async function openGitHub({ clock, deadlineAt, github }: Step, timeMs: number, graceMs = 0): Promise<GitHub> {
  const opened = await github()
  if (opened === undefined) throw new ActionError('unauthorized', 'there is no `github-token`.')
  return opened.until(Math.min(clock.now() + timeMs, deadlineAt + graceMs))
}
