import { expect, test } from '@jest/globals'
import { parseEvent } from '../../src/github/event.ts'
import { atGitHub, readContext, withholdsSecrets } from '../../src/action/context.ts'
import { commit } from '../support/github-state.ts'

const ENV = {
  GITHUB_EVENT_NAME: 'push',
  GITHUB_ACTOR: 'ann',
  GITHUB_SHA: 'abc',
  GITHUB_REF_NAME: 'main',
  GITHUB_REPOSITORY: 'acme/docs',
  GITHUB_RUN_ID: '42',
  GITHUB_RUN_ATTEMPT: '2',
  GITHUB_JOB: 'docs',
  GITHUB_ACTION: 'agent',
  GITHUB_WORKFLOW_REF: 'acme/docs/.github/workflows/docs.yml@refs/heads/release/1.x',
  GITHUB_SERVER_URL: 'https://github.example.com/',
  GITHUB_API_URL: 'https://github.example.com/api/v3/',
}

test('reads the environment variables of the runner, and removes trailing slashes from URLs', () => {
  expect(readContext(ENV)).toEqual({
    event: parseEvent('push', {}, 'ann'),
    eventName: 'push',
    actor: 'ann',
    sha: 'abc',
    refName: 'main',
    repository: 'acme/docs',
    runId: 42,
    runAttempt: 2,
    workflowJob: 'docs',
    stepId: 'agent',
    runnerStepId: 'agent',
    workflow: 'docs.yml',
    serverUrl: 'https://github.example.com',
    apiUrl: 'https://github.example.com/api/v3',
  })
})

test('outside of a runner or with an invalid URL, uses github.com and an empty event', () => {
  expect(readContext({ GITHUB_API_URL: 'not an address', GITHUB_ACTION: '__self' })).toMatchObject({
    event: { kind: 'other', isReadable: true },
    workflowJob: '',
    stepId: '',
    runnerStepId: '__self',
    workflow: undefined,
    runId: 0,
    runAttempt: 1,
    serverUrl: 'https://github.com',
    apiUrl: 'https://api.github.com',
  })
})

test('marks an event that cannot be read', () => {
  const { event } = readContext({ ...ENV, GITHUB_EVENT_PATH: '/no/such/file.json' })
  expect(event).toMatchObject({ kind: 'push', isReadable: false })
})

test.each([
  ['http://127.0.0.1:4010/api/v3', 'http://127.0.0.1:4010'],
  ['https://api.github.com', 'https://github.com'],
  ['https://api.acme.ghe.com', 'https://acme.ghe.com'],
  ['https://api.example.com', 'https://api.example.com'],
])('the pages for the API %s are at %s', (apiUrl, serverUrl) => {
  expect(atGitHub(readContext(ENV), apiUrl)).toEqual({ ...readContext(ENV), apiUrl, serverUrl })
})

test("keeps the run's GitHub without another API URL", () => {
  expect(atGitHub(readContext(ENV), undefined)).toEqual(readContext(ENV))
})

const OWN = { full_name: 'acme/docs' }
const FORK = { full_name: 'stranger/docs' }

test.each([
  [true, 'pull_request', 'octocat', FORK],
  [true, 'pull_request_review_comment', 'octocat', FORK],
  // A deleted fork.
  [true, 'pull_request', 'octocat', null],
  [true, 'pull_request', 'dependabot[bot]', OWN],
  [true, 'push', 'dependabot[bot]', OWN],
  [false, 'pull_request', 'octocat', OWN],
  [false, 'pull_request_target', 'octocat', FORK],
  [false, 'push', 'octocat', OWN],
])('returns %j for whether secrets are withheld from a %s by %s from %j', (isWithheld, name, actor, repo) => {
  const payload = { repository: OWN, pull_request: { head: { sha: commit('a'), repo } } }
  expect(withholdsSecrets({ actor, event: parseEvent(name, payload, actor) })).toBe(isWithheld)
})
