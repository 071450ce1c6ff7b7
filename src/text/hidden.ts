/**
 * Removes what people do not see in a text that GitHub renders as Markdown. These are patterns, not a parser: what they cannot
 * decide stays in the text, which the prompt fences and introduces as data. Takes linear time.
 */
import { INVISIBLE } from './untrusted.ts'

/** Code is visible. As on GitHub, a fence that is not closed continues to the end of the text. */
const FENCED = /^[ \t>*+\d.)-]*(?<fence>`{3,}(?=[^`\n]*$)|~{3,})[^]*?(?:^[ \t>]*\k<fence>[`~]*[ \t]*$|(?![^]))/
/** A code span on one line. The limit of three backticks keeps a line from being searched once for each length. */
const SPAN = /(?<!`)(?<mark>`{1,3})(?!`)[^\n]*?(?<!`)\k<mark>(?!`)/

/** A comment that is not closed continues to the end of the text: looking again after it would take quadratic time. */
const COMMENT = /<!--(?:-?>|[^]*?-->|[^]*)/
/** GitHub removes these elements with their content. The next opening tag ends the search, so that its time is linear. */
const ELEMENT = /<(?<name>template|script|style)(?=[\s/>])(?:(?!<\k<name>[\s/>])[^])*?<\/\k<name>\s*>/

const ADDRESS = /(?:<[^<>\n]*>|[^\s<>()]+(?:\([^\s()]*\)[^\s<>()]*)*)/.source
const TITLE = /\s+(?:"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|\((?:[^()\\]|\\[^])*\))/.source
const LINK_TITLE = String.raw`(?<link>\]\(\s*${ADDRESS})${TITLE}(?=\s*\))`
/** A definition can also be a comment: `[//]: # (a comment)`. */
const DEFINITION_TITLE = String.raw`(?<definition>^[ \t>]*\[(?!\^)[^[\]\n]+\]:\s*${ADDRESS})${TITLE}(?=[ \t]*$)`

const VISIBLE = `(?<code>${FENCED.source}|${SPAN.source})`
const PARTS = new RegExp([VISIBLE, COMMENT.source, ELEMENT.source, LINK_TITLE, DEFINITION_TITLE].join('|'), 'gim')

/** Invisible characters, except those that emoji and texts from word processors contain for good reasons. */
const UNCOMMON = new RegExp(String.raw`(?![\r\u00ad\u200c\u200d\ufe0f\ufeff])(?:${INVISIBLE.source})`, 'gu')

/** Says that something was left out. */
export const HIDDEN_NOTE = '(hidden text left out)'

/** Removes what people do not see, and says so at the end. Returns a text without hidden parts unchanged. */
export function removeHidden(markdown: string): string {
  const visible = markdown.replace(PARTS, '$<code>$<link>$<definition>').replace(UNCOMMON, '')
  return visible === markdown ? markdown : `${visible.trimEnd()}\n${HIDDEN_NOTE}`
}
