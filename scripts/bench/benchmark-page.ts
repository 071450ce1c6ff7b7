import { renderTable } from '../docs/markdown-tables.ts'
import type { Row } from './row.ts'

/** The results of one part, and the circumstances of the measurement. */
export interface SavedPart {
  readonly circumstances: string
  readonly rows: readonly Row[]
}

export type SavedParts = Readonly<Record<string, SavedPart>>

/** Renders a part as Markdown, with each peer on its own line in the cell. */
export function renderPart({ circumstances, rows }: SavedPart): string {
  const cells = rows.map(([what, ours, comparison, ratio]) => [
    what,
    ours,
    comparison.replaceAll('; ', '<br>'),
    ratio.toFixed(2),
  ])
  return `${renderTable([['What', 'This action', 'Compared with', 'Ratio'], ...cells])}\n\n${circumstances}`
}
