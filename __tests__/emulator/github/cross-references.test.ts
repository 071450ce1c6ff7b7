import { expect, test } from '@jest/globals'
import { findReferences } from '../../../src/emulator/github/cross-references.ts'
import { createIssueState } from '../../../src/emulator/github/issue-state.ts'
import { createPullState } from '../../../src/emulator/github/pull-state.ts'
import { type RepositoryState, createRepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { driveGitHub, type Json } from './drive-github.ts'

test.each<[text: string, references: readonly string[]]>([
  ['It is about acme/code#12.', ['acme/code#12']],
  ['| push, for Acme/Code#12, acme/code#12, #7 |', ['acme/code#12', '#7']],
  ['https://git.example.com/acme/code/pull/12#issuecomment-3', []],
  ['a-1#2 acme&#45;code x/y/z#9 ##4 #x', []],
])('the text “%s” refers to %j', (text, references) => {
  expect(findReferences(text)).toEqual(references)
})

/** Pull request 7 of the docs, and pull requests 12 of the docs and of the code. */
function repositories(): Record<string, RepositoryState> {
  const pull = (branch: string) => createPullState({ branch, headSha: 'a'.repeat(40) })
  return {
    'acme/docs': createRepositoryState({
      pulls: { 7: pull('agent/guide'), 12: pull('flag') },
      issues: { 8: createIssueState() },
    }),
    'acme/code': createRepositoryState({ id: 2, pulls: { 12: pull('flag') } }),
  }
}

const open = () => driveGitHub({ state: { repositories: repositories() } })
const toSources = (events: Json): unknown[] =>
  events.map(({ event, source, actor }: Json) => [event, source.issue.number, actor.login])

test('a comment that refers to a pull request when it is written shows in the timeline of that one, once', () => {
  const { request, read } = open()
  for (const body of ['For acme/code#12.', 'Again for acme/code#12, and #12.'])
    expect(request('POST', '/issues/7/comments', { body }).status).toBe(201)
  request('POST', '/issues/8/comments', { body: 'See #12.' })
  const event = ['cross-referenced', 7, 'github-actions[bot]']
  expect(toSources(read('/api/v3/repos/acme/code/issues/12/timeline'))).toEqual([event])
  const [inPull, inIssue] = read('/issues/12/timeline')
  expect(toSources([inPull, inIssue])).toEqual([event, ['cross-referenced', 8, 'github-actions[bot]']])
  expect(inPull.source).toMatchObject({ type: 'issue', issue: { pull_request: expect.anything() } })
  expect(read('/issues/7/timeline')).toEqual([])
})

test('an edit of a comment adds no references and removes none', () => {
  const { request, read } = open()
  const { body: added } = request('POST', '/issues/7/comments', { body: 'For acme/code#12.' })
  request('PATCH', `/issues/comments/${added.id}`, { body: 'For #12.' })
  expect(read('/issues/12/timeline')).toEqual([])
  expect(read('/api/v3/repos/acme/code/issues/12/timeline')).toHaveLength(1)
})

test('a comment refers to nothing in its own conversation, or in a repository that does not exist', () => {
  const { request, read } = open()
  request('POST', '/issues/7/comments', { body: 'For #7 and acme/other#12.' })
  expect(read('/issues/7/timeline')).toEqual([])
  expect(read('/issues/12/timeline')).toEqual([])
})
