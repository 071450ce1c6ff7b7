import { createHash } from 'node:crypto'
import type { PullState } from './pull-state.ts'
import type { Commit, FileChange, RepositoryState } from './repository-state.ts'

const SHORTEST_SHA = 7

/**
 * The merge of an open pull request into its base that GitHub makes for a test (`refs/pull/N/merge`). It is in no branch and in
 * no list, and another one takes its place when head or base move.
 */
export function makeTestMerge({ branches }: RepositoryState, pull: PullState): Commit | undefined {
  const { headSha, base, user, updatedAtMs } = pull
  const baseSha = branches[base]
  if (pull.state !== 'open' || pull.conflict || baseSha === undefined) return undefined
  const message = `Merge ${headSha} into ${baseSha}`
  const sha = createHash('sha1').update(message).digest('hex')
  return { sha, parents: [baseSha, headSha], message, author: user, atMs: updatedAtMs, files: [] }
}

/** The commit that a branch, a tag, `refs/...` or an id, also the beginning of one, names. */
export function findCommit(repository: RepositoryState, ref: string): Commit | undefined {
  const { commits, tags, pulls, forks, defaultBranch } = repository
  const bySha = (sha: string | undefined): Commit | undefined =>
    sha === undefined ? undefined : commits.find((commit) => commit.sha === sha)
  // The branch of a fork is named `owner:branch`.
  const [owner = ''] = /^[^:]*(?=:)/.exec(ref) ?? []
  const [, { branches } = repository] = Object.entries(forks).find(([fork]) => fork.startsWith(`${owner}/`)) ?? []
  const name = ref.slice(ref.indexOf(':') + 1).replace(/^refs\//, '')
  const [, number, end] = /^pull\/(\d+)\/(head|merge)$/.exec(name) ?? []
  const pull = pulls[Number(number)]
  if (number !== undefined) return pull && (end === 'head' ? bySha(pull.headSha) : makeTestMerge(repository, pull))
  const short = name.replace(/^(heads|tags)\//, '')
  if (short === 'HEAD') return bySha(repository.branches[defaultBranch])
  const named = name.startsWith('tags/') ? tags[short] : (branches[short] ?? tags[short])
  if (named !== undefined) return bySha(named)
  if (!/^[0-9a-f]+$/.test(ref) || ref.length < SHORTEST_SHA) return undefined
  const testMerges = Object.values(pulls).map((one) => makeTestMerge(repository, one))
  return [...commits, ...testMerges].find((commit) => commit?.sha.startsWith(ref))
}

/** A commit and all before it, newest first. */
export function getHistory({ commits }: RepositoryState, sha: string): readonly Commit[] {
  const wanted = new Set([sha])
  // Every commit stands behind its parents, so one walk back finds them all.
  return commits.toReversed().filter((commit) => {
    if (!wanted.has(commit.sha)) return false
    for (const parent of commit.parents) wanted.add(parent)
    return true
  })
}

function following(before: FileChange, after: FileChange): FileChange | undefined {
  const { status: was = 'modified' } = before
  const { status: is = 'modified' } = after
  if (is === 'removed' && was === 'added') return undefined
  const status = is === 'removed' ? is : was === 'removed' ? 'modified' : was
  return {
    ...before,
    ...after,
    status,
    additions: (before.additions ?? 1) + (after.additions ?? 1),
    deletions: (before.deletions ?? 0) + (after.deletions ?? 0),
  }
}

/** What several commits changed together, in the order of the files' names. Oldest commit first. */
export function changedFiles(commits: readonly Commit[]): readonly FileChange[] {
  const files = new Map<string, FileChange>()
  for (const change of commits.flatMap((commit) => commit.files)) {
    const from = change.status === 'renamed' ? (change.previous_filename ?? change.filename) : change.filename
    const before = files.get(from)
    files.delete(from)
    const file = before === undefined ? change : following(before, change)
    if (file !== undefined) files.set(change.filename, file)
  }
  return [...files.values()].sort((a, b) => (a.filename < b.filename ? -1 : 1))
}

export interface Compared {
  readonly relation: 'ahead' | 'behind' | 'diverged' | 'identical'
  readonly mergeBase: Commit
  /** In the head and not in the base, oldest first. */
  readonly ahead: readonly Commit[]
  readonly behindBy: number
  /** What changed from the merge base to the head. */
  readonly files: readonly FileChange[]
}

function getRelation(aheadBy: number, behindBy: number): Compared['relation'] {
  if (aheadBy > 0) return behindBy > 0 ? 'diverged' : 'ahead'
  return behindBy > 0 ? 'behind' : 'identical'
}

/** Nothing if the two have no commit in common. */
export function compareHistories(repository: RepositoryState, baseSha: string, headSha: string): Compared | undefined {
  const base = getHistory(repository, baseSha)
  const head = getHistory(repository, headSha)
  const inBase = new Set(base.map(({ sha }) => sha))
  const inHead = new Set(head.map(({ sha }) => sha))
  const mergeBase = head.find(({ sha }) => inBase.has(sha))
  if (mergeBase === undefined) return undefined
  const ahead = head.filter(({ sha }) => !inBase.has(sha)).toReversed()
  const behindBy = base.filter(({ sha }) => !inHead.has(sha)).length
  return { relation: getRelation(ahead.length, behindBy), mergeBase, ahead, behindBy, files: changedFiles(ahead) }
}

/** What a pull request brings. Nothing where its commits are not known. */
export function changeOfPull(repository: RepositoryState, pull: PullState): Pick<Compared, 'ahead' | 'files'> {
  const baseSha = pull.closedBaseSha ?? repository.branches[pull.base] ?? ''
  return compareHistories(repository, baseSha, pull.headSha) ?? { ahead: [], files: [] }
}
