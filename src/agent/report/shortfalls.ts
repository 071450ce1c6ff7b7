import { ActionError, describeError } from '../../shared/errors.ts'

/** Something that was to be done on GitHub and could not be. It costs that thing and never the job's result. */
export interface Shortfall {
  /** What is lost, such as `The label`. */
  readonly lost: string
  readonly error: ActionError
}

/** Collects what could not be done, so that one notice can tell all of it. */
export class Shortfalls {
  readonly list: Shortfall[] = []
  readonly #log: (line: string) => void

  constructor(log: (line: string) => void) {
    this.#log = log
  }

  add(lost: string, error: ActionError): void {
    this.list.push({ lost, error })
    this.#log(`${lost}: ${describeError(error)}`)
  }

  /**
   * Gives what `perform` does, or undefined where it could not be done.
   * @throws ActionError `cancelled`, which is nothing to do without
   */
  async attempt<T>(lost: string, perform: () => Promise<T>): Promise<T | undefined> {
    try {
      return await perform()
    } catch (error) {
      if (!(error instanceof ActionError) || error.code === 'cancelled') throw error
      this.add(lost, error)
      return undefined
    }
  }
}

/** One text for one notice: every loss with its reason, then each piece of advice once. Undefined where nothing is lost. */
export function tellShortfalls(shortfalls: readonly Shortfall[]): string | undefined {
  if (shortfalls.length === 0) return undefined
  const losses = shortfalls.map(({ lost, error }) => `${lost}: ${error.message}`)
  const hints = new Set(shortfalls.map(({ error }) => error.hint).filter((hint) => hint !== undefined))
  return [...losses, ...hints].join(' ')
}
