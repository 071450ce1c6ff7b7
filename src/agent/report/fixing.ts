/** Why failing checks go back to the job no further. */
export const STOPS = {
  passed: 'All its checks have passed.',
  'used-up': 'No round is left.',
  unmoved: 'The agent added no commit, so the same checks would fail again.',
  diverged: 'The commit that was checked is not in the pull request any more.',
  over: 'The pull request is closed or merged.',
  elsewhere: 'The job does not name this pull request any more.',
  others: 'Somebody else has committed to the pull request meanwhile.',
  'red-before': 'The failed checks also fail without these changes.',
  'needs-person': 'The failed checks need somebody to act, such as to sign an agreement, which the agent cannot do.',
  'no-time': 'Less than ten minutes are left of `timeout-minutes`.',
  'nothing-to-tell': 'No check is known to have failed.',
  'not-sent': 'The failing checks could not be sent to the agent.',
  failed: 'The job failed.',
  archived: 'The job is archived, so it takes no failing checks.',
  'left-behind':
    'The pull request was merged or closed while the agent worked on the failing checks, and commits may be in no merge.',
  unseen: 'The end of the agent’s work on the failing checks was not seen.',
}

export type RoundStop = keyof typeof STOPS

/** What a report has of the rounds that were sent, and why none follows. */
interface Fixing {
  readonly rounds: readonly unknown[]
  readonly stop?: RoundStop | undefined
}

/** Whether failing checks were sent back to the job, and no end of that was seen. */
export function isFixing({ rounds, stop }: Fixing): boolean {
  return rounds.length > 0 && stop === undefined
}

/** Whether a round may have changed what was not looked at again. */
export function mayHaveChanged({ rounds, stop = 'unseen' }: Fixing): boolean {
  return rounds.length > 0 && (stop === 'unseen' || stop === 'elsewhere')
}

/** What was sent and why it ended there, as full sentences; nothing if nobody asked for rounds. */
export function formatFixing({ rounds, stop }: Fixing): string[] {
  const why = stop === undefined || stop === 'passed' ? [] : [STOPS[stop]]
  if (rounds.length === 0) return why.length === 0 ? [] : ['Failing checks were not sent back to the agent.', ...why]
  const count = rounds.length === 1 ? 'once' : `${rounds.length} times`
  return [`Failing checks were sent back to the agent ${count}.`, ...why]
}
