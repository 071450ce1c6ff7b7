import { expect, test } from '@jest/globals'

import { helpText, parseCli } from '../../src/emulator/cli-options.ts'
import { GITHUB_SCENARIO_NAMES } from '../../src/emulator/github/github-scenarios.ts'
import { SCENARIO_NAMES } from '../../src/emulator/service/scenarios.ts'
import { lastDays } from '../../src/visitors/date-range.ts'
import { bodyOf, driveService } from './drive-service.ts'

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
