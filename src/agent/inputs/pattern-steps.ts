/** A part of a pattern that takes one character, or several. */
export interface PatternStep {
  readonly takes: (character: string) => boolean
  readonly repeats: boolean
  /** How many steps further the walk may go on without a character. */
  readonly jumps: readonly number[]
}

interface Token {
  readonly steps: readonly PatternStep[]
  /** In the pattern, in code units. */
  readonly length: number
  readonly kind: 'stars' | 'character'
}

const step = (takes: PatternStep['takes'], repeats = false, jumps: PatternStep['jumps'] = []): PatternStep => ({
  takes,
  repeats,
  jumps,
})
const isSlash = (character: string): boolean => character === '/'

function readStars(count: number, isFolders: boolean): Token {
  // Folders are left out, or have a name before their slash.
  if (isFolders) {
    const steps = [step(() => false, false, [1, 3]), step(() => true, true), step(isSlash)]
    return { kind: 'stars', steps, length: count + 1 }
  }
  const anything = step((character) => count >= 2 || !isSlash(character), true, [1])
  return { kind: 'stars', steps: [anything], length: count }
}

/** `[]` lists letters, digits and ranges of them, and nothing else. */
const CLASS = /^\[((?:[a-zA-Z0-9](?:-[a-zA-Z0-9])?)+)\]/

function readClass(rest: string): Token | string {
  const [whole, list] = CLASS.exec(rest) ?? []
  if (whole === undefined || list === undefined)
    return 'has a `[` that begins no list of letters and digits; write `\\[` for the sign'
  if ([...list.matchAll(/(.)-(.)/g)].some(([, from = '', to = '']) => from > to))
    return 'has a range that ends before it begins'
  const listed = new RegExp(`^[${list}]$`)
  return { kind: 'character', steps: [step((character) => listed.test(character))], length: whole.length }
}

/** Gives what begins at `at`, or what is wrong with it. */
function readToken(pattern: string, at: number): Token | string {
  const rest = pattern.slice(at)
  const startsSegment = at === 0 || pattern[at - 1] === '/'
  const stars = /^\*+/.exec(rest)?.[0].length ?? 0
  if (stars > 0) return readStars(stars, stars >= 2 && startsSegment && rest[stars] === '/')
  const literal = (taken: string, length: number): Token => {
    return { kind: 'character', steps: [step((character) => character === taken)], length }
  }
  const character = String.fromCodePoint(rest.codePointAt(0) ?? 0)
  switch (character) {
    case '?':
    case '+':
      return `has a \`${character}\` with no character before it; write \`\\${character}\` for the sign`
    case '[':
      return readClass(rest)
    case '\\': {
      const escaped = String.fromCodePoint(rest.codePointAt(1) ?? 92)
      if (/[a-zA-Z0-9]/.test(escaped)) return 'has a `\\` before a letter or a digit; folders are separated by `/`'
      return literal(escaped, 1 + escaped.length)
    }
    default:
      return literal(character, character.length)
  }
}

/**
 * Reads a pattern of the `paths` filters of GitHub's workflows. It looks like a glob and is none: `?` and `+` are about the
 * character before them, `**` crosses `/` anywhere in a segment, names that begin with a dot are like all others, and there
 * are no braces. So it is read here and not handed to a library for globs.
 * @returns what is wrong with it, as the end of a sentence that repeats nothing of it, where it cannot be read
 */
export function readSteps(pattern: string): readonly PatternStep[] | string {
  const steps: PatternStep[] = []
  let before: Token['kind'] | 'quantifier' | undefined
  for (let at = 0; at < pattern.length;) {
    const sign = pattern[at]
    const last = steps.at(-1)
    if (before === 'character' && last !== undefined && (sign === '?' || sign === '+')) {
      steps[steps.length - 1] = sign === '?' ? { ...last, jumps: [1] } : { ...last, repeats: true }
      before = 'quantifier'
      at++
      continue
    }
    const token = readToken(pattern, at)
    if (typeof token === 'string') return token
    for (const next of token.steps) steps.push(next)
    before = token.kind
    at += token.length
  }
  return steps
}

/**
 * Walks all ways through the pattern at once, character by character. A regular expression would try one after the other,
 * which `*-*-*-*` makes take minutes on a name of dashes.
 */
export function matchesSteps(steps: readonly PatternStep[], path: string): boolean {
  // A set that grows while it is walked through is walked to its end.
  const jump = (places: Set<number>): Set<number> => {
    for (const at of places) for (const length of steps[at]?.jumps ?? []) places.add(at + length)
    return places
  }
  let places = jump(new Set([0]))
  for (const character of path) {
    const next = new Set<number>()
    for (const at of places) {
      const found = steps[at]
      if (found?.takes(character) !== true) continue
      if (found.repeats) next.add(at)
      next.add(at + 1)
    }
    if (next.size === 0) return false
    places = jump(next)
  }
  return places.has(steps.length)
}
