import type { ActionError } from '../../runtime/errors.ts'

/** Something on GitHub that could not be done. It never changes the result of the job. */
export interface Warning {
  /** What was not done, without a period, such as `The label was not added to the pull request`. */
  readonly message: string
  readonly error: ActionError
}

/** Lists the warnings by reason, each once: a fix round may repeat the warning of the preceding one. */
export function listWarnings(warnings: readonly Warning[]): string[] {
  const reasons = new Set(warnings.map(({ error }) => error.message))
  return Array.from(reasons, (reason) => {
    const messages = new Set(warnings.filter(({ error }) => error.message === reason).map(({ message }) => message))
    return `${[...messages].join('. ')}: ${reason}`
  })
}

/**
 * Formats the warnings as one text, followed by each hint once. Returns `undefined` if the text would be empty.
 * @param shownText warnings in this text are left out
 */
export function formatWarnings(warnings: readonly Warning[], shownText = ''): string | undefined {
  const texts = listWarnings(warnings).filter((text) => !shownText.includes(text))
  const hints = new Set(warnings.flatMap(({ error }) => error.hint ?? []))
  return [...texts, ...hints].join(' ') || undefined
}
