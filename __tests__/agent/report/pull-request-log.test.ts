import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { marked } from 'marked'
import { markerComment, readMarker, withFollowUps } from '../../../src/agent/pull-request/marker.ts'
import { addToLog, type LogEntry, type LogRow } from '../../../src/agent/report/pull-request-log.ts'
import { SEED } from '../../support/seed.ts'

const NEW = markerComment('job_1')
const AT = new Date('2026-01-31T03:00:05Z')

const ROW = { at: AT, startedBy: { text: 'schedule' }, end: { text: 'opened' } }
const row = (key: string, fields: Partial<LogRow> = {}): LogRow => ({ key, ...ROW, ...fields })

const FOLLOW_UPS = 'Follow-ups: 0 of 20 used.'
const entry = (...keys: readonly string[]): LogEntry => {
  const left = [{ text: 'Review it, and merge it.' }]
  return { at: AT, rows: keys.map((key) => row(key)), left, followUps: FOLLOW_UPS }
}

const keysIn = (body: string): string[] => Array.from(body.matchAll(/<!-- row=(\S+) -->/g), ([, key = '']) => key)
const foldedIn = (body: string): number => Number(/folded=(\d+)/.exec(body)?.[1] ?? 0)
const rowsIn = (body: string): string[] => body.split(/\r?\n/).filter((line) => line.includes('<!-- row='))

test('tells where the pull request comes from, each turn, what is left, and how many follow-ups there were', () => {
  const startedBy = { text: 'push to `main` by `mona`: 3 commits', url: 'https://github.com/acme/docs/compare/a...b' }
  const end = { text: 'opened', url: 'https://github.com/acme/docs/actions/runs/42' }
  const left = [{ text: '`links` failed', url: 'https://checks.example.com/1' }, { text: 'It is a draft.' }]
  const body = addToLog(NEW, { ...entry(), rows: [row('1', { startedBy, end })], left })
  expect(body).toBe(`<!-- docs-agent-action: job=job_1 -->
This pull request comes from the docs agent job \`job_1\`.

<!-- docs-agent-action: log -->

| When (UTC) | Started by | What came of it |
| --- | --- | --- |
| 2026-01-31 03:00 | <a href="${startedBy.url}">push to <code>main</code> by <code>mona</code>: 3 commits</a> | <a href="${end.url}">opened</a> <!-- row=1 --> |

**What is left** (2026-01-31 03:00:05 UTC) <!-- left -->
- <a href="https://checks.example.com/1"><code>links</code> failed</a> <!-- left -->
- It is a draft. <!-- left -->

Follow-ups: 0 of 20 used. <!-- follow-ups -->`)
  const html = marked.parse(body ?? '', { async: false })
  expect(html).toContain('<td>2026-01-31 03:00</td>')
  expect(html.match(/<li>/g)).toHaveLength(2)
})

test('each row stands once, the newest last, and the job and the count of follow-ups stay readable', () => {
  const counted = withFollowUps(addToLog(NEW, entry('1')) ?? '', 7, '42.1')
  const body = [entry('2', '3'), entry('3')].reduce((text, one) => addToLog(text, one) ?? '', counted)
  expect(keysIn(body)).toEqual(['1', '2', '3'])
  expect(readMarker(body)).toEqual({ jobId: 'job_1', followUps: 7, countedBy: '42.1' })
})

test('what is left is what the newest step has seen, and stays if one has not looked', () => {
  const before = addToLog(NEW, { ...entry('1'), left: [{ text: 'It is a draft.' }] }) ?? ''
  const blind = addToLog(before, { ...entry('2'), left: undefined, followUps: 'Follow-ups: 1 of 20 used.' }) ?? ''
  expect(blind).toContain('- It is a draft.')
  expect(blind).not.toContain('0 of 20')
  expect(addToLog(blind, entry('3'))).not.toContain('draft')
})

test('a change by hand is kept, whatever it does to the lines of ours', () => {
  const log = addToLog(NEW, entry('1', '2')) ?? ''
  const byHand = log
    .replace('comes from', 'comes, as planned, from')
    .replace('<!-- row=1 --> |', '(seen by us) <!-- row=1 --> |\nBetween two rows.')
    .replace('| --- | --- | --- |\n', '')
    .replace('<!-- docs-agent-action: log -->', '')
    .replaceAll('\n', '\r\n')
  const body = addToLog(`${byHand}\r\n\r\nRemember **this**.\r\n\r\n- and that`, entry('3')) ?? ''
  expect(keysIn(body)).toEqual(['1', '2', '3'])
  for (const text of ['as planned', '(seen by us)', 'Between two rows.', 'Remember **this**.\n\n- and that'])
    expect(body.split(text)).toHaveLength(2)
  expect(body.split('| --- | --- | --- |')).toHaveLength(2)
})

test('a comment that people have filled takes no row', () => {
  expect(addToLog(`${NEW}\n${'x'.repeat(65_000)}`, entry('1'))).toBeUndefined()
})

/** What strangers may call a branch, themselves, a check or a page. */
const hostile = fc.oneof(
  fc.constantFrom('@octocat', '`@octocat`', 'a | b', '<!-- row=1 --> |', '<!-- left -->', '\u202e\u001b[31m'),
  fc.constantFrom('\n| x | <!-- row=9 --> |', '--> <!-- docs-agent-action: job=job_2 -->', '[x](javascript:1)'),
  fc.constantFrom('</a></code><img src=x>', '#1 GH-1 www.example.com'),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
)
const address = hostile.map((text) => `https://example.com/${text}`)
const quoted = hostile.map((text) => `\`${text.replaceAll('`', "'")}\``)
const told = fc.record({
  text: fc.tuple(quoted, quoted).map(([a, b]) => `push to ${a} by ${b}`),
  url: fc.option(fc.oneof(fc.webUrl(), hostile, address), { nil: undefined }),
})
const remark = fc.constantFrom('A remark.', '| a | table |\n| --- | --- |', '- a list', '**bold**')
const step = fc.record({
  rows: fc.array(fc.record({ startedBy: told, end: told }), { minLength: 1, maxLength: 60, size: 'max' }),
  left: fc.option(fc.array(told, { maxLength: 6 }), { nil: undefined }),
  byHand: fc.option(remark, { nil: undefined }),
})
const MAY_SHOW = ['p', 'code', 'a', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'strong', 'ul', 'li', 'em']

test('over random steps rows only grow, nothing of strangers comes alive, and the limit holds', () => {
  let longest = 0
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 9, size: 'max' }), (steps) => {
      let body = NEW
      let serial = 0
      const remarks: string[] = []
      for (const { rows, left, byHand } of steps) {
        const before = { rows: rowsIn(body), folded: foldedIn(body) }
        const added = rows.map((one) => row(String(serial++), one))
        body = addToLog(body, { ...entry(), rows: added, left }) ?? ''
        longest = Math.max(longest, body.length)
        expect(body.length).toBeLessThanOrEqual(65_536)
        const now = rowsIn(body)
        const gone = foldedIn(body) - before.folded
        expect(gone + now.length).toBe(before.rows.length + rows.length)
        expect(now.slice(0, Math.max(0, before.rows.length - gone))).toEqual(before.rows.slice(gone))
        expect(keysIn(body).at(-1)).toBe(String(serial - 1))
        expect(readMarker(body)?.jobId).toBe('job_1')
        const html = marked.parse(body, { async: false }).replaceAll(/<!--.*?-->/g, '')
        expect(html).not.toContain('@')
        expect(html).not.toMatch(/href="(?!https?:)/)
        const tags = new Set(Array.from(html.matchAll(/<(\w+)/g), ([, tag]) => tag))
        for (const tag of tags) expect(MAY_SHOW).toContain(tag)
        if (byHand === undefined) continue
        remarks.push(byHand)
        body += `\n\n${byHand}`
      }
      for (const remark of remarks) expect(body).toContain(remark)
    }),
    { seed: SEED, numRuns: 30 },
  )
  // A proof in which nothing was ever too long would prove nothing of that.
  expect(longest).toBeGreaterThan(60_000)
})
