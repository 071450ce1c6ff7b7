import { renderTable } from '../docs/markdown-tables.ts'
import type { Row } from './row.ts'

/** What was measured of one part, and what the figures hold for. */
export interface SavedPart {
  readonly circumstances: string
  readonly rows: readonly Row[]
}

export type SavedParts = Readonly<Record<string, SavedPart>>

/** A part as Markdown: each peer has a line of its own in its cell. */
export function renderPart({ circumstances, rows }: SavedPart): string {
  const cells = rows.map(([what, ours, beside, ratio]) => [
    what,
    ours,
    beside.replaceAll('; ', '<br>'),
    ratio.toFixed(2),
  ])
  return `${renderTable([['What', 'This action', 'Beside it', 'Ratio'], ...cells])}\n\n${circumstances}`
}
