import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { conclude } from '../src/agent/conclude.ts'
import { type Outcome, OUTCOMES } from '../src/agent/record.ts'
import { type FailOn, FAIL_ON } from '../src/agent/facts.ts'
import { active, archived, completed, failed, withoutLink } from '../testing/jobs.ts'
import { ERROR_TITLES } from '../src/runtime/errors.ts'
import { root, parseTable } from '../testing/markdown-files.ts'
import { createReport, endWith, type Fields, FOLLOW_UP, stopWith } from '../testing/report.ts'

const page = readFileSync(join(root, 'docs/troubleshooting.md'), 'utf8')

/** A step for each outcome. */
const STEPS: Readonly<Record<Outcome, Fields>> = {
  'pull-request': {},
  'no-changes': { state: endWith('none', withoutLink) },
  failed: { state: endWith('unknown', failed) },
  archived: { state: endWith('unknown', archived) },
  'timed-out': { state: { sent: 'started', end: 'timed-out', job: active } },
  unconfirmed: { task: FOLLOW_UP, state: { sent: 'accepted', end: 'unconfirmed', job: completed } },
  submitted: { state: { sent: 'started', end: 'not-awaited', job: active } },
  previewed: { state: { end: 'previewed' } },
  cancelled: { state: stopWith('cancelled') },
  skipped: { state: {}, skipReason: 'Nothing changed.' },
  error: { state: stopWith('unreachable') },
}

test('documents each outcome, and the words of `fail-on` that make it red', () => {
  const expected = OUTCOMES.map((outcome) => {
    const report = createReport(STEPS[outcome])
    expect(conclude(report).outcome).toBe(outcome)
    const isGreen = (...failOn: FailOn[]): boolean => conclude({ ...report, failOn: new Set(failOn) }).isGreen
    const words = FAIL_ON.filter((word) => isGreen() && !isGreen(word)).map((word) => `\`${word}\``)
    return [`\`${outcome}\``, words.join(', ') || (isGreen(...FAIL_ON) ? 'never red' : 'always red')]
  })
  expect(parseTable(page, 'The outcomes').map((row) => row.slice(0, 2))).toEqual(expected)
})

test('says what to do about the title of every error and of every red outcome', () => {
  const titles = parseTable(page, 'The title of the error').flatMap(([cell = '']) =>
    Array.from(cell.matchAll(/\*\*(.+?)\*\*/g), ([, title]) => title),
  )
  const red = OUTCOMES.map((outcome) => conclude({ ...createReport(STEPS[outcome]), failOn: new Set(FAIL_ON) }))
    .filter(({ isGreen }) => !isGreen)
    .map(({ title }) => title.replace(/^Pull request .*/, 'Pull request …'))
  expect(titles).toEqual(expect.arrayContaining([...Object.values(ERROR_TITLES), ...red]))
})
