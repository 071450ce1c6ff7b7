import type { AskGitHub } from './ask-github.ts'
import { PAGE_SIZE, readPages } from './read-pages.ts'
import { splitRepository } from './repository-name.ts'

export type PullRequestState = 'open' | 'draft' | 'closed' | 'merged'

export interface PullRequestAddress {
  /** `owner/name` */
  readonly repository: string
  readonly number: number
}

export interface PullRequest extends PullRequestAddress {
  readonly state: PullRequestState
  readonly branch: string
  readonly headSha: string
  readonly labels: readonly string[]
  readonly changedFiles: number
  /** False if it conflicts with its base. Undefined where GitHub does not say, or has not found out yet. */
  readonly mergeable: boolean | undefined
  /** That a review or a check is missing which its base branch requires. */
  readonly isBlocked: boolean
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

/** @throws ActionError where GitHub does not tell */
export function readPullRequest(ask: AskGitHub, { repository, number }: PullRequestAddress): Promise<PullRequest> {
  return ask({ permission: 'pull-requests: read', repository }, async ({ rest }) => {
    const { data } = await rest.pulls.get({ ...splitRepository(repository), pull_number: number })
    return {
      repository,
      number,
      state: stateOf(data.state, data.draft ?? false, data.merged),
      branch: data.head.ref,
      headSha: data.head.sha,
      labels: data.labels.map(({ name }) => name),
      changedFiles: data.changed_files,
      mergeable: data.mergeable ?? undefined,
      isBlocked: data.mergeable_state === 'blocked',
    }
  })
}

/** Where a file was before, if it is no longer there: a copy leaves the other as it was. */
export function previousPathOf({
  status,
  previous_filename,
}: {
  readonly status: string
  readonly previous_filename?: string
}): string | undefined {
  return status === 'renamed' ? previous_filename : undefined
}

/** GitHub lists no more than 3000 files of a pull request. */
const MOST_FILE_PAGES = 30

/**
 * The files, where they have names.
 * @throws ActionError where GitHub does not tell
 */
export function listPullRequestFiles(
  ask: AskGitHub,
  { repository, number }: PullRequestAddress,
): Promise<readonly PullRequestFile[]> {
  return ask({ permission: 'pull-requests: read', repository }, ({ rest }) =>
    readPages(async (page) => {
      const where = { ...splitRepository(repository), pull_number: number, per_page: PAGE_SIZE, page }
      return (await rest.pulls.listFiles(where)).data
    }, MOST_FILE_PAGES).then((files) =>
      files
        .filter(({ filename }) => typeof filename === 'string')
        .map((file) => ({ path: file.filename, previousPath: previousPathOf(file) })),
    ),
  )
}

/**
 * The pull requests that a commit came with: a merged one that brought it to the default branch, else open ones. One that was
 * closed without a merge brought nothing.
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
    return data
      .filter(({ state, merged_at }) => state === 'open' || typeof merged_at === 'string')
      .map(({ number, labels }) => ({ number, labels: labels.map(({ name }) => name) }))
  })
}
