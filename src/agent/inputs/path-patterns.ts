/** One line of `paths`, `paths-ignore` or `allowed-paths`. */
export interface PathRule {
  readonly effect: 'include' | 'exclude'
  readonly matches: RegExp
}

export interface PathPatterns {
  readonly rules: readonly PathRule[]
  /** What is wrong with which line, as the end of a sentence that repeats no pattern; the rules are of no use then. */
  readonly problems: readonly string[]
}

type Token =
  | { readonly kind: 'star' | 'other' | 'quantifier'; readonly source: string; readonly length: number }
  | { readonly kind: 'problem'; readonly problem: string }

const literal = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|/]/u, '\\$&')

/** `[]` lists letters, digits and ranges of them, and nothing else. */
const CLASS = /^\[((?:[a-zA-Z0-9](?:-[a-zA-Z0-9])?)+)\]/

function readClass(rest: string): Token {
  const [whole, list] = CLASS.exec(rest) ?? []
  if (whole === undefined || list === undefined)
    return { kind: 'problem', problem: 'has a `[` that begins no list of letters and digits; write `\\[` for the sign' }
  if ([...list.matchAll(/(.)-(.)/g)].some(([, from = '', to = '']) => from > to))
    return { kind: 'problem', problem: 'has a range that ends before it begins' }
  return { kind: 'other', source: `[${list}]`, length: whole.length }
}

function readToken(pattern: string, at: number, before: Token['kind'] | undefined): Token {
  const rest = pattern.slice(at)
  const startsSegment = at === 0 || pattern[at - 1] === '/'
  const stars = /^\*+/.exec(rest)?.[0].length ?? 0
  if (stars >= 2 && startsSegment && rest[stars] === '/')
    return { kind: 'star', source: '(?:.+\\/)?', length: stars + 1 }
  if (stars > 0) return { kind: 'star', source: stars >= 2 ? '.*' : '[^\\/]*', length: stars }
  const character = String.fromCodePoint(rest.codePointAt(0) ?? 0)
  switch (character) {
    case '?':
    case '+':
      return before === 'other'
        ? { kind: 'quantifier', source: character, length: 1 }
        : {
            kind: 'problem',
            problem: `has a \`${character}\` with no character before it; write \`\\${character}\` for the sign`,
          }
    case '[':
      return readClass(rest)
    case '\\': {
      const escaped = String.fromCodePoint(rest.codePointAt(1) ?? 92)
      return { kind: 'other', source: literal(escaped), length: 1 + escaped.length }
    }
    default:
      return { kind: 'other', source: literal(character), length: character.length }
  }
}

/** Gives the rule of a line, or what is wrong with it. */
function parseLine(line: string): PathRule | string {
  const isExclusion = line.startsWith('!')
  const pattern = isExclusion ? line.slice(1) : line
  if (pattern === '') return 'has no pattern after its `!`'
  if (pattern.startsWith('/')) return 'begins with `/`; paths begin at the root of the repository, without one'
  if (pattern.endsWith('/')) return 'ends with `/` and matches no file; add `**`'
  let source = ''
  let before: Token['kind'] | undefined
  for (let at = 0; at < pattern.length;) {
    const token = readToken(pattern, at, before)
    if (token.kind === 'problem') return token.problem
    source += token.source
    before = token.kind
    at += token.length
  }
  return { effect: isExclusion ? 'exclude' : 'include', matches: new RegExp(`^${source}$`, 'su') }
}

/**
 * Parses patterns, one a line, by the rules of the `paths` filters of GitHub's workflows. They look like globs and are not:
 * `?` and `+` are about the character before them, `**` crosses `/` anywhere in a segment, names that begin with a dot are
 * like all others, and there are no braces. So they are translated here and not handed to a library for globs.
 */
export function parsePathPatterns(text: string): PathPatterns {
  const lines = text.split(/\r?\n/).map((line, index) => ({ line: line.trim(), number: index + 1 }))
  const parsed = lines.filter(({ line }) => line !== '').map(({ line, number }) => ({ number, rule: parseLine(line) }))
  const rules = parsed.map(({ rule }) => rule).filter((rule) => typeof rule !== 'string')
  const problems = parsed.flatMap(({ number, rule }) => (typeof rule === 'string' ? [`line ${number} ${rule}`] : []))
  if (problems.length === 0 && rules.length > 0 && rules.every(({ effect }) => effect === 'exclude'))
    problems.push('has only lines that begin with `!`; at least one line must say what is meant')
  return { rules, problems }
}

/** Whether the rules, read in order, include a path: the last one that matches decides. */
export function includesPath(rules: readonly PathRule[], path: string): boolean {
  return rules.findLast(({ matches }) => matches.test(path))?.effect === 'include'
}
