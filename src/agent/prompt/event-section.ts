import { bytesOf, cleanBlock, cleanName, cutBlock, fenced, IS_DATA, MOST_FENCE_BYTES } from '../../text/fenced.ts'

/** What an event is about, in the words of strangers: not cleaned yet. */
export interface EventSubject {
  /** Each fits on a line, such as `Issue #3: The guide is wrong`. */
  readonly lines: readonly string[]
  readonly texts: readonly { readonly name: string; readonly text: string }[]
}

const CUT = '\nLeft out: the rest of these texts.'

function frame(repository: string, text: string, leftOut: string): string {
  return `\n\nWhat this run in ${repository} is about:\n${IS_DATA}\n\n${fenced(text)}${leftOut}\n`
}

/**
 * Tells what the event is about as a text to put behind a prompt, in at most `maxBytes` bytes of UTF-8: fenced, named as
 * data, and cut at the end. Empty where `maxBytes` would hold the frame only.
 */
export function renderSubject({ lines, texts }: EventSubject, repository: string, maxBytes: number): string {
  const blocks = texts.map(({ name, text }) => `\n${name}:\n${cleanBlock(text)}\n`)
  const whole = [...lines.map((line) => `${cleanName(line)}\n`), ...blocks].join('')
  const bytes = maxBytes - bytesOf(frame(repository, '', CUT)) - MOST_FENCE_BYTES
  if (bytesOf(whole) <= bytes) return frame(repository, whole, '')
  return bytes < 100 ? '' : frame(repository, cutBlock(whole, bytes), CUT)
}
