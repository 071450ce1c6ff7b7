import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { root } from '../support/markdown-files.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

interface Fleet {
  readonly on: {
    readonly workflow_call: {
      readonly inputs: Readonly<Record<string, { readonly default?: string | number | boolean }>>
    }
  }
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>
}

interface Step {
  readonly id?: string
  readonly name?: string
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, string>>
}

const fleet = parse(readFileSync(join(root, '.github/workflows/fleet.yml'), 'utf8')) as Fleet

function getScript(job: string, name: string): string {
  const run = fleet.jobs[job]?.steps.find((step) => step.name === name)?.run
  if (run === undefined) throw new Error(`The workflow has no step “${name}” in the job ${job}.`)
  return run
}

const listSteps = (job: string): readonly Step[] => fleet.jobs[job]?.steps ?? []

/** Inputs of the fleet itself. All others are inputs of the action. */
const OWN_INPUTS = ['projects', 'name', 'app-client-id', 'max-parallel', 'spread-minutes']
/** The check merges these into the row of each project. */
const ROW_INPUTS = ['label', 'allowed-paths', 'reviewers']

test('every input and override of the fleet reaches the action', () => {
  const inputs = Object.keys(fleet.on.workflow_call.inputs).filter((name) => !OWN_INPUTS.includes(name))
  const passed = inputs.map((name) => [name, `\${{ ${ROW_INPUTS.includes(name) ? 'matrix' : 'inputs'}.${name} }}`])
  expect(listSteps('project').find(({ id }) => id === 'docs')?.with).toEqual({
    ...(Object.fromEntries(passed) as object),
    prompt: '${{ matrix.prompt || inputs.prompt }}',
    'pr-repository': '${{ matrix.pr-repository }}',
    'project-id': '${{ matrix.project }}',
    'api-key': '${{ secrets.api-key }}',
    'github-token': '${{ steps.token.outputs.token || secrets.github-token }}',
  })
})

test('the token of an app is for the repository of the project only', () => {
  expect(listSteps('project').find(({ id }) => id === 'token')?.with).toMatchObject({
    'client-id': '${{ inputs.app-client-id }}',
    'private-key': '${{ secrets.app-private-key }}',
    owner: '${{ matrix.owner }}',
    repositories: '${{ matrix.repository }}',
  })
})

test('the artifacts of a fleet have its name, so that two fleets fit in one run', () => {
  const findInputs = (job: string, action: string) => listSteps(job).find(({ uses }) => uses?.includes(action))?.with
  const prefix = 'docs-agent-${{ inputs.name }}-'
  expect(findInputs('project', 'upload-artifact')?.['name']).toBe(`${prefix}\${{ matrix.project }}`)
  expect(findInputs('report', 'download-artifact')?.['pattern']).toBe(`${prefix}*`)
})

const CHECK = getScript('check', 'Check the inputs')
const WRITE_RESULT = getScript('project', 'Write the result to a file')
const WRITE_TABLE = getScript('report', 'Write the table')

/** Runs a script as `shell: node {0}` does: from a file without an extension, outside of any package. */
function runScript(script: string, env: Readonly<Record<string, string>>, cwd = createTemporaryFolder()) {
  const file = join(createTemporaryFolder(), 'script')
  writeFileSync(file, script)
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
  return { isGreen: status === 0, text: stdout + stderr }
}

interface Row {
  readonly project: string
  readonly start?: number
}

const DEFAULTS = Object.fromEntries(
  Object.entries(fleet.on.workflow_call.inputs).map(([name, input]) => [name, String(input.default ?? '')]),
)

type Given = Readonly<Record<string, string>>

/** What the check prints, or the rows of the matrix. */
function check(projects: unknown, given: Given = {}): string | readonly Row[] {
  const output = join(createTemporaryFolder(), 'output')
  const env = {
    PROJECTS: typeof projects === 'string' ? projects : JSON.stringify(projects),
    FLEET_NAME: DEFAULTS['name'] ?? '',
    ON_OPEN_PR: DEFAULTS['on-open-pr'] ?? '',
    LABEL: DEFAULTS['label'] ?? '',
    ALLOWED_PATHS: '',
    WAIT_FOR_CHECKS: DEFAULTS['wait-for-checks'] ?? '',
    FIX_ROUNDS: DEFAULTS['fix-rounds'] ?? '',
    REVIEWERS: '',
    MAX_PARALLEL: DEFAULTS['max-parallel'] ?? '',
    SPREAD: DEFAULTS['spread-minutes'] ?? '',
    TIMEOUT: DEFAULTS['timeout-minutes'] ?? '',
    HAS_APP: 'false',
    HAS_APP_KEY: 'false',
    HAS_TOKEN: 'false',
    THIS_REPOSITORY: 'acme/fleet',
    GITHUB_OUTPUT: output,
    ...given,
  }
  const { isGreen, text } = runScript(CHECK, env)
  if (!isGreen) return text
  const [, names = '', matrix = ''] = /^names=(.*)\nmatrix=(.*)\n$/.exec(readFileSync(output, 'utf8')) ?? []
  const rows = JSON.parse(matrix) as Row[]
  expect(rows.map(({ project }) => project).join(' ')).toBe(names)
  return rows
}

const APP = { HAS_APP: 'true', HAS_APP_KEY: 'true' }

test('a project is an identifier, or an object that overrides inputs of the fleet', () => {
  const projects = [
    'docs-a',
    {
      project: 'docs-b',
      prompt: 'Fix\n"quotes" & $HOME.',
      'pr-repository': 'other/b.github.io',
      label: 'docs-b',
      'allowed-paths': ['docs/**', '!docs/legal/**'],
      reviewers: 'mona',
    },
  ]
  expect(check(projects, { ...APP, LABEL: 'docs-fleet', ALLOWED_PATHS: 'docs/**' })).toEqual([
    { project: 'docs-a', label: 'docs-fleet', 'allowed-paths': 'docs/**', owner: 'acme', repository: 'fleet' },
    {
      ...(projects[1] as object),
      'allowed-paths': 'docs/**\n!docs/legal/**',
      owner: 'other',
      repository: 'b.github.io',
    },
  ])
})

test('refuses more projects than a matrix can have jobs, before any of them starts', () => {
  const names = Array.from({ length: 257 }, (_, index) => `docs-${index}`)
  expect(check(names)).toContain('It contains 257: call the workflow again for the others.')
  expect(check(names.slice(1))).toHaveLength(256)
  expect(check([])).toContain('It contains 0')
  const long = names.slice(1).map((project) => ({ project, 'pr-repository': `acme/${project}` }))
  expect(check(long, { ...APP, ALLOWED_PATHS: 'docs/some/folder/**\n'.repeat(100) })).toContain('is too long')
})

test('one error names all invalid inputs', () => {
  const given = { MAX_PARALLEL: '0', SPREAD: '300', FIX_ROUNDS: '6', ON_OPEN_PR: 'old', FLEET_NAME: 'a-b' }
  const text = check(['a', 'a', 'no/name', 7, null, { project: 'b', fail: 'x', label: 7 }], given)
  expect(text).toMatch(/^::error [^\n]*\n$/)
  for (const part of [
    '3 of `projects` have no valid identifier',
    '`projects` names a more than once.',
    '`projects`, b: `fail` cannot be overridden.',
    '`projects`, b: `label` must be a string.',
    '`max-parallel`',
    '`timeout-minutes`',
    '`fix-rounds` must be',
    '`fix-rounds` needs `wait-for-checks: true`',
    '`on-open-pr` must be new, follow-up or skip.',
    '`name` must be',
  ])
    expect(text).toContain(part)
})

test.each(['', 'docs-a', '{"project": "docs-a"}', '["docs-a"'])('refuses %j, which is no JSON array', (projects) => {
  expect(check(projects)).toContain('`projects` must be a JSON array')
})

test('an override cannot add a line to a workflow command', () => {
  const text = check([{ project: 'a', 'x\n::set-output name=y::z%0A': '' }])
  expect(text).toMatch(/^::error [^\n]*%0A::set-output[^\n]*%250A[^\n]*\n$/)
})

const NEEDS_GITHUB: readonly [name: string, given: Given, overrides?: object][] = [
  ['on-open-pr', { ON_OPEN_PR: 'follow-up' }],
  ['on-open-pr', { ON_OPEN_PR: 'skip' }],
  ['label', { LABEL: 'docs' }],
  ['label', {}, { label: 'docs' }],
  ['pr-repository', {}, { 'pr-repository': 'acme/docs' }],
  ['allowed-paths', { ALLOWED_PATHS: 'docs/**' }],
  ['allowed-paths', {}, { 'allowed-paths': ['docs/**'] }],
  ['reviewers', { REVIEWERS: 'mona' }],
  ['wait-for-checks', { WAIT_FOR_CHECKS: 'true', FIX_ROUNDS: '2' }],
]

test.each(NEEDS_GITHUB)('`%s` needs a token: %j %j', (name, given, overrides = {}) => {
  const projects = [{ project: 'docs-a', ...overrides }]
  expect(check(projects, given)).toContain(`\`${name}\` need a token for the projects' repositories`)
  expect(check(projects, { ...given, HAS_APP: 'true' })).toContain('needs the secret `app-private-key`')
  expect(check(projects, { ...given, ...APP })).toHaveLength(1)
  expect(check(projects, { ...given, HAS_TOKEN: 'true' })).toHaveLength(1)
})

test('the projects start evenly spread over the given minutes', () => {
  const rows = check(['a', 'b', 'c', 'd'], { SPREAD: '2' })
  if (typeof rows === 'string') throw new Error(rows)
  const starts = rows.map(({ start = 0 }) => start - (rows[0]?.start ?? 0))
  expect(starts.map((start, index) => Math.abs(start - 30 * index) <= 1)).toEqual([true, true, true, true])
  expect(check(['a'])).toEqual([{ project: 'a', label: 'docs-agent', owner: 'acme', repository: 'fleet' }])
})

const RUN = 'https://git.example.com/acme/fleet/actions/runs/42'
const LINK = 'https://github.com/acme/docs/pull/4'

type Outputs = Readonly<Record<string, string>>
interface Ended {
  readonly project: string
  readonly conclusion: string
  readonly outputs: Outputs
}

const toResult = (ended: Ended): string => JSON.stringify({ ...ended, 'check-run': '7' }, undefined, 2)

/** Writes the table of these projects, of which some have ended. */
function writeTable(names: readonly string[], ended: readonly Ended[]) {
  const cwd = createTemporaryFolder()
  mkdirSync(join(cwd, 'fleet-results'))
  for (const one of ended) writeFileSync(join(cwd, `fleet-results/${one.project}.json`), toResult(one))
  const [output, summary] = [join(cwd, 'output'), join(cwd, 'summary')]
  const env = { NAMES: names.join(' '), RUN, GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary }
  const { isGreen, text } = runScript(WRITE_TABLE, env, cwd)
  return { isGreen, text, summary: readFileSync(summary, 'utf8'), output: readFileSync(output, 'utf8') }
}

test.each([
  ['success pull-request job_1 ' + LINK, '✅', `pull-request | <${LINK}> | \`job_1\` | Review it.`],
  ['success no-changes job_1', '✅', 'no-changes |  | `job_1` | Nothing.'],
  ['success skipped', '✅', 'skipped |  |  | Nothing.'],
  ['success submitted job_1', '✅', 'submitted |  | `job_1` | Wait for it with `job-id`.'],
  ['failure pull-request job_1 https://a/|b', '❌', 'pull-request | <https://a/%7Cb> | `job_1` | Read in its log what'],
  ['failure no-changes job_1', '❌', 'no-changes |  | `job_1` | Check whether the prompt fits the project.'],
  ['failure timed-out job_1', '❌', 'timed-out |  | `job_1` | Wait for it with `job-id`.'],
  ['failure cancelled', '❌', 'cancelled |  |  | Call the workflow with it again.'],
  ['failure failed job_1', '❌', 'failed |  | `job_1` | Read its job in the dashboard'],
  ['failure archived job_1', '❌', 'archived |  | `job_1` | Read its job in the dashboard'],
  ['failure', '❌', 'error |  |  | Read the error in its log'],
])('the row of a project that ended with «%s» says what to do', (ending, mark, cells) => {
  const [conclusion = '', outcome = '', jobId = '', link = ''] = ending.split(' ')
  const outputs = { outcome, 'job-id': jobId, 'pr-link': link }
  const { summary } = writeTable(['docs-a'], [{ project: 'docs-a', conclusion, outputs }])
  expect(summary).toContain(`| ${mark} | [\`docs-a\`](${RUN}/job/7) | ${cells}`)
  expect(summary).toMatch(/\. \|\n$/)
})

test('the table has each project once and in order, and the run fails if one failed or never reported', () => {
  const ended = [
    { project: 'docs-c', conclusion: 'success', outputs: { outcome: 'no-changes' } },
    { project: 'docs-a', conclusion: 'success', outputs: { outcome: 'no-changes', result: '{"more": 1}' } },
    { project: 'docs-d', conclusion: 'failure', outputs: { outcome: 'failed' } },
  ]
  const { isGreen, text, summary, output } = writeTable(['docs-a', 'docs-b', 'docs-c', 'docs-d'], ended)
  expect(isGreen).toBe(false)
  expect(text).toBe('::error title=Fleet::2 of 4 projects failed. The table in the summary shows all of them.\n')
  expect(summary).toMatch(/^## 2 of 4 projects succeeded\n/)
  expect(summary.match(/(?<=^\| )[✅❌] \| \[`[\w-]+/gmu)).toEqual(
    ['✅ a', '❌ b', '✅ c', '❌ d'].map((row) => row.replace(' ', ' | [`docs-')),
  )
  expect(summary).toContain(`| ❌ | [\`docs-b\`](${RUN}) | its job never reported | | | Look for its job`)
  const [, results = ''] = /^green=2\nred=2\nresults=(.*)\n$/.exec(output) ?? []
  expect(JSON.parse(results)).toEqual([
    { project: 'docs-a', outputs: { outcome: 'no-changes' } },
    { project: 'docs-b', outputs: null },
    { project: 'docs-c', outputs: { outcome: 'no-changes' } },
    { project: 'docs-d', outputs: { outcome: 'failed' } },
  ])
  const all = writeTable(['docs-a', 'docs-c'], ended)
  expect([all.isGreen, all.output]).toEqual([true, expect.stringMatching(/^green=2\nred=0\n/)])
})

test('256 projects with the largest outputs fit into the table and the output of a job', () => {
  const names = Array.from({ length: 256 }, (_, index) => `docs-${String(index).padStart(3, '0')}-${'x'.repeat(100)}`)
  const outputs = {
    outcome: 'pull-request',
    'job-id': 'j'.repeat(128),
    'pr-link': `https://github.com/${'a'.repeat(39)}/${'b'.repeat(100)}/pull/123456`,
    result: 'r'.repeat(32 * 1024),
  }
  const ended = names.map((project) => ({ project, conclusion: 'success', outputs }))
  const { isGreen, summary, output } = writeTable(names, ended)
  expect(isGreen).toBe(true)
  expect(summary.match(/^\| ✅ /gm)).toHaveLength(256)
  // GitHub's limits: 1 MiB for a step's summary, and for the outputs of a job, which GitHub counts in UTF-16.
  expect(Buffer.byteLength(summary)).toBeLessThan(1024 * 1024)
  expect(2 * output.length).toBeLessThan(1024 * 1024)
  expect(Buffer.byteLength(names.join(' '))).toBeLessThan(128 * 1024)
})

// The runners of the fleet have Bash.
const withBash = process.platform === 'win32' ? test.skip : test

withBash('a project writes its result unchanged to its own file', () => {
  const cwd = createTemporaryFolder()
  const result = toResult({ project: 'docs-a', conclusion: 'success', outputs: { outcome: '$(id) `id` "x" \\n %s' } })
  const env = { ...process.env, PROJECT: 'docs-a', RESULT: result }
  execFileSync('bash', ['-e', '-c', WRITE_RESULT], { cwd, env })
  expect(readFileSync(join(cwd, 'fleet-result/docs-a.json'), 'utf8')).toBe(`${result}\n`)
})
