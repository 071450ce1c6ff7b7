import type { EventPayload } from '../../github/event-payload.ts'
import type { ChangeRange, Pushed, Trigger } from './change-range.ts'

const isNone = (sha: string): boolean => /^0+$/.test(sha)

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

/**
 * A branch as a whole is what it has more than the one that it came from, as far as GitHub knows that.
 * @param isFirst whether no run on the branch was successful yet. Runs of earlier pushes to it may have failed or been
 * replaced, so it is the whole branch; the default branch has only what was pushed last.
 */
export function rangeOfPush(payload: EventPayload, isFirst = false): ChangeRange {
  const { ref, before, after, baseRef, deleted, forced, repository } = payload
  if (ref === undefined || before === undefined || after === undefined)
    return { kind: 'nothing-to-compare', reason: 'the event does not say what was pushed' }
  const { defaultBranch } = repository ?? {}
  const parent = branchName(baseRef ?? defaultBranch ?? '')
  const hasParent = parent !== '' && parent !== branchName(ref)
  if (isFirst && !isNone(before) && !isTag(ref) && hasParent)
    return { kind: 'compare', base: parent, head: after, about: 'all of the branch' }
  if (deleted === true || isNone(after))
    return { kind: 'nothing-changed', reason: 'the push deleted a branch or a tag' }
  if (isNone(before)) {
    if (isTag(ref)) return { kind: 'since-tag', tag: branchName(ref) }
    if (hasParent) return { kind: 'compare', base: parent, head: after, about: 'the new branch' }
    return { kind: 'nothing-to-compare', reason: 'this is the first push to the branch' }
  }
  const replaced = { kind: 'compare', head: after, isReplacement: true, pushed: pushedBy(payload) } as const
  if (forced !== true || defaultBranch === undefined) return { ...replaced, base: before, about: 'the push' }
  const about = 'the forced push'
  return { ...replaced, base: before, about, fallback: { ...replaced, base: defaultBranch, about } }
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
