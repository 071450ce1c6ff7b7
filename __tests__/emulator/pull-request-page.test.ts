import { expect, test } from '@jest/globals'
import { startHistory } from '../../src/agent/history/state.ts'
import { renderHistory } from '../../src/agent/history/render.ts'
import { renderComment } from '../../src/emulator/comment-html.ts'
import { createPullState } from '../../src/emulator/github/pull-state.ts'
import { createRepositoryState } from '../../src/emulator/github/repository-state.ts'
import { type JobRecord, planTurn } from '../../src/emulator/service/job-machine.ts'
import { createPullRequestResponse } from '../../src/emulator/pull-request-page.ts'
import { DEFAULT_TURN } from '../../src/emulator/service/scenarios.ts'
import { checkRun, commit } from '../../testing/github-state.ts'

/** Renders the page of a job whose first turn ends at 20 s, and whose follow-up ends at 80 s. */
function renderPageAt(nowMs: number, prompt = 'x', { followUp = 'y', repository = createRepositoryState() } = {}) {
  const turns = [planTurn(prompt, DEFAULT_TURN, 0), planTurn(followUp, DEFAULT_TURN, 60_000)] as const
  const repositoryName = 'acme/docs'
  const job: JobRecord = {
    id: 'job_1',
    projectId: 'docs',
    repository: repositoryName,
    createdAtMs: 0,
    pullNumber: 7,
    turns,
  }
  return createPullRequestResponse(job, repository, nowMs)
}

test('responds with 404 before the agent has pushed, and without a job', () => {
  expect([19_999, 20_000].map((nowMs) => renderPageAt(nowMs).status)).toEqual([404, 200])
  expect(createPullRequestResponse(undefined, createRepositoryState(), 20_000).status).toBe(404)
})

test('shows number, state, instruction, files and diff, and forbids scripts', () => {
  const { body, headers } = renderPageAt(20_000, 'Document the flag.')
  const parts = ['#7', 'Open', 'Document the flag.', 'docs/flag.md', 'docs/index.md', '<ins>+# Document the flag.']
  for (const text of parts) expect(body).toContain(text)
  expect(headers['content-security-policy']).toContain("default-src 'none'")
})

test('shows a follow-up once it is pushed, collapsed so that the conversation stays visible', () => {
  const [before = '', after = ''] = [79_999, 80_000].map((ms) => renderPageAt(ms, 'One.', { followUp: 'Two.' }).body)
  expect(before).not.toContain('Two.')
  expect(before).toContain('<details open>\n<summary>Instruction')
  expect(after).toMatch(/<details>\n<summary>Follow-up 1[^]*Two\./)
})

test('escapes HTML in a prompt', () => {
  const { body } = renderPageAt(20_000, `</pre><script>alert(1)</script><img src="x" onerror='y'>&copy;`)
  expect(body).not.toMatch(/<script|<img|&copy;/)
  expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(body).toContain('&amp;copy;')
})

test('truncates a very long prompt', () => {
  const { body } = renderPageAt(20_000, `Title\n${'x'.repeat(1_000_000)}`)
  expect(body.length).toBeLessThan(20_000)
  expect(body).toContain('[…]')
})

test('shows the state, labels and comments on GitHub, and the current checks of the newest commit', () => {
  const headSha = commit('a')
  const comment = { id: 1, user: 'mona', body: '<!-- marker -->\nShorten <it>.', createdAtMs: 0, reactions: [] }
  const pull = { branch: 'agent/job_1', headSha, labels: ['docs-agent'], comments: [comment], draft: true }
  const note = { path: 'a.md', start_line: 4, end_line: 4, annotation_level: 'failure', title: null } as const
  const build = {
    name: 'build',
    headSha,
    startedAtMs: 50_000,
    completedAtMs: 60_000,
    conclusion: 'failure',
    title: 'Broken',
    annotations: [{ ...note, message: 'Gone.' }],
  }
  const preview = { headSha, context: 'preview' }
  const repository = createRepositoryState({
    pulls: { 7: createPullState(pull) },
    checkRuns: [
      checkRun(build),
      checkRun({ name: 'old', headSha: commit('b') }),
      checkRun({ name: 'late', headSha, createdAtMs: 40_000 }),
    ],
    statuses: [
      { ...preview, state: 'pending', createdAtMs: 0 },
      { ...preview, state: 'success', createdAtMs: 60_000 },
    ],
  })
  const pages = [20_000, 50_000, 60_000].map((nowMs) => renderPageAt(nowMs, 'x', { repository }).body)
  for (const page of pages) {
    expect(page).toContain('<span class="state draft">Draft</span>')
    expect(page).toContain('<span class="label">docs-agent</span>')
    expect(page).toMatch(/mona <small>commented .*[^]*<div><p>Shorten &lt;it&gt;\.<\/p><\/div>/)
  }
  const checks = pages.map((page) =>
    Array.from(page.matchAll(/<li class="(\w+)">(\w+) /g), ([, state, name]) => `${name} ${state}`),
  )
  expect(checks).toEqual([
    ['build queued', 'preview running'],
    ['build running', 'late passed', 'preview running'],
    ['build failed', 'late passed', 'preview passed'],
  ])
  expect(pages[2]).toContain('build <small>github-actions, failed</small><pre>Broken\na.md:4: Gone.</pre>')
})

test('renders the history comment of a pull request as GitHub does', () => {
  const url = 'https://github.com/acme/docs/actions/runs/42'
  const row = {
    ...{ run: 42, attempt: 1, job: 'docs', action: 'agent', turn: 1, url, step: 'agent' },
    ...{ start: '2026-01-31T03:00:05.000Z', until: '2026-01-31T04:00:05.000Z', end: '2026-01-31T03:10:05.000Z' },
    ...{
      startedBy: { text: 'push to `main` by `mona`: 1 commit' },
      result: 'opened',
      sources: [],
    },
  }
  const left = { at: '2026-01-31T03:10:05.000Z', items: ['`links` failed', 'It is a draft.'] }
  expect(renderComment(renderHistory({ ...startHistory('job_1'), rows: [row], left }))).toContain(`<table>
<tr><th>When (UTC)</th><th>Started by</th><th>Result</th><th></th></tr>
<tr><td>2026-01-31 03:00</td><td>push to <code>main</code> by <code>mona</code>: 1 commit</td><td>opened</td><td><a href="${url}">run, step <code>agent</code></a></td></tr>
</table>
<p><b>Before it is merged</b> (2026-01-31 03:10:05 UTC)</p>
<ul class="list"><li><code>links</code> failed</li><li>It is a draft.</li></ul>`)
})

test.each([
  '<img src=x onerror=alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="https://x" onclick="alert(1)">x</a>',
  '[x](javascript:alert(1))',
  '[x](https://a"onclick="alert(1))',
  '| <script>alert(1)</script> |\n| --- |\n| <b onclick=x> |',
  '`<script>`',
])('does not render active content from a comment: %s', (body) => {
  const tags = Array.from(renderComment(body).matchAll(/<([^>]*)>/g), ([, tag = '']) => tag)
  const known = /^(?:\/?(?:p|table|tr|td|th|code|a|ul|li|b|br)|a href="https:[^"]*")$/
  expect(tags.filter((tag) => !known.test(tag))).toEqual([])
})
