import { expect, test } from '@jest/globals'
import { readOptions } from '../../../scripts/start/options.ts'
import { splitCommand } from '../../../testing/split-command.ts'

type Env = Readonly<Record<string, string>>

const SERVICE = {
  DOCS_AGENT_BASE_URL: 'https://docs.example.com',
  DOCS_AGENT_PROJECT_ID: 'p1',
  DOCS_AGENT_API_KEY: 'docs_x',
}
const USUAL = { cancelAfter: undefined, isKept: false, showsAll: false, leavesRealService: false }

test('without flags, the workflow of the README is played with its own inputs', () => {
  const chosen = { scenario: 'pull-request', gitHubScenarios: [], runnerScenarios: [], story: [{}], inputs: {} }
  expect(readOptions([], {}, '/project/README.md')).toEqual({
    ...USUAL,
    kind: 'workflow',
    file: '/project/README.md',
    events: [],
    changed: [],
    inputs: {},
    vars: {},
    outputs: {},
    isFirstRun: false,
    isDryRun: false,
    service: { kind: 'embedded', ...chosen, speed: 10 },
    words: [],
    example: { inputs: {}, story: [{}] },
  })
})

/** The inputs that the command line chooses for the step of the README. */
const readExample = (flags: string, env: Env = {}): object => {
  const { example } = readOptions(splitCommand(flags), env) as { readonly example: { readonly inputs: object } }
  return example.inputs
}

const OF_SCENARIO = { 'wait-for-checks': 'true', 'allowed-paths': 'docs/**' }

test.each([
  ['--scenario draft', OF_SCENARIO],
  ['--scenario draft --prompt x', { ...OF_SCENARIO, prompt: 'x' }],
  ['--scenario draft --input wait=False', { wait: 'False' }],
  ['--scenario fixed --input fix-rounds=3', { ...OF_SCENARIO, 'fix-rounds': '3' }],
  ['--job-id job_1', { 'job-id': 'job_1', prompt: undefined }],
  ['--prompt-file a.md', { 'prompt-file': 'a.md', prompt: undefined }],
  ['--input job-id=job_1', { 'job-id': 'job_1', prompt: undefined }],
  ['--input paths=', { paths: '' }],
])('%s gives the step of the README these inputs: %j', (flags, inputs) => {
  expect(readExample(flags)).toStrictEqual(inputs)
})

test.each([
  [['--dry-run'], {}],
  [[], { npm_config_dry_run: 'true' }],
])('the flags %j in the environment %j are a dry run', (args, env) => {
  expect(readOptions(args, env)).toMatchObject({ example: { inputs: { 'dry-run': 'true' } } })
  expect(() => readOptions([...args, '--action', 'visitors'], env)).toThrow('--dry-run is for')
})

test('--real chooses the service of the variables, with the defaults of the action', () => {
  expect(readOptions(['--prompt', 'x', '--real'], SERVICE)).toEqual({
    ...USUAL,
    kind: 'run',
    action: 'agent',
    service: { kind: 'real', baseUrl: 'https://docs.example.com', projectId: 'p1', apiKey: 'docs_x' },
    defaults: {},
    given: { prompt: 'x' },
    words: ['--prompt', 'x', '--real'],
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
  ['--prompt x --job-id=job_1', {}, { example: { inputs: { prompt: 'x', 'job-id': 'job_1' } } }],
  ['--prompt=--force', {}, { example: { inputs: { prompt: '--force' } } }],
  ['--input wait=false --input fail-on=a=b', {}, { example: { inputs: { wait: 'false', 'fail-on': 'a=b' } } }],
  ['--speed 40 --cancel-after 1.5 --keep', {}, { service: { speed: 40 }, cancelAfter: 1.5, isKept: true }],
  ['--scenario draft', {}, { service: { scenario: 'pull-request', gitHubScenarios: ['draft'] } }],
  [
    '--event schedule --changed a.ts',
    {},
    { events: [{ name: 'schedule', changed: ['a.ts'] }], example: { inputs: {} } },
  ],
  ['--scenario "slow, draft"', {}, { service: { scenario: 'slow', gitHubScenarios: ['draft'] } }],
  ['--scenario slow,checks-fixed', {}, { example: { inputs: { 'timeout-minutes': '2', 'job-id': 'job_finished' } } }],
  [
    '',
    { npm_config_scenario: 'failed', npm_config_prompt_file: 'a.md', npm_config_job_id: 'j', npm_config_keep: 'true' },
    { service: { scenario: 'failed' }, example: { inputs: { 'prompt-file': 'a.md', 'job-id': 'j' } }, isKept: true },
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
  ['--action visitors --scenario stalled', {}, { defaults: { 'timeout-minutes': '5' } }],
])('parses %j with %j', (flags, env, wanted) => {
  expect(readOptions(splitCommand(flags), env)).toMatchObject(wanted)
})

test.each(['date-from', 'date-to'])('an export with %s has no default days', (name) => {
  const flags = `--action visitors --input ${name}=2026-01-01`
  expect(readOptions(splitCommand(flags), {})).not.toHaveProperty('defaults.days')
})

const UNCLEAR = '\n  npm start -- --scenario failed'

test.each<[flags: string, message: string, env?: Env]>([
  ['failed', `«failed» belongs to no flag. Put -- before the flags, or '--' in PowerShell:${UNCLEAR}`],
  [
    '',
    `A flag has no value. Put -- before the flags, or '--' in PowerShell:${UNCLEAR}`,
    { npm_config_scenario: 'true' },
  ],
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
  ['--action report --first-run', '--first-run is for a workflow'],
  [
    '--real --event push',
    '--event is for a workflow:\n  npm start -- --workflow .github/workflows/docs.yml --event …',
    SERVICE,
  ],
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
