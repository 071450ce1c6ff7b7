import type { ActionError } from '../../runtime/errors.ts'

/** Something that was to be done on GitHub and could not be. Nothing else is lost, and never the job's result. */
export interface Warning {
  /** What is lost, such as `The label was not added to the pull request`. */
  readonly message: string
  readonly error: ActionError
}

/** Every loss and each reason once: a round may lose what the one before has lost. */
export function listWarnings(warnings: readonly Warning[]): string[] {
  const reasons = new Set(warnings.map(({ error }) => error.message))
  return Array.from(reasons, (reason) => {
    const losses = new Set(warnings.filter(({ error }) => error.message === reason).map(({ message }) => message))
    return `${[...losses].join('. ')}: ${reason}`
  })
}

/**
 * One text for one notice: what is lost, then each piece of advice once. Undefined if there is nothing to say.
 * @param told what was said before, and is not said again
 */
export function formatWarnings(warnings: readonly Warning[], told = ''): string | undefined {
  const losses = listWarnings(warnings).filter((loss) => !told.includes(loss))
  const hints = new Set(warnings.flatMap(({ error }) => error.hint ?? []))
  return [...losses, ...hints].join(' ') || undefined
}
