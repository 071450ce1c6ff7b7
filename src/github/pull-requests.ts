/** Reads pull requests, their files and their reviewers. */
import * as z from 'zod/mini'
import { ActionError } from '../runtime/errors.ts'
import { type Call, type Cursor, PAGE_SIZE, readAll, readPages } from './pages.ts'
import {
  type Built,
  booleanField,
  parseResponse,
  looseObject,
  skipMalformed,
  stringField,
  stringOrEmpty,
  type Visibility,
  visibilitySchema,
} from './schemas.ts'
import type { Freshness } from './transport.ts'

export type PullRequestState = 'open' | 'draft' | 'closed' | 'merged'

/** Whether a pull request is open, including as a draft. */
export function isOpen({ state }: { readonly state?: PullRequestState }): boolean {
  return state === 'open' || state === 'draft'
}

export interface PullRequestAddress {
  /** `owner/name` */
  readonly repository: string
  readonly number: number
  /** The visibility of the repository. Undefined if unknown. */
  readonly visibility?: Visibility | undefined
}

/**
 * Converts a link to the address of the pull request in GitHub's API.
 * @throws ActionError `rejected` if the link is on another server, or does not contain a repository and a number
 */
export function toPullRequestAddress(
  link: { readonly host: string; readonly repository: string | undefined; readonly number: string | undefined },
  { serverUrl }: { readonly serverUrl: string },
): PullRequestAddress {
  const { host } = new URL(serverUrl)
  if (link.host !== host) throw new ActionError('rejected', `it is on ${link.host}, but this run's GitHub is ${host}.`)
  const { repository, number } = link
  if (repository === undefined || number === undefined || !/^[^/]+\/[^/]+$/.test(repository))
    throw new ActionError('rejected', 'its URL has no repository and number.')
  return { repository, number: Number(number) }
}

/** The author of a pull request or of a commit. */
export type Account = Readonly<z.infer<typeof accountSchema>>

/** A deleted or malformed account has an empty login. */
export const accountSchema = z.lazy(() =>
  looseObject({
    /** Empty if GitHub does not know the account. */
    login: stringOrEmpty,
    /** `User`, `Bot` or `Organization`. */
    type: stringOrEmpty,
  }),
)

/** The names of labels. */
export const labelsSchema = z.lazy(() =>
  z.pipe(
    z.array(z.object({ name: z.string() })),
    z.transform((labels): readonly string[] => labels.map(({ name }) => name)),
  ),
)

const commonFields = () => ({
  title: stringOrEmpty,
  user: accountSchema,
  labels: labelsSchema,
  state: z.enum(['open', 'closed']),
  head: z.object({
    ref: z.string(),
    sha: z.string(),
    /** Null for a deleted fork. */
    repo: z.nullable(z.object({ full_name: z.string() })),
  }),
})

const toCommon = ({ title, user, head, labels }: z.infer<z.ZodMiniObject<ReturnType<typeof commonFields>>>) => ({
  title,
  author: user,
  branch: head.ref,
  labels,
})

const baseRepositorySchema = z.lazy(() =>
  z.pipe(
    z.object({ full_name: z.string(), visibility: z.optional(z.unknown()), private: z.optional(z.unknown()) }),
    z.transform((repo) => ({ name: repo.full_name, visibility: z.parse(visibilitySchema, repo) })),
  ),
)

const wirePullRequest = () =>
  z.object({
    ...commonFields(),
    base: z.object({ ref: z.string(), sha: z.string(), repo: baseRepositorySchema }),
    body: stringOrEmpty,
    merge_commit_sha: stringField,
    draft: z.boolean(),
    merged: z.boolean(),
    merged_by: accountSchema,
    mergeable: booleanField,
    mergeable_state: stringField,
    auto_merge: z.catch(z.nullish(z.object({})), undefined),
  })

function toPullRequest(pull: Built<typeof wirePullRequest>) {
  const { head, base } = pull
  const unmergedState = pull.state === 'open' && pull.draft ? ('draft' as const) : pull.state
  return {
    ...toCommon(pull),
    repository: base.repo.name,
    visibility: base.repo.visibility,
    /** The description. */
    text: pull.body,
    state: pull.merged ? ('merged' as const) : unmergedState,
    /** Has an empty login unless the pull request is merged. */
    mergedBy: pull.merged_by,
    headSha: head.sha,
    baseRef: base.ref,
    baseSha: base.sha,
    /** The merge commit, or before the merge GitHub's test merge. Empty if there is none. */
    mergeCommitSha: pull.merge_commit_sha ?? '',
    /** False if it conflicts with its base. Undefined if unknown, as while GitHub computes it. */
    mergeable: pull.mergeable,
    /** Whether a review or a check that its base branch requires is missing. */
    isBlocked: pull.mergeable_state === 'blocked',
    /** Whether its base branch requires an update of its branch before a merge. */
    isBehind: pull.mergeable_state === 'behind',
    /** Whether GitHub merges it as soon as its base branch allows that. */
    isAutoMergeOn: (pull.auto_merge ?? null) !== null,
  }
}
const pullRequestSchema = z.lazy(() => z.pipe(wirePullRequest(), z.transform(toPullRequest)))
export type PullRequest = PullRequestAddress & Readonly<ReturnType<typeof toPullRequest>>

const listedFields = () => ({
  ...commonFields(),
  number: z.int(),
  base: z.object({ repo: z.object({ full_name: z.string() }) }),
  merged_at: z.nullable(z.string()),
})

const wireListed = () => z.object(listedFields())

function toListed(pull: Built<typeof wireListed>) {
  const { number, state, head, base } = pull
  return {
    ...toCommon(pull),
    number,
    state: pull.merged_at === null ? state : ('merged' as const),
    /** Whether its branch is in another repository. True for a deleted fork. */
    isOfFork: head.repo?.full_name !== base.repo.full_name,
  }
}
// Reject the whole list if any item is malformed: the malformed item could be the one we are looking for.
const listSchema = z.lazy(() => z.array(z.pipe(wireListed(), z.transform(toListed))))
/** A pull request with the fields that GitHub's lists contain. */
export type ListedPullRequest = Readonly<ReturnType<typeof toListed>>

const wireDetailed = () =>
  z.object({
    ...listedFields(),
    draft: z.catch(z.boolean(), false),
    created_at: z.string(),
    updated_at: stringOrEmpty,
    closed_at: stringField,
    requested_reviewers: z.catch(skipMalformed(z.object({ login: z.string() })), []),
    requested_teams: z.catch(skipMalformed(z.object({ slug: z.string() })), []),
  })

function toDetailed(pull: Built<typeof wireDetailed>) {
  const { state, ...common } = toListed(pull)
  return {
    ...common,
    state: state === 'open' && pull.draft ? ('draft' as const) : state,
    headSha: pull.head.sha,
    /** In ISO 8601. */
    createdAt: pull.created_at,
    /** In ISO 8601. Undefined while it is open. */
    endedAt: pull.merged_at ?? pull.closed_at,
    /** In ISO 8601. */
    updatedAt: pull.updated_at,
    /** The logins and the teams (`org/team`) whose review is requested. */
    asked: [
      ...pull.requested_reviewers.map(({ login }) => login),
      ...pull.requested_teams.map(({ slug }) => `${pull.base.repo.full_name.replace(/\/.*/, '')}/${slug}`),
    ],
  }
}
const detailedListSchema = z.lazy(() => z.array(z.pipe(wireDetailed(), z.transform(toDetailed))))
/** A pull request with its state and its times. */
export type DetailedPullRequest = Readonly<ReturnType<typeof toDetailed>>

/** Pull requests, the most recently updated first. */
export interface UpdatedPullRequests {
  readonly pullRequests: readonly DetailedPullRequest[]
  /** The list is complete back to this time, in ISO 8601. Empty: it is complete. */
  readonly completeSince: string
}

/** Older pull requests are not listed. */
const MAX_UPDATED_PAGES = 10

export interface PullRequests {
  /** Reads a pull request. The result contains the current name of the repository, which may have been renamed. */
  readonly readPullRequest: (pullRequest: PullRequestAddress, freshness?: Freshness) => Promise<PullRequest>
  /**
   * Finds the pull requests of a commit: merged ones that introduced it, and open ones whose branch contains it. For
   * some seconds after a merge, the list is empty or GitHub refuses it (422, `rejected`).
   */
  readonly findPullRequestsOfCommit: (repository: string, sha: string) => Promise<readonly ListedPullRequest[]>
  /**
   * Lists the open or the closed pull requests that were updated since a time, the 1,000 most recently updated of them.
   * @param since in ISO 8601; empty for all
   */
  readonly listUpdatedPullRequests: (
    repository: string,
    state: 'open' | 'closed',
    since: string,
  ) => Promise<UpdatedPullRequests>
}

export function connectPullRequests(call: Call): PullRequests {
  return {
    readPullRequest: ({ repository, number }, freshness = {}) =>
      call('pull-requests: read', repository, async ({ request, repo }) => {
        const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}'
        const response = await request(route, { ...repo, pull_number: number, request: { ...freshness } })
        return { ...parseResponse(pullRequestSchema, response), number }
      }),
    findPullRequestsOfCommit: (repository, sha) =>
      call('pull-requests: read', repository, async ({ request, repo }) => {
        const route = 'GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls'
        const pullRequests = parseResponse(listSchema, await request(route, { ...repo, commit_sha: sha }))
        // A pull request that was closed without a merge contributed no commits.
        return pullRequests.filter(({ state }) => state !== 'closed')
      }),
    listUpdatedPullRequests: (repository, state, since) =>
      call('pull-requests: read', repository, async ({ request, repo }) => {
        const query = { ...repo, state, sort: 'updated', direction: 'desc', per_page: PAGE_SIZE } as const
        const isOlder = ({ updatedAt }: DetailedPullRequest): boolean => Date.parse(updatedAt) < Date.parse(since)
        const pages = await readPages((cursor) => request('GET /repos/{owner}/{repo}/pulls', { ...query, ...cursor }), {
          page: detailedListSchema,
          maxPages: MAX_UPDATED_PAGES,
          canBeCut: true,
          isLast: isOlder,
        })
        const last = pages.at(-1)?.at(-1)
        const isCut = pages.length === MAX_UPDATED_PAGES && last !== undefined && !isOlder(last)
        return { pullRequests: pages.flat(), completeSince: isCut ? last.updatedAt : since }
      }),
  }
}

const reviewsSchema = z.lazy(() => skipMalformed(z.object({ user: accountSchema, state: z.string() })))

/** The states that change a reviewer's verdict. A comment does not change it, and a dismissed review no longer approves. */
const VERDICTS = ['APPROVED', 'CHANGES_REQUESTED', 'DISMISSED']

/** A pull request with more events is too old for new reviewers. */
const MAX_PAGES = 10

export interface Reviewers {
  /** Lists the logins of the people whose last verdict approves a pull request. */
  readonly listApprovers: (pullRequest: PullRequestAddress) => Promise<readonly string[]>
  /**
   * Requests reviews from people and from teams of the repository's owner (`org/team`). Somebody who has reviewed before is asked
   * again.
   * @throws ActionError `rejected` if one of the reviews cannot be requested, such as from a person without access
   */
  readonly requestReviews: (pullRequest: PullRequestAddress, names: readonly string[]) => Promise<void>
}

export const connectReviewers = (call: Call): Reviewers => ({
  listApprovers: ({ repository, number }) =>
    call('pull-requests: read', repository, async ({ request, repo }) => {
      const query = { ...repo, pull_number: number, per_page: PAGE_SIZE }
      const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews'
      const readPage = (cursor: Cursor) => request(route, { ...query, ...cursor })
      const reviews = await readAll(readPage, { page: reviewsSchema, maxPages: MAX_PAGES })
      const verdicts = reviews.filter(
        ({ user, state }) => user.type === 'User' && user.login !== '' && VERDICTS.includes(state),
      )
      const lastVerdicts = new Map(verdicts.map(({ user, state }) => [user.login, state]))
      return [...lastVerdicts].filter(([, state]) => state === 'APPROVED').map(([login]) => login)
    }),
  requestReviews: ({ repository, number }, names) =>
    call('pull-requests: write', repository, async ({ request, repo }) => {
      const teams = names.flatMap((name) => (name.includes('/') ? [name.split('/')] : []))
      const foreign = teams.find(([owner = '']) => owner.toLowerCase() !== repo.owner.toLowerCase())
      if (foreign !== undefined)
        throw new ActionError(
          'rejected',
          `A review cannot be requested from a team of another organization than \`${repo.owner}\`.`,
        )
      const reviewers = names.filter((name) => !name.includes('/'))
      const route = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers'
      await request(route, {
        ...repo,
        pull_number: number,
        ...(reviewers.length > 0 && { reviewers }),
        ...(teams.length > 0 && { team_reviewers: teams.map(([, team = '']) => team) }),
        request: { isIdempotent: true },
      })
    }),
})
