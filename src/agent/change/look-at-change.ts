import { ActionError } from '../../shared/errors.ts'
import { joinSentences } from '../../shared/sentences.ts'
import type { Step } from '../../step/step.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import type { Task } from '../inputs/task.ts'
import type { OpenReport } from '../report/open-report.ts'
import { renderChangeContext } from './change-context.ts'
import type { ChangeRange } from './change-range.ts'
import { compareRange, type Compared } from './compare-range.ts'
import { findChangeRange } from './event-range.ts'
import { findEventSubject } from './event-subject.ts'
import { findRange } from './find-range.ts'
import { countByPaths } from './count-by-paths.ts'
import { openOwnChangeGate, type GitHubUntil } from './own-change-gate.ts'
import { renderSubject } from './subject-context.ts'

/** What was found out about the change that started the run, before anything was asked of the service. */
export interface ChangeFindings {
  /** Why nothing is to be asked of the service, as a full sentence; undefined if it is to be asked. */
  readonly skipReason: string | undefined
  /** To put behind the prompt; empty if nothing is. */
  readonly context: string
  /** The range in words, what was counted in it and what of it was sent; undefined if no range was looked at. */
  readonly description: string | undefined
}

const NOTHING_FOUND: ChangeFindings = { skipReason: undefined, context: '', description: undefined }

const skipped = (skipReason: string, description?: string): ChangeFindings => ({
  skipReason,
  context: '',
  description,
})

/** Questions that come before the job get this much of the step's time, in milliseconds, and no more than half of it. */
const QUESTIONS_MS = 120_000

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
  return `What changed is not known, so ${wanted.join(' and ')} had no effect`
}

const isWanted = ({ pathFilter, changeContext }: AgentInputs): boolean =>
  pathFilter !== undefined || changeContext !== 'none'

/**
 * What other runs that `workflow_run` started have told is not known, so that a base could pass over what none has told.
 * @throws ActionError `invalid-input` if a range is asked for that is never known after this event
 */
export function refuseToLookBack(inputs: AgentInputs, { facts }: Step): void {
  if (inputs.task.kind === 'attach' || !isWanted(inputs)) return
  if (inputs.changeRange.kind !== 'since-last-success' || facts.eventName !== 'workflow_run') return
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
export async function lookAtChange(
  task: Task,
  inputs: AgentInputs,
  step: Step,
  known: OpenReport,
): Promise<ChangeFindings> {
  // Attaching spends nothing and sends nothing, so it needs no reason.
  if (task.kind === 'attach') return NOTHING_FOUND
  const range = findChangeRange(step.facts, inputs.changeRange)
  const wantsChange = isWanted(inputs)
  const idle = whyIdle(range)
  if (idle !== undefined && (range.kind === 'nothing-changed' || !wantsChange)) return skipped(idle)

  const own = openOwnChangeGate(inputs, step, known)
  if (!wantsChange && !own.hasQuestions) return NOTHING_FOUND
  const endsAt = step.startedAt + Math.min(QUESTIONS_MS, inputs.timeoutMs / 2)
  const github = (await known.attempt('GitHub was not asked', () => step.github()))?.until(endsAt)
  const asked: GitHubUntil | undefined = github && { github, endsAt }

  const ownEvent = await own.ofEvent(asked)
  if (ownEvent !== undefined) return skipped(ownEvent)
  // Files first: right after a push it may take a minute until GitHub knows where the commits came from.
  const compared = wantsChange ? await compareWanted(range, asked, inputs, step, known) : undefined
  if (compared?.kind !== 'compared') {
    if (idle !== undefined && compared !== undefined) return skipped(idle)
    // What came before the event's own commits is not known then.
    const mayBeMore = wantsChange && compared === undefined && range.kind === 'since-last-success'
    const ownCommits = mayBeMore ? undefined : await own.ofItsCommits(asked)
    if (ownCommits !== undefined) return skipped(ownCommits)
    const about = withContext(undefined, inputs, step)
    return { ...about, description: joinSentences([compared?.description, about.description]) || undefined }
  }
  const { description, skipReason, doubt } = await countByPaths(compared, inputs.pathFilter, step)
  step.host.log(description)
  const isAllPushed = inputs.changeRange.kind === 'event' && step.facts.eventName === 'push'
  const reason =
    skipReason ??
    (compared.comparison.relation === 'identical' ? idle : undefined) ??
    (await (isAllPushed ? own.ofItsCommits(asked) : own.ofRange(compared, asked)))
  if (reason !== undefined) return skipped(reason, description)
  if (doubt !== undefined) step.host.log(doubt)
  const { context, description: sent } = withContext(compared, inputs, step)
  return { skipReason: undefined, context, description: joinSentences([description, sent]) }
}

type Looked = (Compared & { readonly kind: 'compared' }) | { readonly kind: 'nothing'; readonly description: string }

/** Undefined if it could not be found out. */
async function compareWanted(
  range: ChangeRange,
  asked: GitHubUntil | undefined,
  inputs: AgentInputs,
  { facts, host }: Step,
  known: OpenReport,
): Promise<Looked | undefined> {
  if (asked === undefined && range.kind !== 'nothing-to-compare') {
    known.miss(lossOf(inputs), noToken(range))
    return undefined
  }
  return known.attempt(lossOf(inputs), async () => {
    const found = asked === undefined ? range : await findRange(range, asked.github, facts)
    if (asked !== undefined && found.kind === 'compare')
      return { kind: 'compared', ...(await compareRange(found, asked.github, facts.repository)) }
    const description = `Nothing to compare: ${'reason' in found ? found.reason : found.kind}.`
    host.log(description)
    return { kind: 'nothing', description }
  })
}

const TOLD = {
  commits: 'the commits',
  files: 'the commits and the names of the files',
  diff: 'the commits, the files and their changes',
} as const satisfies Readonly<Record<Exclude<AgentInputs['changeContext'], 'none'>, string>>

/** What the event is about has up to half of the bytes, if a change goes with it. */
function withContext(compared: Compared | undefined, inputs: AgentInputs, { facts, host }: Step): ChangeFindings {
  const { changeContext: level, changeContextBytes: maxBytes } = inputs
  if (level === 'none') return NOTHING_FOUND
  const subject = findEventSubject(facts.payload)
  const subjectBytes = compared === undefined ? maxBytes : Math.ceil(maxBytes / 2)
  const about = subject === undefined ? '' : renderSubject(subject, facts.repository, subjectBytes)
  const changed =
    compared === undefined
      ? ''
      : renderChangeContext({ ...compared.comparison, ...compared }, level, maxBytes - Buffer.byteLength(about))
  const context = about + changed
  if (context === '' && compared === undefined) return NOTHING_FOUND
  const what = [...(about === '' ? [] : ['what the event is about']), ...(changed === '' ? [] : [TOLD[level]])]
  const sent = `Goes with the prompt: ${what.join(', and ')} (${Buffer.byteLength(context)} of at most ${maxBytes} bytes).`
  host.log(sent)
  return { skipReason: undefined, context, description: sent }
}
