import { expect, test } from '@jest/globals'
import { marked } from 'marked'
import { conclude } from '../../../src/agent/conclude.ts'
import { createUnstartedRun } from '../../../src/agent/record.ts'
import type { FailOn } from '../../../src/agent/facts.ts'
import { sortPagesFirst, renderSummary } from '../../../src/agent/output/summary.ts'
import type { Check } from '../../../src/github/checks.ts'
import { ActionError } from '../../../src/runtime/errors.ts'
import { COMMENT } from '../../../testing/comment-events.ts'
import { active, archived, completed, failed, failure, terminalJob } from '../../../testing/jobs.ts'
import {
  accept,
  ATTACH,
  CREATE,
  createReport,
  endWith,
  type Fields,
  FOLLOW_UP,
  stopWith,
  turnIn,
} from '../../../testing/report.ts'

const FAIL_ON = new Set<FailOn>(['failed', 'archived', 'timed-out'])

const REFUSED = new ActionError('unauthorized', 'No.', { hint: 'Check the key.', quote: 'expired' })

function summary(fields: Fields = {}): string {
  const report = createReport(fields)
  return renderSummary(report, conclude({ ...report, failOn: FAIL_ON }))
}

const COMPARED = 'https://github.com/acme/docs/compare/a...b'

test('shows what started the run, and the change if that is known', () => {
  const started: Fields = { startedBy: { text: 'push to `main` by `mona`', url: COMPARED } }
  const push = `<td><b>Triggered by</b></td><td><a href="${COMPARED}">push to <code>main</code> by <code>mona</code></a></td></tr>`
  expect(summary(started)).toContain(push)
  const change = '3 commits, 1 file.'
  expect(summary({ ...started, change })).toContain(`${push}\n<tr><td><b>Change</b></td><td>${change}</td>`)
})

const check = (name: string, state: Check['state'], fields: Partial<Check> = {}): Check => ({ name, state, ...fields })

test('sorts failed checks first, and shows each round with its prompt', () => {
  const checkList = [
    check('build', 'success', { tookMs: 65_000 }),
    check('deploy', 'pending', { waitsForApproval: true }),
    check('links', 'failure', { detailsUrl: 'https://checks.example.com/1' }),
  ]
  const markdown = summary({
    pullRequest: { checkList },
    rounds: [turnIn(endWith('unknown', failed), { failing: [check('links', 'failure')] })],
  })
  expect(markdown).toContain(`
<tr><td><a href="https://checks.example.com/1"><code>links</code></a></td><td>❌ failed</td><td></td></tr>
<tr><td><code>deploy</code></td><td>⏳ waits for approval</td><td></td></tr>
<tr><td><code>build</code></td><td>✅ passed</td><td>1 min 5 s</td></tr>
</table>

**Round 1:** sent <code>links</code>; failed

<details><summary>What was sent</summary><pre>And the index.</pre></details>
`)
})

test('lists the first 20 checks and counts the others', () => {
  const listed = Array.from({ length: 100 }, (_, index) => check(`page ${index + 1}`, 'success'))
  const markdown = summary({ pullRequest: { checkList: [...listed, check('more', 'success', { count: 150 })] } })
  expect(markdown).toContain('<tr><td>and 230 more</td>')
})

test('escapes underscores in the name of a repository', () => {
  const markdown = summary({
    state: endWith('created', terminalJob('completed', { prLink: 'https://git.example.com/acme/_my_docs/pull/7' })),
  })
  expect(markdown).toContain('### [Pull request #7 in acme/&#95;my&#95;docs](https://')
})

const listFiles = (...paths: string[]) => paths.map((path) => ({ path, additions: 1, deletions: 0 }))

test('lists twenty files and paths and counts the others', () => {
  const files = listFiles(...Array.from({ length: 25 }, (_, index) => `docs/${index}.md`))
  const outside = files.map(({ path }) => path)
  const markdown = summary({ files: { files, isComplete: false }, pullRequest: { outside } })
  expect(markdown).toContain('**Changed by this step:** at least 25 files, +25 −0')
  expect(markdown).toContain('<tr><td>and 5 more</td></tr>')
  expect(markdown).toContain('<code>docs&#47;19&#46;md</code>, and 5 more</td>')
  expect(markdown.match(/<td>\+1<\/td>/g)).toHaveLength(20)
})

test('sorts documentation before code, and otherwise keeps the order of GitHub', () => {
  const files = sortPagesFirst(listFiles('src/a.ts', 'docs/b.mdx', 'x.json', 'README.md'))
  expect(files.map(({ path }) => path)).toEqual(['docs/b.mdx', 'README.md', 'src/a.ts', 'x.json'])
})

test('omits sections without content', () => {
  for (const part of ['<table>\n</table>', 'Check</th>', 'Round', 'Triggered by', 'Changed by this step', '<details>'])
    expect(summary({ task: ATTACH })).not.toContain(part)
})

const getHeading = (fields: Fields): string | undefined =>
  summary({ projectId: 'docs-demo', stepId: '', ...fields }).split('\n')[0]

test.each<[string, Fields]>([
  ['new job', {}],
  ['follow-up', { task: FOLLOW_UP, state: endWith('created') }],
  ['attached', { task: ATTACH }],
  ['follow-up on an open pull request', { task: FOLLOW_UP, state: endWith('created'), followUpReason: 'pull-request' }],
  [
    'follow-up from a comment',
    { task: FOLLOW_UP, state: endWith('created'), followUpReason: 'comment', comment: COMMENT },
  ],
  ['new job from a comment', { comment: COMMENT }],
])('begins the heading with the news, then names the project and the kind of the step: %s', (kind, fields) => {
  expect(getHeading(fields)).toBe(`## ✅ Pull request opened · Docs agent · <code>docs&#45;demo</code> · ${kind}`)
})

test('distinguishes two steps of one workflow job by a short heading', () => {
  const [projectId, stepId] = ['x'.repeat(128), 'agent']
  const heading = getHeading({ projectId, stepId })
  expect(heading).toMatch(/ · <code>x{39}…<\/code> · step <code>agent<\/code> · new job$/)
  const report = createUnstartedRun(failure('invalid-input'), 0)
  expect(renderSummary(report, conclude(report))).toMatch(/^## ❌ The inputs are invalid · Docs agent\n/)
  const unchosen = { ...createReport(), turns: [{ task: CREATE, error: failure('not-sent') }] }
  expect(renderSummary(unchosen, conclude(unchosen))).toMatch(/^## ❌ Nothing was sent · Docs agent\n/)
})

test('shows the timeline with times, and the date once a day', () => {
  const times = ['2026-01-01T23:58:05Z', '2026-01-01T23:59:05Z', '2026-01-02T00:00:05Z'].map((at) => new Date(at))
  const timeline = times.map((at, index) => ({ at, elapsedMs: 5_000 + index * 60_000, event: 'It is `active`.' }))
  const markdown = summary({ timeline })
  expect(markdown.match(/<tr><td>[\d: -]+<\/td><td>[^<]*<\/td>/g)).toEqual([
    '<tr><td>2026-01-01 23:58:05</td><td>5 s</td>',
    '<tr><td>23:59:05</td><td>1 min 5 s</td>',
    '<tr><td>2026-01-02 00:00:05</td><td>2 min 5 s</td>',
  ])
  expect(markdown).toContain('<td>It is <code>active</code>.</td>')
})

const attaching = 'To wait for the job without a commit, run the workflow'
const SAID = [
  'The service says: <code>expired</code>',
  '**What to do:** Do not re-run: that starts a second job. Check the key. To wait for the job without a commit, run the workflow',
]

test.each<[string, Fields, string[]]>([
  [
    'a job that runs',
    { state: { sent: 'started', end: 'timed-out', job: active } },
    [`**What to do:** Do not re-run: that starts a second job. ${attaching}`],
  ],
  ['an error while the job runs', { state: stopWith(REFUSED, accept(active, true)) }, SAID],
  [
    'an error that says nothing about the job, while the job runs',
    { state: stopWith(new ActionError('unreachable', 'No.', { hint: 'Check the network.' }), accept(active, true)) },
    [`**What to do:** Check the network. ${attaching}`],
  ],
  [
    'a turn whose start was not seen',
    { task: FOLLOW_UP, state: stopWith('cancelled', accept()) },
    ['**What to do:** A re-run sends the prompt again. Look at the job'],
  ],
  [
    'a prompt that was not sent',
    { task: FOLLOW_UP, state: stopWith('cancelled', { job: active }) },
    ['**What to do:** Run the step'],
  ],
  [
    'a prompt with unknown delivery',
    { task: FOLLOW_UP, state: stopWith('maybe-sent', { sent: 'maybe', job: completed }) },
    [],
  ],
  ['a job that accepts another prompt', { pullRequest: { state: 'open' } }, []],
  [
    'a job of another label',
    { label: 'docs-agent-weekly', state: { sent: 'started', end: 'timed-out', job: active } },
    [
      `**What to do:** Do not re-run: that starts a second job. ${attaching} of the recipe \`attach.yml\` with \`job-id: job_1\` and \`label: docs-agent-weekly\`.`,
    ],
  ],
  ['an archived job', { state: endWith('unknown', archived) }, ['**What to do:** Run the step again']],
])('advises one thing at most, and how to wait for a job that may still run: %s', (_name, fields, parts) => {
  const markdown = summary(fields)
  const places = parts.map((part) => markdown.indexOf(part))
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  for (const part of ['What to do', 'Next steps', 'To wait for the job', 'with:', 'send a follow-up to this job'])
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

/** For texts that also contain the step's own words. */
const EVIL = '</code>](https://evil.example)<img src=x> @octocat `evil` ##[error]'

test('escapes untrusted text', async () => {
  const url = `https://example.com/${HOSTILE}`
  const checkList = [check(HOSTILE, 'failure', { detailsUrl: url })]
  const untrusted = { repository: HOSTILE, ref: HOSTILE, model: HOSTILE, createdAt: HOSTILE, unlistedStatus: HOSTILE }
  const html = await marked.parse(
    summary({
      task: { kind: 'create', prompt: HOSTILE },
      state: endWith('created', { ...completed, ...untrusted }),
      change: EVIL,
      startedBy: { text: `push by \`${HOSTILE.replaceAll('`', "'")}\``, url },
      files: { files: [{ path: HOSTILE, additions: 1, deletions: 1 }], isComplete: true },
      rounds: [
        turnIn(
          stopWith(
            new ActionError('internal', 'No.', { quote: HOSTILE }),
            endWith('unknown', { ...failed, unlistedStatus: HOSTILE }),
          ),
          { task: { kind: 'follow-up', jobId: 'job_1', prompt: HOSTILE }, failing: checkList },
        ),
      ],
      pullRequest: { state: 'open', branch: HOSTILE, title: HOSTILE, outside: [HOSTILE], checkList },
      timeline: [{ at: new Date(0), elapsedMs: 0, event: EVIL }],
      warnings: [{ message: 'The label', error: new ActionError('forbidden', EVIL, { hint: EVIL }) }],
    }),
    { gfm: true },
  )
  // Every text is shown, and some texts twice.
  expect(html.match(/octocat/g)).toHaveLength(22)
  const outsideCode = html.replace(/<(code|pre)>[^<]*<\/\1>| href="https:[^"]*"/g, '')
  expect(outsideCode).not.toMatch(/evil|octocat|alert|heading|left|right/i)
  expect(html).not.toMatch(/<(?!\/?(?:h2|h3|p|a|strong|b|code|pre|table|tr|td|th|details|summary)\b)/)
  expect(html).not.toMatch(/[\u0000-\u0008\u001b\u202a-\u202e\u2066-\u2069]/)
})

const SAID_BY_GITHUB =
  'GitHub says “Hello @octocat see #1 https://evil.example.com/x _evil_ ~~evil~~ $evil^2$ :evil:” (422).'

test('escapes the message of GitHub about a failed request', async () => {
  const error = new ActionError('not-sent', `No. ${SAID_BY_GITHUB}`, { hint: `Look: ${SAID_BY_GITHUB}` })
  const failed = await marked.parse(summary({ state: stopWith(error) }), { gfm: true })
  const warnings = [{ message: 'The checks', error: new ActionError('forbidden', SAID_BY_GITHUB) }]
  const withWarning = summary({ waitForChecks: true, warnings, pullRequest: { state: 'open' } })
  for (const [html, times] of [
    [failed, 2],
    [await marked.parse(withWarning, { gfm: true }), 1],
  ] as const) {
    expect(html.match(/octocat/g)).toHaveLength(times)
    expect(html.replace(/<code>[^<]*<\/code>/g, '')).not.toMatch(/evil|octocat|#1|<(?:em|del)\b/)
  }
})

test('limits the size of a summary with a huge prompt and huge facts', () => {
  const prompt = '<&🎉'.repeat(500_000)
  const markdown = summary({
    task: { kind: 'create', prompt },
    state: endWith('created', { ...completed, model: '!'.repeat(60_000) }),
    pullRequest: { state: 'open' },
  })
  expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(256 * 1024)
  expect(markdown).toContain('cut here, 3000000 bytes in all')
})

test('shows the last known state of the pull request only if the result does not show it', () => {
  const pullRequest = { checks: 'success' } as const
  expect(summary({ pullRequest }).match(/checks|Last known state/g)).toEqual(['checks'])
  const cancelled = summary({ state: stopWith('cancelled', endWith('created')), pullRequest })
  expect(cancelled).toContain('<td><b>Last known state</b></td><td>All its checks have passed.')
})
