import type { FileChange } from './repository-state.ts'

/** A line of a diff. */
export interface DiffLine {
  /** Counted from the first hunk header, as GitHub does. */
  readonly position: number
  /** In the file before the change. None for an added line. */
  readonly oldLine: number | undefined
  /** In the file after the change. None for a removed line. */
  readonly newLine: number | undefined
  /** Its hunk as far as this line. */
  readonly hunk: string
}

const HEADER = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/

/** The lines of a patch that can be commented on. */
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
