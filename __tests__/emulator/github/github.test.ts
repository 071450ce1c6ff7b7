import { expect, test } from '@jest/globals'
import { DEFAULT_START_MS } from '../../../src/emulator/embedded-service.ts'
import { GITHUB_TOKEN, MAINTAINER } from '../../../src/emulator/github/demo-state.ts'
import { createGitHub } from '../../../src/emulator/github/github.ts'
import { issueState } from '../../../src/emulator/github/issue-state.ts'
import { pushCommit } from '../../../src/emulator/github/repository-events.ts'
import { repositoryState } from '../../../src/emulator/github/repository-state.ts'
import { MAX_BODY_BYTES } from '../../../src/emulator/http/prompt-body.ts'
import { driveGitHub } from './drive-github.ts'

test.each([
  [undefined, 'Requires authentication'],
  ['Basic abc', 'Bad credentials'],
  ['token ghs_wrong', 'Bad credentials'],
])('with the authorization %s nothing is answered, and nothing is kept', (authorization, message) => {
  const { send, exchanges, docs, service } = driveGitHub()
  const target = '/api/v3/repos/acme/docs/issues/1/comments'
  const { status, body } = send({ method: 'POST', target, headers: { authorization }, body: '{"name":"x"}' })
  expect([status, JSON.parse(body).message]).toEqual([401, message])
  expect([exchanges, service.requests, docs.labels.includes('x')]).toEqual([[], [], false])
})

test.each(['token', 'Bearer'])('the token is taken as “%s”', (scheme) => {
  const headers = { authorization: `${scheme} ${GITHUB_TOKEN}` }
  expect(driveGitHub().send({ target: '/api/v3/repos/acme/docs', headers }).status).toBe(200)
})

test('the body of a request is read for the token’s owner alone', () => {
  const { service } = driveGitHub()
  const admits = (authorization?: string): boolean =>
    service.admits({ method: 'POST', target: '/api/v3/repos/acme/docs/issues/1/comments', headers: { authorization } })
  expect([admits(), admits('token ghs_wrong'), admits(`token ${GITHUB_TOKEN}`)]).toEqual([false, false, true])
})

test('tells whose the token is, and no more, where it could be asked for anything', () => {
  const { ask, service } = driveGitHub()
  const { users } = service.github.state
  const askWhose = () => ask('POST', '/api/graphql', { query: 'query { viewer { databaseId } }' }).body
  expect(askWhose()).toEqual({ data: { viewer: { databaseId: users['github-actions[bot]']?.id } } })
  service.github.state.identity = MAINTAINER
  expect(askWhose()).toEqual({ data: { viewer: { databaseId: users[MAINTAINER]?.id } } })
  expect(ask('POST', '/api/graphql', { query: 'query { viewer { email } }' }).body).toHaveProperty('errors')
})

/** Of requests that GitHub's description knows nothing of. */
function askPlainly(method: string, path: string, body = ''): number {
  const headers = { authorization: `token ${GITHUB_TOKEN}` }
  const repositories = { 'acme/docs': repositoryState({ issues: { 1: issueState() } }) }
  return createGitHub({ baseUrl: 'http://x', startMs: 0, state: { repositories } }).handle(
    { method, target: `/api/v3${path}`, headers, body },
    0,
  ).status
}

test('a body that is too large is refused, and one that is no JSON holds nothing', () => {
  expect(askPlainly('POST', '/repos/acme/docs/issues/1/comments', 'x'.repeat(MAX_BODY_BYTES + 1))).toBe(413)
  expect(askPlainly('POST', '/repos/acme/docs/issues/1/comments', 'no JSON')).toBe(422)
})

test.each(['/repos/acme/other', '/repos/acme', '/repositories/99', '/repos/acme/docs/nothing', '/x'])(
  '%s is not there',
  (path) => {
    expect(askPlainly('GET', path)).toBe(404)
  },
)

test.each([
  ['GET', '/issues/9?a=b', undefined, 301],
  ['POST', '/issues/9/comments', { body: 'x' }, 307],
] as const)('%s in a repository that has moved is sent to its new place', (method, path, body, status) => {
  const repositories = {
    'acme/old': repositoryState({ id: 5, movedTo: 'acme/new' }),
    'acme/new': repositoryState({ id: 6 }),
  }
  const github = createGitHub({ baseUrl: 'http://x', startMs: 0, state: { repositories } })
  const request = { method, headers: { authorization: `token ${GITHUB_TOKEN}` }, body: JSON.stringify(body ?? '') }
  const moved = github.handle({ ...request, target: `/api/v3/repos/acme/old${path}` }, 0)
  expect([moved.status, moved.headers['location']]).toEqual([status, `http://x/api/v3/repositories/6${path}`])
  const found = github.handle({ ...request, method: 'GET', target: '/api/v3/repositories/6' }, 0)
  expect(JSON.parse(found.body)).toMatchObject({ full_name: 'acme/new' })
})

test('faults can be set for single operations, in the order of their requests', () => {
  const { ask } = driveGitHub({ faults: { 'pulls/list': { faults: ['unavailable', 'html', 'none'], then: 'stays' } } })
  expect(ask('GET', '/issues').status).toBe(200)
  expect(ask('GET', '/pulls').status).toBe(503)
})

test('the world may move on at a time, and before an answer', () => {
  const change = { message: 'Mend', author: MAINTAINER, files: [] }
  const { read, advance, service, docs } = driveGitHub({
    beforeAnswer: (operation, before) => {
      if (operation === 'repos/get' && before === 1) docs.labels.push('seen')
    },
  })
  const newest = (): string => read('/commits')[0].commit.message
  service.github.at(DEFAULT_START_MS + 30_000, ({ repositories }, atMs) => {
    const { 'acme/docs': repository } = repositories
    if (repository !== undefined) pushCommit(repository, 'main', change, atMs)
  })
  expect(newest()).not.toBe('Mend')
  advance(30)
  expect(newest()).toBe('Mend')
  read('')
  expect(docs.labels).not.toContain('seen')
  read('')
  expect(docs.labels).toContain('seen')
})
