import type { ComparedCommit } from '../../github/comparisons.ts'
import type { Context } from '../../action/context.ts'
import { ActionError, rethrowFatal } from '../../runtime/errors.ts'
import { joinSentences } from '../../text/sentences.ts'
import type { Step } from '../../action/step.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import type { Task } from '../inputs/task.ts'
import type { Journal } from '../report/journal.ts'
import { changeSection } from '../prompt/change-section.ts'
import type { ChangeRange } from './change-range.ts'
import { compareWhatIsThere, formatGone, type Compared, type Looked } from './compare-range.ts'
import { findChangeRange } from './event-range.ts'
import { findEventSubject } from './event-subject.ts'
import { countByPaths } from './count-by-paths.ts'
import { openLoopGuard, openQuestions, type GitHubUntil } from './loop-guard.ts'
import { eventSection } from '../prompt/event-section.ts'
import { renderSections } from '../prompt/sections.ts'

/** What was found out about the change that started the run, before anything was asked of the service. */
export interface ChangeFindings {
  /** Why nothing is to be asked of the service, as a full sentence; undefined if it is to be asked. */
  readonly skipReason: string | undefined
  /** To put behind the prompt; empty if nothing is. */
  readonly promptContext: string
  /** The range in words, what was counted in it and what of it was sent; undefined if no range was looked at. */
  readonly description: string | undefined
  /** Those of the range, if one was compared. */
  readonly commits?: readonly ComparedCommit[]
}

const NOTHING_FOUND: ChangeFindings = { skipReason: undefined, promptContext: '', description: undefined }

const skipped = (skipReason: string, description?: string): ChangeFindings => ({
  skipReason,
  promptContext: '',
  description,
})

/** What finding a range costs beyond `contents: read`. */
const PERMISSIONS: Readonly<Partial<Record<ChangeRange['kind'], string>>> = {
  'since-last-success': ' and `actions: read`',
  'pull-request': ' and `pull-requests: read`',
}

function noToken(range: ChangeRange): ActionError {
  const permissions = `\`contents: read\`${PERMISSIONS[range.kind] ?? ''}`
  return new ActionError('unauthorized', 'there is no `github-token`.', {
    hint: `Leave \`github-token\` at its default and grant the workflow's job ${permissions}, or give a token that has it.`,
  })
}

/** What is lost where the change cannot be read. */
function lossOf({ changeContext, pathFilter }: AgentInputs): string {
  const wanted = [
    ...(pathFilter === undefined ? [] : [`\`${pathFilter.kind}\``]),
    ...(changeContext === 'none' ? [] : ['`change-context`']),
  ]
  if (wanted.length === 0) return 'What the tag stands for is not known'
  return `What changed is not known, so ${wanted.join(' and ')} had no effect`
}

const isWanted = ({ pathFilter, changeContext }: AgentInputs): boolean =>
  pathFilter !== undefined || changeContext !== 'none'

/**
 * What other runs that `workflow_run` started have told is not known, so that a base could pass over what none has told.
 * @throws ActionError `invalid-input` if a range is asked for that is never known after this event
 */
export function refuseToLookBack(inputs: AgentInputs, { context }: Step): void {
  if (inputs.task.kind === 'attach' || !isWanted(inputs)) return
  if (inputs.changeRange.kind !== 'since-last-success' || context.event.kind !== 'workflow-run') return
  throw new ActionError(
    'invalid-input',
    '`change-range` is `since-last-success`, which must not be given after `workflow_run`: GitHub does not say which commit such a run was about, and changes might never be told.',
    {
      hint: 'Nothing was sent. Leave out `change-range`, so that it is what the other workflow ran on, or let a push or a schedule start the workflow.',
    },
  )
}

/** Why the event itself has nothing for the agent, whose range may still look back. */
function whyIdle(range: ChangeRange): string | undefined {
  const own = range.kind === 'since-last-success' ? range.firstTime : range
  return own?.kind === 'nothing-changed' ? `Nothing changed: ${own.reason}.` : undefined
}

/**
 * Looks at the change that started the run: whether it is one for the agent, and what to tell of it. What cannot be found
 * out is a shortfall, and then the step goes on: a question without an answer skips nothing.
 * @throws ActionError `cancelled`
 */
export async function resolveChange(
  task: Task,
  inputs: AgentInputs,
  step: Step,
  journal: Journal,
): Promise<ChangeFindings> {
  // Attaching spends nothing and sends nothing, so it needs no reason.
  if (task.kind === 'attach') return NOTHING_FOUND
  const range = findChangeRange(step.context, inputs.changeRange)
  const wantsChange = isWanted(inputs)
  const idle = whyIdle(range)
  if (idle !== undefined && (range.kind === 'nothing-changed' || !wantsChange)) return skipped(idle)

  const guard = openLoopGuard(inputs, step, journal)
  const needsRange = wantsChange || guard.needsRange
  if (!needsRange && !guard.asksOfChange) return NOTHING_FOUND
  // Files first: right after a push it may take a minute until GitHub knows where the commits came from.
  const looked = needsRange ? await compareWanted(range, inputs, step, journal) : undefined
  if (looked?.kind !== 'compared') {
    if (idle !== undefined && looked !== undefined) return skipped(idle)
    // What came before the event's own commits is not known then.
    const mayBeMore = wantsChange && looked === undefined && range.kind === 'since-last-success'
    const ownCommits = mayBeMore ? guard.ofUnknown : await guard.ofItsCommits()
    if (ownCommits !== undefined) return skipped(ownCommits)
    const about = withContext(undefined, inputs, step)
    const nothing = looked === undefined ? undefined : `Nothing to compare: ${looked.reason}.`
    return { ...about, description: joinSentences([nothing, about.description]) || undefined }
  }
  const { compared } = looked
  const { description, skipReason, doubt } = await countByPaths(compared, inputs.pathFilter, step)
  step.core.log(description)
  const { event } = step.context
  const isAllPushed = inputs.changeRange.kind === 'event' && 'push' in event && event.push !== undefined
  // A range of its own has nothing to do with the event.
  const isTheirs = inputs.changeRange.kind === 'between' && guard.asksOfChange
  const reason =
    skipReason ??
    (compared.comparison.relation === 'identical' ? idle : undefined) ??
    (await (isTheirs || (isAllPushed && !guard.needsRange) ? guard.ofItsCommits() : guard.ofRange(compared)))
  if (reason !== undefined) return skipped(reason, description)
  if (doubt !== undefined) step.core.log(doubt)
  const { promptContext, description: sent } = withContext(compared, inputs, step)
  const { commits } = compared.comparison
  return { skipReason: undefined, promptContext, description: joinSentences([description, sent]), commits }
}

/** Where there is nothing to compare, nobody need be asked. */
async function compareNow(range: ChangeRange, asked: GitHubUntil | undefined, context: Context): Promise<Looked> {
  if (range.kind === 'nothing-to-compare') return { kind: 'nothing', gone: 0, reason: range.reason }
  if (asked === undefined) throw noToken(range)
  return compareWhatIsThere(range, asked.github, context)
}

/**
 * Undefined if it could not be found out.
 * @throws ActionError `not-sent` if the user asked for this very range: a green run would move the base of the next one past it
 */
async function compareWanted(
  range: ChangeRange,
  inputs: AgentInputs,
  step: Step,
  journal: Journal,
): Promise<Looked | undefined> {
  const { context, core } = step
  try {
    const looked = await compareNow(range, await openQuestions(inputs, step), context)
    if (looked.gone > 0 && range.kind === 'since-last-success') journal.notice(...formatGone(looked))
    if (looked.kind === 'nothing') core.log(`Nothing to compare: ${looked.reason}.`)
    return looked
  } catch (caught) {
    const error = rethrowFatal(caught)
    if (inputs.changeRange.kind !== 'event' && isWanted(inputs))
      throw new ActionError(
        'not-sent',
        `What changed is not known, and \`change-range\` asks for it: ${error.message}`,
        {
          hint: error.hint ?? 'Run the step again when GitHub can be asked.',
        },
      )
    journal.reportSkipped(lossOf(inputs), error)
    return undefined
  }
}

/** What the event is about has up to half of the bytes, if a change goes with it. */
function withContext(compared: Compared | undefined, inputs: AgentInputs, { context, core }: Step): ChangeFindings {
  const { changeContext: level, changeContextBytes: maxBytes } = inputs
  const subject = findEventSubject(context.event)
  if (level === 'none' || (subject === undefined && compared === undefined)) return NOTHING_FOUND
  const sections = [
    ...(subject === undefined ? [] : [eventSection(subject, context.repository)]),
    ...(compared === undefined ? [] : [changeSection({ ...compared.comparison, ...compared }, level)]),
  ]
  const { text: promptContext, description } = renderSections(sections, maxBytes)
  core.log(description)
  return { skipReason: undefined, promptContext, description }
}
