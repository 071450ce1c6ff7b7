import { ActionError, orNotSent } from '../../runtime/errors.ts'
import { joinWords } from '../../text/sentences.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import type { AgentStep } from '../report/journal.ts'
import type { ChangeRange } from './change-range.ts'
import { compareWhatIsThere, type FoundChange } from './compare-range.ts'

/** The inputs that need the change, of those that are set. */
const listDependents = ({ pathFilter, changeContext, changeRange, skipLabels }: AgentInputs): readonly string[] => [
  ...(pathFilter === undefined ? [] : [`\`${pathFilter.kind}\``]),
  ...(changeContext === 'none' ? [] : ['`change-context`']),
  ...(changeRange.kind === 'event' ? [] : ['`change-range`']),
  ...(skipLabels.length === 0 ? [] : ['`skip-labels`']),
]

export const isChangeWanted = (inputs: AgentInputs): boolean => listDependents(inputs).length > 0

export const needsFiles = ({ pathFilter, changeContext }: AgentInputs): boolean =>
  pathFilter !== undefined || changeContext === 'files' || changeContext === 'diff'

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
      'Use `on-open-pr: follow-up`, or leave out `change-range`, `change-context`, `paths` and `paths-ignore`.',
    )
}

/** Another change is sent than the one that was asked for. */
function noticeGone({ gone, ...found }: FoundChange, { journal }: AgentStep): void {
  const runs = gone === 1 ? 'the last successful run' : `the last ${gone} successful runs`
  const instead = 'reason' in found ? 'nothing, as there is none before' : found.title
  journal.notice(
    'A commit to compare with is gone',
    `The commit of ${runs} is no longer in the repository, as after a forced push. It is compared instead: ${instead}.`,
  )
}

/**
 * Compares the range, or gives undefined if that fails and no input needs it.
 * @throws ActionError `not-sent` if an input needs the change and GitHub does not provide it: a prompt without its change
 * wastes a job, and a green run moves the base of the next range past commits that were never sent
 */
export async function compareWanted(range: ChangeRange, step: AgentStep): Promise<FoundChange | undefined> {
  const { inputs, journal } = step
  const look = async (): Promise<FoundChange> => {
    const found = await compareWhatIsThere(range, step)
    if (needsFiles(inputs) && 'fileList' in found && found.fileList === 'unreadable')
      throw new ActionError('bad-answer', 'GitHub did not list the changed files in a form that can be read.', {
        hint: 'Run the step again later, or use `change-context: commits` without `paths` and `paths-ignore`.',
      })
    if (found.gone > 0 && range.kind === 'since-last-success') noticeGone(found, step)
    return found
  }
  const dependents = listDependents(inputs)
  if (dependents.length === 0) return journal.bestEffort('Could not determine what the tag contains', look)
  const unknown = `Could not determine what changed, which is needed for ${joinWords(dependents)}`
  return orNotSent(unknown, look, 'Run the step again when GitHub responds.')
}
