import { type StoredComment, type IssueState, createIssueState } from './issue-state.ts'

export interface StoredReviewComment extends StoredComment {
  readonly path: string
  readonly line: number
  /** `LEFT` is the file before the change. Default: `RIGHT`. */
  readonly side?: 'LEFT' | 'RIGHT'
  /** The first line of a multi-line comment. */
  readonly startLine?: number
  /** Default: `line`. */
  readonly position?: number
  readonly diffHunk: string
  readonly reviewId?: number
  readonly inReplyTo?: number
}

/** A review was requested or submitted. */
export interface ReviewEvent {
  readonly id: number
  readonly event: 'review_requested' | 'reviewed'
  readonly actor: string
  /** The reviewer: a login, or a team as `org/team`. */
  readonly name: string
  readonly atMs: number
}

export interface Review {
  readonly id: number
  readonly user: string
  body: string
  state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' | 'PENDING'
  readonly headSha: string
  submittedAtMs: number | undefined
}

export type MergeMethod = 'merge' | 'squash' | 'rebase'

/** Merges the pull request as soon as its requirements are met. */
export interface AutoMerge {
  readonly method: MergeMethod
  readonly enabledBy: string
  readonly enabledAtMs: number
}

export interface PullState extends IssueState {
  draft: boolean
  readonly branch: string
  /** The fork that contains the branch, as `owner/name`. Undefined if the repository itself contains it. */
  readonly fork: string | undefined
  /** Stays true if a fork of the same name is created later. */
  isForkDeleted: boolean
  /** The target branch. */
  base: string
  /** Does not change after the pull request is closed. */
  headSha: string
  /** The base commit at the time of closing. Undefined while open: the base is the tip of the branch. */
  closedBaseSha: string | undefined
  /** The previous heads, oldest first, with the time of the push that replaced each. */
  readonly earlierHeads: { readonly sha: string; readonly untilMs: number }[]
  /** The number of pushes to the branch. */
  pushes: number
  conflict: boolean
  /** A requirement of the base's protection is not met, such as a check or a review. */
  blocked: boolean
  /** `by` defaults to the author of the merge commit. `rebased`: the new commits of a rebase, the last of which is `sha`. */
  merge:
    | { readonly sha: string; readonly atMs: number; readonly by?: string; readonly rebased?: readonly string[] }
    | undefined
  autoMerge: AutoMerge | undefined
  readonly reviews: Review[]
  readonly reviewEvents: ReviewEvent[]
  readonly reviewComments: StoredReviewComment[]
}

export function createPullState(fields: Partial<PullState> & Pick<PullState, 'branch' | 'headSha'>): PullState {
  return {
    ...createIssueState(),
    draft: false,
    fork: undefined,
    isForkDeleted: false,
    base: 'main',
    closedBaseSha: undefined,
    earlierHeads: [],
    pushes: 1,
    conflict: false,
    blocked: false,
    merge: undefined,
    autoMerge: undefined,
    reviews: [],
    reviewEvents: [],
    reviewComments: [],
    ...fields,
  }
}

/** Lists the reviewers with a pending request. */
export function listRequestedReviewers({ reviewEvents }: PullState): readonly string[] {
  const newest = new Map(reviewEvents.map(({ name, event }) => [name, event]))
  return [...newest].filter(([, event]) => event === 'review_requested').map(([name]) => name)
}
