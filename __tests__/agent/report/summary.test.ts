import { expect, test } from '@jest/globals'
import { marked } from 'marked'
import { conclude } from '../../../src/agent/report/conclusion.ts'
import { type FailOn } from '../../../src/agent/inputs/fail-on.ts'
import { renderSummary } from '../../../src/agent/report/summary.ts'
import { ActionError } from '../../../src/runtime/errors.ts'
import { ATTACH, FOLLOW_UP } from '../../support/agent-run.ts'
import { COMMENT } from '../../support/comment-events.ts'
import { active, archived, completed, failure, LINK } from '../../support/fake-client.ts'
import { reportOf, type Fields } from '../../support/report.ts'

const FAIL_ON = new Set<FailOn>(['failed', 'archived', 'timeout'])

const REFUSED = new ActionError('unauthorized', 'The service refused the key (401).', {
  hint: 'Check the key.',
  quote: 'expired',
})

function summary(fields: Fields = {}): string {
  const report = reportOf(fields)
  return renderSummary(report, conclude(report, FAIL_ON))
}

const TOLD: Fields = {
  operation: 'created',
  job: { ...completed, createdAt: '2026-01-01T03:00:00.123Z' },
  startedBy: { text: 'push to `main` by `mona`: 3 commits', url: 'https://github.com/acme/docs/compare/a...b' },
  pullRequest: {
    ...{
      title: 'Explain the limits',
      state: 'open',
      branch: 'agent/guide',
      headSha: 'c'.repeat(40),
      checks: 'failure',
    },
    checkList: [
      { name: 'build', state: 'success', tookMs: 65_000 },
      { name: 'links', state: 'failure', detailsUrl: 'https://checks.example.com/1' },
      { name: 'deploy', state: 'pending', waitsForApproval: true },
    ],
  },
  changes: {
    files: [
      { path: 'src/a.ts', additions: 1, deletions: 0 },
      { path: 'docs/limits.md', additions: 12, deletions: 3 },
    ],
    isWhole: true,
  },
  rounds: [
    {
      task: FOLLOW_UP,
      failing: [{ name: 'links', state: 'failure' }],
      result: { outcome: 'pull-request', operation: 'updated', added: { commits: 2, since: '' } },
    },
  ],
}

test('tells the verdict, the pull request, what changed in it, its checks and rounds, what started it, and then the job', () => {
  const markdown = summary(TOLD)
  const inOrder = [
    '## ⚠️ Docs agent · new job: Pull request opened, its checks failed',
    `### [<code>Explain the limits</code> #7 in acme/docs](${LINK})`,
    '**Changed by this step:** 2 files, +13 −3',
    '<tr><td><code>docs&#47;limits&#46;md</code></td><td>+12</td><td>−3</td></tr>\n<tr><td><code>src&#47;a',
    '<tr><th>Check</th><th>Result</th><th>Time</th></tr>',
    '<tr><td><a href="https://checks.example.com/1"><code>links</code></a></td><td>❌ failed</td><td></td></tr>',
    '<tr><td><code>deploy</code></td><td>⏳ waits for approval</td><td></td></tr>',
    '<tr><td><code>build</code></td><td>✅ passed</td><td>1 min 5 s</td></tr>',
    '**Round 1:** sent <code>links</code>; 2 new commits',
    '<details><summary>What was sent</summary><pre>And the index.</pre></details>',
    '<td><b>Triggered by</b></td><td><a href="https://github.com/acme/docs/compare/a...b">push to <code>main</code> by <code>mona</code>',
    '<td><b>Job</b></td><td><code>job&#95;1</code></td>',
    '<td><b>Status</b></td><td><code>completed</code></td>',
    '<td><b>Repository</b></td><td><code>acme&#47;docs</code> at <code>main</code></td>',
    '<td><b>Model</b></td><td><code>writer&#45;1</code></td>',
    '<td><b>Created</b></td><td><code>2026&#45;01&#45;01 03&#58;00&#58;00 UTC</code></td>',
    '<td><b>This step took</b></td><td>1 min 5 s</td>',
    '### Time line',
    '<details><summary>The prompt</summary><pre>Fix the guide.</pre></details>',
    '### What next\n\nTo tell the agent more, send a follow-up to this job:',
  ]
  const places = inOrder.map((part) => markdown.indexOf(part))
  expect(inOrder.filter((_part, index) => places[index] === -1)).toEqual([])
  expect(places).toEqual(places.toSorted((a, b) => a - b))
})

test('the commits of a push are counted by its change, where that is known', () => {
  expect(summary(TOLD)).toContain(': 3 commits</a>')
  const markdown = summary({ ...TOLD, change: '3 commits in 1 file.' })
  expect(markdown).toContain('<code>mona</code></a></td></tr>\n<tr><td><b>Change</b></td><td>3 commits in 1 file.</td>')
  expect(markdown.split('3 commits')).toHaveLength(2)
})

test('what there is nothing to tell of is left out', () => {
  for (const part of ['<table>\n</table>', 'Check</th>', 'Round', 'Triggered by', 'Changed by this step', '<details>'])
    expect(summary({ task: ATTACH })).not.toContain(part)
})

const headingOf = (fields: Fields): string | undefined =>
  summary({ origin: { projectId: 'docs-demo', stepId: '' }, operation: 'created', ...fields }).split('\n')[0]

test.each<[string, Fields]>([
  ['new job', {}],
  ['follow-up', { task: FOLLOW_UP }],
  ['attached', { task: ATTACH }],
  ['follow-up on an open pull request', { task: FOLLOW_UP, continued: 'pull-request' }],
  ['follow-up from a comment', { task: FOLLOW_UP, continued: 'comment', comment: COMMENT }],
  ['new job from a comment', { comment: COMMENT }],
])('the heading names the project and what kind of step it was: %s', (kind, fields) => {
  expect(headingOf(fields)).toBe(`## ✅ Docs agent · <code>docs&#45;demo</code> · ${kind}: Pull request opened`)
})

test('the heading tells two steps of one workflow job from each other, and stays short', () => {
  const [projectId, stepId] = ['x'.repeat(128), 'agent']
  const heading = headingOf({ origin: { projectId, stepId } })
  expect(heading).toContain(`<code>${'x'.repeat(39)}…</code> · step <code>agent</code> · new job: `)
  expect(headingOf({ origin: undefined, task: undefined })).toBe('## ✅ Docs agent: Pull request opened')
})

test('tells the story with times, and the day where it begins', () => {
  const entry = (at: string, elapsedMs: number) => ({ at: new Date(at), elapsedMs, event: 'The job is `active`.' })
  const timeline = [
    entry('2026-01-01T23:58:05Z', 5_000),
    entry('2026-01-01T23:59:05Z', 65_000),
    entry('2026-01-02T00:00:05Z', 125_000),
  ]
  const markdown = summary({ timeline })
  expect(markdown.match(/<tr><td>[\d: -]+<\/td><td>[^<]*<\/td>/g)).toEqual([
    '<tr><td>2026-01-01 23:58:05</td><td>5 s</td>',
    '<tr><td>23:59:05</td><td>1 min 5 s</td>',
    '<tr><td>2026-01-02 00:00:05</td><td>2 min 5 s</td>',
  ])
  expect(markdown).toContain('<td>The job is <code>active</code>.</td>')
})

const [attaching, copied] = ['To wait for the job, run the same step', '```yaml\nwith:\n  job-id: job_1\n```']
const cancelled = { outcome: 'cancelled', error: failure('cancelled'), task: FOLLOW_UP } as const

test.each<[string, Fields, string[]]>([
  ['a job that runs', { outcome: 'timed-out', job: active }, [`**What to do:** ${attaching}`, copied]],
  [
    'an error while the job runs',
    { outcome: 'error', job: active, error: REFUSED },
    ['The service says: <code>expired</code>', '**What to do:** Check the key.', '### What next', attaching, copied],
  ],
  ['a turn that was never seen', { ...cancelled, job: active, progress: 'taken' }, ['**What to do:** See the job']],
  ['a prompt that was not sent', { ...cancelled, job: active, progress: 'unsent' }, ['**What to do:** Run the step']],
  ['an unknown fate', { outcome: 'error', task: FOLLOW_UP, error: failure('unknown-fate') }, []],
  ['an archived job', { outcome: 'archived', job: archived }, ['**What to do:** Start a new job']],
])('there is at most one thing to do, and lines to copy only for what may be done: %s', (_name, fields, parts) => {
  const markdown = summary(fields)
  const places = parts.map((part) => markdown.indexOf(part))
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  for (const part of ['What to do', 'What next', 'To wait for the job', 'with:', 'send a follow-up to this job'])
    expect(markdown.split(part)).toHaveLength(parts.join('').includes(part) ? 2 : 1)
  expect(places).not.toContain(-1)
})

const HOSTILE = [
  '</code></pre></details><script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '@octocat #1 https://evil.example.com www.evil.example.com',
  '`code` **bold** [link](https://evil.example.com) ![image](https://evil.example.com/x.png)',
  '\n\n# A heading\n\n| a | b |\n| - | - |\n',
  '\r\n::error::x ##[error]y',
  '\u202eleft\u2066right\u0000\u001b[31m',
].join('\n')

/** Between words of our own: without what would pass for them. */
const EVIL = '</code>](https://evil.example)<img src=x> @octocat `evil` ##[error]'

test('nothing that others wrote comes alive', async () => {
  const [checks, url] = [[{ name: HOSTILE, state: 'failure' as const }], `https://example.com/${HOSTILE}`]
  const strangers = { repository: HOSTILE, ref: HOSTILE, model: HOSTILE, createdAt: HOSTILE, unlistedStatus: HOSTILE }
  const html = await marked.parse(
    summary({
      outcome: 'error',
      job: { ...completed, ...strangers },
      task: { kind: 'create', prompt: HOSTILE },
      error: new ActionError('rejected', 'No.', { quote: HOSTILE }),
      change: EVIL,
      startedBy: { text: `push by \`${HOSTILE.replaceAll('`', "'")}\``, url },
      changes: { files: [{ path: HOSTILE, additions: 1, deletions: 1 }], isWhole: true },
      rounds: [{ task: { kind: 'create', prompt: HOSTILE }, failing: checks, result: { outcome: 'failed' } }],
      pullRequest: {
        ...{ state: 'open', branch: HOSTILE, title: HOSTILE, scope: { fileCount: 1, outside: [HOSTILE] } },
        checkList: checks.map((check) => ({ ...check, detailsUrl: url })),
      },
      timeline: [{ at: new Date(0), elapsedMs: 0, event: EVIL }],
      shortfalls: [{ lost: 'The label', error: new ActionError('forbidden', EVIL, { hint: EVIL }) }],
    }),
    { gfm: true },
  )
  // All of it is shown, and some of it in two places.
  expect(html.match(/octocat/g)).toHaveLength(21)
  const outsideCode = html.replace(/<(code|pre)>[^<]*<\/\1>| href="https:[^"]*"/g, '')
  expect(outsideCode).not.toMatch(/evil|octocat|alert|heading|left|right/i)
  expect(html).not.toMatch(/<(?!\/?(?:h2|h3|p|a|strong|b|code|pre|table|tr|td|th|details|summary)\b)/)
  expect(html).not.toMatch(/[\u0000-\u0008\u001b\u202a-\u202e\u2066-\u2069]/)
})

test('stays far below the size that the runner takes, whatever the prompt', () => {
  const markdown = summary({ task: { kind: 'create', prompt: '<&🎉'.repeat(500_000) } })
  expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(256 * 1024)
  expect(markdown).toContain('cut here, 3000000 bytes in all')
  expect(markdown).toContain('What next')
})

test('a fact that never ends leaves room for what comes behind it', () => {
  const markdown = summary({ job: { ...completed, model: '!'.repeat(60_000) } })
  expect(markdown).toContain('What next')
})

test('tells the change as a sentence, and of the pull request only what the verdict has not told', () => {
  const pullRequest = {
    state: 'open',
    branch: 'agent/guide',
    headSha: 'c'.repeat(40),
    checks: 'success',
    scope: { fileCount: 3, outside: [] },
  } as const
  const change = '1 commit in 1 file: the push to `main`, from `aaaaaaa` to `bbbbbbb`.'
  const markdown = summary({ change, pullRequest })
  expect(markdown).toContain(
    '<td>1 commit in 1 file: the push to <code>main</code>, from <code>aaaaaaa</code> to <code>bbbbbbb</code>.</td>',
  )
  expect(markdown).toContain('<td>open, <code>agent&#47;guide</code></td>')
  expect(markdown.match(/checks/g)).toHaveLength(1)
  expect(markdown).not.toContain('Last seen of it')
  const cancelled = summary({ outcome: 'cancelled', error: failure('cancelled'), pullRequest })
  expect(cancelled).toContain('<td><b>Last seen of it</b></td><td>All its checks have passed.')
})

test('names some of the files that are out of scope, and counts the others', () => {
  const outside = Array.from({ length: 25 }, (_, index) => `src/file${index}.ts`)
  const markdown = summary({ pullRequest: { scope: { fileCount: 25, outside } } })
  expect(markdown).toContain('file19')
  expect(markdown).not.toContain('file20')
  expect(markdown).toContain(', and 5 more')
})
