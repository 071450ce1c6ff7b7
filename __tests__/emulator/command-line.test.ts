import { EventEmitter } from 'node:events'
import { expect, test } from '@jest/globals'
import { parseCli } from '../../src/emulator/cli-options.ts'
import { GITHUB_SCENARIO_NAMES } from '../../src/emulator/github/github-scenarios.ts'
import { EMULATOR_KEY } from '../../src/emulator/http/access.ts'
import { runProgram } from '../../src/emulator/program.ts'
import { type RequestRecord, formatRequest } from '../../src/emulator/request-log.ts'
import { SCENARIO_NAMES } from '../../src/emulator/service/scenarios.ts'

const record: RequestRecord = {
  method: 'GET',
  path: '/x',
  query: '',
  prompt: undefined,
  asOfMs: 0,
  status: 200,
  delivery: 'complete',
  scenario: 'failed',
}

test.each([
  [{}, 'GET /x -> 200 (failed)'],
  [{ query: 'a=1', scenario: undefined }, 'GET /x?a=1 -> 200'],
  [{ delivery: 'truncated' }, 'GET /x -> 200, broken off in the middle (failed)'],
  [{ delivery: 'reset', status: 0 }, 'GET /x -> no response, connection reset before the response (failed)'],
  [{ delivery: 'never', status: 0 }, 'GET /x -> no response, connection kept open (failed)'],
] as const)('logs a request with %j as “%s”', (fields, line) => {
  expect(formatRequest({ ...record, ...fields })).toBe(line)
})

test('keeps text from the client on one line and free of workflow commands', () => {
  const line = formatRequest({
    ...record,
    path: '/\n::error::x\u001b[31m##[error]\u202e\u2028',
    query: 'x'.repeat(5_000),
  })
  expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|##\[/u)
  expect(line).toMatch(/^GET /)
  expect(line.length).toBeLessThan(400)
})

/** A process with only the members that the service uses. */
function createFakeProcess(...args: string[]) {
  const events = new EventEmitter()
  const output = Object.assign(new EventEmitter(), { text: '', write: (text: string) => (output.text += text) })
  const errors = { text: '', write: (text: string) => (errors.text += text) }
  const argv = ['node', 'emulator', ...args]
  const signals = { once: events.once.bind(events), signal: events.emit.bind(events) }
  return { argv, stdout: output, stderr: errors, ...signals }
}

test('prints how to call the service and GitHub, logs requests to both, and ends after SIGTERM', async () => {
  const flags = ['--port=0', '--scenario=flaky', '--speed=10', '--github-scenario=draft']
  const self = createFakeProcess(...flags, '--github-repository=me/guide')
  expect(await runProgram(self)).toBe(0)
  const url = /^listening (\S+)\n/.exec(self.stdout.text)?.[1] ?? ''
  for (const line of [
    `DOCS_AGENT_BASE_URL=${url}`,
    `curl ${url}/v2/agent/docs-demo/job -H 'Authorization: Bearer docs_`,
    `curl ${url}/api/v3/repos/acme/docs/pulls -H 'Authorization: Bearer ghs_`,
    'the scenario flaky, at 10 times',
  ])
    expect(self.stdout.text).toContain(line)

  expect((await fetch(`${url}/v2/agent/docs/job/job_1`)).status).toBe(401)
  const token = /GITHUB_TOKEN=(\S+)/.exec(self.stdout.text)?.[1] ?? ''
  const readPulls = (): Promise<Response> =>
    fetch(`${url}/api/v3/repos/me/guide/pulls`, { headers: { authorization: `token ${token}` } })
  expect((await readPulls()).status).toBe(200)
  expect(self.stdout.text).toContain(
    'GET /v2/agent/docs/job/job_1 -> 401 (flaky)\nGET /api/v3/repos/me/guide/pulls -> 200\n',
  )

  self.stdout.emit('error')
  self.signal('SIGTERM')
  const isRunning = (): Promise<boolean> =>
    readPulls().then(
      // Another program may have taken the port.
      ({ ok }) => ok,
      () => false,
    )
  while (await isRunning());
})

test('sends what steps need to a parent process with an IPC channel', async () => {
  const messages: Record<string, string>[] = []
  const self = {
    ...createFakeProcess('--port=0'),
    send: (message: object) => messages.push(message as (typeof messages)[number]),
  }
  expect(await runProgram(self)).toBe(0)
  const url = messages[0]?.['service'] ?? ''
  const token = expect.stringMatching(/^ghs_/) as unknown
  const message = { service: url, api: `${url}/api/v3`, server: url, key: EMULATOR_KEY, token }
  expect(messages).toEqual([message])
  expect(self.stdout.text.startsWith(`listening ${url}\n`)).toBe(true)
  expect((await fetch(url)).status).toBe(404)
  self.signal('SIGTERM')
})

test('--help overrides other flags, lists every flag and scenario, and starts no service', async () => {
  const self = createFakeProcess('--port', 'x', '--help')
  expect(await runProgram(self)).toBe(0)
  const serviceFlags = ['changed', 'port', 'scenario', 'speed', 'help']
  const flags = [...serviceFlags, 'github-scenario', 'github-repository'].map((flag) => `--${flag}`)
  for (const name of [...flags, ...SCENARIO_NAMES, ...GITHUB_SCENARIO_NAMES])
    expect(self.stdout.text).toContain(`  ${name} `)
  expect(self.stdout.text).not.toMatch(/^listening/m)
})

test('exits with 2 for an invalid command line and with 1 if the port is in use', async () => {
  const invalid = createFakeProcess('--port=x')
  expect(await runProgram(invalid)).toBe(2)
  expect(invalid.stderr.text).toMatch(/^error: --port must be .* See --help\.\n$/)

  const first = createFakeProcess('--port=0')
  await runProgram(first)
  const second = createFakeProcess(`--port=${/:(\d+)\n/.exec(first.stdout.text)?.[1] ?? ''}`)
  expect(await runProgram(second)).toBe(1)
  expect(second.stderr.text).toMatch(/^error: The service did not start: .*EADDRINUSE/)
  first.signal('SIGINT')
})

const DEFAULTS = {
  port: 4010,
  scenario: 'pull-request',
  gitHubScenarios: ['checks-pass'],
  gitHubBranch: '',
  gitHubRepository: '',
  changedFiles: [],
  speed: 1,
}

test.each([
  ['', {}],
  ['--port 0 --scenario=flaky', { port: 0, scenario: 'flaky' }],
  ['--github-scenario open-pull-request,checks-fixed', { gitHubScenarios: ['open-pull-request', 'checks-fixed'] }],
  ['--github-scenario open-pull-request\ndraft,\n', { gitHubScenarios: ['open-pull-request', 'draft'] }],
  ['--github-repository me/guide --speed 0.5', { gitHubRepository: 'me/guide', speed: 0.5 }],
])('parses “%s” as the defaults with %j', (flags, options) => {
  const args = flags.split(' ').filter((arg) => arg !== '')
  expect(parseCli(args)).toEqual({ kind: 'run', options: { ...DEFAULTS, ...options } })
})

test.each([
  ['--port 65536', '--port must be an integer from 0 to 65535.'],
  ['--port 1.5', '--port .* from 0 to 65535'],
  ['--speed 0', '--speed .* from 0.001 to 10000'],
  ['--speed 1e3', '--speed .* from 0.001 to 10000'],
  ['--scenario fast', '--scenario must be one of pull-request, no-changes'],
  ['--github-repository guide', '--github-repository must be owner/name.'],
  ['--github-repository a/b/c', '--github-repository must be owner/name.'],
  ['--github-scenario checks-pass,fast', '--github-scenario must be .* checks-pass, checks-fail'],
  ['--port x --speed y', '--port must be .* --speed must be'],
  ['--unknown', ''],
  ['extra', ''],
  ['--port', ''],
])('rejects %s with an error message', (flags, message) => {
  expect(parseCli(flags.split(' '))).toEqual({
    kind: 'invalid',
    message: expect.stringMatching(`^${message}`),
  })
})
