import { describe, expect, test } from '@jest/globals'
import { DEFAULT_START_MS } from '../../../src/emulator/embedded-service.ts'
import { BOT, GITHUB_TOKEN, MAINTAINER, STRANGER } from '../../../src/emulator/github/demo-state.ts'
import { applyGitHubFault, type GitHubFault } from '../../../src/emulator/github/github-faults.ts'
import {
  combineScenarios,
  GITHUB_SCENARIO_NAMES,
  GITHUB_SCENARIOS,
  isGitHubScenarioName,
} from '../../../src/emulator/github/github-scenarios.ts'
import { createGitHub } from '../../../src/emulator/github/github.ts'
import { issueState } from '../../../src/emulator/github/issue-state.ts'
import { pullState } from '../../../src/emulator/github/pull-state.ts'
import { pushCommit } from '../../../src/emulator/github/repository-events.ts'
import { repositoryState } from '../../../src/emulator/github/repository-state.ts'
import { createRequestBudget } from '../../../src/emulator/github/request-budget.ts'
import { findRoute, OPERATIONS } from '../../../src/emulator/github/routes.ts'
import { type Permissions, USUAL_LAG } from '../../../src/emulator/github/state.ts'
import { jsonResponse } from '../../../src/emulator/http/exchange.ts'
import { MAX_BODY_BYTES } from '../../../src/emulator/http/prompt-body.ts'
import { SCENARIO_NAMES } from '../../../src/emulator/service/scenarios.ts'
import { commit, driveGitHub, type GitHubDriver } from './drive-github.ts'

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

describe('github access', () => {
  const pull = pullState({ branch: 'guide', headSha: commit('c') })
  const drive = (permissions: Permissions): GitHubDriver =>
    driveGitHub({ scenario: { permissions }, docs: { pulls: { 7: pull }, issues: { 8: issueState() } } })
  const hello = { body: 'Hello' }

  test('a token may do what it was given, and is told what it lacks', () => {
    const { ask } = drive({ 'pull-requests': 'read' })
    expect(ask('GET', '/pulls/7').status).toBe(200)
    expect(ask('POST', '/issues/7/comments', hello)).toMatchObject({
      status: 403,
      headers: { 'x-accepted-github-permissions': 'issues=write; pull_requests=write' },
      body: { message: 'Resource not accessible by integration' },
    })
    expect(ask('GET', '/commits/main/status').headers).toMatchObject({
      'x-accepted-github-permissions': 'statuses=read',
    })
  })

  test('what may write may read', () => {
    expect(drive({ 'pull-requests': 'write' }).ask('GET', '/pulls/7').status).toBe(200)
  })

  test('pull requests can be commented on with either permission, and issues with one only', () => {
    const statuses = ([permission, number]: readonly ['issues' | 'pull-requests', number]): number =>
      drive({ [permission]: 'write' }).ask('POST', `/issues/${number}/comments`, hello).status
    expect(statuses(['issues', 7])).toBe(201)
    expect(statuses(['pull-requests', 7])).toBe(201)
    expect(statuses(['issues', 8])).toBe(201)
    expect(statuses(['pull-requests', 8])).toBe(403)
  })

  test('every token may see who may do what', () => {
    expect(drive({}).ask('GET', '/collaborators/mona/permission').status).toBe(200)
  })
})

function strike(fault: GitHubFault): { answered: number; response: ReturnType<typeof applyGitHubFault> } {
  let answered = 0
  const response = applyGitHubFault(fault, () => {
    answered += 1
    return jsonResponse(200, { fine: true })
  })
  return { answered, response }
}

test.each([
  ['none', 1, 200, 'whole'],
  ['unavailable', 0, 503, 'whole'],
  [422, 0, 422, 'whole'],
  ['primary-limit', 0, 403, 'whole'],
  ['secondary-limit', 0, 403, 'whole'],
  ['plain-limit', 0, 429, 'whole'],
  ['long-limit', 0, 429, 'whole'],
  ['html', 0, 200, 'whole'],
  ['reset', 0, 0, 'reset'],
  ['never', 0, 0, 'never'],
  ['answer-lost', 1, 200, 'reset'],
  ['late', 1, 200, 'whole'],
] as const)('%s does the work %d times, and answers %d, %s', (fault, answered, status, delivery) => {
  expect(strike(fault)).toMatchObject({ answered, response: { status, delivery } })
})

test('each rate limit tells in its own way how long it lasts', () => {
  expect(strike('primary-limit').response.headers).toMatchObject({
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': '5',
  })
  expect(strike('secondary-limit').response.headers).toMatchObject({ 'retry-after': '5' })
  expect(strike('plain-limit').response).toMatchObject({ headers: { 'retry-after': '5' }, body: '' })
  expect(Number(strike('long-limit').response.headers['x-ratelimit-reset'])).toBeGreaterThan(3_600)
})

test('a late answer says how late it is', () => {
  expect(strike('late').response.delayMs).toBe(8_000)
})

test('tells what is left of the hour, and refuses all that comes when it is spent', () => {
  const budget = createRequestBudget(2)
  const request = { method: 'POST', target: '/', headers: {}, body: '' }
  const charge = (nowMs: number) => budget.charge(request, jsonResponse(201, {}), nowMs).headers
  expect(charge(1_000)).toMatchObject({ 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '1' })
  expect(charge(61_000)).toMatchObject({ 'x-ratelimit-used': '2', 'x-ratelimit-reset': '3540' })
  expect([61_000, 3_600_999, 3_601_000].map((nowMs) => budget.isSpent(nowMs))).toEqual([true, true, false])
})

test('answers 304 to who has the answer already, and does not count it', () => {
  const { ask } = driveGitHub()
  const { headers } = ask('GET', '/commits/main')
  const known = ask('GET', '/commits/main', undefined, { 'if-none-match': headers['etag'] ?? '' })
  expect(headers['etag']).toMatch(/^W\/"\w+"$/)
  expect(known).toMatchObject({ status: 304, body: undefined })
  expect(known.headers['x-ratelimit-remaining']).toBe('999')
  expect(ask('GET', '/commits/main', undefined, { 'if-none-match': 'W/"other"' }).status).toBe(200)
})

test('an hour has a thousand requests, and then GitHub’s own refusal', () => {
  const { ask } = driveGitHub()
  for (let before = 0; before < 1_000; before++) ask('GET', '/tags')
  const { status, headers, body } = ask('GET', '/tags')
  expect([status, body.message]).toEqual([403, 'API rate limit exceeded for installation.'])
  expect(headers).toMatchObject({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '3600' })
})

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

describe('operation', () => {
  const pull = pullState({ branch: 'guide', headSha: commit('c'), createdAtMs: DEFAULT_START_MS })

  test('a pull request that is too new is not there yet, nor is its issue', () => {
    const { ask, advance, read } = driveGitHub({
      docs: { pulls: { 7: pull } },
      scenario: { lag: { ...USUAL_LAG, newPullMs: 6_000 } },
    })
    for (const path of ['/pulls/7', '/issues/7', '/issues/7/comments'])
      expect([path, ask('GET', path).status]).toEqual([path, 404])
    expect(read('/pulls')).toEqual([])
    advance(6)
    for (const path of ['/pulls/7', '/issues/7', '/issues/7/comments']) read(path)
    expect(read('/pulls')).toHaveLength(1)
  })

  test('a number can be an issue’s or a pull request’s, and only the latter is both', () => {
    const { ask } = driveGitHub({ docs: { pulls: { 7: pull }, issues: { 8: issueState() } } })
    const statuses = ['/issues/7', '/pulls/7', '/issues/8', '/pulls/8', '/issues/9'].map(
      (path) => ask('GET', path).status,
    )
    expect(statuses).toEqual([200, 200, 200, 404, 404])
  })
})

test('there is a history with two releases and a change since', () => {
  const { read } = driveGitHub()
  expect(read('/compare/v1.0.0...v1.1.0').files).toMatchObject([{ filename: 'docs/deploy.md' }])
  expect(read('/compare/v1.1.0...main')).toMatchObject({ status: 'ahead', ahead_by: 1 })
})

test('the last run of the docs workflow is one before the newest change, and a fork has one of the same branch', () => {
  const { workflow_runs: runs } = driveGitHub().read('/actions/workflows/docs.yml/runs?branch=main&status=success')
  const names = runs.map((run: { head_repository: { full_name: string } }) => run.head_repository.full_name)
  expect(names).toEqual([`${STRANGER}/docs`, 'acme/docs'])
})

test('one of the people may write', () => {
  const { read, ask } = driveGitHub()
  expect(read(`/collaborators/${MAINTAINER}/permission`).permission).toBe('write')
  expect(read(`/collaborators/${STRANGER}/permission`).permission).toBe('read')
  expect(ask('GET', `/collaborators/${encodeURIComponent(BOT)}/permission`).status).toBe(404)
})

test('there is a second repository', () => {
  const { body } = driveGitHub().ask('GET', '/api/v3/repos/acme/code/commits/main')
  expect(body.files).toMatchObject([{ filename: 'src/deploy.ts' }])
})

test('the checks of the newest commit have passed, unless the scenario says otherwise', () => {
  const conclusions = (...scenarios: 'checks-red-before'[]): string[] =>
    driveGitHub({ scenarios })
      .read('/commits/main/check-runs')
      .check_runs.map(({ conclusion }: { conclusion: string }) => conclusion)
  expect(conclusions()).toEqual(['success', 'success'])
  expect(conclusions('checks-red-before')).toEqual(['failure', 'failure'])
})

describe('people operations', () => {
  test.each([
    ['admin', 'admin'],
    ['maintain', 'write'],
    ['write', 'write'],
    ['triage', 'read'],
    ['read', 'read'],
  ] as const)('the role %s may %s', (role_name, permission) => {
    const { read } = driveGitHub({ docs: { collaborators: { dora: role_name } } })
    const user = { login: 'dora', id: 12, type: 'User' }
    expect(read('/collaborators/dora/permission')).toMatchObject({ permission, role_name, user })
  })

  test('a stranger may read, an app is no user, and whom nobody knows is not there', () => {
    const { read, ask } = driveGitHub()
    expect(read('/collaborators/dora/permission').permission).toBe('read')
    expect(ask('GET', '/collaborators/link-checker%5Bbot%5D/permission').body).toMatchObject({
      message: 'link-checker[bot] is not a user',
    })
    expect(ask('GET', '/collaborators/nobody/permission').status).toBe(404)
    expect(read('/collaborators/Dora/permission').user.login).toBe('dora')
  })

  test('the repository tells its default branch', () => {
    const repository = { full_name: 'acme/docs', default_branch: 'main', id: 1 }
    for (const path of ['', '/api/v3/repos/Acme/DOCS']) expect(driveGitHub().read(path)).toMatchObject(repository)
  })
})

test('names are kebab-case, are not those of the service, and come with a sentence', () => {
  for (const name of GITHUB_SCENARIO_NAMES) {
    expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/)
    expect(SCENARIO_NAMES).not.toContain(name)
    expect(GITHUB_SCENARIOS[name].description).toMatch(/^[A-Z].*\.$/)
    expect(isGitHubScenarioName(name)).toBe(true)
  }
  expect(isGitHubScenarioName('toString')).toBe(false)
})

test('of several scenarios the later one counts, and nothing else is changed', () => {
  const combined = combineScenarios(['open-pull-request', 'checks-fail', 'checks-none'])
  expect(combined).toMatchObject({ earlierPull: 'marked', checks: [[]], agentPush: 'on-top' })
})

test.each([
  ['github-down', [503, 503, 503]],
  ['github-limited', [403, 200, 403, 200, 429, 200]],
  ['no-permission', [403]],
  ['read-only', [200]],
] as const)('%s answers %j', (scenario, statuses) => {
  const { ask } = driveGitHub({ scenarios: [scenario] })
  expect(statuses.map(() => ask('GET', '/pulls').status)).toEqual(statuses)
})

test('with github-slow every second answer takes a while', () => {
  const { ask, exchanges } = driveGitHub({ scenarios: ['github-slow'] })
  for (let times = 0; times < 4; times++) ask('GET', '/pulls')
  expect(exchanges.map(({ response }) => response.delayMs ?? 0)).toEqual([0, 8_000, 0, 8_000])
})

test.each([
  ['checks-pass', 'build:success links:success'],
  ['checks-fail', 'build:failure links:failure'],
  ['checks-late', ''],
  ['checks-none', ''],
  ['checks-wait-for-approval', ''],
  ['checks-pending', 'build:null'],
  ['checks-of-one-name', 'build:failure build:success'],
] as const)('20 seconds after the push, with %s, the checks are “%s”', (scenario, expected) => {
  const { post, advance, read } = driveGitHub({ scenarios: [scenario] })
  post('/v2/agent/docs-demo/job', 'x')
  advance(40)
  const { check_runs: runs } = read('/commits/agent%2Fjob_000001/check-runs')
  const shown = runs.map(
    ({ name, conclusion }: { name: string; conclusion: string | null }) => `${name}:${conclusion ?? 'null'}`,
  )
  expect(shown.join(' ')).toBe(expected)
})
