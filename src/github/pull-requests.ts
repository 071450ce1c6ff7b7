import * as z from 'zod/mini'
import { ActionError } from '../runtime/errors.ts'
import { path, type AskGitHub, type Query } from './ask-github.ts'
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

/** An account that was deleted has no name, and neither has one that is not as GitHub describes it. */
export const accountSchema = z.pipe(
  part(z.object({ login: text, type: text })),
  z.transform((account): Account => ({ login: account?.login ?? '', type: account?.type ?? '' })),
)

/** Whoever opened a pull request or wrote a commit. */
export interface Account {
  /** Empty if GitHub does not know whose it is. */
  readonly login: string
  /** As GitHub names it: `User`, `Bot`, `Organization`. */
  readonly type: string
}

/** The names. */
export const labelsSchema = z.pipe(
  z.array(z.object({ name: z.string() })),
  z.transform((labels): readonly string[] => labels.map(({ name }) => name)),
)

function stateOf(state: 'open' | 'closed', isDraft: boolean, isMerged: boolean): PullRequestState {
  if (isMerged) return 'merged'
  return state === 'open' && isDraft ? 'draft' : state
}

const repo = z.object({ full_name: z.string() })
const common = {
  state: z.enum(['open', 'closed']),
  user: accountSchema,
  created_at: z.string(),
  labels: labelsSchema,
  merge_commit_sha: text,
}

const pullRequestSchema = z.pipe(
  z.object({
    ...common,
    title: text,
    draft: z.boolean(),
    merged: z.boolean(),
    mergeable: part(z.boolean()),
    mergeable_state: text,
    head: z.object({ ref: z.string(), sha: z.string() }),
    base: z.object({ ref: z.string(), sha: z.string(), repo }),
  }),
  z.transform(({ state, draft, merged, head, base, ...told }) => ({
    repository: base.repo.full_name,
    title: told.title ?? '',
    state: stateOf(state, draft, merged),
    author: told.user,
    /** As GitHub writes times. */
    createdAt: told.created_at,
    branch: head.ref,
    headSha: head.sha,
    baseRef: base.ref,
    baseSha: base.sha,
    /** The commit that a merge made; before that, one that GitHub made for a try; empty if there is none. */
    mergeCommitSha: told.merge_commit_sha ?? '',
    labels: told.labels,
    /** False if it conflicts with its base. Undefined if GitHub does not say, or has not found out yet. */
    mergeable: told.mergeable,
    /** That a review or a check is missing which its base branch requires. */
    isBlocked: told.mergeable_state === 'blocked',
  })),
)
export type PullRequest = PullRequestAddress & Readonly<z.infer<typeof pullRequestSchema>>

const listedSchema = z.pipe(
  z.object({
    ...common,
    number: z.number(),
    merged_at: z.nullable(z.string()),
    // A fork that was deleted is null.
    head: z.object({ ref: z.string(), sha: z.string(), repo: z.nullable(repo) }),
    base: z.object({ repo }),
  }),
  z.transform(({ number, state, merged_at, labels, head, base, ...told }) => ({
    number,
    state: merged_at === null ? state : ('merged' as const),
    author: told.user,
    createdAt: told.created_at,
    labels,
    branch: head.ref,
    /** Whether its branch is in another repository. */
    isOfFork: head.repo?.full_name !== base.repo.full_name,
    /** Its head while it is open, and then the commit that it was merged as. */
    endSha: state === 'open' ? head.sha : told.merge_commit_sha,
  })),
)
type Listed = Readonly<z.infer<typeof listedSchema>>
/** A pull request that a commit came with, or whose branch it is, as far as a list tells. */
export type ListedPullRequest = Omit<Listed, 'endSha'>

/** One that was closed without a merge brought nothing. */
const hasBrought = ({ state }: Listed): boolean => state !== 'closed'

/** Of those that were changed last, as whoever pushes or merges changes one: others are old enough to be found by the commit. */
const CHANGED_LAST = { state: 'all', sort: 'updated', direction: 'desc', per_page: 30 }

export interface PullRequests {
  /** In the repository by the name that GitHub gives it: one that was renamed is found by its old name too. */
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

export function connectPullRequests(ask: AskGitHub): PullRequests {
  const find = (repository: string, place: string, query: Query, isWanted: (one: Listed) => boolean) =>
    ask('pull-requests: read', repository, async (api) => {
      const { data } = await api.get(place, query)
      // One that cannot be read may be the one that matters, so that none is left out.
      return parseAnswer(z.array(listedSchema), data).filter(isWanted)
    })
  return {
    readPullRequest: ({ repository, number }) =>
      ask('pull-requests: read', repository, async (api) => {
        const { data } = await api.get(path`/pulls/${number}`)
        return { ...parseAnswer(pullRequestSchema, data), number }
      }),
    findPullRequestsOfCommit: (repository, sha) => find(repository, path`/commits/${sha}/pulls`, {}, hasBrought),
    findPullRequestsEndingWith: (repository, sha) =>
      find(repository, '/pulls', CHANGED_LAST, (one) => one.endSha === sha && hasBrought(one)),
    findPullRequestsOfBranch: (repository, branch, state) => {
      const [owner = ''] = repository.split('/')
      // Without a branch of this name GitHub may list all; an owner may have a fork, too.
      const isWanted = (one: Listed): boolean => one.branch === branch && !one.isOfFork
      return find(repository, '/pulls', { state, head: `${owner}:${branch}`, per_page: 30 }, isWanted)
    },
  }
}
