/**
 * Decides which commits the change consists of, from the event and `change-range` alone. Hides what each event says
 * about its commits.
 */
import { field, type Input, rejectInput, REF_PATTERN } from '../../action/inputs.ts'
import type { Context } from '../../action/step.ts'
import type { Event, Subject } from '../../github/event.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import type { RequestedRange } from '../facts.ts'

/** A tag may contain `@`, so a repository is only what looks like `owner/name` before the first `@`. `.` and `..` are no names. */
const WITH_REPOSITORY = /^([A-Za-z0-9][A-Za-z0-9-]*\/(?!\.{1,2}@)[\w.-]+)@(.*)$/

/** Not `#123`, which YAML reads as a comment. */
const PULL_REQUEST = /^(?:([A-Za-z0-9][A-Za-z0-9-]*\/(?!\.{1,2}\/)[\w.-]+)\/)?pull\/([1-9]\d{0,8})$/

const RANGE_RULE =
  'must be empty, `since-last-success`, `pull/123`, `owner/name/pull/123`, `BASE...HEAD` or `owner/name@BASE...HEAD`, where BASE and HEAD are commits, branches or tags'

/** Git's id of nothing: GitHub sends it as `before` of a new branch or tag, and as `after` of a deleted one. */
const ZEROS = /^0{40}(?:0{24})?$/

const USE_EVENT = 'leave `change-range` empty to use the range of the event, which knows these cases'

export const changeRangeInput: Input<RequestedRange> = (text) => {
  if (text === '') return { kind: 'event' }
  if (text === 'since-last-success') return { kind: 'since-last-success' }
  const pullRequest = PULL_REQUEST.exec(text)
  if (pullRequest !== null) return { kind: 'pull-request', repository: pullRequest[1], number: Number(pullRequest[2]) }
  const [, repository, ends = text] = WITH_REPOSITORY.exec(text) ?? []
  const [base = '', head = '', ...others] = ends.split('...')
  if (ZEROS.test(base))
    return rejectInput(
      `has zeros as BASE, which GitHub sends as \`before\` of a new branch or tag: nothing was there before; ${USE_EVENT}`,
    )
  if (ZEROS.test(head))
    return rejectInput(
      `has zeros as HEAD, which GitHub sends as \`after\` of a deleted branch or tag: nothing is there any more; ${USE_EVENT}`,
    )
  if (text.includes('...') && (base === '') !== (head === ''))
    return rejectInput(
      `has no ${base === '' ? 'BASE' : 'HEAD'}: an expression is empty, such as \`github.event.before\` in an event other than a push; ${USE_EVENT}`,
    )
  if (others.length > 0 || !REF_PATTERN.test(base) || !REF_PATTERN.test(head)) return rejectInput(RANGE_RULE)
  return { kind: 'between', repository, base, head }
}

export const RANGE_FIELDS = { changeRange: field('change-range', '', changeRangeInput) }

export type ChangeRange =
  /** The commits of `head` since its merge base with `base`. */
  | {
      readonly kind: 'compare'
      /** `owner/name`; left out for the repository of the run. */
      readonly repository?: string | undefined
      readonly base: string
      readonly head: string
      /** Names the change for the prompt, such as `the push`, with the names of branches and tags between back-ticks. */
      readonly label: string
      /** Whether `head` replaced `base`. If so, commits that only `base` had were removed, which also counts as a change. */
      readonly isReplacement?: true
      /** Used instead if `base` no longer exists. */
      readonly fallback?: ChangeRange
      /** The number of the pull request whose change this is. */
      readonly number?: number | undefined
      /** The pull request that `change-range` names. */
      readonly pullRequest?: PullRequest
    }
  | {
      readonly kind: 'since-last-success'
      readonly head: string
      /** Whether `change-range` names this range, so that every run of the workflow has it. */
      readonly isRequested?: true
      /** A run of another workflow: look for that workflow's last success before this run. Undefined for the own workflow. */
      readonly otherRun?: { readonly workflow: string; readonly runId: number } | undefined
      /** Used instead if no run was successful, or the commit of the last successful run no longer exists. */
      readonly fallback?: ChangeRange
    }
  /** The commits of a tag since the tag before it. */
  | { readonly kind: 'since-tag'; readonly tag: string }
  /** The event or `change-range` names a pull request, but not its base and head. */
  | {
      readonly kind: 'pull-request'
      readonly number: number
      /** `owner/name`; left out for the repository of the run. */
      readonly repository?: string | undefined
      /** Whether `change-range` names the pull request. If so, the event contains nothing about it. */
      readonly isRequested?: true
    }
  | { readonly kind: 'nothing-changed'; readonly reason: string }
  | { readonly kind: 'nothing-to-compare'; readonly reason: string }

/** Events whose payload has a range, or names what has one. */
const EVENTS_WITH_RANGE = /^(?:pull_request|release$|merge_group$)/

/** Returns why the event has no range although it should, as runners other than GitHub's can omit its payload. */
export function explainMissingRange(range: ChangeRange, { event, eventName }: Context): string | undefined {
  if (range === UNKNOWN_PUSH) return UNKNOWN_PUSH.reason
  const isIncomplete = event.kind === 'other' && EVENTS_WITH_RANGE.test(eventName)
  return isIncomplete ? `the payload of the event \`${eventName}\` is incomplete` : undefined
}

const UNKNOWN_PUSH = { kind: 'nothing-to-compare', reason: 'the event does not contain the pushed commits' } as const
const UNKNOWN_CAUSE = {
  kind: 'nothing-to-compare',
  reason: 'GitHub does not record which commit the triggering workflow run was about',
} as const

const DELETED = { kind: 'nothing-changed', reason: 'a branch or a tag was deleted' } as const

type EventOfKind<Kind extends Event['kind']> = Extract<Event, { kind: Kind }>

/**
 * Returns what was pushed. A new branch is compared with the branch that it was created from, if the event names that branch,
 * and otherwise with the default branch.
 * @param isFirst whether no run on the branch was successful yet. Runs of earlier pushes to the branch may have failed or been
 *   superseded, so the range is the complete branch. On the default branch it is only the last push.
 */
function getPushRange({ branch, push: { move }, defaultBranch }: EventOfKind<'push'>, isFirst: boolean): ChangeRange {
  if (move.kind === 'unknown') return UNKNOWN_PUSH
  if (move.kind === 'deleted') return DELETED
  const { after: head, from: parent = defaultBranch } = move
  const base = parent === branch ? undefined : parent
  if (base !== undefined && (isFirst || move.kind === 'made'))
    return { kind: 'compare', base, head, label: isFirst ? 'the complete branch' : 'the new branch' }
  if (move.kind === 'made') return { kind: 'nothing-to-compare', reason: 'this is the first push to the branch' }
  const isForced = move.isForced && defaultBranch !== undefined
  const label = isForced ? 'the forced push' : 'the push'
  const replaced = { kind: 'compare', base: move.before, head, label, isReplacement: true } as const
  return isForced ? { ...replaced, fallback: { ...replaced, base: defaultBranch } } : replaced
}

/** A new tag is compared with the tag before it, a moved tag with the commit that it pointed to before. */
function getTagRange({ tag, push }: EventOfKind<'tag'>): ChangeRange {
  const fallback = { kind: 'since-tag', tag } as const
  if (push.move.kind === 'made') return fallback
  const { move } = push
  if (move.kind === 'unknown') return UNKNOWN_PUSH
  if (move.kind === 'deleted') return DELETED
  const [base, head] = [move.before, move.after]
  return { kind: 'compare', base, head, label: 'the moved tag', isReplacement: true, fallback }
}

function getSubjectRange(subject: Subject): ChangeRange {
  if (subject.kind !== 'pull-request') {
    const what = subject.kind === 'issue' ? 'an issue' : 'a discussion'
    return { kind: 'nothing-to-compare', reason: `the event is about ${what}, which has no commits` }
  }
  const { kind, ends, number } = subject
  if (ends === undefined) return { kind, number }
  return { kind: 'compare', base: ends.baseSha, head: ends.headSha, number, label: 'the pull request' }
}

/**
 * On another branch, compares the run's commit with the default branch. On the default branch, a run names only its own
 * commit, so the range begins at the last successful run of the same workflow.
 */
function getRunRange({ run, work, defaultBranch }: EventOfKind<'workflow-run'>): ChangeRange | undefined {
  if (!run.hasEnded) return { kind: 'nothing-changed', reason: 'the triggering workflow run has not ended yet' }
  if (run.cause === 'unknown') return UNKNOWN_CAUSE
  const { sha: head, branch, isOfFork, pullRequests } = work
  if (head === undefined) return undefined
  const isOnDefault = defaultBranch === undefined || (branch === defaultBranch && !isOfFork)
  const base = pullRequests[0]?.baseSha ?? (isOnDefault ? undefined : defaultBranch)
  if (base !== undefined) return { kind: 'compare', base, head, label: 'the commits of the triggering run' }
  const { id: runId, workflowId } = run
  const otherRun = runId === undefined || workflowId === undefined ? undefined : { workflow: String(workflowId), runId }
  return { kind: 'since-last-success', head, otherRun }
}

/** Returns undefined for an event that is not about commits. */
function getEventRange(event: Event): ChangeRange | undefined {
  switch (event.kind) {
    case 'push':
      return getPushRange(event, false)
    case 'tag':
      return getTagRange(event)
    case 'release':
      if (event.isGivenUp) return { kind: 'nothing-changed', reason: 'the release was deleted or unpublished' }
      return { kind: 'since-tag', tag: event.tag }
    case 'merge-group':
      return { kind: 'compare', base: event.baseSha, head: event.headSha, label: 'the merge group' }
    case 'pull-request':
      if (event.isGivenUp) return { kind: 'nothing-changed', reason: 'the pull request was closed without a merge' }
      return getSubjectRange(event.subject)
    case 'issue':
      if (event.isGivenUp)
        return { kind: 'nothing-changed', reason: `the ${event.subject.kind} was deleted or transferred` }
      return getSubjectRange(event.subject)
    case 'comment':
    case 'review':
      return event.subject && getSubjectRange(event.subject)
    case 'workflow-run':
      return getRunRange(event)
    case 'schedule':
    case 'manual':
    case 'other':
      return undefined
  }
}

/** Returns the requested range, by default the event's own. Events without commits look back to the last successful run. */
export function findChangeRange(
  { event, sha, refName }: Pick<Context, 'event' | 'sha' | 'refName'>,
  requested: RequestedRange,
): ChangeRange {
  if (requested.kind === 'between') return { ...requested, kind: 'compare', label: 'the range of `change-range`' }
  if (requested.kind === 'pull-request') return { ...requested, isRequested: true }
  const range = getEventRange(event) ?? { kind: 'since-last-success', head: sha }
  if (requested.kind === 'event') return range
  if (range.kind === 'since-last-success') return { ...range, isRequested: true }
  // A comment is about its pull request or issue, and no run looks back to a run of a comment.
  if (event.kind === 'comment' || event.kind === 'review') return range
  // GitHub records the run for a push that deleted a branch on the newest commit of the default branch. If this run succeeds,
  // later runs look back to it, so it must look back itself. No run looks back to a run of a pull request.
  const isBase = (event.kind === 'push' || event.kind === 'tag') && refName === event.defaultBranch
  if (range.kind === 'nothing-changed' && !isBase) return range
  const head = range.kind === 'compare' ? range.head : sha
  const fallback = event.kind === 'push' ? getPushRange(event, true) : range
  return { kind: 'since-last-success', head, isRequested: true, fallback }
}
