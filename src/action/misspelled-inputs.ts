/** Finds inputs that a workflow sets under a name that is nearly an input's name. GitHub only warns about such a name. */

/** What `action.yml` sets in place of a missing input, where an empty input means none. Only the runner knows the token. */
const FILLED_IN: Readonly<Record<string, string>> = { label: 'docs-agent' }

/** Two edits turn a short name into another word. */
const MAX_SHORT_NAME_CHARS = 5

/** Returns the name without `-` and `_`, with each of its words in the singular. */
const toStem = (name: string): string =>
  name
    .split(/[-_]/)
    .map((word) => word.replace(/ies$/, 'y').replace(/s$/, ''))
    .join('')

/** Counts the letters to insert, delete, replace or swap with their neighbour (the optimal string alignment distance). */
function countEdits(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, index) => index)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const before = (back: number, column: number): number => rows[i - back]?.[column] ?? Infinity
      row[j] = Math.min(
        before(1, j) + 1,
        (row[j - 1] ?? Infinity) + 1,
        before(1, j - 1) + (isSame ? 0 : 1),
        isSwapped ? before(2, j - 2) + 1 : Infinity,
      )
    }
    rows.push(row)
  }
  return rows[a.length]?.[b.length] ?? Infinity
}

/** Whether `given` is probably a mistake for `name`. */
export function resembles(given: string, name: string): boolean {
  const maxEdits = name.length <= MAX_SHORT_NAME_CHARS ? 1 : 2
  // A much longer name is not compared letter by letter.
  if (Math.abs(given.length - name.length) <= maxEdits && countEdits(given, name) <= maxEdits) return true
  return toStem(given) === toStem(name)
}

/** A name that no input has, and the input that it resembles. */
export interface MisspelledInput {
  readonly given: string
  readonly meant: string
}

/**
 * Finds misspelled inputs. A name counts only if the input that it resembles was not set as well, to whatever differs from its
 * default: the steps of a composite action can see the inputs of that action too, and a job can have variables of its own that
 * begin with `INPUT_`.
 * @param raw all texts that the runner passes as inputs, by name
 * @param defaults the default of each input of the action
 */
export function findMisspelledInputs(
  raw: Readonly<Record<string, string>>,
  defaults: Readonly<Record<string, string>>,
): readonly MisspelledInput[] {
  const valueOf = (name: string): string => raw[name]?.trim() ?? ''
  const isSet = (name: string): boolean => !['', defaults[name], FILLED_IN[name]].includes(valueOf(name))
  const unknown = Object.keys(raw).filter((name) => !Object.hasOwn(defaults, name) && /^[\w-]+$/.test(name))
  return unknown.flatMap((given) => {
    const meant = Object.keys(defaults).find((name) => !isSet(name) && resembles(given, name))
    const isSame = meant === undefined || ['', valueOf(meant) || defaults[meant]].includes(valueOf(given))
    return isSame ? [] : [{ given, meant }]
  })
}

/** Formats the problem as a sentence. */
export const describeMisspelledInput = ({ given, meant }: MisspelledInput): string =>
  `\`${given}\` is not an input of this action: did you mean \`${meant}\`?`

/** Lists the names and values of all inputs that the runner passes on, also of those that the action does not have. */
export function readPassedInputs(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const given = Object.entries(env).filter(([name]) => name.startsWith('INPUT_'))
  return Object.fromEntries(given.map(([name, value = '']) => [name.slice('INPUT_'.length).toLowerCase(), value]))
}
