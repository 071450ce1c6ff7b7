import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parseEvent, readEvent } from '../../src/github/event.ts'
import { PUSH } from '../../testing/given-run.ts'
import { commit } from '../../testing/github-state.ts'
import { createTemporaryFolder } from '../../testing/temporary-folder.ts'

function readText(text: string) {
  const file = join(createTemporaryFolder(), 'event.json')
  writeFileSync(file, text)
  return readEvent({ GITHUB_EVENT_NAME: 'workflow_run', GITHUB_EVENT_PATH: file })
}

test("reads the event from the runner's file, marks it if it cannot be read, and is empty outside of a runner", () => {
  const workflow_run = { name: 'CI', head_branch: 'main' }
  const event = { kind: 'workflow-run', isReadable: true, run: { name: 'CI' }, work: { branch: 'main' } }
  for (const mark of ['', '\ufeff']) expect(readText(`${mark}${JSON.stringify({ workflow_run })}`)).toMatchObject(event)
  for (const text of ['', '{"ref":', 'null', '[]', '7', '"main"']) expect(readText(text).isReadable).toBe(false)
  expect(readEvent({ GITHUB_EVENT_PATH: '/no/such/file.json' }).isReadable).toBe(false)
  expect(readEvent({})).toMatchObject({ kind: 'other', isReadable: true })
})

test.each([undefined, null, 'main', []])('uses the name and the actor for the payload %j', (payload) => {
  expect(parseEvent('push', payload, 'docs-agent[bot]')).toMatchObject({
    kind: 'push',
    branch: '',
    push: { move: { kind: 'unknown' }, commits: [] },
    sender: { login: 'docs-agent[bot]', isBot: true },
  })
  expect(parseEvent('push', payload, 'ann').sender.isBot).toBe(false)
})

const URL = 'https://github.com/acme/docs/issues/3#issuecomment-1'
const HALF_MALFORMED = { issue: { number: 7, title: null, body: 7, pull_request: null, state: 'open' }, comment: 'x' }
const COMMENTED = { comment: { id: 1, html_url: URL }, issue: { number: 3 } }
const TO_BRANCH = { ref: 'refs/heads/agent/guide', compare: URL, sender: { login: 'mona' } }
const moved = (kind: string) => ({ push: { move: { kind } } })

test.each<[name: string, payload: object, expected: object]>([
  ['push', { ref: 'refs/tags/v1' }, { kind: 'tag', tag: 'v1', push: { move: { kind: 'unknown' } } }],
  ['push', { ...PUSH, ...TO_BRANCH }, { kind: 'push', branch: 'agent/guide', push: { compareUrl: URL } }],
  ['push', { ...PUSH, ...TO_BRANCH }, { sender: { login: 'mona', isBot: false } }],
  ['push', PUSH, { push: { move: { kind: 'moved', before: PUSH.before, after: PUSH.after } } }],
  // Only zeros mean that there is no commit.
  ['push', { ...PUSH, before: `0${commit('a').slice(1)}` }, moved('moved')],
  ['push', { ...PUSH, after: `0${commit('b').slice(1)}` }, moved('moved')],
  ['push', { ...PUSH, before: commit('0') }, moved('made')],
  ['push', { ...PUSH, before: '0'.repeat(64) }, moved('made')],
  ['push', { ...PUSH, after: commit('0') }, moved('deleted')],
  ['push', { ...PUSH, before: commit('0').slice(1) }, moved('unknown')],
  ['release', { release: { tag_name: 'v1' } }, { kind: 'release' }],
  // A field that is null or malformed counts as missing, and the others are kept.
  [
    'issues',
    HALF_MALFORMED,
    { kind: 'issue', subject: { kind: 'issue', number: 7, title: '', text: '', isOpen: true } },
  ],
  ['issues', { issue: { number: 7, labels: [{ name: 'a' }] } }, { subject: { labels: [] } }],
  ['issues', { action: 'closed', issue: { number: 7, pull_request: {} } }, { isGivenUp: false }],
  ['pull_request_review', { review: { id: 1 }, issue: { number: 7 } }, { kind: 'issue' }],
  ['issue_comment', COMMENTED, { kind: 'comment', comment: { url: URL } }],
  ['workflow_run', { workflow_run: { head_commit: { message: 'Guide' } } }, { work: { message: 'Guide' } }],
  ['workflow_run', { workflow_run: { name: 'CI' } }, { kind: 'workflow-run', run: { name: 'CI', cause: 'unknown' } }],
])('parses %s with %j', (name, payload, expected) => {
  expect(parseEvent(name, payload, '')).toMatchObject(expected)
})

test.each([
  ['head', 'push pull_request merge_group'],
  ['people', 'schedule workflow_dispatch repository_dispatch'],
  [
    'unknown',
    'workflow_run issue_comment issues label check_run check_suite deployment deployment_status status create delete ' +
      'release pull_request_target pull_request_review page_build registry_package discussion dynamic',
  ],
])('a `workflow_run` event has the cause %s after runs by %s', (cause, events) => {
  for (const event of events.split(' '))
    expect(parseEvent('workflow_run', { workflow_run: { event } }, '')).toMatchObject({ run: { cause } })
})

const BASE = commit('a')

test.each([
  ['a merge queue', `gh-readonly-queue/main/pr-7-${BASE}`, [{ number: 7 }]],
  ['a branch', 'next/merge', []],
])('finds the pull requests of a workflow run on %s: %s', (_what, head_branch, pullRequests) => {
  expect(parseEvent('workflow_run', { workflow_run: { head_branch } }, '')).toMatchObject({ work: { pullRequests } })
})

const ANN = { id: 5, login: 'ann', type: 'User' }
const REVIEWED = { action: 'created', pull_request: { number: 7 } }
const reviewComment = (fields: object) => ({
  ...REVIEWED,
  comment: { id: 1, user: ANN, path: 'a.md', line: 3, ...fields },
})
const BY_ANN = { person: { id: 5, login: 'ann' }, place: { path: 'a.md', line: 3 }, isNew: true }
const createRunEvent = (...pull_requests: unknown[]) => ({ repository: { id: 1 }, workflow_run: { pull_requests } })
const UPSTREAM = { number: 9, base: { sha: BASE, repo: { id: 2 } } }

test.each<[what: string, name: string, payload: object, expected: object]>([
  ['no field', 'pull_request_review_comment', reviewComment({}), { comment: BY_ANN }],
  [
    'a line that is not an integer',
    'pull_request_review_comment',
    reviewComment({ line: 0.5 }),
    { comment: { ...BY_ANN, place: { path: 'a.md', line: undefined } } },
  ],
  ['the path', 'pull_request_review_comment', reviewComment({ path: null }), { comment: { place: undefined } }],
  [
    'an app',
    'issue_comment',
    reviewComment({ performed_via_github_app: { id: 1 } }),
    { comment: { person: undefined } },
  ],
  [
    'the author',
    'issue_comment',
    reviewComment({ user: { type: 'User', id: '5' } }),
    { comment: { person: undefined } },
  ],
  ['the id of a comment', 'issue_comment', reviewComment({ id: '1' }), { kind: 'pull-request' }],
  [
    'one of the labels',
    'pull_request',
    { pull_request: { number: 7, labels: [{ name: 'a' }, null, { name: 7 }, 'b'] } },
    { subject: { labels: ['a'], ends: undefined } },
  ],
  [
    'one of the pull requests',
    'workflow_run',
    createRunEvent({ number: 'x' }, null, { number: 7 }, UPSTREAM),
    {
      work: {
        pullRequests: [
          { number: 7, baseSha: undefined, isElsewhere: false },
          { number: 9, baseSha: BASE, isElsewhere: true },
        ],
      },
    },
  ],
  ['one commit of a merge group', 'merge_group', { merge_group: { base_sha: BASE, head_sha: 'x' } }, { kind: 'other' }],
  [
    'the repository',
    'push',
    { ...PUSH, repository: { visibility: 7, private: false, default_branch: [] } },
    { visibility: 'public', defaultBranch: undefined },
  ],
])('keeps the well-formed fields of a payload if this is malformed: %s', (_what, name, payload, expected) => {
  expect(parseEvent(name, payload, '')).toMatchObject(expected)
})

test('lists the commits of a push newest first, and none if one is malformed', () => {
  const ann = { username: 'ann' }
  const first = { id: commit('1'), message: 'One', author: ann, committer: ann }
  const listCommits = (...commits: readonly object[]): unknown => parseEvent('push', { ...PUSH, commits }, '')
  expect(listCommits(first, { id: commit('2') })).toMatchObject({
    push: {
      commits: [
        { sha: commit('2'), message: '', author: '', authorLogin: '', committerLogin: '' },
        { sha: commit('1'), message: 'One', author: '', authorLogin: 'ann', committerLogin: 'ann' },
      ],
    },
  })
  expect(listCommits(first, { id: 'main; rm' })).toMatchObject({ push: { commits: [] } })
})
