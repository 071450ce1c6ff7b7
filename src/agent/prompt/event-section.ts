import { cleanName } from '../../text/fenced.ts'
import { beginningOf, type Section } from './sections.ts'

/** What an event is about, in the words of strangers: not cleaned yet. */
export interface EventSubject {
  /** Each fits on a line, such as `Issue #3: The guide is wrong`. */
  readonly lines: readonly string[]
  readonly texts: readonly { readonly name: string; readonly text: string }[]
}

export function eventSection({ lines, texts }: EventSubject, repository: string): Section {
  const text = [...lines.map(cleanName), ...texts.map(({ name, text }) => `\n${name}:\n${text}`)].join('\n')
  return {
    name: 'what the event is about',
    sentence: `What this run in ${repository} is about:`,
    bodyOf: (maxBytes) => beginningOf(text, maxBytes),
  }
}
