import { alignColumns, cleanForTerminal } from './terminal.mjs'

/** @typedef {import('./terminal.mjs').Paint} Paint */

const NAMED_ENTITIES = /** @type {Record<string, string>} */ ({
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
})

/** A `<pre>`, a table of HTML, a fence or a table of Markdown: what is read as a whole. All else is read line by line. */
const BLOCK =
  /(?<comment><!--.*?-->)|<pre\b[^>]*>(?<pre>.*?)<\/pre>|<table\b[^>]*>(?<table>.*?)<\/table>|^(?<mark>`{3,}|~{3,})[^\n]*\n(?<fence>.*?)^\k<mark>[^\n]*$|^(?<pipes>\|[^\n]*\n\|[ :|-]+\|[ ]*(?:\n\|[^\n]*)*)/gmsu

const INLINE =
  /(?<ticks>`+)(?<ticked>.+?)\k<ticks>|<code>(?<code>.*?)<\/code>|\*\*(?<stars>.+?)\*\*|<(?<strong>b|strong)>(?<bold>.*?)<\/\k<strong>>|!?\[(?<label>[^\]]*)\]\((?<target>[^)\s]*)\)|<a\b[^>]*?href="(?<href>[^"]*)"[^>]*>(?<anchor>.*?)<\/a>|(?<break><br ?\/?>)|(?<tag><\/?[a-zA-Z][^>]*>)|\\(?<escaped>[!-/:-@[-`{-~])|(?<![\p{L}\p{N}])_(?<emphasis>[^_]+)_(?![\p{L}\p{N}])/gsu

/**
 * Makes a job summary readable in a terminal. It knows the Markdown and HTML that summaries are made of, not all of either;
 * what it does not know is shown as it stands, and a tag is dropped.
 *
 * @param {string} markdown
 * @param {Paint} paint
 * @returns {string}
 */
export function markdownToTerminal(markdown, paint) {
  const text = cleanForTerminal(markdown)
  /** @type {string[]} */
  const parts = []
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

/**
 * @param {Record<string, string | undefined>} groups
 * @param {Paint} paint
 * @returns {string[]}
 */
function renderBlock({ comment, pre, table, fence, pipes }, paint) {
  if (comment !== undefined) return []
  if (pre !== undefined) return [indent(decodeEntities(pre.replace(/<[^>]*>/g, '')).replace(/^\n|\n$/g, ''))]
  if (fence !== undefined) return [indent(fence.replace(/\n$/, ''))]
  if (table !== undefined) return alignColumns(htmlRows(table, paint))
  return alignColumns(pipeRows(pipes ?? '', paint))
}

/**
 * @param {string} text
 * @param {Paint} paint
 * @returns {string}
 */
function renderLines(text, paint) {
  return text
    .split('\n')
    .map((line) => renderLine(line, paint))
    .join('\n')
}

/**
 * @param {string} line
 * @param {Paint} paint
 * @returns {string}
 */
function renderLine(line, paint) {
  const heading = /^ {0,3}#{1,6} +(.*?)(?: +#+)?$/.exec(line)?.[1]
  if (heading !== undefined) return `${paint('bold', renderInline(heading, paint))}\n`
  const [, space = '', item] = /^( *)[-*+] +(.*)$/.exec(line) ?? []
  if (item !== undefined) return `${space}• ${renderInline(item, paint)}`
  if (/^ {0,3}([-*_])( *\1){2,} *$/.test(line)) return paint('dim', '─'.repeat(40))
  const quote = /^> ?(.*)$/.exec(line)?.[1]
  if (quote !== undefined) {
    const alert = /^\[!(\w+)\]$/.exec(quote.trim())?.[1]
    return `${paint('dim', '│')} ${alert === undefined ? renderInline(quote, paint) : paint('bold', alert)}`
  }
  const title = /<summary>(.*?)<\/summary>/.exec(line)?.[1]
  if (title !== undefined) return `▾ ${paint('bold', renderInline(title, paint))}`
  return renderInline(line, paint)
}

/**
 * @param {string} text
 * @param {Paint} paint
 * @returns {string}
 */
function renderInline(text, paint) {
  let rendered = ''
  let readUpTo = 0
  for (const match of text.matchAll(INLINE)) {
    rendered += decodeEntities(text.slice(readUpTo, match.index)) + renderMark(match.groups ?? {}, paint)
    readUpTo = match.index + match[0].length
  }
  return rendered + decodeEntities(text.slice(readUpTo))
}

/**
 * @param {Record<string, string | undefined>} groups
 * @param {Paint} paint
 * @returns {string}
 */
function renderMark({ ticked, code, stars, bold, label, target, href, anchor, escaped, emphasis, ...rest }, paint) {
  if (ticked !== undefined) return paint('cyan', ticked)
  if (code !== undefined) return paint('cyan', decodeEntities(code.replace(/<[^>]*>/g, '')))
  if (label !== undefined) return renderLink(renderInline(label, paint), target ?? '', paint)
  if (anchor !== undefined) return renderLink(renderInline(anchor, paint), href ?? '', paint)
  if (stars !== undefined || bold !== undefined) return paint('bold', renderInline(stars ?? bold ?? '', paint))
  if (emphasis !== undefined) return paint('dim', renderInline(emphasis, paint))
  if (rest['break'] !== undefined) return '\n'
  return escaped ?? ''
}

/**
 * @param {string} label
 * @param {string} target
 * @param {Paint} paint
 * @returns {string}
 */
function renderLink(label, target, paint) {
  const address = decodeEntities(target)
  const shown = paint('underline', address)
  return label === '' || label === address ? shown : `${label} (${shown})`
}

/**
 * @param {string} table
 * @param {Paint} paint
 * @returns {string[][]}
 */
function htmlRows(table, paint) {
  return [...table.matchAll(/<tr\b[^>]*>(.*?)<\/tr>/gsu)].map(([, row = '']) =>
    [...row.matchAll(/<(td|th)\b[^>]*>(.*?)<\/\1>/gsu)].map(([, tag, cell = '']) =>
      renderCell(tag === 'th', cell, paint),
    ),
  )
}

/**
 * @param {string} pipes
 * @param {Paint} paint
 * @returns {string[][]}
 */
function pipeRows(pipes, paint) {
  const lines = pipes.split('\n').filter((_line, index) => index !== 1)
  return lines.map((line, index) =>
    line
      .trim()
      .replace(/^\||(?<!\\)\|$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => renderCell(index === 0, cell, paint)),
  )
}

/**
 * @param {boolean} isHeading
 * @param {string} cell
 * @param {Paint} paint
 * @returns {string} on one line
 */
function renderCell(isHeading, cell, paint) {
  const text = renderInline(cell.trim(), paint).replace(/\s*\n\s*/g, ' ')
  return isHeading ? paint('bold', text) : text
}

/**
 * An entity can name a control character, so what comes out is cleaned.
 *
 * @param {string} text
 * @returns {string}
 */
function decodeEntities(text) {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]+));/giu, (entity, hex, decimal, name) => {
    if (typeof name === 'string') return NAMED_ENTITIES[name.toLowerCase()] ?? entity
    const code = typeof hex === 'string' ? parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? cleanForTerminal(String.fromCodePoint(code)) : entity
  })
}

/**
 * @param {string} text
 * @returns {string}
 */
function indent(text) {
  return text.replace(/^/gmu, '    ')
}
