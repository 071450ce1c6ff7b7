import type { Context } from '../../action/context.ts'
import type { RawInputs } from '../../action/inputs.ts'
import type { Event, Subject, Work } from '../../github/event.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import { isSameRepository } from '../../github/schemas.ts'
import { countsAsBase } from '../../github/workflow-runs.ts'
import { quoted } from '../../text/markdown.ts'
import type { AgentInputs, RequestedRange } from '../inputs.ts'

export type ChangeRange =
  /** What `head` has since its merge base with `base`. */
  | {
      readonly kind: 'compare'
      /** `owner/name`; left out for the repository of the run. */
      readonly repository?: string | undefined
      readonly base: string
      readonly head: string
      /** Whose change it is, in our own words, such as `the push`. */
      readonly about: string
      /** The same for people, if there is more to tell them: each name between back-ticks. */
      readonly story?: string
      /** Whether `head` took the place of `base`: what only `base` had was taken out then, and counts as changed too. */
      readonly isReplacement?: true
      /** What takes its place if `base` is gone. */
      readonly fallback?: ChangeRange
      /** The pull request that `change-range` names. */
      readonly pullRequest?: PullRequest
    }
  | {
      readonly kind: 'since-last-success'
      readonly head: string
      /** The run of another workflow before which to look; left out for this one's own. */
      readonly of?: { readonly workflow: string; readonly runId: number } | undefined
      /** What takes its place if there was none, or all are gone. */
      readonly fallback?: ChangeRange
    }
  /** What a tag has more than the tag before it. */
  | { readonly kind: 'since-tag'; readonly tag: string }
  /** The event or `change-range` names a pull request, and not its base and head. */
  | {
      readonly kind: 'pull-request'
      readonly number: number
      /** `owner/name`; left out for the repository of the run. */
      readonly repository?: string | undefined
      /** Whether `change-range` names it: the event says nothing about it then. */
      readonly isRequested?: true
    }
  | { readonly kind: 'nothing-changed'; readonly reason: string }
  | { readonly kind: 'nothing-to-compare'; readonly reason: string }

const UNKNOWN_PUSH = { kind: 'nothing-to-compare', reason: 'the event does not say what was pushed' } as const
const UNKNOWN_CAUSE = {
  kind: 'nothing-to-compare',
  reason: 'GitHub does not record what the workflow run before this one was about',
} as const
const DELETED = { kind: 'nothing-changed', reason: 'a branch or a tag was deleted' } as const

type Of<Kind extends Event['kind']> = Extract<Event, { kind: Kind }>

/**
 * A branch as a whole is what it has more than the one that it came from, as far as GitHub knows that.
 * @param isFirst whether no run on the branch was successful yet. Runs of earlier pushes to it may have failed or been
 * replaced, so it is the whole branch; the default branch has only what was pushed last.
 */
function rangeOfPush({ branch, push: { move }, sender, defaultBranch }: Of<'push'>, isFirst: boolean): ChangeRange {
  if (move.kind === 'unknown') return UNKNOWN_PUSH
  if (move.kind === 'deleted') return DELETED
  const { after: head, from: parent = defaultBranch } = move
  const base = parent === branch ? undefined : parent
  if (base !== undefined && (isFirst || move.kind === 'made'))
    return { kind: 'compare', base, head, about: isFirst ? 'all of the branch' : 'the new branch' }
  if (move.kind === 'made') return { kind: 'nothing-to-compare', reason: 'this is the first push to the branch' }
  const isForced = move.isForced && defaultBranch !== undefined
  const about = isForced ? 'the forced push' : 'the push'
  const story = `${about} to ${quoted(branch)} by ${quoted(sender.login)}`
  const replaced = { kind: 'compare', base: move.before, head, about, story, isReplacement: true } as const
  return isForced ? { ...replaced, fallback: { ...replaced, base: defaultBranch } } : replaced
}

/** A new tag is what came since the tag before it, and a moved tag what it was moved over. */
function rangeOfTag({ tag, push, sender }: Of<'tag'>): ChangeRange {
  const fallback = { kind: 'since-tag', tag } as const
  if (push === undefined || push.move.kind === 'made') return fallback
  const { move } = push
  if (move.kind === 'unknown') return UNKNOWN_PUSH
  if (move.kind === 'deleted') return DELETED
  const story = `the moved tag ${quoted(tag)} by ${quoted(sender.login)}`
  const [base, head] = [move.before, move.after]
  return { kind: 'compare', base, head, about: 'the moved tag', story, isReplacement: true, fallback }
}

function rangeOfSubject(subject: Subject): ChangeRange {
  if (subject.kind !== 'pull-request') {
    const what = subject.kind === 'issue' ? 'an issue' : 'a discussion'
    return { kind: 'nothing-to-compare', reason: `the event is about ${what}, which has no commits` }
  }
  const { kind, ends, number } = subject
  if (ends === undefined) return { kind, number }
  return { kind: 'compare', base: ends.baseSha, head: ends.headSha, about: 'the pull request' }
}

/**
 * On the default branch a run tells where it ran, and not since when; elsewhere it is what the branch has more. What other runs
 * of the same workflow ran on was told when they ended.
 */
function rangeOfWork({ sha: head, branch, isOfFork, pullRequests }: Work, event: Event): ChangeRange | undefined {
  if (head === undefined) return undefined
  const { defaultBranch } = event
  const isOnDefault = defaultBranch === undefined || (branch === defaultBranch && !isOfFork)
  const base = pullRequests[0]?.baseSha ?? (isOnDefault ? undefined : defaultBranch)
  if (base !== undefined) return { kind: 'compare', base, head, about: 'the commits of the run before this one' }
  const { id: runId, workflowId } = event.kind === 'workflow-run' ? event.run : {}
  const of = runId === undefined || workflowId === undefined ? undefined : { workflow: String(workflowId), runId }
  return { kind: 'since-last-success', head, of }
}

function ownRange(event: Event): ChangeRange | undefined {
  switch (event.kind) {
    case 'push':
      return rangeOfPush(event, false)
    case 'tag':
      return rangeOfTag(event)
    case 'release':
      return { kind: 'since-tag', tag: event.tag }
    case 'merge-group':
      return { kind: 'compare', base: event.baseSha, head: event.headSha, about: 'the merge group' }
    case 'pull-request':
      if (event.isGivenUp) return { kind: 'nothing-changed', reason: 'the pull request was closed without a merge' }
      return rangeOfSubject(event.subject)
    case 'issue':
    case 'comment':
    case 'review':
      return event.subject && rangeOfSubject(event.subject)
    case 'workflow-run':
      return event.run.cause === 'unknown' ? UNKNOWN_CAUSE : rangeOfWork(event.work, event)
    case 'checks':
      return rangeOfWork(event.work, event)
    case 'deletion':
      return DELETED
    case 'branch':
    case 'schedule':
    case 'manual':
    case 'other':
      return undefined
  }
}

/** The range of a change is the event's own; events without a change look back to the last successful run. */
export function findChangeRange(
  { event, sha, refName }: Pick<Context, 'event' | 'sha' | 'refName'>,
  requested: RequestedRange,
): ChangeRange {
  if (requested.kind === 'between') return { ...requested, kind: 'compare', about: 'the range of `change-range`' }
  if (requested.kind === 'pull-request') return { ...requested, isRequested: true }
  const range = ownRange(event) ?? { kind: 'since-last-success', head: sha }
  if (requested.kind === 'event' || range.kind === 'since-last-success') return range
  // What is said is about its pull request or issue, and no run looks back to a run of a comment.
  if (event.kind === 'comment' || event.kind === 'review') return range
  // GitHub records the push that deleted a branch with the newest commit of the default branch. The next run looks back to it
  // if it is green, so that it has to look back itself. No run looks back to a run of `delete` or of a pull request.
  const isBase = (event.kind === 'push' || event.kind === 'tag') && refName === event.defaultBranch
  if (range.kind === 'nothing-changed' && !isBase) return range
  const head = range.kind === 'compare' ? range.head : sha
  return { kind: 'since-last-success', head, fallback: event.kind === 'push' ? rangeOfPush(event, true) : range }
}

const MOVED =
  'This run ends green, so the next range since the last successful run begins after it, and no later run sends what changed before. `change-range: BASE...HEAD` sends it.'
const MOVED_BY_DRY_RUN =
  'This dry run ends green, so the next range of this workflow since its last successful run begins after it. Keep dry runs in a workflow of their own.'

const MAY_MOVE =
  '`change-range` names what this run sends. If it ends green and other runs of this workflow look back to the last successful run, their next range begins after this run, and what changed before is not sent. Keep such runs in a workflow of their own.'

/** Which range the inputs ask for, and whether a step uses it. */
interface RangeUse {
  readonly requested: RequestedRange['kind']
  readonly isUsed: boolean
}

/** Whether a later run looks back to this one as the last successful run. */
function isBaseOfLaterRange({ requested, isUsed }: RangeUse, context: Context): boolean {
  const { event, eventName, actor } = context
  if (event.kind === 'tag' || !countsAsBase({ event: eventName, actor })) return false
  if (requested === 'since-last-success') return true
  return requested === 'event' && isUsed && findChangeRange(context, { kind: 'event' }).kind === 'since-last-success'
}

/**
 * What a run that ends green without a key does to later runs. The other inputs are taken as they are written: without a key
 * none of them has been checked.
 * @returns undefined if no later run looks back to this one
 */
export function describeMovedBase(raw: RawInputs, context: Context): string | undefined {
  const given = (name: string): string => raw[name]?.trim() ?? ''
  const range = given('change-range')
  const requested = range === 'since-last-success' ? range : range === '' ? 'event' : 'between'
  const isWanted = ['paths', 'paths-ignore', 'skip-labels'].some((name) => given(name) !== '')
  const isUsed = isWanted || !['', 'none'].includes(given('change-context'))
  return isBaseOfLaterRange({ requested, isUsed }, context) ? MOVED : undefined
}

/** The same for a dry run. */
export function describeBaseMovedByDryRun(inputs: AgentInputs, context: Context): string | undefined {
  const { changeRange, changeContext, pathFilter, skipLabels } = inputs
  const isUsed = changeContext !== 'none' || pathFilter !== undefined || skipLabels.length > 0
  return isBaseOfLaterRange({ requested: changeRange.kind, isUsed }, context) ? MOVED_BY_DRY_RUN : undefined
}

/**
 * What a run that somebody starts by hand for a certain change does to runs that look back to it. Where every run of a workflow
 * has such a range, none looks back.
 */
export function describeBaseMovedByRange({ changeRange, task }: AgentInputs, context: Context): string | undefined {
  const { event, eventName, actor, repository } = context
  if (event.kind !== 'manual' || task.kind === 'attach' || !countsAsBase({ event: eventName, actor })) return undefined
  if (changeRange.kind !== 'between' && changeRange.kind !== 'pull-request') return undefined
  return isSameRepository(changeRange.repository ?? repository, repository) ? MAY_MOVE : undefined
}
