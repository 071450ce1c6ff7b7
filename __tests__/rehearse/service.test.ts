import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import * as z from 'zod'
import { parseCli } from '../../src/emulator/cli-options.ts'
import { DEFAULT_SCENARIO } from '../../src/emulator/embedded-service.ts'
import { GITHUB_SCENARIO_NAMES } from '../../src/emulator/github/github-scenarios.ts'
import { SCENARIO_NAMES } from '../../src/emulator/service/scenarios.ts'
import { newestLines } from '../../src/rehearse/rehearsal.ts'
import { serviceArguments, toInputWords } from '../../src/rehearse/service-process.ts'
import { root } from '../../testing/markdown-files.ts'

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
  expect(parseCli(serviceArguments(from(given), 'me/guide', 'trunk'))).toMatchObject({
    kind: 'run',
    options: {
      scenario: 'flaky',
      gitHubScenarios: ['draft', 'checks-fail'],
      gitHubRepository: 'me/guide',
      gitHubBranch: 'trunk',
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
  expect(toInputWords('No --github-repository or --speed-up.')).toBe('No --github-repository or --speed-up.')
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
