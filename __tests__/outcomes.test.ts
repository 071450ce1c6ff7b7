import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { conclude, getOutcome, OUTCOMES, type Outcome } from '../src/agent/outcome.ts'
import { FAIL_ON, type FailOn } from '../src/agent/inputs.ts'
import { active, archived, completed, failed, withoutLink } from './support/fake-client.ts'
import { ERROR_TITLES } from '../src/runtime/errors.ts'
import { root, parseTable } from './support/markdown-files.ts'
import { createReport, endWith, type Fields, FOLLOW_UP, stopWith } from './support/report.ts'
import { listQuotedMessages, readSourceText } from './support/source-text.ts'

const page = readFileSync(join(root, 'docs/outcomes.md'), 'utf8')

/** The sections of the outcomes: the heading is the outcome. */
const sections = [...page.matchAll(/^### `([a-z-]+)`\n\n(.+)$/gm)].map(([, outcome = '', text = '']) => ({
  outcome,
  firstColour: /\b(Green|Red)\b/.exec(text)?.[0].toLowerCase(),
  isEither: /\bred\b/i.test(text) && /\bgreen\b/i.test(text),
  words: FAIL_ON.filter((word) => text.includes(`\`${word}\``)),
}))

/** A step for each outcome. */
const STEPS: Readonly<Record<Outcome, Fields>> = {
  'pull-request': {},
  'no-changes': { state: endWith('none', withoutLink) },
  failed: { state: endWith('unknown', failed) },
  archived: { state: endWith('unknown', archived) },
  'timed-out': { state: { sent: 'started', end: 'timed-out', job: active } },
  unconfirmed: { task: FOLLOW_UP, state: { sent: 'accepted', end: 'unseen', job: completed } },
  submitted: { state: { sent: 'started', end: 'not-awaited', job: active } },
  previewed: { state: { end: 'previewed' } },
  cancelled: { state: stopWith('cancelled') },
  skipped: { state: {}, skipReason: 'Nothing changed.' },
  error: { state: stopWith('unreachable') },
}

test('documents the colour of each outcome, and the words of fail-on that change it', () => {
  const expected = OUTCOMES.map((outcome) => {
    const report = createReport(STEPS[outcome])
    const colour = (...failOn: FailOn[]): string =>
      conclude({ ...report, failOn: new Set(failOn) }).isGreen ? 'green' : 'red'
    const words = FAIL_ON.filter((word) => colour(word) !== colour())
    expect(getOutcome(report)).toBe(outcome)
    return { outcome, firstColour: colour('failed', 'archived', 'timeout'), isEither: words.length > 0, words }
  })
  expect(sections).toEqual(expected)
})

test('quotes only messages that the code contains', () => {
  const source = readSourceText()
  const messages = listQuotedMessages(page)
  expect(messages.length).toBeGreaterThan(35)
  expect(messages.filter((message) => !source.includes(message))).toEqual([])
})

test('links the title of every error to a section', () => {
  const [titles, links] = [0, 2].map((column) => parseTable(page, 'From the title').map((row) => row[column] ?? ''))
  const named = titles?.flatMap((cell) => Array.from(cell.matchAll(/\*\*(.+?)\*\*/g), ([, title]) => title))
  expect(named).toEqual(expect.arrayContaining(Object.values(ERROR_TITLES)))
  expect(links?.filter((cell) => !/\]\([a-z-]*(?:\.md)?#/.test(cell))).toEqual([])
})
