import { expect, jest, test } from '@jest/globals'
import { marked } from 'marked'
import { ActionError } from '../../src/runtime/errors.ts'
import { concludeExport, ENDINGS, renderExportSummary, type ExportReport } from '../../src/visitors/report.ts'
import { visitorsAction } from '../../src/visitors/visitors-action.ts'
import { createComparison, createRow, createRows, createVisitorsReport } from '../../testing/visitors-run.ts'

function summary(fields: Partial<ExportReport> = {}): string {
  const report = createVisitorsReport(fields)
  return renderExportSummary(report, concludeExport(report))
}

test('shows a different icon for each ending', () => {
  const signs = ENDINGS.map((ending) => /^## (\S+) \S/u.exec(summary({ ending }))?.[1])
  expect(new Set(signs.filter((sign) => sign !== undefined && !/\w/.test(sign))).size).toBe(ENDINGS.length)
})

const cells = (first: string, ...numbers: readonly string[]): string =>
  `<tr><td>${first}</td>${numbers.map((text) => `<td align="right">${text}</td>`).join('')}</tr>`

test('shows people, AI agents and all in one table, with share, change and the preceding period', () => {
  const totals = { human: 1_100, ai: 300, total: 1_250 }
  const markdown = summary({ totals, comparison: createComparison({ human: 1_000, ai: 301, total: 0 }) })
  expect(markdown).toContain(
    [
      '<tr><th></th><th>Visitors</th><th>Share</th><th>Change</th><th>The 31 days before</th></tr>',
      cells('<b>People</b>', '1,100', '88.0%', '+10%', '1,000'),
      cells('<b>AI agents</b>', '300', '24.0%', '−0.3%', '301'),
      cells('<b>All</b>', '1,250', '', 'new', '0'),
    ].join('\n'),
  )
  expect(markdown).toContain('150 visitors were seen as both, and “All” counts each of them once.')
})

test.each([
  [20_100, 100, '+20,000%'],
  [101, 100, '+1%'],
  [1_000, 1_099, '−9%'],
  [1_000, 1_111, '−10%'],
  [1_003, 1_000, '+0.3%'],
  [100, 100, '0%'],
])('shows %d after %d as %s without the locale data of Node.js', (now, before, words) => {
  const localize = jest.spyOn(Number.prototype, 'toLocaleString')
  const totals = { human: now, ai: 0, total: now }
  const markdown = summary({ totals, comparison: createComparison({ ...totals, human: before }) })
  expect(localize).not.toHaveBeenCalled()
  localize.mockRestore()
  expect(/People<\/b>.*?([+−]?[\d,.]+%)<\/td><td align="right">[\d,]+<\/td><\/tr>/.exec(markdown)?.[1]).toBe(words)
})

test('shows no change without a comparison', () => {
  expect(summary()).toContain('<tr><th></th><th>Visitors</th><th>Share</th></tr>\n')
})

test('counts top pages that do not fit, shows no share of a site without totals, and cuts a long path', () => {
  const long = summary({ topPages: [createRow('x'.repeat(5_000))], totals: { human: 0, ai: 0, total: 0 } })
  expect(long).toContain(`${'x'.repeat(119)}…</code>`)
  expect(long).not.toContain('%<')
})

test.each([
  [1500, 700, 2000, '200 visitors were seen as both'],
  [2, 1, 2, '1 visitor was seen as both'],
  [1, 1, 5, 'although they do not add up'],
  [5, 1, 3, 'although they do not add up'],
  [1, 5, 3, 'although they do not add up'],
])('explains how people (%i), AI (%i) and all (%i) relate', (human, ai, total, words) => {
  expect(summary({ totals: { human, ai, total } })).toContain(words)
})

test.each([
  [3, 0, 3],
  [0, 0, 0],
])('does not explain people (%i), AI (%i) and all (%i)', (human, ai, total) => {
  expect(summary({ totals: { human, ai, total } })).not.toMatch(/seen as both|add up/)
})

test.each([
  [3, ''],
  [4, '1 more page is in the file.'],
  [1203, '1,200 more pages are in the file.'],
])('states for a file of %d rows how many are not among the three most visited pages', (rows, words) => {
  expect(/(?<=<\/table>\n\n)[\d,]+ more .*/.exec(summary({ rows }))?.[0] ?? '').toBe(words)
})

test('explains why an export may be incomplete, and what to do', () => {
  const markdown = summary({ ending: 'uncertain', doubts: "The service's totals changed." })
  expect(markdown).toMatch(/^## ⚠️ /)
  expect(markdown).toContain('<td>not certain: The service&#39;s totals changed.</td>')
  expect(markdown).toContain('**What to do:** ')
})

test('explains a failed export and what to do, and names no file', () => {
  const error = new ActionError('rate-limited', 'The service rate-limited the request (429).', {
    quote: 'Too many.',
    hint: 'Run it later.',
  })
  const markdown = summary({ ending: 'error', error })
  expect(markdown).toMatch(/^## ❌ Too many requests · Docs visitors · /)
  expect(markdown).toContain('The service says: <code>Too many&#46;</code>')
  expect(markdown).toContain('**What to do:** Run it later')
  expect(markdown).toContain('<td><b>File</b></td><td>none</td></tr>\n<tr><td><b>Rows read</b>')
  expect(markdown).not.toContain('Most visited')
})

test('quotes the reason for which the service refused the preceding period, and keeps it inert', () => {
  const error = new ActionError('rejected', 'The service rejected the request (400).', {
    quote: 'Only 90 days | @all.',
  })
  const quoted = 'The service says: <code>Only 90 days &#124; &#64;all&#46;</code>'
  expect(summary({ comparison: { name: 'the 31 days before', error } })).toContain(quoted)
})

test('shows only the verdict if the inputs are invalid', () => {
  const error = new ActionError('invalid-input', '`days` must be a whole number.', { hint: 'Nothing was sent.' })
  const report = visitorsAction.createSkippedReport(error, 0)
  const markdown = renderExportSummary(report, concludeExport(report))
  expect(markdown).toMatch(/^## ❌ The inputs are invalid · Docs visitors\n/)
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

test.each<[string, Partial<ExportReport>]>([
  ["a page's path", { topPages: [createRow(HOSTILE, 3)] }],
  ['a file name', { file: HOSTILE }],
  ["the service's words", { ending: 'error', error: new ActionError('rejected', 'No.', { quote: HOSTILE }) }],
])('keeps inert: %s', async (_name, fields) => {
  const html = await marked.parse(summary(fields), { gfm: true })
  const outsideCode = html.replace(/<(code|pre)( class="[\w-]+")?>[^<]*<\/\1>/g, '')

  expect(outsideCode).not.toMatch(/evil|octocat|alert|heading|left|right(?!">)/i)
  expect(html).not.toMatch(/<(?!\/?(?:h2|h3|p|strong|b|code|pre|table|tr|td|th)\b)/)
  expect(html).not.toMatch(/[\u0000-\u0008\u001b\u202a-\u202e\u2066-\u2069]|##\[/)
})

test('stays within the size limit of the runner, with the facts after the longest table', () => {
  const markdown = summary({ rows: 5000, topPages: createRows(1000, `/${'-'.repeat(200)}`) })
  expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(256 * 1024)
  const shown = markdown.match(/<code>&#47;&#45;/g)?.length ?? 0
  expect(markdown.includes(`${(5000 - shown).toLocaleString('en-US')} more pages are in the file.`)).toBe(true)
  expect(markdown).toContain('### The export')
})
