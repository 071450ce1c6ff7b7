import { joinSentences } from '../text/sentences.ts'

/** The verdict in words: the same ones in the log, in the annotation and at the top of the summary. */
export interface Conclusion {
  readonly isGreen: boolean
  readonly title: string
  /** What happened, as full sentences. */
  readonly text: string
  /** The one thing to do now, as full sentences; undefined if there is nothing to do. */
  readonly advice: string | undefined
}

/** Of all that could be done, what is first in the list: nobody follows two pieces of advice at once. */
export function mostUrgent(advice: readonly (string | undefined)[]): string | undefined {
  return advice.find((sentence) => sentence !== undefined && sentence !== '')
}

/** @param quote what the service said, in its own words */
export function formatConclusion({ text, advice }: Conclusion, quote: string | undefined): string {
  const quoted = quote === undefined ? undefined : `The service says: “${quote}”`
  return joinSentences([text, quoted, advice])
}
