import { createHash } from 'node:crypto'
import { compareHistories, getHistory } from './history.ts'
import type { FileChange, RepositoryState } from './repository-state.ts'

/** A file at a commit. */
export interface TreeFile {
  /** Undefined if a change of the file has neither content nor patch. */
  readonly text: string | undefined
  /** The Git blob id of the text, or an arbitrary id if the text is unknown. */
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
 * Applies a patch to a text. Does not compare context and removed lines with the text, because many patches of scenarios and
 * tests are written by hand.
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

/** Returns the files of a commit by path. */
export function readTree(repository: RepositoryState, sha: string): Tree {
  const trees = new Map<string, Tree>()
  for (const commit of getHistory(repository, sha).toReversed()) {
    const [first, ...others] = commit.parents
    const tree = new Map(trees.get(first ?? '') ?? EMPTY)
    for (const other of others) {
      const merged = compareHistories(repository, first ?? '', other)?.files ?? []
      for (const { filename, status, previous_filename: previous } of merged) {
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

/** Creates a unified diff of one hunk without context. */
export function diffTexts(before: string, after: string): Pick<FileChange, 'patch' | 'additions' | 'deletions'> {
  const toLines = (text: string): readonly string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))
  const [oldLines, newLines] = [toLines(before), toLines(after)]
  let start = 0
  while (start < oldLines.length && start < newLines.length && oldLines[start] === newLines[start]) start += 1
  let end = 0
  const maxEnd = Math.min(oldLines.length, newLines.length) - start
  while (end < maxEnd && oldLines.at(-1 - end) === newLines.at(-1 - end)) end += 1
  const removed = oldLines.slice(start, oldLines.length - end)
  const added = newLines.slice(start, newLines.length - end)
  const toRange = (count: number): string => `${count === 0 ? start : start + 1},${count}`
  const lines = [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)]
  return {
    patch: [`@@ -${toRange(removed.length)} +${toRange(added.length)} @@`, ...lines].join('\n'),
    additions: added.length,
    deletions: removed.length,
  }
}
