import type { Annotation } from '../../github/checks.ts'
import type { Check } from '../../github/commit-checks.ts'
import { bytesOf, cleanBlock, cleanName, cutBlock, MOST_FENCE_BYTES } from '../../text/fenced.ts'
import { takeFitting } from '../../text/untrusted.ts'
import { fence } from './sections.ts'

/** What is known of a check that failed. */
export interface FailedCheck {
  readonly check: Pick<Check, 'name' | 'title' | 'summary'>
  readonly annotations?: readonly Annotation[] | undefined
  /** The end of its log, around its last error; left out if it has none, or none that may be read. */
  readonly log?: string | undefined
}

const CUT = '(cut here)\n'
const DO = [
  'Fix what your changes in this pull request have caused, with further commits to it, and keep the commits of others.',
  'Change no workflow and no other configuration of the checks, and silence, skip or weaken no test.',
  'If a check fails for another reason, leave it as it is.',
].join(' ')

const lineOf = (text: string): string => (text === '' ? '' : `${text}\n`)

/** The beginning of a text in at most so many bytes, whole lines where it can be. */
function cutEnd(text: string, maxBytes: number): string {
  if (bytesOf(text) <= maxBytes) return text
  return maxBytes <= CUT.length ? '' : `${cutBlock(text, maxBytes - CUT.length)}${CUT}`
}

/** The end of a text in at most so many bytes, from the beginning of a line. */
function cutBeginning(text: string, maxBytes: number): string {
  if (bytesOf(text) <= maxBytes) return text
  if (maxBytes < CUT.length) return ''
  const { texts } = takeFitting(text.split(/(?<=\n)/).reverse(), String, maxBytes - CUT.length)
  return `${CUT}${texts.toReversed().join('')}`
}

function annotationLine({ path, line, title, message }: Annotation): string {
  const said = [title, message].filter((text) => text !== '').map(cleanName)
  return `${cleanName(path)}:${line}: ${said.join(': ')}\n`
}

function render({ check, annotations = [], log = '' }: FailedCheck, maxBytes: number): string {
  const { name, title = '', summary = '' } = check
  const told = [
    `Check: ${cleanName(name)}\n`,
    lineOf(cleanName(title)),
    ...annotations.map(annotationLine),
    // What is longer is cut before it is cleaned, as time is not the stranger's.
    lineOf(cleanBlock(summary.slice(0, maxBytes))),
  ].join('')
  const heading = log === '' ? '' : 'The end of its log:\n'
  const logText = lineOf(cleanBlock(log.slice(-maxBytes)))
  // Each of the two has half of the bytes, and what the other one leaves.
  const half = Math.max(Math.floor(maxBytes / 2), maxBytes - bytesOf(heading) - bytesOf(logText))
  const before = cutEnd(told, half)
  const end = cutBeginning(logText, maxBytes - bytesOf(before) - bytesOf(heading))
  return end === '' ? before : `${before}${heading}${end}`
}

/** Each check in a fair share of the bytes: what the shorter ones leave is for the longer ones. */
function shareOut(failed: readonly FailedCheck[], maxBytes: number): readonly string[] {
  const sized = failed.map((one, index) => ({ one, index, bytes: bytesOf(render(one, maxBytes)) }))
  const texts: string[] = []
  let bytesLeft = maxBytes
  for (const [done, { one, index, bytes }] of sized.sort((a, b) => a.bytes - b.bytes).entries()) {
    const share = Math.min(bytes, Math.floor(bytesLeft / (failed.length - done)))
    texts[index] = render(one, share)
    bytesLeft -= share
  }
  return texts
}

/**
 * Tells the agent which checks failed, in at most `maxBytes` bytes of UTF-8 and the instruction. What the checks say is
 * fenced and named as data.
 * @param headSha the commit that they failed on
 */
export function renderFixPrompt(failed: readonly FailedCheck[], headSha: string, maxBytes: number): string {
  const count = failed.length === 1 ? 'A check' : `${failed.length} checks`
  const text = shareOut(failed, maxBytes - MOST_FENCE_BYTES - failed.length).join('\n')
  const sentence = `${count} of your pull request failed on its newest commit, ${headSha.slice(0, 7)}.`
  return `${fence(sentence, { text, leftOut: [] })}\n\n${DO}\n`
}
