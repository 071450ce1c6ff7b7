import { expect, test } from '@jest/globals'
import { planFleet, type FleetPlan } from '../../src/fleet/check.ts'
import { ActionError } from '../../src/runtime/errors.ts'

type Given = Readonly<Record<string, string>>

const toText = (projects: unknown): string => (typeof projects === 'string' ? projects : JSON.stringify(projects))

/** The inputs as fleet.yml passes them if nothing else is set. */
const DEFAULTS: Given = { name: 'fleet', label: 'docs-agent', repository: 'acme/fleet' }

const plan = (projects: unknown, given: Given = {}): FleetPlan =>
  planFleet({ ...DEFAULTS, projects: toText(projects), ...given }, 1_000_000_000_000)

/** Returns the message of the error that refuses the inputs. */
function refuse(projects: unknown, given: Given = {}): string {
  try {
    plan(projects, given)
  } catch (error) {
    if (error instanceof ActionError && error.code === 'invalid-input') return error.message
    throw error
  }
  throw new Error('The inputs were accepted.')
}

const APP = { 'app-client-id': '1', 'has-app-key': 'true' }
const ROLLING = { ...APP, 'on-open-pr': 'follow-up' }

test('an invalid input is corrected where fleet.yml is called', () => {
  expect(() => plan('docs-a')).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('the job that calls `fleet.yml`') }),
  )
})

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
  expect(plan(projects, { ...APP, label: 'docs-fleet', 'allowed-paths': 'docs/**' })).toEqual({
    rows: [
      { project: 'docs-a', label: 'docs-fleet', 'allowed-paths': 'docs/**', owner: 'acme', repository: 'fleet' },
      {
        ...(projects[1] as object),
        'allowed-paths': 'docs/**\n!docs/legal/**',
        owner: 'other',
        repository: 'b.github.io',
      },
    ],
    warning: undefined,
  })
})

test('refuses more projects than a matrix can have jobs, before any of them starts', () => {
  const names = Array.from({ length: 257 }, (_, index) => `docs-${index}`)
  expect(refuse(names)).toContain('not 257; call the workflow again for the others')
  expect(plan(names.slice(1)).rows).toHaveLength(256)
  expect(refuse([])).toContain('not 0')
})

test('one error names all invalid inputs, and all problems of `projects`', () => {
  const problems = refuse(
    ['a', 'a', 'no/name', 7, null, { project: 'b', fail: 'x', label: 7, prompt: ' ', 'pr-repository': 'acme' }],
    {
      'max-parallel': '0',
      'spread-minutes': 'x',
      'fix-rounds': '6',
      'on-open-pr': 'old',
      name: 'a-b',
      'app-client-id': '1',
    },
  )
  expect(problems.split('\n')).toEqual([
    '7 inputs are invalid:',
    '- `projects` has 3 items without a valid identifier of 1 to 128 letters, digits, `_` or `-`.',
    '- `projects` names `a` more than once.',
    '- `projects` has `b`, whose `fail` cannot be overridden.',
    '- `projects` has `b`, whose `label` must be a string.',
    '- `projects` has `b`, whose `prompt` must not be blank.',
    '- `projects` has `b`, whose `pr-repository` must be a repository such as `owner/name`.',
    '- `projects` has `a`, `a`, `b` with one `label` in `acme/fleet`, which would share one open pull request; give each project its own `label`.',
    '- `name` must be 1 to 50 letters, digits or `_`.',
    '- `on-open-pr` must be `new`, `follow-up` or `skip`, not `old`.',
    '- `fix-rounds` must be a whole number of rounds from 0 to 5, not `6`.',
    '- `app-client-id` needs the secret `app-private-key`.',
    '- `max-parallel` must be a whole number from 1 to 256, not `0`.',
    '- `spread-minutes` must be a number of minutes, not `x`.',
  ])
})

test('the time limits of a project fit into its job', () => {
  expect(refuse(['a'], { 'spread-minutes': '300', 'timeout-minutes': '41' })).toContain('at most 340 together')
  expect(plan(['a'], { 'spread-minutes': '300', 'timeout-minutes': '40' }).rows).toHaveLength(1)
  expect(refuse(['a'], { 'timeout-minutes': '0' })).toContain('`timeout-minutes` must be a number of minutes')
  expect(refuse(['a'], { 'fix-rounds': '1' })).toBe('`fix-rounds` needs `wait-for-checks: true`.')
})

test.each(['', 'docs-a', '{"project": "docs-a"}', '["docs-a"'])('refuses %j, which is no JSON array', (projects) => {
  expect(refuse(projects)).toContain('`projects` must be a JSON array')
})

test.each(['../acme', 'acme/..', './docs', 'acme/.', 'acme', 'acme/docs/x', ''])(
  'refuses the `pr-repository` %j, whose parts become parts of URLs',
  (repository) => {
    expect(refuse([{ project: 'a', 'pr-repository': repository }], APP)).toContain('must be a repository')
  },
)

test('an override cannot add a line to the error', () => {
  const problems = refuse([{ project: 'a', 'x\n::set-output name=y::z`': '' }])
  expect(problems).not.toContain('\n')
  expect(problems).toContain("::set-output name=y::z'`")
})

test.each([
  ['in the repository of the run', ['a', 'b']],
  ['in one repository', ['a', 'b'].map((project) => ({ project, 'pr-repository': 'acme/docs' }))],
  ['in the repository of the run, which one of them names', ['a', { project: 'b', 'pr-repository': 'Acme/Fleet' }]],
  ['under labels that differ in case only', ['a', { project: 'b', label: 'Docs-Agent' }]],
])('two projects cannot share an open pull request %s, unless each run opens a new one', (_case, projects) => {
  for (const choice of ['follow-up', 'skip'])
    expect(refuse(projects, { ...APP, 'on-open-pr': choice })).toMatch(/has `a`, `b` with one `label` in `acme\/\w+`/)
  expect(plan(projects, APP).rows).toHaveLength(2)
})

test('projects with their own labels or repositories keep one pull request open each', () => {
  expect(plan(['a', { project: 'b', label: 'docs-b' }], ROLLING).rows).toHaveLength(2)
  expect(plan(['a', { project: 'b', 'pr-repository': 'acme/docs' }], ROLLING).rows).toHaveLength(2)
})

const NEEDS_GITHUB: readonly [name: string, given: Given, overrides?: object][] = [
  ['on-open-pr', { 'on-open-pr': 'follow-up' }],
  ['on-open-pr', { 'on-open-pr': 'skip' }],
  ['label', { label: 'docs' }],
  ['label', {}, { label: 'docs' }],
  ['pr-repository', {}, { 'pr-repository': 'acme/docs' }],
  ['allowed-paths', { 'allowed-paths': 'docs/**' }],
  ['allowed-paths', {}, { 'allowed-paths': ['docs/**'] }],
  ['reviewers', { reviewers: 'mona' }],
  ['wait-for-checks', { 'wait-for-checks': 'true', 'fix-rounds': '2' }],
]

test.each(NEEDS_GITHUB)('`%s` needs a token: %j %j', (name, given, overrides = {}) => {
  const projects = [{ project: 'docs-a', ...overrides }]
  expect(refuse(projects, given)).toContain(`but \`${name}\` need a token for the projects' repositories`)
  expect(refuse(projects, { ...given, 'app-client-id': '1' })).toContain('needs the secret `app-private-key`')
  expect(plan(projects, { ...given, ...APP }).rows).toHaveLength(1)
  expect(plan(projects, { ...given, 'has-token': 'true' }).rows).toHaveLength(1)
})

test('the projects start evenly spread over the given minutes', () => {
  const { rows } = plan(['a', 'b', 'c', 'd'], { 'spread-minutes': '2' })
  expect(rows.map(({ start }) => start)).toEqual([0, 30, 60, 90].map((seconds) => 1_000_000_000 + seconds))
  expect(plan(['a']).rows).toEqual([{ project: 'a', label: 'docs-agent', owner: 'acme', repository: 'fleet' }])
})

test('warns if a step can outlive the token of its app', () => {
  expect(plan(['a'], { ...APP, 'timeout-minutes': '56' }).warning).toContain('Set `timeout-minutes` to 55 or less')
  expect(plan(['a'], { ...APP, 'timeout-minutes': '55' }).warning).toBeUndefined()
  expect(plan(['a'], { 'timeout-minutes': '56' }).warning).toBeUndefined()
})
