import { renderTable } from '../docs/markdown-tables.ts'
import type { Row } from './row.ts'

/** Renders a part as Markdown, with each peer on its own line in the cell. */
export function renderPart(rows: readonly Row[], circumstances: string): string {
  const cells = rows.map(([what, ours, comparison]) => [what, ours, comparison.replaceAll('; ', '<br>')])
  return `${renderTable([['What', 'This action', 'Compared with'], ...cells])}\n\n${circumstances}`
}
