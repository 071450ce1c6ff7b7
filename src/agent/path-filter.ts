/** Decides which paths match the patterns of an input. Hides GitHub's syntax of patterns. */
import { findListSyntax, toLines, rejectInput } from '../action/inputs.ts'
import type { Step } from '../action/step.ts'
import { quoteName } from '../text/markdown.ts'

/** One line of `paths` or `allowed-paths`. */
export interface PathRule {
  /** Unchanged, for messages. */
  readonly line: string
  readonly effect: 'include' | 'exclude'
  /** Takes time in proportion to the length of the path, because paths are untrusted. */
  readonly matches: (path: string) => boolean
  /** Whether it matches a folder that contains the path. Undefined for a pattern that says which files of a folder it means. */
  readonly matchesFolderOf: ((path: string) => boolean) | undefined
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
    // A star has no quantifier and matches any number of characters.
    const { folders, stars, list, escaped, plain, quantifier = '*' } = groups
    const ranges = [...(list ?? '').matchAll(/(.)-(.)/g)]
    if (ranges.some(([, from = '', to = '']) => from > to)) return 'has a range that ends before it begins'
    const listed = list === undefined ? undefined : new RegExp(`^[${list}]$`)
    const accepts = (character: string): boolean => {
      if (folders !== undefined) return true
      if (stars !== undefined) return stars.length >= 2 || character !== '/'
      return listed?.test(character) ?? character === (escaped ?? plain)
    }
    const isFolders = folders !== undefined
    steps.push({ accepts, isOptional: /[*?]/.test(quantifier), repeats: /[*+]/.test(quantifier), isFolders })
    at += token.length
  }
  if (at === pattern.length) return steps
  // No step begins with this character.
  const character = pattern.charAt(at)
  if (character === '[')
    return 'has a `[` that does not begin a list of letters and digits; write `\\[` for the character itself'
  if (character === '\\') return 'has a `\\` before a letter or a digit; folders are separated by `/`'
  return `has a \`${character}\` with no character before it; write \`\\${character}\` for the character itself`
}

/**
 * Tracks all possible matches at the same time, character by character. A regular expression would backtrack:
 * `*-*-*-*` would take minutes on a name of dashes.
 */
function matchesSteps(steps: readonly PatternStep[], path: string): boolean {
  // The loop also visits the positions that it adds.
  const passOptional = (entered: Set<number>): Set<number> => {
    for (const at of entered) if (steps[at]?.isOptional === true) entered.add(at + 1)
    return entered
  }
  let positions = passOptional(new Set([0]))
  for (const character of path) {
    const accepting = [...positions].filter((at) => steps[at]?.accepts(character))
    if (accepting.length === 0) return false
    const leaving = accepting.filter((at) => character === '/' || steps[at]?.isFolders === false)
    const staying = accepting.filter((at) => steps[at]?.repeats)
    positions = new Set([...passOptional(new Set(leaving.map((at) => at + 1))), ...staying])
  }
  return positions.has(steps.length)
}

/** `/**` after the pattern of a folder. */
const INSIDE: readonly PatternStep[] = [
  { accepts: (character) => character === '/', isOptional: false, repeats: false, isFolders: false },
  { accepts: () => true, isOptional: true, repeats: true, isFolders: false },
]

/**
 * A list in one line would never match a file. Few names contain a comma, a semicolon or a `|`, so these need a `\`. A space needs
 * one only after a `*` or an extension, and between words alone: `docs/my file.md` is a name.
 */
const SEPARATORS = [
  ['a comma', ',', /(?<!\\),/],
  ['a semicolon', ';', /(?<!\\);/],
  ['a `|`', '|', /(?<!\\)\|/],
  ['a space', ' ', /(?<!\\)\*\s+\S|\.[a-z]\w*\s+\S|(?<!\\)\s!|^[\w/-]+(?:\s+[\w/-]+)+$/i],
] as const
/** A list after `>` has one pattern per line in the workflow, but not in the input. */
const AFTER_PIPE = ' after `|` (`>` joins the lines)'
/** Braces may be part of a name, such as `{id}.md`. But `{a,b}` and `{1..3}` are a list in other dialects. */
const BRACES = /(?<!\\)\{([^{}]*)\}/g
/** `@(a|b)`, `*(a)` and the like, and `(a|b)` of regular expressions. Parentheses may be part of a name, such as `app/(home)`. */
const GROUP = /(?<!\\)([@!+*?]?)\(([^()]*)\)/g
/** One extension in braces or in parentheses, as in `*.{ts}`. */
const EXTENSION_LIST = /\.(?:\{[^{}]*\}|\([^()]*\))$/

const ONE_PER_LINE = 'write a line for each alternative'

/** Finds a mistake in a pattern that has a valid syntax. Most are the syntax of another dialect. */
function findMistake(pattern: string): string | undefined {
  if (pattern === '') return 'has no pattern after its `!`'
  if (/^[!\s]/.test(pattern)) return 'has a space or another `!` after its `!`; remove it'
  const listSyntax = findListSyntax(pattern)
  if (listSyntax !== undefined) return listSyntax
  if (/(?:^|\s)#/.test(pattern)) return 'has a comment; remove it, or write `\\#` for the character itself'
  if ([...pattern.matchAll(BRACES)].some(([, list = '']) => /,|\.\./.test(list)))
    return `has a list in braces, which GitHub's patterns do not have; ${ONE_PER_LINE}, and \`\\{\` for the character itself`
  if ([...pattern.matchAll(GROUP)].some(([, mark = '', list = '']) => mark !== '' || list.includes('|')))
    return `has a group in parentheses, which GitHub's patterns do not have; ${ONE_PER_LINE}, and \`\\(\` for the character itself`
  if (EXTENSION_LIST.test(pattern))
    return 'has an extension in brackets, which would be part of the name; remove them, or write `\\{` or `\\(` for the character itself'
  if (/^\^|(?<!\\)\$$|\.\*\\\./.test(pattern))
    return "is a regular expression, which GitHub's patterns are not; `*` matches a part of a name, and `**` also folders"
  if (pattern.startsWith('/')) return 'begins with `/`; paths begin at the root of the repository, without a `/`'
  if (pattern.startsWith('./')) return 'begins with `./`; paths begin at the root of the repository, without `./`'
  if (pattern.includes('\\*'))
    return 'has a `\\` before a `*`; folders are separated by `/`, and `*` also matches the character itself'
  for (const [name, character, separator] of SEPARATORS)
    if (separator.test(pattern))
      return `has ${name}, which is not a separator; write each pattern on a separate line${character === ' ' ? AFTER_PIPE : ''}, and \`\\${character}\` for ${name} in a name`
  if (/(?:^|\/)\.\.?(?:\/|$)|\/\//.test(pattern))
    return 'has an empty segment, `.` or `..`, which no path has; remove it, and write `**` for all files'
  if (pattern.endsWith('/')) return 'ends with `/`, so it matches no file; add `**`'
  return undefined
}

/** The last segment of a pattern may be the name of a folder, as in `packages/*\/src` and `.github`. */
const MAY_BE_FOLDER = /(?:^|\/)(?:[^/.]*[^/.*]|[^/*?+[\]]+)$/

/**
 * Parses one pattern per line, by the rules of the `paths` filters of GitHub's workflows.
 * @throws InvalidInput if any pattern is invalid; the message does not repeat the pattern
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
    const ofFolder = [...steps, ...INSIDE]
    return [
      {
        line,
        effect: pattern === line ? 'include' : 'exclude',
        matches: (path) => matchesSteps(steps, path),
        matchesFolderOf: MAY_BE_FOLDER.test(pattern) ? (path) => matchesSteps(ofFolder, path) : undefined,
      },
    ]
  })
  if (problems.length > 0) return rejectInput(...problems)
  if (rules.length > 0 && rules.every(({ effect }) => effect === 'exclude'))
    return rejectInput('has only lines that begin with `!`, which exclude files; write `**` as the first line')
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
  const matched: string[][] = []
  for (const { path, previousPath } of files) {
    await clock.yieldToEventLoop()
    signal.throwIfAborted()
    matched.push([path, ...(previousPath === undefined ? [] : [previousPath])].filter(matches))
  }
  return matched
}

/**
 * Returns the files with a path that the rules include.
 * @throws ActionError `cancelled`
 */
export async function filterFiles<File extends MovablePath>(
  rules: readonly PathRule[],
  files: readonly File[],
  step: Waiting,
): Promise<File[]> {
  const paths = await filterPaths(files, (path) => includesPath(rules, path), step)
  return files.filter((_, index) => (paths[index] ?? []).length > 0)
}

/** A pattern that matches no file, only the folder of some: its author meant the files of that folder. */
interface FolderPattern extends Pick<PathRule, 'effect'> {
  readonly sentence: string
}

/** @throws ActionError `cancelled` */
export async function findFolderPatterns(
  name: 'paths' | 'allowed-paths',
  rules: readonly PathRule[],
  files: readonly MovablePath[],
  step: Waiting,
): Promise<readonly FolderPattern[]> {
  const folders: FolderPattern[] = []
  const matchesAny = async (matches: PathRule['matches']): Promise<boolean> =>
    (await filterPaths(files, matches, step)).some((paths) => paths.length > 0)
  for (const { line, effect, matches, matchesFolderOf } of rules) {
    if (matchesFolderOf === undefined || !(await matchesAny(matchesFolderOf)) || (await matchesAny(matches))) continue
    const sentence = `\`${name}\` has ${quoteName(line)}, which matches the folder of a changed file, but no file: write ${quoteName(`${line}/**`)}.`
    folders.push({ effect, sentence })
  }
  return folders
}

export function warnOfFolders(folders: readonly FolderPattern[], { runner }: Pick<Step, 'runner'>): void {
  for (const { sentence } of folders) runner.warn(sentence)
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
