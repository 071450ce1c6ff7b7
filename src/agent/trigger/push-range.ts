import type { EventPayload } from '../../github/event-payload.ts'
import type { ChangeRange, Pushed, Trigger } from './change-range.ts'

const isNone = (sha: string): boolean => /^0+$/.test(sha)

type Push = EventPayload & { readonly ref: string; readonly before: string; readonly after: string }

/** Undefined if the event does not say what was pushed. */
function asPush(payload: EventPayload): Push | undefined {
  const { ref, before, after } = payload
  return ref === undefined || before === undefined || after === undefined
    ? undefined
    : { ...payload, ref, before, after }
}

/** A commit that came with the event. */
export interface EventCommit {
  readonly sha: string
  readonly message: string
  /** By name; empty if it is not known. */
  readonly author: string
  /** A person pushed it who wrote it, so that no merge made it, and no app. */
  readonly isByPusher: boolean
}

const branchName = (ref: string): string => ref.replace(/^refs\/(?:heads|tags)\//, '')
const isTag = (ref: string): boolean => ref.startsWith('refs/tags/')

/** A branch as a whole is what it has more than the one that it came from, as far as GitHub knows that. */
function rangeOfBranch({ ref, after, baseRef, repository }: Push, about: string): ChangeRange {
  const base = branchName(baseRef ?? repository?.defaultBranch ?? '')
  if (base === '' || base === branchName(ref))
    return { kind: 'nothing-to-compare', reason: 'this is the first push to the branch' }
  return { kind: 'compare', base, head: after, about }
}

function rangeOf(push: Push): ChangeRange {
  const { ref, before, after, deleted, forced, repository } = push
  if (deleted === true || isNone(after))
    return { kind: 'nothing-changed', reason: 'the push deleted a branch or a tag' }
  if (isNone(before))
    return isTag(ref) ? { kind: 'since-tag', tag: branchName(ref) } : rangeOfBranch(push, 'the new branch')
  const range = {
    kind: 'compare',
    base: before,
    head: after,
    about: 'the push',
    isReplacement: true,
    pushed: pushedBy(push),
  } as const
  const defaultBranch = repository?.defaultBranch
  if (forced !== true || defaultBranch === undefined) return range
  const about = 'the forced push'
  return { ...range, about, fallback: { ...range, about, base: defaultBranch } }
}

export function rangeOfPush(payload: EventPayload): ChangeRange {
  const push = asPush(payload)
  if (push === undefined) return { kind: 'nothing-to-compare', reason: 'the event does not say what was pushed' }
  return rangeOf(push)
}

/**
 * For a branch on which no run was successful yet. Runs of earlier pushes to it may have failed or been replaced, so it is
 * the whole branch; the default branch has only what was pushed last.
 */
export function firstRangeOfPush(payload: EventPayload): ChangeRange {
  const push = asPush(payload)
  if (push === undefined || isNone(push.before)) return rangeOfPush(payload)
  const whole = rangeOfBranch(push, 'all of the branch')
  return whole.kind === 'compare' && !isTag(push.ref) ? whole : rangeOf(push)
}

/** The commits that a push brought, newest first; none for other events and where the event does not list them. */
export function pushedCommits({ eventName, payload }: Pick<Trigger, 'eventName' | 'payload'>): readonly EventCommit[] {
  if (eventName !== 'push') return []
  const { commits, sender } = payload
  const person = sender?.type === 'User' ? sender.login : undefined
  return (commits ?? [])
    .map(({ id, message, author, committer }) => ({
      sha: id,
      message: message ?? '',
      author: author?.name ?? '',
      isByPusher: person !== undefined && author?.username === person && committer?.username === person,
    }))
    .toReversed()
}

function pushedBy({ sender, ref }: EventPayload): Pushed | undefined {
  if (sender === undefined || ref === undefined) return undefined
  return { branch: branchName(ref), by: sender.login, isByApp: sender.type === 'Bot' }
}

export function pushedBranch({ eventName, payload }: Pick<Trigger, 'eventName' | 'payload'>): Pushed | undefined {
  return eventName === 'push' ? pushedBy(payload) : undefined
}
