import { expect, test } from '@jest/globals'
import { describeTrigger } from '../../../src/agent/change/event-origin.ts'
import { parseEvent } from '../../../src/github/event.ts'
import { commit } from '../../../testing/github-state.ts'

const URL = 'https://github.com/acme/docs/1'
const SENDER = { sender: { login: 'mona', type: 'User' } }
const ISSUE = { number: 7, html_url: URL, title: 'T', state: 'open' }
const comment = (body: string) => ({
  comment: { id: 1, body, html_url: URL, user: { id: 1, login: 'mona', type: 'User' } },
})
const commits = [commit('a'), commit('b'), commit('c')].map((id) => ({ id, message: 'Work' }))

test.each<[string, object, string, string]>([
  ['push', { ref: 'refs/heads/main', compare: URL, commits }, 'push to `main` by `mona`', URL],
  ['push', { ref: 'refs/heads/a`b', commits: commits.slice(0, 1) }, "push to `a'b` by `mona`", ''],
  ['push', { ref: 'refs/heads/main' }, 'push to `main` by `mona`', ''],
  ['push', { ref: 'refs/tags/v1', compare: URL }, 'tag `v1` by `mona`', URL],
  ['release', { release: { tag_name: 'v1', html_url: URL } }, 'release `v1` by `mona`', URL],
  ['pull_request', { action: 'opened', pull_request: ISSUE }, 'pull request `#7` by `mona`', URL],
  ['issues', { issue: ISSUE }, 'issue `#7` by `mona`', URL],
  ['issue_comment', { action: 'created', issue: ISSUE, ...comment('Fine.') }, 'comment by `mona`', URL],
  ['workflow_run', { workflow_run: { id: 1, name: 'CI @all', html_url: URL } }, 'workflow `CI @all`', URL],
  ['merge_group', { merge_group: { base_sha: commit('a'), head_sha: commit('b') } }, 'merge queue', ''],
  ['schedule', {}, 'schedule', ''],
  ['workflow_dispatch', {}, 'manual run by `mona`', ''],
  ['label', {}, 'event by `mona`', ''],
])('describes the trigger %s (%j) as %s', (name, payload, text, url) => {
  expect(describeTrigger(parseEvent(name, { ...SENDER, ...payload }, 'mona'), '')).toEqual({
    text,
    url: url === '' ? undefined : url,
  })
})
