/** Formats a summary as HTML in Markdown, with untrusted text escaped. */
import { cleanLines, cutToBytes, MAX_NAME_CHARS, oneLine, takeFitting } from './untrusted.ts'

/** Longer than any line of a summary. */
const MAX_LINE_CHARS = 4_096

const ENTITIES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' }

/** Escapes a text for HTML, and for GitHub's Markdown inside of an HTML tag. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&${ENTITIES[character] ?? ''};`)
}

/**
 * Formats untrusted text as one line of code. Punctuation is written as entities, so that it is neither Markdown nor
 * HTML. GitHub links no mentions and issue numbers inside of `<code>`.
 */
export function inlineCode(text: string): string {
  const plain = cleanLines(text, MAX_LINE_CHARS)
    .join(' ')
    .replace(/[!-/:-@[-`{-~]/g, (mark) => `&#${mark.charCodeAt(0)};`)
  return `<code>${plain}</code>`
}

/** A word that GitHub turns into no link, mention or markup. */
const PLAIN_WORD = /^(?!.*(?:www\.|gh-))(?:[a-z0-9.,;()“”'’…⏳-]|(?<=[a-z0-9])_(?=[a-z0-9])|(?<=\d):(?=\d))*:?$/i

/**
 * Formats our own sentences, in which untrusted names are between backticks. In case the backticks were forgotten,
 * every word that is not plain is formatted as code, too.
 */
export function escapeSentence(text: string): string {
  const formatWord = (word: string): string => (PLAIN_WORD.test(word) ? word : inlineCode(word))
  const line = cleanLines(text, MAX_LINE_CHARS).join(' ')
  const formatPart = (part: string, index: number): string =>
    index % 2 === 1 ? inlineCode(part) : part.split(' ').map(formatWord).join(' ')
  return line.split('`').map(formatPart).join('')
}

/** A name between backticks, or a quote of another server between “ and ”. */
const NAME_OR_QUOTE = /(`[^`]*`)|“([^”]*)”/g

/**
 * Formats our own sentences as Markdown, in which untrusted names are between backticks. Quotes of other servers,
 * between “ and ”, are escaped: every word that is not plain is formatted as code.
 */
export function formatSentences(text: string): string {
  return text.replace(NAME_OR_QUOTE, (span, name: string | undefined, quote: string) =>
    name === undefined ? `“${escapeSentence(quote)}”` : span,
  )
}

const MAX_NAMES = 5
/** Puts an untrusted name between backticks, for our own sentences. */
export function quoteName(name: string): string {
  return `\`${oneLine(name, MAX_NAME_CHARS).replaceAll('`', "'")}\``
}

/** Quotes the first untrusted names, and counts the others. */
export function quoteNames(names: readonly string[]): string {
  const more = names.length - MAX_NAMES
  return [...names.slice(0, MAX_NAMES).map(quoteName), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

/** A text with a link to more about it. */
export interface LinkedText {
  /** Our own sentences, in which untrusted names are between backticks. */
  readonly text: string
  /** Untrusted. Undefined if there is no page. */
  readonly url?: string | undefined
}

/** Returns `undefined` unless the URL is an http(s) URL without user information. */
function toSafeHref(url: string): string | undefined {
  if (!/^https?:\/\/[^/@]+(?:\/|$)/.test(url)) return undefined
  try {
    return new URL(url).href.replace(/[^\w:/.,;~%?#=&+-]/g, encodeURIComponent).replaceAll("'", '%27')
  } catch {
    return undefined
  }
}

/** Formats a link for Markdown and for HTML, including tables of both. */
export function linked({ text, url = '' }: LinkedText): string {
  const href = toSafeHref(url)
  return href === undefined ? escapeSentence(text) : `<a href="${escapeHtml(href)}">${escapeSentence(text)}</a>`
}

/**
 * Begins with the news, because GitHub shows many summaries below each other.
 * @param place the names of what the step belongs to, outermost first, as safe HTML
 */
export function heading(
  icon: string,
  title: string,
  place: readonly (string | undefined)[],
  isRehearsal: boolean | undefined,
): string {
  return `## ${icon} ${[isRehearsal === true ? 'Rehearsal' : undefined, title, ...place].filter(Boolean).join(' · ')}`
}

/**
 * Formats a long untrusted text as a collapsed section with its first `maxBytes` bytes of UTF-8 and its length. Line
 * ends are written as entities, because a blank line would end the HTML block and start Markdown again.
 */
export function foldedText(title: string, text: string, maxBytes: number): string {
  const cut = cutToBytes(text, maxBytes)
  const excerpt = cut === text ? text : `${cut}\n… cut here, ${Buffer.byteLength(text)} bytes in all`
  const plain = cleanLines(excerpt).map(escapeHtml).join('&#10;')
  return `<details><summary>${escapeHtml(title)}</summary><pre>${plain}</pre></details>`
}

/** @param facts safe HTML by our own labels, with untrusted text formatted by `inlineCode`; empty facts are skipped */
export function table(facts: Readonly<Record<string, string | undefined>>): string {
  const known = Object.entries(facts).flatMap(([name, html]) => (html ? [[`<b>${escapeHtml(name)}</b>`, html]] : []))
  return grid([], known)
}

/**
 * @param rows safe HTML; without rows there is no table
 * @param isOfNumbers aligns all columns but the first to the right; the last cell of a row with too few cells spans the rest
 */
export function grid(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { isOfNumbers = false }: { readonly isOfNumbers?: boolean } = {},
): string {
  if (rows.length === 0) return ''
  const toLine = (cells: readonly string[]): string => `<tr>${cells.join('')}</tr>\n`
  const heading = head.length === 0 ? '' : toLine(head.map((cell) => `<th>${cell}</th>`))
  const toCell = (cell: string, index: number, { length }: readonly string[]): string => {
    if (!isOfNumbers || index === 0) return `<td>${cell}</td>`
    const span = index === length - 1 ? head.length - index : 1
    return span > 1 ? `<td colspan="${span}">${cell}</td>` : `<td align="right">${cell}</td>`
  }
  return `<table>\n${heading}${rows.map((cells) => toLine(cells.map(toCell))).join('')}</table>`
}

/** A quarter of the runner's limit for a step. The runner drops a summary that exceeds its limit. */
const MAX_BYTES = 256 * 1024
const LEFT_OUT = '\n_The rest was left out: the summary would have been too long._\n'

/** Joins the blocks of a summary and skips empty ones. A note replaces the blocks that do not fit. */
export function joinBlocks(blocks: readonly (string | undefined)[]): string {
  const maxBytes = MAX_BYTES - Buffer.byteLength(LEFT_OUT)
  const { texts, isComplete } = takeFitting(blocks, (block) => (block ? `${block}\n\n` : ''), maxBytes)
  return `${texts.join('').slice(0, -1)}${isComplete ? '' : LEFT_OUT}`
}
