import { createHash } from 'node:crypto'
import { changeOfPull } from './history.ts'
import type { Comment, IssueState } from './issue-state.ts'
import { type PullState, pullState } from './pull-state.ts'
import type { Commit, RepositoryState } from './repository-state.ts'
import { type GitHubState, takeId } from './state.ts'

type NewCommit = Pick<Commit, 'message' | 'author' | 'files'> & {
  /** By default the head of the branch, or of the default branch where that one is new. */
  readonly parents?: readonly string[]
}

/** A commit that is in no branch yet. Its id follows from what is in it. */
function makeCommit(repository: RepositoryState, commit: Omit<Commit, 'sha'>): Commit {
  const sha = createHash('sha1').update(JSON.stringify(commit)).digest('hex')
  const made = { ...commit, sha }
  repository.commits.push(made)
  return made
}

/** Somebody pushes a commit to a branch, which is made where it is not there. Open pull requests of it get a new head. */
export function pushCommit(repository: RepositoryState, branch: string, commit: NewCommit, atMs: number): Commit {
  const { branches, defaultBranch, pulls } = repository
  const tip = branches[branch] ?? branches[defaultBranch]
  const { parents = tip === undefined ? [] : [tip], message, author, files } = commit
  const made = makeCommit(repository, { parents, message, author, atMs, files })
  branches[branch] = made.sha
  for (const pull of Object.values(pulls)) {
    if (pull.branch !== branch || pull.state !== 'open') continue
    pull.earlierHeads.push({ sha: pull.headSha, untilMs: atMs })
    pull.headSha = made.sha
    pull.pushes += 1
    pull.updatedAtMs = atMs
  }
  return made
}

export function openPull(
  repository: RepositoryState,
  number: number,
  fields: Partial<PullState> & Pick<PullState, 'branch'>,
  atMs: number,
): PullState {
  const headSha = repository.branches[fields.branch] ?? ''
  const pull = pullState({ headSha, base: repository.defaultBranch, createdAtMs: atMs, updatedAtMs: atMs, ...fields })
  repository.pulls[number] = pull
  return pull
}

export function closeIssue(repository: RepositoryState, issue: IssueState | PullState, atMs: number): void {
  issue.state = 'closed'
  issue.updatedAtMs = atMs
  issue.closedAtMs ??= atMs
  if ('base' in issue) issue.closedBaseSha ??= repository.branches[issue.base]
}

/** Merges an open pull request into its base as one commit, with the message that GitHub writes. */
export function mergePull(
  repository: RepositoryState,
  number: number,
  author: string,
  atMs: number,
): Commit | undefined {
  const pull = repository.pulls[number]
  const base = pull === undefined ? undefined : repository.branches[pull.base]
  if (pull?.state !== 'open' || base === undefined) return undefined
  const { files } = changeOfPull(repository, pull)
  closeIssue(repository, pull, atMs)
  const message = `${pull.title} (#${number})`
  const made = pushCommit(repository, pull.base, { parents: [base], message, author, files }, atMs)
  pull.merge = { sha: made.sha, atMs }
  return made
}

export function writeComment(state: GitHubState, issue: IssueState, user: string, body: string, atMs: number): Comment {
  const comment = { id: takeId(state), user, body, createdAtMs: atMs, reactions: [] }
  issue.comments.push(comment)
  issue.updatedAtMs = atMs
  return comment
}
