import * as z from 'zod/mini'

/** What of a run decides on the range of its change. */
export interface Trigger {
  readonly eventName: string
  /** The event, as GitHub wrote it. */
  readonly payload: unknown
  /** `GITHUB_SHA` */
  readonly sha: string
}

export type ChangeRange =
  /** What `head` has since its merge base with `base`. */
  | {
      readonly kind: 'compare'
      readonly base: string
      readonly head: string
      /** Whose change it is, such as `the push`. */
      readonly about: string
      /** Whether `head` took the place of `base`: what only `base` had was taken out then, and counts as changed too. */
      readonly isReplacement?: true
      /** To compare with where `base` is gone. */
      readonly otherwise?: string
    }
  | { readonly kind: 'since-last-success'; readonly head: string }
  | { readonly kind: 'nothing-changed'; readonly reason: string }
  | { readonly kind: 'nothing-to-compare'; readonly reason: string }

const shaField = z.string().check(z.regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/))
const isNone = (sha: string): boolean => /^0+$/.test(sha)

const pushSchema = z.object({
  ref: z.string(),
  before: shaField,
  after: shaField,
  deleted: z.optional(z.boolean()),
  forced: z.optional(z.boolean()),
  base_ref: z.nullish(z.string()),
  commits: z.optional(z.array(z.object({ id: shaField }))),
  repository: z.optional(z.object({ default_branch: z.optional(z.string()) })),
})
type Push = z.infer<typeof pushSchema>

const endsSchema = z.object({
  pull_request: z.optional(z.object({ base: z.object({ sha: shaField }), head: z.object({ sha: shaField }) })),
  merge_group: z.optional(z.object({ base_sha: shaField, head_sha: shaField })),
})

const branchName = (ref: string): string => ref.replace(/^refs\/(?:heads|tags)\//, '')

/** A new branch has no "before": it is what it has more than the branch that it came from, as far as GitHub knows that. */
function rangeOfNewRef({ ref, after, base_ref, repository }: Push): ChangeRange {
  if (ref.startsWith('refs/tags/'))
    return { kind: 'nothing-to-compare', reason: 'a tag was pushed, which marks a commit and changes no file' }
  const base = branchName(base_ref ?? repository?.default_branch ?? '')
  if (base === '' || base === branchName(ref))
    return { kind: 'nothing-to-compare', reason: 'this is the first push to the branch' }
  return { kind: 'compare', base, head: after, about: `the new branch, compared with ${base}` }
}

function rangeOfPush(push: Push): ChangeRange {
  const { before, after, deleted, forced, repository } = push
  if (deleted === true || isNone(after))
    return { kind: 'nothing-changed', reason: 'the push deleted a branch or a tag' }
  if (isNone(before)) return rangeOfNewRef(push)
  const range = { kind: 'compare', base: before, head: after, about: 'the push', isReplacement: true } as const
  const otherwise = repository?.default_branch
  return forced === true && otherwise !== undefined ? { ...range, about: 'the forced push', otherwise } : range
}

/** The range of a change is the event's own; events that are about no change look back to the last successful run. */
export function findChangeRange({ eventName, payload, sha }: Trigger): ChangeRange {
  if (eventName === 'push') {
    const push = pushSchema.safeParse(payload)
    if (push.success) return rangeOfPush(push.data)
    return { kind: 'nothing-to-compare', reason: 'the event does not say what was pushed' }
  }
  const { pull_request, merge_group } = endsSchema.safeParse(payload).data ?? {}
  if (pull_request !== undefined) {
    const { base, head } = pull_request
    return { kind: 'compare', base: base.sha, head: head.sha, about: 'the pull request' }
  }
  if (merge_group !== undefined) {
    const { base_sha, head_sha } = merge_group
    return { kind: 'compare', base: base_sha, head: head_sha, about: 'the merge group' }
  }
  return { kind: 'since-last-success', head: sha }
}

/** @param lastSha the head of the last successful run, undefined where there was none */
export function rangeSinceLastSuccess(head: string, lastSha: string | undefined): ChangeRange {
  if (lastSha === undefined)
    return { kind: 'nothing-to-compare', reason: 'no run of this workflow on this branch was successful before' }
  return { kind: 'compare', base: lastSha, head, about: 'all since the last successful run', isReplacement: true }
}

/** The commits that a push brought, newest first; none for other events and where the event does not list them. */
export function pushedCommits({ eventName, payload }: Trigger): readonly string[] {
  if (eventName !== 'push') return []
  return (pushSchema.safeParse(payload).data?.commits ?? []).map(({ id }) => id).toReversed()
}
