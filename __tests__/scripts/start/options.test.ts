import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { EMBEDDED_INPUTS, readOptions } from '../../../scripts/start/options.ts'
import { readExampleInputs } from '../../../scripts/start/readme-inputs.ts'
import { root } from '../../support/markdown-files.ts'

type Env = Readonly<Record<string, string>>

const SERVICE = {
  DOCS_AGENT_BASE_URL: 'https://docs.example.com',
  DOCS_AGENT_PROJECT_ID: 'p1',
  DOCS_AGENT_API_KEY: 'docs_x',
}
const USUAL = { kind: 'run', action: 'agent', cancelAfter: undefined, isKept: false }

test('without flags the embedded service gets an example prompt', () => {
  const chosen = { scenario: 'pull-request', gitHubScenarios: [], runnerScenarios: [], isRolling: false, inputs: {} }
  expect(readOptions([], {})).toEqual({
    ...USUAL,
    service: { kind: 'embedded', ...chosen, speed: 10 },
    given: {},
    defaults: { prompt: 'Document the new `--dry-run` flag of the deploy command.', ...EMBEDDED_INPUTS },
  })
})

test('without a scenario the action gets exactly the inputs of the workflow in the README', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const [, workflow = ''] = /```yaml\n(name: .*?)```/s.exec(readme) ?? []
  const { jobs } = parse(workflow) as { jobs: { docs: { steps: [{ with: Record<string, string> }] } } }
  const example = readExampleInputs(readme)
  const inputs = Object.entries(jobs.docs.steps[0].with).filter(([, value]) => !value.startsWith('${{'))
  expect(inputs.map(([name]) => name)).toContain('prompt')
  expect(example).toEqual(Object.fromEntries(inputs))
  expect(readOptions([], {}, example)).toMatchObject({ service: { kind: 'embedded' }, given: {} })
  expect(readOptions([], {}, example)).toHaveProperty('defaults', example)
  expect(readOptions(['--scenario', 'draft'], {}, example)).toHaveProperty('defaults', {
    ...EMBEDDED_INPUTS,
    ...example,
  })
  expect(readOptions([], SERVICE, example)).toHaveProperty('defaults', { prompt: example['prompt'] })
})

test.each([
  [['--dry-run'], {}],
  [[], { npm_config_dry_run: 'true' }],
])('the flags %j in the environment %j are a dry run', (args, env) => {
  expect(readOptions(args, env)).toMatchObject({ given: { 'dry-run': 'true' } })
  expect(readOptions([...args, '--action', 'visitors'], env)).toMatchObject({ kind: 'refused' })
})

test('a step that does not wait is not given the inputs that need the end of the job', () => {
  const { defaults } = readOptions(['--input', 'wait=False'], {}) as { defaults: object }
  expect(Object.keys(defaults)).not.toEqual(expect.arrayContaining(['wait-for-checks']))
  expect(Object.keys(defaults)).not.toEqual(expect.arrayContaining(['allowed-paths']))
  expect(defaults).toHaveProperty('paths')
})

test('all three variables choose a real service, with the defaults of the action', () => {
  expect(readOptions(['--prompt', 'x'], SERVICE)).toEqual({
    ...USUAL,
    service: { kind: 'real', baseUrl: 'https://docs.example.com', projectId: 'p1', apiKey: 'docs_x' },
    defaults: {},
    given: { prompt: 'x' },
  })
})

/** A blank within a value is one that does not break. */
const splitFlags = (flags: string): string[] => flags.split(' ').filter((flag) => flag !== '')

test.each<[flags: string, env: Env, wanted: object]>([
  ['--prompt x --job-id=job_1', {}, { given: { prompt: 'x', 'job-id': 'job_1' } }],
  ['--prompt=--force', {}, { given: { prompt: '--force' } }],
  ['--input wait=false --input fail-on=a=b', {}, { given: { wait: 'false', 'fail-on': 'a=b' } }],
  ['--speed 40 --cancel-after 1.5 --keep', {}, { service: { speed: 40 }, cancelAfter: 1.5, isKept: true }],
  ['--scenario draft', {}, { service: { scenario: 'pull-request', gitHubScenarios: ['draft'] } }],
  ['--scenario slow,\u00a0draft', {}, { service: { scenario: 'slow', gitHubScenarios: ['draft'] } }],
  ['--scenario slow,checks-fixed', {}, { defaults: { 'timeout-minutes': '2', 'job-id': 'job_finished' } }],
  [
    '',
    { npm_config_scenario: 'failed', npm_config_prompt_file: 'a.md', npm_config_job_id: 'j', npm_config_keep: 'true' },
    { service: { scenario: 'failed' }, given: { 'prompt-file': 'a.md', 'job-id': 'j' }, isKept: true },
  ],
  ['failed', { npm_config_scenario: 'true' }, { service: { scenario: 'failed' } }],
  ['--scenario slow', { npm_config_scenario: 'failed' }, { service: { scenario: 'slow' } }],
  ['--check', {}, { kind: 'check', jobId: 'job_finished' }],
  ['--check', SERVICE, { kind: 'check', jobId: '' }],
  ['', { ...SERVICE, npm_config_check: 'true', npm_config_job_id: 'j' }, { kind: 'check', jobId: 'j' }],
  ['--list', { DOCS_AGENT_API_KEY: 'x' }, { kind: 'list' }],
  ['', { npm_config_list: 'true' }, { kind: 'list' }],
  ['--help', { DOCS_AGENT_API_KEY: 'x' }, { kind: 'help' }],
  ['-h', {}, { kind: 'help' }],
  ['--action visitors --input trend=12', {}, { defaults: { days: '30' }, given: { trend: '12' } }],
])('parses %j with %j', (flags, env, wanted) => {
  expect(readOptions(splitFlags(flags), env)).toMatchObject(wanted)
})

test.each(['date-from', 'date-to'])('an export with %s has no default days', (name) => {
  const flags = `--action visitors --input ${name}=2026-01-01`
  expect(readOptions(splitFlags(flags), {})).not.toHaveProperty('defaults.days')
})

test.each(['--job-id job_1', '--prompt-file a.md', '--input job-id=job_1', '--action visitors --input days=7'])(
  '%s gets no example prompt',
  (flags) => {
    expect(readOptions(splitFlags(flags), {})).not.toHaveProperty('defaults.prompt')
  },
)

const UNCLEAR = '\n  npm start -- --scenario failed'

test.each<[flags: string, message: string, env?: Env]>([
  ['failed', `«failed» belongs to no flag. Put -- before the flags:${UNCLEAR}`],
  ['', `A flag has no value. Put -- before the flags:${UNCLEAR}`, { npm_config_scenario: 'true' }],
  ['a b', UNCLEAR, { npm_config_scenario: 'true', npm_config_prompt: 'true' }],
  [
    '',
    'DOCS_AGENT_API_KEY is set, but not DOCS_AGENT_BASE_URL and DOCS_AGENT_PROJECT_ID. Set all three to use that service, or none.',
    { DOCS_AGENT_API_KEY: 'docs_secret', DOCS_AGENT_PROJECT_ID: '' },
  ],
  [
    '',
    'DOCS_AGENT_BASE_URL and DOCS_AGENT_PROJECT_ID are set, but not DOCS_AGENT_API_KEY.',
    { ...SERVICE, DOCS_AGENT_API_KEY: '' },
  ],
  ['--scenario failed', '--scenario is for the embedded service', SERVICE],
  ['--speed 2', '--speed is for the embedded service', SERVICE],
  ['--bogus', 'There is no option --bogus. This shows all:\n  npm start -- --help'],
  ['--promt x', 'There is no option --promt. Did you mean --prompt? This shows all:\n  npm start -- --help'],
  ['--toString', 'There is no option --toString.'],
  ['-x', 'There is no option -x.'],
  ['--action nice', '--action must be agent, visitors or report, and is «nice».'],
  ['--scenario', '--scenario needs a value.'],
  ['--prompt --help', '--prompt needs a value.'],
  ['--scenario nice', 'There is no scenario «nice». This lists all:\n  npm start -- --list'],
  ['--scenario draft,check-fails', 'There is no scenario «check-fails». Did you mean checks-fail?'],
  ['--scenario toString', 'There is no scenario «toString»'],
  ['--scenario slow,failed', 'slow and failed are both scenarios of the service'],
  ['--speed 0', '--speed must be a number from 1 to 200.'],
  ['--speed 201', '--speed must be a number from 1 to 200.'],
  ['--cancel-after soon', '--cancel-after needs a number of seconds, and got «soon».'],
  ['--input wait', '--input needs the form name=value, and got «wait».'],
])('%j is refused: %j', (flags, text, env = {}) => {
  const message = expect.stringContaining(text) as unknown
  expect(readOptions(splitFlags(flags), env)).toMatchObject({ kind: 'refused', message })
})
