/**
 * Removes what people do not see in a text that GitHub renders as Markdown: comments, dropped elements, attributes, titles of
 * links, unused references, surplus cells of tables and invisible characters. Keeps code, which is shown as it is. Takes linear
 * time. Where the rules of Markdown leave a doubt, text is hidden.
 */
import { INVISIBLE } from './untrusted.ts'

/** Elements that GitHub drops together with their content. */
const DROPPED = ['template', 'script', 'style']
/** Content of these elements is no Markdown, even after a blank line. */
const RAW_ELEMENT = /^<\/?(?:template|script|style|pre|textarea|xmp|title|iframe|noembed|noframes|plaintext)\b/i
/** The beginning of a line, after the marks of quotes and lists. */
const LINE_START = /(?:^|\n)[ \t>*+\d.)-]*$/
/** A line that may begin a block of HTML. */
const HTML_LINE = /^[ \t>*+\d.)-]*<[a-z/!?]/i

/** A text, and a copy of the same length in which code has no special characters. */
interface Masked {
  readonly text: string
  readonly mask: string
}

interface Cut {
  readonly from: number
  readonly to: number
  readonly instead?: string
}

/** @param cuts in order, without overlaps */
function applyCuts({ text, mask }: Masked, cuts: readonly Cut[]): Masked {
  if (cuts.length === 0) return { text, mask }
  const apply = (whole: string): string => {
    const parts = cuts.map(({ from, instead = '' }, index) => whole.slice(cuts[index - 1]?.to ?? 0, from) + instead)
    return parts.join('') + whole.slice(cuts.at(-1)?.to)
  }
  return { text: apply(text), mask: apply(mask) }
}

const blank = (code: string): string => '.'.repeat(code.length)

/** The state of the scan for code, line by line. */
interface Scan {
  /** The mark that began a fenced code block. */
  fence: string | undefined
  /** Whether the paragraph has a mark whose partner may be on another line, or HTML, in which backticks have no meaning. */
  isMixed: boolean
  /** Whether the rest of the text has no code, because it is not certain what a fence means there. */
  isLost: boolean
}

/** Whether a line has HTML that continues on others, or whose content is no Markdown. */
function hasOpenHtml(line: string): boolean {
  if (/<\?|<!(?!--)/.test(line) || line.lastIndexOf('<!--') > line.lastIndexOf('-->')) return true
  return [...line.matchAll(/<\/?[a-z]+/gi)].some(([tag]) => RAW_ELEMENT.test(tag))
}

/** Spans are short: looking far ahead for the end of each mark would take quadratic time. */
const MAX_MARKS_IN_SPAN = 20

/** Masks the code spans of a line. Only a span that both begins and ends on the line is certain. */
function maskSpans(line: string, scan: Scan): string {
  let mask = ''
  let at = 0
  const marks = [...line.matchAll(/`+|<[a-z/!?]|\\(?=`)/gi)]
  for (const [index, { 0: mark, index: start }] of marks.entries()) {
    if (start < at) continue
    const following = marks.slice(index + 1, index + 1 + MAX_MARKS_IN_SPAN)
    const end = mark.startsWith('`') ? following.find(([other]) => other === mark)?.index : undefined
    // A cell of a table ends at `|`, even in code.
    if (end === undefined || line.slice(start, end).includes('|')) {
      scan.isMixed = true
      scan.isLost ||= hasOpenHtml(line.slice(start))
      break
    }
    mask += line.slice(at, start) + blank(line.slice(start, end + mark.length))
    at = end + mark.length
  }
  return mask + line.slice(at)
}

/** What follows the first word after a fence is not shown. */
const INFO = /^[ \t>*+\d.)-]*(?:`{3,}(?=[^`]*$)|~{3,})[ \t]*[^\s`]{0,40}/

function maskLine(line: string, scan: Scan): string {
  if (scan.fence !== undefined) {
    const end = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1]
    if (end?.startsWith(scan.fence) === true) scan.fence = undefined
    return blank(line)
  }
  if (scan.isLost) return line
  if (line.trim() === '') {
    scan.isMixed = false
    return line
  }
  const [, indent = '', fence] = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})/.exec(line) ?? []
  if (fence !== undefined) {
    // An indented fence may end with a list item, and HTML may contain what looks like a fence.
    scan.isLost = indent !== '' || scan.isMixed
    if (scan.isLost) return line
    scan.fence = fence
    return blank(line)
  }
  if (!scan.isMixed) return maskSpans(line, scan)
  scan.isLost ||= hasOpenHtml(line)
  return line
}

/** Masks fenced code blocks and code spans. Indented code is rare in what people write on GitHub, and is not masked. */
function maskCode(given: string): Masked {
  const infos: Cut[] = []
  const scan: Scan = { fence: undefined, isMixed: false, isLost: false }
  const lines = given.split('\n')
  const masked: string[] = []
  let offset = 0
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (scan.fence === undefined && !scan.isLost && !scan.isMixed && line.startsWith('<!--')) {
      // A comment at the beginning of a line ends with the line of its end, whatever is in between.
      let end = at
      while (end < lines.length && !(lines[end] ?? '').slice(end === at ? 2 : 0).includes('-->')) end++
      masked.push(...lines.slice(at, end + 1))
      offset += lines.slice(at, end + 1).join('\n').length + 1
      scan.isMixed = false
      at = end
      continue
    }
    const info = scan.fence === undefined ? INFO.exec(line)?.[0] : undefined
    if (info !== undefined && line.slice(info.length).trim() !== '')
      infos.push({ from: offset + info.length, to: offset + line.length })
    masked.push(maskLine(line, scan))
    offset += line.length + 1
  }
  return applyCuts({ text: given, mask: masked.join('\n') }, infos)
}

const ATTRIBUTE = String.raw`[a-z_:][\w.:-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>` + '`]+))?'
/** In a block of HTML, a browser takes anything up to `>` for a part of the tag. */
const BROKEN_TAG =
  /<(?:\/[^a-z>]|\/?[a-z][^\s<>/]*)(?:(?:=\s*"[^"]*"|=\s*'[^']*'|=(?!\s*["'])|[^>=\n]|\n(?![ \t]*\n))*>|(?:[^>\n]|\n(?![ \t]*\n))*>?)/iy
const HIDES = /<[!?]|<template/i
/** What may hide more than a tag or a region of HTML that it is in, where Markdown and a browser see different tags. */
const OPENS_MORE = new RegExp(String.raw`${HIDES.source}|<[a-z][^<>]*=\s*["']`, 'i')
const QUOTED_VALUE = /=\s*(?:"[^"]*"|'[^']*')/g
const TAG = new RegExp(String.raw`<\/?([a-z][a-z\d-]*)((?:\s+${ATTRIBUTE})*)\s*\/?>`, 'iy')
/** What people see, or follow. */
const KEPT = /^(?:href|src|srcset|alt|width|height|align|open|id|name|checked|disabled|type|start)$/i
const MAX_WORD = 40

/** Keeps attributes of one word, which say nothing, and those that people see. Returns undefined if nothing is to be removed. */
function keepAttributes(attributes: string): string | undefined {
  const all = attributes.match(new RegExp(ATTRIBUTE, 'gi')) ?? []
  const kept = all.filter((attribute) => {
    const [, name = '', value = ''] = /^([^\s=]+)\s*=?\s*(?:["'])?(.*?)["']?$/s.exec(attribute) ?? []
    return KEPT.test(name) || (value !== '' && value.length <= MAX_WORD && !/\s/.test(value))
  })
  return kept.length === all.length ? undefined : kept.map((attribute) => ` ${attribute}`).join('')
}

/** The line of a position. */
interface Line {
  /** Whether it may be in a block of HTML. */
  readonly isHtml: boolean
  /** Whether that block may continue on the next line. */
  readonly isOpen: boolean
  /** Whether it may begin a block that ends with a comment or a declaration in the same line. */
  readonly isDeclaration: boolean
  /** The marks of the quotes and lists that it is in, with blanks. */
  readonly marks: string
}

const MARKS = /^(?:[ \t]*(?:>|[*+-](?=[ \t])|\d+[.)](?=[ \t])))*[ \t]*/

/** Whether the quote or the item of a list of an earlier line continues. */
const isContinued = (line: string, marks: string): boolean =>
  marks.includes('>') ? /^[ \t]*>/.test(line) : line.length - line.trimStart().length >= marks.length

/** Returns a function that finds the line of a position. Call it with increasing positions. */
function createLineFinder(mask: string): (at: number) => Line {
  let [lineStart, lineEnd, isHtml, isRaw] = [0, -1, false, false]
  let [isComment, hasEnded, isDeclaration, marks] = [false, false, false, '']
  return (at) => {
    while (lineEnd < at && lineEnd < mask.length) {
      lineStart = lineEnd + 1
      const next = mask.indexOf('\n', lineStart)
      lineEnd = next === -1 ? mask.length : next
      const line = mask.slice(lineStart, lineEnd)
      // A block that begins with a comment ends with the line of its end.
      if (hasEnded) isHtml = isComment = false
      marks = MARKS.exec(line)?.[0] ?? ''
      const content = line.slice(marks.length)
      isDeclaration = /^<[!?]/.test(content)
      const begins = !isHtml && content.startsWith('<!--')
      isComment ||= begins
      hasEnded = isComment && (begins ? content.slice(2) : line).includes('-->')
      isHtml = isRaw || isComment || (line.trim() !== '' && (isHtml || HTML_LINE.test(line)))
      isRaw ||= /<(?:pre|textarea|script|style)\b/i.test(line)
    }
    return { isHtml, isOpen: isHtml && !hasEnded, isDeclaration, marks }
  }
}

/** Finds comments, declarations, dropped elements, and attributes that nobody sees. */
function findHiddenHtml({ text, mask }: Masked): readonly Cut[] {
  const lower = mask.toLowerCase()
  const missing = new Set<string>()
  const findEnd = (end: string, from: number): number | undefined => {
    if (missing.has(end)) return undefined
    const at = lower.indexOf(end, from)
    if (at !== -1) return at + end.length
    missing.add(end)
    return undefined
  }
  const isAtLineStart = (at: number): boolean => LINE_START.test(mask.slice(Math.max(0, at - MAX_WORD), at))
  const findLine = createLineFinder(mask)
  const isInBlock = (at: number): boolean => findLine(at).isHtml
  const cuts: Cut[] = []
  for (let at = mask.indexOf('<'); at !== -1;) {
    const cut = readCut(at)
    if (cut !== undefined) cuts.push(cut)
    at = mask.indexOf('<', cut?.to ?? at + 1)
  }
  return cuts

  function readCut(from: number): Cut | undefined {
    const next = mask.slice(from, from + 9)
    if (next.startsWith('<!--')) return readComment(from)
    if (next.startsWith('<?')) return readRegion(from, '?>') ?? readDeclaration(from)
    if (/^<!\[cdata\[$/i.test(next)) return readRegion(from, ']]>') ?? readDeclaration(from)
    if (/^<![a-z]/i.test(next) || (next.startsWith('<!') && isInBlock(from))) return readDeclaration(from)
    return readElement(from)
  }

  function readComment(from: number): Cut {
    const empty = /^<!--(?:>|->)/.exec(mask.slice(from, from + 6))?.[0]
    if (empty !== undefined) return { from, to: from + empty.length }
    // In a paragraph, a comment without an end is text. Whether it is in one is not certain.
    const to = findEnd('-->', from + 4)
    const isBlock = from === 0 || (mask[from - 1] === '\n' && !findLine(from - 1).isOpen)
    const endsLater = !isBlock && (HIDES.test(mask.slice(from + 4, to)) || isCutShort(from, to ?? from))
    return { from, to: to === undefined || endsLater ? mask.length : to }
  }

  /** A dropped element goes together with its content; of any other tag, only attributes go. */
  function readElement(from: number): Cut | undefined {
    TAG.lastIndex = from
    const tag = TAG.exec(mask)
    if (tag === null) return readBrokenTag(from)
    const [whole, name = '', attributes = ''] = tag
    if (isUncertain(from, from + whole.length)) return { from, to: mask.length }
    const element = name.toLowerCase()
    if (DROPPED.includes(element) && !whole.startsWith('</')) {
      const region = readRegion(from, `</${element}>`)
      if (region !== undefined) return region
      if (element === 'template') return { from, to: mask.length }
    }
    const start = from + whole.indexOf(attributes)
    const instead = attributes === '' ? undefined : keepAttributes(text.slice(start, start + attributes.length))
    return instead === undefined ? undefined : { from: start, to: start + attributes.length, instead }
  }

  /** Hides the whole rest if the region has what may end later than the region itself. */
  function readRegion(from: number, end: string): Cut | undefined {
    const to = findEnd(end, from + 2)
    if (to === undefined) return isAtLineStart(from) && !end.startsWith('</') ? { from, to: mask.length } : undefined
    const inside = mask.slice(from + 1, to)
    // On another line, the end of an element may be in code, and what follows another end is HTML.
    const isFar = (): boolean =>
      end.startsWith('</') ? !/\n {0,3}<[^<>]*>$/.test(inside) : /^[^\n]*</.test(mask.slice(to))
    const endsLater = OPENS_MORE.test(inside) || /\\<|`|~~~/.test(inside) || (inside.includes('\n') && isFar())
    return { from, to: endsLater ? mask.length : to }
  }

  /** Without an end, it is text in a paragraph, and hides the rest in a block of HTML. With a `<` in it, that is not certain. */
  function readDeclaration(from: number): Cut | undefined {
    const to = findEnd('>', from)
    if (to === undefined && !isAtLineStart(from) && !isInBlock(from)) return undefined
    const endsLater = to === undefined || mask.slice(from + 1, to).includes('<') || isUncertain(from, to)
    return { from, to: endsLater ? mask.length : to }
  }

  /** Whether a block, a quote or an item of a list ends before a part of it does, so that a browser sees no end of the part. */
  function isCutShort(from: number, to: number): boolean {
    const { isDeclaration, marks } = findLine(from)
    const lines = mask.slice(from, to).split('\n').slice(1)
    const endsInLine = isDeclaration && !isAtLineStart(from)
    return lines.some((line) => endsInLine || line.trim() === '' || !isContinued(line, marks))
  }

  /** Whether a tag may end elsewhere, also because a `>` in it may be the mark of a quote. */
  function isUncertain(from: number, to: number): boolean {
    const inside = mask.slice(from + 1, to)
    const mayEndAtMark = inside.includes('\n') && findLine(from).marks.includes('>')
    return mayEndAtMark || OPENS_MORE.test(inside) || isCutShort(from, to)
  }

  function readBrokenTag(from: number): Cut | undefined {
    if (!isInBlock(from)) return undefined
    BROKEN_TAG.lastIndex = from
    const [whole = ''] = BROKEN_TAG.exec(mask) ?? []
    // A value without its closing quote ends at the next quote, wherever that is.
    const isOpen = /=\s*["']/.test(whole.replace(QUOTED_VALUE, ''))
    if (isOpen || isUncertain(from, from + whole.length)) return { from, to: mask.length }
    return /\s/.test(whole.trim()) ? { from, to: from + whole.length } : undefined
  }
}

const NO_BLANK_LINE = String.raw`\n(?![ \t]*\n)`
const TITLE = [
  String.raw`"(?:[^"\\\n]|\\.|${NO_BLANK_LINE})*"`,
  String.raw`'(?:[^'\\\n]|\\.|${NO_BLANK_LINE})*'`,
  String.raw`\((?:[^()\\\n]|\\.|${NO_BLANK_LINE})*\)`,
].join('|')
const LINK_TITLE = new RegExp(
  String.raw`(\]\(\s*(?:<[^<>\n]*>|[^\s<>()]+(?:\([^\s()]*\)[^\s<>()]*)*))\s+(?:${TITLE})(?=\s*\))`,
  'g',
)

const DEFINITION = new RegExp(
  String.raw`^([ \t>*+\d.)-]*)\[(?!\^)((?:[^[\]\\]|\\.){1,999})\]:(?:[ \t]*\n)?[ \t]*(<[^<>\n]*>|\S+)((?:[ \t]+|[ \t]*\n[ \t]*)(?:${TITLE}))?[ \t]*$`,
  'gm',
)
const FOOTNOTE = /^[ \t>*+\d.)-]*\[(\^[^\]\s]+)\]:.*(?:\n(?![ \t]*$|[ \t>*+\d.)-]*\[\^).+|\n+(?: {4}|\t).*)*/gm

/** The row below the heads of a table, which has a `|` even if there is only one column. */
const DELIMITER_ROW = /^(?=.*\|)[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/
/** The marks before a row, and the `|` that can begin it. Only the row of the heads can follow the mark of a list. */
const [ROW_START, HEADS_START] = [/^[ \t>]*\|?/, /^[ \t>*+\d.)-]*\|?/]
const SEPARATOR = /(?<!\\)\|/g

/** Finds the cells of each row that exceed the columns of its table. */
function findSurplusCells({ mask }: Masked): readonly Cut[] {
  const cuts: Cut[] = []
  let [columns, offset, before] = [0, 0, '']
  for (const line of mask.split('\n')) {
    if (/^[ \t>]*$/.test(line)) columns = 0
    else if (columns > 0) {
      const start = ROW_START.exec(line)?.[0].length ?? 0
      const end = [...line.slice(start).matchAll(SEPARATOR)][columns - 1]?.index
      if (end !== undefined && line.slice(start + end + 1).trim() !== '')
        cuts.push({ from: offset + start + end + 1, to: offset + line.length })
    } else if (DELIMITER_ROW.test(line)) {
      const count = line.match(/-+/g)?.length ?? 0
      const heads = before.replace(HEADS_START, '').replace(/(?<!\\)\|[ \t]*$/, '')
      if (heads.split(SEPARATOR).length === count) columns = count
    }
    offset += line.length + 1
    before = line
  }
  return cuts
}

const normalize = (label: string): string => label.toLowerCase().replace(/\s+/g, ' ').trim()

const toCut = ({ 0: found, index: from }: RegExpExecArray, instead = ''): Cut => ({
  from,
  to: from + found.length,
  instead,
})

/** Finds references that nothing refers to, and the titles of the others. */
function findHiddenReferences({ text, mask }: Masked): readonly Cut[] {
  const definitions = [...mask.matchAll(DEFINITION)]
  const footnotes = [...mask.matchAll(FOOTNOTE)]
  if (definitions.length + footnotes.length === 0) return []
  const counts = new Map<string, number>()
  for (const [, label = ''] of mask.matchAll(/\[([^[\]]{1,999})\]/g))
    counts.set(normalize(label), (counts.get(normalize(label)) ?? 0) + 1)
  for (const [, , label = ''] of definitions) counts.set(normalize(label), (counts.get(normalize(label)) ?? 1) - 1)
  for (const [, label = ''] of footnotes) counts.set(normalize(label), (counts.get(normalize(label)) ?? 1) - 1)
  const isUsed = (label: string): boolean => (counts.get(normalize(label)) ?? 0) > 0
  const cuts = definitions.flatMap((found): Cut[] => {
    const [whole, , label = '', , title = ''] = found
    if (!isUsed(label)) return [toCut(found)]
    const end = found.index + whole.trimEnd().length
    return title === '' ? [] : [{ from: end - title.length, to: end }]
  })
  const unused = footnotes.filter(([, label = '']) => !isUsed(label)).map((found) => toCut(found))
  const sorted = [...cuts, ...unused].toSorted((one, other) => one.from - other.from)
  return sorted.filter(({ from }, index) => from >= (sorted[index - 1]?.to ?? 0) && text.length > 0)
}

/** Invisible characters, except those that emoji and texts from word processors contain for good reasons. */
const UNCOMMON = new RegExp(String.raw`(?![\r\u00ad\u200c\u200d\ufe0f\ufeff])(?:${INVISIBLE.source})`, 'gu')

const MAY_HIDE = /<[a-z/!?]|\]\(|\]:|```|~~~|\|[ \t]*:?-|-:?[ \t]*\|/i

/** Says that something was left out. */
export const HIDDEN_NOTE = '(hidden text left out)'

/** Removes what people do not see, and says so at the end. Returns a text without hidden parts unchanged. */
export function removeHidden(markdown: string): string {
  const text = (MAY_HIDE.test(markdown) ? removeHiddenMarkdown(markdown) : undefined) ?? markdown
  const visible = text.replace(UNCOMMON, '')
  return visible === markdown ? markdown : `${visible.trimEnd()}\n${HIDDEN_NOTE}`
}

/** Returns undefined if nothing is hidden. */
function removeHiddenMarkdown(markdown: string): string | undefined {
  const text = markdown.replace(/\r\n?/g, '\n')
  const code = maskCode(text)
  const masked = applyCuts(code, findSurplusCells(code))
  const withoutHtml = applyCuts(masked, findHiddenHtml(masked))
  const withoutReferences = applyCuts(withoutHtml, findHiddenReferences(withoutHtml))
  const titles = [...withoutReferences.mask.matchAll(LINK_TITLE)].map(({ 0: found, 1: kept = '', index }) => ({
    from: index + kept.length,
    to: index + found.length,
  }))
  const visible = applyCuts(withoutReferences, titles).text
  return visible === text ? undefined : visible
}
