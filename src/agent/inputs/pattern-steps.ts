/** A part of a pattern that takes one character, or several. */
export interface Step {
  readonly takes: (character: string) => boolean
  readonly repeats: boolean
  /** How many steps may be left out together, this one the first of them. */
  readonly skips: number
}

interface Token {
  readonly steps: readonly Step[]
  /** In the pattern, in code units. */
  readonly length: number
  readonly kind: 'stars' | 'character'
}

const step = (takes: Step['takes'], repeats = false, skips = 0): Step => ({ takes, repeats, skips })
const isSlash = (character: string): boolean => character === '/'

function readStars(count: number, isFolders: boolean): Token {
  const anything = step(count >= 2 ? () => true : (character) => !isSlash(character), true, isFolders ? 2 : 1)
  return isFolders
    ? { kind: 'stars', steps: [anything, step(isSlash)], length: count + 1 }
    : { kind: 'stars', steps: [anything], length: count }
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
export function readSteps(pattern: string): readonly Step[] | string {
  const steps: Step[] = []
  let before: Token['kind'] | 'quantifier' | undefined
  for (let at = 0; at < pattern.length;) {
    const sign = pattern[at]
    const last = steps.at(-1)
    if (before === 'character' && last !== undefined && (sign === '?' || sign === '+')) {
      steps[steps.length - 1] = sign === '?' ? { ...last, skips: 1 } : { ...last, repeats: true }
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

/** How the walk stands before a step: not at all, after a character that the step took, or having just come to it. */
const [AWAY, REPEATING, ENTERED] = [0, 1, 2] as const

/** Where a walk stands: the steps that may take the next character, and the pattern's end. Most steps are none of these. */
class Places {
  readonly #steps: readonly Step[]
  readonly #states: Uint8Array
  /** The first `#count` are the steps that the walk is not away from. */
  readonly #list: Uint32Array
  #count = 0

  constructor(steps: readonly Step[]) {
    this.#steps = steps
    this.#states = new Uint8Array(steps.length + 1)
    this.#list = new Uint32Array(steps.length + 1)
  }

  get isEmpty(): boolean {
    return this.#count === 0
  }

  get hasEnd(): boolean {
    return this.#states[this.#steps.length] !== AWAY
  }

  /** A step may be left out where the walk has just come to it, and not once it took a character. */
  enter(at: number): void {
    for (let place = at, skips = 1; skips > 0 && this.#states[place] !== ENTERED; place += skips) {
      this.#stand(place, ENTERED)
      skips = this.#steps[place]?.skips ?? 0
    }
  }

  /** Puts the places behind a character into `next`, in place of what was there. */
  walk(character: string, next: Places): void {
    next.#clear()
    for (let index = 0; index < this.#count; index++) {
      const at = this.#list[index] ?? 0
      const found = this.#steps[at]
      if (found?.takes(character) !== true) continue
      if (found.repeats && next.#states[at] === AWAY) next.#stand(at, REPEATING)
      next.enter(at + 1)
    }
  }

  #stand(at: number, state: typeof REPEATING | typeof ENTERED): void {
    if (this.#states[at] === AWAY) this.#list[this.#count++] = at
    this.#states[at] = state
  }

  #clear(): void {
    for (let index = 0; index < this.#count; index++) this.#states[this.#list[index] ?? 0] = AWAY
    this.#count = 0
  }
}

/**
 * Walks all ways through the pattern at once, character by character. A regular expression would try one after the other,
 * which `*-*-*-*` makes take minutes on a name of dashes.
 */
export function matchesSteps(steps: readonly Step[], path: string): boolean {
  let places = new Places(steps)
  let next = new Places(steps)
  places.enter(0)
  for (const character of path) {
    places.walk(character, next)
    ;[places, next] = [next, places]
    if (places.isEmpty) return false
  }
  return places.hasEnd
}
