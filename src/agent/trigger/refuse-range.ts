import type { Context } from '../../action/context.ts'
import { ActionError } from '../../runtime/errors.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import type { ChangeRange } from './change-range.ts'

/** Whether anything depends on what changed. */
export const isChangeWanted = ({ pathFilter, changeContext }: AgentInputs): boolean =>
  pathFilter !== undefined || changeContext !== 'none'

/**
 * What other runs that `workflow_run` started have told is not known, so that a base could pass over what none has told. A
 * skipped run is green, and would move the base past what was never told.
 * @throws ActionError `invalid-input` if the range looks back where that would lose a change
 */
export function refuseToLookBack(range: ChangeRange, inputs: AgentInputs, { event }: Context): void {
  const { changeRange, command, onOpenPr, task } = inputs
  if (!isChangeWanted(inputs)) return
  if (changeRange.kind === 'since-last-success' && event.kind === 'workflow-run')
    throw new ActionError(
      'invalid-input',
      '`change-range` is `since-last-success`, which must not be given after `workflow_run`: GitHub does not say which commit such a run was about, and changes might never be told.',
      {
        hint: 'Nothing was sent. Leave out `change-range`, so that it is what the other workflow ran on, or let a push or a schedule start the workflow.',
      },
    )
  if (range.kind === 'since-last-success' && onOpenPr === 'skip' && command === '' && task.kind === 'create')
    throw new ActionError(
      'invalid-input',
      '`on-open-pr` is `skip`, which must not be given if the change is everything since the last successful run: a skipped run is green, and what changed before it would never be told.',
      {
        hint: 'Nothing was sent. Use `on-open-pr: follow-up`, or leave out `change-context`, `paths` and `paths-ignore`.',
      },
    )
}
