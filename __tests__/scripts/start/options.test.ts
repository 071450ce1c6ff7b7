import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { EMBEDDED_INPUTS, readOptions } from '../../../scripts/start/options.ts'
import { readExampleInputs } from '../../../scripts/start/readme-inputs.ts'
import { root } from '../../../testing/markdown-files.ts'
import { splitCommand } from '../../../testing/split-command.ts'
import { getDefaultInput } from '../../../testing/workflow-files.ts'

type Env = Readonly<Record<string, string>>

const SERVICE = {
  DOCS_AGENT_BASE_URL: 'https://docs.example.com',
  DOCS_AGENT_PROJECT_ID: 'p1',
  DOCS_AGENT_API_KEY: 'docs_x',
}
const USUAL = { kind: 'run', action: 'agent', cancelAfter: undefined, isKept: false, showsAll: false }

test('without flags the embedded service gets an example prompt', () => {
  const chosen = { scenario: 'pull-request', gitHubScenarios: [], runnerScenarios: [], isRolling: false, inputs: {} }
  expect(readOptions([], {})).toEqual({
    ...USUAL,
    service: { kind: 'embedded', ...chosen, speed: 10 },
    given: {},
    words: [],
    leavesRealService: false,
    defaults: { prompt: 'Document the new `--dry-run` flag of the deploy command.', ...EMBEDDED_INPUTS },
  })
})

test('without a scenario the action gets exactly the inputs of the workflow in the README', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const [, workflow = ''] = /```yaml\n(name: .*?)```/s.exec(readme) ?? []
  const { jobs } = parse(workflow) as { jobs: { docs: { steps: [{ with: Record<string, string> }] } } }
  const example = readExampleInputs(readme)
  const inputs = Object.entries(jobs.docs.steps[0].with)
    .map(([name, value]) => [name, getDefaultInput(value)] as const)
    .filter(([, value]) => !value.startsWith('${{'))
  expect(inputs.map(([name]) => name)).toContain('prompt')
  expect(example).toEqual(Object.fromEntries(inputs))
  expect(readOptions([], {}, example)).toMatchObject({ service: { kind: 'embedded' }, given: {} })
  expect(readOptions([], {}, example)).toHaveProperty('defaults', example)
  expect(readOptions(['--scenario', 'draft'], {}, example)).toHaveProperty('defaults', {
    ...EMBEDDED_INPUTS,
    ...example,
  })
  expect(readOptions(['--real'], SERVICE, example)).toHaveProperty('defaults', { prompt: example['prompt'] })
})

test.each([
  [['--dry-run'], {}],
  [[], { npm_config_dry_run: 'true' }],
])('the flags %j in the environment %j are a dry run', (args, env) => {
  expect(readOptions(args, env)).toMatchObject({ given: { 'dry-run': 'true' } })
  expect(() => readOptions([...args, '--action', 'visitors'], env)).toThrow('--dry-run is for')
})

test('a step that does not wait is not given the inputs that need the end of the job', () => {
  const { defaults } = readOptions(['--input', 'wait=False'], {}) as { defaults: object }
  expect(Object.keys(defaults)).not.toEqual(expect.arrayContaining(['wait-for-checks']))
  expect(Object.keys(defaults)).not.toEqual(expect.arrayContaining(['allowed-paths']))
  expect(defaults).toHaveProperty('paths')
})

test('--real chooses the service of the variables, with the defaults of the action', () => {
  expect(readOptions(['--prompt', 'x', '--real'], SERVICE)).toEqual({
    ...USUAL,
    service: { kind: 'real', baseUrl: 'https://docs.example.com', projectId: 'p1', apiKey: 'docs_x' },
    defaults: {},
    given: { prompt: 'x' },
    words: ['--prompt', 'x', '--real'],
    leavesRealService: false,
  })
})

test('without --real, the variables of a real service change nothing but a line', () => {
  const embedded = { service: { kind: 'embedded' }, leavesRealService: true }
  expect(readOptions(['--scenario', 'failed'], SERVICE)).toMatchObject(embedded)
  expect(readOptions([], { DOCS_AGENT_API_KEY: 'x' })).toMatchObject({ ...embedded, leavesRealService: false })
})

const WORKFLOW = { kind: 'workflow', file: 'w.yml', events: [], changed: [], inputs: {}, vars: {}, isDryRun: false }

const PUSH = { name: 'push', changed: [] }

test.each<[flags: string, wanted: object]>([
  ['--workflow w.yml', WORKFLOW],
  ['--workflow w.yml --changed a.ts --changed b/c.md', { changed: ['a.ts', 'b/c.md'] }],
  [
    '--workflow w.yml --changed a --event push --event schedule --changed b --changed c',
    { changed: ['a'], events: [PUSH, { name: 'schedule', changed: ['b', 'c'] }] },
  ],
  [
    '--changed a --event push --workflow w.yml',
    { words: ['--workflow', 'w.yml', '--changed', 'a', '--event', 'push'] },
  ],
  ['--workflow w.yml --var A=b --input c=d --dry-run', { vars: { A: 'b' }, inputs: { c: 'd' }, isDryRun: true }],
  [
    '--workflow w.yml --ref v1 --event push --ref release/1 --event schedule --schedule "0 3 * * 1"',
    {
      ref: 'v1',
      events: [
        { ...PUSH, ref: 'release/1' },
        { name: 'schedule', schedule: '0 3 * * 1' },
      ],
    },
  ],
  ['--workflow w.yml --schedule "0 3 * * 1"', { events: [{ name: 'schedule' }], schedule: '0 3 * * 1' }],
  [
    '--workflow w.yml --comment "/docs Fix it" --on-pull-request',
    { events: [{ name: 'issue_comment' }], comment: '/docs Fix it', isOnPullRequest: true },
  ],
  ['--workflow w.yml --first-run --output a.b=c=d', { isFirstRun: true, outputs: { 'a.b': 'c=d' } }],
  ['--workflow w.yml --scenario draft --all --keep', { service: { gitHubScenarios: ['draft'] }, showsAll: true }],
])('%j plays a workflow file, also where the variables of a real service are set', (flags, wanted) => {
  expect(readOptions(splitCommand(flags), SERVICE)).toMatchObject({ ...wanted, service: { kind: 'embedded' } })
})

test.each<[flags: string, env: Env, wanted: object]>([
  ['--prompt x --job-id=job_1', {}, { given: { prompt: 'x', 'job-id': 'job_1' } }],
  ['--prompt=--force', {}, { given: { prompt: '--force' } }],
  ['--input wait=false --input fail-on=a=b', {}, { given: { wait: 'false', 'fail-on': 'a=b' } }],
  ['--speed 40 --cancel-after 1.5 --keep', {}, { service: { speed: 40 }, cancelAfter: 1.5, isKept: true }],
  ['--scenario draft', {}, { service: { scenario: 'pull-request', gitHubScenarios: ['draft'] } }],
  ['--scenario "slow, draft"', {}, { service: { scenario: 'slow', gitHubScenarios: ['draft'] } }],
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
  ['--action visitors --input compare=true', {}, { defaults: { days: '30' }, given: { compare: 'true' } }],
])('parses %j with %j', (flags, env, wanted) => {
  expect(readOptions(splitCommand(flags), env)).toMatchObject(wanted)
})

test.each(['date-from', 'date-to'])('an export with %s has no default days', (name) => {
  const flags = `--action visitors --input ${name}=2026-01-01`
  expect(readOptions(splitCommand(flags), {})).not.toHaveProperty('defaults.days')
})

test.each(['--job-id job_1', '--prompt-file a.md', '--input job-id=job_1', '--action visitors --input days=7'])(
  '%s gets no example prompt',
  (flags) => {
    expect(readOptions(splitCommand(flags), {})).not.toHaveProperty('defaults.prompt')
  },
)

const UNCLEAR = '\n  npm start -- --scenario failed'

test.each<[flags: string, message: string, env?: Env]>([
  ['failed', `«failed» belongs to no flag. Put -- before the flags:${UNCLEAR}`],
  ['', `A flag has no value. Put -- before the flags:${UNCLEAR}`, { npm_config_scenario: 'true' }],
  ['a b', UNCLEAR, { npm_config_scenario: 'true', npm_config_prompt: 'true' }],
  [
    '--check',
    'DOCS_AGENT_API_KEY is set, but not DOCS_AGENT_BASE_URL and DOCS_AGENT_PROJECT_ID. Set all three to use that service, or none.',
    { DOCS_AGENT_API_KEY: 'docs_secret', DOCS_AGENT_PROJECT_ID: '' },
  ],
  [
    '--real',
    'DOCS_AGENT_BASE_URL and DOCS_AGENT_PROJECT_ID are set, but not DOCS_AGENT_API_KEY.',
    { ...SERVICE, DOCS_AGENT_API_KEY: '' },
  ],
  ['--real', '--real needs the variables DOCS_AGENT_BASE_URL, DOCS_AGENT_PROJECT_ID, DOCS_AGENT_API_KEY.'],
  ['--real --scenario failed', '--scenario is for the embedded service', SERVICE],
  ['--check --speed 2', '--speed is for the embedded service. Remove it, or remove --check.', SERVICE],
  ['--real --workflow w.yml', '--workflow uses the embedded service. Remove --real.', SERVICE],
  ['--workflow w.yml --prompt x', '--prompt is not for --workflow, which takes all inputs from the file.'],
  ['--workflow w.yml --workflow v.yml', '--workflow is there twice. Remove one.'],
  ['--workflow w.yml --event fork', '--event fork cannot be run here. These can: push, schedule, '],
  ['--workflow w.yml --changed ../x', '--changed needs the path of a file from the root of the repository'],
  ['--workflow w.yml --var A', '--var needs the form name=value, and got «A».'],
  [
    '--workflow w.yml --output a=b',
    '--output needs the form id.name=value, with the id of a step or job, and got «a».',
  ],
  ['--workflow w.yml --ref a --ref b', '--ref is there twice for one event. Remove one.'],
  ['--first-run', '--first-run is for your own workflow'],
  ['--event push', '--event is for your own workflow:\n  npm start -- --workflow .github/workflows/docs.yml --event …'],
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
  expect(() => readOptions(splitCommand(flags), env)).toThrow(text)
})
