import type * as z from 'zod/mini'
import { path, type AskGitHub } from './ask-github.ts'
import { parseAnswer } from './parse-answer.ts'
import { pullRequestSchema, pullRequestsSchema } from './pull-request-answers.ts'

export type PullRequestState = 'open' | 'draft' | 'closed' | 'merged'

/** Whether more work can go into it. */
export function isOpen({ state }: { readonly state?: PullRequestState }): boolean {
  return state === 'open' || state === 'draft'
}

export interface PullRequestAddress {
  /** `owner/name` */
  readonly repository: string
  readonly number: number
}

/** Whoever opened a pull request or wrote a commit. */
export interface Account {
  /** Empty if GitHub does not know whose it is. */
  readonly login: string
  /** As GitHub names it: `User`, `Bot`, `Organization`. */
  readonly type: string
}

export interface PullRequest extends PullRequestAddress {
  readonly title: string
  readonly state: PullRequestState
  /** An account that was deleted has no name. */
  readonly author: Account
  /** As GitHub writes times. */
  readonly createdAt: string
  readonly branch: string
  readonly headSha: string
  readonly baseRef: string
  readonly baseSha: string
  /** The commit that a merge made; before that, one that GitHub made for a try; empty if there is none. */
  readonly mergeCommitSha: string
  readonly labels: readonly string[]
  /** False if it conflicts with its base. Undefined if GitHub does not say, or has not found out yet. */
  readonly mergeable: boolean | undefined
  /** That a review or a check is missing which its base branch requires. */
  readonly isBlocked: boolean
}

/** A pull request that a commit came with, or whose branch it is, as far as a list tells. */
export interface ListedPullRequest extends Pick<PullRequest, 'number' | 'author' | 'createdAt' | 'labels' | 'branch'> {
  readonly state: 'open' | 'closed' | 'merged'
  /** Whether its branch is in another repository. */
  readonly isOfFork: boolean
}

function stateOf(state: string, isDraft: boolean, isMerged: boolean): PullRequestState {
  if (isMerged) return 'merged'
  if (state === 'closed') return 'closed'
  return isDraft ? 'draft' : 'open'
}

type Listed = z.infer<typeof pullRequestsSchema>[number]

function toListed({ number, state, merged_at, labels, head, base, user, created_at }: Listed): ListedPullRequest {
  return {
    ...{ number, state: merged_at === null ? state : 'merged', author: user, createdAt: created_at },
    ...{ labels, branch: head.ref, isOfFork: head.repo?.full_name !== base.repo.full_name },
  }
}

/** One that was closed without a merge brought nothing. */
function toBringers(listed: readonly Listed[]): readonly ListedPullRequest[] {
  return listed.map(toListed).filter(({ state }) => state !== 'closed')
}

/** Of those that were changed last, as whoever pushes or merges changes one: others are old enough to be found by the commit. */
const CHANGED_LAST = { state: 'all', sort: 'updated', direction: 'desc', per_page: 30 }

export interface PullRequests {
  /** In the repository by the name that GitHub gives it: a repository that was renamed is found by its old name too. */
  readonly readPullRequest: (pullRequest: PullRequestAddress) => Promise<PullRequest>
  /**
   * The pull requests that a commit is in: the merged ones that brought it, and others whose branch has it too. For some
   * seconds after a merge GitHub does not know: the list is empty then, or refused (422, `rejected`).
   */
  readonly findPullRequestsOfCommit: (repository: string, sha: string) => Promise<readonly ListedPullRequest[]>
  /**
   * The pull requests that were merged as this commit, or have it as their head, among those that were changed last. Unlike
   * the above, it is a part of the pull request itself.
   */
  readonly findPullRequestsEndingWith: (repository: string, sha: string) => Promise<readonly ListedPullRequest[]>
  /** The pull requests from a branch of this repository, newest first. */
  readonly findPullRequestsOfBranch: (
    repository: string,
    branch: string,
    state: 'open' | 'all',
  ) => Promise<readonly ListedPullRequest[]>
}

const READ = 'pull-requests: read'

export const connectPullRequests = (ask: AskGitHub): PullRequests => ({
  readPullRequest: ({ repository, number }) =>
    ask({ permission: READ, repository }, async (api) => {
      const data = parseAnswer(pullRequestSchema, (await api.get(path`/pulls/${number}`)).data)
      return {
        repository: data.base.repo.full_name,
        number,
        title: data.title ?? '',
        state: stateOf(data.state, data.draft, data.merged),
        author: data.user,
        createdAt: data.created_at,
        branch: data.head.ref,
        headSha: data.head.sha,
        baseRef: data.base.ref,
        baseSha: data.base.sha,
        mergeCommitSha: data.merge_commit_sha ?? '',
        labels: data.labels,
        mergeable: data.mergeable,
        isBlocked: data.mergeable_state === 'blocked',
      }
    }),
  findPullRequestsOfCommit: (repository, sha) =>
    ask({ permission: READ, repository }, async (api) => {
      const { data } = await api.get(path`/commits/${sha}/pulls`)
      return toBringers(parseAnswer(pullRequestsSchema, data))
    }),
  findPullRequestsEndingWith: (repository, sha) =>
    ask({ permission: READ, repository }, async (api) => {
      const { data } = await api.get('/pulls', CHANGED_LAST)
      return toBringers(
        parseAnswer(pullRequestsSchema, data).filter(
          ({ state, head, merge_commit_sha }) => (state === 'open' ? head.sha : merge_commit_sha) === sha,
        ),
      )
    }),
  findPullRequestsOfBranch: (repository, branch, state) =>
    ask({ permission: READ, repository }, async (api) => {
      const { data } = await api.get('/pulls', { state, head: `${api.owner}:${branch}`, per_page: 30 })
      // Without a branch of this name GitHub may list all; an owner may have a fork, too.
      const listed = parseAnswer(pullRequestsSchema, data).map(toListed)
      return listed.filter((one) => one.branch === branch && !one.isOfFork)
    }),
})
