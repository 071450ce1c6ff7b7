import { type Comment, type IssueState, issueState } from './issue-state.ts'

export interface ReviewComment extends Comment {
  readonly path: string
  readonly line: number
  /** Of the diff that the line is on: `LEFT` is the file before the change. By default `RIGHT`. */
  readonly side?: 'LEFT' | 'RIGHT'
  /** The first line, if there are several. */
  readonly startLine?: number
  /** By default the line. */
  readonly position?: number
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

export interface Review {
  readonly id: number
  readonly user: string
  body: string
  state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' | 'PENDING'
  readonly headSha: string
  submittedAtMs: number | undefined
}

export type MergeMethod = 'merge' | 'squash' | 'rebase'

/** How the commit of a merge is made, as far as that is said. */
export interface MergeChoice {
  readonly method: MergeMethod
  readonly title?: string
  readonly message?: string
}

/** The pull request is merged as soon as its requirements are met. */
export interface AutoMerge extends MergeChoice {
  readonly enabledBy: string
  readonly enabledAtMs: number
}

export interface PullState extends IssueState {
  draft: boolean
  readonly branch: string
  /** The fork that has its branch, as `owner/name`; undefined if its branch is in the repository itself. */
  readonly fork: string | undefined
  /** A fork of the same name that is made later is another one. */
  isForkDeleted: boolean
  /** The branch that it is to go into. */
  base: string
  /** Stays as it is once the pull request is closed. */
  headSha: string
  /** Where the base was when it was closed. Until then it is where the branch is. */
  closedBaseSha: string | undefined
  /** The heads before, oldest first, and until when each was one. */
  readonly earlierHeads: { readonly sha: string; readonly untilMs: number }[]
  /** How often its branch was pushed to. */
  pushes: number
  conflict: boolean
  /** Something that is required is missing, besides what the protection of the base says. */
  blocked: boolean
  /** By whom it was merged: by default the author of that commit. */
  merge: { readonly sha: string; readonly atMs: number; readonly by?: string } | undefined
  autoMerge: AutoMerge | undefined
  readonly reviews: Review[]
  readonly reviewEvents: ReviewEvent[]
  readonly reviewComments: ReviewComment[]
}

export function pullState(fields: Partial<PullState> & Pick<PullState, 'branch' | 'headSha'>): PullState {
  return {
    ...issueState(),
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

/** Who is asked for a review now. */
export function requestedReviewers({ reviewEvents }: PullState): readonly string[] {
  const newest = new Map(reviewEvents.map(({ name, event }) => [name, event]))
  return [...newest].filter(([, event]) => event === 'review_requested').map(([name]) => name)
}
