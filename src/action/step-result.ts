import { joinSentences } from '../text/format.ts'

/** The verdict in words: the same ones in the log, in the annotation and at the top of the summary. */
export interface Conclusion {
  readonly isGreen: boolean
  readonly title: string
  /** What happened, as full sentences. */
  readonly text: string
  /** The one thing to do now, as full sentences, as nobody follows two at once; undefined if there is nothing to do. */
  readonly advice?: string | undefined
}

/** Of a step that was told to skip where there is no key. */
export const MISSING_KEY = {
  title: 'Skipped, no API key',
  advice:
    'Pull requests from forks and Dependabot have no access to secrets. In any other run, check the name of the secret in `api-key`.',
} as const

/** How a step ends, in the forms in which the runner takes it. */
export interface StepResult extends Conclusion {
  /** What the service said, in its own words. */
  readonly quote?: string | undefined
  /** Stands behind all sentences, and has no period. */
  readonly last?: string | undefined
  readonly outputs: Readonly<Record<string, string>>
  readonly notice?: { readonly title: string; readonly text: string } | undefined
  /** Markdown; undefined if none is wanted. */
  readonly summary?: string | undefined
}

/** The one text of the annotation, or of the log's last line, behind sentences that stand before it. */
export function formatResult({ text, quote, advice, last }: StepResult, ...before: readonly string[]): string {
  const quoted = quote === undefined ? undefined : `The service says: “${quote}”`
  const sentences = joinSentences([...before, text, quoted, advice])
  return last === undefined ? sentences : `${sentences} ${last}`
}
