import { expect, test } from '@jest/globals'
import { DEFAULT_START_MS } from '../../../src/emulator/embedded-service.ts'
import { GITHUB_TOKEN, MAINTAINER, TOKEN_USER } from '../../../src/emulator/github/demo-state.ts'
import {
  combineScenarios,
  GITHUB_SCENARIO_NAMES,
  GITHUB_SCENARIOS,
  isGitHubScenarioName,
} from '../../../src/emulator/github/github-scenarios.ts'
import { createGitHub } from '../../../src/emulator/github/github.ts'
import { createIssueState } from '../../../src/emulator/github/issue-state.ts'
import { createPullState } from '../../../src/emulator/github/pull-state.ts'
import { createRepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { findGitHubRoute } from '../../../src/emulator/github/routes.ts'
import { type TokenPermissions, DEFAULT_LAG } from '../../../src/emulator/github/state.ts'
import { MAX_BODY_BYTES } from '../../../src/emulator/http/prompt-body.ts'
import { SCENARIO_NAMES } from '../../../src/emulator/service/scenarios.ts'
import { commit } from '../../../testing/github-state.ts'
import { driveGitHub, type GitHubDriver } from './drive-github.ts'

test.each([
  [undefined, 'Requires authentication'],
  ['token ghs_wrong', 'Bad credentials'],
  [`token ${GITHUB_TOKEN} more`, 'Bad credentials'],
  [`token ${GITHUB_TOKEN}`, undefined],
  [`Bearer ${GITHUB_TOKEN}`, undefined],
])('authorises only requests with the token: %s', (authorization, message) => {
  const { send, exchanges, service } = driveGitHub()
  const head = { method: 'POST', target: '/api/v3/repos/acme/docs/issues/1/comments', headers: { authorization } }
  const { status, body } = send({ ...head, body: '{"body":"x"}' })
  const isAuthorized = message === undefined
  expect([status, JSON.parse(body).message]).toEqual(isAuthorized ? [404, 'Not Found'] : [401, message])
  expect([service.isAuthorized(head), exchanges.length, service.requests]).toEqual([
    isAuthorized,
    isAuthorized ? 1 : 0,
    [],
  ])
})

test('a token for some repositories cannot write to others, and cannot see private ones', () => {
  const { request, service } = driveGitHub({ docs: { issues: { 8: createIssueState() } } })
  const { 'acme/docs': docs } = service.github.state.repositories
  if (docs === undefined) throw new Error('The repository is missing.')
  const requestWithTokenFor = (repository: string): number[] => {
    const authorization = { authorization: `token ${GITHUB_TOKEN}:${repository},acme/other` }
    return [
      request('GET', '/issues/8/comments', undefined, authorization).status,
      request('POST', '/issues/8/comments', { body: 'Hello' }, authorization).status,
    ]
  }
  expect([requestWithTokenFor('acme/docs'), requestWithTokenFor('acme/code')]).toEqual([
    [200, 201],
    [200, 403],
  ])
  docs.visibility = 'private'
  expect([requestWithTokenFor('acme/docs'), requestWithTokenFor('acme/code')]).toEqual([
    [200, 201],
    [404, 404],
  ])
  expect(docs.issues[8]?.comments).toHaveLength(2)
})

test('GraphQL answers the one query for the id of the token’s user, and everything else with a 501', () => {
  const { request, service } = driveGitHub()
  const { state } = service.github
  for (const login of [TOKEN_USER, MAINTAINER]) {
    state.identity = login
    const response = request('POST', '/api/graphql', { query: 'query { viewer { databaseId } }' }).body
    expect(response).toEqual({ data: { viewer: { databaseId: state.users[login]?.id } } })
  }
  expect(request('POST', '/api/graphql', { query: 'query { viewer { email } }' }).status).toBe(501)
})

/** Sends requests without checking them against GitHub's API description, which lacks some and takes long for many. */
function createPlainClient() {
  const headers = { authorization: `token ${GITHUB_TOKEN}` }
  const repositories = { 'acme/docs': createRepositoryState({ issues: { 1: createIssueState() } }) }
  const github = createGitHub({ baseUrl: 'http://x', startMs: 0, state: { repositories } })
  return (method: string, path: string, { body = '', nowMs = 0 } = {}) =>
    github.handle({ method, target: `/api/v3${path}`, headers, body }, nowMs)
}

test.each([
  ['too large', 'x'.repeat(MAX_BODY_BYTES + 1), 413],
  ['no JSON', 'no JSON', 400],
])('refuses a body that is %s', (_what, body, status) => {
  expect(createPlainClient()('POST', '/repos/acme/docs/issues/1/comments', { body }).status).toBe(status)
})

const pull = createPullState({ branch: 'guide', headSha: commit('c'), createdAtMs: DEFAULT_START_MS })

const driveWithPermissions = (permissions: TokenPermissions): GitHubDriver =>
  driveGitHub({ scenario: { permissions }, docs: { pulls: { 7: pull }, issues: { 8: createIssueState() } } })

test.each([
  ['pull-requests', 'read', 'GET', '/pulls/7', 200],
  ['pull-requests', 'write', 'GET', '/pulls/7', 200],
  ['pull-requests', 'read', 'POST', '/issues/7/comments', 403],
  ['pull-requests', 'write', 'POST', '/issues/7/comments', 201],
  ['issues', 'write', 'POST', '/issues/7/comments', 201],
  ['issues', 'write', 'POST', '/issues/8/comments', 201],
  ['pull-requests', 'write', 'POST', '/issues/8/comments', 403],
  ['issues', 'read', 'GET', '/collaborators/mona/permission', 200],
] as const)('with `%s: %s`, %s %s results in %d', (name, access, method, path, status) => {
  const body = method === 'POST' ? { body: 'Hello' } : undefined
  expect(driveWithPermissions({ [name]: access }).request(method, path, body).status).toBe(status)
})

test('names the missing permission, and lists issues without pull requests that the token cannot read', () => {
  const { request, read } = driveWithPermissions({ issues: 'read' })
  expect(request('POST', '/issues/7/comments', { body: 'Hello' })).toMatchObject({
    headers: { 'x-accepted-github-permissions': 'issues=write; pull_requests=write' },
    body: { message: 'Resource not accessible by integration' },
  })
  expect(request('GET', '/commits/main/status').headers).toMatchObject({
    'x-accepted-github-permissions': 'statuses=read',
  })
  expect(read('/issues').map(({ number }: { number: number }) => number)).toEqual([8])
})

test('allows 1,000 requests per hour, reports the remaining ones, and then responds with a 403', () => {
  const request = createPlainClient()
  const readLimit = (nowMs: number) => {
    const { status, headers } = request('GET', '/repos/acme/docs/tags', { nowMs })
    return [status, ...['limit', 'used', 'remaining', 'reset'].map((name) => headers[`x-ratelimit-${name}`])]
  }
  expect(readLimit(1_000)).toEqual([200, '1000', '1', '999', '3600'])
  for (let before = 1; before < 999; before++) readLimit(1_000)
  expect(readLimit(61_000)).toEqual([200, '1000', '1000', '0', '3540'])
  expect(readLimit(61_000)).toEqual([403, '1000', '1000', '0', '3540'])
  expect([3_600_999, 3_601_000].map((nowMs) => readLimit(nowMs)[0])).toEqual([403, 200])
})

test.each([
  ['/commits/main/status', 'repos/get-combined-status-for-ref', { ref: 'main' }],
  ['/commits/docs/guide/check-runs', 'checks/list-for-ref', { ref: 'docs/guide' }],
  ['/compare/main...release%2F1.x', 'repos/compare-commits-with-basehead', { basehead: 'main...release/1.x' }],
])('routes %s to %s', (path, name, params) => {
  expect(findGitHubRoute('GET', path)).toMatchObject({ name, params })
})

test('hides a new pull request and its issue until the lag is over', () => {
  const { request, advance, read } = driveGitHub({
    docs: { pulls: { 7: pull } },
    scenario: { lag: { ...DEFAULT_LAG, newPullMs: 6_000 } },
  })
  const statuses = () => ['/pulls/7', '/issues/7/comments'].map((path) => request('GET', path).status)
  expect([statuses(), read('/pulls')]).toEqual([[404, 404], []])
  advance(6)
  expect([statuses(), read('/pulls').length]).toEqual([[200, 200], 1])
})

test('serves a pull request also as an issue, but not an issue as a pull request', () => {
  const { request } = driveWithPermissions({ issues: 'read', 'pull-requests': 'read' })
  const paths = ['/issues/7/comments', '/pulls/7', '/issues/8/comments', '/pulls/8', '/issues/9/comments']
  expect(paths.map((path) => request('GET', path).status)).toEqual([200, 200, 200, 404, 404])
})

test('the docs workflow has a run in a fork and an older one in the repository', () => {
  const { workflow_runs: runs } = driveGitHub().read('/actions/workflows/docs.yml/runs?branch=main&status=success')
  expect(runs).toMatchObject([{ head_repository: { full_name: 'dora/docs' } }, { head_repository: { id: 1 } }])
})

test('has a second repository, found in any case, with a release and a later change', () => {
  const { request } = driveGitHub()
  const { body } = request('GET', '/api/v3/repos/Acme/CODE')
  expect(body).toMatchObject({ full_name: 'acme/code', name: 'code', default_branch: 'main', id: 2 })
  const { status, files } = request('GET', '/api/v3/repos/acme/code/compare/v1.1.0...main').body
  expect([status, files]).toMatchObject(['ahead', [{ filename: 'src/deploy.ts' }]])
})

test('the checks of the newest commit have passed, except in checks-red-before', () => {
  const conclusions = (...scenarios: 'checks-red-before'[]): string[] =>
    driveGitHub({ scenarios })
      .read('/commits/main/check-runs')
      .check_runs.map(({ conclusion }: { conclusion: string }) => conclusion)
  expect(conclusions()).toEqual(['success', 'success'])
  expect(conclusions('checks-red-before')).toEqual(['failure', 'failure'])
})

test.each([
  ['admin', 'admin'],
  ['maintain', 'write'],
  ['write', 'write'],
  ['triage', 'read'],
  ['read', 'read'],
] as const)('the role %s has the permission %s, and a user without a role can read', (role_name, permission) => {
  const { read } = driveGitHub({ docs: { collaborators: { dora: role_name } } })
  const user = { login: 'dora', id: 12, type: 'User' }
  expect(read('/collaborators/Dora/permission')).toMatchObject({ permission, role_name, user })
  expect(read('/collaborators/mona/permission').permission).toBe('read')
})

test.each([
  ['link-checker%5Bbot%5D', 'link-checker[bot] is not a user'],
  ['nobody', 'Not Found'],
])('refuses to return the permission of %s: %s', (login, message) => {
  expect(driveGitHub().request('GET', `/collaborators/${login}/permission`)).toMatchObject({
    status: 404,
    body: { message },
  })
})

test('scenario names are kebab-case and unique, and have a description of one sentence', () => {
  for (const name of GITHUB_SCENARIO_NAMES) {
    expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/)
    expect(SCENARIO_NAMES).not.toContain(name)
    expect(GITHUB_SCENARIOS[name].description).toMatch(/^[A-Z].*\.$/)
  }
  expect(isGitHubScenarioName('toString')).toBe(false)
})

test('combines scenarios: the last one of conflicting fields wins', () => {
  const combined = combineScenarios(['open-pull-request', 'checks-fail', 'checks-none'])
  expect(combined).toMatchObject({ earlierPull: 'marked', checks: [[]], agentPush: 'on-top' })
})

test('plays each form of rate limit, and lets the next request through', () => {
  const { request } = driveGitHub({ scenarios: ['github-limited'] })
  const statuses = Array.from({ length: 7 }, () => request('GET', '/pulls').status)
  expect(statuses).toEqual([403, 200, 403, 200, 429, 200, 403])
})

test('registers late checks 40 seconds later', () => {
  const { post, advance, read } = driveGitHub({ scenarios: ['checks-late'] })
  post('/v2/agent/docs-demo/job', 'x')
  const counts = [60, 4].map((seconds) => {
    advance(seconds)
    return read('/commits/agent%2Fjob_000001/check-runs').total_count
  })
  expect(counts).toEqual([0, 2])
})
