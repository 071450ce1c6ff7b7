/** Decides which paths match the patterns of an input. Hides GitHub's syntax of patterns. */
import { toLines, refuse } from '../action/inputs.ts'
import type { Step } from '../action/step.ts'

/** One line of `paths` or `allowed-paths`. */
export interface PathRule {
  /** Unchanged, for messages. */
  readonly line: string
  readonly effect: 'include' | 'exclude'
  /** Takes time in proportion to the length of the path, because paths are untrusted. */
  readonly matches: (path: string) => boolean
  /** A probable mistake in the pattern, as the end of a sentence. */
  readonly warning: string | undefined
}

/** A part of a pattern that matches one character, none, or several. */
interface PatternStep {
  readonly accepts: (character: string) => boolean
  readonly isOptional: boolean
  readonly repeats: boolean
  /** Whether the step matches complete folders: the next step begins only after a slash. */
  readonly isFolders: boolean
}

/** `[]` lists letters, digits and ranges of them, and nothing else. A `\` at the end of a pattern is literal. */
const CHARACTER = String.raw`\[(?<list>(?:[a-zA-Z0-9](?:-[a-zA-Z0-9])?)+)\]|\\(?<escaped>[^a-zA-Z0-9])|(?<plain>[^?+[\\]|\\$)`
const TOKEN = new RegExp(
  String.raw`(?<=^|/)(?<folders>\*{2,}/)|(?<stars>\*+)|(?:${CHARACTER})(?<quantifier>[?+]?)`,
  'guy',
)

/** Explains why no pattern step begins with this character. */
function explainSyntaxError(character: string): string {
  if (character === '[')
    return 'has a `[` that does not begin a list of letters and digits; write `\\[` for the character itself'
  if (character === '\\') return 'has a `\\` before a letter or a digit; folders are separated by `/`'
  return `has a \`${character}\` with no character before it; write \`\\${character}\` for the character itself`
}

type Groups = Readonly<Partial<Record<string, string>>>

const isReversed = (list: string): boolean => [...list.matchAll(/(.)-(.)/g)].some(([, from = '', to = '']) => from > to)

function createMatcher({ folders, stars = '', list, escaped, plain }: Groups): PatternStep['accepts'] {
  if (folders !== undefined || stars.length >= 2) return () => true
  if (stars === '*') return (character) => character !== '/'
  if (list !== undefined) {
    const listed = new RegExp(`^[${list}]$`)
    return (character) => listed.test(character)
  }
  return (character) => character === (escaped ?? plain)
}

/**
 * Parses a pattern of the `paths` filters of GitHub's workflows. Libraries for globs do not fit: `?` and `+` quantify the
 * character before them, `**` matches `/` anywhere in a segment, names that begin with a dot are not special, and there are no
 * braces.
 * @returns a string for an invalid pattern: the problem, as the end of a sentence that does not repeat the pattern
 */
function readSteps(pattern: string): readonly PatternStep[] | string {
  const steps: PatternStep[] = []
  let at = 0
  for (const { 0: token, groups = {} } of pattern.matchAll(TOKEN)) {
    if (isReversed(groups['list'] ?? '')) return 'has a range that ends before it begins'
    // A star has no quantifier and matches any number of characters.
    const { quantifier = '*' } = groups
    steps.push({
      accepts: createMatcher(groups),
      isOptional: /[*?]/.test(quantifier),
      repeats: /[*+]/.test(quantifier),
      isFolders: groups['folders'] !== undefined,
    })
    at += token.length
  }
  return at < pattern.length ? explainSyntaxError(pattern.charAt(at)) : steps
}

/**
 * Tracks all possible matches at the same time, character by character. A regular expression would backtrack:
 * `*-*-*-*` would take minutes on a name of dashes.
 */
function matchesSteps(steps: readonly PatternStep[], path: string): boolean {
  // The loop also visits the places that it adds.
  const passOptional = (entered: Set<number>): Set<number> => {
    for (const at of entered) if (steps[at]?.isOptional === true) entered.add(at + 1)
    return entered
  }
  let places = passOptional(new Set([0]))
  for (const character of path) {
    const accepting = [...places].filter((at) => steps[at]?.accepts(character))
    if (accepting.length === 0) return false
    const leaving = accepting.filter((at) => character === '/' || steps[at]?.isFolders === false)
    const staying = accepting.filter((at) => steps[at]?.repeats)
    places = new Set([...passOptional(new Set(leaving.map((at) => at + 1))), ...staying])
  }
  return places.has(steps.length)
}

/** A comma may be part of a name. But a comma before another pattern is a mistake: the line would never match a file. */
const SEVERAL = /(?<!\\),(?:\s|$|[^,]*[*/])/
const QUOTED = /^(["'`]).*\1$/s

/** Finds a mistake in a pattern that has a valid syntax. */
function findMistake(pattern: string): string | undefined {
  if (pattern === '') return 'has no pattern after its `!`'
  if (QUOTED.test(pattern)) return 'has quotes around it, which would be part of the name; remove them'
  if (pattern.startsWith('/')) return 'begins with `/`; paths begin at the root of the repository, without a `/`'
  if (pattern.startsWith('./')) return 'begins with `./`; paths begin at the root of the repository, without `./`'
  if (SEVERAL.test(pattern))
    return 'has a comma before another pattern; write each pattern on a separate line, and `\\,` for the character itself'
  if (pattern.endsWith('/')) return 'ends with `/`, so it matches no file; add `**`'
  return undefined
}

/** A name without a dot is probably the name of a folder. */
const FOLDER_NAME = /^[\w-]+(?:\/[\w-]+)*$/

/**
 * Parses one pattern per line, by the rules of the `paths` filters of GitHub's workflows.
 * @throws Refused if any pattern is invalid; the message does not repeat the pattern
 */
export function parsePathRules(text: string): readonly PathRule[] {
  const problems: string[] = []
  const rules = toLines(text).flatMap(({ line, at }): PathRule[] => {
    const pattern = line.replace(/^!/, '')
    const steps = findMistake(pattern) ?? readSteps(pattern)
    if (typeof steps === 'string') {
      problems.push(`${at} ${steps}`)
      return []
    }
    const warning = `${at} matches only a file with exactly that name; to match the files of a folder, write \`${pattern}/**\``
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
    return refuse('has only lines that begin with `!`, which exclude files; write `**` as the first line')
  return rules
}

/** Whether the rules, read in order, include a path: the last one that matches decides. */
export function includesPath(rules: readonly PathRule[], path: string): boolean {
  return rules.findLast(({ matches }) => matches(path))?.effect === 'include'
}

/** A renamed file has two paths, and both changed. */
interface MovablePath {
  readonly path: string
  readonly previousPath: string | undefined
}

type Waiting = Pick<Step, 'clock' | 'signal'>

/**
 * Returns the matching paths of each file. Thousands of long paths take seconds, so the loop yields in between to notice a
 * cancelled run.
 */
async function filterPaths(
  files: readonly MovablePath[],
  matches: (path: string) => boolean,
  { clock, signal }: Waiting,
): Promise<readonly string[][]> {
  const found: string[][] = []
  for (const { path, previousPath } of files) {
    await clock.yieldToEventLoop()
    signal.throwIfAborted()
    found.push([path, ...(previousPath === undefined ? [] : [previousPath])].filter(matches))
  }
  return found
}

/**
 * Counts the files that the rules include.
 * @throws ActionError `cancelled`
 */
export async function countFiles(
  rules: readonly PathRule[],
  files: readonly MovablePath[],
  step: Waiting,
): Promise<number> {
  const paths = await filterPaths(files, (path) => includesPath(rules, path), step)
  return paths.filter(({ length }) => length > 0).length
}

/**
 * Returns the changed paths outside of `allowed-paths`, including the old paths of renamed files.
 * @throws ActionError `cancelled`
 */
export async function findOutOfScope(
  allowed: readonly PathRule[],
  files: readonly MovablePath[],
  step: Waiting,
): Promise<readonly string[]> {
  return (await filterPaths(files, (path) => !includesPath(allowed, path), step)).flat()
}
