import { createHash } from 'node:crypto'
import { findReferences } from './cross-references.ts'
import { getPullChange, compareHistories } from './history.ts'
import type { Comment, IssueState } from './issue-state.ts'
import { type MergeChoice, type PullState, createPullState } from './pull-state.ts'
import { type Commit, getOwner, type RepositoryState } from './repository-state.ts'
import { type GitHubState, takeId } from './state.ts'

type NewCommit = Pick<Commit, 'message' | 'author' | 'files' | 'committer'> & {
  /** Default: the head of the branch, or of the default branch if the branch is new. */
  readonly parents?: readonly string[]
}

/** Stores a commit that is on no branch yet. Its id is a hash of its contents. */
export function createCommit(repository: RepositoryState, commit: Omit<Commit, 'sha'>): Commit {
  const sha = createHash('sha1').update(JSON.stringify(commit)).digest('hex')
  const stored = { ...commit, sha }
  repository.commits.push(stored)
  return stored
}

/** Returns the branches of the repository, or of a fork. */
export function getBranches({ branches, forks }: RepositoryState, fork: string | undefined): Record<string, string> {
  return fork === undefined ? branches : (forks[fork]?.branches ?? {})
}

/**
 * Points a branch and the open pull requests from it to another commit. Creates the branch if it does not exist.
 * @param fork the fork that contains the branch
 */
export function moveBranch(
  repository: RepositoryState,
  branch: string,
  sha: string,
  atMs: number,
  fork?: string,
): void {
  getBranches(repository, fork)[branch] = sha
  for (const pull of Object.values(repository.pulls)) {
    if (pull.branch !== branch || pull.fork !== fork || pull.state !== 'open') continue
    pull.earlierHeads.push({ sha: pull.headSha, untilMs: atMs })
    pull.headSha = sha
    pull.pushes += 1
    pull.updatedAtMs = atMs
  }
}

/** Deletes a branch and closes the open pull requests from and into it, as GitHub does. */
export function deleteBranch(repository: RepositoryState, branch: string, atMs: number): void {
  const usesBranch = (pull: PullState): boolean =>
    pull.base === branch || (pull.branch === branch && pull.fork === undefined)
  for (const pull of Object.values(repository.pulls))
    if (pull.state === 'open' && usesBranch(pull)) closeIssue(repository, pull, atMs)
  Reflect.deleteProperty(repository.branches, branch)
}

/**
 * Pushes a commit to a branch, and updates the open pull requests from it. Creates the branch if it does not exist.
 * @param fork the fork that contains the branch
 */
export function pushCommit(
  repository: RepositoryState,
  branch: string,
  commit: NewCommit,
  atMs: number,
  fork?: string,
): Commit {
  const { branches, defaultBranch } = repository
  const tip = getBranches(repository, fork)[branch] ?? branches[defaultBranch]
  const { parents = tip === undefined ? [] : [tip], message, author, committer, files } = commit
  const authors = committer === undefined ? { author } : { author, committer }
  const stored = createCommit(repository, { parents, message, ...authors, atMs, files })
  moveBranch(repository, branch, stored.sha, atMs, fork)
  return stored
}

export function openPull(
  repository: RepositoryState,
  number: number,
  fields: Partial<PullState> & Pick<PullState, 'branch'>,
  atMs: number,
): PullState {
  const headSha = getBranches(repository, fields.fork)[fields.branch] ?? ''
  const pull = createPullState({
    headSha,
    base: repository.defaultBranch,
    createdAtMs: atMs,
    updatedAtMs: atMs,
    ...fields,
  })
  repository.pulls[number] = pull
  return pull
}

export function closeIssue(repository: RepositoryState, issue: IssueState | PullState, atMs: number): void {
  issue.state = 'closed'
  issue.updatedAtMs = atMs
  issue.closedAtMs ??= atMs
  if (!('base' in issue)) return
  issue.closedBaseSha ??= repository.branches[issue.base]
  issue.autoMerge = undefined
}

export function reopenIssue(issue: IssueState | PullState, atMs: number): void {
  issue.state = 'open'
  issue.stateReason = 'reopened'
  issue.updatedAtMs = atMs
  issue.closedAtMs = undefined
  if ('base' in issue) issue.closedBaseSha = undefined
}

/** Returns the title and message of a merge commit, with GitHub's defaults. */
export function describeMerge(
  repository: RepositoryState,
  name: string,
  number: number,
  { method, title, message }: MergeChoice,
): { readonly title: string; readonly message: string } {
  const pull = repository.pulls[number]
  if (pull === undefined) return { title: '', message: '' }
  const { ahead } = getPullChange(repository, pull)
  const owner = getOwner(pull.fork ?? name)
  const [defaultTitle, defaultMessage] =
    method === 'merge'
      ? [`Merge pull request #${number} from ${owner}/${pull.branch}`, pull.title]
      : [
          `${pull.title} (#${number})`,
          ahead.length > 1 ? ahead.map((commit) => `* ${commit.message}`).join('\n\n') : '',
        ]
  return { title: title ?? defaultTitle, message: message ?? defaultMessage }
}

/**
 * Recreates commits on top of another one, without merge commits.
 * @returns the last new commit, or undefined if there is none
 */
function rebaseCommits(
  repository: RepositoryState,
  commits: readonly Commit[],
  base: string,
  committer: string,
  atMs: number,
): Commit | undefined {
  let last: Commit | undefined
  for (const { message, author, files, parents } of commits) {
    if (parents.length > 1) continue
    last = createCommit(repository, { parents: [last?.sha ?? base], message, author, committer, atMs, files })
  }
  return last
}

/**
 * Merges an open pull request into its base. `merge` creates a commit with both heads as parents, `squash` one commit with all
 * changes, and `rebase` recreates each commit on the base.
 * @param by login of the user who merges
 * @returns the new head of the base, or undefined if there is nothing to merge
 */
export function mergePull(
  repository: RepositoryState,
  number: number,
  by: string,
  atMs: number,
  choice: MergeChoice & { readonly repositoryName?: string } = { method: 'squash' },
): Commit | undefined {
  const pull = repository.pulls[number]
  const base = pull === undefined ? undefined : repository.branches[pull.base]
  if (pull?.state !== 'open' || base === undefined) return undefined
  const { ahead, files } = getPullChange(repository, pull)
  const text = describeMerge(repository, choice.repositoryName ?? '', number, choice)
  const message = text.message === '' ? text.title : `${text.title}\n\n${text.message}`
  const create = {
    merge: () => createCommit(repository, { parents: [base, pull.headSha], message, author: by, atMs, files: [] }),
    squash: () => createCommit(repository, { parents: [base], message, author: by, atMs, files }),
    rebase: () => rebaseCommits(repository, ahead, base, by, atMs),
  }
  const commit = create[choice.method]()
  if (commit === undefined) return undefined
  closeIssue(repository, pull, atMs)
  moveBranch(repository, pull.base, commit.sha, atMs)
  pull.merge = { sha: commit.sha, atMs, by }
  if (repository.deletesBranchOnMerge && pull.fork === undefined) deleteBranch(repository, pull.branch, atMs)
  return commit
}

/**
 * Merges the base of a pull request into its branch.
 * @param by login of the user who merges
 * @returns undefined if the branch already contains the base
 */
export function updateBranch(
  repository: RepositoryState,
  pull: PullState,
  by: string,
  atMs: number,
): Commit | undefined {
  const { base, branch, fork, headSha } = pull
  const baseSha = repository.branches[base]
  if (baseSha === undefined || compareHistories(repository, baseSha, headSha)?.behindBy === 0) return undefined
  const message = `Merge branch '${base}' into ${branch}`
  return pushCommit(repository, branch, { message, author: by, files: [], parents: [headSha, baseSha] }, atMs, fork)
}

/** Returns the number of the next issue or pull request. */
export function takeNumber({ issues, pulls, reservedNumbers }: RepositoryState): number {
  return Math.max(reservedNumbers, ...[issues, pulls].flatMap((items) => Object.keys(items).map(Number))) + 1
}

export function writeComment(state: GitHubState, issue: IssueState, user: string, body: string, atMs: number): Comment {
  const comment = { id: takeId(state), user, body, createdAtMs: atMs, reactions: [], references: findReferences(body) }
  issue.comments.push(comment)
  issue.updatedAtMs = atMs
  return comment
}
