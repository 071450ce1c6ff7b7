import * as fs from 'node:fs'
import type * as net from 'node:net'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import {
  requireGitHub,
  openStep,
  type Step,
  type StepInputs,
  formatResult,
  readContext,
  explainMissingKey,
} from '../../src/action/step.ts'
import { parseEvent } from '../../src/github/event.ts'
import { connectGitHub } from '../../src/github/github.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { createRedactor } from '../../src/text/redact.ts'
import { fakeClock } from '../../testing/fake-clock.ts'
import { fakeRunner } from '../../testing/fake-runner.ts'
import { commit } from '../../testing/github-state.ts'
import { serveSockets } from '../../testing/socket-server.ts'
import { createTemporaryFolder } from '../../testing/temporary-folder.ts'

const INPUTS = { projectId: 'docs', apiKey: 'docs_key', baseUrl: 'https://docs.example.com', timeoutMs: 60_000 }

function open(inputs: Partial<StepInputs> = {}, env: NodeJS.ProcessEnv = {}, connect?: typeof connectGitHub): Step {
  const { signal } = new AbortController()
  const host = { runner: fakeRunner(), clock: fakeClock(), signal, startedAt: 2_000, env }
  return openStep({ ...INPUTS, ...inputs }, host, connect)
}

test('the deadline counts from the start of the step', () => {
  const step = open({}, { GITHUB_REPOSITORY: 'acme/docs' })
  const context: unknown = expect.objectContaining({ repository: 'acme/docs' })
  expect(step).toMatchObject({ startedAt: 2_000, deadlineAt: 62_000, context })
})

test('redacts secrets in the event, including the password of a proxy', () => {
  const file = join(createTemporaryFolder(), 'event.json')
  fs.writeFileSync(file, JSON.stringify({ issue: { number: 7, title: 'docs docs_key proxy-pass', body: 'docs_key' } }))
  const secrets = [INPUTS.apiKey]
  const runner = {
    ...fakeRunner(),
    mask: (secret: string) => void secrets.push(secret),
    redact: (text: string) => createRedactor(secrets)(text),
  }
  const env = {
    GITHUB_EVENT_NAME: 'issues',
    GITHUB_EVENT_PATH: file,
    HTTPS_PROXY: 'http://user:proxy-pass@localhost:1',
    HTTP_PROXY: 'http://user:docs@localhost:1',
  }
  const host = { runner, clock: fakeClock(), signal: new AbortController().signal, startedAt: 2_000, env }
  const { event } = openStep(INPUTS, host).context
  expect(event).toMatchObject({ subject: { title: 'docs *** ***', text: '***' } })
})

test('has a GitHub client if the action needs one and there is a token', () => {
  expect(open({ githubToken: 'ghs_1' }, {}, connectGitHub).github).toHaveProperty('readChecks')
  for (const inputs of [{}, { githubToken: '' }]) expect(open(inputs, {}, connectGitHub).github).toBeUndefined()
  expect(open({ githubToken: 'ghs_1' }).github).toBeUndefined()
})

test.each([undefined, 'job_1'])('passes the input `job-id`, here %j, to the client of the service', async (jobId) => {
  const refuse = (socket: net.Socket): void => {
    socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 21\r\nconnection: close\r\n\r\n{"error":"Not there"}')
  }
  const server = await serveSockets({ onRequest: refuse })
  const { signal } = new AbortController()
  const host = { runner: fakeRunner(), clock: systemClock, signal, startedAt: systemClock.now(), env: {} }
  const { client } = openStep({ ...INPUTS, baseUrl: `http://127.0.0.1:${server.port}`, jobId }, host)
  const error: unknown = await client.getJob('job_1').catch((caught: unknown) => caught)
  await server.close()
  const hint: unknown =
    jobId === undefined ? expect.not.stringContaining('`job-id`') : expect.stringContaining('`job-id`')
  expect(error).toMatchObject({ code: 'not-found', hint })
})

test("rejects an invalid proxy URL when the service's client is created", () => {
  expect(() => open({}, { HTTPS_PROXY: 'http://[' })).toThrow(expect.objectContaining({ code: 'proxy' }))
})

test('throws `unauthorized` without a token', () => {
  expect(() => requireGitHub({ github: undefined })).toThrow(expect.objectContaining({ code: 'unauthorized' }))
})

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
    isRehearsal: false,
  })
})

test('does not take the workflow file of another repository for one of this repository', () => {
  const required = 'acme/rules/.github/workflows/docs.yml@refs/heads/main'
  expect(readContext({ ...ENV, GITHUB_WORKFLOW_REF: required }).workflow).toBeUndefined()
  expect(readContext({ ...ENV, GITHUB_REPOSITORY: 'Acme/Docs' }).workflow).toBe('docs.yml')
})

test('in a rehearsal, uses its GitHub instead of the one of the runner', () => {
  const server = 'http://127.0.0.1:4010'
  const api = `${server}/api/v3`
  const rehearsal = { service: server, api, server, key: 'docs_embedded', token: 'ghs_embedded' }
  const env = { ...ENV, DOCS_AGENT_REHEARSAL: JSON.stringify(rehearsal) }
  expect(readContext(env)).toEqual({ ...readContext(ENV), serverUrl: server, apiUrl: api, isRehearsal: true })
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

const OWN = { full_name: 'acme/docs' }
const FORK = { full_name: 'outsider/docs' }

const DEPENDABOT = 'dependabot[bot]'
const CONFIGURED = { 'project-id': 'docs', 'base-url': 'https://docs.example.com' }

test.each([
  [/pull requests from forks/, 'pull_request', 'octocat', FORK],
  [/pull requests from forks/, 'pull_request_review_comment', 'octocat', FORK],
  // A deleted fork.
  [/pull requests from forks/, 'pull_request', 'octocat', null],
  [/Dependabot/, 'pull_request', DEPENDABOT, OWN],
  [/Dependabot/, 'push', DEPENDABOT, OWN],
  [undefined, 'pull_request', 'octocat', OWN],
  [undefined, 'pull_request_target', 'octocat', FORK],
  [undefined, 'push', 'octocat', OWN],
])('explains with %s why a %s by %s from %j has no key', (expected, name, actor, repo) => {
  const payload = { repository: OWN, pull_request: { head: { sha: commit('a'), repo } } }
  const context = { ...readContext({}), actor, event: parseEvent(name, payload, actor) }
  const reason = explainMissingKey(context, CONFIGURED)
  expect(reason).toEqual(expected === undefined ? undefined : expect.stringMatching(expected))
})

test.each([
  [true, true, { ...CONFIGURED, 'project-id': '' }],
  [true, true, { ...CONFIGURED, 'base-url': ' ' }],
  [true, true, {}],
  [false, true, CONFIGURED],
  [false, false, {}],
])('explains (%j) why a schedule has no key if its repository is a fork (%j), with the inputs %j', (is, fork, raw) => {
  const event = parseEvent('schedule', { repository: { ...OWN, fork } }, 'octocat')
  const reason = explainMissingKey({ ...readContext({}), event }, raw)
  expect(reason).toEqual(is ? expect.stringContaining('is a fork') : undefined)
})

test('formats a result with its quote and its advice, and then the suffix without a period', () => {
  const result = { isGreen: false, title: 'Ended', text: 'Done', quote: 'No', advice: 'Fix it', outputs: {} }
  expect(formatResult({ ...result, last: 'https://x/1' }, 'Not written')).toBe(
    'Not written. Done. The service says: “No”. Fix it. https://x/1',
  )
})
