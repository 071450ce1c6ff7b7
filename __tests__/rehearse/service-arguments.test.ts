import { expect, test } from '@jest/globals'
import { parseCli } from '../../src/emulator/cli-options.ts'
import { serviceArguments, toInputWords } from '../../src/rehearse/service-arguments.ts'

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
