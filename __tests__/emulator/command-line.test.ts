import { EventEmitter } from 'node:events'
import { expect, test } from '@jest/globals'
import { helpText, parseCli } from '../../src/emulator/cli-options.ts'
import type { RequestRecord } from '../../src/emulator/request-log.ts'
import { GITHUB_SCENARIO_NAMES } from '../../src/emulator/github/github-scenarios.ts'
import { runProgram } from '../../src/emulator/program.ts'
import { logLine } from '../../src/emulator/request-log.ts'
import { startServiceTime, toCallerSeconds } from '../../src/emulator/service-time.ts'
import { SCENARIO_NAMES } from '../../src/emulator/service/scenarios.ts'
import { startText } from '../../src/emulator/start-text.ts'
import { lastDays } from '../../src/visitors/date-range.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { bodyOf, driveService } from './drive-service.ts'

test('the time starts where it is told, and runs as fast as it is told', () => {
  const clock = fakeClock()
  clock.advance(123)
  const nowMs = startServiceTime({ clock, speed: 60, startMs: 1_000_000 })
  expect(nowMs()).toBe(1_000_000)
  clock.advance(500)
  expect(nowMs()).toBe(1_030_000)
})

test.each([
  [5, 1, 5],
  [5, 10, 1],
  [3600, 7, 515],
  [5, 0.5, 10],
])('%d s of the service at speed %d are %d s for the caller', (seconds, speed, expected) => {
  expect(toCallerSeconds(seconds, speed)).toBe(expected)
})

const text = startText(
  {
    url: 'http://127.0.0.1:4010',
    apiKey: 'docs_key',
    projectId: 'docs-demo',
    github: { apiUrl: 'http://127.0.0.1:4010/api/v3', token: 'ghs_token' },
  },
  { scenario: 'flaky', speed: 10 },
)

test('the first line gives programs the address', () => {
  expect(text.split('\n')[0]).toBe('listening http://127.0.0.1:4010')
})

test('the rest shows people how to call it', () => {
  for (const line of [
    'DOCS_AGENT_BASE_URL=http://127.0.0.1:4010',
    'DOCS_AGENT_PROJECT_ID=docs-demo',
    'DOCS_AGENT_API_KEY=docs_key',
    "curl http://127.0.0.1:4010/v2/agent/docs-demo/job -H 'Authorization: Bearer docs_key'",
    'GITHUB_API_URL=http://127.0.0.1:4010/api/v3',
    'GITHUB_TOKEN=ghs_token',
    "curl http://127.0.0.1:4010/api/v3/repos/acme/docs/pulls -H 'Authorization: Bearer ghs_token'",
    'the scenario flaky, at 10 times',
  ]) {
    expect(text).toContain(line)
  }
})

const record: RequestRecord = {
  method: 'GET',
  path: '/v2/agent/docs/job/job_1',
  query: '',
  prompt: undefined,
  asOfMs: 0,
  status: 200,
  delivery: 'whole',
  scenario: 'failed',
}

test('a line tells method, path, status and scenario', () => {
  expect(logLine(record)).toBe('GET /v2/agent/docs/job/job_1 -> 200 (failed)')
  expect(logLine({ ...record, path: '/x', query: 'a=1', scenario: undefined })).toBe('GET /x?a=1 -> 200')
})

test.each([
  ['truncated', 200, '200, broken off in the middle'],
  ['reset', 0, 'no answer, connection reset before the answer'],
  ['never', 0, 'no answer, never answered'],
] as const)('a line tells that the answer was %s', (delivery, status, text) => {
  expect(logLine({ ...record, delivery, status })).toContain(`-> ${text}`)
})

test('a line holds no prompt', () => {
  expect(logLine({ ...record, prompt: 'secret plan' })).not.toContain('secret')
})

test('what the caller sends stays on one line and is no command', () => {
  const line = logLine({ ...record, path: '/\n::error::x\u001b[31m##[error]\u202e\u2028', query: 'x'.repeat(5_000) })
  expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|##\[/u)
  expect(line).toMatch(/^GET /)
  expect(line.length).toBeLessThan(400)
})

/** A process of which only what the service uses is there. */
function fakeProcess(...args: string[]) {
  const events = new EventEmitter()
  const output = Object.assign(new EventEmitter(), { text: '', write: (text: string) => (output.text += text) })
  const errors = { text: '', write: (text: string) => (errors.text += text) }
  const argv = ['node', 'emulator', ...args]
  return {
    argv,
    pid: 7,
    stdout: output,
    stderr: errors,
    once: events.once.bind(events),
    send: events.emit.bind(events),
  }
}

test('it tells where it listens, logs requests to both parts, and ends when it is told to', async () => {
  const self = fakeProcess('--port=0', '--github-scenario=draft', '--github-repository=me/guide')
  expect(await runProgram(self)).toBe(0)
  const url = /^listening (\S+)\n/.exec(self.stdout.text)?.[1] ?? ''

  const { status, headers } = await fetch(`${url}/v2/agent/docs/job/job_1`)
  expect([status, headers.get('service-instance')]).toEqual([401, '7'])
  const token = /GITHUB_TOKEN=(\S+)/.exec(self.stdout.text)?.[1] ?? ''
  const pulls = `${url}/api/v3/repos/me/guide/pulls`
  expect((await fetch(pulls, { headers: { authorization: `token ${token}` } })).status).toBe(200)
  expect(self.stdout.text).toContain(
    'GET /v2/agent/docs/job/job_1 -> 401 (pull-request)\nGET /api/v3/repos/me/guide/pulls -> 200\n',
  )

  self.stdout.emit('error')
  self.send('SIGTERM')
  const isStillThere = (): Promise<boolean> =>
    fetch(pulls).then(
      // Another program may have the port by then.
      (answer) => answer.headers.get('service-instance') === '7',
      () => false,
    )
  while (await isStillThere());
})

test('--help starts nothing', async () => {
  const self = fakeProcess('--help')
  expect(await runProgram(self)).toBe(0)
  expect(self.stdout.text).toContain('--github-scenario')
  expect(self.stdout.text).not.toMatch(/^listening/m)
})

test('a wrong command line and a port that is taken are told, with exit codes of their own', async () => {
  const wrong = fakeProcess('--port=x')
  expect(await runProgram(wrong)).toBe(2)
  expect(wrong.stderr.text).toMatch(/^error: --port must be .* See --help\.\n$/)

  const first = fakeProcess('--port=0')
  await runProgram(first)
  const second = fakeProcess(`--port=${/:(\d+)\n/.exec(first.stdout.text)?.[1] ?? ''}`)
  expect(await runProgram(second)).toBe(1)
  expect(second.stderr.text).toMatch(/^error: The service did not start: .*EADDRINUSE/)
  first.send('SIGINT')
})

const NOW_MS = Date.UTC(2026, 6, 1, 9, 30)

test('starts the usual service, at the present time, unless told otherwise', () => {
  expect(parseCli([], NOW_MS)).toEqual({
    kind: 'run',
    options: {
      host: '127.0.0.1',
      port: 4010,
      scenario: 'pull-request',
      gitHubScenarios: ['checks-pass'],
      gitHubRepository: '',
      speed: 1,
      pages: 30,
      visits: 4_000,
      startMs: NOW_MS,
    },
  })
})

test('reads every flag', () => {
  const flags =
    '--host ::1 --port 0 --scenario=flaky --github-scenario open-pull-request,checks-mended --github-repository me/guide --speed 0.5 --pages 300 --visits 100000 --start-at 2026-05-01'
  expect(parseCli(flags.split(' '), NOW_MS)).toEqual({
    kind: 'run',
    options: {
      host: '::1',
      port: 0,
      scenario: 'flaky',
      gitHubScenarios: ['open-pull-request', 'checks-mended'],
      gitHubRepository: 'me/guide',
      speed: 0.5,
      pages: 300,
      visits: 100_000,
      startMs: Date.UTC(2026, 4, 1),
    },
  })
})

test.each([
  ['--port', '65536', 'from 0 to 65535'],
  ['--port', '1.5', 'from 0 to 65535'],
  ['--port', 'x', 'from 0 to 65535'],
  ['--host', '0.0.0.0', '127.0.0.1, ::1, localhost'],
  ['--speed', '0', 'from 0.001 to 10000'],
  ['--speed', '1e3', 'from 0.001 to 10000'],
  ['--pages', '0', 'from 1'],
  ['--visits', '9999999', 'from 0 to 1000000'],
  ['--start-at', 'tomorrow', 'YYYY-MM-DD'],
  ['--scenario', 'fast', 'pull-request, no-changes'],
  ['--github-repository', 'guide', 'owner/name'],
  ['--github-scenario', 'checks-pass,fast', 'checks-pass, checks-fail'],
])('%s %s is refused with what is taken', (flag, value, takes) => {
  expect(parseCli([flag, value], NOW_MS)).toEqual({ kind: 'invalid', message: expect.stringContaining(takes) })
  expect(parseCli([flag, value], NOW_MS)).toMatchObject({ message: expect.stringContaining(`${flag} must be`) })
})

test('names all bad values at once', () => {
  expect(parseCli(['--port', 'x', '--speed', 'y'], NOW_MS)).toMatchObject({
    message: expect.stringMatching(/--port .* --speed /),
  })
})

test.each([['--unknown'], ['extra'], ['--port']])('%s is not understood', (argument) => {
  expect(parseCli([argument], NOW_MS).kind).toBe('invalid')
})

test('--help wins over other flags, and names every flag and scenario', () => {
  expect(parseCli(['--port', 'x', '--help'], NOW_MS)).toEqual({ kind: 'help' })
  const text = helpText()
  for (const flag of ['host', 'port', 'scenario', 'speed', 'pages', 'visits', 'start-at', 'help']) {
    expect(text).toContain(`--${flag} `)
  }
  for (const flag of ['scenario', 'repository']) expect(text).toContain(`--github-${flag} `)
  for (const name of [...SCENARIO_NAMES, ...GITHUB_SCENARIO_NAMES]) expect(text).toContain(`  ${name} `)
  expect(text).toContain('(default: now)')
})

test('a service that is told no date knows visits of the last whole days', () => {
  const command = parseCli([], NOW_MS)
  if (command.kind !== 'run') throw new Error('The flags were refused.')
  const { get } = driveService({ startMs: command.options.startMs })
  const { dateFrom = '', dateTo = '' } = lastDays(30, new Date(NOW_MS))
  const { totals } = bodyOf(get(`/v1/analytics/docs/visitors?dateFrom=${dateFrom}&dateTo=${dateTo}`))
  expect(totals?.total).toBeGreaterThan(0)
})
