import { escapeHtml } from '../text/markdown.ts'

const HEAD_END = /^\|[\s:|-]+\|$/

/** Escapes a line, except for what GitHub renders: code, links to pages, entities and emphasis. */
function renderLine(line: string): string {
  return escapeHtml(line)
    .replaceAll(/&amp;(#\d+|amp|lt|gt|quot);/g, '&$1;')
    .replaceAll(/&lt;(\/?(?:code|br))&gt;/g, '<$1>')
    .replaceAll(/&lt;a href=&quot;(https?:[^\s<>]*?)&quot;&gt;(.*?)&lt;\/a&gt;/g, '<a href="$1">$2</a>')
    .replaceAll(/\[([^\][]*)\]\((https?:[^\s()<>]*)\)/g, '<a href="$2">$1</a>')
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\*\*([^*]+)\*\*/g, '<b>$1</b>')
    .replace(/^_(.+)_$/, '<i>$1</i>')
}

function renderRow(line: string, tag: 'th' | 'td'): string {
  const cells = line.trim().split('|').slice(1, -1)
  return `<tr>${cells.map((cell) => `<${tag}>${renderLine(cell.trim())}</${tag}>`).join('')}</tr>`
}

function renderBlock(block: string): string {
  const lines = block.split('\n')
  const [head = '', end = '', ...rows] = lines
  if (HEAD_END.test(end.trim()))
    return `<table>\n${[renderRow(head, 'th'), ...rows.map((row) => renderRow(row, 'td'))].join('\n')}\n</table>`
  const first = lines.findIndex((line) => line.startsWith('- '))
  if (first === -1) return `<p>${lines.map(renderLine).join('<br>\n')}</p>`
  const items = lines.slice(first).map((line) => `<li>${renderLine(line.replace(/^- /, ''))}</li>`)
  return `${first === 0 ? '' : `${renderBlock(lines.slice(0, first).join('\n'))}\n`}<ul class="list">${items.join('')}</ul>`
}

/** Renders the Markdown that the action's comments use: paragraphs, lists and tables. Omits HTML comments, as GitHub does. */
export function renderComment(body: string): string {
  const lines = body.replaceAll(/<!--[^]*?-->/g, '').split(/\r?\n/)
  const blocks = lines
    .map((line) => line.trimEnd())
    .join('\n')
    .split(/\n{2,}/)
  return blocks
    .map((block) => block.trim())
    .filter((block) => block !== '')
    .map(renderBlock)
    .join('\n')
}
