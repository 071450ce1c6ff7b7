import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { writeCalls } from '../../../scripts/docs/github-calls.ts'
import { GITHUB_TOKEN } from '../../../src/emulator/github/demo-state.ts'
import { createGitHub } from '../../../src/emulator/github/github.ts'
import { createIssueState } from '../../../src/emulator/github/issue-state.ts'
import { checkParameters } from '../../../src/emulator/github/parameters.ts'
import { createRepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { OPERATIONS } from '../../../src/emulator/github/routes.ts'
import { driveService } from '../drive-service.ts'
import { listParameters } from '../../../testing/github-schema.ts'
import { root } from '../../../testing/markdown-files.ts'

/** Sends a request that GitHub's API description may not contain. */
function requestGitHub(method: string, path: string, headers: Readonly<Record<string, string>> = {}, body = '') {
  const repositories = { 'acme/docs': createRepositoryState({ issues: { 1: createIssueState() } }) }
  const github = createGitHub({ baseUrl: 'http://x', startMs: 0, state: { repositories } })
  const allHeaders = { authorization: `token ${GITHUB_TOKEN}`, ...headers }
  const response = github.handle({ method, target: `/api/v3${path}`, headers: allHeaders, body }, 0)
  return { ...response, message: (JSON.parse(response.body || '{}') as { message?: string }).message }
}

test.each([
  ['DELETE', '/repos/acme/docs/issues/1', 'DELETE /repos/acme/docs/issues/1'],
  ['GET', '/repos/acme/docs/nothing', 'GET /repos/acme/docs/nothing'],
  ['GET', '/user', 'GET /user'],
  ['GET', '/search/issues', 'GET /search/issues'],
  ['GET', '/repos/acme/docs/commits/main/comments', 'GET /repos/acme/docs/commits/main/comments'],
  ['GET', '/repos/acme/docs/pulls/seven', 'GET /repos/acme/docs/pulls/seven'],
  ['GET', '/repos/acme', 'GET /repos/acme'],
  ['GET', '/orgs/acme/teams', 'GET /orgs/acme/teams'],
  ['GET', '/repos/acme/docs/issues?milestone=3', '“milestone” in issues/list-for-repo'],
  ['GET', '/repos/acme/docs/pulls?sort=popularity', '“sort=popularity” in pulls/list'],
])('responds with 501 to the unsupported request %s %s', (method, path, what) => {
  expect(requestGitHub(method, path)).toMatchObject({
    status: 501,
    message: `The embedded GitHub does not support ${what}.`,
  })
})

test.each(['/repos/acme/other', '/repositories/99', '/repos/acme/docs/pulls/9'])('responds with 404 to %s', (path) => {
  expect(requestGitHub('GET', path).status).toBe(404)
})

test.each([
  ['application/vnd.github.diff', 501],
  ['application/vnd.github.v3.html+json', 501],
  ['application/vnd.github.v3+json', 200],
  ['application/vnd.github.raw+json', 200],
  ['*/*', 200],
])('responds to a request that accepts %s with %d', (accept, status) => {
  expect(requestGitHub('GET', '/repos/acme/docs/issues', { accept }).status).toBe(status)
})

test('reports the reason of a 501 for the log of a rehearsal', () => {
  const reasons: (string | undefined)[] = []
  const { send } = driveService({ onRequest: (record) => reasons.push(record.notImplemented) })
  const headers = { authorization: `token ${GITHUB_TOKEN}` }
  for (const path of ['/repos/acme/docs', '/repos/acme/docs/hooks']) send({ target: `/api/v3${path}`, headers })
  expect(reasons).toEqual([undefined, 'The embedded GitHub does not support GET /repos/acme/docs/hooks.'])
})

test.each([
  ['no JSON', 400, 'Problems parsing JSON'],
  ['7', 400, 'Body should be a JSON object'],
  ['{}', 422, 'Invalid request.\n\n"body" wasn\'t supplied.'],
  ['{"body":7}', 422, "Invalid request.\n\nFor 'properties/body', 7 is not a string."],
  ['{"body":"Hello"}', 201, undefined],
])('responds to the body %s with %d', (body, status, message) => {
  expect(requestGitHub('POST', '/repos/acme/docs/issues/1/comments', {}, body)).toMatchObject({ status, message })
})

test('refuses an invalid value and names its parameter', () => {
  const { status, body } = requestGitHub('GET', '/repos/acme/docs/pulls?state=merged')
  expect([status, JSON.parse(body)]).toMatchObject([
    422,
    { message: 'Validation Failed', errors: [{ field: 'state', code: 'invalid', value: 'merged' }] },
  ])
})

test.each([
  ['text', 'a', 7],
  ['text or null', null, 7],
  ['texts', ['a'], ['a', 7]],
  ['boolean', true, 'maybe'],
  ['time', '2026-01-01T00:00:00Z', 'yesterday'],
  ['object', {}, []],
  ['objects', [{}], [7]],
  [['open', 'closed'], 'open', 'merged'],
] as const)('a field of the type %j accepts %j and refuses %j', (kind, valid, invalid) => {
  const check = (value: unknown) =>
    checkParameters('x', { body: { field: kind } }, new URLSearchParams(), { field: value })
  expect([check(valid), check(invalid)?.status]).toEqual([undefined, 422])
})

test.each(Object.entries(OPERATIONS))(
  '%s supports or refuses each parameter in GitHub’s API description',
  (name, operation) => {
    const { query, body } = listParameters(name)
    const declared = [
      ...Object.keys(operation.parameters.query ?? {}),
      ...Object.keys(operation.parameters.body ?? {}),
      ...(operation.parameters.unsupported ?? []).filter((entry) => !entry.includes('=')),
    ]
    expect(declared.toSorted()).toEqual([...query, ...body].toSorted())
  },
)

test('the docs list every supported call', () => {
  const page = readFileSync(join(root, 'docs/internals/embedded-github.md'), 'utf8')
  expect(writeCalls(page)).toBe(page)
})
