import { isGiven, refuse, rejecting, type Input, type RawInputs } from '../../action/parse-inputs.ts'

export const FAIL_ON = ['failed', 'archived', 'timeout', 'no-changes', 'checks', 'out-of-scope'] as const
export type FailOn = (typeof FAIL_ON)[number]

const isFailOn = (word: string): word is FailOn => (FAIL_ON as readonly string[]).includes(word)

export const waitsForChecks = (raw: RawInputs): boolean => /^\s*true\s*$/i.test(raw['wait-for-checks'] ?? '')

/** What a word needs from another input, without which the step could never know it; undefined if that is given. */
function lackOf(word: FailOn, raw: RawInputs): string | undefined {
  if (word === 'checks' && !waitsForChecks(raw)) return '`wait-for-checks: true`'
  return word === 'out-of-scope' && !isGiven(raw, 'allowed-paths') ? '`allowed-paths`' : undefined
}

/**
 * A list of words, separated by commas or white space. `action.yml` fills in nothing: what is written down and cannot be
 * known is refused, and nobody could tell it from what was filled in.
 */
export const failOnInput: Input<ReadonlySet<FailOn>> = (text, raw) => {
  if (text === '') return new Set(FAIL_ON.filter((word) => word !== 'no-changes' && lackOf(word, raw) === undefined))
  const words = text.split(/[\s,]+/).filter((word) => word !== '')
  if (words.length === 1 && words[0] === 'none') return new Set()
  if (words.length === 0 || !words.every(isFailOn)) {
    const wrong = words.find((word) => !isFailOn(word) && word !== 'none') ?? text
    const known = FAIL_ON.map((outcome) => `\`${outcome}\``).join(', ')
    return refuse(rejecting(`must be a list of ${known}, or \`none\` alone`, wrong))
  }
  const problems = words.flatMap((word) => {
    const missing = lackOf(word, raw)
    return missing === undefined ? [] : [`has \`${word}\`, which is known only with ${missing}`]
  })
  return problems.length === 0 ? new Set(words) : refuse(...problems)
}
