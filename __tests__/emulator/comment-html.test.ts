import { expect, test } from '@jest/globals'
import { markerComment } from '../../src/agent/pull-request/marker.ts'
import { addToLog } from '../../src/agent/report/pull-request-log.ts'
import { renderComment } from '../../src/emulator/comment-html.ts'

test('the log of a pull request is shown as GitHub shows it', () => {
  const at = new Date('2026-01-31T03:00:05Z')
  const url = 'https://github.com/acme/docs/actions/runs/42'
  const body = addToLog(markerComment('job_1'), {
    at,
    rows: [{ key: '1', at, startedBy: { text: 'push to `main` by `mona`: 1 commit' }, end: { text: 'opened', url } }],
    left: [{ text: '`links` failed' }, { text: 'It is a draft.' }],
    followUps: 'Follow-ups: 0 of 20 used.',
  })
  expect(renderComment(body ?? '')).toBe(`<p>This pull request comes from the docs agent job <code>job_1</code>.</p>
<table>
<tr><th>When (UTC)</th><th>Started by</th><th>What came of it</th></tr>
<tr><td>2026-01-31 03:00</td><td>push to <code>main</code> by <code>mona</code>: 1 commit</td><td><a href="${url}">opened</a></td></tr>
</table>
<p><b>What is left</b> (2026-01-31 03:00:05 UTC)</p>
<ul class="list"><li><code>links</code> failed</li><li>It is a draft.</li></ul>
<p>Follow-ups: 0 of 20 used.</p>`)
})

test.each([
  '<img src=x onerror=alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="https://x" onclick="alert(1)">x</a>',
  '[x](javascript:alert(1))',
  '[x](https://a"onclick="alert(1))',
  '| <script>alert(1)</script> |\n| --- |\n| <b onclick=x> |',
  '`<script>`',
])('nothing that a stranger writes comes alive: %s', (body) => {
  const tags = Array.from(renderComment(body).matchAll(/<([^>]*)>/g), ([, tag = '']) => tag)
  const known = /^(?:\/?(?:p|table|tr|td|th|code|a|ul|li|b|br)|a href="https:[^"]*")$/
  expect(tags.filter((tag) => !known.test(tag))).toEqual([])
})
