import { createHash } from 'node:crypto'
import { findReferences } from './cross-references.ts'
import { changeOfPull, compareHistories } from './history.ts'
import type { Comment, IssueState } from './issue-state.ts'
import { type MergeChoice, type PullState, pullState } from './pull-state.ts'
import { type Commit, getOwner, type RepositoryState } from './repository-state.ts'
import { type GitHubState, takeId } from './state.ts'

type NewCommit = Pick<Commit, 'message' | 'author' | 'files' | 'committer'> & {
  /** By default the head of the branch, or of the default branch where that one is new. */
  readonly parents?: readonly string[]
}

/** A commit that is in no branch yet. Its id follows from what is in it. */
export function makeCommit(repository: RepositoryState, commit: Omit<Commit, 'sha'>): Commit {
  const sha = createHash('sha1').update(JSON.stringify(commit)).digest('hex')
  const made = { ...commit, sha }
  repository.commits.push(made)
  return made
}

/** The branches of a repository, or of a fork of it. */
export function branchesIn({ branches, forks }: RepositoryState, fork: string | undefined): Record<string, string> {
  return fork === undefined ? branches : (forks[fork]?.branches ?? {})
}

/**
 * A branch gets another head, and so do the open pull requests of it. A branch that is not there is made.
 * @param fork that has the branch
 */
export function moveBranch(
  repository: RepositoryState,
  branch: string,
  sha: string,
  atMs: number,
  fork?: string,
): void {
  branchesIn(repository, fork)[branch] = sha
  for (const pull of Object.values(repository.pulls)) {
    if (pull.branch !== branch || pull.fork !== fork || pull.state !== 'open') continue
    pull.earlierHeads.push({ sha: pull.headSha, untilMs: atMs })
    pull.headSha = sha
    pull.pushes += 1
    pull.updatedAtMs = atMs
  }
}

/** A branch is deleted. GitHub closes the open pull requests of it. */
export function deleteBranch(repository: RepositoryState, branch: string, atMs: number): void {
  const isOfBranch = (pull: PullState): boolean =>
    pull.base === branch || (pull.branch === branch && pull.fork === undefined)
  for (const pull of Object.values(repository.pulls))
    if (pull.state === 'open' && isOfBranch(pull)) closeIssue(repository, pull, atMs)
  Reflect.deleteProperty(repository.branches, branch)
}

/**
 * Somebody pushes a commit to a branch, which is made where it is not there. Open pull requests of it get a new head.
 * @param fork that has the branch
 */
export function pushCommit(
  repository: RepositoryState,
  branch: string,
  commit: NewCommit,
  atMs: number,
  fork?: string,
): Commit {
  const { branches, defaultBranch } = repository
  const tip = branchesIn(repository, fork)[branch] ?? branches[defaultBranch]
  const { parents = tip === undefined ? [] : [tip], message, author, committer, files } = commit
  const by = committer === undefined ? { author } : { author, committer }
  const made = makeCommit(repository, { parents, message, ...by, atMs, files })
  moveBranch(repository, branch, made.sha, atMs, fork)
  return made
}

export function openPull(
  repository: RepositoryState,
  number: number,
  fields: Partial<PullState> & Pick<PullState, 'branch'>,
  atMs: number,
): PullState {
  const headSha = branchesIn(repository, fields.fork)[fields.branch] ?? ''
  const pull = pullState({ headSha, base: repository.defaultBranch, createdAtMs: atMs, updatedAtMs: atMs, ...fields })
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

/** The message of the commit that a merge makes, as GitHub writes it unless told otherwise. */
export function describeMerge(
  repository: RepositoryState,
  name: string,
  number: number,
  { method, title, message }: MergeChoice,
): { readonly title: string; readonly message: string } {
  const pull = repository.pulls[number]
  if (pull === undefined) return { title: '', message: '' }
  const { ahead } = changeOfPull(repository, pull)
  const owner = getOwner(pull.fork ?? name)
  const [usualTitle, usualMessage] =
    method === 'merge'
      ? [`Merge pull request #${number} from ${owner}/${pull.branch}`, pull.title]
      : [`${pull.title} (#${number})`, ahead.length > 1 ? ahead.map((one) => `* ${one.message}`).join('\n\n') : '']
  return { title: title ?? usualTitle, message: message ?? usualMessage }
}

/** The commits of a branch, made once more on top of another commit; commits that only merge are left out. */
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
    last = makeCommit(repository, { parents: [last?.sha ?? base], message, author, committer, atMs, files })
  }
  return last
}

/**
 * Merges an open pull request into its base: with a commit that has both heads as parents, with one commit on the base that
 * has all changes, or with each of its commits once more on the base.
 * @param by who merges
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
  const { ahead, files } = changeOfPull(repository, pull)
  const text = describeMerge(repository, choice.repositoryName ?? '', number, choice)
  const message = text.message === '' ? text.title : `${text.title}\n\n${text.message}`
  const make = {
    merge: () => makeCommit(repository, { parents: [base, pull.headSha], message, author: by, atMs, files: [] }),
    squash: () => makeCommit(repository, { parents: [base], message, author: by, atMs, files }),
    rebase: () => rebaseCommits(repository, ahead, base, by, atMs),
  }
  const made = make[choice.method]()
  if (made === undefined) return undefined
  closeIssue(repository, pull, atMs)
  moveBranch(repository, pull.base, made.sha, atMs)
  pull.merge = { sha: made.sha, atMs, by }
  if (repository.deletesBranchOnMerge && pull.fork === undefined) deleteBranch(repository, pull.branch, atMs)
  return made
}

/** Brings a branch up to date with its base: a commit that has both heads as parents. */
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

/** The number of the next issue or pull request that somebody opens. */
export function takeNumber({ issues, pulls, reservedNumbers }: RepositoryState): number {
  return Math.max(reservedNumbers, ...[issues, pulls].flatMap((one) => Object.keys(one).map(Number))) + 1
}

export function writeComment(state: GitHubState, issue: IssueState, user: string, body: string, atMs: number): Comment {
  const comment = { id: takeId(state), user, body, createdAtMs: atMs, reactions: [], references: findReferences(body) }
  issue.comments.push(comment)
  issue.updatedAtMs = atMs
  return comment
}
