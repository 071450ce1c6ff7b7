import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { AGENT_USER, BOT, MAINTAINER, OUTSIDER, REVIEWER } from '../../src/emulator/github/demo-state.ts'
import type { GitHubFault } from '../../src/emulator/github/github-faults.ts'
import { closeIssue, openPull, pushCommit, writeComment } from '../../src/emulator/github/repository-changes.ts'
import type { RepositoryState } from '../../src/emulator/github/repository-state.ts'
import type { GitHubState } from '../../src/emulator/github/state.ts'
import { root } from '../support/markdown-files.ts'
import {
  addAgentPull,
  type AgentPull,
  createDocs,
  daysAgo,
  historyComment,
  historyRow,
  isoDaysAgo,
  type PlayedReport,
  playReport,
} from '../support/play-report.ts'

/** Plays a report about pull requests of the agent from #10 on. */
function playPulls(
  pulls: readonly AgentPull[],
  given: Readonly<Record<string, string>> = {},
  docs: RepositoryState = createDocs(),
): Promise<PlayedReport> {
  const prepare = (state: GitHubState): void => {
    for (const [index, pull] of pulls.entries()) addAgentPull(state, docs, 10 + index, pull)
  }
  return playReport(given, { docs, prepare })
}

const ROW = historyRow()
const OPENED_RECENTLY = { rows: [ROW], openedDaysAgo: 2 }

test('the title says how many pull requests have waited long, and the summary begins with them', async () => {
  const { isGreen, title, summary, result } = await playPulls([OPENED_RECENTLY, { rows: [ROW] }, { rows: [ROW] }])
  expect([isGreen, title]).toEqual([true, '2 pull requests need attention'])
  expect(summary).toMatch(/^## ⚠️ 2 pull requests need attention · Docs report · /)
  expect(summary.split('\n\n')[2]).toBe('### Waiting for a merge')
  expect(result).toMatchObject({ green: true, waiting: [{ number: 11 }, { number: 12 }], left_out: { waiting: 0 } })
})

test.each([
  ['without a pull request', [], 'No pull requests of the agent'],
  ['without one that has waited long', [OPENED_RECENTLY], 'No pull request needs attention'],
])('%s it is green', async (_what, pulls, expected) => {
  const { isGreen, title, summary, result } = await playPulls(pulls)
  expect([isGreen, title, result.pull_requests?.['open']]).toEqual([true, expected, pulls.length])
  expect(summary).toMatch(/^## ✅ /)
})

/** The pull request of a person: only a trusted history shows that the agent works on it. */
const BY_PERSON = { rows: [ROW], fields: { user: MAINTAINER } }
const isCounted = ({ result }: PlayedReport): boolean => result.pull_requests?.['open'] === 1

describe('a pull request of a person is counted', () => {
  test('with a history of the agent', async () => {
    const played = await playPulls([BY_PERSON])
    expect([isCounted(played), played.result.pull_requests?.['turns']]).toEqual([true, 1])
  })

  test.each<[who: string, pull: AgentPull, log?: string]>([
    ['nobody', { comment: '' }],
    ['a person without write access', { by: OUTSIDER }],
    ['the author of the pull request, without write access', { by: OUTSIDER, fields: { user: OUTSIDER } }],
    ['a person who writes a row below other text', { comment: `Hello.\n${historyComment([ROW])}`, by: MAINTAINER }],
    [
      'another app',
      { by: BOT },
      'The history comment of #10 is by an app, and `github-token` is not of this app, so its turns are not counted.',
    ],
    [
      'the agent, which somebody has edited',
      { comment: historyComment([ROW]).replace('"v":1', '"v":2') },
      'Somebody has edited the history comment of #10, so its turns are not counted.',
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
    expect(isCounted(await playPulls([pull], {}, docs))).toBe(true)
  })
})

test('a copy of a history by an outsider does not hide that the history of another app cannot be read', async () => {
  const docs = createDocs()
  const prepare = (state: GitHubState): void => {
    addAgentPull(state, docs, 10, { rows: [ROW], by: BOT })
    const { 10: pull } = docs.pulls
    if (pull !== undefined) writeComment(state, pull, OUTSIDER, historyComment([]), daysAgo(3))
  }
  const { result, log } = await playReport({}, { docs, prepare })
  expect(result.pull_requests).toMatchObject({ open: 1, turns: 0 })
  expect(log.join('\n')).toContain('The history comment of #10 is by an app')
})

test('a pull request whose comments cannot be read is counted without its turns, and the log says so', async () => {
  const docs = createDocs()
  const prepare = (state: GitHubState): void => {
    addAgentPull(state, docs, 10, { rows: [ROW] })
  }
  const faults = { 'issues/list-comments': Array.from({ length: 4 }, () => 'unavailable' as const) }
  const { isGreen, result, log } = await playReport({}, { docs, prepare, faults })
  expect([isGreen, result.pull_requests]).toMatchObject([true, { open: 1, turns: 0 }])
  expect(log.join('\n')).toMatch(/The comments of #10 could not be read, so its turns are not counted: .*503/)
})

test('reads the pull requests of another repository', async () => {
  const [docs, site] = [createDocs(), createDocs()]
  const prepare = (state: GitHubState): void => {
    addAgentPull(state, docs, 10, { rows: [ROW] })
    addAgentPull(state, site, 11, { rows: [ROW] })
  }
  const { result, summary } = await playReport({ 'pr-repository': 'acme/site' }, { docs, site, prepare })
  expect(result).toMatchObject({ pr_repository: 'acme/site', waiting: [{ number: 11 }] })
  expect(summary).toContain('/acme/site/pull/11"')
})

test('a token without a permission is red, with the permission to grant', async () => {
  const { isGreen, advice, result } = await playReport({}, { prepare: (state) => (state.permissions = {}) })
  expect([isGreen, result.error?.code]).toEqual([false, 'forbidden'])
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

const HOSTILE_TEXTS = [
  '<script>alert(1)</script><!-- docs-agent-action: {} -->',
  '@mona [click](https://evil.example) ![x](https://evil.example/x.png)',
  '##[error]no\n::error::no\u2028## Done',
  '`code` **bold** | cell | </td></table>',
]

test.each(HOSTILE_TEXTS)('a title with %j stays text', async (title) => {
  const { summary, outputs } = await playPulls([{ rows: [ROW], fields: { title } }])
  expect(summary.replaceAll(/<code>[^<]*<\/code>|<\/?(?:table|tr|t[dh]|b|a href="[^"]*")>|<\/a>/g, '')).not.toMatch(
    /[<@]|\]\(|!\[|##\[|\*\*/,
  )
  expect(outputs['result']).not.toMatch(/##\[|::|\n/)
})

test('the result says how many pull requests it leaves out, if it is too long', async () => {
  const pulls = Array.from({ length: 70 }, () => ({ rows: [ROW], fields: { title: '€'.repeat(400) } }))
  const { result, outputs } = await playPulls(pulls)
  expect(result.left_out.waiting).toBeGreaterThan(10)
  expect(result.waiting.length + result.left_out.waiting).toBe(70)
  expect(Buffer.byteLength(outputs['result'] ?? '')).toBeLessThanOrEqual(32 * 1024)
})

test('the documented schema is valid', () => {
  const schema = JSON.parse(readFileSync(`${root}docs/report.schema.json`, 'utf8')) as object
  expect(new Ajv2020().validateSchema(schema)).toBe(true)
})

test('pull requests that a long list lacks are not counted as none', async () => {
  const docs = createDocs()
  const { summary, result } = await playReport(
    { days: '90' },
    {
      docs,
      prepare(state) {
        addAgentPull(state, docs, 10, { rows: [ROW], mergedDaysAgo: 19 })
        pushCommit(docs, 'topic', { message: 'Begin', author: MAINTAINER, files: [] }, daysAgo(15))
        for (let number = 101; number <= 1_100; number++) {
          const pull = openPull(docs, number, { title: 'Topic', user: MAINTAINER, branch: 'topic' }, daysAgo(15))
          closeIssue(docs, pull, daysAgo(9))
        }
      },
    },
  )
  const missing = `Those that were last updated before ${isoDaysAgo(9).slice(0, 10)} are missing`
  expect(result.pull_requests).toMatchObject({ merged: 0, complete_since: expect.stringMatching(/Z$/) })
  expect([result.text, summary]).toEqual([expect.stringContaining(missing), expect.stringContaining(missing)])
})

test('a cancelled run is red, and says so at once', async () => {
  const { isGreen, title, result } = await playReport({}, { cancelAfterMs: 1_500 })
  expect([isGreen, title, result.error?.code]).toEqual([false, 'Cancelled', 'cancelled'])
  expect(result.duration_seconds).toBeLessThan(2)
})

test('it reads only, with few requests', async () => {
  const { operations, writes } = await playPulls([{ rows: [ROW], mergedDaysAgo: 9, laterCommits: [AGENT_USER] }])
  expect(writes).toEqual([])
  expect(operations.length).toBeLessThanOrEqual(4)
})
