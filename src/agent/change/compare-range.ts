import type { Context } from '../../action/context.ts'
import type { Step } from '../../action/step.ts'
import type { Comparison, Tag } from '../../github/commits.ts'
import type { GitHub } from '../../github/github.ts'
import { isSameRepository } from '../../github/schemas.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import { ActionError, orGone, orNotSent } from '../../runtime/errors.ts'
import { joinWords } from '../../text/format.ts'
import { quoted } from '../../text/markdown.ts'
import { oneLine } from '../../text/untrusted.ts'
import type { AgentInputs } from '../inputs.ts'
import type { AgentStep } from '../journal.ts'
import type { ChangeRange } from './change-range.ts'

type Ends = Extract<ChangeRange, { kind: 'compare' }>
type Nothing = Extract<ChangeRange, { reason: string }>

/** What stands before the version in a tag: `v` in `v1.2.3`, `cli@` in `cli@1.2.3`. */
const getPrefix = (tag: string): string => tag.replace(/\d.*$/s, '')

/** `v1.2.0-rc.1`, `1.2.0b2` */
const isPreRelease = (tag: string): boolean => /\d-?[a-z]/i.test(tag.slice(getPrefix(tag).length))

/**
 * The tags that may be the one before, the likeliest first: of the same kind, with a lower version. A release comes after
 * the last release, and what was tried out between the two is a part of it.
 */
function findTagsBefore(tag: string, tags: readonly Tag[]): readonly Tag[] {
  // Made here, as making one takes longer than all else that a step does before its first request.
  const byVersion = new Intl.Collator('en', { numeric: true })
  return tags
    .filter(({ name }) => getPrefix(name) === getPrefix(tag) && byVersion.compare(name, tag) < 0)
    .filter(({ name }) => isPreRelease(tag) || !isPreRelease(name))
    .toSorted((one, other) => byVersion.compare(other.name, one.name))
}

/** Each costs a comparison; mostly the first is the one. */
const MAX_TAGS = 5

/** Tags of other lines of development are in the list too, so the one before has to be in this one's history. */
async function findTagBefore(tag: string, github: GitHub, repository: string): Promise<string | undefined> {
  const before = findTagsBefore(tag, await github.listTags(repository))
  // Undefined if they have no common history.
  const compareWith = ({ name }: Tag) => orGone(() => github.compare(repository, name, tag))
  for (const other of before.slice(0, MAX_TAGS)) if ((await compareWith(other))?.relation === 'ahead') return other.name

  // Another line may have any number of tags: what came since the oldest tag has the one before in it.
  const oldest = before.slice(MAX_TAGS).at(-1)
  const comparison = oldest && (await compareWith(oldest))
  const inHistory = comparison?.commits.toReversed().flatMap(({ sha }) => before.filter((other) => other.sha === sha))
  return inHistory?.[0]?.name ?? (comparison?.relation === 'ahead' ? oldest?.name : undefined)
}

async function sinceLastSuccess(
  { head, of, fallback }: Extract<ChangeRange, { kind: 'since-last-success' }>,
  github: GitHub,
  { repository, workflow, refName: branch, runId }: Context,
): Promise<ChangeRange> {
  if (workflow === undefined)
    return { kind: 'nothing-to-compare', reason: 'the runner does not say which workflow this is' }
  const isOther = of !== undefined
  const bases = await github.findLastSuccesses({ repository, workflow, branch, runId, ...of, isOther })
  const which = isOther ? 'the workflow that started this one' : 'this workflow'
  const about = `everything since the last successful run${isOther ? ` of ${which}` : ''}`
  const reason =
    bases.length === 0
      ? `no run of ${which} on this branch was successful before`
      : `the commits of the last successful runs of ${which} are gone`
  return bases.reduceRight<ChangeRange>(
    (fallback, base) => ({ kind: 'compare', base, head, about, isReplacement: true, fallback }),
    fallback ?? { kind: 'nothing-to-compare', reason },
  )
}

/** Asks GitHub for what is to be compared, where the event does not say it. */
async function findEnds(
  range: Exclude<ChangeRange, Ends | Nothing>,
  github: GitHub,
  context: Context,
): Promise<ChangeRange> {
  const { repository } = context
  switch (range.kind) {
    case 'since-last-success':
      return sinceLastSuccess(range, github, context)
    case 'since-tag': {
      const base = await findTagBefore(range.tag, github, repository)
      if (base === undefined)
        return { kind: 'nothing-to-compare', reason: 'no tag of the same kind comes before this one in its history' }
      return { kind: 'compare', base, head: range.tag, about: 'the tag since the one before it' }
    }
    case 'pull-request': {
      const { number, repository: asked = repository, isRequested } = range
      const pullRequest = await github.readPullRequest({ repository: asked, number })
      const ends = { kind: 'compare', base: pullRequest.baseSha, head: pullRequest.headSha } as const
      if (isRequested === undefined) return { ...ends, about: 'the pull request' }
      // The input may have an older name, or other letters.
      const { repository: named } = pullRequest
      const name = `pull request ${isSameRepository(named, repository) ? '' : named}#${number}`
      const about = pullRequest.state === 'closed' ? `${name}, which was closed without a merge` : name
      return { ...ends, repository: named, about, pullRequest }
    }
  }
}

export interface Compared extends Comparison {
  /** The run's own one is named as the run names it. */
  readonly repository: string
  /** For the agent, with no names of people. */
  readonly title: string
  /** The same for people, each name between back-ticks. */
  readonly story: string
  /** Why more may have changed than is listed, as the beginning of a sentence. */
  readonly unlisted: string | undefined
  /** The pull request that `change-range` names, if it names one. */
  readonly pullRequest?: PullRequest | undefined
  /** The pull requests that `skip-labels` exempts, and their commits, which are left out. */
  readonly exempt?: { readonly numbers: readonly number[]; readonly commits: ReadonlySet<string> }
}

/** What came of looking for a change. @property gone how many bases were gone, one after the other */
export type FoundChange = (Compared | Nothing) & { readonly gone: number }

const shortRef = (ref: string): string => (/^[0-9a-f]{40,}$/.test(ref) ? ref.slice(0, 7) : oneLine(ref, 100))

const isRewritten = ({ relation }: Comparison): boolean => relation === 'diverged' || relation === 'behind'

/** The two ends, each as `show` tells it. A rewritten history is compared from the merge base. */
function formatEnds({ base, head }: Ends, comparison: Comparison, show: (ref: string) => string): string {
  if (!isRewritten(comparison)) return `from ${show(base)} to ${show(head)}`
  const from = `from the merge base ${show(comparison.mergeBase)} to ${show(head)}`
  return `${from}, as ${show(base)} is not in its history`
}

/** A comparison lists what came since the merge base, and not what a forced push took out. */
function whyUnlisted({ isReplacement }: Ends, gone: number, comparison: Comparison): string | undefined {
  if (comparison.fileList !== 'whole') return 'GitHub does not list all changed files'
  const hasLost = gone > 0 || (isReplacement === true && isRewritten(comparison))
  return hasLost ? 'History was rewritten, and GitHub does not list what that took out' : undefined
}

async function compareEnds(ends: Ends, gone: number, github: GitHub, ownRepository: string): Promise<FoundChange> {
  const { repository: asked = ownRepository, base, head, about, story = about, pullRequest } = ends
  const comparison = await github.compare(asked, base, head)
  const { repositoryName: named = asked } = comparison
  const repository = isSameRepository(named, ownRepository) ? ownRepository : named
  return {
    ...comparison,
    repository,
    gone,
    pullRequest,
    title: `${about}, ${formatEnds(ends, comparison, shortRef)}`,
    story: `${story}, ${formatEnds(ends, comparison, (ref) => quoted(shortRef(ref)))}`,
    unlisted: whyUnlisted(ends, gone, comparison),
  }
}

/** What finding a range costs beyond `contents: read`. */
const PERMISSIONS: Readonly<Partial<Record<ChangeRange['kind'], string>>> = {
  'since-last-success': ' and `actions: read`',
  'pull-request': ' and `pull-requests: read`',
}

function withoutToken({ kind }: ChangeRange): ActionError {
  const permissions = `\`contents: read\`${PERMISSIONS[kind] ?? ''}`
  return new ActionError('unauthorized', 'there is no `github-token`.', {
    hint: `Leave \`github-token\` at its default and grant the workflow's job ${permissions}, or give a token that has it.`,
  })
}

/**
 * Asks GitHub what changed. A commit that a forced push took out of the history may be gone for good: then the range that
 * takes its place is compared.
 * @param gone how many bases were gone before this range took their place
 * @throws ActionError if GitHub does not tell, or there is no token to ask it with
 */
export async function compareWithFallback(
  range: ChangeRange,
  step: Pick<Step, 'context' | 'github'>,
  gone = 0,
): Promise<FoundChange> {
  const { context, github } = step
  if ('reason' in range) return { ...range, gone }
  if (github === undefined) throw withoutToken(range)
  if (range.kind !== 'compare') return compareWithFallback(await findEnds(range, github, context), step, gone)
  const ask = () => compareEnds(range, gone, github, context.repository)
  if (range.fallback === undefined) return ask()
  return (await orGone(ask)) ?? compareWithFallback(range.fallback, step, gone + 1)
}

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
      `Use \`on-open-pr: follow-up\`, or leave out ${joinWords(listDependents(inputs))}.`,
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
    const found = await compareWithFallback(range, step)
    if (needsFiles(inputs) && 'fileList' in found && found.fileList === 'unreadable')
      throw new ActionError('bad-answer', 'GitHub did not list the changed files in a form that can be read.', {
        hint: 'Run the step again later, or use `change-context: commits` without `paths` and `paths-ignore`.',
      })
    if (found.gone > 0 && range.kind === 'since-last-success') noticeGone(found, step)
    return found
  }
  const dependents = listDependents(inputs)
  if (dependents.length === 0) return journal.orWarn('Could not determine what the tag contains', look)
  const unknown = `Could not determine what changed, which is needed for ${joinWords(dependents)}`
  return orNotSent(unknown, look, 'Run the step again when GitHub responds.')
}
