import { OUTCOMES } from '../../src/agent/report/report.ts'
import { STATUS_PHRASES } from '../../src/docs-service/schemas.ts'
import type { PlayedAgent } from '../support/play-feature.ts'
import { OUTPUT_NAMES } from '../support/report.ts'

/** What must hold of all that a step shows, whatever happened; gives what is wrong, or undefined. */
type ShownPromise = (played: PlayedAgent) => string | undefined

const SENTENCES = /^[A-Z].*[.”…]$/s

const redSaysWhy: ShownPromise = ({ isGreen, title, text, advice }) => {
  if (title === '' || !SENTENCES.test(text)) return `It does not say what happened: “${title}”, “${text}”.`
  return !isGreen && (advice ?? '') === '' ? `It does not say what to do: “${text}”` : undefined
}

const runningIsTrue: ShownPromise = ({ text, report }) => {
  const isClaimed = text.includes('still runs')
  return isClaimed && report.job?.status !== 'active'
    ? `“${text}” The job was last seen ${report.job?.status ?? 'never'}.`
    : undefined
}

const outputsAreKnown: ShownPromise = ({ outputs }) => {
  const names = Object.keys(outputs)
  if (names.join() !== OUTPUT_NAMES.join()) return `The outputs are ${names.join(', ')}.`
  const { outcome = '', status = '', changed = '' } = outputs
  const isKnown =
    OUTCOMES.some((known) => known === outcome) &&
    ['', ...Object.keys(STATUS_PHRASES)].includes(status) &&
    ['', 'true', 'false'].includes(changed) &&
    (changed !== 'true' || outputs['pr-link'] !== '')
  return isKnown ? undefined : `There is no such value: ${outcome}, ${status}, ${changed}.`
}

/** How much later than its deadline, or than its cancellation, a step may end. */
const GRACE_MS = 2_000

export function endsInTime(endMs: number, deadlineMs: number): string | undefined {
  const lateMs = endMs - deadlineMs
  return lateMs > GRACE_MS ? `It ended ${lateMs} ms after its deadline or its cancellation.` : undefined
}

/** Every promise that does not hold, with what is wrong. */
export function brokenIn<Seen extends unknown[]>(
  promises: Readonly<Record<string, (...seen: Seen) => string | undefined>>,
  ...seen: Seen
): string[] {
  return Object.entries(promises).flatMap(([sentence, problem]) => {
    const found = problem(...seen)
    return found === undefined ? [] : [`${sentence} ${found}`]
  })
}

export const SHOWN_PROMISES: Readonly<Record<string, ShownPromise>> = {
  'A red step says what happened and what to do.': redSaysWhy,
  'Only a job that was last seen active is said to go on.': runningIsTrue,
  'The outputs are the known ones, with known values.': outputsAreKnown,
}
