import { within } from '../../action/step.ts'
import type { ComparedCommit } from '../../github/commits.ts'
import type { AgentStep } from '../report/journal.ts'
import { compareWhatIsThere } from './compare-range.ts'
import { findChangeRange } from './change-range.ts'

/** The people who wrote the commits, by their logins: most commits first, and of as many whoever wrote the newest. */
export function rankAuthors(commits: readonly ComparedCommit[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { account } of commits.toReversed())
    if (account?.type === 'User' && account.login !== '')
      counts.set(account.login, (counts.get(account.login) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a).map(([login]) => login)
}

/**
 * Who wrote the change that started the run, if they are to be asked for a review.
 * @param commits of the change, if it was compared
 */
export async function findChangeAuthors(
  commits: readonly ComparedCommit[] | undefined,
  step: AgentStep,
): Promise<readonly string[]> {
  const { inputs } = step
  if (!inputs.reviewers.hasAuthors) return []
  if (commits !== undefined) return rankAuthors(commits)
  const lost = 'Could not tell who wrote the change, so they are not asked for a review'
  const range = findChangeRange(step.context, inputs.changeRange)
  const ask = () => compareWhatIsThere(range, within(step, step.questions))
  const found = await step.journal.bestEffort(lost, ask)
  return found === undefined || 'reason' in found ? [] : rankAuthors(found.commits)
}
