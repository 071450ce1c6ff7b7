import { ActionError } from '../../runtime/errors.ts'

/** Why failing checks go back to the job no further. */
const STOPS = {
  passed: 'All its checks have passed.',
  'used-up': 'No round is left.',
  unmoved: 'The agent added no commit, so the same checks would fail again.',
  diverged: 'The commit that was checked is not in the pull request any more.',
  over: 'The pull request is closed or merged.',
  elsewhere: 'The job does not name this pull request any more.',
  others: 'Somebody else has committed to the pull request meanwhile.',
  'red-before': 'The failed checks also fail without these changes.',
  'no-time': 'Less than ten minutes are left of `timeout-minutes`.',
  'nothing-to-tell': 'No check is known to have failed.',
  'not-sent': 'The failing checks could not be sent to the agent.',
  failed: 'The job failed.',
  archived: 'The job is archived, so it takes no failing checks.',
  'left-behind':
    'The pull request was merged or closed while the agent worked on the failing checks, and commits may be in no merge.',
  unseen: 'The end of the agent’s work on the failing checks was not seen.',
}

export type FixStop = keyof typeof STOPS

/** How failing checks went back to the job. */
export interface Fixing {
  /** How many rounds were sent, one whose fate is unknown included. */
  readonly sent: number
  /** Undefined while a round is on its way. */
  readonly stop?: FixStop
}

export function formatStop(stop: FixStop): string {
  return STOPS[stop]
}

/** At the last look, a round is not to be sent any more. */
export class RoundRefused extends ActionError {
  readonly stop: FixStop

  constructor(stop: FixStop) {
    super('not-sent', formatStop(stop))
    this.stop = stop
  }
}

/** Whether a round may have changed what was not looked at again. */
export function mayHaveChanged(fixing: Fixing | undefined): boolean {
  const { sent = 0, stop = 'unseen' } = fixing ?? {}
  return sent > 0 && (stop === 'unseen' || stop === 'elsewhere')
}

/** What was sent and why it ended there, as full sentences; nothing if nobody asked for rounds. */
export function formatFixing(fixing: Fixing | undefined): string[] {
  if (fixing === undefined || (fixing.sent === 0 && fixing.stop === 'passed')) return []
  const { sent, stop } = fixing
  const count =
    sent === 0 ? 'not sent back to the agent' : `sent back to the agent ${sent === 1 ? 'once' : `${sent} times`}`
  return [`Failing checks were ${count}.`, ...(stop === undefined || stop === 'passed' ? [] : [formatStop(stop)])]
}
