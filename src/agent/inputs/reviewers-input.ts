import { isGiven, refuse, type Input } from '../../action/parse-inputs.ts'

/** Whom to ask for a review of the pull request. */
export interface WantedReviewers {
  /** Whether to ask those who wrote the commits that started the run. */
  readonly hasAuthors: boolean
  /** Logins, and teams as `org/team`. */
  readonly names: readonly string[]
}

/** A login, which may end in the short name of a company, or a team. People copy them with the `@` of a mention. */
const NAME = /^@?([A-Za-z0-9][\w-]{0,99}(?:\/\w[\w.-]{0,99})?)$/

/** GitHub takes no more for one pull request. */
const MOST_NAMES = 15

const AUTHORS = 'change-authors'

export const reviewersInput: Input<WantedReviewers> = (text, raw) => {
  const lines = text.split(/\r?\n/).map((line, index) => ({ name: line.trim(), number: index + 1 }))
  const given = lines.filter(({ name }) => name !== '')
  const wrong = given.filter(({ name }) => !NAME.test(name))
  if (wrong.length > 0)
    return refuse(...wrong.map(({ number }) => `line ${number} must be \`${AUTHORS}\`, a login or \`org/team\``))
  const names = given.filter(({ name }) => name !== AUTHORS).map(({ name }) => name.replace('@', ''))
  if (names.length > MOST_NAMES) return refuse(`has more than ${MOST_NAMES} names, which GitHub does not take`)
  if (given.length > 0 && !isGiven(raw, 'github-token')) return refuse('needs `github-token`, to ask them')
  return { hasAuthors: given.length > names.length, names }
}
