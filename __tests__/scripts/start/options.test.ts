import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { EMBEDDED_INPUTS, readOptions } from '../../../scripts/start/options.ts'
import { root } from '../../support/markdown-files.ts'

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
    action: 'agent',
    service: {
      kind: 'embedded',
      scenario: 'pull-request',
      gitHubScenarios: [],
      runnerScenarios: [],
      isRolling: false,
      inputs: {},
      speed: 10,
    },
    given: {},
    defaults: {
      prompt: 'Document the new `--dry-run` flag of the deploy command.',
      ...EMBEDDED_INPUTS,
    },
    cancelAfter: undefined,
    isKept: false,
  })
})

test('the example is the workflow of the README, which may ask for less', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const [, workflow = ''] = /```yaml\n(name: .*?)```/s.exec(readme) ?? []
  const { jobs } = parse(workflow) as { jobs: { docs: { steps: [{ with: Record<string, string> }] } } }
  const besides = ['prompt', 'project-id', 'api-key', 'base-url']
  const inputs = Object.entries(jobs.docs.steps[0].with).filter(([name]) => !besides.includes(name))
  expect(inputs).not.toEqual([])
  expect(EMBEDDED_INPUTS).toMatchObject(Object.fromEntries(inputs))
})

test('flags become inputs, and a job to wait for needs no prompt', () => {
  expect(readOptions(['--prompt', 'x', '--job-id=job_1'], {})).toMatchObject({
    given: { prompt: 'x', 'job-id': 'job_1' },
  })
  for (const flags of [
    ['--job-id', 'job_1'],
    ['--prompt-file', 'a.md'],
    ['--input', 'job-id=job_1'],
  ]) {
    expect(readOptions(flags, {})).not.toHaveProperty('defaults.prompt')
  }
})

test('any input can be given', () => {
  expect(
    readOptions(['--input', 'wait=false', '--input', 'fail-on=a=b', '--input', 'timeout-minutes=2'], {}),
  ).toMatchObject({
    given: { wait: 'false', 'fail-on': 'a=b', 'timeout-minutes': '2' },
  })
})

test('scenarios of both kinds go together, and bring the inputs that they need', () => {
  expect(readOptions(['--scenario', 'slow, draft,checks-mended'], {})).toMatchObject({
    service: { scenario: 'slow', gitHubScenarios: ['draft', 'checks-mended'] },
    defaults: { 'timeout-minutes': '2', 'job-id': 'job_finished' },
  })
  expect(readOptions(['--scenario', 'draft'], {})).toMatchObject({ service: { scenario: 'pull-request' } })
})

test('the export of visitors has no example of a prompt', () => {
  const options = readOptions(['--action', 'visitors', '--input', 'days=7'], {})
  expect(options).toMatchObject({ action: 'visitors', given: { days: '7' } })
  expect(options).not.toHaveProperty('defaults.prompt')
})

test('time can go faster, and a run be cancelled', () => {
  expect(readOptions(['--speed', '40', '--cancel-after', '1.5'], {})).toMatchObject({
    service: { speed: 40 },
    cancelAfter: 1.5,
  })
})

test('flags before -- come from npm as variables', () => {
  expect(
    readOptions([], { npm_config_scenario: 'failed', npm_config_prompt_file: 'a.md', npm_config_job_id: 'j' }),
  ).toMatchObject({ service: { scenario: 'failed' }, given: { 'prompt-file': 'a.md', 'job-id': 'j' } })
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
    action: 'agent',
    defaults: {},
    given: { prompt: 'x' },
    cancelAfter: undefined,
    isKept: false,
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
  expect(messageOf(['--speed', '2'], SERVICE)).toContain('--speed is for the embedded service')
})

test.each([
  [['--bogus'], 'There is no option --bogus. «npm start -- --help» shows all.'],
  [['--promt', 'x'], 'There is no option --promt. Did you mean --prompt? «npm start -- --help» shows all.'],
  [['--toString'], 'There is no option --toString.'],
  [['--action', 'nice'], '--action must be agent or visitors, and is «nice».'],
  [['-x'], 'There is no option -x.'],
  [['--scenario'], '--scenario needs a value.'],
  [['--prompt', '--help'], '--prompt needs a value.'],
  [['--scenario', 'stuck-pages'], '--action visitors --scenario stuck-pages'],
  [['--scenario', 'nice'], 'There is no scenario «nice».'],
  [['--scenario', 'slow,failed'], 'slow and failed are both scenarios of the service'],
  [['--speed', '0'], '--speed must be a number from 1 to 200.'],
  [['--cancel-after', 'soon'], '--cancel-after needs a number of seconds, and got «soon».'],
  [['--input', 'wait'], '--input needs the form name=value, and got «wait».'],
])('wrong flags are refused: %j', (args, message) => {
  expect(messageOf(args)).toContain(message)
})

test('a value that begins with a dash is written behind an equals sign', () => {
  expect(readOptions(['--prompt=--force is gone'], {})).toMatchObject({ given: { prompt: '--force is gone' } })
})

test('the list is for everyone, also where npm took the flag', () => {
  expect(readOptions(['--list'], { DOCS_AGENT_API_KEY: 'x' })).toEqual({ kind: 'list' })
  expect(readOptions([], { npm_config_list: 'true' })).toEqual({ kind: 'list' })
})

test('help is for everyone', () => {
  expect(readOptions(['--help'], { DOCS_AGENT_API_KEY: 'x' })).toEqual({ kind: 'help' })
})
