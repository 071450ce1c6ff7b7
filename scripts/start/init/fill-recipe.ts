import type { Layout } from './layout.ts'

/** What a recipe is filled with. */
export interface Facts extends Layout {
  /** The default branch. */
  readonly branch: string
  /** The owner of this action. Undefined: left for a person. */
  readonly owner: string | undefined
}

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Patterns that begin with such a character would be YAML. */
const quoteIfNeeded = (text: string): string => (/^[\w./][\w./*-]*$/.test(text) ? text : quote(text))

/** An input of a step with a pattern on each line, at an indent. */
function formatInput(indent: string, name: string, patterns: readonly string[]): string {
  const [only = ''] = patterns
  if (patterns.length === 1) return `${indent}${name}: ${quoteIfNeeded(only)}`
  return [`${indent}${name}: |`, ...patterns.map((pattern) => `${indent}  ${pattern}`)].join('\n')
}

/** The most patterns on one line. */
const MAX_IN_LINE = 3

/** `paths` of a trigger. */
function formatFilter(indent: string, patterns: readonly string[]): string {
  if (patterns.length <= MAX_IN_LINE) return `${indent}paths: [${patterns.map(quote).join(', ')}]`
  return [`${indent}paths:`, ...patterns.map((pattern) => `${indent}  - ${quote(pattern)}`)].join('\n')
}

/**
 * Fills the lines of a recipe that say `CHANGE`. Those that only a person can fill stay.
 * @param recipe the text of the file
 */
export function fillRecipe(recipe: string, { branch, owner, code, docs }: Facts): string {
  // Some recipes have their own.
  const allowed = /^ *allowed-paths:/m.test(recipe) ? undefined : docs?.value
  const lines = recipe.split('\n').map((line) => {
    const [, content = '', indent = ''] = /^(( *).*?) +# CHANGE\b.*$/.exec(line) ?? []
    if (content === '') return line
    if (/^ *branches: \[/.test(content)) return `${indent}branches: [${quoteIfNeeded(branch)}]`
    if (/^ *paths: \[/.test(content)) return formatFilter(indent, code.value)
    if (/^ {6,}paths:/.test(content)) {
      const inputs = { paths: code.value, ...(allowed && { 'allowed-paths': allowed }) }
      return Object.entries(inputs)
        .map(([name, patterns]) => formatInput(indent, name, patterns))
        .join('\n')
    }
    if (content.includes('your-org/') && owner !== undefined) return content.replace('your-org/', `${owner}/`)
    // The time of a schedule fits as it is.
    return /^ *- cron:/.test(content) ? content : line
  })
  return lines.join('\n')
}

/** The lines that are left for a person, with their numbers. */
export function listLeft(text: string): readonly string[] {
  return text.split('\n').flatMap((line, at) => (/# CHANGE\b/.test(line) ? [`line ${at + 1}: ${line.trim()}`] : []))
}
