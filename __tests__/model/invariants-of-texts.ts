import { OUTPUT_NAMES } from '../../src/agent/report/outputs.ts'
import { OUTCOMES } from '../../src/agent/report/report.ts'
import { JOB_STATUSES } from '../../src/docs-service/schemas.ts'
import { problemIf } from './invariant.ts'
import { givesKeyAway } from './planted-key.ts'
import type { Trace } from './run-schedule.ts'

const SENTENCES = /^[A-Z].*[.”…]$/s

export function redSaysWhy({ conclusion: { isGreen, title, text, advice } }: Trace): string | undefined {
  if (title === '' || !SENTENCES.test(text)) return `It does not say what happened: “${title}”, “${text}”.`
  return problemIf(!isGreen && (advice ?? '') === '', `It does not say what to do: “${text}”`)
}

export function keyIsNowhere(trace: Trace): string | undefined {
  const { schedule, conclusion, outputs, summary, log, warnings, report, text, notice } = trace
  if (schedule.plant === 'none' && !schedule.promptHoldsKey) return undefined
  const { error, lastProblem } = report
  const texts = {
    log: [...log, ...warnings],
    report: [error?.message, error?.hint, error?.quote, lastProblem?.message, lastProblem?.quote],
    annotation: [conclusion.title, text, notice?.text],
    outputs: Object.values(outputs),
    summary: [summary],
  }
  const leak = Object.entries(texts).find(([, parts]) => parts.some((part) => part !== undefined && givesKeyAway(part)))
  return problemIf(leak !== undefined, `The key is in the ${leak?.[0] ?? ''}.`)
}

export function runningIsTrue({ conclusion: { text }, report }: Trace): string | undefined {
  const isClaimed = /still runs|goes on/.test(text)
  return problemIf(
    isClaimed && report.job?.status !== 'active',
    `“${text}” The job was last seen ${report.job?.status ?? 'never'}.`,
  )
}

function countChanges(values: readonly string[]): number {
  return values.filter((value, index) => index > 0 && value !== values[index - 1]).length
}

/** The step's own words: taken, sent, seen, waiting, looking up, and so on. */
const OWN_LINES = 8
/** What is said of the change, of heads and of checks. */
const GITHUB_LINES = 16
/** One for each kind: an unlisted status, and a link that is not safe. */
const MAX_WARNINGS = 2

export function logIsBounded({
  log,
  warnings,
  service: { looks, posts, delivered },
  endedAt,
  report: { shortfalls },
  github,
}: Trace): string | undefined {
  const states = delivered.map(({ view: { status, link } }) => `${status} ${link ?? ''}`)
  const own = shortfalls.length + (github === undefined ? 0 : GITHUB_LINES)
  const changes = countChanges(looks) + countChanges(states)
  const most = changes + posts.length + Math.floor(endedAt / 60_000) + OWN_LINES + own
  if (warnings.length > MAX_WARNINGS) return `There are ${warnings.length} warnings.`
  return problemIf(log.length > most, `There are ${log.length} lines for ${changes} changes.`)
}

export function outputsAreKnown({ outputs }: Trace): string | undefined {
  const names = Object.keys(outputs)
  if (names.join() !== OUTPUT_NAMES.join()) return `The outputs are ${names.join(', ')}.`
  const { outcome = '', status = '', changed = '' } = outputs
  const isKnown =
    OUTCOMES.some((known) => known === outcome) &&
    ['', ...JOB_STATUSES].includes(status) &&
    ['', 'true', 'false'].includes(changed) &&
    (changed !== 'true' || outputs['pr-link'] !== '')
  return problemIf(!isKnown, `There is no such value: ${outcome}, ${status}, ${changed}.`)
}
