import type { ChangedFile, ComparedCommit, Comparison } from '../../../src/github/commits.ts'
import type { Clone, ClonedCommit, FileChange, Push } from './clone.ts'

/** The pushes of a clone, and the commit before them. */
export interface PushHistory {
  readonly clone: Clone
  /** Oldest first. */
  readonly pushes: readonly Push[]
  /** The commit that the first run looks back to. */
  readonly base: string
}

/** GitHub's limits for the files and the commits of a comparison. */
const MAX_FILES = 300
const MAX_COMMITS = 500

export const toComparedCommit = ({ sha, message, author, committer }: ClonedCommit): ComparedCommit => ({
  sha,
  message,
  author: author.name,
  account: { login: author.login, type: author.type },
  committerLogin: committer.login,
  writtenBy: author.login,
  committedBy: committer.login,
})

const MISSING = /^0+ /

function getStatus({ before, after }: FileChange): string {
  if (MISSING.test(before)) return 'added'
  return MISSING.test(after) ? 'removed' : 'modified'
}

/** The files of consecutive pushes. Grows with the range: while runs are red, each looks back to the same base. */
class CombinedFiles {
  readonly from: number
  to: number
  readonly #changes = new Map<string, FileChange>()
  #paths: readonly string[] = []

  constructor(from: number) {
    this.from = from
    this.to = from
  }

  add({ files }: Push): void {
    for (const [path, { before, after }] of files)
      this.#changes.set(path, { before: this.#changes.get(path)?.before ?? before, after })
    this.to++
  }

  /** By path, at most so many. Files that were changed and changed back do not differ. */
  list(maxFiles: number): ChangedFile[] {
    if (this.#paths.length < this.#changes.size) this.#paths = [...this.#changes.keys()].sort()
    const files: ChangedFile[] = []
    for (const path of this.#paths) {
      const change = this.#changes.get(path)
      if (change === undefined || change.before === change.after) continue
      const status = getStatus(change)
      files.push({ path, status, previousPath: undefined, patch: undefined, additions: 0, deletions: 0 })
      if (files.length === maxFiles) break
    }
    return files
  }
}

export type Compare = (base: string, head: string) => Comparison

/** Compares two commits of the first-parent log as GitHub does, without line counts and hunks. */
export function createCompare({ pushes, base: first }: PushHistory): Compare {
  const positions = new Map([[first, 0], ...pushes.map(({ sha }, at) => [sha, at + 1] as const)])
  const compared = pushes.map(({ commits }) => commits.map(toComparedCommit))
  let combined = new CombinedFiles(0)

  function listFiles(from: number, to: number): ChangedFile[] {
    if (combined.from !== from || combined.to > to) combined = new CombinedFiles(from)
    for (const push of pushes.slice(combined.to, to)) combined.add(push)
    return combined.list(MAX_FILES)
  }

  return (base, head) => {
    const [from, to] = [positions.get(base), positions.get(head)]
    if (from === undefined || to === undefined) throw new Error(`The clone has no comparison of ${base}...${head}.`)
    const between = compared.slice(from, to)
    // Each push has a commit of its own.
    const newest = between.slice(-MAX_COMMITS).flat().slice(-MAX_COMMITS)
    const files = listFiles(from, Math.max(from, to))
    return {
      relation: from === to ? 'identical' : from < to ? 'ahead' : 'behind',
      mergeBase: from < to ? base : head,
      commits: newest,
      totalCommits: between.reduce((sum, { length }) => sum + length, 0),
      files,
      fileList: files.length < MAX_FILES ? 'complete' : 'truncated',
    }
  }
}

/** Larger patches are left out of GitHub's comparisons too. */
const MAX_PATCH_CHARS = 1024 ** 2

const STATUSES: Readonly<Record<string, string>> = { A: 'added', D: 'removed', R: 'renamed', C: 'copied' }

/** Parses `git diff --raw -z`. */
function parseRaw(raw: string, hunks: readonly (string | undefined)[]): readonly ChangedFile[] {
  const files: ChangedFile[] = []
  const tokens = raw.split('\0')
  for (let at = 0; at < tokens.length; at++) {
    const [, letter = ''] = /^:.* ([A-Z])\d*$/.exec(tokens[at] ?? '') ?? []
    if (letter === '') continue
    const first = tokens[++at] ?? ''
    // A renamed or copied file has two paths.
    const path = letter === 'R' || letter === 'C' ? (tokens[++at] ?? '') : first
    const patch = hunks[files.length]
    files.push({
      path,
      status: STATUSES[letter] ?? 'modified',
      previousPath: letter === 'R' ? first : undefined,
      patch: patch !== undefined && patch.length > MAX_PATCH_CHARS ? undefined : patch,
      additions: 0,
      deletions: 0,
    })
  }
  return files
}

/** Parses `git diff --numstat -z`: the added and removed lines of each file, in order. Binary files have none. */
function parseCounts(numstat: string): readonly (readonly [additions: number, deletions: number])[] {
  return Array.from(numstat.matchAll(/(?:^|\0)([\d-]+)\t([\d-]+)\t/g), ([, added, removed]) => [
    Number(added) || 0,
    Number(removed) || 0,
  ])
}

/**
 * Reads the files of a comparison with their line counts and hunks.
 * @returns undefined if the clone does not have their content
 */
function readFiles({ git }: Clone, base: string, head: string): readonly ChangedFile[] | undefined {
  const read = (...format: readonly string[]): string | undefined =>
    git('diff', '--no-ext-diff', '--no-textconv', '--no-color', '--find-renames', ...format, base, head)
  const [raw, numstat, patches] = [read('--raw', '-z'), read('--numstat', '-z'), read('--patch')]
  if (raw === undefined || numstat === undefined || patches === undefined) return undefined
  const hunks = patches.split(/^diff --git /m).slice(1)
  const counts = parseCounts(numstat)
  return parseRaw(
    raw,
    hunks.map((patch) => /^@@ [^]*/m.exec(patch)?.[0].trimEnd()),
  ).map((file, at) => {
    const [additions = 0, deletions = 0] = counts[at] ?? []
    return { ...file, additions, deletions }
  })
}

/** As `createCompare`, with line counts and hunks, which takes longer. */
export function createDetailedCompare(history: PushHistory): Compare {
  const compare = createCompare(history)
  return (base, head) => {
    const comparison = compare(base, head)
    const files = readFiles(history.clone, base, head)
    return files === undefined ? comparison : { ...comparison, files: files.slice(0, MAX_FILES) }
  }
}
