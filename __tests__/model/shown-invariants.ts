import { OUTCOMES } from '../../src/agent/record.ts'
import { STATUS_PHRASES } from '../../src/docs-service/interface.ts'
import type { PlayedAgent } from '../../testing/play-feature.ts'
import { RESULT_FIELDS } from '../../testing/flatten-result.ts'
import { OUTPUT_NAMES } from '../../testing/report.ts'

/** Must hold for everything that a step shows. Returns what is wrong, or undefined if it holds. */
type ShownInvariant = (played: PlayedAgent) => string | undefined

const SENTENCES = /^[A-Z].*[.”…]$/s

const checkRedIsExplained: ShownInvariant = ({ isGreen, title, text, advice }) => {
  if (title === '' || !SENTENCES.test(text)) return `It does not say what happened: “${title}”, “${text}”.`
  return !isGreen && (advice ?? '') === '' ? `It does not say what to do: “${text}”` : undefined
}

const checkStillRuns: ShownInvariant = ({ text, report }) => {
  const isClaimed = /still runs|goes on/.test(text)
  return isClaimed && report.job?.status !== 'active'
    ? `“${text}” The last status of the job was ${report.job?.status ?? 'never read'}.`
    : undefined
}

const checkOutputs: ShownInvariant = ({ outputs }) => {
  const names = Object.keys(outputs)
  if (names.join() !== [...OUTPUT_NAMES, ...RESULT_FIELDS].join()) return `The outputs are ${names.join(', ')}.`
  const { outcome = '', status = '', changed = '' } = outputs
  const isKnown =
    OUTCOMES.some((known) => known === outcome) &&
    ['', ...Object.keys(STATUS_PHRASES)].includes(status) &&
    ['', 'true', 'false'].includes(changed) &&
    (changed !== 'true' || outputs['pr-link'] !== '')
  return isKnown ? undefined : `An output has an unknown value: ${outcome}, ${status}, ${changed}.`
}

/** How long after its cancellation a step may end, or after its deadline if it sends no request to GitHub then. */
const USUAL_ENDING_MS = 2_000

export function checkEndsInTime(endMs: number, deadlineMs: number, endingMs = USUAL_ENDING_MS): string | undefined {
  const lateMs = endMs - deadlineMs
  return lateMs > endingMs ? `The step ended ${lateMs} ms after its deadline or its cancellation.` : undefined
}

/** Returns each violated invariant, with what is wrong. */
export function listViolations<Args extends unknown[]>(
  invariants: Readonly<Record<string, (...args: Args) => string | undefined>>,
  ...args: Args
): string[] {
  return Object.entries(invariants).flatMap(([sentence, check]) => {
    const problem = check(...args)
    return problem === undefined ? [] : [`${sentence} ${problem}`]
  })
}

export const SHOWN_INVARIANTS: Readonly<Record<string, ShownInvariant>> = {
  'A red step says what happened and what to do.': checkRedIsExplained,
  'A step says that its job still runs only if it last read `active`.': checkStillRuns,
  'The outputs are the known ones, with known values.': checkOutputs,
}
