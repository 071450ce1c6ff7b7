import { type Comment, type IssueState, issueState } from './issue-state.ts'

export interface ReviewComment extends Comment {
  readonly path: string
  readonly line: number
  readonly diffHunk: string
  readonly reviewId?: number
  readonly inReplyTo?: number
}

/** Somebody was asked for a review, is not asked any more, or has given one. */
export interface ReviewEvent {
  readonly id: number
  readonly event: 'review_requested' | 'review_request_removed' | 'reviewed'
  readonly actor: string
  /** Who is asked, or was: a login, or a team as `org/team`. */
  readonly name: string
  readonly atMs: number
}

export interface PullState extends IssueState {
  draft: boolean
  readonly branch: string
  /** The branch that it is to go into. */
  readonly base: string
  /** Stays as it is once the pull request is closed. */
  headSha: string
  /** Where the base was when it was closed. Until then it is where the branch is. */
  closedBaseSha: string | undefined
  /** The heads before, oldest first, and until when each was one. */
  readonly earlierHeads: { readonly sha: string; readonly untilMs: number }[]
  /** How often its branch was pushed to. */
  pushes: number
  conflict: boolean
  /** Required checks or reviews are missing. */
  blocked: boolean
  merge: { readonly sha: string; readonly atMs: number } | undefined
  readonly reviewEvents: ReviewEvent[]
  readonly reviewComments: ReviewComment[]
}

export function pullState(fields: Partial<PullState> & Pick<PullState, 'branch' | 'headSha'>): PullState {
  return {
    ...issueState(),
    draft: false,
    base: 'main',
    closedBaseSha: undefined,
    earlierHeads: [],
    pushes: 1,
    conflict: false,
    blocked: false,
    merge: undefined,
    reviewEvents: [],
    reviewComments: [],
    ...fields,
  }
}

/** Who is asked for a review now. */
export function requestedReviewers({ reviewEvents }: PullState): readonly string[] {
  const newest = new Map(reviewEvents.map(({ name, event }) => [name, event]))
  return [...newest].filter(([, event]) => event === 'review_requested').map(([name]) => name)
}
