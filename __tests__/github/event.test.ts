import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parseEvent, readEvent } from '../../src/github/event.ts'
import { PUSH } from '../support/fake-github.ts'
import { commit } from '../support/github-state.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

function readText(text: string) {
  const file = join(temporaryFolder(), 'event.json')
  writeFileSync(file, text)
  return readEvent({ GITHUB_EVENT_NAME: 'workflow_run', GITHUB_EVENT_PATH: file })
}

test('the event is what the file of the runner holds', () => {
  const workflow_run = { name: 'CI', head_branch: 'main' }
  const event = { kind: 'workflow-run', isReadable: true, run: { name: 'CI' }, work: { branch: 'main' } }
  expect(readText(JSON.stringify({ workflow_run }))).toMatchObject(event)
})

test('a file that cannot be read is no event, and outside of a runner there is none', () => {
  for (const text of ['', '{"ref":', 'null', '[]', '7', '"main"']) expect(readText(text).isReadable).toBe(false)
  expect(readEvent({ GITHUB_EVENT_PATH: '/no/such/file.json' }).isReadable).toBe(false)
  expect(readEvent({})).toMatchObject({ kind: 'other', isReadable: true })
})

test.each([undefined, null, 'main', []])('of %j the name and the actor say all that is known', (payload) => {
  expect(parseEvent('push', payload, 'docs-agent[bot]')).toMatchObject({
    ...{ kind: 'push', branch: '', push: { move: { kind: 'unknown' }, commits: [] } },
    sender: { login: 'docs-agent[bot]', isBot: true },
  })
  expect(parseEvent('push', payload, 'ann').sender.isBot).toBe(false)
})

test('a part that is null, or not as GitHub describes it, is as if it were not there, and the others stay', () => {
  const issue = { number: 7, title: null, body: 7, pull_request: null, state: 'open' }
  expect(parseEvent('issues', { action: 'opened', issue, comment: 'x' }, '')).toMatchObject({
    kind: 'issue',
    subject: { kind: 'issue', number: 7, title: '', text: '', isOpen: true },
  })
})

test.each([
  [{ before: `0${commit('a').slice(1)}` }, 'moved'],
  [{ after: `0${commit('b').slice(1)}` }, 'moved'],
  [{ before: commit('0') }, 'made'],
  [{ after: commit('0') }, 'deleted'],
  [{ before: commit('0').repeat(2).slice(16) }, 'made'],
  [{ before: commit('0').slice(1) }, 'unknown'],
])('a push with %j has %s something', (fields, kind) => {
  expect(parseEvent('push', { ...PUSH, ...fields }, '')).toMatchObject({ push: { move: { kind } } })
})

test('the commits of a push come newest first, and none is known where one cannot be read', () => {
  const ann = { username: 'ann' }
  const first = { id: commit('1'), message: 'One', author: ann, committer: ann }
  const commitsOf = (...commits: readonly object[]) => {
    const event = parseEvent('push', { ...PUSH, commits }, '')
    return event.kind === 'push' ? event.push.commits : undefined
  }
  expect(commitsOf(first, { id: commit('2') })).toEqual([
    { sha: commit('2'), message: '', author: '', isByPusher: false },
    { sha: commit('1'), message: 'One', author: '', isByPusher: true },
  ])
  expect(commitsOf(first, { id: 'main; rm' })).toEqual([])
})

test('tells what started the run, and where to read it', () => {
  const url = 'https://github.com/acme/docs/compare/a...b'
  const push = { ...PUSH, ref: 'refs/heads/agent/guide', sender: { login: 'ann' }, compare: url }
  expect(parseEvent('push', push, '')).toMatchObject({
    ...{ kind: 'push', branch: 'agent/guide', sender: { login: 'ann', isBot: false } },
    push: { compareUrl: url, move: { kind: 'moved', before: PUSH.before, after: PUSH.after } },
  })
  const comment = { id: 1, html_url: 'https://github.com/acme/docs/issues/3#issuecomment-1' }
  expect(parseEvent('issue_comment', { comment, issue: { number: 3 } }, '')).toMatchObject({
    ...{ kind: 'comment', comment: { url: comment.html_url }, subject: { kind: 'issue', number: 3 } },
  })
})

test('the run that made a deployment is not what the event is about', () => {
  const payload = { workflow_run: { name: 'CI' }, deployment: { ref: 'main' }, check_run: {} }
  expect(parseEvent('deployment_status', payload, '')).toMatchObject({ kind: 'other', work: { branch: 'main' } })
  expect(parseEvent('workflow_run', payload, '')).toMatchObject({ kind: 'workflow-run', run: { name: 'CI' } })
})

test.each([
  ['push', { ref: 'refs/tags/v1' }, 'tag'],
  ['push', { ref: 'refs/heads/v1' }, 'push'],
  ['create', { ref: 'v1', ref_type: 'tag' }, 'tag'],
  ['create', { ref: 'v1', ref_type: 'branch' }, 'branch'],
  ['delete', { ref: 'v1', ref_type: 'tag' }, 'other'],
  ['release', { release: { tag_name: 'v1' } }, 'release'],
])('%s %j is of the kind %s', (name, payload, kind) => {
  expect(parseEvent(name, payload, '').kind).toBe(kind)
})
