import { inlineCode } from '../text/markdown.ts'
import { oneLine, takeFitting } from '../text/untrusted.ts'
import type { VisitorRow } from './export-format.ts'
import type { PageChange } from './report.ts'
import { SHOWN_PATH } from './visitor-list.ts'

const BAR_CELLS = 16
/** Eighths of a cell, from none to seven. */
const PARTS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const

/** A bar of text: as long as the value is in proportion to the greatest one, to an eighth of a character. */
export function bar(value: number, greatest: number): string {
  const eighths = greatest === 0 ? 0 : Math.round((value / greatest) * BAR_CELLS * 8)
  const drawn = '█'.repeat(Math.floor(eighths / 8)) + (PARTS[eighths % 8] ?? '')
  return drawn === '' && value > 0 ? PARTS[1] : drawn
}

export const percent = (part: number, whole: number): string =>
  whole === 0 ? '0 %' : `${((100 * part) / whole).toFixed(1)} %`

const right = (text: string): string => `<td align="right">${text}</td>`
const number = (value: number): string => right(value.toLocaleString('en-US'))
const row = (...cells: readonly string[]): string => `<tr>${cells.join('')}</tr>\n`
const page = (path: string): string => `<td>${inlineCode(oneLine(path, SHOWN_PATH))}</td>`

function pageTable(heads: readonly string[], rows: readonly string[]): string {
  return `<table>\n${row(...heads.map((name) => `<th>${name}</th>`))}${rows.join('')}</table>`
}

/**
 * The pages as a table, and below it how many did not fit into `maxBytes` bytes.
 * @param siteTotal unique visitors of the whole site; the shares of pages do not add up to it, as visitors see many
 */
export function renderTopPages(pages: readonly VisitorRow[], siteTotal: number, maxBytes: number): string {
  const greatest = Math.max(...pages.map(({ total }) => total))
  const render = ({ path, human, ai, total }: VisitorRow): string => {
    const share = siteTotal === 0 ? '' : percent(total, siteTotal)
    return row(page(path), number(total), number(human), number(ai), right(share), `<td>${bar(total, greatest)}</td>`)
  }
  const { texts } = takeFitting(pages, render, maxBytes)
  const left = pages.length - texts.length
  const rest = left === 0 ? '' : `\n\n${left} more ${left === 1 ? 'page is' : 'pages are'} in the file.`
  return pageTable(['Page', 'Visitors', 'Human', 'AI', 'Of all visitors', ''], texts) + rest
}

export function renderPageChanges(changes: readonly PageChange[]): string {
  const rows = changes.map(({ path, before, now }) => {
    const change = `${now > before ? '+' : '−'}${Math.abs(now - before).toLocaleString('en-US')}`
    return row(page(path), number(before), number(now), right(change))
  })
  return pageTable(['Page', 'Before', 'Now', 'Change'], rows)
}
