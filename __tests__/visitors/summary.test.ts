import { expect, test } from '@jest/globals'
import { marked } from 'marked'
import { ActionError } from '../../src/runtime/errors.ts'
import { conclude } from '../../src/visitors/conclusion.ts'
import { type ComparedPages, ENDINGS, type Report } from '../../src/visitors/report.ts'
import { renderSummary } from '../../src/visitors/summary.ts'
import { visitorsAction } from '../../src/visitors/visitors-action.ts'
import { row, rows, visitorsReport } from '../support/visitors-run.ts'

function summary(fields: Partial<Report> = {}): string {
  const report = visitorsReport(fields)
  return renderSummary(report, conclude(report))
}

// What an export that went well shows is in docs/internals/summaries.md, which __tests__/summaries.test.ts compares.

test('each ending has a sign of its own', () => {
  const signs = ENDINGS.map((ending) => /^## (\S+) \S/u.exec(summary({ ending }))?.[1])
  expect(new Set(signs.filter((sign) => sign !== undefined && !/\w/.test(sign))).size).toBe(ENDINGS.length)
})

const CHANGE = { path: '/gone', before: 1_234, now: 0 }
const compared = (pages: Partial<ComparedPages>): Partial<Report> => ({
  comparison: {
    name: 'the 30 days before',
    totals: { human: 1000, ai: 0, total: 2500 },
    pages: { gained: [], lost: [], isWhole: true, ...pages },
  },
})

test('shows no number of a period before that had none, and what is left out of the changes', () => {
  expect(summary(compared({}))).toContain('<td>12 (30.0 % of all), the 30 days before had none</td>')
  expect(summary({ ...compared({}), topPages: [] })).not.toMatch(/### Pages that|left out|Most visited/)
  const markdown = summary(compared({ lost: [CHANGE], isWhole: false }))
  expect(markdown).toMatch(/### Pages that lost the most\n\n.*\n.*\n.*&#47;gone<.*>1,234<.*>0<.*>−1,234</)
  expect(markdown).toContain('pages that only one of them names are left out')
})

test.each([
  [1500, 700, 2000, ['  "People only" : 1300', '  "AI only" : 500', '  "Both" : 200'], '200 of them were seen as both'],
  [2, 1, 2, ['  "People only" : 1', '  "Both" : 1'], '1 of them was seen as both'],
  [3, 0, 3, ['  "People only" : 3'], '0 of them were seen as both'],
  // They do not fit together, so nothing is claimed.
  [1, 1, 5, [], 'These are the numbers of the service.'],
  [5, 1, 3, [], 'These are the numbers of the service.'],
  [0, 0, 0, [], '<td>0 (0 % of all)</td>'],
])('people (%i), AI (%i) and both, %i in all, are slices that do not overlap', (human, ai, total, slices, said) => {
  const markdown = summary({ totals: { human, ai, total } })
  expect(markdown.match(/^ {2}".*$/gm) ?? []).toEqual(slices)
  expect(markdown.includes('mermaid')).toBe(slices.length > 0)
  expect(markdown).toContain(said)
})

/** By the formula of WCAG. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[0-9a-f]{2}/g) ?? []).map((part) => {
    const value = parseInt(part, 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

test('the picture can be read on a white page and on a dark one', () => {
  const init = /```mermaid\n%%\{init: (.*)\}%%\npie showData\n/.exec(summary())?.[1] ?? '{}'
  const { themeVariables } = JSON.parse(init) as { themeVariables: Record<string, string> }
  const contrasts = (names: RegExp, others: readonly string[]): number[] =>
    Object.entries(themeVariables)
      .filter(([name]) => names.test(name))
      .flatMap(([, colour]) => others.map((other) => [luminance(colour), luminance(other)].sort((a, b) => b - a)))
      .map(([light = 0, dark = 0]) => (light + 0.05) / (dark + 0.05))
  const onPages = contrasts(/^pie(?:\d|TitleTextColor|LegendTextColor)$/, ['#ffffff', '#0d1117'])
  expect([onPages.length, Math.min(...onPages) > 3]).toEqual([10, true])
  expect(Math.min(...contrasts(/^pie\d$/, [themeVariables['pieSectionTextColor'] ?? '']))).toBeGreaterThan(4.5)
})

test('says why an export is not known to be whole, and what to do', () => {
  const markdown = summary({ ending: 'uncertain', doubts: "The service's totals changed." })
  expect(markdown).toMatch(/^## ⚠️ /)
  expect(markdown).toContain('<td>not certain: The service&#39;s totals changed.</td>')
  expect(markdown).toContain('**What to do:** ')
})

test('a red step says what happened and what to do, and names no file', () => {
  const error = new ActionError('rate-limited', 'The service limits the rate of requests (429).', {
    quote: 'Too many.',
    hint: 'Run it later.',
  })
  const markdown = summary({ ending: 'error', error })
  expect(markdown).toMatch(/^## ❌ Docs visitors · .*: Too many requests\n/)
  expect(markdown).toContain('The service says: <code>Too many&#46;</code>')
  expect(markdown).toContain('**What to do:** Run it later')
  expect(markdown).toContain('<td><b>File</b></td><td>none</td></tr>\n<tr><td><b>Rows read</b>')
  expect(markdown).not.toContain('Most visited')
})

test('a step whose inputs are wrong has nothing but its verdict', () => {
  const error = new ActionError('invalid-input', '`days` must be a whole number.', { hint: 'Nothing was sent.' })
  const report = visitorsAction.notRun(error, 0)
  const markdown = renderSummary(report, conclude(report))
  expect(markdown).toMatch(/^## ❌ Docs visitors: The inputs are wrong\n/)
  expect(markdown).toContain('Nothing was sent.')
  expect(markdown).not.toMatch(/<table>|###/)
})

const HOSTILE = [
  '</code></pre></details><script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '@octocat #1 https://evil.example.com',
  '`code` **bold** [link](https://evil.example.com)',
  '\n\n# A heading\n\n| a | b |\n| - | - |\n```\n',
  '\r\n::error::x ##[error]y',
  '\u202eleft\u2066right\u0000\u001b[31m',
].join('')

test.each<[string, Partial<Report>]>([
  ["a page's path", { topPages: [row(HOSTILE, 3)] }],
  ['a path that lost visitors', compared({ lost: [{ ...CHANGE, path: HOSTILE }] })],
  ['a file name', { file: HOSTILE }],
  ["the service's words", { ending: 'error', error: new ActionError('rejected', 'No.', { quote: HOSTILE }) }],
])('nothing in %s comes alive', async (_name, fields) => {
  const html = await marked.parse(summary(fields), { gfm: true })
  const outsideCode = html.replace(/<(code|pre)( class="[\w-]+")?>[^<]*<\/\1>/g, '')

  expect(outsideCode).not.toMatch(/evil|octocat|alert|heading|left|right(?!">)/i)
  expect(html).not.toMatch(/<(?!\/?(?:h2|h3|p|strong|b|code|pre|table|tr|td|th)\b)/)
  expect(html).not.toMatch(/[\u0000-\u0008\u001b\u202a-\u202e\u2066-\u2069]|##\[/)
})

test('stays below the size that the runner takes, and the facts come after the longest table', () => {
  const markdown = summary({ topPages: rows(1000, `/${'-'.repeat(200)}`) })
  expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(256 * 1024)
  expect(markdown).toContain('more pages are in the file.')
  expect(markdown).toContain('### The export')
})
