// Tables in documents that a program writes, between markers.

/**
 * A Markdown table with its columns padded as the formatter pads them.
 * @param {readonly (readonly string[])[]} rows The first one is the heading.
 */
export function renderTable(rows) {
  const cells = rows.map((row) => row.map((cell) => cell.trim().replaceAll('|', '\\|')))
  const widths = (cells[0] ?? []).map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)))
  const [heading, ...body] = cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)))
  const rule = widths.map((width) => '-'.repeat(width))
  return [heading ?? [], rule, ...body].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

/**
 * @param {string} document
 * @param {string} text
 * @param {string} name The markers are `<!-- name: any remark -->` and `<!-- /name -->`, each on a line of its own.
 * @param {string} table
 * @throws Where the markers are not there exactly once, because a table that is silently not written stays stale.
 */
export function replaceBetweenMarkers(document, text, name, table) {
  const section = new RegExp(`(<!-- ${name}:[^\\n]*-->)[^]*?(<!-- /${name} -->)`, 'g')
  const found = text.match(section)?.length ?? 0
  if (found !== 1)
    throw new Error(`${document} must have the markers of the ${name} table once. It has them ${found} times.`)
  return text.replace(section, (_, open, close) => `${String(open)}\n\n${table}\n\n${String(close)}`)
}
