/**
 * Text that tries to be more than text wherever it is printed: commands in both grammars of a workflow's log, colours and
 * control characters, text that runs backwards, HTML, Markdown, mentions. It uses reserved names only.
 */
export const HOSTILE_TEXT = [
  '\n::error title=injected::a command at the start of a line',
  '\r\n::set-output name=pr-link::https://injected.example/',
  '\u2028::add-mask::pull',
  '\n::stop-commands::injected',
  ' ##[error]a command in the middle of a line',
  ' \u001b[31mred\u001b[0m\u0007\u0000\u009b2J',
  ' \u202egnal\u202c\u2066\u200b',
  ' <img src=x onerror=alert(1)></pre></td><!--',
  ' @everyone | cell | `code` [link](javascript:alert(1))',
].join('')

/** Beginnings of a page's path that a spreadsheet, a log or a summary could take for something else. */
const HOSTILE_PREFIXES = [
  '=1+1',
  '@SUM(1)',
  '+1',
  '-1',
  '\t=1',
  '\uff1d1',
  '\n::error::injected',
  ' ##[error]injected',
  '<b>|',
  '\u202e"',
] as const

/** A page's path with a hostile beginning. Distinct paths stay distinct. */
export function hostilePath(path: string, index: number): string {
  return `${HOSTILE_PREFIXES[index % HOSTILE_PREFIXES.length] ?? ''}${path}`
}
