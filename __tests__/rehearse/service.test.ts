import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import * as z from 'zod'
import { parseCli } from '../../src/emulator/cli-options.ts'
import { DEFAULT_SCENARIO } from '../../src/emulator/embedded-service.ts'
import { type Emulator, startEmulator } from '../../src/emulator/server.ts'
import { GITHUB_SCENARIO_NAMES } from '../../src/emulator/github/github-scenarios.ts'
import { SCENARIO_NAMES } from '../../src/emulator/service/scenarios.ts'
import { newestLines } from '../../src/rehearse/rehearsal.ts'
import { isRunning, serviceArguments, stopService, toInputWords } from '../../src/rehearse/service-process.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { root, parseTable } from '../support/markdown-files.ts'
import { serveSockets } from '../support/socket-server.ts'

test.each([
  ['a\nb\n', 'a\nb'],
  ['a\r\nb', 'a\nb'],
  ['a\nb\nc\nd\n', '(2 earlier lines are left out)\nc\nd'],
])('shortens the log %j to two lines', (log, shown) => {
  expect(newestLines(log, 2)).toBe(shown)
})

const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8')
const described = z.record(
  z.string(),
  z.object({ description: z.string(), default: z.coerce.string().optional(), required: z.boolean().optional() }),
)

const fleet = z
  .object({ on: z.object({ workflow_call: z.object({ inputs: described }) }) })
  .parse(parse(read('.github/workflows/fleet.yml'))).on.workflow_call

const code = (text: string | undefined): string => (text === undefined || text === '' ? '' : `\`${text}\``)
const inputRows = (inputs: z.infer<typeof described>): string[][] =>
  Object.entries(inputs).map(([name, { default: usual, description, required }]) => [
    code(name),
    required === true ? '**required**' : code(usual),
    description.trim(),
  ])

test('describes the inputs in docs/fleets.md as the workflow does', () => {
  const sorted = (rows: readonly string[][]): string[] => rows.map((row) => row.join(' | ')).sort()
  expect(sorted(parseTable(read('docs/fleets.md'), 'Inputs'))).toEqual(sorted(inputRows(fleet.inputs)))
})

const from =
  (given: Readonly<Record<string, string>>) =>
  (name: string): string =>
    given[name] ?? ''

test('passes every input as a flag that the service accepts', () => {
  const given = {
    scenario: ' flaky ',
    'github-scenario': 'draft, checks-fail',
    speed: '0.5',
    port: '',
    changed: ' a.md \n\nb/c.ts',
  }
  expect(parseCli(serviceArguments(from(given), 'me/guide'))).toMatchObject({
    kind: 'run',
    options: {
      scenario: 'flaky',
      gitHubScenarios: ['draft', 'checks-fail'],
      gitHubRepository: 'me/guide',
      changedFiles: ['a.md', 'b/c.ts'],
      speed: 0.5,
      port: 0,
    },
  })
})

test('reports errors about flags with the names of the inputs, in one message', () => {
  const given = { scenario: 'nice', 'github-scenario': 'nicer', speed: 'fast', port: '-1', changed: '/etc/passwd' }
  const command = parseCli(serviceArguments(from(given)))
  if (command.kind !== 'invalid') throw new Error('The flags were taken.')
  const words = toInputWords(`error: ${command.message} See --help.\n`)
  expect(words).toMatch(
    /^`port` must be an integer .* `scenario` must be one of .* `github-scenario` must be one or more of .* `changed` must be at most 300 paths.* `speed` must be a number .*\.$/,
  )
  expect(words).not.toMatch(/--port|--scenario|--github-scenario|--speed|--changed|help|error:/)
  expect(toInputWords('No --start-at or --speed-up.')).toBe('No --start-at or --speed-up.')
})

test.each(['/etc/passwd', '../x', 'a/../b', './a', 'a\\b', 'x\n..', 'a\n'.repeat(301)])(
  'does not accept the changed files %j',
  (changed) => {
    expect(parseCli(serviceArguments(from({ changed })))).toMatchObject({ kind: 'invalid' })
  },
)

test('replaces an empty input by a default that the service accepts', () => {
  const args = serviceArguments(() => ' ')
  const options = { scenario: DEFAULT_SCENARIO, gitHubScenarios: ['checks-pass'], speed: 1, port: 0, changedFiles: [] }
  expect(parseCli(args)).toMatchObject({ kind: 'run', options })
})

const action = z.object({ inputs: described }).parse(parse(read('emulator/action.yml')))

test.each([
  ['scenario', SCENARIO_NAMES],
  ['github-scenario', GITHUB_SCENARIO_NAMES],
] as const)('the description of `%s` names existing values', (input, names) => {
  const named = [...(action.inputs[input]?.description ?? '').matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name)
  expect(named.length).toBeGreaterThan(3)
  expect(named.filter((name) => !names.some((known) => known === name))).toEqual([])
})

test('does not recognize a server that upgrades the protocol as the service', async () => {
  const onRequest = (socket: Socket): unknown =>
    socket.end('HTTP/1.1 101 x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')
  const otherService = await serveSockets({ onRequest })
  expect(await isRunning({ pid: 7, baseUrl: `http://127.0.0.1:${otherService.port}` })).toBe(false)
  await otherService.close()
})

test('does not recognize a server that does not respond as the service, and closes the connection', async () => {
  let onConnection: (socket: Socket) => void = () => undefined
  const accepted = new Promise((resolve) => {
    onConnection = resolve
  })
  const silent = await serveSockets({ onConnection, onRequest: () => undefined })
  expect(await isRunning({ pid: 7, baseUrl: `http://127.0.0.1:${silent.port}` }, 50)).toBe(false)
  await accepted
  // Resolves when no connection is left.
  await silent.close()
})

const close = (service: Emulator): unknown => service.close()

test.each<[string, string | undefined, (service: Emulator) => unknown, string[]]>([
  ['that responds: SIGTERM, then wait', '7', close, ['SIGTERM 7']],
  ['that does not end: SIGKILL after 5 seconds', '7', () => undefined, ['SIGTERM 7', 'SIGKILL 7']],
  [
    'that ends by itself at that moment: no error',
    '7',
    (service) => {
      void service.close()
      throw new Error('ESRCH')
    },
    ['SIGTERM 7'],
  ],
  ['without a process id in its response: no signal', undefined, close, []],
  ['with another process id in its response: no signal', '8', close, []],
])('stops a service %s', async (_what, instance, onKill, kills) => {
  const emulator = await startEmulator(instance === undefined ? {} : { instance })
  const service = { pid: 7, baseUrl: emulator.url }
  const clock = fakeClock()
  const killed: string[] = []
  const kill = (pid: number, signal: string): unknown => {
    killed.push(`${signal} ${pid}`)
    return onKill(emulator)
  }
  expect(await stopService(service, clock, kill)).toBe(instance === '7')
  expect([killed, clock.passed() === 5_000]).toEqual([kills, kills.length === 2])

  // Without a response nothing is killed: another program may have the process id.
  await emulator.close()
  expect(await isRunning(service)).toBe(false)
  expect(await stopService(service, clock, kill)).toBe(false)
  expect(killed).toEqual(kills)
})
