import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { createInputs, getPermissions } from '../../../../scripts/start/workflow/contexts.ts'
import { listCombinations } from '../../../../scripts/start/workflow/matrix.ts'
import { findOwnAction } from '../../../../scripts/start/workflow/own-actions.ts'
import { parseRepositoryName } from '../../../../scripts/start/workflow/reader-repository.ts'
import { describeRunner } from '../../../../scripts/start/workflow/runner.ts'
import { readWorkflow } from '../../../../scripts/start/workflow/workflow-file.ts'
import { root } from '../../../../testing/markdown-files.ts'

const recipes = join(root, 'docs/recipes')
const [, readme = ''] = /```yaml\n(name: .*?)```/s.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
const files = readdirSync(recipes).map((name) => [name, readFileSync(join(recipes, name), 'utf8')] as const)

interface Parsed {
  readonly on: object
  readonly jobs: Readonly<Record<string, { readonly steps?: readonly { readonly with?: object }[] }>>
}

test.each([['README.md', readme], ...files])(
  'reads %s as YAML does, although it has expressions',
  async (name, text) => {
    const { on, jobs } = parse(text) as Parsed
    const workflow = await readWorkflow(name, text)
    expect(workflow.triggers.map(({ event }) => event)).toEqual(typeof on === 'string' ? [on] : Object.keys(on))
    const steps = Object.fromEntries(workflow.jobs.map((job) => [job.id, job.steps]))
    for (const [id, job] of Object.entries(jobs)) {
      const read = steps[id]?.map((step) => Object.entries(step.with).map(([input, { text }]) => [input, text]))
      const wanted = job.steps?.map((step) =>
        Object.entries(step.with ?? {}).map(([input, value]) => [input, String(value)]),
      )
      expect(read).toEqual(wanted ?? [])
    }
  },
)

test.each([
  "'[${{ github.sha }}]'",
  '"Update: ${{ github.sha }} # \'x\'\\tnow"',
  '"${{ github.sha }}"',
  "'${{ format(''{0}'', github.sha) }}'",
  '"\'${{ github.sha }}\' is new"',
  '${{ github.sha }} is [new]',
  '"One:\n            ${{ github.sha }}"',
  '|\n            a: ${{ github.sha }}',
  '>-\n            a:\n            ${{ github.sha }}',
])('reads the value %j as YAML does', async (value) => {
  const text = `on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: a/b@c\n        with:\n          x: ${value}\n`
  const { jobs } = parse(text) as { jobs: { a: { steps: [{ with: { x: string } }] } } }
  const workflow = await readWorkflow('w.yml', text)
  expect(workflow.jobs[0]?.steps[0]?.with['x']?.text).toBe(jobs.a.steps[0].with.x)
})

test('names every problem of a file that GitHub would refuse, with its line', async () => {
  const text = 'on: push\njobs:\n  a:\n    steps:\n      - uze: x\n'
  await expect(readWorkflow('w.yml', text)).rejects.toThrow(
    /GitHub's parser does not accept this workflow file\.\n.*Line: 5, Col: 9/s,
  )
})

const inJob = (lines: string): string =>
  `on: [push]\njobs:\n  b:\n    needs: a\n    runs-on: x\n    steps: [{ run: x }]\n  a:\n    runs-on: x\n    steps: [{ run: x }]\n${lines}`

test.each([
  ['  c: { needs: c, runs-on: x, steps: [{ run: x }] }', 'creates a cycle'],
  ['  c: { needs: gone, runs-on: x, steps: [{ run: x }] }', "depends on unknown job 'gone'"],
  ['  c: { runs-on: x, steps: [{ run: x, id: one }, { run: x, id: one }] }', "'one' may not be used more than once"],
])('refuses %s, as GitHub does: %s', async (line, problem) => {
  await expect(readWorkflow('w.yml', inJob(line))).rejects.toThrow(problem)
})

const inSteps = (steps: string): string => `on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n${steps}`

test.each([
  [
    'on: { push: { branches: [a], branches-ignore: [b] } }',
    'docs.yml (Line: 1): you may only define one of `branches` and `branches-ignore` for a single event',
  ],
  [
    'on: { push: { tags: [a], tags-ignore: [b] } }',
    'you may only define one of `tags` and `tags-ignore` for a single event',
  ],
  [
    'on: { pull_request: { paths: [a], paths-ignore: [b] } }',
    'you may only define one of `paths` and `paths-ignore` for a single event',
  ],
])("refuses %s in GitHub's words", async (on, sentence) => {
  const jobs = 'jobs: { a: { runs-on: x, steps: [{ run: x }] } }'
  await expect(readWorkflow('docs.yml', `${on}\n${jobs}`)).rejects.toThrow(sentence)
})

test.each([
  [
    inSteps('      - uses: actions/checkout'),
    "(Line: 6): Expected format {org}/{repo}[/path]@ref. Actual 'actions/checkout'",
  ],
  [inSteps('      - uses: checkout@v5'), "Expected format {org}/{repo}[/path]@ref. Actual 'checkout@v5'"],
  [
    'on: push\njobs:\n  a:\n    uses: o/r/.github/workflows/x.yml',
    '(Line: 4): invalid value workflow reference: no version specified',
  ],
])("refuses a reference without a version in GitHub's words: %#", async (text, sentence) => {
  await expect(readWorkflow('w.yml', text)).rejects.toThrow(sentence)
})

const JOBS = 'jobs: { a: { runs-on: x, steps: [{ run: x }] } }'

test.each([
  [`on: push\n${JOBS.replace('steps', 'if: !cancelled(), steps')}`, "Line: 2): Unexpected tag '!cancelled()'"],
  [`on:\n  push:\n    branches:\n      - !dev\n${JOBS}`, "Line: 4): Unexpected tag '!dev'. Put the value in quotes."],
  [`on:\n  push:\n    paths:\n      - **/*.ts\n${JOBS}`, "Line: 4): Unknown alias '**/*.ts'. Put the value in quotes."],
  [`on:\n  schedule:\n    - cron: * 3 * * *\n${JOBS}`, 'Alias cannot be an empty string at line 3, column 13'],
  [`name: x\ntrue: push\n${JOBS}`, "Line: 2): Unexpected value 'true'. Write `on`."],
])('refuses what YAML reads otherwise than it looks: %#', async (text, sentence) => {
  await expect(readWorkflow('w.yml', text)).rejects.toThrow(sentence)
})

test('accepts anchors and their aliases', async () => {
  const text = `on:\n  push: &filter { branches: [a] }\n  pull_request: *filter\n${JOBS}`
  expect((await readWorkflow('w.yml', text)).triggers.map(({ filters }) => filters['branches']?.patterns)).toEqual([
    ['a'],
    ['a'],
  ])
})

test('accepts references that need no version', async () => {
  const steps = '      - uses: ./\n      - uses: $/setup\n      - uses: docker://alpine\n      - uses: o/r/path@main'
  expect((await readWorkflow('w.yml', inSteps(steps))).jobs[0]?.steps).toHaveLength(4)
})

test('reads steps that GitHub runs at the same time, in the order of the file', async () => {
  const steps = `      - { id: a, run: a, background: true }
      - parallel: [{ run: b }, { uses: o/r@c }]
      - wait: [a]
      - wait-all:
      - cancel: a
      - run: d`
  const [job] = (await readWorkflow('w.yml', inSteps(steps))).jobs
  expect(job?.steps.map(({ title, isParallel }) => [title.text, isParallel])).toEqual([
    ...[
      ['a', true],
      ['b', true],
      ['o/r@c', true],
    ],
    ...[
      ['wait a', false],
      ['wait-all', false],
      ['cancel a', false],
      ['d', false],
    ],
  ])
})

test('an input without a type has a default of any kind, as a text', async () => {
  const on = 'on: { workflow_dispatch: { inputs: { flag: { default: false }, count: { default: 3 } } } }'
  const { inputs } = await readWorkflow('w.yml', `${on}\njobs: { a: { runs-on: x, steps: [{ run: x }] } }`)
  expect(createInputs(inputs, {})).toEqual({ flag: 'false', count: '3' })
})

test('refuses aliases of aliases that stand for more than memory holds', async () => {
  const levels = Array.from(
    { length: 9 },
    (_, level) => `    m${level + 1}: &m${level + 1} [${`*m${level}, `.repeat(9)}]\n`,
  )
  const text = `on: push\nenv:\n    m0: &m0 x\n${levels.join('')}`
  await expect(readWorkflow('w.yml', text)).rejects.toThrow('Excessive alias count')
})

test('puts each job after those that it needs', async () => {
  const { jobs } = await readWorkflow('w.yml', inJob(''))
  expect(jobs.map(({ id }) => id)).toEqual(['a', 'b'])
})

test('orders many jobs that need each other in linear time', async () => {
  const layers = Array.from({ length: 40 }, (_, index) =>
    ['a', 'b'].map(
      (name) =>
        `  ${name}${index}: { needs: [${index === 0 ? 'b' : `a${index - 1}, b${index - 1}`}], runs-on: x, steps: [{ run: x }] }\n`,
    ),
  )
  const { jobs } = await readWorkflow('w.yml', inJob(layers.flat().join('')))
  expect(jobs.map(({ id }) => id).slice(-2)).toEqual(['a39', 'b39'])
})

const EMPTY = { contexts: { github: { ref_name: 'main' } }, status: 'success' } as const

test.each([
  ['', [{}]],
  ['[1, false, null, "2"]', [{ x: 1 }, { x: false }, { x: null }, { x: '2' }]],
  [
    '[a]\n        y: [b, c]',
    [
      { x: 'a', y: 'b' },
      { x: 'a', y: 'c' },
    ],
  ],
  ['${{ fromJSON(\'["a", true]\') }}', [{ x: 'a' }, { x: true }]],
  ['["${{ github.ref_name }}", b]', [{ x: 'main' }, { x: 'b' }]],
  ['[a]\n        include: ${{ fromJSON(\'[{"x":"a","y":[1]}]\') }}', [{ x: 'a', y: [1] }]],
  ['[a, b]\n        exclude: ${{ fromJSON(\'[{"x":"b"}]\') }}', [{ x: 'a' }]],
  ['[a, b]\n        exclude: [{ x: a }]\n        include: [{ x: b, z: 1 }, { x: c }]', [{ x: 'b', z: 1 }, { x: 'c' }]],
])('a matrix of %s has the combinations %j', async (x, combinations) => {
  const matrix = x === '' ? '' : `    strategy:\n      matrix:\n        x: ${x}\n`
  const { jobs } = await readWorkflow('w.yml', inJob(matrix))
  const [job] = jobs
  expect(listCombinations(job?.matrix, EMPTY)).toEqual(combinations)
})

test.each([
  ['${{ vars.X }}', '`matrix` is "demo", and must be a list'],
  ['{ x: "${{ vars.X }}" }', '`x` is "demo", and must be a list'],
  ['{ x: "${{ fromJSON(\'[]\') }}" }', "Matrix vector 'x' does not contain any values"],
  ['{ include: "${{ vars.X }}" }', '`include` is "demo", and must be a list'],
  [`{ ${Array.from('abcdefghi', (axis) => `${axis}: [1, 2]`).join(', ')} }`, '512 combinations are more than 256'],
])('the matrix %s is refused: %s', async (text, reason) => {
  const { jobs } = await readWorkflow('w.yml', inJob(`    strategy:\n      matrix: ${text}\n`))
  const [job] = jobs
  expect(() => listCombinations(job?.matrix, { ...EMPTY, contexts: { vars: { X: 'demo' } } })).toThrow(
    `Line 11: ${reason}.`,
  )
})

test.each([
  ['permissions: {}', {}],
  ['permissions: read-all', expect.objectContaining({ issues: 'read' })],
  ['permissions: write-all', expect.objectContaining({ issues: 'write' })],
  ['permissions: { issues: write, packages: read, checks: none }', { issues: 'write' }],
  ['', { contents: 'read' }],
])('with %j, the token may %j', async (line, permissions) => {
  const { jobs } = await readWorkflow('w.yml', `${line}\n${inJob('')}`)
  const [job] = jobs
  expect(job && getPermissions(job)).toEqual(permissions)
})

test('the inputs of a manual run have their types, and what was not given has a value', () => {
  const input = { type: 'string', isRequired: false, default: undefined, options: [] }
  const defined = [
    { ...input, name: 'given' },
    { ...input, name: 'usual', default: 'x' },
    { ...input, name: 'needed', isRequired: true },
    { ...input, name: 'optional' },
    { ...input, name: 'flag', type: 'boolean', default: 'true' },
    { ...input, name: 'count', type: 'number' },
    { ...input, name: 'one', type: 'choice', options: ['a', 'b'] },
  ]
  expect(createInputs(defined, { given: 'y' })).toEqual({
    ...{ given: 'y', usual: 'x', needed: 'demo-needed', optional: '' },
    ...{ flag: true, count: 0, one: 'a' },
  })
  expect(() => createInputs(defined.slice(0, 2), { usuel: '' })).toThrow('has no input usuel. It has: given, usual.')
})

test.each([
  [{ type: 'choice', options: ['a', 'b'] }, 'c'],
  [{ type: 'boolean', options: [] }, 'yes'],
])("refuses a value that the input %j does not have, in GitHub's words", (kind, value) => {
  const input = { name: 'one', isRequired: false, default: undefined, ...kind }
  const sentence = `Provided value '${value}' for input 'one' not in the list of allowed values`
  expect(() => createInputs([input], { one: value })).toThrow(sentence)
  expect(() => createInputs([{ ...input, default: value }], {})).toThrow(sentence)
})

test.each([
  ['your-org/docs-agent-action@v1', 'agent'],
  ['me/docs-agent-action-fork@main', 'agent'],
  // GitHub ignores the case of names.
  ['Acme/Docs-Agent-Action@v1', 'agent'],
  ['your-org/docs-agent-action/visitors@v1', 'visitors'],
  ['./', 'agent'],
  ['./visitors', 'visitors'],
])('%s is the action %s of this project', (uses, action) => {
  const found = findOwnAction(uses, root, root)
  expect(found).toMatchObject({ inputs: expect.arrayContaining(['project-id']) as unknown })
  expect(found).toMatchObject({ folder: join(root, action === 'agent' ? '' : action) })
})

test.each([
  ['your-org/docs-agent-action/emulator@v1', expect.stringContaining('--scenario')],
  ['your-org/docs-agent-action/gone@v1', 'this copy of the project has no gone/action.yml'],
  ['actions/checkout@v5', undefined],
  ['./.github/actions/setup', undefined],
  ['docker://alpine', undefined],
  [`./../${basename(root)}`, undefined],
  [`your-org/docs-agent-action/../${basename(root)}@v1`, undefined],
])('%s is not run here: %s', (uses, reason) => {
  expect(findOwnAction(uses, root, root)).toEqual(reason)
})

test.each(['./', './visitors'])('%s of another repository is not an action of this project', (uses) => {
  expect(findOwnAction(uses, root, join(root, '..'))).toBeUndefined()
})

test.each([
  ['https://github.com/acme/web.git', 'acme/web'],
  ['git@github.com:acme/web.js', 'acme/web.js'],
  ['ssh://git@github.example.com:2222/acme/web/', 'acme/web'],
  ['', undefined],
])('a remote with the URL %j is of %s', (url, name) => {
  expect(parseRepositoryName(url)).toBe(name)
})

test.each<[runsOn: unknown, os: string, arch: string, environment?: string]>([
  ['ubuntu-latest', 'Linux', 'X64'],
  ['ubuntu-24.04-arm', 'Linux', 'ARM64'],
  ['windows-2025', 'Windows', 'X64'],
  ['macos-latest', 'macOS', 'ARM64'],
  ['macos-13', 'macOS', 'X64'],
  ['macos-15-intel', 'macOS', 'X64'],
  ['macos-15-large', 'macOS', 'X64'],
  ['macos-15-xlarge', 'macOS', 'ARM64'],
  [['self-hosted', 'macOS', 'X64'], 'macOS', 'X64', 'self-hosted'],
  [{ group: 'big', labels: ['windows', 'ARM64'] }, 'Windows', 'ARM64'],
  [{ group: 'big' }, 'Linux', 'X64'],
])('a job that runs on %j has the runner %s %s', (runsOn, os, arch, environment = 'github-hosted') => {
  expect(describeRunner(runsOn)).toEqual({ os, arch, environment })
})
