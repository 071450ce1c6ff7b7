export interface Command {
  /** In lower case. */
  readonly name: string
  readonly properties: Readonly<Record<string, string>>
  readonly data: string
}

/** The runner treats every other name as ordinary text, even in the form of a command. */
const COMMAND_NAMES = [
  'add-mask',
  'add-matcher',
  'add-path',
  'debug',
  'echo',
  'endgroup',
  'error',
  'group',
  'notice',
  'remove-matcher',
  'save-state',
  'set-env',
  'set-output',
  'stop-commands',
  'warning',
]

type Escapes = readonly (readonly [escape: string, character: string])[]

/** In the order of the runner: `%25` is last, so that `%250A` becomes `%0A` and not a line end. */
const DATA_ESCAPES: Escapes = [
  ['%0D', '\r'],
  ['%0A', '\n'],
  ['%25', '%'],
]
const PROPERTY_ESCAPES: Escapes = [...DATA_ESCAPES.slice(0, 2), ['%3A', ':'], ['%2C', ','], ['%25', '%']]
const BRACKET_ESCAPES: Escapes = [['%3B', ';'], ...DATA_ESCAPES.slice(0, 2), ['%5D', ']'], ['%25', '%']]

/** The white space of .NET's TrimStart, which differs from JavaScript's `trimStart`. */
const LEADING_SPACE = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/

function unescape(text: string, escapes: Escapes): string {
  return escapes.reduce((unescaped, [escape, character]) => unescaped.replaceAll(escape, character), text)
}

interface Grammar {
  /** The texts before and after the name with its properties. */
  readonly start: string
  readonly end: string
  readonly separator: string
  readonly propertyEscapes: Escapes
  readonly dataEscapes: Escapes
}

const COLONS = { start: '::', end: '::', separator: ',', propertyEscapes: PROPERTY_ESCAPES, dataEscapes: DATA_ESCAPES }
const BRACKETS = {
  start: '##[',
  end: ']',
  separator: ';',
  propertyEscapes: BRACKET_ESCAPES,
  dataEscapes: BRACKET_ESCAPES,
}

function parseAt(line: string, at: number, grammar: Grammar): Command | undefined {
  const begin = at + grammar.start.length
  const end = line.indexOf(grammar.end, begin)
  if (at < 0 || end < 0) return undefined
  const [, name = '', propertyText = ''] = /^([^ ]*) ?(.*)$/su.exec(line.slice(begin, end)) ?? []
  if (!COMMAND_NAMES.includes(name.toLowerCase())) return undefined
  const properties: Record<string, string> = {}
  for (const property of propertyText.trim().split(grammar.separator)) {
    const [, key, value] = /^([^=]+)=(.+)$/su.exec(property) ?? []
    if (key !== undefined && value !== undefined)
      properties[key.toLowerCase()] = unescape(value, grammar.propertyEscapes)
  }
  return {
    name: name.toLowerCase(),
    properties,
    data: unescape(line.slice(end + grammar.end.length), grammar.dataEscapes),
  }
}

/**
 * Parses a line as the runner does (its ActionCommand): `::name key=value,key=value::data` at its start after white space, or
 * else `##[name key=value;key=value]data` anywhere, where only the first `##[` counts.
 * @returns undefined for ordinary text
 */
export function parseCommand(line: string): Command | undefined {
  const trimmed = line.replace(LEADING_SPACE, '')
  return parseAt(trimmed, trimmed.startsWith('::') ? 0 : -1, COLONS) ?? parseAt(line, line.indexOf('##['), BRACKETS)
}
