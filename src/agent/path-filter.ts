import { toLines, refuse } from '../action/inputs.ts'
import type { Step } from '../action/step.ts'

/** One line of `paths`, `paths-ignore` or `allowed-paths`. */
interface PathRule {
  /** As it was given, for the reader. */
  readonly line: string
  readonly effect: 'include' | 'exclude'
  /** Takes time in proportion to the path: its name may come from strangers. */
  readonly matches: (path: string) => boolean
  /** That it is likely to mean something else than it says, as the end of a sentence. */
  readonly warning: string | undefined
}

/** A part of a pattern that takes one character, none, or several. */
interface PatternStep {
  readonly takes: (character: string) => boolean
  readonly isOptional: boolean
  readonly repeats: boolean
  /** Whether it takes whole folders: it is left behind a slash only. */
  readonly isFolders: boolean
}

/** `[]` lists letters, digits and ranges of them, and nothing else. A `\` at the end stands for itself. */
const CHARACTER = String.raw`\[(?<list>(?:[a-zA-Z0-9](?:-[a-zA-Z0-9])?)+)\]|\\(?<escaped>[^a-zA-Z0-9])|(?<plain>[^?+[\\]|\\$)`
const TOKEN = new RegExp(
  String.raw`(?<=^|/)(?<folders>\*{2,}/)|(?<stars>\*+)|(?:${CHARACTER})(?<quantifier>[?+]?)`,
  'guy',
)

/** Why nothing can be read that begins with this character. */
function whyNot(character: string): string {
  if (character === '[')
    return 'has a `[` that begins no list of letters and digits; write `\\[` for the character itself'
  if (character === '\\') return 'has a `\\` before a letter or a digit; folders are separated by `/`'
  return `has a \`${character}\` with no character before it; write \`\\${character}\` for the character itself`
}

type Groups = Readonly<Partial<Record<string, string>>>

const isReversed = (list: string): boolean => [...list.matchAll(/(.)-(.)/g)].some(([, from = '', to = '']) => from > to)

function takesOf({ folders, stars = '', list, escaped, plain }: Groups): PatternStep['takes'] {
  if (folders !== undefined || stars.length >= 2) return () => true
  if (stars === '*') return (character) => character !== '/'
  if (list !== undefined) {
    const listed = new RegExp(`^[${list}]$`)
    return (character) => listed.test(character)
  }
  return (character) => character === (escaped ?? plain)
}

/**
 * Reads a pattern of the `paths` filters of GitHub's workflows. It looks like a glob and is none: `?` and `+` are about the
 * character before them, `**` crosses `/` anywhere in a segment, names that begin with a dot are like all others, and there
 * are no braces. So it is read here and not handed to a library for globs.
 * @returns what is wrong with it, as the end of a sentence that repeats nothing of it, where it cannot be read
 */
function readSteps(pattern: string): readonly PatternStep[] | string {
  const steps: PatternStep[] = []
  let at = 0
  for (const { 0: token, groups = {} } of pattern.matchAll(TOKEN)) {
    if (isReversed(groups['list'] ?? '')) return 'has a range that ends before it begins'
    // Stars have none of their own.
    const { quantifier = '*' } = groups
    steps.push({
      takes: takesOf(groups),
      isOptional: /[*?]/.test(quantifier),
      repeats: /[*+]/.test(quantifier),
      isFolders: groups['folders'] !== undefined,
    })
    at += token.length
  }
  return at < pattern.length ? whyNot(pattern.charAt(at)) : steps
}

/**
 * Walks all ways through the pattern at once, character by character. A regular expression would try one after the other,
 * which `*-*-*-*` makes take minutes on a name of dashes.
 */
function matchesSteps(steps: readonly PatternStep[], path: string): boolean {
  // A set that grows while it is walked through is walked to its end.
  const passOptional = (entered: Set<number>): Set<number> => {
    for (const at of entered) if (steps[at]?.isOptional === true) entered.add(at + 1)
    return entered
  }
  let places = passOptional(new Set([0]))
  for (const character of path) {
    const taking = [...places].filter((at) => steps[at]?.takes(character))
    if (taking.length === 0) return false
    const leaving = taking.filter((at) => character === '/' || steps[at]?.isFolders === false)
    const staying = taking.filter((at) => steps[at]?.repeats)
    places = new Set([...passOptional(new Set(leaving.map((at) => at + 1))), ...staying])
  }
  return places.has(steps.length)
}

/** A comma may be part of a name, but not where a pattern follows it: such a line would match nothing, and skip for ever. */
const SEVERAL = /(?<!\\),(?:\s|$|[^,]*[*/])/
const QUOTED = /^(["'`]).*\1$/s

/** Why a pattern that could be read would not mean what was meant. */
function mistakeIn(pattern: string): string | undefined {
  if (pattern === '') return 'has no pattern after its `!`'
  if (QUOTED.test(pattern)) return 'has quotes around it, which would be part of the name; leave them out'
  if (pattern.startsWith('/')) return 'begins with `/`; paths begin at the root of the repository, without one'
  if (pattern.startsWith('./')) return 'begins with `./`; paths begin at the root of the repository, without it'
  if (SEVERAL.test(pattern))
    return 'has a comma before another pattern; write each on a line of its own, and `\\,` for the character itself'
  if (pattern.endsWith('/')) return 'ends with `/` and matches no file; add `**`'
  return undefined
}

/** A name without a dot is more often one of a folder than one of a file. */
const FOLDER_NAME = /^[\w-]+(?:\/[\w-]+)*$/

/**
 * Parses patterns, one a line, by the rules of the `paths` filters of GitHub's workflows.
 * @throws Refused where any of them is wrong, in words that repeat no pattern
 */
export function parsePathRules(text: string): readonly PathRule[] {
  const problems: string[] = []
  const rules = toLines(text).flatMap(({ line, at }): PathRule[] => {
    const pattern = line.replace(/^!/, '')
    const steps = mistakeIn(pattern) ?? readSteps(pattern)
    if (typeof steps === 'string') {
      problems.push(`${at} ${steps}`)
      return []
    }
    const warning = `${at} matches a file of exactly that name; for the files of a folder, write \`${pattern}/**\``
    return [
      {
        line,
        effect: pattern === line ? 'include' : 'exclude',
        matches: (path) => matchesSteps(steps, path),
        warning: FOLDER_NAME.test(pattern) ? warning : undefined,
      },
    ]
  })
  if (problems.length > 0) return refuse(...problems)
  if (rules.length > 0 && rules.every(({ effect }) => effect === 'exclude'))
    return refuse('has only lines that begin with `!`; at least one line must say which files are included')
  return rules
}

/** Whether the rules, read in order, include a path: the last one that matches decides. */
export function includesPath(rules: readonly PathRule[], path: string): boolean {
  return rules.findLast(({ matches }) => matches(path))?.effect === 'include'
}

/** Which files count: those that `paths` includes, or all but those that `paths-ignore` does. */
export interface PathFilter {
  readonly kind: 'paths' | 'paths-ignore'
  readonly rules: readonly PathRule[]
}

/** A renamed file is in two places, and both changed. */
interface MovablePath {
  readonly path: string
  readonly previousPath: string | undefined
}

type Waiting = Pick<Step, 'clock' | 'signal'>

/** Of each file the places that matter. Thousands of long paths take seconds: in between, that the run was cancelled is heard. */
async function findPlaces(
  files: readonly MovablePath[],
  matters: (path: string) => boolean,
  { clock, signal }: Waiting,
): Promise<readonly string[][]> {
  const found: string[][] = []
  for (const { path, previousPath } of files) {
    await clock.yieldToEventLoop()
    signal.throwIfAborted()
    found.push([path, ...(previousPath === undefined ? [] : [previousPath])].filter(matters))
  }
  return found
}

/**
 * How many files count.
 * @throws ActionError `cancelled`
 */
export async function countFiles(
  { kind, rules }: PathFilter,
  files: readonly MovablePath[],
  step: Waiting,
): Promise<number> {
  const places = await findPlaces(files, (path) => includesPath(rules, path) === (kind === 'paths'), step)
  return places.filter(({ length }) => length > 0).length
}

/**
 * The places outside of `allowed-paths` that files are in, or were moved from.
 * @throws ActionError `cancelled`
 */
export async function findOutOfScope(
  allowed: readonly PathRule[],
  files: readonly MovablePath[],
  step: Waiting,
): Promise<readonly string[]> {
  return (await findPlaces(files, (path) => !includesPath(allowed, path), step)).flat()
}
