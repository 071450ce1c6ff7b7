import type { Comparison } from '../../github/comparisons.ts'
import type { GitHub } from '../../github/connect-github.ts'
import type { RunFacts } from '../../github/run-facts.ts'
import { ActionError } from '../../shared/errors.ts'
import { oneLine } from '../../shared/untrusted-text.ts'
import type { Step } from '../../step/step.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import { filterFiles } from '../inputs/path-filter.ts'
import type { Task } from '../inputs/task.ts'
import type { OpenReport } from '../report/open-report.ts'
import { renderChangeContext, type Change } from './change-context.ts'
import { findChangeRange, pushedCommits, rangeSinceLastSuccess, type ChangeRange } from './change-range.ts'
import { findOwnChanges } from './own-changes.ts'

/** What was found out about the change that started the run, before anything was asked of the service. */
export interface ChangeFindings {
  /** Why nothing shall be asked of the service, as a full sentence; undefined where it shall. */
  readonly skipReason: string | undefined
  /** To put behind the prompt; empty where nothing is. */
  readonly context: string
  /** The range in words, what was counted in it and what of it was sent; undefined if no range was looked at. */
  readonly description: string | undefined
}

type Range = Extract<ChangeRange, { kind: 'compare' }>

const NOTHING_FOUND: ChangeFindings = { skipReason: undefined, context: '', description: undefined }

/** Questions that come before the job get this much of the step's time, in milliseconds, and no more than half of it. */
const QUESTIONS_MS = 120_000

/** Whether what changed matters to the step at all. A push always does: one that deleted a branch changed nothing. */
function wantsChange({ changeContext, pathFilter }: AgentInputs, eventName: string): boolean {
  return eventName === 'push' || changeContext !== 'none' || pathFilter !== undefined
}

function noToken(permission: string): ActionError {
  return new ActionError('unauthorized', 'there is no `github-token`.', {
    hint: `Leave \`github-token\` at its default and grant the job \`${permission}\`, or give a token that has it.`,
  })
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** What is lost where the change cannot be read. */
function lossOf({ changeContext, pathFilter }: AgentInputs): string {
  const wanted = [
    ...(pathFilter === undefined ? [] : [`\`${pathFilter.kind}\``]),
    ...(changeContext === 'none' ? [] : ['`change-context`']),
  ]
  return `What changed is not known, so ${wanted.join(' and ')} had no effect`
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
  const { facts, host } = step
  // Attaching spends nothing and sends nothing, so it needs no reason.
  if (task.kind === 'attach' || !wantsChange(inputs, facts.eventName)) return NOTHING_FOUND
  const endsAt = step.startedAt + Math.min(QUESTIONS_MS, inputs.timeoutMs / 2)
  const github = (await known.attempt('GitHub was not asked', () => step.github()))?.until(endsAt)
  const range = findChangeRange(facts)
  if (range.kind === 'nothing-changed') return { ...NOTHING_FOUND, skipReason: `Nothing changed: ${range.reason}.` }

  if (inputs.skipOwnChanges) {
    const skipReason = await findOwnReason(inputs, github, step, known)
    if (skipReason !== undefined) return { ...NOTHING_FOUND, skipReason }
  }
  if (inputs.pathFilter === undefined && inputs.changeContext === 'none') return NOTHING_FOUND

  if (range.kind !== 'nothing-to-compare' && github === undefined) {
    const permission = range.kind === 'compare' ? 'contents: read' : 'contents: read` and `actions: read'
    known.miss(lossOf(inputs), noToken(permission))
    return NOTHING_FOUND
  }
  const found =
    range.kind === 'since-last-success' && github !== undefined
      ? await known.attempt(lossOf(inputs), () => findSince(range.head, github, facts))
      : range
  if (found?.kind === 'nothing-to-compare') {
    const description = `Nothing to compare: ${found.reason}.`
    host.log(description)
    return { ...NOTHING_FOUND, description }
  }
  if (found?.kind !== 'compare' || github === undefined) return NOTHING_FOUND
  const compared = await known.attempt(lossOf(inputs), () => compare(found, github, facts.repository))
  return compared === undefined ? NOTHING_FOUND : weigh(compared, inputs, step)
}

async function findOwnReason(
  { label }: AgentInputs,
  github: GitHub | undefined,
  { facts, host: { log } }: Step,
  known: OpenReport,
): Promise<string | undefined> {
  const commits = pushedCommits(facts)
  if (commits.length === 0) return undefined
  const lost = 'Whether the push came from a pull request of this action is not known, so it was not skipped'
  if (github === undefined) {
    // By default this is asked on every push: whoever gives no token has decided against it.
    log(`${lost}: there is no \`github-token\`.`)
    return undefined
  }
  const query = { repository: facts.repository, commits, label }
  const answer = await known.attempt(lost, () => findOwnChanges(query, github))
  if (answer?.kind === 'too-many')
    log(`The push has ${commits.length} commits, too many to look up where each came from, so it is not skipped.`)
  if (answer?.kind !== 'own') return undefined
  const list = answer.numbers.map((number) => `#${number}`).join(', ')
  return `All that was pushed came from pull requests that this action's jobs opened: ${list}.`
}

async function findSince(head: string, github: GitHub, facts: RunFacts): Promise<ChangeRange> {
  const { repository, workflow, refName: branch, runId } = facts
  if (workflow === undefined)
    return { kind: 'nothing-to-compare', reason: 'the runner does not say which workflow this is' }
  return rangeSinceLastSuccess(head, await github.findLastSuccess({ repository, workflow, branch, runId }))
}

interface Compared {
  readonly title: string
  readonly comparison: Comparison
  /** Why more may have changed than is listed, as the beginning of a sentence. */
  readonly unlisted: string | undefined
}

const shorten = (ref: string): string => (/^[0-9a-f]{40,}$/.test(ref) ? ref.slice(0, 7) : oneLine(ref, 100))

const isRewritten = ({ relation }: Comparison): boolean => relation === 'diverged' || relation === 'behind'

function titleOf({ about, head }: Range, base: string, comparison: Comparison): string {
  const from = isRewritten(comparison)
    ? `${shorten(comparison.mergeBase)}, the merge base, as ${shorten(base)} is not in its history`
    : shorten(base)
  return `${oneLine(about, 150)}, up to ${shorten(head)} from ${from}`
}

/** A comparison lists what came since the merge base, and not what a forced push took out. */
function whyUnlisted({ isReplacement, base }: Range, from: string, comparison: Comparison): string | undefined {
  if (comparison.fileList === 'cut') return 'GitHub lists only the first 300 changed files'
  const hasLost = isReplacement === true && (from !== base || isRewritten(comparison))
  return hasLost ? 'History was rewritten, and GitHub does not list what that took out' : undefined
}

/** A commit that a forced push took out of the history may be gone for good. */
async function compare(range: Range, github: GitHub, repository: string): Promise<Compared> {
  const { base, head, otherwise } = range
  const to = async (from: string): Promise<Compared> => {
    const comparison = await github.compare(repository, from, head)
    const title = titleOf(range, from, comparison)
    return { comparison, title, unlisted: whyUnlisted(range, from, comparison) }
  }
  try {
    return await to(base)
  } catch (error) {
    if (otherwise === undefined || !(error instanceof ActionError) || error.code !== 'not-found') throw error
    return to(otherwise)
  }
}

/** Where none of the files that are listed counts, one that is not listed still may. */
function weigh({ title, comparison, unlisted }: Compared, inputs: AgentInputs, step: Step): ChangeFindings {
  const { facts, host } = step
  const { log } = host
  const { files, fileList, totalCommits } = comparison
  const { pathFilter, changeContext, changeContextBytes } = inputs
  const counted = pathFilter === undefined ? files : filterFiles(pathFilter, files)
  const known = `${plural(totalCommits, 'commit')}, ${fileList === 'cut' ? 'at least ' : ''}${plural(files.length, 'file')}`
  const which = pathFilter === undefined ? '' : `, ${counted.length} of them by \`${pathFilter.kind}\``
  const description = `Compared: ${title}: ${known}${which}.`
  log(description)
  if (pathFilter !== undefined && counted.length === 0 && unlisted === undefined) {
    // Names of branches are in the title, and this sentence is shown as Markdown.
    return { skipReason: `No changed file counts by \`${pathFilter.kind}\`.`, context: '', description }
  }
  if (pathFilter !== undefined && counted.length === 0)
    log(`${unlisted}. Nothing that is listed counts, but something else may: not skipped.`)
  if (changeContext === 'none') return { skipReason: undefined, context: '', description }

  const change: Change = { ...comparison, repository: facts.repository, title }
  const context = renderChangeContext(change, changeContext, changeContextBytes)
  const sent = `Sent with the prompt: ${changeContext}, ${Buffer.byteLength(context)} of at most ${changeContextBytes} bytes.`
  log(sent)
  return { skipReason: undefined, context, description: `${description} ${sent}` }
}
