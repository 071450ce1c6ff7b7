import { expect, test } from '@jest/globals'
import type { PullRequestCommit } from '../../src/github/commits.ts'
import { findEdits, getKeptShare } from '../../src/report/edits.ts'
import type { History } from '../../src/agent/history/state.ts'
import { historyRow } from '../../testing/play-report.ts'
import { changedFile, COMPARISON } from '../../testing/github-values.ts'

const AGENT = 'docs-agent[bot]'
const BASE = 'base'

/** Creates commits on top of each other: `1`, `2` and so on. */
const commits = (...given: readonly (string | Partial<PullRequestCommit>)[]): readonly PullRequestCommit[] =>
  given.map((one, index) => {
    const fields = typeof one === 'string' ? { writtenBy: one } : one
    const { writtenBy = AGENT } = fields
    return {
      sha: String(index + 1),
      message: 'Write',
      author: writtenBy,
      account: { login: writtenBy, type: writtenBy.endsWith('[bot]') ? 'Bot' : 'User' },
      committerLogin: 'web-flow',
      writtenBy,
      committedBy: 'web-flow',
      writtenAt: '2026-01-01T00:00:00Z',
      parents: [index === 0 ? BASE : String(index)],
      ...fields,
    }
  })

/** The history of an agent whose last turn has left the branch at a commit. */
const historyOf = (after: string | undefined) => ({
  rows: [historyRow({ head: { after } }), historyRow({ head: {} }), historyRow()],
})

const find = (listed: readonly PullRequestCommit[], history: Pick<History, 'rows'> | undefined = historyOf('1')) =>
  findEdits({ author: { login: AGENT, type: 'Bot' }, headSha: listed.at(-1)?.sha ?? '' }, listed, history)

test('commits of the agent alone are no edit, and its version is the merged one', () => {
  expect(find(commits(AGENT, AGENT))).toEqual({ isEdited: false, range: { base: BASE, agentHead: '2', head: '2' } })
})

test.each([
  ['before the first commit by a person', [AGENT, AGENT, 'mona', 'mona'], '2', '4'],
  ['also if the agent goes on later', [AGENT, 'mona', AGENT], '1', '3'],
])('the version of the agent is %s', (_when, authors, agentHead, head) => {
  expect(find(commits(...authors))).toEqual({ isEdited: true, range: { base: BASE, agentHead, head } })
})

test('the commit of another bot, such as a formatter, is no edit by people, but can remove lines', () => {
  expect(find(commits(AGENT, 'format[bot]'))).toEqual({
    isEdited: false,
    range: { base: BASE, agentHead: '1', head: '2' },
  })
})

const MERGE = { writtenBy: 'mona', parents: ['1', 'main'] }
const REWRITTEN = historyOf('gone')
test.each([
  ['the base was merged in', [AGENT, MERGE], historyOf('1'), false],
  ['the base was merged in, and a person has edited it', [AGENT, MERGE, 'mona'], historyOf('1'), true],
  ['a person has rebased the branch', [{ committedBy: 'mona', committerLogin: 'mona' }], REWRITTEN, false],
  ['a person has made one commit of all', ['mona'], REWRITTEN, true],
  ['no row has a head', [AGENT], historyOf(undefined), false],
])('the kept lines are not known if %s', (_what, given, history, isEdited) => {
  expect(find(commits(...given), history)).toEqual({ isEdited })
})

test('the kept lines are not known without a history, or if the list of commits is cut', () => {
  const author = { login: AGENT, type: 'Bot' }
  expect(findEdits({ author, headSha: '1' }, commits(AGENT), undefined)).toEqual({ isEdited: false })
  expect(findEdits({ author, headSha: '9' }, commits(AGENT), historyOf('1'))).toEqual({ isEdited: false })
})

const compare = (...lines: readonly string[]) => ({
  ...COMPARISON,
  files: [{ ...changedFile('docs/a.md'), patch: ['@@ -1 +1 @@', ...lines].join('\n') }],
})

test.each([
  ['two of four lines', ['+a', '+b', '+c', '+d'], ['+a', '+d', '+e'], 0.5],
  ['a line in another place', ['+a', '+b'], ['+b', '+x', '+a'], 1],
  ['one of two equal lines', ['+a', '+a'], ['+a'], 0.5],
  ['no blank lines', ['+a', '+', '+  '], ['+a'], 1],
  ['no removed lines', ['-x', '+a'], ['+a'], 1],
])('counts %s', (_what, byAgent, merged, share) => {
  expect(getKeptShare(compare(...byAgent), compare(...merged))).toBe(share)
})

test.each([
  ['the agent added no line', compare('-a')],
  ['GitHub lists only some of the files', { ...compare('+a'), fileList: 'truncated' } as const],
  [
    'GitHub does not show a file',
    { ...COMPARISON, files: [{ ...changedFile('a.md'), patch: undefined, additions: 5 }] },
  ],
])('the share is not known if %s', (_what, byAgent) => {
  expect(getKeptShare(byAgent, compare('+a'))).toBeUndefined()
})
