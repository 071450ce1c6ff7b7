import * as z from 'zod/mini'
import type { ChangeRange, Trigger } from './change-range.ts'

export const shaField = z.string().check(z.regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/))
const isNone = (sha: string): boolean => /^0+$/.test(sha)

const pushSchema = z.object({
  ref: z.string(),
  before: shaField,
  after: shaField,
  deleted: z.nullish(z.boolean()),
  forced: z.nullish(z.boolean()),
  base_ref: z.nullish(z.string()),
  commits: z.nullish(z.array(z.object({ id: shaField, message: z.nullish(z.string()) }))),
  repository: z.nullish(z.object({ default_branch: z.nullish(z.string()) })),
  sender: z.nullish(z.object({ login: z.string() })),
})
type Push = z.infer<typeof pushSchema>

/** A commit that came with the event. */
export interface EventCommit {
  readonly sha: string
  readonly message: string
}

const branchName = (ref: string): string => ref.replace(/^refs\/(?:heads|tags)\//, '')
const isTag = (ref: string): boolean => ref.startsWith('refs/tags/')

/** A branch as a whole is what it has more than the one that it came from, as far as GitHub knows that. */
function rangeOfBranch({ ref, after, base_ref, repository }: Push, about: string): ChangeRange {
  const base = branchName(base_ref ?? repository?.default_branch ?? '')
  if (base === '' || base === branchName(ref))
    return { kind: 'nothing-to-compare', reason: 'this is the first push to the branch' }
  return { kind: 'compare', base, head: after, about: `${about}, compared with ${base}` }
}

function rangeOf(push: Push): ChangeRange {
  const { ref, before, after, deleted, forced, repository } = push
  if (deleted === true || isNone(after))
    return { kind: 'nothing-changed', reason: 'the push deleted a branch or a tag' }
  if (isNone(before))
    return isTag(ref) ? { kind: 'since-tag', tag: branchName(ref) } : rangeOfBranch(push, 'the new branch')
  const range = { kind: 'compare', base: before, head: after, about: 'the push', isReplacement: true } as const
  const otherwise = repository?.default_branch ?? undefined
  return forced === true && otherwise !== undefined ? { ...range, about: 'the forced push', otherwise } : range
}

const parsePush = (payload: unknown): Push | undefined => pushSchema.safeParse(payload).data

export function rangeOfPush(payload: unknown): ChangeRange {
  const push = parsePush(payload)
  if (push === undefined) return { kind: 'nothing-to-compare', reason: 'the event does not say what was pushed' }
  return rangeOf(push)
}

/**
 * For a branch on which no run was successful yet. Runs of earlier pushes to it may have failed or been replaced, so it is
 * the whole branch; the default branch has only what was pushed last.
 */
export function firstRangeOfPush(payload: unknown): ChangeRange {
  const push = parsePush(payload)
  if (push === undefined || isNone(push.before)) return rangeOfPush(payload)
  const whole = rangeOfBranch(push, 'all of the branch')
  return whole.kind === 'compare' && !isTag(push.ref) ? whole : rangeOf(push)
}

/** The commits that a push brought, newest first; none for other events and where the event does not list them. */
export function pushedCommits({ eventName, payload }: Trigger): readonly EventCommit[] {
  if (eventName !== 'push') return []
  const commits = parsePush(payload)?.commits ?? []
  return commits.map(({ id, message }) => ({ sha: id, message: message ?? '' })).toReversed()
}

/** The branch that was pushed to, and the login of whoever did. */
export interface Pushed {
  readonly branch: string
  readonly by: string
}

export function pushedBranch({ eventName, payload }: Trigger): Pushed | undefined {
  const push = eventName === 'push' ? parsePush(payload) : undefined
  return push?.sender == null ? undefined : { branch: branchName(push.ref), by: push.sender.login }
}
