import { expect, test } from '@jest/globals'
import { marked } from 'marked'
import { ActionError } from '../../src/runtime/errors.ts'
import { conclude } from '../../src/visitors/conclusion.ts'
import type { ComparedPages, Report } from '../../src/visitors/report.ts'
import { renderSummary } from '../../src/visitors/summary.ts'
import { row, rows, visitorsReport } from '../support/visitors-run.ts'

function summary(fields: Partial<Report> = {}): string {
  const report = visitorsReport(fields)
  return renderSummary(report, conclude(report))
}

test('begins with the verdict', () => {
  expect(summary().split('\n').slice(0, 3)).toEqual([
    '## ✅ Docs visitors · <code>docs&#45;demo</code> · from 2026-01-01, before 2026-02-01: The visitors are exported',
    '',
    '3 rows were written to `out/visitors.csv`.',
  ])
})

test('each ending has a sign of its own', () => {
  const endings = ['complete', 'uncertain', 'cancelled', 'skipped', 'error'] as const
  const signs = endings.map((ending) => /^## (\S+) \S/u.exec(summary({ ending }))?.[1])
  expect(new Set(signs.filter((sign) => sign !== undefined && !/\w/.test(sign))).size).toBe(endings.length)
})

test('shows the totals, and how many visitors were seen as both', () => {
  const markdown = summary({ totals: { human: 1500, ai: 700, total: 2000 } })
  expect(markdown).toContain('<td><b>Human</b></td><td>1,500 (75.0 % of all)</td>')
  expect(markdown).toContain('<td><b>AI</b></td><td>700 (35.0 % of all)</td>')
  expect(markdown).toContain('<td><b>All</b></td><td>2,000, each counted once</td>')
  expect(markdown).toContain('200 of them were seen as both')
})

const CHANGE = { path: '/gone', before: 1_234, now: 0 }
const compared = (pages: Partial<ComparedPages>): Partial<Report> => ({
  totals: { human: 1500, ai: 700, total: 2000 },
  comparison: {
    name: 'the 30 days before',
    totals: { human: 1000, ai: 0, total: 2500 },
    pages: { gained: [], lost: [], isWhole: true, ...pages },
  },
})

test('shows each number beside the one of the period before', () => {
  const markdown = summary(compared({}))
  expect(markdown).toContain('<td>1,500 (75.0 % of all), 50 % more than the 30 days before (1,000)</td>')
  expect(markdown).toContain('<td>700 (35.0 % of all), the 30 days before had none</td>')
  expect(markdown).toContain('<td>2,000, each counted once, 20 % fewer than the 30 days before (2,500)</td>')
  expect(markdown).not.toMatch(/Pages that|left out/)
})

test('shows the pages that gained and lost the most, and what is left out', () => {
  const markdown = summary(compared({ gained: [{ path: '/new', before: 0, now: 50 }], lost: [CHANGE], isWhole: false }))
  expect(markdown).toMatch(
    /### Pages that gained the most\n\n.*\n.*\n<tr><td><code>&#47;new<\/code>.*>0<.*>50<.*>\+50</,
  )
  expect(markdown).toMatch(
    /### Pages that lost the most\n\n.*\n.*\n<tr><td><code>&#47;gone<\/code>.*>1,234<.*>0<.*>−1,234</,
  )
  expect(markdown).toContain('pages that only one of them names are left out')
})

test('claims nothing about totals that do not fit together', () => {
  expect(summary({ totals: { human: 1, ai: 1, total: 5 } })).not.toContain('seen as both')
})

const slices = (markdown: string): string[] => markdown.match(/^ {2}".*$/gm) ?? []

test('draws people, AI and those seen as both as slices that do not overlap', () => {
  const totals = { human: 1500, ai: 700, total: 2000 }
  const markdown = summary({ totals })
  expect(slices(markdown)).toEqual(['  "People only" : 1300', '  "AI only" : 500', '  "Both" : 200'])
  expect(slices(summary({ totals: { human: 1, ai: 1, total: 5 } }))).toEqual([])
})

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[0-9a-f]{2}/g) ?? []).map((part) => {
    const value = parseInt(part, 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

test('the picture can be read on a white page and on a dark one', () => {
  const init = /```mermaid\n%%\{init: (.*)\}%%\npie showData\n/.exec(summary())?.[1] ?? '{}'
  const { themeVariables } = JSON.parse(init) as { themeVariables: Record<string, string> }
  const {
    pie1 = '',
    pie2 = '',
    pie3 = '',
    pieSectionTextColor = '',
    pieTitleTextColor,
    pieLegendTextColor,
  } = themeVariables
  for (const colour of [pie1, pie2, pie3, pieTitleTextColor ?? '', pieLegendTextColor ?? '']) {
    for (const page of ['#ffffff', '#0d1117']) expect(contrast(colour, page)).toBeGreaterThan(3)
  }
  for (const slice of [pie1, pie2, pie3]) expect(contrast(slice, pieSectionTextColor)).toBeGreaterThan(4.5)
})

test('draws no slice for nobody, and no pie for no visitors', () => {
  expect(summary({ totals: { human: 3, ai: 0, total: 3 } })).not.toContain('"AI only"')
  expect(summary({ totals: { human: 0, ai: 0, total: 0 }, topPages: [], rows: 0 })).not.toContain('mermaid')
})

test('shows the most visited pages and where the file is', () => {
  const markdown = summary()
  expect(markdown).toContain('### Most visited pages')
  expect(markdown).toContain('<td><code>&#47;a</code></td>')
  for (const fact of ['from 2026-01-01, before 2026-02-01', 'out&#47;visitors&#46;csv', '<td>3</td>', '<td>yes</td>'])
    expect(markdown).toContain(fact)
})

test('says why an export is not known to be whole, and what to do', () => {
  const markdown = summary({ ending: 'uncertain', doubts: new Set(['totals-changed']) })
  expect(markdown).toMatch(/^## ⚠️ /)
  expect(markdown).toContain('<td>not certain: The service&#39;s totals changed')
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
  expect(markdown).toContain('<td><b>File</b></td><td>none</td>')
  expect(markdown).not.toContain('Most visited')
})

test('a step whose inputs are wrong has nothing but its verdict', () => {
  const error = new ActionError('invalid-input', '`days` must be a whole number.', { hint: 'Nothing was sent.' })
  const nothing = { projectId: undefined, range: undefined, place: undefined, totals: undefined, topPages: [], rows: 0 }
  const markdown = summary({ ending: 'error', error, ...nothing })
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
  [
    'a file name',
    {
      place: { file: `/workspace/${HOSTILE}`, name: HOSTILE },
      ending: 'error',
      error: new ActionError('deadline', 'Late.'),
    },
  ],
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
