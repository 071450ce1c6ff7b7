import { isGiven, linesOf, refuse, type Input } from '../../action/parse-inputs.ts'

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
  const given = linesOf(text)
  const wrong = given.filter(({ line }) => !NAME.test(line))
  if (wrong.length > 0) return refuse(...wrong.map(({ at }) => `${at} must be \`${AUTHORS}\`, a login or \`org/team\``))
  const names = given.filter(({ line }) => line !== AUTHORS).map(({ line }) => line.replace('@', ''))
  if (names.length > MOST_NAMES) return refuse(`has more than ${MOST_NAMES} names, which GitHub does not take`)
  if (given.length > 0 && !isGiven(raw, 'github-token')) return refuse('needs `github-token`, to ask them')
  return { hasAuthors: given.length > names.length, names }
}
