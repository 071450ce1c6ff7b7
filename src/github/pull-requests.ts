import type { AskGitHub } from './ask-github.ts'
import { PAGE_SIZE, readPages } from './read-pages.ts'
import { splitRepository } from './repository-name.ts'

export type PullRequestState = 'open' | 'draft' | 'closed' | 'merged'

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
  readonly state: PullRequestState
  readonly author: Account
  readonly branch: string
  readonly headSha: string
  /** The branch that it is to go into. */
  readonly baseRef: string
  readonly labels: readonly string[]
  readonly changedFiles: number
}

export interface PullRequestFile {
  readonly path: string
  /** Where it was before, if it was renamed. */
  readonly previousPath: string | undefined
}

/** A pull request that a commit came with, as far as that answer tells. */
export interface CommitPullRequest {
  readonly number: number
  readonly labels: readonly string[]
}

function stateOf(state: string, isDraft: boolean, isMerged: boolean): PullRequestState {
  if (isMerged) return 'merged'
  if (state === 'closed') return 'closed'
  return isDraft ? 'draft' : 'open'
}

export function accountOf(user: { readonly login?: string; readonly type?: string } | null): Account {
  return { login: user?.login ?? '', type: user?.type ?? '' }
}

/** @throws ActionError where GitHub does not tell */
export function readPullRequest(ask: AskGitHub, { repository, number }: PullRequestAddress): Promise<PullRequest> {
  return ask({ permission: 'pull-requests: read', repository }, async ({ rest }) => {
    const { data } = await rest.pulls.get({ ...splitRepository(repository), pull_number: number })
    return {
      repository,
      number,
      state: stateOf(data.state, data.draft ?? false, data.merged),
      author: accountOf(data.user),
      branch: data.head.ref,
      headSha: data.head.sha,
      baseRef: data.base.ref,
      labels: data.labels.map(({ name }) => name),
      changedFiles: data.changed_files,
    }
  })
}

/** GitHub lists no more than 3000 files of a pull request. */
const MOST_FILE_PAGES = 30

/** @throws ActionError where GitHub does not tell */
export function listPullRequestFiles(
  ask: AskGitHub,
  { repository, number }: PullRequestAddress,
): Promise<readonly PullRequestFile[]> {
  return ask({ permission: 'pull-requests: read', repository }, ({ rest }) =>
    readPages(async (page) => {
      const where = { ...splitRepository(repository), pull_number: number, per_page: PAGE_SIZE, page }
      const { data } = await rest.pulls.listFiles(where)
      return data.map((file) => ({ path: file.filename, previousPath: file.previous_filename }))
    }, MOST_FILE_PAGES),
  )
}

/**
 * The pull requests that a commit came with: a merged one that brought it to the default branch, else open ones.
 * @throws ActionError where GitHub does not tell
 */
export function findPullRequestsOfCommit(
  ask: AskGitHub,
  repository: string,
  sha: string,
): Promise<readonly CommitPullRequest[]> {
  return ask({ permission: 'pull-requests: read', repository }, async ({ rest }) => {
    const { data } = await rest.repos.listPullRequestsAssociatedWithCommit({
      ...splitRepository(repository),
      commit_sha: sha,
    })
    return data.map(({ number, labels }) => ({ number, labels: labels.map(({ name }) => name) }))
  })
}
