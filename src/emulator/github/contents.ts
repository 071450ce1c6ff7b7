import { createHash } from 'node:crypto'
import { compareHistories, getHistory } from './history.ts'
import type { FileChange, RepositoryState } from './repository-state.ts'

/** A file at a commit. Its text is unknown where a change of it has neither content nor patch. */
export interface TreeFile {
  readonly text: string | undefined
  /** As Git names a blob with this text. */
  readonly sha: string
}

type Tree = ReadonlyMap<string, TreeFile>

const EMPTY: Tree = new Map()
const HUNK = /^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@/

function toFile(text: string | undefined, fallback: string): TreeFile {
  const named = text === undefined ? fallback : `blob ${Buffer.byteLength(text)}\0${text}`
  return { text, sha: createHash('sha1').update(named).digest('hex') }
}

/**
 * The text that a patch makes of another one. Lines that the patch shows count more than the ones that were there, since many
 * a patch of this world was written by hand.
 */
export function applyPatch(before: string, patch: string): string {
  const old = before === '' ? [] : before.replace(/\n$/, '').split('\n')
  const lines: string[] = []
  let next = 0
  for (const line of patch.split('\n')) {
    const start = HUNK.exec(line)?.[1]
    if (start !== undefined) {
      const index = Math.max(0, Number(start) - 1)
      lines.push(...old.slice(next, index))
      next = Math.max(next, index)
    } else if (!line.startsWith('\\')) {
      if (!line.startsWith('-')) lines.push(line.slice(1))
      if (!line.startsWith('+')) next += 1
    }
  }
  lines.push(...old.slice(next))
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}

function readText(before: TreeFile | undefined, { content, patch, status }: FileChange): string | undefined {
  if (content !== undefined) return content
  if (patch === undefined) return status === 'renamed' || status === 'copied' ? before?.text : undefined
  return applyPatch(before?.text ?? '', patch)
}

/** The files of a commit, by path. */
export function readTree(repository: RepositoryState, sha: string): Tree {
  const trees = new Map<string, Tree>()
  for (const commit of getHistory(repository, sha).toReversed()) {
    const [first, ...others] = commit.parents
    const tree = new Map(trees.get(first ?? '') ?? EMPTY)
    for (const other of others) {
      const brought = compareHistories(repository, first ?? '', other)?.files ?? []
      for (const { filename, status, previous_filename: previous } of brought) {
        const file = trees.get(other)?.get(filename)
        if (status === 'renamed' && previous !== undefined) tree.delete(previous)
        if (file === undefined) tree.delete(filename)
        else tree.set(filename, file)
      }
    }
    for (const change of commit.files) {
      const { filename, status, previous_filename: previous } = change
      const before = tree.get(previous ?? filename)
      if (status === 'renamed' && previous !== undefined) tree.delete(previous)
      if (status === 'removed') tree.delete(filename)
      else tree.set(filename, toFile(readText(before, change), `${commit.sha} ${filename}`))
    }
    trees.set(commit.sha, tree)
  }
  return trees.get(sha) ?? EMPTY
}

/** A unified diff from one text to another, as one hunk without context. */
export function diffTexts(before: string, after: string): Pick<FileChange, 'patch' | 'additions' | 'deletions'> {
  const [old, made] = [before, after].map((text) => (text === '' ? [] : text.replace(/\n$/, '').split('\n')))
  const [was, is] = [old ?? [], made ?? []]
  let start = 0
  while (start < was.length && start < is.length && was[start] === is[start]) start += 1
  let end = 0
  while (end < was.length - start && end < is.length - start && was.at(-1 - end) === is.at(-1 - end)) end += 1
  const removed = was.slice(start, was.length - end)
  const added = is.slice(start, is.length - end)
  const from = (count: number): string => `${count === 0 ? start : start + 1},${count}`
  const lines = [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)]
  return {
    patch: [`@@ -${from(removed.length)} +${from(added.length)} @@`, ...lines].join('\n'),
    additions: added.length,
    deletions: removed.length,
  }
}
