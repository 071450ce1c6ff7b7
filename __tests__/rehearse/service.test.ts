import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import * as z from 'zod'
import { parseCli } from '../../src/emulator/cli-options.ts'
import { DEFAULT_SCENARIO } from '../../src/emulator/embedded-service.ts'
import { GITHUB_SCENARIO_NAMES, GITHUB_SCENARIOS } from '../../src/emulator/github/github-scenarios.ts'
import { startEmulator } from '../../src/emulator/server.ts'
import { SCENARIO_NAMES, SCENARIOS } from '../../src/emulator/service/scenarios.ts'
import { startText } from '../../src/emulator/start-text.ts'
import { askService } from '../../src/rehearse/ask-service.ts'
import { newestLines } from '../../src/rehearse/newest-lines.ts'
import { readServiceAccess, withoutStartText } from '../../src/rehearse/service-access.ts'
import {
  INPUT_NAMES,
  type RehearsalInput,
  serviceArguments,
  toInputWords,
} from '../../src/rehearse/service-arguments.ts'
import { parseServiceState } from '../../src/rehearse/service-state.ts'
import { stopService } from '../../src/rehearse/stop-service.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { root, tableBelow } from '../support/markdown-files.ts'

test('a short log is shown whole', () => {
  expect(newestLines('a\nb\n', 2)).toBe('a\nb')
  expect(newestLines('a\r\nb', 2)).toBe('a\nb')
})

test('of a long log the newest lines are shown, and how many are left out', () => {
  expect(newestLines('a\nb\nc\nd\n', 2)).toBe('(2 earlier lines are left out)\nc\nd')
})

test('a service that runs says which process it is, and once it is closed nobody answers', async () => {
  const service = await startEmulator({ instance: '42' })
  expect(await askService(service.url)).toBe(42)
  await service.close()
  expect(await askService(service.url)).toBe('nobody')
})

test('what answers without a process id is a stranger', async () => {
  const service = await startEmulator()
  expect(await askService(service.url)).toBe('stranger')
  await service.close()
})

const state = { pid: 7, baseUrl: 'http://127.0.0.1:4010', logFile: '/logs/a.log' }

test('what the main step saved is read back', () => {
  expect(parseServiceState(JSON.stringify(state))).toEqual(state)
})

test('a main step that saved nothing started nothing', () => {
  expect(parseServiceState('')).toBeUndefined()
})

test('a process id that would reach a whole group of processes is refused', () => {
  for (const pid of [0, -1, 1.5, '7']) expect(parseServiceState(JSON.stringify({ ...state, pid }))).toBeUndefined()
})

const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8')
const described = z.record(z.string(), z.object({ description: z.string(), default: z.coerce.string().optional() }))

const fleet = z
  .object({ on: z.object({ workflow_call: z.object({ inputs: described }) }) })
  .parse(parse(read('.github/workflows/fleet.yml'))).on.workflow_call

const code = (text: string | undefined): string => (text === undefined || text === '' ? '' : `\`${text}\``)
const inputRows = (inputs: z.infer<typeof described>): string[][] =>
  Object.entries(inputs).map(([name, input]) => [code(name), code(input.default), input.description.trim()])

test('the page on rehearsing says of a scenario what the service says', () => {
  const said = (heading: string): string[][] =>
    tableBelow(read('docs/rehearse.md'), heading).map(([name = '', description = '']) => [name, description])
  const known = (scenarios: Readonly<Record<string, { readonly description: string }>>): string[][] =>
    Object.entries(scenarios).map(([name, { description }]) => [code(name), description])
  for (const [heading, scenarios] of [['Scenarios', SCENARIOS] as const, ['GitHub', GITHUB_SCENARIOS] as const]) {
    expect(said(heading).length).toBeGreaterThan(5)
    expect(known(scenarios)).toEqual(expect.arrayContaining(said(heading)))
  }
})

test('the page on fleets says of the inputs what the workflow says', () => {
  const sorted = (rows: readonly string[][]): string[] => rows.map((row) => row.join(' | ')).sort()
  expect(sorted(tableBelow(read('docs/fleets.md'), 'What it takes'))).toEqual(sorted(inputRows(fleet.inputs)))
})

const access = {
  baseUrl: 'http://127.0.0.1:4010',
  projectId: 'docs-demo',
  apiKey: 'docs_emulator_1',
  gitHubApiUrl: 'http://127.0.0.1:4010/api/v3',
  gitHubToken: 'ghs_token',
}
const text = startText(
  { ...access, url: access.baseUrl, github: { apiUrl: access.gitHubApiUrl, token: access.gitHubToken } },
  { scenario: 'pull-request', speed: 1 },
)

test('the address, the project and the key are read from what the service prints', () => {
  expect(readServiceAccess(`${text}\nPOST /v2/agent/docs-demo/job -> 201\n`)).toEqual(access)
})

test('a text that is not whole yet gives nothing', () => {
  const whole = `${text}\n`
  const keyEnd = whole.indexOf('DOCS_AGENT_API_KEY=') + `DOCS_AGENT_API_KEY=${access.apiKey}`.length
  for (const end of [0, 10, whole.indexOf('\n') + 1, keyEnd - 1, keyEnd]) {
    expect(readServiceAccess(whole.slice(0, end))).toBeUndefined()
  }
  expect(readServiceAccess(whole.slice(0, keyEnd + 1))).toEqual(access)
})

test('of what the service wrote, only what came after its start is for the log of a runner', () => {
  expect(withoutStartText(`${text}\nPOST /v2/agent/docs-demo/job -> 201\n`)).toBe(
    'POST /v2/agent/docs-demo/job -> 201\n',
  )
  expect(withoutStartText(`${text}\n`)).toBe('')
  expect(withoutStartText('Error: it broke\n')).toBe('Error: it broke\n')
})

test('every input becomes a flag of the service, and an empty one its default', () => {
  expect(serviceArguments({ scenario: ' failed ', 'github-scenario': 'draft', speed: '20', port: '4010' })).toEqual([
    '--scenario=failed',
    '--github-scenario=draft',
    '--speed=20',
    '--port=4010',
  ])
  expect(serviceArguments({ scenario: '', 'github-scenario': '', speed: ' ', port: '' })).toEqual([
    '--scenario=pull-request',
    '--github-scenario=checks-pass',
    '--speed=1',
    '--port=0',
  ])
})

test('the service takes the flags', () => {
  const given = { scenario: 'flaky', 'github-scenario': 'draft, checks-fail', speed: '0.5', port: '0' }
  expect(parseCli(serviceArguments(given, 'me/guide'), 0)).toMatchObject({
    kind: 'run',
    options: {
      scenario: 'flaky',
      gitHubScenarios: ['draft', 'checks-fail'],
      gitHubRepository: 'me/guide',
      speed: 0.5,
      port: 0,
    },
  })
})

test('what the service says of its flags is said in the names of the inputs, all in one message', () => {
  const given = { scenario: 'nice', 'github-scenario': 'nicer', speed: 'fast', port: '-1' }
  const command = parseCli(serviceArguments(given), 0)
  if (command.kind !== 'invalid') throw new Error('The flags were taken.')
  const words = toInputWords(`error: ${command.message} See --help.\n`)
  expect(words).toMatch(
    /^`port` must be an integer .* `scenario` must be one of .* `github-scenario` must be one or more of .* `speed` must be a number .*\.$/,
  )
  expect(words).not.toMatch(/--port|--scenario|--github-scenario|--speed|--help|error:/)
})

const action = z
  .object({
    name: z.string(),
    description: z.string(),
    inputs: z.record(
      z.string(),
      z.object({ description: z.string(), required: z.literal(false), default: z.string() }),
    ),
    outputs: z.record(z.string(), z.object({ description: z.string() })),
    runs: z.strictObject({ using: z.string(), main: z.string(), post: z.string() }),
  })
  .parse(parse(readFileSync(`${root}emulator/action.yml`, 'utf8')))

test('the rehearsal runs its own bundle on Node 24, before and after the other steps', () => {
  const bundle = '../dist/rehearse/index.js'
  expect(action.runs).toEqual({ using: 'node24', main: bundle, post: bundle })
})

test('the inputs are those that the code reads, and none is required', () => {
  expect(Object.keys(action.inputs)).toEqual([...INPUT_NAMES])
})

test('the outputs are what the other actions need to reach the service', () => {
  expect(Object.keys(action.outputs)).toEqual(['base-url', 'api-key', 'project-id', 'github-api-url', 'github-token'])
})

test('an input left empty means the default that action.yml shows', () => {
  const given = (pick: (name: RehearsalInput) => string): Record<RehearsalInput, string> => ({
    scenario: pick('scenario'),
    'github-scenario': pick('github-scenario'),
    speed: pick('speed'),
    port: pick('port'),
  })
  const shown = serviceArguments(given((name) => action.inputs[name]?.default ?? '?'))
  expect(serviceArguments(given(() => ''))).toEqual(shown)
  expect(parseCli(shown, 0)).toMatchObject({ kind: 'run', options: { scenario: DEFAULT_SCENARIO, speed: 1, port: 0 } })
})

test.each([
  ['scenario', SCENARIO_NAMES],
  ['github-scenario', GITHUB_SCENARIO_NAMES],
] as const)('what the description of `%s` names is there', (input, names) => {
  const named = [...(action.inputs[input]?.description ?? '').matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name)
  expect(named.length).toBeGreaterThan(3)
  expect(named.filter((name) => !names.some((known) => known === name))).toEqual([])
})

test('every input and output is described in one sentence', () => {
  const badly = [...Object.values(action.inputs), ...Object.values(action.outputs)]
    .map(({ description }) => description)
    .filter((description) => !/^[A-Z`][^]*[^.]\.$/.test(description.trim()) || /[.!?]\s+[A-Z]/.test(description))
  expect(badly).toEqual([])
})

type Kill = readonly [pid: number, signal: string]

test('a service that answers is asked to end, and is waited for', async () => {
  const service = await startEmulator({ instance: '7' })
  const kills: Kill[] = []
  const closing: Promise<void>[] = []
  const ending = await stopService(
    { pid: 7, baseUrl: service.url },
    {
      clock: fakeClock(),
      kill: (...kill) => {
        kills.push(kill)
        closing.push(service.close())
      },
    },
  )
  await Promise.all(closing)
  expect(ending).toBe('stopped')
  expect(kills).toEqual([[7, 'SIGTERM']])
})

test('a service that does not end is killed after 5 seconds', async () => {
  const service = await startEmulator({ instance: '7' })
  const kills: Kill[] = []
  const clock = fakeClock()
  const kill = (...args: Kill): unknown => kills.push(args)
  expect(await stopService({ pid: 7, baseUrl: service.url }, { clock, kill })).toBe('stopped')
  await service.close()
  expect(kills).toEqual([
    [7, 'SIGTERM'],
    [7, 'SIGKILL'],
  ])
  expect(clock.passed()).toBe(5_000)
})

test('where nothing answers, nothing is killed: the process id may belong to another program', async () => {
  const service = await startEmulator({ instance: '7' })
  await service.close()
  const kills: Kill[] = []
  const kill = (...args: Kill): unknown => kills.push(args)
  expect(await stopService({ pid: 7, baseUrl: service.url }, { clock: fakeClock(), kill })).toBe('was-gone')
  expect(kills).toEqual([])
})

test('a service that ends by itself at that moment is no error', async () => {
  const service = await startEmulator({ instance: '7' })
  const closing: Promise<void>[] = []
  const kill = (): never => {
    closing.push(service.close())
    throw new Error('ESRCH')
  }
  expect(await stopService({ pid: 7, baseUrl: service.url }, { clock: fakeClock(), kill })).toBe('stopped')
  await Promise.all(closing)
})

test.each([undefined, '8'])(
  'another program at the address is left alone, and so is the process id: %s',
  async (instance) => {
    const stranger = await startEmulator(instance === undefined ? {} : { instance })
    const kills: Kill[] = []
    const kill = (...args: Kill): unknown => kills.push(args)
    expect(await stopService({ pid: 7, baseUrl: stranger.url }, { clock: fakeClock(), kill })).toBe('was-gone')
    await stranger.close()
    expect(kills).toEqual([])
  },
)
