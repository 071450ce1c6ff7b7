import { inlineCode } from '../text/markdown.ts'
import { oneLine } from '../text/untrusted.ts'
import type { VisitorRow } from './export-format.ts'
import type { PageChange } from './report.ts'

const LONGEST_PATH = 120
const BAR_CELLS = 16
/** Eighths of a cell, from none to seven. */
const PARTS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const

/** A bar of text: as long as the value is in proportion to the greatest one, to an eighth of a character. */
export function bar(value: number, greatest: number): string {
  const eighths = greatest === 0 ? 0 : Math.round((value / greatest) * BAR_CELLS * 8)
  const drawn = '█'.repeat(Math.floor(eighths / 8)) + (PARTS[eighths % 8] ?? '')
  return drawn === '' && value > 0 ? PARTS[1] : drawn
}

const number = (value: number): string => `<td align="right">${value.toLocaleString('en-US')}</td>`
const page = (path: string): string => `<td>${inlineCode(oneLine(path, LONGEST_PATH))}</td>`

const HEAD = '<tr><th>Page</th><th>Visitors</th><th>Human</th><th>AI</th><th>Of all visitors</th><th></th></tr>'

/**
 * The pages as a table, and below it how many did not fit into `maxBytes` bytes.
 * @param siteTotal unique visitors of the whole site; the shares of pages do not add up to it, as visitors see many
 */
export function renderTopPages(rows: readonly VisitorRow[], siteTotal: number, maxBytes: number): string {
  const greatest = rows.reduce((most, { total }) => Math.max(most, total), 0)
  const lines: string[] = []
  let bytes = 0
  for (const { path, human, ai, total } of rows) {
    const share = siteTotal === 0 ? '' : `${((100 * total) / siteTotal).toFixed(1)} %`
    const line = `<tr>${page(path)}${number(total)}${number(human)}${number(ai)}<td align="right">${share}</td><td>${bar(total, greatest)}</td></tr>`
    bytes += Buffer.byteLength(line) + 1
    if (bytes > maxBytes) break
    lines.push(line)
  }
  const left = rows.length - lines.length
  const rest = left === 0 ? '' : `\n\n${left} more ${left === 1 ? 'page is' : 'pages are'} in the file.`
  return `<table>\n${[HEAD, ...lines].join('\n')}\n</table>${rest}`
}

export function renderPageChanges(changes: readonly PageChange[]): string {
  const lines = changes.map(({ path, before, now }) => {
    const change = `${now > before ? '+' : '−'}${Math.abs(now - before).toLocaleString('en-US')}`
    return `<tr>${page(path)}${number(before)}${number(now)}<td align="right">${change}</td></tr>`
  })
  const head = '<tr><th>Page</th><th>Before</th><th>Now</th><th>Change</th></tr>'
  return `<table>\n${[head, ...lines].join('\n')}\n</table>`
}
