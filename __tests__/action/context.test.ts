import { expect, test } from '@jest/globals'
import { parseEvent } from '../../src/github/event-payload.ts'
import { atGitHub, readContext, contextOf, withholdsSecrets } from '../../src/action/context.ts'
import { commit } from '../support/github-state.ts'

const ENV = {
  GITHUB_EVENT_NAME: 'push',
  GITHUB_ACTOR: 'ann',
  GITHUB_SHA: 'abc',
  GITHUB_REF_NAME: 'main',
  GITHUB_REPOSITORY: 'acme/docs',
  GITHUB_RUN_ID: '42',
  GITHUB_RUN_ATTEMPT: '2',
  GITHUB_ACTION: 'agent',
  GITHUB_WORKFLOW_REF: 'acme/docs/.github/workflows/docs.yml@refs/heads/release/1.x',
  GITHUB_SERVER_URL: 'https://github.example.com',
  GITHUB_API_URL: 'https://github.example.com/api/v3',
}

test('reads what the runner says', () => {
  expect(contextOf(ENV, { ref: 'refs/heads/main' })).toEqual({
    eventName: 'push',
    payload: { ref: 'refs/heads/main' },
    actor: 'ann',
    sha: 'abc',
    refName: 'main',
    repository: 'acme/docs',
    runId: 42,
    runAttempt: 2,
    stepId: 'agent',
    workflow: 'docs.yml',
    serverUrl: 'https://github.example.com',
    apiUrl: 'https://github.example.com/api/v3',
  })
})

test('an address has no slash at its end', () => {
  const addresses = {
    GITHUB_SERVER_URL: 'https://github.example.com/',
    GITHUB_API_URL: 'https://github.example.com/api/v3/',
  }
  expect(contextOf({ ...ENV, ...addresses }, {})).toMatchObject({
    serverUrl: 'https://github.example.com',
    apiUrl: 'https://github.example.com/api/v3',
  })
})

test('outside of a runner, or with an address that is none, it is GitHub itself', () => {
  expect(contextOf({ GITHUB_API_URL: 'not an address' }, {})).toMatchObject({
    eventName: '',
    workflow: undefined,
    runId: 0,
    runAttempt: 1,
    serverUrl: 'https://github.com',
    apiUrl: 'https://api.github.com',
  })
})

test('outside of a runner there is no event, and one that cannot be read is none, which is known', () => {
  expect(readContext({})).not.toHaveProperty('isEventUnreadable')
  expect(readContext({})).toMatchObject({ payload: {} })
  const facts = readContext({ ...ENV, GITHUB_EVENT_PATH: '/no/such/file.json' })
  expect(facts).toMatchObject({ eventName: 'push', payload: {}, isEventUnreadable: true })
})

test.each([
  ['http://127.0.0.1:4010/api/v3', 'http://127.0.0.1:4010'],
  ['https://github.example.com/api/v3', 'https://github.example.com'],
  ['https://api.github.com', 'https://github.com'],
  ['https://api.acme.ghe.com', 'https://acme.ghe.com'],
  ['https://api.example.com', 'https://api.example.com'],
])('with the API at %s the pages are at %s', (apiUrl, serverUrl) => {
  expect(atGitHub(contextOf(ENV, {}), apiUrl)).toEqual({ ...contextOf(ENV, {}), apiUrl, serverUrl })
})

test('without another API it is the GitHub of the run', () => {
  expect(atGitHub(contextOf(ENV, {}), undefined)).toEqual(contextOf(ENV, {}))
})

const repository = { full_name: 'acme/docs' }
const OWN = { eventName: 'pull_request', actor: 'octocat', payload: pullRequestFrom(repository) }
const OF_FORK = { ...OWN, payload: pullRequestFrom({ full_name: 'stranger/docs' }) }

function pullRequestFrom(repo?: { full_name: string }) {
  return parseEvent('pull_request', { repository, pull_request: { head: { sha: commit('a'), repo: repo ?? null } } })
}

test.each(['pull_request', 'pull_request_review', 'pull_request_review_comment'])(
  'secrets are withheld from a %s of a fork',
  (eventName) => {
    expect(withholdsSecrets({ ...OF_FORK, eventName })).toBe(true)
  },
)

test('secrets are withheld where the fork was deleted meanwhile', () => {
  expect(withholdsSecrets({ ...OWN, payload: pullRequestFrom() })).toBe(true)
})

test('a pull request of the repository itself has secrets', () => {
  expect(withholdsSecrets(OWN)).toBe(false)
})

test('pull_request_target has secrets, also for a fork', () => {
  expect(withholdsSecrets({ ...OF_FORK, eventName: 'pull_request_target' })).toBe(false)
})

test.each(['push', 'pull_request', 'pull_request_target', 'workflow_dispatch'])(
  'secrets are withheld from a %s that Dependabot started',
  (eventName) => {
    expect(withholdsSecrets({ ...OWN, eventName, actor: 'dependabot[bot]' })).toBe(true)
  },
)

test.each(['push', 'schedule', 'workflow_dispatch', ''])('a %s has secrets', (eventName) => {
  expect(withholdsSecrets({ eventName, actor: 'octocat', payload: {} })).toBe(false)
})
