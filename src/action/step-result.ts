import { joinSentences } from '../text/format.ts'

/** A step's result in words, the same in the log, in the annotation and at the top of the summary. */
export interface Conclusion {
  readonly isGreen: boolean
  readonly title: string
  /** What happened, in full sentences. */
  readonly text: string
  /** What to do now, in full sentences. Undefined if there is nothing to do. */
  readonly advice?: string | undefined
}

/** For a step that is skipped because `on-missing-key` is `skip`. */
export const MISSING_KEY = {
  title: 'Skipped, no API key',
  advice:
    'Pull requests from forks and Dependabot have no access to secrets. In any other run, check the name of the secret in `api-key`.',
} as const

/** A step's result in all forms that the runner takes: annotation, outputs and summary. */
export interface StepResult extends Conclusion {
  /** The service's own message. */
  readonly quote?: string | undefined
  /** Comes after all sentences, without a period. */
  readonly last?: string | undefined
  readonly outputs: Readonly<Record<string, string>>
  readonly notice?: { readonly title: string; readonly text: string } | undefined
  /** Markdown. Undefined if no summary is wanted. */
  readonly summary?: string | undefined
}

/**
 * Formats a result as the text of the annotation or of the last line of the log.
 * @param before sentences to put before the result
 */
export function formatResult({ text, quote, advice, last }: StepResult, ...before: readonly string[]): string {
  const quoted = quote === undefined ? undefined : `The service says: “${quote}”`
  const sentences = joinSentences([...before, text, quoted, advice])
  return last === undefined ? sentences : `${sentences} ${last}`
}
