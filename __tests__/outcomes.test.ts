import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { isGreen } from '../src/agent/report/conclusion.ts'
import { FAIL_ON, type FailOn } from '../src/agent/inputs/fail-on.ts'
import { OUTCOMES, type Outcome } from '../src/agent/report/report.ts'
import { root } from './support/markdown-files.ts'
import { reportOf } from './support/report.ts'
import { quotedMessages, sourceText } from './support/source-text.ts'

const page = readFileSync(join(root, 'docs/outcomes.md'), 'utf8')

/** Each of them below a heading of its own, which is its name. */
const sections = [...page.matchAll(/^### `([a-z-]+)`\n\n(.+)$/gm)].map(([, outcome = '', text = '']) => ({
  outcome,
  colours: new Set([...text.matchAll(/\b(green|red)\b/gi)].map(([word]) => word.toLowerCase())),
  firstColour: /\b(Green|Red)\b/.exec(text)?.[0].toLowerCase(),
}))

test('every outcome has a section that tells its colour, and whether fail-on can change it', () => {
  const colour = (outcome: Outcome, ...failOn: FailOn[]): string =>
    isGreen(reportOf({ outcome }), new Set(failOn)) ? 'green' : 'red'
  const expected = OUTCOMES.map((outcome) => ({
    outcome,
    colours: new Set([colour(outcome), colour(outcome, ...FAIL_ON)]),
    firstColour: colour(outcome, 'failed', 'archived', 'timeout'),
  }))
  expect(sections).toEqual(expected)
})

test('every message on the page is one that the code writes', () => {
  const source = sourceText()
  const messages = quotedMessages(page)
  expect(messages.length).toBeGreaterThan(35)
  expect(messages.filter((message) => !source.includes(message))).toEqual([])
})
