import { expect, test } from '@jest/globals'
import { DEFAULT_START_MS as START } from '../../../src/emulator/embedded-service.ts'
import { AGENT_PERSON, AGENT_USER, MAINTAINER, REVIEWER } from '../../../src/emulator/github/demo-state.ts'
import { combineScenarios, type GitHubScenario } from '../../../src/emulator/github/github-scenarios.ts'
import { editOnWeb, openPull, pushCommit } from '../../../src/emulator/github/repository-changes.ts'
import { createRepositoryState, type RepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { DEFAULT_LAG } from '../../../src/emulator/github/state.ts'
import { createPushEvent, type WebhookEvent } from '../../../src/emulator/github/webhook-events.ts'
import { driveGitHub, type GitHubDriver, type Json } from './drive-github.ts'

const change = (filename: string, author: string) => ({
  message: `Change ${filename}`,
  author,
  files: [{ filename, patch: '@@ -1 +1 @@\n-a\n+b' }],
})

/** `main` has one commit, and pull request 7 by the agent has a commit by the agent and one by the reviewer. */
function createDocs(): RepositoryState {
  const docs = createRepositoryState({ collaborators: { [MAINTAINER]: 'maintain' } })
  pushCommit(docs, 'main', change('a.md', MAINTAINER), START)
  pushCommit(docs, 'guide', change('b.md', AGENT_USER), START)
  pushCommit(docs, 'guide', change('c.md', REVIEWER), START)
  openPull(docs, 7, { branch: 'guide', title: 'Guide', user: AGENT_USER }, START)
  return docs
}

/** `takePush` returns the payload of the only push since the last call. */
function drive(scenario: Partial<GitHubScenario> = {}) {
  const events: WebhookEvent[] = []
  const driver = driveGitHub({ docs: createDocs(), scenario, onEvent: (event) => events.push(event) })
  driver.service.github.state.identity = MAINTAINER
  const takePush = (): Json => {
    driver.read('/pulls')
    const pushes = events.splice(0).filter(({ name }) => name === 'push')
    expect(pushes).toHaveLength(1)
    return pushes[0]?.payload
  }
  return { ...driver, takePush }
}

/** Reads a commit as a part of a comparison with its parent. */
function readCommit({ docs, read }: Pick<GitHubDriver, 'docs' | 'read'>, sha: string): Json {
  const parent = docs.commits.find((commit) => commit.sha === sha)?.parents[0]
  return read(`/compare/${parent}...${sha}`).commits.at(-1)
}

/** Lists the accounts of each commit as `author committer`. */
const listPeople = (commits: readonly Json[]): readonly string[] =>
  commits.map(({ author, committer }) => [author, committer].map((one) => one.login ?? one.username).join(' '))

test.each([
  ['merge', ['docs-agent[bot] docs-agent[bot]', 'lisa lisa', 'mona web-flow'], 'Merge pull request #7 from acme/guide'],
  ['squash', ['docs-agent[bot] web-flow'], 'Guide (#7)'],
  ['rebase', ['docs-agent[bot] mona', 'lisa mona'], 'Change c.md'],
] as const)('a %s by mona has commits by %j, in REST and in the push', (method, people, subject) => {
  const { request, read, takePush, advance, docs } = drive()
  const before = docs.branches['main'] ?? ''
  const pullPeople = listPeople(read('/pulls/7/commits'))
  expect(pullPeople).toEqual(['docs-agent[bot] docs-agent[bot]', 'lisa lisa'])
  advance(10)
  const { sha } = request('PUT', '/pulls/7/merge', { merge_method: method }).body
  const push = takePush()
  expect(push).toMatchObject({ ref: 'refs/heads/main', before, after: sha, sender: { login: MAINTAINER } })
  expect(listPeople(push.commits)).toEqual(people)
  expect(listPeople(read(`/compare/${before}...${sha}`).commits)).toEqual(people)
  const shown = readCommit({ docs, read }, sha)
  expect(listPeople([shown])).toEqual(people.slice(-1))
  expect(shown.commit.message.split('\n')[0]).toBe(subject)
  for (const { id } of push.commits) expect(read(`/commits/${id}/pulls`)).toMatchObject([{ number: 7 }])
})

const ON_MAIN = change('d.md', MAINTAINER)

test.each([
  ['an edit on the website', (docs: RepositoryState) => editOnWeb(docs, 'main', ON_MAIN, START), 'mona web-flow'],
  ['a push by the author', (docs: RepositoryState) => pushCommit(docs, 'main', ON_MAIN, START), 'mona mona'],
  [
    'a push of a colleague’s commit',
    (docs: RepositoryState) => pushCommit(docs, 'main', { ...ON_MAIN, author: REVIEWER, by: MAINTAINER }, START),
    'lisa lisa',
  ],
  [
    'a push of a commit that the pusher amended',
    (docs: RepositoryState) => pushCommit(docs, 'main', { ...ON_MAIN, author: REVIEWER, committer: MAINTAINER }, START),
    'lisa mona',
  ],
])('%s has the author and committer of %s', (_what, happen, people) => {
  const { docs, read, takePush, service } = drive()
  const { sha } = happen(docs)
  const { [docs.pushes.length - 1]: { by } = { by: '' } } = docs.pushes
  const push = takePush()
  expect(push).toMatchObject({ after: sha, sender: { login: by }, pusher: { name: by } })
  expect([listPeople(push.commits), listPeople([readCommit({ docs, read }, sha)])]).toEqual([[people], [people]])
  const event = createPushEvent(service.github.state, 'acme/docs', { baseUrl: 'http://127.0.0.1', branch: 'main' })
  expect(event.payload).toMatchObject({ after: sha, commits: push.commits.map(({ id }: Json) => ({ id })) })
})

test('a push shows logins without the types of the accounts, and REST shows both', () => {
  const { docs, read, takePush } = drive()
  const { sha } = editOnWeb(docs, 'main', ON_MAIN, START)
  const person = { name: 'mona', email: '11+mona@users.noreply.github.com' }
  const web = { name: 'GitHub', email: 'noreply@github.com' }
  const [pushed] = takePush().commits
  expect(pushed).toMatchObject({
    author: { ...person, username: 'mona' },
    committer: { ...web, username: 'web-flow' },
  })
  expect(Object.keys(pushed.committer)).toEqual(['name', 'email', 'username'])
  expect(readCommit({ docs, read }, sha)).toMatchObject({
    author: { login: 'mona', type: 'User' },
    committer: { login: 'web-flow', type: 'User' },
    commit: { author: person, committer: web },
  })
})

test('an author without an account has no login', () => {
  const { docs, read, takePush } = drive()
  const { sha } = pushCommit(docs, 'main', { ...change('d.md', 'Ann Other'), by: MAINTAINER }, START)
  const [pushed] = takePush().commits
  expect([pushed.author.name, 'username' in pushed.author]).toEqual(['Ann Other', false])
  expect(readCommit({ docs, read }, sha)).toMatchObject({ author: null, commit: { author: { name: 'Ann Other' } } })
})

test('GitHub commits the update of a branch of a pull request', () => {
  const { docs, request, read } = drive()
  pushCommit(docs, 'main', ON_MAIN, START)
  expect(request('PUT', '/pulls/7/update-branch', {}).status).toBe(202)
  expect(listPeople([read('/pulls/7/commits').at(-1)])).toEqual(['mona web-flow'])
})

test.each([
  ['empty', 200],
  ['unprocessable', 422],
] as const)('the pull requests of a merged commit are %s for the time of the lag', (commitPulls, status) => {
  const { request, advance } = drive({ lag: { ...DEFAULT_LAG, commitPullsMs: 5_000, commitPulls } })
  advance(10)
  const { sha } = request('PUT', '/pulls/7/merge', { merge_method: 'squash' }).body
  const early = request('GET', `/commits/${sha}/pulls`)
  expect([early.status, early.body.length]).toEqual([status, status === 200 ? 0 : undefined])
  advance(5)
  expect(request('GET', `/commits/${sha}/pulls`).body).toMatchObject([{ number: 7 }])
})

test.each([
  ['web-edit', 'mona web-flow'],
  ['colleague-commit', 'lisa lisa'],
  ['reviewed-change', 'mona web-flow'],
] as const)('in the scenario %s, the newest change has the author and committer %s', (name, people) => {
  const { service, read } = driveGitHub({ scenarios: [name] })
  const { payload } = createPushEvent(service.github.state, 'acme/docs', {
    baseUrl: 'http://127.0.0.1',
    branch: 'main',
  })
  expect(payload['sender']).toMatchObject({ login: MAINTAINER })
  expect(listPeople((payload as Json).commits)).toEqual([people])
  expect(listPeople(read('/compare/v1.1.0...main').commits.slice(-1))).toEqual([people])
})

test.each([
  ['checks-pass', AGENT_USER, 'Bot'],
  ['agent-is-user', AGENT_PERSON, 'User'],
] as const)('in the scenario %s, the agent is %s, of type %s', (name, login, type) => {
  const events: WebhookEvent[] = []
  const { post, advance, read } = driveGitHub({
    scenario: combineScenarios([name]),
    onEvent: (event) => events.push(event),
  })
  post('/v2/agent/docs-demo/job', 'Document the flag.')
  advance(60)
  const [pull] = read('/pulls')
  expect(pull.user).toMatchObject({ login, type })
  expect(listPeople(read(`/pulls/${pull.number}/commits`))).toEqual([`${login} ${login}`])
  const started = events.filter(({ payload }) => (payload as Json).sender.login === login)
  expect([...new Set(started.map((event) => event.name))].toSorted()).toEqual(['pull_request', 'push'])
  for (const { payload } of started) expect(payload['sender']).toMatchObject({ login, type })
})
