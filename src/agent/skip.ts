/** The step sends no prompt. */
export interface Skip {
  readonly kind: 'skip'
  /** A full sentence, rendered as Markdown. */
  readonly reason: string
}

export const skip = (reason: string): Skip => ({ kind: 'skip', reason })

export const isSkip = (value: object): value is Skip => 'kind' in value && value.kind === 'skip'
