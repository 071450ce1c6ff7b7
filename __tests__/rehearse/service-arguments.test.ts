import { expect, test } from '@jest/globals'
import { parseCli } from '../../src/emulator/cli-options.ts'
import { serviceArguments, toInputWords } from '../../src/rehearse/service-arguments.ts'

test('every input becomes a flag of the service, and an empty one its default', () => {
  expect(serviceArguments({ scenario: ' failed ', speed: '20', port: '4010' })).toEqual([
    '--scenario=failed',
    '--speed=20',
    '--port=4010',
  ])
  expect(serviceArguments({ scenario: '', speed: ' ', port: '' })).toEqual([
    '--scenario=pull-request',
    '--speed=1',
    '--port=0',
  ])
})

test('the service takes the flags', () => {
  const command = parseCli(serviceArguments({ scenario: 'flaky', speed: '0.5', port: '0' }), 0)
  expect(command).toMatchObject({
    kind: 'run',
    options: { scenario: 'flaky', speed: 0.5, port: 0 },
  })
})

test('what the service says of its flags is said in the names of the inputs, all in one message', () => {
  const command = parseCli(serviceArguments({ scenario: 'nice', speed: 'fast', port: '-1' }), 0)
  if (command.kind !== 'invalid') throw new Error('The flags were taken.')
  const words = toInputWords(`error: ${command.message} See --help.\n`)
  expect(words).toMatch(/^`port` must be an integer .* `scenario` must be one of .* `speed` must be a number .*\.$/)
  expect(words).not.toMatch(/--port|--scenario|--speed|--help|error:/)
})
