import { expect, test } from '@jest/globals'
import { bar, renderTopPages } from '../../src/visitors/top-pages-table.ts'
import { row, rows } from '../support/visitors-run.ts'

test('a bar is as long as its value is great', () => {
  expect(bar(100, 100)).toBe('█'.repeat(16))
  expect(bar(50, 100)).toBe('█'.repeat(8))
  expect(bar(47, 100)).toBe('███████▌')
  expect(bar(0, 100)).toBe('')
  expect(bar(0, 0)).toBe('')
})

test('who was there at all is seen', () => {
  expect(bar(1, 1_000_000)).toBe('▏')
})

test('each page has its numbers, its share of all visitors and its bar', () => {
  const html = renderTopPages([{ path: '/a', human: 1200, ai: 300, total: 1400 }], 2800, 10_000)
  expect(html).toContain(
    '<tr><td><code>&#47;a</code></td><td align="right">1,400</td><td align="right">1,200</td><td align="right">300</td><td align="right">50.0 %</td><td>████████████████</td></tr>',
  )
})

test('a site without totals has no shares', () => {
  expect(renderTopPages([row('/a')], 0, 10_000)).not.toContain('%')
})

test('a long path is cut', () => {
  expect(renderTopPages([row('x'.repeat(5_000))], 1, 10_000)).toContain(`${'x'.repeat(119)}…</code>`)
})

test('what does not fit is counted', () => {
  for (let maxBytes = 2_000; maxBytes < 2_200; maxBytes++) {
    const lines = renderTopPages(rows(100), 100, maxBytes).match(/<tr><td>.*\n/g) ?? []
    expect(Buffer.byteLength(lines.join(''))).toBeLessThanOrEqual(maxBytes)
  }
  const html = renderTopPages(rows(100), 100, 2_000)
  const shown = html.match(/<tr><td>/g)?.length ?? 0
  expect(shown).toBeGreaterThan(5)
  expect(html).toContain(`${100 - shown} more pages are in the file.`)
  expect(Buffer.byteLength(html)).toBeLessThan(2_500)
})
