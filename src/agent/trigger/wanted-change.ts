import { endingAt } from '../../action/step.ts'
import { ActionError, orAbort } from '../../runtime/errors.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import type { AgentStep } from '../report/journal.ts'
import type { ChangeRange } from './change-range.ts'
import { compareWhatIsThere, type FoundChange } from './compare-range.ts'

/** Questions that come before the job get this much of the step's time, in milliseconds, and no more than half of it. */
const QUESTIONS_MS = 120_000

export function beforeTheJob(step: AgentStep): AgentStep {
  return endingAt(step, step.startedAt + Math.min(QUESTIONS_MS, step.inputs.timeoutMs / 2))
}

/** The inputs that depend on what changed, of those that were given. */
const dependentsOf = ({ pathFilter, changeContext }: AgentInputs): readonly string[] => [
  ...(pathFilter === undefined ? [] : [`\`${pathFilter.kind}\``]),
  ...(changeContext === 'none' ? [] : ['`change-context`']),
]

export const isChangeWanted = (inputs: AgentInputs): boolean => dependentsOf(inputs).length > 0

const wrongInput = (message: string, advice: string): ActionError =>
  new ActionError('invalid-input', message, { hint: `Nothing was sent. ${advice}` })

/**
 * What other runs that `workflow_run` started have told is not known, so that a base could pass over what none has told. A
 * skipped run is green, and would move the base past what was never told.
 * @throws ActionError `invalid-input` if the range looks back where that would lose a change
 */
export function refuseToLookBack(range: ChangeRange, { context: { event }, inputs }: AgentStep): void {
  const { changeRange, command, onOpenPr, task } = inputs
  if (!isChangeWanted(inputs)) return
  if (changeRange.kind === 'since-last-success' && event.kind === 'workflow-run')
    throw wrongInput(
      '`change-range` is `since-last-success`, which cannot be used after `workflow_run`: GitHub does not say which commit such a run was about, so changes could be missed.',
      'Leave out `change-range`, so that it is what the other workflow ran on, or let a push or a schedule start the workflow.',
    )
  if (range.kind === 'since-last-success' && onOpenPr === 'skip' && command === '' && task.kind === 'create')
    throw wrongInput(
      '`on-open-pr` is `skip`, which cannot be used if the change is everything since the last successful run: a skipped run is green, and what changed before it would be missed.',
      'Use `on-open-pr: follow-up`, or leave out `change-context`, `paths` and `paths-ignore`.',
    )
}

/** Another change is told than the one that was asked for. */
function noticeGone({ gone, ...found }: FoundChange, { journal }: AgentStep): void {
  const runs = gone === 1 ? 'the last successful run' : `the last ${gone} successful runs`
  const instead = 'reason' in found ? 'nothing, as there is none before' : found.title
  journal.notice(
    'A commit to compare with is gone',
    `The commit of ${runs} is no longer in the repository, as after a forced push. It is compared instead: ${instead}.`,
  )
}

/**
 * The change that is wanted, undefined if it could not be found out.
 * @throws ActionError `not-sent` if the user asked for this very range: a green run would move the base of the next one past it
 */
export async function compareWanted(range: ChangeRange, step: AgentStep): Promise<FoundChange | undefined> {
  const { inputs, journal } = step
  const look = async (): Promise<FoundChange> => {
    const found = await compareWhatIsThere(range, step)
    if (found.gone > 0 && range.kind === 'since-last-success') noticeGone(found, step)
    return found
  }
  const dependents = dependentsOf(inputs)
  if (dependents.length === 0) return journal.bestEffort('Could not tell what the tag points to', look)
  const lost = 'Could not tell what changed, '
  if (inputs.changeRange.kind === 'event')
    return journal.bestEffort(`${lost}so ${dependents.join(' and ')} had no effect`, look)
  return orAbort(`${lost}and \`change-range\` asks for it`, look, 'Run the step again when GitHub can be asked.')
}
