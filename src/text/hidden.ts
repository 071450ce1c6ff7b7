/**
 * Removes what people do not see in a text that GitHub renders as Markdown: comments, elements that GitHub drops, titles of links,
 * unused references and invisible characters. Keeps code, which is shown as it is. Takes linear time. Where it is not certain
 * how something ends, the rest of the text is removed: the note says so, and a leak would say nothing.
 */
import { INVISIBLE } from './untrusted.ts'

interface Cut {
  readonly from: number
  readonly to: number
}

/** @param cuts in any order; they may overlap */
function applyCuts(text: string, cuts: readonly Cut[]): string {
  let [kept, at] = ['', 0]
  for (const { from, to } of cuts.toSorted((one, other) => one.from - other.from)) {
    kept += text.slice(at, Math.max(at, from))
    at = Math.max(at, to)
  }
  return kept + text.slice(at)
}

/** Elements that GitHub drops together with their content. */
const DROPPED = String.raw`<(?:template|script|style)(?![^\s/>])`
/** A tag of such an element on one line, without anything in quotes that looks like a tag. */
const DROPPED_TAG = String.raw`<(template|script|style)(?:[ \t](?:[^<>"'\n]|"[^"<>\n]*"|'[^'<>\n]*')*)?>`
const HIDING_IN_TEXT = new RegExp(String.raw`<\?|<!(?:--|\[CDATA\[|[a-z])|${DROPPED}`, 'iy')
/** A browser takes any `<!` for the beginning of a comment. */
const HIDING_IN_HTML = new RegExp(`<[!?]|${DROPPED}`, 'iy')
/** What ends where it seems to, on one line. What may be code, a link or a tag in an element could contain its end. */
const CERTAIN = new RegExp(
  [
    '<!---?>',
    String.raw`<!--(?:(?!--!?>|<[!?]|${DROPPED})[^\n])*-->`,
    String.raw`<\?[^<\n]*?\?>`,
    String.raw`<!\[CDATA\[[^<\n]*?\]\]>`,
    String.raw`<!(?!--|\[CDATA\[)[^<>\n]*>`,
    String.raw`${DROPPED_TAG}[^<[\\\n${'`'}]*</\1>`,
  ].join('|'),
  'iy',
)
/** What ends where it seems to, over several lines, if it begins a line outside a block of HTML. */
const BLOCK = new RegExp(String.raw`<!--(?:-?>|(?:(?!--!?>)[^])*-->)|${DROPPED_TAG}[^<[\\~${'`'}]*\n {0,3}</\1>`, 'iy')
/** The same for an indented comment: no line leaves the list item that the comment may be in. */
const INDENTED_COMMENT = /( +)<!--(?!-?>)(?:(?!--!?>)[^\n]|\n(?:(?=[ \t]*\n)|\1(?![ \t]*\n)))*-->/y
/** A comment after text ends where it seems to, or is shown. Nothing in it may begin something else that ends after it. */
const COMMENT_AFTER_TEXT = /<!--(?!-?>)(?:(?!--!?>|\n[ \t>*+\d.)-]*(?:`{3}|~{3}))[^<])*-->(?=[ \t]*(?:\n|$))/y

/** @param pattern sticky */
function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

/** The beginning of code or of a tag, and of what can contain a backtick that is no mark of code: escapes, links, addresses. */
const MARK = /`+|<[a-z/!?]|\\(?=`)|\]\((?:[^\s)`<]|<(?![a-z/!?]))*|(?::\/\/|www\.)[^\s`<\]]*/gi
/** A mark, with the character after it, that makes it uncertain what is code. A blank after the address of a link precedes a title. */
const OBSCURES_CODE = /^[`<\\]|`$|^\][^]*\s$/
/** Spans are short: looking far ahead for the end of each mark would take quadratic time. */
const MAX_MARKS_IN_SPAN = 20
const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})/
const FENCE_END = /^ {0,3}(`{3,}|~{3,})[ \t]*\n?$/
/** An indented block of code that is closed in the list item that it may be in. */
const INDENTED_CODE =
  /( {1,3})(`{3,}(?=[^`\n]*\n)|~{3,}(?!~))[^\n]*\n(?:(?![ \t]*\2)(?:[ \t]*\n|\1(?![ \t]*\n)[^\n]*\n))*\1\2[ \t]*(?:\n|$)/y
/** What may precede a block on its line: the marks of quotes, lists and footnotes. */
const LINE_START = String.raw`^[ \t>*+\d.)-]*(?:\[\^[^\]\s]*\]:[ \t]*)?`
const HTML_LINE = new RegExp(`${LINE_START}<[a-z/!?]`, 'i')
/** What precedes on a line that is text for certain, and no block of HTML, not even in an item of a list of tasks. */
const TEXT_BEFORE = new RegExp(String.raw`${LINE_START}(?:\[.\][ \t]*)?[^\s<[\]>*+\d.)-][^<]*$`)
/** Blocks that go on after a blank line. */
const RAW_LINE = new RegExp(String.raw`${LINE_START}<(?:pre|textarea|script|style)\b`, 'i')
const RAW_END = /<\/(?:pre|textarea|script|style)>/i

/**
 * What a line may be: text, in which backticks are marks of code; text with a tag, or with a mark whose partner may be on another
 * line, so that nothing is certainly code; a part of a block of HTML, which may end before a comment in it does.
 */
const [TEXT, MIXED, HTML] = [0, 1, 2]

interface Scan {
  /** The text, with dots for fenced code blocks and code spans. Indented code is rare on GitHub, and taken for text. */
  readonly mask: string
  /** Comments, declarations and dropped elements. */
  readonly cuts: readonly Cut[]
}

const blank = (code: string): string => code.replace(/[^\n]/g, '.')

function scan(text: string): Scan {
  const cuts: Cut[] = []
  const firstFootnote = text.search(/\[\^[^[\]\s]+\]:/)
  const lastPhpEnd = text.lastIndexOf('?>')
  const lastScriptEnd = [...text.matchAll(/<\/(?:script|style)/gi)].at(-1)?.index ?? -1
  let [mask, fence, level, levelAfterBlank] = ['', '', TEXT, TEXT]
  while (mask.length < text.length) readLine(mask.length)
  return { mask, cuts }

  function sliceLine(start: number, end = start): string {
    const at = text.indexOf('\n', end)
    return text.slice(start, at === -1 ? text.length : at + 1)
  }

  function readLine(start: number): void {
    const line = sliceLine(start)
    const [, indent, opening] = FENCE.exec(line) ?? []
    if (fence !== '') {
      if (FENCE_END.exec(line)?.[1]?.startsWith(fence) === true) fence = ''
      mask += blank(line)
    } else if (/^[ \t]*\n?$/.test(line)) {
      level = levelAfterBlank
      mask += line
    } else if (opening !== undefined && indent === '' && level === TEXT) {
      fence = opening
      mask += blank(line)
    } else {
      const code = level === TEXT && opening !== undefined ? matchAt(INDENTED_CODE, text, start) : undefined
      if (code !== undefined) {
        mask += blank(code)
        return
      }
      // An indented fence may end with an item of a list, and HTML may contain what looks like a fence.
      if (opening !== undefined) level = levelAfterBlank = Math.max(level, levelAfterBlank, MIXED)
      readMarkdown(start)
    }
  }

  function readMarkdown(start: number): void {
    const indented = level < HTML ? matchAt(INDENTED_COMMENT, text, start) : undefined
    const block = indented ?? (level < HTML ? (matchAt(BLOCK, text, start) ?? '') : '')
    const levelAfterIndented = Math.max(level, MIXED)
    const line = sliceLine(start, start + block.length)
    if (HTML_LINE.test(line)) level = HTML
    if (RAW_LINE.test(line)) levelAfterBlank = HTML
    if (RAW_END.test(line)) levelAfterBlank = Math.min(levelAfterBlank, MIXED)
    let at = start
    const cut = (from: number, to: number): void => {
      cuts.push({ from, to })
      mask += text.slice(at, to)
      at = to
    }
    if (block !== '') cut(start, start + block.length)
    const marks = [...line.matchAll(MARK)]
    for (const [index, { 0: found, index: column }] of marks.entries()) {
      const from = start + column
      if (from < at) continue
      const isCode = level === TEXT && found.startsWith('`')
      const span = isCode ? findSpan(line, marks.slice(index, index + MAX_MARKS_IN_SPAN)) : undefined
      if (span !== undefined) {
        mask += text.slice(at, from) + blank(span)
        at = from + span.length
        continue
      }
      if (OBSCURES_CODE.test(line.slice(column, column + found.length + 1))) level = Math.max(level, MIXED)
      if (!found.startsWith('<')) continue
      const to = findEnd(line, column, from)
      if (to !== undefined) cut(from, to)
    }
    const end = start + line.length
    mask += text.slice(at, at > end ? at + sliceLine(at).length : end)
    // A block that begins with a comment ends with the line of its end.
    if (block.startsWith('<!--')) level = levelAfterBlank
    else if (indented !== undefined) level = levelAfterIndented
  }

  /** Returns undefined for what is not hidden. */
  function findEnd(line: string, column: number, from: number): number | undefined {
    const hiding = matchAt(level === HTML ? HIDING_IN_HTML : HIDING_IN_TEXT, line, column)?.toLowerCase()
    if (hiding === undefined || (hiding === '<?' && level < HTML && lastPhpEnd < from + 2)) return undefined
    const certain = matchAt(CERTAIN, line, column)
    if (certain !== undefined) return from + certain.length
    const isAfterText = level < HTML && TEXT_BEFORE.test(line.slice(0, column))
    const comment = isAfterText ? matchAt(COMMENT_AFTER_TEXT, text, from) : undefined
    if (comment !== undefined) {
      level = MIXED
      return from + comment.length
    }
    if (hiding.startsWith('<s') && lastScriptEnd < from) return undefined
    // GitHub moves footnotes to the end of the text, into what does not end before.
    if (firstFootnote !== -1) cuts.push({ from: firstFootnote, to: text.length })
    return text.length
  }
}

/** Finds a code span that ends on the same line, and in the same cell of a table: a cell ends at `|`, even in code. */
function findSpan(line: string, [first, ...others]: readonly RegExpExecArray[]): string | undefined {
  const last = others.find(([mark]) => mark === first?.[0])
  const span = last === undefined ? undefined : line.slice(first?.index, last.index + last[0].length)
  return span?.includes('|') === true ? undefined : span
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

const normalize = (label: string): string => label.toLowerCase().replace(/\s+/g, ' ').trim()

/** Finds references that nothing refers to, and the titles of the others and of links. */
function findReferences({ mask, cuts }: Scan): Cut[] {
  const labels = applyCuts(mask, cuts)
    .replaceAll(DEFINITION, '')
    .matchAll(/\[([^[\]]{1,999})\]/g)
  const used = new Set([...labels].map(([, label = '']) => normalize(label)))
  const definitions = [...mask.matchAll(DEFINITION)].map(({ 0: whole, 2: label = '', 4: title = '', index }) => {
    const to = index + whole.trimEnd().length
    return { from: used.has(normalize(label)) ? to - title.length : index, to }
  })
  const titles = [...mask.matchAll(LINK_TITLE)].map(({ 0: found, 1: kept = '', index }) => {
    return { from: index + kept.length, to: index + found.length }
  })
  return [...definitions, ...titles]
}

/** Invisible characters, except those that emoji and texts from word processors contain for good reasons. */
const UNCOMMON = new RegExp(String.raw`(?![\r\u00ad\u200c\u200d\ufe0f\ufeff])(?:${INVISIBLE.source})`, 'gu')

/** Says that something was left out. */
export const HIDDEN_NOTE = '(hidden text left out)'

/** Removes what people do not see, and says so at the end. Returns a text without hidden parts unchanged. */
export function removeHidden(markdown: string): string {
  const text = markdown.replace(/\r\n?/g, '\n')
  const found = scan(text)
  const cut = applyCuts(text, [...found.cuts, ...findReferences(found)])
  const visible = (cut === text ? markdown : cut).replace(UNCOMMON, '')
  return visible === markdown ? markdown : `${visible.trimEnd()}\n${HIDDEN_NOTE}`
}
