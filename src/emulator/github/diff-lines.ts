import type { FileChange } from './repository-state.ts'

export interface DiffLine {
  /** GitHub's `position`: the number of lines below the first hunk header. */
  readonly position: number
  /** The line number before the change. Undefined for an added line. */
  readonly oldLine: number | undefined
  /** The line number after the change. Undefined for a removed line. */
  readonly newLine: number | undefined
  /** The hunk up to and including this line. */
  readonly hunk: string
}

const HEADER = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/

/** Lists the lines of a patch that can have comments. */
export function listDiffLines({ patch = '' }: Pick<FileChange, 'patch'>): readonly DiffLine[] {
  const lines: DiffLine[] = []
  let [nextOld, nextNew] = [1, 1]
  let hunk: string[] = []
  for (const [position, text] of patch.split('\n').entries()) {
    const [, oldStart, newStart] = HEADER.exec(text) ?? []
    if (oldStart !== undefined) {
      ;[nextOld, nextNew] = [Number(oldStart), Number(newStart)]
      hunk = [text]
      continue
    }
    if (text.startsWith('\\')) continue
    hunk.push(text)
    const oldLine = text.startsWith('+') ? undefined : nextOld++
    const newLine = text.startsWith('-') ? undefined : nextNew++
    lines.push({ position, oldLine, newLine, hunk: hunk.join('\n') })
  }
  return lines
}
