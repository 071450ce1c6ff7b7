import { alignColumns, cleanForTerminal, type Paint } from './terminal.ts'

type Groups = Readonly<Record<string, string | undefined>>

const NAMED_ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

/**
 * Blocks that are parsed as a whole: comments, `<pre>`, HTML tables, fences and Markdown tables. Other lines are
 * parsed one by one.
 */
const BLOCK =
  /(?<hidden><!--.*?-->)|<pre\b[^>]*>(?<pre>.*?)<\/pre>|<table\b[^>]*>(?<table>.*?)<\/table>|^(?<mark>`{3,})[^\n]*\n(?<fence>.*?)^\k<mark>$|^(?<pipes>\|[^\n]*\n\|[ :|-]+\|[ ]*(?:\n\|[^\n]*)*)/gmsu

const INLINE =
  /(?<ticks>`+)(?<ticked>.+?)\k<ticks>|<code>(?<code>.*?)<\/code>|\*\*(?<stars>.+?)\*\*|<b>(?<bold>.*?)<\/b>|\[(?<label>[^\]]*)\]\((?<target>[^)\s]*)\)|<a\b[^>]*?href="(?<href>[^"]*)"[^>]*>(?<anchor>.*?)<\/a>|(?<tag><\/?[a-zA-Z][^>]*>)|(?<![\p{L}\p{N}])_(?<emphasis>[^_]+)_(?![\p{L}\p{N}])/gsu

/**
 * Renders a job summary for a terminal. It supports the Markdown and HTML of our summaries. Unknown Markdown is shown
 * unchanged, and unknown tags are dropped.
 */
export function markdownToTerminal(markdown: string, paint: Paint): string {
  const text = cleanForTerminal(markdown)
  const parts: string[] = []
  let readUpTo = 0
  for (const match of text.matchAll(BLOCK)) {
    parts.push(renderLines(text.slice(readUpTo, match.index), paint), ...renderBlock(match.groups ?? {}, paint))
    readUpTo = match.index + match[0].length
  }
  parts.push(renderLines(text.slice(readUpTo), paint))
  return parts
    .join('\n')
    .replace(/[ \t]+$/gmu, '')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|\n+$/g, '')
}

function renderBlock({ hidden, pre, table, fence, pipes = '' }: Groups, paint: Paint): string[] {
  if (hidden !== undefined) return []
  if (pre !== undefined) return [indent(decodeEntities(pre.replace(/<[^>]*>/g, '')).replace(/^\n|\n$/g, ''))]
  if (fence !== undefined) return [indent(fence.replace(/\n$/, ''))]
  const links: string[] = []
  const rows = table === undefined ? pipeRows(pipes, paint, links) : htmlRows(table, paint, links)
  return [...alignColumns(rows), ...links.map((link, index) => `${getReference(index)} ${link}`)]
}

/** Names a link of a table: a URL inside of a row would make the row wider than most terminals. */
const getReference = (index: number): string => `[${index + 1}]`

function renderLines(text: string, paint: Paint): string {
  const lines = text.split('\n').map((line) => {
    const heading = /^#{1,6} +(.*)$/.exec(line)?.[1]
    if (heading !== undefined) return `${paint('bold', renderInline(heading, paint))}\n`
    const item = /^- +(.*)$/.exec(line)?.[1]
    if (item !== undefined) return `• ${renderInline(item, paint)}`
    const title = /<summary>(.*?)<\/summary>/.exec(line)?.[1]
    if (title !== undefined) return `▾ ${paint('bold', renderInline(title, paint))}`
    return renderInline(line, paint)
  })
  return lines.join('\n')
}

/** @param links collects the URLs, which are then not in the text */
function renderInline(text: string, paint: Paint, links?: string[]): string {
  let rendered = ''
  let readUpTo = 0
  for (const match of text.matchAll(INLINE)) {
    rendered += decodeEntities(text.slice(readUpTo, match.index)) + renderMark(match.groups ?? {}, paint, links)
    readUpTo = match.index + match[0].length
  }
  return rendered + decodeEntities(text.slice(readUpTo))
}

function renderMark(groups: Groups, paint: Paint, links?: string[]): string {
  const { ticked, code, stars, bold = stars, emphasis, target, href = target, label, anchor = label } = groups
  if (ticked !== undefined) return paint('cyan', ticked)
  if (code !== undefined) return paint('cyan', decodeEntities(code.replace(/<[^>]*>/g, '')))
  if (bold !== undefined) return paint('bold', renderInline(bold, paint, links))
  if (emphasis !== undefined) return paint('dim', renderInline(emphasis, paint, links))
  if (href === undefined) return ''
  const address = decodeEntities(href)
  const shown = paint('underline', address)
  const text = renderInline(anchor ?? '', paint, links)
  if (links !== undefined) {
    if (!links.includes(shown)) links.push(shown)
    return `${text} ${getReference(links.indexOf(shown))}`.trimStart()
  }
  return text === '' || text === address ? shown : `${text} (${shown})`
}

function htmlRows(table: string, paint: Paint, links: string[]): string[][] {
  const parseCells = (row: string): string[] =>
    [...row.matchAll(/<(td|th)\b[^>]*>(.*?)<\/\1>/gsu)].map(([, tag, cell = '']) =>
      renderCell(tag === 'th', cell, paint, links),
    )
  return [...table.matchAll(/<tr\b[^>]*>(.*?)<\/tr>/gsu)].map(([, row = '']) => parseCells(row))
}

function pipeRows(pipes: string, paint: Paint, links: string[]): string[][] {
  const lines = pipes.split('\n').filter((_line, index) => index !== 1)
  const parseCells = (line: string): string[] => line.trim().slice(1, -1).split('|')
  return lines.map((line, index) => parseCells(line).map((cell) => renderCell(index === 0, cell, paint, links)))
}

/** Joins the lines of a cell. */
function renderCell(isHeading: boolean, cell: string, paint: Paint, links: string[]): string {
  const text = renderInline(cell.replace(/<!--.*?-->/g, '').trim(), paint, links).replace(/\s*\n\s*/g, '; ')
  return isHeading ? paint('bold', text) : text
}

/** Decoded entities are cleaned too, because they can be control characters. */
function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|([a-z]+));/gu, (entity, number: string | undefined, name = '') => {
    if (number === undefined) return NAMED_ENTITIES[String(name)] ?? entity
    return Number(number) <= 0x10ffff ? cleanForTerminal(String.fromCodePoint(Number(number))) : entity
  })
}

const indent = (text: string): string => text.replace(/^/gmu, '    ')
