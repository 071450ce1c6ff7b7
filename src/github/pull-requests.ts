import * as z from 'zod/mini'
import { ActionError } from '../runtime/errors.ts'
import { path, type AskGitHub, type Query, type RepositoryApi } from './ask-github.ts'
import { parseAnswer, part, text } from './parse-answer.ts'

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

/**
 * Where GitHub's API finds the pull request of a link.
 * @throws ActionError `rejected` if the link leads elsewhere, or does not say which pull request it is
 */
export function toPullRequestAddress(
  link: { readonly host: string; readonly repository: string | undefined; readonly number: string | undefined },
  { serverUrl }: { readonly serverUrl: string },
): PullRequestAddress {
  const { host } = new URL(serverUrl)
  if (link.host !== host) throw new ActionError('rejected', `it is at ${link.host}, and this run's GitHub is ${host}.`)
  const { repository, number } = link
  if (repository === undefined || number === undefined || !/^[^/]+\/[^/]+$/.test(repository))
    throw new ActionError('rejected', 'its address names no repository and number.')
  return { repository, number: Number(number) }
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

/** An account that was deleted has no name, and neither has one that is not as GitHub describes it. */
export const accountSchema = z.pipe(
  part(z.object({ login: text, type: text })),
  z.transform((account) => ({ login: account?.login ?? '', type: account?.type ?? '' })),
)

/** The names. */
export const labelsSchema = z.pipe(
  z.array(z.object({ name: z.string() })),
  z.transform((labels) => labels.map(({ name }) => name)),
)

const repo = z.object({ full_name: z.string() })
const common = {
  state: z.enum(['open', 'closed']),
  user: accountSchema,
  created_at: z.string(),
  labels: labelsSchema,
  merge_commit_sha: text,
}

const pullRequestSchema = z.object({
  ...common,
  title: text,
  draft: z.boolean(),
  merged: z.boolean(),
  mergeable: part(z.boolean()),
  mergeable_state: text,
  head: z.object({ ref: z.string(), sha: z.string() }),
  base: z.object({ ref: z.string(), sha: z.string(), repo }),
})

/** One that cannot be read may be the one that matters, so that none is left out. */
const pullRequestsSchema = z.array(
  z.object({
    ...common,
    number: z.number(),
    merged_at: z.nullable(z.string()),
    // A fork that was deleted is null.
    head: z.object({ ref: z.string(), sha: z.string(), repo: z.nullable(repo) }),
    base: z.object({ repo }),
  }),
)

function stateOf(state: string, isDraft: boolean, isMerged: boolean): PullRequestState {
  if (isMerged) return 'merged'
  if (state === 'closed') return 'closed'
  return isDraft ? 'draft' : 'open'
}

type Listed = z.infer<typeof pullRequestsSchema>[number]

const toListed = ({ number, state, merged_at, labels, head, base, user, created_at }: Listed): ListedPullRequest => ({
  number,
  state: merged_at === null ? state : 'merged',
  author: user,
  createdAt: created_at,
  labels,
  branch: head.ref,
  isOfFork: head.repo?.full_name !== base.repo.full_name,
})

/** One that was closed without a merge brought nothing. */
const hasBrought = ({ state }: ListedPullRequest): boolean => state !== 'closed'

/** Of those that were changed last, as whoever pushes or merges changes one: others are old enough to be found by the commit. */
const CHANGED_LAST = { state: 'all', sort: 'updated', direction: 'desc', per_page: 30 }

export function connectPullRequests(ask: AskGitHub) {
  const read = <T>(repository: string, call: (api: RepositoryApi) => Promise<T>): Promise<T> =>
    ask({ permission: 'pull-requests: read', repository }, call)
  const list = async (api: RepositoryApi, place: string, query: Query = {}): Promise<readonly Listed[]> =>
    parseAnswer(pullRequestsSchema, (await api.get(place, query)).data)
  return {
    /** In the repository by the name that GitHub gives it: one that was renamed is found by its old name too. */
    readPullRequest: ({ repository, number }: PullRequestAddress): Promise<PullRequest> =>
      read(repository, async (api) => {
        const told = parseAnswer(pullRequestSchema, (await api.get(path`/pulls/${number}`)).data)
        return {
          repository: told.base.repo.full_name,
          number,
          title: told.title ?? '',
          state: stateOf(told.state, told.draft, told.merged),
          author: told.user,
          createdAt: told.created_at,
          branch: told.head.ref,
          headSha: told.head.sha,
          baseRef: told.base.ref,
          baseSha: told.base.sha,
          mergeCommitSha: told.merge_commit_sha ?? '',
          labels: told.labels,
          mergeable: told.mergeable,
          isBlocked: told.mergeable_state === 'blocked',
        }
      }),
    /**
     * The pull requests that a commit is in: the merged ones that brought it, and others whose branch has it too. For some
     * seconds after a merge GitHub does not know: the list is empty then, or refused (422, `rejected`).
     */
    findPullRequestsOfCommit: (repository: string, sha: string): Promise<readonly ListedPullRequest[]> =>
      read(repository, async (api) => (await list(api, path`/commits/${sha}/pulls`)).map(toListed).filter(hasBrought)),
    /**
     * The pull requests that were merged as this commit, or have it as their head, among those that were changed last. Unlike
     * the above, it is a part of the pull request itself.
     */
    findPullRequestsEndingWith: (repository: string, sha: string): Promise<readonly ListedPullRequest[]> =>
      read(repository, async (api) =>
        (await list(api, '/pulls', CHANGED_LAST))
          .filter(({ state, head, merge_commit_sha }) => (state === 'open' ? head.sha : merge_commit_sha) === sha)
          .map(toListed)
          .filter(hasBrought),
      ),
    /** The pull requests from a branch of this repository, newest first. */
    findPullRequestsOfBranch: (
      repository: string,
      branch: string,
      state: 'open' | 'all',
    ): Promise<readonly ListedPullRequest[]> =>
      read(repository, async (api) =>
        // Without a branch of this name GitHub may list all; an owner may have a fork, too.
        (await list(api, '/pulls', { state, head: `${api.owner}:${branch}`, per_page: 30 }))
          .map(toListed)
          .filter((one) => one.branch === branch && !one.isOfFork),
      ),
  }
}
