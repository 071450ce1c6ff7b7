import * as z from 'zod/mini'
import { ActionError } from '../runtime/errors.ts'
import type { GitHubResponse } from './github-error.ts'
import { type Api, type Call, type Cursor, PAGE_SIZE, readAll } from './pages.ts'
import {
  flag,
  parseResponse,
  part,
  skipMalformed,
  text,
  textOrEmpty,
  type Visibility,
  visibilitySchema,
} from './schemas.ts'

export type PullRequestState = 'open' | 'draft' | 'closed' | 'merged'

/** Whether more work can go into it. */
export function isOpen({ state }: { readonly state?: PullRequestState }): boolean {
  return state === 'open' || state === 'draft'
}

export interface PullRequestAddress {
  /** `owner/name` */
  readonly repository: string
  readonly number: number
  /** Of the repository; undefined if it is not known. */
  readonly visibility?: Visibility | undefined
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
  if (link.host !== host) throw new ActionError('rejected', `it is on ${link.host}, but this run's GitHub is ${host}.`)
  const { repository, number } = link
  if (repository === undefined || number === undefined || !/^[^/]+\/[^/]+$/.test(repository))
    throw new ActionError('rejected', 'its URL has no repository and number.')
  return { repository, number: Number(number) }
}

/** Whoever opened a pull request or wrote a commit. */
export type Account = Readonly<z.infer<typeof accountSchema>>

/** An account that was deleted has no name, and neither has one that is not as GitHub describes it. */
export const accountSchema = part({
  /** Empty if GitHub does not know whose it is. */
  login: textOrEmpty,
  /** As GitHub names it: `User`, `Bot`, `Organization`. */
  type: textOrEmpty,
})

/** The names. */
export const labelsSchema = z.pipe(
  z.array(z.object({ name: z.string() })),
  z.transform((labels): readonly string[] => labels.map(({ name }) => name)),
)

/** The repository of a fork that was deleted is null. */
const headRepositorySchema = z.nullable(z.object({ full_name: z.string() }))

const COMMON = {
  user: accountSchema,
  created_at: z.string(),
  labels: labelsSchema,
  state: z.enum(['open', 'closed']),
  head: z.object({ ref: z.string(), sha: z.string(), repo: headRepositorySchema }),
  merge_commit_sha: text,
}

const toCommon = ({ user, created_at: createdAt, head, labels }: z.infer<z.ZodMiniObject<typeof COMMON>>) => ({
  author: user,
  /** As GitHub writes times. */
  createdAt,
  branch: head.ref,
  labels,
})

const baseRepositorySchema = z.pipe(
  z.object({ full_name: z.string(), visibility: z.optional(z.unknown()), private: z.optional(z.unknown()) }),
  z.transform((repo) => ({ name: repo.full_name, visibility: z.parse(visibilitySchema, repo) })),
)

const wirePullRequest = z.object({
  ...COMMON,
  base: z.object({ ref: z.string(), sha: z.string(), repo: baseRepositorySchema }),
  title: textOrEmpty,
  body: textOrEmpty,
  draft: z.boolean(),
  merged: z.boolean(),
  merged_by: accountSchema,
  mergeable: flag,
  mergeable_state: text,
})
type WirePullRequest = z.infer<typeof wirePullRequest>

function getState({ state, draft, merged }: WirePullRequest): PullRequestState {
  if (merged) return 'merged'
  return state === 'open' && draft ? 'draft' : state
}

function toPullRequest(pull: WirePullRequest) {
  const { head, base } = pull
  return {
    ...toCommon(pull),
    repository: base.repo.name,
    visibility: base.repo.visibility,
    /** Where its branch is; empty if that was a fork, and the fork was deleted. */
    headRepository: head.repo?.full_name ?? '',
    title: pull.title,
    /** What people wrote about it. */
    text: pull.body,
    state: getState(pull),
    /** Without a name if it is not merged. */
    mergedBy: pull.merged_by,
    headSha: head.sha,
    baseRef: base.ref,
    baseSha: base.sha,
    /** The commit that a merge made; before that, one that GitHub made for a try; empty if there is none. */
    mergeCommitSha: pull.merge_commit_sha ?? '',
    /** False if it conflicts with its base. Undefined if GitHub does not say, or has not found out yet. */
    mergeable: pull.mergeable,
    /** That a review or a check is missing which its base branch requires. */
    isBlocked: pull.mergeable_state === 'blocked',
  }
}
const pullRequestSchema = z.pipe(wirePullRequest, z.transform(toPullRequest))
export type PullRequest = PullRequestAddress & Readonly<ReturnType<typeof toPullRequest>>

const wireListed = z.object({
  ...COMMON,
  number: z.int(),
  base: z.object({ repo: z.object({ full_name: z.string() }) }),
  merged_at: z.nullable(z.string()),
})

function toListed(pull: z.infer<typeof wireListed>) {
  const { number, state, head, base } = pull
  return {
    ...toCommon(pull),
    number,
    state: pull.merged_at === null ? state : ('merged' as const),
    /** Whether its branch is in another repository. A fork that was deleted is null. */
    isOfFork: head.repo?.full_name !== base.repo.full_name,
    /** Its head while it is open, and then the commit that it was merged as. */
    endSha: state === 'open' ? head.sha : pull.merge_commit_sha,
  }
}
// Reject the whole list if any item is malformed: the malformed item could be the one we are looking for.
const listSchema = z.array(z.pipe(wireListed, z.transform(toListed)))
/** A pull request that a commit came with, or whose branch it is, as far as a list tells. */
export type ListedPullRequest = Readonly<ReturnType<typeof toListed>>

/** One that was closed without a merge brought nothing. */
const hasBrought = ({ state }: ListedPullRequest): boolean => state !== 'closed'

/** Of those that were changed last, as whoever pushes or merges changes one: others are old enough to be found by the commit. */
const CHANGED_LAST = { state: 'all', sort: 'updated', direction: 'desc', per_page: 30 } as const

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

export function connectPullRequests(call: Call): PullRequests {
  const find = (
    repository: string,
    requestList: (api: Api) => Promise<GitHubResponse>,
    isWanted: (one: ListedPullRequest) => boolean,
  ) =>
    call('pull-requests: read', repository, async (api) => {
      return parseResponse(listSchema, await requestList(api)).filter(isWanted)
    })
  return {
    readPullRequest: ({ repository, number }) =>
      call('pull-requests: read', repository, async ({ request, repo }) => {
        const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}'
        const response = await request(route, { ...repo, pull_number: number })
        return { ...parseResponse(pullRequestSchema, response), number }
      }),
    findPullRequestsOfCommit: (repository, sha) => {
      const route = 'GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls'
      return find(repository, ({ request, repo }) => request(route, { ...repo, commit_sha: sha }), hasBrought)
    },
    findPullRequestsEndingWith: (repository, sha) =>
      find(
        repository,
        ({ request, repo }) => request('GET /repos/{owner}/{repo}/pulls', { ...repo, ...CHANGED_LAST }),
        (one) => one.endSha === sha && hasBrought(one),
      ),
    findPullRequestsOfBranch: (repository, branch, state) => {
      const [owner = ''] = repository.split('/')
      // Without a branch of this name GitHub may list all; an owner may have a fork, too.
      const isWanted = (one: ListedPullRequest): boolean => one.branch === branch && !one.isOfFork
      const query = { state, head: `${owner}:${branch}`, per_page: 30 }
      return find(
        repository,
        ({ request, repo }) => request('GET /repos/{owner}/{repo}/pulls', { ...repo, ...query }),
        isWanted,
      )
    },
  }
}

/** The path of a file, and the one before it if the file was renamed or copied. */
export type FilePaths = readonly [path: string] | readonly [path: string, previousPath: string]

const fileSchema = z.pipe(
  z.object({ filename: z.string(), previous_filename: text }),
  z.transform(({ filename, previous_filename: previous }): FilePaths =>
    previous === undefined ? [filename] : [filename, previous],
  ),
)
// Reject the whole list if any item is malformed: the malformed item could be out of scope.
const filesSchema = z.array(fileSchema)
const commitFilesSchema = z.pipe(
  z.object({ files: filesSchema }),
  z.transform(({ files }) => files),
)

/** GitHub lists no more files of a pull request or a commit, and does not say that there are more. */
const MAX_LISTED_FILES = 3_000
const MAX_FILE_PAGES = MAX_LISTED_FILES / PAGE_SIZE

/** @throws ActionError `rejected` if there may be files that GitHub does not list */
function requireWhole(files: readonly FilePaths[]): readonly FilePaths[] {
  if (files.length < MAX_LISTED_FILES) return files
  throw new ActionError('rejected', `GitHub lists no more than ${MAX_LISTED_FILES} files.`)
}

export interface ChangedFiles {
  /** Every file that a pull request touches. @throws ActionError `rejected` if GitHub may not list all of them */
  readonly listPullRequestPaths: (pullRequest: PullRequestAddress) => Promise<readonly FilePaths[]>
  /** Every file that a commit touches. @throws ActionError `rejected` if GitHub may not list all of them */
  readonly listCommitPaths: (repository: string, sha: string) => Promise<readonly FilePaths[]>
}

export const connectChangedFiles = (call: Call): ChangedFiles => ({
  listPullRequestPaths: ({ repository, number }) =>
    call('pull-requests: read', repository, async ({ request, repo }) => {
      const query = { ...repo, pull_number: number, per_page: PAGE_SIZE }
      const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files'
      const readPage = (cursor: Cursor) => request(route, { ...query, ...cursor })
      return requireWhole(await readAll(readPage, { page: filesSchema, maxPages: MAX_FILE_PAGES }))
    }),
  listCommitPaths: (repository, sha) =>
    call('contents: read', repository, async ({ request, repo }) => {
      const query = { ...repo, ref: sha, per_page: PAGE_SIZE }
      const route = 'GET /repos/{owner}/{repo}/commits/{ref}'
      const readPage = (cursor: Cursor) => request(route, { ...query, ...cursor })
      return requireWhole(await readAll(readPage, { page: commitFilesSchema, maxPages: MAX_FILE_PAGES }))
    }),
})

const person = z.nullish(z.object({ login: z.string() }))

const eventSchema = z.object({
  event: textOrEmpty,
  user: person,
  requested_reviewer: person,
  requested_team: z.nullish(z.object({ slug: z.string() })),
})

/** Whom an event is about, if it is about a review. */
function toReviewers(event: z.infer<typeof eventSchema>, owner: string): readonly string[] {
  const team = event.requested_team && `${owner}/${event.requested_team.slug}`
  const author = event.event === 'reviewed' ? event.user?.login : undefined
  const reviewer = team ?? event.requested_reviewer?.login ?? author
  return reviewer === undefined ? [] : [reviewer.toLowerCase()]
}

const reviewSchema = z.object({ user: accountSchema, state: z.string() })

/** The reviews that say yes or no. A comment changes nothing, and a dismissed review no longer says `APPROVED`. */
const VERDICTS = ['APPROVED', 'CHANGES_REQUESTED', 'DISMISSED']

/** The people whose last verdict approves, by their logins. */
function toApprovers(reviews: readonly z.infer<typeof reviewSchema>[]): readonly string[] {
  const isVerdict = ({ user, state }: (typeof reviews)[number]): boolean =>
    user.type === 'User' && user.login !== '' && VERDICTS.includes(state)
  const verdicts = new Map(reviews.filter(isVerdict).map(({ user, state }) => [user.login, state]))
  return [...verdicts].filter(([, state]) => state === 'APPROVED').map(([login]) => login)
}

/** A pull request in which more has happened is too old to ask anybody new. */
const MAX_PAGES = 10

export interface Reviewers {
  /**
   * Whoever was asked for a review of a pull request so far, be the request taken back or not, and whoever gave one. In small
   * letters, teams as `org/team`. GitHub keeps it for ever, and nobody else can write it.
   */
  readonly listReviewersSoFar: (pullRequest: PullRequestAddress) => Promise<readonly string[]>
  /** The people who approve a pull request, by their logins: those whose last verdict approves. */
  readonly listApprovers: (pullRequest: PullRequestAddress) => Promise<readonly string[]>
  /**
   * Asks one person, or one team of the owner of the repository.
   * @throws ActionError `rejected` if it cannot be asked, such as who has no access
   */
  readonly requestReview: (pullRequest: PullRequestAddress, name: string) => Promise<void>
}

export const connectReviewers = (call: Call): Reviewers => ({
  listReviewersSoFar: ({ repository, number }) =>
    call('pull-requests: read', repository, async ({ request, repo }) => {
      const query = { ...repo, issue_number: number, per_page: PAGE_SIZE }
      const readPage = (cursor: Cursor) =>
        request('GET /repos/{owner}/{repo}/issues/{issue_number}/timeline', { ...query, ...cursor })
      // The account of a reviewer may be deleted (`null`). That event is skipped, and all others count.
      const events = await readAll(readPage, { page: skipMalformed(eventSchema), maxPages: MAX_PAGES })
      return events.flatMap((event) => toReviewers(event, repo.owner))
    }),
  listApprovers: ({ repository, number }) =>
    call('pull-requests: read', repository, async ({ request, repo }) => {
      const query = { ...repo, pull_number: number, per_page: PAGE_SIZE }
      const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews'
      const readPage = (cursor: Cursor) => request(route, { ...query, ...cursor })
      return toApprovers(await readAll(readPage, { page: skipMalformed(reviewSchema), maxPages: MAX_PAGES }))
    }),
  requestReview: ({ repository, number }, name) =>
    call('pull-requests: write', repository, async ({ request, repo }) => {
      const [owner = '', team] = name.split('/')
      if (team !== undefined && owner.toLowerCase() !== repo.owner.toLowerCase())
        throw new ActionError(
          'rejected',
          `A review cannot be requested from a team of another organization than \`${repo.owner}\`.`,
        )
      const reviewers = team === undefined ? { reviewers: [name] } : { team_reviewers: [team] }
      const route = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers'
      await request(route, { ...repo, pull_number: number, ...reviewers })
    }),
})
