import { expect, test } from '@jest/globals'
import { readOptions } from '../../../scripts/start/options.ts'

const SERVICE = {
  DOCS_AGENT_BASE_URL: 'https://docs.example.com',
  DOCS_AGENT_PROJECT_ID: 'p1',
  DOCS_AGENT_API_KEY: 'docs_x',
}

function messageOf(args: readonly string[], env: Record<string, string> = {}): string {
  const options = readOptions(args, env)
  return options.kind === 'refused' ? options.message : ''
}

test('without flags the embedded service gets an example', () => {
  expect(readOptions([], {})).toEqual({
    kind: 'run',
    service: { kind: 'embedded', scenario: 'pull-request' },
    inputs: {
      prompt: 'Document the new `--dry-run` flag of the deploy command.',
      'poll-interval-seconds': '0.5',
      'timeout-minutes': '0.5',
    },
  })
})

test('flags become inputs, and a job to wait for needs no prompt', () => {
  expect(readOptions(['--prompt', 'x', '--job-id=job_1'], {})).toMatchObject({
    inputs: { prompt: 'x', 'job-id': 'job_1' },
  })
  for (const flags of [
    ['--job-id', 'job_1'],
    ['--prompt-file', 'a.md'],
    ['--input', 'job-id=job_1'],
  ]) {
    expect(readOptions(flags, {})).not.toHaveProperty('inputs.prompt')
  }
})

test('any input can be given, and comes last', () => {
  expect(
    readOptions(['--input', 'wait=false', '--input', 'fail-on=a=b', '--input', 'timeout-minutes=2'], {}),
  ).toMatchObject({
    inputs: { wait: 'false', 'fail-on': 'a=b', 'timeout-minutes': '2' },
  })
})

test('a job that does not end is waited for only shortly', () => {
  expect(readOptions(['--scenario', 'slow'], {})).toMatchObject({ inputs: { 'timeout-minutes': '0.1' } })
})

test('flags before -- come from npm as variables', () => {
  expect(
    readOptions([], { npm_config_scenario: 'failed', npm_config_prompt_file: 'a.md', npm_config_job_id: 'j' }),
  ).toMatchObject({ service: { scenario: 'failed' }, inputs: { 'prompt-file': 'a.md', 'job-id': 'j' } })
  expect(readOptions(['failed'], { npm_config_scenario: 'true' })).toMatchObject({ service: { scenario: 'failed' } })
  expect(readOptions(['--scenario', 'slow'], { npm_config_scenario: 'failed' })).toMatchObject({
    service: { scenario: 'slow' },
  })
})

test.each([
  [['failed'], {}],
  [[], { npm_config_scenario: 'true' }],
  [['a', 'b'], { npm_config_scenario: 'true', npm_config_prompt: 'true' }],
])('what cannot be told apart is refused with the way to write it: %j %j', (args, env) => {
  expect(messageOf(args, env)).toContain('npm start -- --scenario failed')
})

test('all three variables choose a real service, with the own defaults of the action', () => {
  expect(readOptions(['--prompt', 'x'], SERVICE)).toEqual({
    kind: 'run',
    service: { kind: 'real', baseUrl: 'https://docs.example.com', projectId: 'p1', apiKey: 'docs_x' },
    inputs: { prompt: 'x' },
  })
})

test('some of the three variables are refused, and the missing ones are named', () => {
  expect(messageOf([], { DOCS_AGENT_API_KEY: 'docs_secret', DOCS_AGENT_PROJECT_ID: '' })).toBe(
    'DOCS_AGENT_API_KEY is set, but not DOCS_AGENT_BASE_URL and DOCS_AGENT_PROJECT_ID. Set all three to use that service, or none.',
  )
  expect(messageOf([], { ...SERVICE, DOCS_AGENT_API_KEY: '' })).toContain(
    'DOCS_AGENT_BASE_URL and DOCS_AGENT_PROJECT_ID are set, but not DOCS_AGENT_API_KEY.',
  )
})

test('a real service has no scenarios', () => {
  expect(messageOf(['--scenario', 'failed'], SERVICE)).toContain('--scenario is for the embedded service')
})

test.each([
  [['--bogus'], 'There is no option --bogus.'],
  [['-x'], 'There is no option -x.'],
  [['--scenario'], '--scenario needs a value.'],
  [['--prompt', '--help'], '--prompt needs a value.'],
  [['--scenario', 'nice'], '--scenario must be one of pull-request, '],
  [['--input', 'wait'], '--input needs the form name=value, and got «wait».'],
])('wrong flags are refused: %j', (args, message) => {
  expect(messageOf(args)).toContain(message)
})

test('a value that begins with a dash is written behind an equals sign', () => {
  expect(readOptions(['--prompt=--force is gone'], {})).toMatchObject({ inputs: { prompt: '--force is gone' } })
})

test('help is for everyone', () => {
  expect(readOptions(['--help'], { DOCS_AGENT_API_KEY: 'x' })).toEqual({ kind: 'help' })
})
