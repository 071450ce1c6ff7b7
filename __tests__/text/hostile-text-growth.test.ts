import { expect, test } from '@jest/globals'
import { changeSection } from '../../src/agent/prompt/change-section.ts'
import { renderSections } from '../../src/agent/prompt/sections.ts'
import { includesPath, parsePathRules } from '../../src/agent/inputs/path-patterns.ts'
import { foldedText, inlineCode } from '../../src/text/markdown.ts'
import { createRedactor } from '../../src/text/redact.ts'
import { cleanLines, cutText, cutToBytes, oneLine } from '../../src/text/untrusted.ts'

const KEY = 'dk_Zm9v-b+a/r=="&<\\\'?0123456789'
const BACK_SLASHES = `${'\\'.repeat(30)}0123456789`
const redact = createRedactor([KEY, BACK_SLASHES])

const rules = parsePathRules('**/*-*-*-*-*.md')

function tellPatch(patch: string): void {
  const file = { path: 'a', status: 'modified', previousPath: undefined, additions: 1, deletions: 1, patch }
  const change = { repository: 'acme/docs', title: 'it', commits: [], totalCommits: 0, fileList: 'whole' } as const
  renderSections([changeSection({ ...change, files: [file] }, 'diff')], 1_048_576)
}

const FUNCTIONS: Readonly<Record<string, (text: string) => void>> = {
  redact,
  matchDashes: (path) => includesPath(rules, path),
  tellPatch,
  inlineCode,
  foldedText: (text) => foldedText('Title', text, Infinity),
  oneLine: (text) => oneLine(text, Infinity),
  cutText: (text) => cutText(text, 300),
  cutToBytes: (text) => cutToBytes(text, 300),
  oneSafeLine: (text) => oneLine(text, 300, redact),
  safeLines: (text) => cleanLines(text, 1_048_576, redact),
}

/** The worst that is known: what each pattern begins with, again and again or once with no end. */
const TEXTS: Readonly<Record<string, (length: number) => string>> = {
  'sequences that never end': (length) => '\u001b]a'.repeat(length / 3),
  'one sequence that never ends': (length) => `\u001b[${'0'.repeat(length)}`,
  'beginnings of the key': (length) => KEY.slice(0, -1).repeat(length / (KEY.length - 1)),
  'encoded back-slashes': (length) => '%5c'.repeat(length / 3),
  'back-slashes': (length) => '\\'.repeat(length),
  'entities that never end': (length) => `&#${'0'.repeat(length)}`,
  'invisible characters': (length) => 'a\u200b'.repeat(length / 2),
  'line ends': (length) => '\r\n\u2028'.repeat(length / 3),
  dashes: (length) => '-'.repeat(length),
  backticks: (length) => '`a'.repeat(length / 2),
}

/** The processor's time that a call takes, in microseconds: other programs on the machine do not count. */
function costOf(call: () => void): number {
  const before = process.cpuUsage()
  call()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

const LARGE = 262_144
const PARTS = 8
/** The whole takes about as long as its eight parts one by one, and eight times as long where it is looked at again and again. */
const MOST_GROWTH = 5
/** In microseconds. What takes less is quick enough. */
const WORTH_A_LOOK = 10_000
const MOST_TRIES = 5

const cases = Object.keys(FUNCTIONS).flatMap((name) => Object.keys(TEXTS).map((text) => [name, text] as const))

test.each(cases)('%s takes time in proportion to %s', (name, text) => {
  const [part, whole] = [LARGE / PARTS, LARGE].map((length) => TEXTS[text]?.(length) ?? '')
  const call = FUNCTIONS[name]
  let growth = Infinity
  // The best of several: what else the engine does in a try can only make it look worse.
  for (let tries = 0; tries < MOST_TRIES && growth >= MOST_GROWTH; tries++) {
    const large = costOf(() => call?.(whole ?? ''))
    const parts = costOf(() => {
      for (let count = 0; count < PARTS; count++) call?.(part ?? '')
    })
    growth = large < WORTH_A_LOOK ? 0 : large / parts
  }
  expect(growth).toBeLessThan(MOST_GROWTH)
})
