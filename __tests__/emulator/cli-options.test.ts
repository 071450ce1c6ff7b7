import { expect, test } from '@jest/globals'

import { helpText, parseCli } from '../../src/emulator/cli-options.ts'
import { GITHUB_SCENARIO_NAMES } from '../../src/emulator/github/github-scenarios.ts'
import { SCENARIO_NAMES } from '../../src/emulator/scenarios.ts'

test('starts the usual service unless told otherwise', () => {
  expect(parseCli([])).toEqual({
    kind: 'run',
    options: {
      host: '127.0.0.1',
      port: 4010,
      scenario: 'pull-request',
      gitHubScenarios: ['checks-pass'],
      speed: 1,
      pages: 30,
      visits: 4_000,
      startMs: Date.UTC(2026, 0, 1),
    },
  })
})

test('reads every flag', () => {
  const flags =
    '--host ::1 --port 0 --scenario=flaky --github-scenario open-pull-request,checks-mended --speed 0.5 --pages 300 --visits 100000 --start-at 2026-05-01'
  expect(parseCli(flags.split(' '))).toEqual({
    kind: 'run',
    options: {
      host: '::1',
      port: 0,
      scenario: 'flaky',
      gitHubScenarios: ['open-pull-request', 'checks-mended'],
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
  ['--github-scenario', 'checks-pass,fast', 'checks-pass, checks-fail'],
])('%s %s is refused with what is taken', (flag, value, takes) => {
  expect(parseCli([flag, value])).toEqual({ kind: 'invalid', message: expect.stringContaining(takes) })
  expect(parseCli([flag, value])).toMatchObject({ message: expect.stringContaining(`${flag} must be`) })
})

test('names all bad values at once', () => {
  expect(parseCli(['--port', 'x', '--speed', 'y'])).toMatchObject({
    message: expect.stringMatching(/--port .* --speed /),
  })
})

test.each([['--unknown'], ['extra'], ['--port']])('%s is not understood', (argument) => {
  expect(parseCli([argument]).kind).toBe('invalid')
})

test('--help wins over other flags, and names every flag and scenario', () => {
  expect(parseCli(['--port', 'x', '--help'])).toEqual({ kind: 'help' })
  const text = helpText()
  for (const flag of ['host', 'port', 'scenario', 'github-scenario', 'speed', 'pages', 'visits', 'start-at', 'help']) {
    expect(text).toContain(`--${flag} `)
  }
  for (const name of [...SCENARIO_NAMES, ...GITHUB_SCENARIO_NAMES]) expect(text).toContain(`  ${name} `)
  expect(text).toContain('(default: 2026-01-01)')
})
