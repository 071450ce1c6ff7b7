import type { ActionError } from '../../shared/errors.ts'

/** Something that was to be done on GitHub and could not be. It costs that thing and never the job's result. */
export interface Shortfall {
  /** What is lost, such as `The label was not put on the pull request`. */
  readonly lost: string
  readonly error: ActionError
}

/** One text for one notice: every loss with its reason, then each piece of advice once. Undefined if nothing is lost. */
export function tellShortfalls(shortfalls: readonly Shortfall[]): string | undefined {
  if (shortfalls.length === 0) return undefined
  const losses = shortfalls.map(({ lost, error }) => `${lost}: ${error.message}`)
  const hints = new Set(shortfalls.map(({ error }) => error.hint).filter((hint) => hint !== undefined))
  return [...losses, ...hints].join(' ')
}
