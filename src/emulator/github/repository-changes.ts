import { createHash } from 'node:crypto'
import { getPullChange, compareHistories } from './history.ts'
import type { StoredComment, IssueState } from './issue-state.ts'
import { type MergeMethod, type PullState, createPullState } from './pull-state.ts'
import { type Commit, getOwner, type Push, type RepositoryState, WEB_FLOW } from './repository-state.ts'
import { type GitHubState, takeId } from './state.ts'

export type NewCommit = Pick<Commit, 'message' | 'author' | 'files' | 'committer'> & {
  /** Default: the head of the branch, or of the default branch if the branch is new. */
  readonly parents?: readonly string[]
  /** The login of the pusher. Default: the author. */
  readonly by?: string
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

/** Who changes a ref, and when. `fork`: the fork that contains the branch. */
type Pusher = Pick<Push, 'by' | 'atMs' | 'fork'>

/** Points a branch and the open pull requests from it to another commit. Creates the branch if it does not exist. */
export function moveBranch(repository: RepositoryState, branch: string, sha: string, pusher: Pusher): void {
  const { atMs, fork } = pusher
  const branches = getBranches(repository, fork)
  if (branches[branch] !== sha)
    repository.pushes.push({ ref: `refs/heads/${branch}`, before: branches[branch], after: sha, ...pusher })
  branches[branch] = sha
  for (const pull of Object.values(repository.pulls)) {
    if (pull.branch !== branch || pull.fork !== fork || pull.state !== 'open') continue
    pull.earlierHeads.push({ sha: pull.headSha, untilMs: atMs })
    pull.headSha = sha
    pull.pushes += 1
    pull.updatedAtMs = atMs
  }
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
  const { parents = tip === undefined ? [] : [tip], message, author, committer, files, by = author } = commit
  const authors = committer === undefined ? { author } : { author, committer }
  const stored = createCommit(repository, { parents, message, ...authors, atMs, files })
  moveBranch(repository, branch, stored.sha, { by, atMs, fork })
  return stored
}

/** Commits an edit on GitHub's website to a branch. The author is the person, and GitHub is the committer. */
export function editOnWeb(
  repository: RepositoryState,
  branch: string,
  edit: Pick<Commit, 'message' | 'author' | 'files'>,
  atMs: number,
): Commit {
  return pushCommit(repository, branch, { ...edit, committer: WEB_FLOW }, atMs)
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

/** Returns the title and message that GitHub gives a merge commit. */
function describeMerge(
  repository: RepositoryState,
  name: string,
  number: number,
  method: MergeMethod,
): { readonly title: string; readonly message: string } {
  const pull = repository.pulls[number]
  if (pull === undefined) return { title: '', message: '' }
  const { ahead } = getPullChange(repository, pull)
  const owner = getOwner(pull.fork ?? name)
  return method === 'merge'
    ? { title: `Merge pull request #${number} from ${owner}/${pull.branch}`, message: pull.title }
    : {
        title: `${pull.title} (#${number})`,
        message: ahead.length > 1 ? ahead.map((commit) => `* ${commit.message}`).join('\n\n') : '',
      }
}

/** Recreates commits on top of another one, without merge commits. Keeps their authors and messages. */
function rebaseCommits(
  repository: RepositoryState,
  commits: readonly Commit[],
  base: string,
  committer: string,
  atMs: number,
): readonly Commit[] {
  const rebased: Commit[] = []
  for (const { message, author, files, parents } of commits) {
    if (parents.length > 1) continue
    const parent = rebased.at(-1)?.sha ?? base
    rebased.push(createCommit(repository, { parents: [parent], message, author, committer, atMs, files }))
  }
  return rebased
}

/**
 * Merges an open pull request into its base. `merge` creates a commit with both heads as parents, whose author is the user who
 * merges, and `squash` one commit with all changes, whose author is that of the pull request. GitHub is the committer of both.
 * `rebase` recreates each commit on the base, and the user who merges is the committer.
 * @param by login of the user who merges
 * @returns the new head of the base, or undefined if there is nothing to merge
 */
export function mergePull(
  repository: RepositoryState,
  number: number,
  by: string,
  atMs: number,
  { method, repositoryName = '' }: { readonly method: MergeMethod; readonly repositoryName?: string } = {
    method: 'squash',
  },
): Commit | undefined {
  const pull = repository.pulls[number]
  const base = pull === undefined ? undefined : repository.branches[pull.base]
  if (pull?.state !== 'open' || base === undefined) return undefined
  const { ahead, files } = getPullChange(repository, pull)
  const text = describeMerge(repository, repositoryName, number, method)
  const message = text.message === '' ? text.title : `${text.title}\n\n${text.message}`
  const onWeb = { message, committer: WEB_FLOW, atMs }
  const create = {
    merge: () => [createCommit(repository, { parents: [base, pull.headSha], author: by, ...onWeb, files: [] })],
    squash: () => [createCommit(repository, { parents: [base], author: pull.user, ...onWeb, files })],
    rebase: () => rebaseCommits(repository, ahead, base, by, atMs),
  }
  const created = create[method]()
  const commit = created.at(-1)
  if (commit === undefined) return undefined
  closeIssue(repository, pull, atMs)
  moveBranch(repository, pull.base, commit.sha, { by, atMs })
  const rebased = method === 'rebase' ? { rebased: created.map(({ sha }) => sha) } : {}
  pull.merge = { sha: commit.sha, atMs, by, ...rebased }
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
  const commit = { message, author: by, committer: WEB_FLOW, files: [], parents: [headSha, baseSha] }
  return pushCommit(repository, branch, commit, atMs, fork)
}

/** Returns the number of the next issue or pull request. */
export function takeNumber({ issues, pulls, reservedNumbers }: RepositoryState): number {
  return Math.max(reservedNumbers, ...[issues, pulls].flatMap((items) => Object.keys(items).map(Number))) + 1
}

export function writeComment(
  state: GitHubState,
  issue: IssueState,
  user: string,
  body: string,
  atMs: number,
): StoredComment {
  const comment = { id: takeId(state), user, body, createdAtMs: atMs, reactions: [] }
  issue.comments.push(comment)
  issue.updatedAtMs = atMs
  return comment
}
