import { expect, test } from '@jest/globals'
import { marked } from 'marked'
import { conclude } from '../../../src/agent/report/conclusion.ts'
import { type FailOn } from '../../../src/agent/inputs/fail-on.ts'
import { renderSummary } from '../../../src/agent/report/summary.ts'
import { ActionError } from '../../../src/shared/errors.ts'
import { ATTACH, FOLLOW_UP } from '../../support/agent-run.ts'
import { active, archived, completed, job, LINK } from '../../support/fake-client.ts'
import { reportOf, type Fields } from '../../support/report.ts'

const FAIL_ON = new Set<FailOn>(['failed', 'archived', 'timeout'])

function summary(fields: Fields = {}): string {
  const report = reportOf(fields)
  return renderSummary(report, conclude(report, FAIL_ON))
}

test('begins with the verdict, and the pull request is the first thing to click', () => {
  const lines = summary().split('\n')
  expect(lines[0]).toBe('## ✅ The pull request is ready')
  expect(lines[2]).toBe(`### [Pull request #7 in acme/docs](${LINK})`)
  expect(summary().indexOf('](')).toBe(summary().indexOf(`](${LINK})`))
})

test('the heading tells a new job from a follow-up, and two steps of one workflow job from each other', () => {
  const origin = { projectId: 'docs-demo', workflowJob: 'docs', stepId: 'agent' }
  const heading = (fields: Fields): string | undefined => summary({ origin, ...fields }).split('\n')[0]
  expect(heading({})).toBe(
    '## ✅ The pull request is ready (new job in <code>docs&#45;demo</code>, step <code>docs&#47;agent</code>)',
  )
  expect(heading({ task: FOLLOW_UP })).toContain('(follow-up in ')
  expect(heading({ task: ATTACH })).toContain('(attached in ')
  expect(heading({ task: undefined })).toBe('## ✅ The pull request is ready')
})

test('shows what is known of the job', () => {
  const html = summary({ job: { ...completed, createdAt: '2026-01-01T03:00:00Z' } })
  for (const fact of ['job&#95;1', '<td><code>completed</code></td>', 'acme&#47;docs', 'main', 'writer&#45;1', '1:05'])
    expect(html).toContain(fact)
})

test('tells the story with times', () => {
  expect(summary()).toContain('<tr><td>03:00:05</td><td>0:05</td><td>The job is completed.</td></tr>')
})

test('folds the prompt away', () => {
  expect(summary()).toContain('<details><summary>The prompt (14 bytes)</summary><pre>Fix the guide.</pre></details>')
  expect(summary({ task: ATTACH })).not.toContain('<details>')
})

test('shows the lines to copy for a follow-up, and for attaching while the job runs', () => {
  expect(summary()).toContain('with:\n  job-id: job_1\n  prompt:')
  expect(summary()).not.toContain('with:\n  job-id: job_1\n```')
  expect(summary({ outcome: 'timed-out', job: active })).toContain('with:\n  job-id: job_1\n```')
})

test('offers no follow-up to an archived job', () => {
  expect(summary({ outcome: 'archived', job: archived })).not.toContain('What next')
})

test('a red step says what to do', () => {
  const error = new ActionError('forbidden', 'The key may not do this (403).', {
    hint: 'Check its scope.',
    quote: 'read only',
  })
  const markdown = summary({ outcome: 'error', job: undefined, error })
  expect(markdown).toMatch(/^## ❌ /)
  expect(markdown).toContain('The service says: <code>read only</code>')
  expect(markdown).toContain('**What to do:** Check its scope.')
})

test('a link that is not safe is said, and nothing is there to click', () => {
  const markdown = summary({ outcome: 'no-changes', job: job({ status: 'completed', hasUnsafeLink: true }) })
  expect(markdown).toContain('not safe to link')
  expect(markdown).not.toContain('](')
})

test('a red follow-up shows no pull request, which is of an earlier turn', () => {
  const markdown = summary({ outcome: 'failed', task: FOLLOW_UP, turn: 'seen' })
  expect(markdown).not.toContain(LINK)
})

test('offers no attaching to a turn that was never seen', () => {
  const fields = { outcome: 'cancelled', task: FOLLOW_UP, job: active } as const
  expect(summary({ ...fields, turn: 'seen' })).toContain('To wait for it, attach to it')
  for (const turn of ['unsent', 'taken'] as const) expect(summary({ ...fields, turn })).not.toContain('attach to it')
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

test.each<[string, Fields]>([
  ['the repository', { job: { ...completed, repository: HOSTILE } }],
  ['the ref', { job: { ...completed, ref: HOSTILE } }],
  ['the model', { job: { ...completed, model: HOSTILE } }],
  ['the creation time', { job: { ...completed, createdAt: HOSTILE } }],
  ['an unlisted status', { job: job({ unlistedStatus: HOSTILE }) }],
  ['the prompt', { task: { kind: 'create', prompt: HOSTILE } }],
  ["the service's words", { outcome: 'error', error: new ActionError('rejected', 'No.', { quote: HOSTILE }) }],
])('nothing in %s comes alive', async (_name, fields) => {
  const html = await marked.parse(summary(fields), { gfm: true })
  const outsideCode = html.replace(/<(code|pre)>[^<]*<\/\1>/g, '')

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

const EVIL = '</code>](https://evil.example)<img src=x> @octocat `evil` ##[error]'

test('shows what was sent, and what GitHub knows of the pull request', async () => {
  const html = await marked.parse(
    summary({
      change: 'Compared: the push: 1 commit, 1 file.',
      pullRequest: {
        state: 'open',
        branch: 'agent/guide',
        headSha: 'c'.repeat(40),
        checks: 'none',
        scope: { fileCount: 3, outside: [] },
      },
    }),
    { gfm: true },
  )
  for (const part of ['the push', 'open', 'agent', 'ccccccc', 'none', 'all 3 files are inside']) {
    expect(html).toContain(part)
  }
})

test('a single file that is out of scope is named', () => {
  const markdown = summary({ pullRequest: { scope: { fileCount: 3, outside: ['src/a.ts'] } } })
  expect(markdown).toContain('src&#47;a')
})

test('names some of the files that are out of scope, and counts the others', () => {
  const outside = Array.from({ length: 25 }, (_, index) => `src/file${index}.ts`)
  const markdown = summary({ pullRequest: { scope: { fileCount: 25, outside } } })
  expect(markdown).toContain('file19')
  expect(markdown).not.toContain('file20')
  expect(markdown).toContain(', and 5 more')
})

test('nothing that GitHub tells comes alive either', async () => {
  const html = await marked.parse(
    summary({
      change: EVIL,
      pullRequest: {
        state: 'open',
        branch: EVIL,
        headSha: 'c'.repeat(40),
        scope: { fileCount: 1, outside: [EVIL] },
      },
      shortfalls: [{ lost: 'The label', error: new ActionError('forbidden', EVIL, { hint: EVIL }) }],
    }),
    { gfm: true },
  )
  expect(html.replace(/<(code|pre)>[^<]*<\/\1>/g, '')).not.toMatch(/evil|octocat|<img/)
})

test('says why nothing was asked of the service', () => {
  const markdown = summary({
    outcome: 'skipped',
    job: undefined,
    skipReason: 'No changed file counts by `paths`.',
    change: 'Compared: the push: 1 commit, 1 file, 0 of them by `paths`.',
  })
  expect(markdown).toContain('## ⏭️ Skipped: nothing to do now')
  expect(markdown).toContain('No changed file counts by `paths`.')
  expect(markdown).toContain('0 of them by')
})
