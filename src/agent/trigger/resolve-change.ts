import type { ComparedCommit } from '../../github/comparisons.ts'
import type { Context } from '../../action/context.ts'
import type { GitHub } from '../../github/github.ts'
import { ActionError, rethrowFatal } from '../../runtime/errors.ts'
import { joinSentences } from '../../text/sentences.ts'
import type { Step } from '../../action/step.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import type { Journal } from '../report/journal.ts'
import { changeSection } from '../prompt/change-section.ts'
import type { ChangeRange } from './change-range.ts'
import { compareWhatIsThere, formatGone, type Compared, type Looked } from './compare-range.ts'
import { findChangeRange } from './event-range.ts'
import { findEventSubject } from './event-subject.ts'
import { countByPaths } from './count-by-paths.ts'
import { openLoopGuard, openQuestions } from './loop-guard.ts'
import { eventSection } from '../prompt/event-section.ts'
import { renderSections } from '../prompt/sections.ts'
import { isChangeWanted, refuseToLookBack } from './refuse-range.ts'

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

/** Why the event itself has nothing for the agent, whose range may still look back. */
function whyIdle(range: ChangeRange): string | undefined {
  const own = range.kind === 'since-last-success' ? range.firstTime : range
  return own?.kind === 'nothing-changed' ? `Nothing changed: ${own.reason}.` : undefined
}

/**
 * Looks at what started the run: whether it is the agent's own work, whether it is a change for the agent, and what to tell of
 * it. What cannot be found out is a shortfall, and then the step goes on: a question without an answer skips nothing.
 * @throws ActionError `cancelled`, `not-sent`, `invalid-input`
 */
export async function resolveChange(inputs: AgentInputs, step: Step, journal: Journal): Promise<ChangeFindings> {
  const { command, task, changeRange, pathFilter } = inputs
  const { context, core } = step
  // Attaching spends nothing and sends nothing, so it needs no reason.
  if (command === '' && task.kind === 'attach') return NOTHING_FOUND
  const guard = openLoopGuard(inputs, step, journal)
  const own = await guard.ofEvent()
  if (own !== undefined) return skipped(own)

  const range = findChangeRange(context, changeRange)
  refuseToLookBack(range, inputs, context)
  const isWanted = isChangeWanted(inputs)
  const idle = whyIdle(range)
  if (idle !== undefined && (range.kind === 'nothing-changed' || !isWanted)) return skipped(idle)
  const needsRange = isWanted || guard.needsRange
  if (!needsRange && !guard.asksOfChange) return NOTHING_FOUND

  // Files first: right after a push it may take a minute until GitHub knows where the commits came from.
  const looked = needsRange ? await compareWanted(range, inputs, step, journal) : undefined
  if (looked?.kind !== 'compared') {
    if (idle !== undefined && looked !== undefined) return skipped(idle)
    // What came before the event's own commits is not known then.
    const mayBeMore = isWanted && looked === undefined && range.kind === 'since-last-success'
    const ownCommits = await guard.ofChange(mayBeMore ? 'unknown' : 'commits of the event')
    if (ownCommits !== undefined) return skipped(ownCommits)
    return tellChange(undefined, looked && `Nothing to compare: ${looked.reason}.`, inputs, step)
  }
  const { compared } = looked
  const { description, skipReason, doubt } = await countByPaths(compared, pathFilter, step)
  core.log(description)
  const isPushed = 'push' in context.event && context.event.push !== undefined
  const isAllPushed = changeRange.kind === 'event' && isPushed && !guard.needsRange
  // A range of its own has nothing to do with the event.
  const isTheirs = changeRange.kind === 'between' && guard.asksOfChange
  const reason =
    skipReason ??
    (compared.comparison.relation === 'identical' ? idle : undefined) ??
    (await guard.ofChange(isTheirs || isAllPushed ? 'commits of the event' : compared))
  if (reason !== undefined) return skipped(reason, description)
  if (doubt !== undefined) core.log(doubt)
  return { ...tellChange(compared, description, inputs, step), commits: compared.comparison.commits }
}

/** Where there is nothing to compare, nobody need be asked. */
async function compareNow(range: ChangeRange, github: GitHub | undefined, context: Context): Promise<Looked> {
  if (range.kind === 'nothing-to-compare') return { kind: 'nothing', gone: 0, reason: range.reason }
  if (github === undefined) throw noToken(range)
  return compareWhatIsThere(range, github, context)
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
    const looked = await compareNow(range, (await openQuestions(inputs, step))?.github, context)
    if (looked.gone > 0 && range.kind === 'since-last-success') journal.notice(...formatGone(looked))
    if (looked.kind === 'nothing') core.log(`Nothing to compare: ${looked.reason}.`)
    return looked
  } catch (caught) {
    const error = rethrowFatal(caught)
    if (inputs.changeRange.kind !== 'event' && isChangeWanted(inputs))
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

/**
 * What the event is about has up to half of the bytes, if a change goes with it.
 * @param found what was found out about the range, as full sentences
 */
function tellChange(
  compared: Compared | undefined,
  found: string | undefined,
  { changeContext: level, changeContextBytes: maxBytes }: AgentInputs,
  { context, core }: Step,
): ChangeFindings {
  const subject = findEventSubject(context.event)
  if (level === 'none' || (subject === undefined && compared === undefined))
    return { ...NOTHING_FOUND, description: found }
  const sections = [
    ...(subject === undefined ? [] : [eventSection(subject, context.repository)]),
    ...(compared === undefined ? [] : [changeSection({ ...compared.comparison, ...compared }, level)]),
  ]
  const { text: promptContext, description: sent } = renderSections(sections, maxBytes)
  core.log(sent)
  return { skipReason: undefined, promptContext, description: joinSentences([found, sent]) }
}
