/**
 * Text that attacks any program that prints it: workflow commands in both grammars, ANSI colors and control characters,
 * bidirectional overrides, HTML, Markdown and mentions. Its hosts are reserved names.
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

/** Prefixes of a page's path that a spreadsheet, a log or a summary could interpret. */
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

/** Adds a hostile prefix to a page's path. Distinct paths stay distinct. */
export function addHostilePrefix(path: string, index: number): string {
  return `${HOSTILE_PREFIXES[index % HOSTILE_PREFIXES.length] ?? ''}${path}`
}
