import { cleanLines, cutToBytes, MAX_NAME_CHARS, oneLine, takeFitting } from './untrusted.ts'

/** More than any line of a summary has, in characters. */
const MAX_LINE = 4_096

const ENTITIES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' }

/** Makes a text plain in HTML, which is also what GitHub's Markdown makes of it inside a tag. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&${ENTITIES[character] ?? ''};`)
}

/**
 * One line of a stranger's text. Inside `<code>` GitHub makes no links of mentions and issue numbers, and every mark of
 * Markdown and HTML is written as an entity, so nothing in it comes alive.
 */
export function inlineCode(text: string): string {
  const plain = cleanLines(text, MAX_LINE)
    .join(' ')
    .replace(/[!-/:-@[-`{-~]/g, (mark) => `&#${mark.charCodeAt(0)};`)
  return `<code>${plain}</code>`
}

/** A word of our own sentences, of which GitHub makes no link, mention or mark. */
const PLAIN_WORD = /^(?!.*(?:www\.|gh-))(?:[a-z0-9.,;()“”'’…⏳-]|(?<=[a-z0-9])_(?=[a-z0-9])|(?<=\d):(?=\d))*:?$/i

/**
 * Sentences of our own, in which strangers' names stand between back-ticks. Each word that is none of ours by its looks is
 * shown as code too, should somebody have forgotten them.
 */
export function escapeSentence(text: string): string {
  const ofWord = (word: string): string => (PLAIN_WORD.test(word) ? word : inlineCode(word))
  const line = cleanLines(text, MAX_LINE).join(' ')
  const ofPart = (part: string, index: number): string =>
    index % 2 === 1 ? inlineCode(part) : part.split(' ').map(ofWord).join(' ')
  return line.split('`').map(ofPart).join('')
}

/** What another server says, as a part of our own sentences; a name between back-ticks is code already. */
const SAID = /(`[^`]*`)|“([^”]*)”/g

/**
 * Sentences of our own as Markdown, in which strangers' names stand between back-ticks, and what another server says between “
 * and ”: each word of that which Markdown or GitHub would make something of is shown as code.
 */
export function formatSentences(text: string): string {
  return text.replace(SAID, (span, name: string | undefined, said: string) =>
    name === undefined ? `“${escapeSentence(said)}”` : span,
  )
}

const MAX_NAMES = 5
/** A stranger's name as a part of our own sentences, between back-ticks. */
export function quoted(name: string): string {
  return `\`${oneLine(name, MAX_NAME_CHARS).replaceAll('`', "'")}\``
}

/** The first of strangers' names, and how many more there are. */
export function someQuoted(names: readonly string[]): string {
  const more = names.length - MAX_NAMES
  return [...names.slice(0, MAX_NAMES).map(quoted), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

/** What people read of something, and where there is more of it. */
export interface LinkedText {
  /** Of our own sentences, in which strangers' names stand between back-ticks. */
  readonly text: string
  /** Of a page that a stranger may have named; undefined if there is none. */
  readonly url?: string | undefined
}

/** Undefined for what is no address of a page, or holds a name and a password. */
function safeHref(url: string): string | undefined {
  if (!/^https?:\/\/[^/@]+(?:\/|$)/.test(url)) return undefined
  try {
    return new URL(url).href.replace(/[^\w:/.,;~%?#=&+-]/g, encodeURIComponent).replaceAll("'", '%27')
  } catch {
    return undefined
  }
}

/** For Markdown and for HTML, in tables of both. */
export function linked({ text, url = '' }: LinkedText): string {
  const href = safeHref(url)
  return href === undefined ? escapeSentence(text) : `<a href="${escapeHtml(href)}">${escapeSentence(text)}</a>`
}

/** @param place where the step stands: ready HTML, outermost first */
export function heading(icon: string, place: readonly (string | undefined)[], title: string): string {
  return `## ${icon} ${place.filter((part) => part !== undefined).join(' · ')}: ${title}`
}

/**
 * A longer text of a stranger, folded away: its first `maxBytes` bytes of UTF-8, and how much there was. Blank lines would end
 * the HTML block and wake Markdown up again, so line ends are written as entities.
 */
export function foldedText(title: string, text: string, maxBytes: number): string {
  const cut = cutToBytes(text, maxBytes)
  const shown = cut === text ? text : `${cut}\n… cut here, ${Buffer.byteLength(text)} bytes in all`
  const plain = cleanLines(shown).map(escapeHtml).join('&#10;')
  return `<details><summary>${escapeHtml(title)}</summary><pre>${plain}</pre></details>`
}

/** @param facts by our own words for them, those that are known: ready HTML, in which strangers' texts went through `inlineCode` */
export function table(facts: Readonly<Record<string, string | undefined>>): string {
  const known = Object.entries(facts).flatMap(([name, html]) => (html ? [[`<b>${escapeHtml(name)}</b>`, html]] : []))
  return grid([], known)
}

/** @param rows of ready HTML; without one there is no table */
export function grid(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const toLine = (tag: 'th' | 'td', cells: readonly string[]): string =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>\n`
  const heading = head.length === 0 ? '' : toLine('th', head)
  return `<table>\n${heading}${rows.map((cells) => toLine('td', cells)).join('')}</table>`
}

/** A quarter of what the runner takes for a step: a summary over its limit is dropped whole. */
const MAX_BYTES = 256 * 1024
const LEFT_OUT = '\n_The rest was left out: the summary would have been too long._\n'

/** Joins the blocks of a summary, without empty ones; what does not fit any more is left out and said. */
export function joinBlocks(blocks: readonly (string | undefined)[]): string {
  const room = MAX_BYTES - Buffer.byteLength(LEFT_OUT)
  const { texts, isWhole } = takeFitting(blocks, (block) => (block ? `${block}\n\n` : ''), room)
  return `${texts.join('').slice(0, -1)}${isWhole ? '' : LEFT_OUT}`
}
