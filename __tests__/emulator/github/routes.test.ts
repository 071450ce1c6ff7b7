import { expect, test } from '@jest/globals'
import { OPERATIONS, findRoute } from '../../../src/emulator/github/routes.ts'
import { driveGitHub } from './drive-github.ts'

test('every operation answers, and answers as GitHub’s description says', () => {
  const { ask, read, post, advance, docs, exchanges, get } = driveGitHub({
    scenarios: ['checks-fail', 'comment-of-maintainer'],
  })
  post('/v2/agent/docs-demo/job', 'Document the flag.')
  advance(60)
  expect(get('/v2/agent/docs-demo/job/job_000001').status).toBe(200)
  const head = docs.pulls[4]?.headSha ?? ''
  const comment = docs.pulls[1]?.comments[0]?.id ?? 0
  docs.pulls[4]?.reviewComments.push({
    ...{ id: 72, user: 'mona', body: 'Why?', createdAtMs: 0, reactions: [], reviewId: 71 },
    ...{ path: 'docs/index.md', line: 1, diffHunk: '@@ -1 +1 @@' },
  })
  docs.tags['v2'] = head

  for (const path of [
    ...['', '/pulls?state=all&sort=created&direction=asc', '/pulls/4', '/pulls/4/files', '/pulls/4/commits'],
    ...['/pulls/4/reviews/71/comments', '/pulls/4/comments', '/issues?labels=docs-agent&state=open'],
    ...['/issues/1', '/issues/1/comments?per_page=100&page=1', `/issues/comments/${comment}`],
    ...['/issues/4/timeline?per_page=100&page=1'],
    '/compare/main...agent%2Fjob_000001?per_page=100&page=1',
    ...['/commits?sha=main&per_page=5', `/commits/${head}`, `/commits/${head}/pulls`],
    ...['/tags', `/commits/${head}/check-runs`],
    ...[`/commits/${head}/check-suites`, `/commits/${head}/status`, '/actions/runs'],
    ...['/actions/workflows/docs.yml/runs?branch=main&status=success&event=push&exclude_pull_requests=true'],
    '/collaborators/mona/permission',
  ])
    read(path)
  const build = docs.checkRuns.find(({ name, headSha }) => name === 'build' && headSha === head)
  read(`/check-runs/${build?.id ?? 0}/annotations`)
  expect(ask('GET', `/actions/jobs/${build?.id ?? 0}/logs`).status).toBe(302)

  const writes = [
    ['POST', '/issues/4/labels', { labels: ['new'] }, 200],
    ['POST', '/issues/4/comments', { body: 'Hello' }, 201],
    ['PATCH', `/issues/comments/${comment}`, { body: 'Hello again' }, 200],
    ['POST', `/issues/comments/${comment}/reactions`, { content: 'eyes' }, 201],
    ['POST', '/pulls/comments/72/reactions', { content: 'eyes' }, 201],
    ['POST', '/pulls/4/comments/72/replies', { body: 'Done' }, 201],
    ['PATCH', '/pulls/comments/72', { body: 'Done, again' }, 200],
    ['POST', '/pulls/4/requested_reviewers', { reviewers: ['mona'] }, 201],
    ['PUT', '/pulls/4/merge', { sha: head, merge_method: 'squash' }, 200],
    ['PATCH', '/pulls/1', { state: 'closed' }, 200],
    ['PATCH', '/issues/2', { state: 'closed' }, 200],
  ] as const
  for (const [method, path, body, status] of writes)
    expect([path, ask(method, path, body).status]).toEqual([path, status])

  const asked = new Set(exchanges.map(({ operation }) => operation))
  expect(Object.keys(OPERATIONS).filter((name) => !asked.has(name))).toEqual([])
})

test.each([
  ['/commits/main/status', 'repos/get-combined-status-for-ref', { ref: 'main' }],
  ['/commits/docs/guide', 'repos/get-commit', { ref: 'docs/guide' }],
  ['/compare/main...release%2F1.x', 'repos/compare-commits-with-basehead', { basehead: 'main...release/1.x' }],
])('%s is for %s', (path, name, params) => {
  expect(findRoute('GET', path)).toMatchObject({ name, params })
})

test.each([
  ['GET', '/pulls/seven'],
  ['DELETE', '/pulls/7'],
  ['GET', '/elsewhere'],
])('%s %s leads nowhere', (method, path) => {
  expect(findRoute(method, path)).toBeUndefined()
})
