import { expect, test } from '@jest/globals'
import { ACCOUNT_OPERATIONS } from '../../../src/emulator/github/account-operations.ts'
import { MAINTAINER } from '../../../src/emulator/github/demo-state.ts'
import { OPERATIONS } from '../../../src/emulator/github/routes.ts'
import { driveGitHub, type Json } from './drive-github.ts'

test('every operation responds as GitHub’s API description says', () => {
  const { request, post, advance, docs, exchanges, service } = driveGitHub({
    scenarios: ['checks-fail', 'comment-by-maintainer'],
  })
  post('/v2/agent/docs-demo/job', 'Document the flag.')
  advance(60)

  /** Sends a request that must get this status. */
  function play(status: number, method: string, path: string, body?: object): Json {
    const response = request(method, path, body)
    const { message } = response.body ?? {}
    expect([method, path, response.status, message]).toEqual([method, path, status, message])
    return response.body
  }
  const read = (path: string): Json => play(200, 'GET', path)
  /** Sends requests as another user. */
  const actAs = <T>(login: string, perform: () => T): T => {
    const { state } = service.github
    const { identity } = state
    state.identity = login
    const result = perform()
    state.identity = identity
    return result
  }

  read('')
  const head = docs.pulls[4]?.headSha ?? ''
  const comment = docs.pulls[1]?.comments[0]?.id ?? 0
  const build = docs.checkRuns.find(({ name, headSha }) => name === 'build' && headSha === head)
  docs.pulls[4]?.reviewComments.push({
    id: 72,
    user: 'mona',
    body: 'Why?',
    createdAtMs: 0,
    reactions: [],
    reviewId: 71,
    path: 'docs/index.md',
    line: 1,
    diffHunk: '@@ -1 +1 @@',
  })

  for (const path of [
    '/pulls?state=all&sort=created&direction=asc',
    '/pulls/4',
    '/pulls/4/commits',
    '/pulls/4/files',
    '/pulls/4/reviews/71/comments',
    '/pulls/4/comments?sort=updated&direction=desc',
    '/pulls/4/requested_reviewers',
    '/issues?labels=docs-agent&state=open',
    '/issues/4',
    '/issues/1/comments',
    `/issues/comments/${comment}`,
    '/issues/comments?sort=created',
    '/issues/4/timeline',
    '/issues/4/labels',
    '/labels',
    '/labels/documentation',
    '/compare/main...agent%2Fjob_000001?per_page=100&page=1',
    `/commits/${head}/pulls`,
    `/commits/${head}`,
    '/commits?sha=main&path=src',
    '/branches',
    '/branches/agent%2Fjob_000001',
    '/contents/docs/index.md',
    '/contents/',
    '/git/ref/heads/main',
    '/git/matching-refs/heads/agent',
    '/tags',
    `/commits/${head}/check-runs`,
    `/commits/${head}/check-suites`,
    `/commits/${head}/status`,
    `/commits/${head}/statuses`,
    '/actions/runs',
    '/actions/workflows',
    '/actions/workflows/ci.yml',
    '/collaborators/mona/permission',
    ...['', '/jobs', '/artifacts'].map((part) => `/actions/runs/${build?.runId ?? 0}${part}`),
    `/check-runs/${build?.id ?? 0}`,
    `/check-runs/${build?.id ?? 0}/annotations`,
    '/actions/workflows/docs.yml/runs?branch=main&status=success&exclude_pull_requests=true',
    '/api/v3/rate_limit',
    '/api/v3/search/issues?q=repo:acme/docs%20is:pr',
    '/api/v3/users/mona',
  ])
    read(path)

  play(302, 'GET', `/actions/jobs/${build?.id ?? 0}/logs`)
  play(404, 'GET', '/pulls/4/merge')

  play(201, 'POST', '/labels', { name: 'wording', color: 'ff0000', description: 'About words' })
  play(200, 'PATCH', '/labels/wording', { new_name: 'words' })
  play(200, 'POST', '/issues/4/labels', { labels: ['new', 'words'] })
  play(200, 'DELETE', '/issues/4/labels/new')
  play(200, 'PUT', '/issues/4/labels', { labels: ['words'] })
  play(204, 'DELETE', '/issues/4/labels')
  play(204, 'DELETE', '/labels/words')

  const { number: issue } = play(201, 'POST', '/issues', { title: 'A page is missing', labels: ['documentation'] })
  play(200, 'PATCH', `/issues/${issue}`, { state: 'closed', state_reason: 'not_planned' })
  play(201, 'POST', `/issues/${issue}/assignees`, { assignees: ['mona'] })
  play(200, 'DELETE', `/issues/${issue}/assignees`, { assignees: ['mona'] })
  play(204, 'PUT', `/issues/${issue}/lock`, { lock_reason: 'resolved' })
  play(204, 'DELETE', `/issues/${issue}/lock`)

  const { id: written } = play(201, 'POST', '/issues/4/comments', { body: 'Hello' })
  play(200, 'PATCH', `/issues/comments/${written}`, { body: 'Hello again' })
  play(201, 'POST', `/issues/comments/${written}/reactions`, { content: 'eyes' })
  read(`/issues/comments/${written}/reactions?content=eyes`)
  play(204, 'DELETE', `/issues/comments/${written}`)
  play(201, 'POST', '/pulls/comments/72/reactions', { content: 'eyes' })
  play(201, 'POST', '/pulls/4/comments/72/replies', { body: 'Done' })
  play(200, 'PATCH', '/pulls/comments/72', { body: 'Done, again' })
  const { filename: path } = read('/pulls/4/files')[0]
  const line = { path, position: 1, commit_id: head }
  const { id: onLine } = play(201, 'POST', '/pulls/4/comments', { body: 'Here', ...line })
  read(`/pulls/comments/${onLine}`)
  play(204, 'DELETE', `/pulls/comments/${onLine}`)

  play(201, 'POST', '/pulls/4/requested_reviewers', { reviewers: ['mona'] })
  play(200, 'DELETE', '/pulls/4/requested_reviewers', { reviewers: ['mona'] })
  actAs(MAINTAINER, () => {
    read('/api/v3/user')
    const { id } = play(200, 'POST', '/pulls/4/reviews', {})
    play(200, 'POST', `/pulls/4/reviews/${id}/events`, { event: 'APPROVE' })
    read(`/pulls/4/reviews/${id}`)
    read('/pulls/4/reviews')
    play(200, 'PUT', `/pulls/4/reviews/${id}/dismissals`, { message: 'Something is new.' })
  })

  play(201, 'POST', '/statuses/' + head, { state: 'success', context: 'ci/docs', target_url: 'https://ci.example.com' })
  const output = { title: 'Links', summary: 'All work' }
  const { id: check } = play(201, 'POST', '/check-runs', { name: 'links', head_sha: head, status: 'in_progress' })
  play(200, 'PATCH', `/check-runs/${check}`, { status: 'completed', conclusion: 'success', output })

  const main = docs.branches['main'] ?? ''
  play(201, 'POST', '/git/refs', { ref: 'refs/heads/guide', sha: main })
  const text = Buffer.from('# Guide\n').toString('base64')
  const { commit } = play(201, 'PUT', '/contents/docs/guide.md', { message: 'Guide', content: text, branch: 'guide' })
  play(200, 'PATCH', '/git/refs/heads/guide', { sha: commit.sha })
  const { number } = play(201, 'POST', '/pulls', { title: 'Guide', head: 'guide', base: 'main' })
  play(200, 'PATCH', `/pulls/${number}`, { title: 'A guide', body: 'How to' })

  play(204, 'POST', '/actions/workflows/docs.yml/dispatches', { ref: 'main', inputs: { page: 'all' } })
  play(204, 'POST', '/dispatches', { event_type: 'docs', client_payload: { page: 'all' } })

  play(200, 'PUT', '/pulls/4/merge', { sha: head, merge_method: 'squash' })
  play(204, 'GET', '/pulls/4/merge')
  play(202, 'PUT', `/pulls/${number}/update-branch`, {})
  play(204, 'DELETE', '/git/refs/heads/guide')

  const performed = new Set(exchanges.map(({ operation }) => operation))
  const all = [...Object.keys(OPERATIONS), ...Object.keys(ACCOUNT_OPERATIONS)]
  // `meta/get` responds like a GitHub Enterprise Server, which has a different API description.
  expect(all.filter((name) => !performed.has(name))).toEqual(['meta/get'])
})
