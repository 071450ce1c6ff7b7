const PRINT_WIDTH = 120

/** Renders a Markdown table as Prettier does: with padding only if it is not too wide. The first row is the heading. */
export function renderTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.trim().replaceAll('|', '\\|')))
  const widths = (cells[0] ?? []).map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)))
  const isPadded = widths.reduce((sum, width) => sum + width + ' | '.length, '|'.length) <= PRINT_WIDTH
  const pad = (cell: string, column: number): string => (isPadded ? cell.padEnd(widths[column] ?? 0) : cell)
  const [heading, ...body] = cells.map((row) => row.map(pad))
  const rule = widths.map((width) => '-'.repeat(isPadded ? width : 3))
  return [heading ?? [], rule, ...body].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

/**
 * @param name The markers are `<!-- name: any remark -->` and `<!-- /name -->`, each on its own line.
 * @throws Error unless both markers exist exactly once: without them the table would silently become outdated
 */
export function replaceBetweenMarkers(text: string, name: string, table: string): string {
  const parts = text.split(new RegExp(`(?<=<!-- ${name}:[^\\n]*-->)[^]*?(?=<!-- /${name} -->)`))
  if (parts.length !== 2)
    throw new Error(`The markers of the ${name} table must be there once, not ${parts.length - 1} times.`)
  return parts.join(`\n\n${table}\n\n`)
}
