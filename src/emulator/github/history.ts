import { createHash } from 'node:crypto'
import type { PullState } from './pull-state.ts'
import type { Commit, FileChange, RepositoryState } from './repository-state.ts'

const MIN_SHA_LENGTH = 7

/**
 * Creates GitHub's test merge of an open pull request into its base (`refs/pull/N/merge`). It is on no branch and in no list,
 * and changes when head or base move.
 * @returns undefined for a closed pull request and for a conflict
 */
export function createTestMerge({ branches }: RepositoryState, pull: PullState): Commit | undefined {
  const { headSha, base, user, updatedAtMs } = pull
  const baseSha = branches[base]
  if (pull.state !== 'open' || pull.conflict || baseSha === undefined) return undefined
  const message = `Merge ${headSha} into ${baseSha}`
  const sha = createHash('sha1').update(message).digest('hex')
  return { sha, parents: [baseSha, headSha], message, author: user, atMs: updatedAtMs, files: [] }
}

/** Finds a commit by branch, tag, `refs/...`, id or id prefix. */
export function findCommit(repository: RepositoryState, ref: string): Commit | undefined {
  const { commits, tags, pulls, forks, defaultBranch } = repository
  const findBySha = (sha: string | undefined): Commit | undefined =>
    sha === undefined ? undefined : commits.find((commit) => commit.sha === sha)
  // The branch of a fork is named `owner:branch`.
  const [owner = ''] = /^[^:]*(?=:)/.exec(ref) ?? []
  const [, { branches } = repository] = Object.entries(forks).find(([fork]) => fork.startsWith(`${owner}/`)) ?? []
  const name = ref.slice(ref.indexOf(':') + 1).replace(/^refs\//, '')
  const [, number, end] = /^pull\/(\d+)\/(head|merge)$/.exec(name) ?? []
  const pull = pulls[Number(number)]
  if (number !== undefined)
    return pull && (end === 'head' ? findBySha(pull.headSha) : createTestMerge(repository, pull))
  const short = name.replace(/^(heads|tags)\//, '')
  if (short === 'HEAD') return findBySha(repository.branches[defaultBranch])
  const named = name.startsWith('tags/') ? tags[short] : (branches[short] ?? tags[short])
  if (named !== undefined) return findBySha(named)
  if (!/^[0-9a-f]+$/.test(ref) || ref.length < MIN_SHA_LENGTH) return undefined
  const testMerges = Object.values(pulls).map((pullRequest) => createTestMerge(repository, pullRequest))
  return [...commits, ...testMerges].find((commit) => commit?.sha.startsWith(ref))
}

/** Returns a commit and its ancestors, newest first. */
export function getHistory({ commits }: RepositoryState, sha: string): readonly Commit[] {
  const ancestors = new Set([sha])
  // Commits are stored after their parents, so one backward pass finds all ancestors.
  return commits.toReversed().filter((commit) => {
    if (!ancestors.has(commit.sha)) return false
    for (const parent of commit.parents) ancestors.add(parent)
    return true
  })
}

function combineChanges(before: FileChange, after: FileChange): FileChange | undefined {
  const { status: oldStatus = 'modified' } = before
  const { status: newStatus = 'modified' } = after
  if (newStatus === 'removed' && oldStatus === 'added') return undefined
  const status = newStatus === 'removed' ? newStatus : oldStatus === 'removed' ? 'modified' : oldStatus
  return {
    ...before,
    ...after,
    status,
    additions: (before.additions ?? 1) + (after.additions ?? 1),
    deletions: (before.deletions ?? 0) + (after.deletions ?? 0),
  }
}

/**
 * Combines the changes of several commits, sorted by file name.
 * @param commits oldest first
 */
export function combineFileChanges(commits: readonly Commit[]): readonly FileChange[] {
  const files = new Map<string, FileChange>()
  for (const change of commits.flatMap((commit) => commit.files)) {
    const from = change.status === 'renamed' ? (change.previous_filename ?? change.filename) : change.filename
    const before = files.get(from)
    files.delete(from)
    const file = before === undefined ? change : combineChanges(before, change)
    if (file !== undefined) files.set(change.filename, file)
  }
  return [...files.values()].sort((a, b) => (a.filename < b.filename ? -1 : 1))
}

export interface CommitComparison {
  readonly relation: 'ahead' | 'behind' | 'diverged' | 'identical'
  readonly mergeBase: Commit
  /** The commits that are in the head but not in the base, oldest first. */
  readonly ahead: readonly Commit[]
  readonly behindBy: number
  /** The changes from the merge base to the head. */
  readonly files: readonly FileChange[]
}

function getRelation(aheadBy: number, behindBy: number): CommitComparison['relation'] {
  if (aheadBy > 0) return behindBy > 0 ? 'diverged' : 'ahead'
  return behindBy > 0 ? 'behind' : 'identical'
}

/**
 * Compares the histories of two commits.
 * @returns undefined if they have no common ancestor
 */
export function compareHistories(
  repository: RepositoryState,
  baseSha: string,
  headSha: string,
): CommitComparison | undefined {
  const base = getHistory(repository, baseSha)
  const head = getHistory(repository, headSha)
  const inBase = new Set(base.map(({ sha }) => sha))
  const inHead = new Set(head.map(({ sha }) => sha))
  const mergeBase = head.find(({ sha }) => inBase.has(sha))
  if (mergeBase === undefined) return undefined
  const ahead = head.filter(({ sha }) => !inBase.has(sha)).toReversed()
  const behindBy = base.filter(({ sha }) => !inHead.has(sha)).length
  return { relation: getRelation(ahead.length, behindBy), mergeBase, ahead, behindBy, files: combineFileChanges(ahead) }
}

/** Returns the commits and changes of a pull request. Both are empty if its commits are unknown. */
export function getPullChange(repository: RepositoryState, pull: PullState): Pick<CommitComparison, 'ahead' | 'files'> {
  const baseSha = pull.closedBaseSha ?? repository.branches[pull.base] ?? ''
  return compareHistories(repository, baseSha, pull.headSha) ?? { ahead: [], files: [] }
}
