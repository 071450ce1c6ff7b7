export interface Command {
  /** In lower case. */
  readonly name: string
  /** By their names in lower case. */
  readonly properties: Readonly<Record<string, string>>
  readonly data: string
}

/** Whatever is not in this list is ordinary text to the runner, also if it has the shape of a command. */
export const COMMAND_NAMES = [
  ...['add-mask', 'add-matcher', 'add-path', 'debug', 'echo', 'endgroup', 'error', 'group', 'notice'],
  ...['remove-matcher', 'save-state', 'set-env', 'set-output', 'stop-commands', 'warning'],
]

type Escapes = readonly (readonly [escape: string, character: string])[]

/** In the runner's own order: `%25` comes last, so that `%250A` becomes `%0A` and not a line end. */
const DATA_ESCAPES: Escapes = [
  ['%0D', '\r'],
  ['%0A', '\n'],
  ['%25', '%'],
]
const PROPERTY_ESCAPES: Escapes = [...DATA_ESCAPES.slice(0, 2), ['%3A', ':'], ['%2C', ','], ['%25', '%']]
const BRACKET_ESCAPES: Escapes = [['%3B', ';'], ...DATA_ESCAPES.slice(0, 2), ['%5D', ']'], ['%25', '%']]

/** What .NET's TrimStart takes away, which is not what JavaScript's `trimStart` does. */
const LEADING_SPACE = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/

function unescape(text: string, escapes: Escapes): string {
  return escapes.reduce((unescaped, [escape, character]) => unescaped.replaceAll(escape, character), text)
}

function parseProperties(text: string, separator: string, escapes: Escapes): Record<string, string> {
  const properties: Record<string, string> = {}
  for (const property of text.split(separator)) {
    const [, name, value] = /^([^=]+)=(.+)$/su.exec(property) ?? []
    if (name !== undefined && value !== undefined) properties[name.toLowerCase()] = unescape(value, escapes)
  }
  return properties
}

/** @param text what stands between the marks: the name, a space, the properties */
function splitName(text: string): { readonly name: string; readonly propertyText: string } {
  const space = text.indexOf(' ')
  return space < 0
    ? { name: text.toLowerCase(), propertyText: '' }
    : { name: text.slice(0, space).toLowerCase(), propertyText: text.slice(space + 1) }
}

/**
 * `::name key=value,key=value::data`, at the start of a line after its leading white space.
 * @param names the commands that are known now, in lower case
 */
export function parseColonCommand(line: string, names: ReadonlySet<string>): Command | undefined {
  const trimmed = line.replace(LEADING_SPACE, '')
  if (!trimmed.startsWith('::')) return undefined
  const end = trimmed.indexOf('::', 2)
  if (end < 0) return undefined
  const { name, propertyText } = splitName(trimmed.slice(2, end))
  if (!names.has(name)) return undefined
  return {
    name,
    properties: parseProperties(propertyText.trim(), ',', PROPERTY_ESCAPES),
    data: unescape(trimmed.slice(end + 2), DATA_ESCAPES),
  }
}

/**
 * `##[name key=value;key=value]data`, anywhere in a line. Only the first `##[` of a line counts.
 * @param names the commands that are known now, in lower case
 */
export function parseBracketCommand(line: string, names: ReadonlySet<string>): Command | undefined {
  const start = line.indexOf('##[')
  if (start < 0) return undefined
  const end = line.indexOf(']', start)
  if (end < 0) return undefined
  const { name, propertyText } = splitName(line.slice(start + 3, end))
  if (!names.has(name)) return undefined
  return {
    name,
    properties: parseProperties(propertyText, ';', BRACKET_ESCAPES),
    data: unescape(line.slice(end + 1), BRACKET_ESCAPES),
  }
}

/**
 * Reads a line as the runner does (its ActionCommand): both grammars, the one with colons first.
 * @param names the commands that are known now, in lower case
 * @returns undefined for ordinary text
 */
export function parseCommand(line: string, names: ReadonlySet<string>): Command | undefined {
  return parseColonCommand(line, names) ?? parseBracketCommand(line, names)
}
