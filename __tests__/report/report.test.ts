import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { AGENT_USER, BOT, MAINTAINER, OUTSIDER, REVIEWER } from '../../src/emulator/github/demo-state.ts'
import type { GitHubFault } from '../../src/emulator/github/github-faults.ts'
import { closeIssue, openPull, pushCommit } from '../../src/emulator/github/repository-changes.ts'
import type { GitHubState } from '../../src/emulator/github/state.ts'
import { root } from '../../testing/markdown-files.ts'
import {
  addAgentPull,
  type AgentPull,
  createDocs,
  daysAgo,
  historyComment,
  historyRow,
  isoDaysAgo,
  type PlayedReport,
  type PlayReport,
  playReport,
} from '../../testing/play-report.ts'

/** Plays a report about pull requests of the agent from #10 on. */
function playPulls(
  pulls: readonly AgentPull[],
  given: Readonly<Record<string, string>> = {},
  { docs = createDocs(), prepare, ...more }: PlayReport = {},
): Promise<PlayedReport> {
  return playReport(given, {
    ...more,
    docs,
    prepare(state) {
      for (const [index, pull] of pulls.entries()) addAgentPull(state, docs, 10 + index, pull)
      prepare?.(state)
    },
  })
}

const ROW = historyRow()
const OPENED_RECENTLY = { rows: [ROW], openedDaysAgo: 2 }

test('the summary begins with the answer and with what needs attention', async () => {
  const pulls = [{ rows: [ROW], mergedDaysAgo: 19 }, OPENED_RECENTLY, { rows: [ROW] }]
  const { isGreen, title, summary } = await playPulls(pulls)
  expect([isGreen, title]).toEqual([true, '3 opened, 1 merged, 1 needs attention'])
  const blocks = summary.split('\n\n')
  expect(blocks[0]).toMatch(/^## ⚠️ 3 opened, 1 merged, 1 needs attention · Docs report · /)
  expect(blocks[1]).toBe(
    'In 30 days the agent opened 3 pull requests: 1 merged without edits, 2 open. Half of the merges took at most 1 day.',
  )
  expect(blocks.filter((block) => block.startsWith('### '))).toEqual([
    '### What needs attention',
    '### By prompt',
    '### By the week in which they were opened',
  ])
  expect(summary).toContain('runs in which the agent opened no pull request')
})

test.each([
  ['without a pull request', [], '0 opened, 0 merged, 0 need attention'],
  ['without one that needs attention', [OPENED_RECENTLY], '1 opened, 0 merged, 0 need attention'],
])('%s it is green', async (_what, pulls, expected) => {
  const { isGreen, title, summary, result } = await playPulls(pulls)
  expect([isGreen, title, result.open]).toEqual([true, expected, pulls.length])
  expect(summary).toMatch(/^## ✅ /)
})

const REVIEW = 'ask somebody for a review'
test.each<[what: string, pull: AgentPull, why: string, toDo: string]>([
  ['is older than three days', { openedDaysAgo: 5 }, 'open for 5 days', REVIEW],
  ['was opened before these days', { openedDaysAgo: 50 }, 'open for 50 days', REVIEW],
  ['is an old draft', { openedDaysAgo: 5, fields: { draft: true } }, 'open for 5 days', 'mark it as ready'],
  [
    'conflicts',
    { openedDaysAgo: 1, fields: { conflict: true } },
    'conflicts with its base branch',
    'resolve the conflict, or ask the agent to',
  ],
  [
    'is not finished',
    { openedDaysAgo: 1, rows: [ROW, historyRow({ run: 8, outcome: 'timed-out' })] },
    'the agent did not finish',
    'check what is missing',
  ],
])('an open pull request needs attention if it %s', async (_what, pull, why, to_do) => {
  const { result } = await playPulls([{ rows: [ROW], ...pull }])
  expect(result.waiting).toMatchObject([{ number: 10, why, to_do, asked: [] }])
})

/** A failed check of the head of #10. */
const failCheck = ({ repositories: { 'acme/docs': docs } }: GitHubState): void => {
  const sha = docs?.pulls[10]?.headSha ?? ''
  docs?.statuses.push({ headSha: sha, context: 'lint', state: 'failure', createdAtMs: daysAgo(1) })
}

test('an open pull request needs attention if its checks failed', async () => {
  const { result } = await playPulls([OPENED_RECENTLY], {}, { prepare: failCheck })
  expect(result.waiting).toMatchObject([{ number: 10, why: 'checks failed', to_do: 'look at the checks' }])
})

test('without permission to read checks, it says that they are not known, and what to grant', async () => {
  const { isGreen, result, summary } = await playPulls(
    [OPENED_RECENTLY],
    {},
    {
      prepare(state) {
        failCheck(state)
        state.permissions = { 'pull-requests': 'read', contents: 'read' }
      },
    },
  )
  expect([isGreen, result.waiting]).toEqual([true, []])
  expect(summary).toContain('Checks could not be read: they need `checks: read` and `statuses: read`')
})

test('names the people and the teams who were asked for a review', async () => {
  const docs = createDocs()
  const { result, summary } = await playPulls(
    [{ rows: [ROW] }],
    {},
    {
      docs,
      prepare() {
        const request = { event: 'review_requested', actor: MAINTAINER, atMs: daysAgo(5) } as const
        docs.pulls[10]?.reviewEvents.push(
          { id: 1, name: REVIEWER, ...request },
          { id: 2, name: 'acme/writers', ...request },
        )
      },
    },
  )
  expect(result.waiting).toMatchObject([
    { asked: [REVIEWER, 'acme/writers'], to_do: 'remind those who were asked for a review' },
  ])
  expect(summary).toContain('acme&#47;writers')
})

/** The pull request of a person: only a trusted history shows that the agent works on it. */
const BY_PERSON = { rows: [ROW], fields: { user: MAINTAINER } }
const isCounted = ({ result }: PlayedReport): boolean => result.open === 1

describe('a pull request of a person is counted', () => {
  test('with a history of the agent', async () => {
    expect(isCounted(await playPulls([BY_PERSON]))).toBe(true)
  })

  test.each<[who: string, pull: AgentPull, log?: string]>([
    ['nobody', { comment: '' }],
    ['a person without write access', { by: OUTSIDER }],
    ['the author of the pull request, without write access', { by: OUTSIDER, fields: { user: OUTSIDER } }],
    ['a person who writes a row below other text', { comment: `Hello.\n${historyComment([ROW])}`, by: MAINTAINER }],
    ['another app', { by: BOT }, 'not counted: it is by an app, and `github-token` is not of this app.'],
    [
      'the agent, which somebody has edited',
      { comment: historyComment([ROW]).replace('"v":1', '"v":2') },
      'The history comment of #10 is not counted: somebody has edited it.',
    ],
  ])('but not with a history by %s', async (_who, pull, log = '') => {
    const played = await playPulls([{ ...BY_PERSON, ...pull }])
    expect(isCounted(played)).toBe(false)
    expect(played.log.join('\n')).toContain(log)
  })

  test('with a history by a person with write access, as in the action', async () => {
    const pull = { rows: [ROW], by: REVIEWER, fields: { user: REVIEWER } }
    expect(isCounted(await playPulls([pull]))).toBe(false)
    const docs = createDocs()
    docs.collaborators[REVIEWER] = 'write'
    expect(isCounted(await playPulls([pull], {}, { docs }))).toBe(true)
  })
})

test.each([
  ['no history comment', { comment: '' }],
  ['a history whose first rows are missing', { rows: [ROW], dropped: 2 }],
  ['a history that began after it was opened', { rows: [historyRow({ effect: 'updated' })] }],
  ['a history of an earlier version', { rows: [historyRow({ prompt: undefined })] }],
])('the prompt of a pull request is not known with %s', async (_what, pull) => {
  const { result } = await playPulls([{ mergedDaysAgo: 19, ...pull }])
  expect(result.prompts).toMatchObject([
    { prompt: null, opened: 1, merged_as_opened: 1, follow_ups: null, rounds: null, unchanged: null },
  ])
})

test('labels are compared without case, and `*` stands for any end', async () => {
  const pulls = ['docs-agent', 'Translations-de', 'translations', 'other'].map((label) => ({
    rows: [ROW],
    fields: { labels: [label] },
  }))
  const { result } = await playPulls(pulls, { label: 'Docs-Agent\ntranslations-*' })
  expect(result.waiting.map(({ number }) => number)).toEqual([10, 11])
})

test('reads the pull requests of another repository', async () => {
  const [docs, site] = [createDocs(), createDocs()]
  const prepare = (state: GitHubState): void => {
    addAgentPull(state, docs, 10, { rows: [ROW] })
    addAgentPull(state, site, 11, { rows: [ROW] })
  }
  const { result, summary } = await playReport({ 'pr-repository': 'acme/site' }, { docs, site, prepare })
  expect(result).toMatchObject({ opened: 1, waiting: [{ url: expect.stringMatching(/\/acme\/site\/pull\/11$/) }] })
  expect(summary).toContain('/acme/site/pull/11"')
})

test('a token without a permission is red, with the permission to grant', async () => {
  const { isGreen, advice, result } = await playReport({}, { prepare: (state) => (state.permissions = {}) })
  expect([isGreen, result.error?.code, result.opened, result.complete]).toEqual([false, 'forbidden', null, false])
  expect(advice).toContain('Grant `pull-requests: read` under `permissions` of the job.')
})

test.each<[fault: GitHubFault, title: string, advice: string]>([
  [401, 'Invalid token', 'Check `github-token`.'],
  [403, 'The token lacks a permission', ''],
  ['reset', 'No response from GitHub', 'Check the proxy'],
  ['long-limit', 'Too many requests', 'Run the step again in an hour'],
])('an error speaks of GitHub and the token: %s', async (fault, title, advice) => {
  const played = await playReport({}, { faults: { 'pulls/list': Array.from({ length: 20 }, () => fault) } })
  expect([played.isGreen, played.title]).toEqual([false, title])
  expect(played.advice ?? '').toContain(advice)
})

test('a rate limit ends in a report about the newest pull requests, which says so', async () => {
  const pulls = Array.from({ length: 20 }, (_, index) => ({ rows: [ROW], openedDaysAgo: 25 - index, closedDaysAgo: 2 }))
  const limit = Array.from({ length: 30 }, (_, index) => (index < 10 ? ('none' as const) : ('long-limit' as const)))
  const { isGreen, result, summary, operations } = await playPulls(
    pulls,
    {},
    {
      faults: { 'issues/list-comments': limit },
    },
  )
  const { opened, closed, since } = result
  expect([isGreen, result.complete, closed]).toEqual([true, false, opened])
  expect(opened).toBe(10)
  expect(pulls.filter((pull) => daysAgo(pull.openedDaysAgo) > Date.parse(since ?? ''))).toHaveLength(opened ?? 0)
  expect(summary).toMatch(/^## ⚠️ .*\n\nSince 2025-12-\d\d 00:00:00 UTC the agent opened \d+ pull requests/)
  expect(summary).toContain("is missing. GitHub's rate limit is exceeded until 2026-01-02")
  expect(operations.length).toBeLessThan(20)
})

test('a pull request that cannot be read is not counted as none', async () => {
  const unavailable = ['none' as const, ...Array.from({ length: 4 }, () => 'unavailable' as const)]
  const pulls = [{ ...OPENED_RECENTLY, openedDaysAgo: 2.5 }, OPENED_RECENTLY]
  const { isGreen, result } = await playPulls(pulls, {}, { faults: { 'issues/list-comments': unavailable } })
  expect([isGreen, result.complete, result.opened]).toEqual([true, false, 1])
  expect(result.text).toMatch(/The report is incomplete: .*503/)
})

const HOSTILE_TEXTS = [
  '<script>alert(1)</script><!-- docs-agent-action: {} -->',
  '@mona [click](https://evil.example) ![x](https://evil.example/x.png)',
  '##[error]no\n::error::no\u2028## Done',
  '`code` **bold** | cell | </td></table>',
]

test.each(HOSTILE_TEXTS)('a title and a file with %j stay text', async (text) => {
  const { summary, outputs } = await playPulls([{ rows: [historyRow({ file: text })], fields: { title: text } }])
  expect(
    summary.replaceAll(
      /<code>[^<]*<\/code>|<\/?(?:table|tr|t[dh]|td (?:align|colspan)="\w+"|b|a href="[^"]*"|br)>|<\/a>/g,
      '',
    ),
  ).not.toMatch(/[<@]|\]\(|!\[|##\[|\*\*/)
  expect(outputs['result']).not.toMatch(/##\[|::|\n/)
})

test('the result says how many pull requests and prompts it leaves out, if it is too long', async () => {
  const pulls = Array.from({ length: 110 }, (_, index) => ({
    rows: [historyRow({ prompt: index.toString(16).padStart(8, '0'), file: 'ä'.repeat(400) })],
  }))
  const { result, outputs, summary } = await playPulls(pulls)
  expect(result.left_out.waiting).toBeGreaterThan(5)
  expect(result.waiting.length + result.left_out.waiting).toBe(110)
  expect(result.prompts.length + result.left_out.prompts).toBe(110)
  expect(Buffer.byteLength(outputs['result'] ?? '')).toBeLessThanOrEqual(32 * 1024)
  expect(summary).toContain('And 100 more pull requests, in the output `result`.')
})

test('the documented schema is valid', () => {
  const schema = JSON.parse(readFileSync(`${root}docs/report.schema.json`, 'utf8')) as object
  expect(new Ajv2020().validateSchema(schema)).toBe(true)
})

test('pull requests that a long list lacks are not counted as none', async () => {
  const docs = createDocs()
  const prepare = (): void => {
    pushCommit(docs, 'topic', { message: 'Begin', author: MAINTAINER, files: [] }, daysAgo(15))
    for (let number = 101; number <= 1_100; number++) {
      const pull = openPull(docs, number, { title: 'Topic', user: MAINTAINER, branch: 'topic' }, daysAgo(15))
      closeIssue(docs, pull, daysAgo(9))
    }
  }
  const { result } = await playPulls([{ rows: [ROW], mergedDaysAgo: 19 }], { days: '90' }, { docs, prepare })
  expect([result.opened, result.complete, result.since]).toEqual([0, false, isoDaysAgo(9)])
  expect(result.text).toContain('Only the 1,000 pull requests that were updated last are read.')
})

test('a cancelled run is red, and says so at once', async () => {
  const { isGreen, title, result } = await playReport({}, { cancelAfterMs: 1_500 })
  expect([isGreen, title, result.error?.code]).toEqual([false, 'Cancelled', 'cancelled'])
})

test('it reads only, with few requests', async () => {
  const { operations, writes } = await playPulls([{ rows: [ROW], mergedDaysAgo: 9, laterCommits: [AGENT_USER] }])
  expect(writes).toEqual([])
  expect(operations.length).toBeLessThanOrEqual(4)
})
