import { matchesSteps, readSteps } from './pattern-steps.ts'

/** One line of `paths`, `paths-ignore` or `allowed-paths`. */
export interface PathRule {
  /** As it was given, for the reader. */
  readonly line: string
  readonly effect: 'include' | 'exclude'
  /** Takes time in proportion to the path: its name may come from strangers. */
  readonly matches: (path: string) => boolean
}

interface PathPatterns {
  readonly rules: readonly PathRule[]
  /** What is wrong with which line, as the end of a sentence that repeats no pattern; the rules are of no use then. */
  readonly problems: readonly string[]
  /** Which line is likely to mean something else than it says, as the end of a sentence. */
  readonly warnings: readonly string[]
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
    return 'has a comma before another pattern; write each on a line of its own, and `\\,` for the sign'
  if (pattern.endsWith('/')) return 'ends with `/` and matches no file; add `**`'
  return undefined
}

/** A name without a dot is more often one of a folder than one of a file. */
const FOLDER_NAME = /^[\w-]+(?:\/[\w-]+)*$/

interface Line {
  readonly line: string
  readonly number: number
  readonly pattern: string
  readonly effect: PathRule['effect']
}

function splitLines(text: string): Line[] {
  return text
    .split(/\r?\n/)
    .map((line, index) => ({ line: line.trim(), number: index + 1 }))
    .filter(({ line }) => line !== '')
    .map(({ line, number }) =>
      line.startsWith('!')
        ? { line, number, pattern: line.slice(1), effect: 'exclude' }
        : { line, number, pattern: line, effect: 'include' },
    )
}

/** Parses patterns, one a line, by the rules of the `paths` filters of GitHub's workflows. */
export function parsePathPatterns(text: string): PathPatterns {
  const rules: PathRule[] = []
  const problems: string[] = []
  const warnings: string[] = []
  for (const { line, number, pattern, effect } of splitLines(text)) {
    const steps = mistakeIn(pattern) ?? readSteps(pattern)
    if (typeof steps === 'string') problems.push(`line ${number} ${steps}`)
    else rules.push({ line, effect, matches: (path) => matchesSteps(steps, path) })
    if (FOLDER_NAME.test(pattern))
      warnings.push(
        `line ${number} matches a file of exactly that name; for the files of a folder, write \`${pattern}/**\``,
      )
  }
  if (problems.length === 0 && rules.length > 0 && rules.every(({ effect }) => effect === 'exclude'))
    problems.push('has only lines that begin with `!`; at least one line must say what is meant')
  return { rules, problems, warnings }
}

/** Whether the rules, read in order, include a path: the last one that matches decides. */
export function includesPath(rules: readonly PathRule[], path: string): boolean {
  return rules.findLast(({ matches }) => matches(path))?.effect === 'include'
}
