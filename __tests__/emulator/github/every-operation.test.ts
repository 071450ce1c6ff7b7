import { expect, test } from '@jest/globals'
import { MAINTAINER } from '../../../src/emulator/github/demo-state.ts'
import { pushCommit } from '../../../src/emulator/github/repository-changes.ts'
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

  play(200, 'GET', '')
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
    '/pulls/4/reviews/71/comments',
    '/pulls/4/comments?since=2026-01-01T00:00:00Z',
    '/issues?labels=docs-agent&state=open',
    '/issues/1/comments',
    `/issues/comments/${comment}`,
    '/labels/documentation',
    '/compare/main...agent%2Fjob_000001?per_page=100&page=1',
    `/commits/${head}/pulls`,
    '/tags',
    '/commits?sha=main&path=docs%2Findex.md&per_page=1',
    `/commits/${head}/check-runs`,
    `/commits/${head}/check-suites`,
    `/commits/${head}/status`,
    '/actions/runs',
    '/collaborators/mona/permission',
    `/check-runs/${build?.id ?? 0}/annotations`,
    '/actions/workflows/docs.yml/runs?branch=main&status=success&exclude_pull_requests=true',
  ])
    play(200, 'GET', path)
  play(302, 'GET', `/actions/jobs/${build?.id ?? 0}/logs`)

  play(201, 'POST', '/labels', { name: 'wording' })
  play(200, 'POST', '/issues/4/labels', { labels: ['new', 'wording'] })
  play(200, 'GET', '/issues/4/events')
  const { id: written } = play(201, 'POST', '/issues/4/comments', { body: 'Hello' })
  play(200, 'PATCH', `/issues/comments/${written}`, { body: 'Hello again' })
  play(201, 'POST', '/issues/4/reactions', { content: 'eyes' })
  play(201, 'POST', `/issues/comments/${written}/reactions`, { content: 'eyes' })
  play(201, 'POST', '/pulls/comments/72/reactions', { content: 'eyes' })
  play(201, 'POST', '/pulls/4/comments/72/replies', { body: 'Done' })
  play(200, 'PATCH', '/pulls/comments/72', { body: 'Done, again' })
  play(201, 'POST', '/pulls/4/requested_reviewers', { reviewers: ['mona'] })

  service.github.state.identity = MAINTAINER
  play(200, 'GET', '/pulls/4/reviews')
  pushCommit(docs, 'main', { message: 'Count further', author: MAINTAINER, files: [] }, 0)
  play(202, 'PUT', '/pulls/1/update-branch', {})
  play(200, 'PUT', '/pulls/4/merge', { sha: head, merge_method: 'squash' })

  const performed = new Set(exchanges.map(({ operation }) => operation))
  expect(Object.keys(OPERATIONS).filter((name) => !performed.has(name))).toEqual([])
})
