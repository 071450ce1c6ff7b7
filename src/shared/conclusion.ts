import { joinSentences } from './sentences.ts'

/** The verdict in words: the same ones in the log, in the annotation and at the top of the summary. */
export interface Conclusion {
  readonly isGreen: boolean
  readonly title: string
  /** What happened, as full sentences. */
  readonly text: string
  /** What to do now, as full sentences. */
  readonly advice: readonly string[]
}

/** @param quote what the service said, in its own words */
export function tellConclusion({ text, advice }: Conclusion, quote: string | undefined): string {
  const quoted = quote === undefined ? undefined : `The service says: “${quote}”`
  return joinSentences([text, quoted, ...advice])
}
