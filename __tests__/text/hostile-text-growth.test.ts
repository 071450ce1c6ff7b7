import { expect, test } from '@jest/globals'
import { changeSection, renderSections } from '../../src/agent/prompt.ts'
import { includesPath, parsePathRules } from '../../src/agent/path-filter.ts'
import { foldedText, inlineCode } from '../../src/text/markdown.ts'
import { removeHidden } from '../../src/text/hidden.ts'
import { createRedactor } from '../../src/text/redact.ts'
import { cleanLines, cutText, cutToBytes, oneLine } from '../../src/text/untrusted.ts'

const KEY = 'dk_Zm9v-b+a/r=="&<\\\'?0123456789'
const BACKSLASHES = `${'\\'.repeat(30)}0123456789`
const redact = createRedactor([KEY, BACKSLASHES])

const rules = parsePathRules('**/*-*-*-*-*.md')

function renderPatch(patch: string): void {
  const file = { path: 'a', status: 'modified', previousPath: undefined, additions: 1, deletions: 1, patch }
  const change = { repository: 'acme/docs', title: 'it', commits: [], totalCommits: 0, fileList: 'complete' } as const
  renderSections([changeSection({ ...change, files: [file] }, 'diff')], 1_048_576)
}

/** All functions that process untrusted text. */
const TEXT_FUNCTIONS: Readonly<Record<string, (text: string) => void>> = {
  redact,
  matchDashes: (path) => includesPath(rules, path),
  renderPatch,
  inlineCode,
  foldedText: (text) => foldedText('Title', text, Infinity),
  oneLine: (text) => oneLine(text, Infinity),
  cutText: (text) => cutText(text, 300),
  cutToBytes: (text) => cutToBytes(text, 300),
  oneSafeLine: (text) => oneLine(text, 300, redact),
  safeLines: (text) => cleanLines(text, 1_048_576, redact),
  removeHidden,
}

const repeat = (part: string) => (length: number) => part.repeat(length / part.length)

/** The worst known texts of a length: the beginning of a pattern, repeated or without an end. */
const HOSTILE_TEXTS: Readonly<Record<string, (length: number) => string>> = {
  'sequences that never end': (length) => '\u001b]a'.repeat(length / 3),
  'one sequence that never ends': (length) => `\u001b[${'0'.repeat(length)}`,
  'beginnings of the key': (length) => KEY.slice(0, -1).repeat(length / (KEY.length - 1)),
  'encoded back-slashes': (length) => '%5c'.repeat(length / 3),
  'back-slashes': (length) => '\\'.repeat(length),
  'entities that never end': (length) => `&#${'0'.repeat(length)}`,
  'invisible characters': (length) => 'a\u200b'.repeat(length / 2),
  'line ends': (length) => '\r\n\u2028'.repeat(length / 3),
  dashes: (length) => '-'.repeat(length),
  backticks: repeat('`a'),
  'fences that never end': repeat('~~~a\n'),
  'indented fences': repeat('> - ```a\n'),
  'comments that never end': repeat('<!-- a\n'),
  'comments that end late': (length) => `${repeat('<!-- a\n')(length)}-->`,
  'elements that never end': repeat('<style '),
  'titles that never end': repeat('](a "'),
  'titles in parentheses that never end': repeat('](<a> (\\'),
  'addresses with parentheses': repeat('](a(b)'),
  'links that never end': repeat('](  \n'),
  'definitions that never end': repeat('[x]: a\n "\\'),
  labels: repeat('[x'),
  blanks: repeat('> \n \t'),
}

/** Measures the CPU time of a call in microseconds, which does not depend on other programs. */
function measureCpuUs(call: () => void): number {
  const before = process.cpuUsage()
  call()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** The whole takes about as long as its eight parts if the time is linear, and eight times as long if it is quadratic. */
const MAX_GROWTH = 5
/** Less time than this is never too slow, in microseconds. */
const MIN_SLOW_US = 10_000
const MAX_TRIES = 5
/** With quadratic time, text of this length takes seconds. */
const LENGTH = 32_768
const PARTS = 8

const cases = Object.keys(TEXT_FUNCTIONS).flatMap((name) =>
  Object.keys(HOSTILE_TEXTS).map((text) => [name, text] as const),
)

test.each(cases)('%s takes linear time for %s', (name, text) => {
  const [part = '', whole = ''] = [LENGTH / PARTS, LENGTH].map((length) => HOSTILE_TEXTS[text]?.(length))
  const call = TEXT_FUNCTIONS[name]
  let [wholeUs, partsUs] = [Infinity, Infinity]
  // The best of several tries: other work of the machine can only slow a try down.
  for (let tries = 0; tries < MAX_TRIES && wholeUs >= MIN_SLOW_US; tries++) {
    wholeUs = Math.min(
      wholeUs,
      measureCpuUs(() => call?.(whole)),
    )
    partsUs = Math.min(
      partsUs,
      measureCpuUs(() => {
        for (let count = 0; count < PARTS; count++) call?.(part)
      }),
    )
  }
  const growth = wholeUs < MIN_SLOW_US ? 0 : wholeUs / partsUs
  expect(growth).toBeLessThan(MAX_GROWTH)
})
