import { expect, test } from '@jest/globals'
import { readInput } from '../../../src/action/parse-inputs.ts'
import { changeRangeInput } from '../../../src/agent/inputs/change-range-input.ts'
import { FAIL_ON, failOnInput } from '../../../src/agent/inputs/fail-on.ts'
import { filterFiles, findOutOfScope } from '../../../src/agent/inputs/path-filter.ts'
import { parsePathPatterns } from '../../../src/agent/inputs/path-patterns.ts'
import { reviewersInput } from '../../../src/agent/inputs/reviewers-input.ts'
import { toTask, withContext } from '../../../src/agent/inputs/task.ts'
import { ActionError } from '../../../src/runtime/errors.ts'
import { fakeClock } from '../../support/fake-clock.ts'

const CREATE = toTask('Fix it.', '')
const FOLLOW_UP = toTask('Fix it.', 'job_1')
const ATTACH = toTask(undefined, 'job_1')

test('a prompt creates a job or follows up on one, and a job alone is waited for', () => {
  expect([CREATE, FOLLOW_UP, ATTACH]).toEqual([
    { kind: 'create', prompt: 'Fix it.' },
    { kind: 'follow-up', prompt: 'Fix it.', jobId: 'job_1' },
    { kind: 'attach', jobId: 'job_1' },
  ])
})

test('what goes along stands behind the prompt, and attaching sends nothing', () => {
  expect([CREATE, FOLLOW_UP, ATTACH].map((task) => withContext(task, ' And more.'))).toEqual([
    { ...CREATE, prompt: 'Fix it. And more.' },
    { ...FOLLOW_UP, prompt: 'Fix it. And more.' },
    ATTACH,
  ])
  const replaceable = { ...FOLLOW_UP, fallback: 'Begin.' } as const
  expect(withContext(replaceable, ' And more.')).toMatchObject({ fallback: 'Begin. And more.' })
})

const TOKEN = { 'github-token': 'ghs_token' }

test.each([
  ['', { hasAuthors: false, names: [] }],
  ['change-authors', { hasAuthors: true, names: [] }],
  [
    'mona\n\n  @acme/docs-team  \r\nchange-authors\n@mona_acme',
    { hasAuthors: true, names: ['mona', 'acme/docs-team', 'mona_acme'] },
  ],
])('reads %j', (text, value) => {
  expect(readInput(reviewersInput, text, TOKEN)).toEqual({ kind: 'value', value })
})

const rule = (line: number): string => `line ${line} must be \`change-authors\`, a login or \`org/team\``

test.each([
  ['mona, dora', [rule(1)]],
  ['mona\na/b/c\n../x', [rule(2), rule(3)]],
  ['https://github.com/mona', [rule(1)]],
  ['-mona', [rule(1)]],
  [
    Array.from({ length: 16 }, (_, index) => `u${index}`).join('\n'),
    ['has more than 15 names, which GitHub does not take'],
  ],
])('refuses %j', (text, problems) => {
  expect(readInput(reviewersInput, text, TOKEN)).toEqual({ kind: 'refused', problems })
})

test('without a token nobody could be asked, and nobody need be', () => {
  expect(readInput(reviewersInput, 'mona')).toMatchObject({ problems: ['needs `github-token`, to ask them'] })
  expect(readInput(reviewersInput, '')).toMatchObject({ kind: 'value' })
})

test.each<[string, object]>([
  ['', { kind: 'event' }],
  [' since-last-success ', { kind: 'since-last-success' }],
  ['v1.0.0...main', { kind: 'between', base: 'v1.0.0', head: 'main' }],
  ['release/1.x...0123abc', { kind: 'between', base: 'release/1.x', head: '0123abc' }],
  ['acme/code@v1...v2', { kind: 'between', repository: 'acme/code', base: 'v1', head: 'v2' }],
  ['cli@1.0.0...cli@1.1.0', { kind: 'between', base: 'cli@1.0.0', head: 'cli@1.1.0' }],
  ['acme/code@cli@1.0...cli@1.1', { kind: 'between', repository: 'acme/code', base: 'cli@1.0', head: 'cli@1.1' }],
])('%j is understood', (text, expected) => {
  expect(changeRangeInput(text, {})).toMatchObject(expected)
})

test.each([
  'main',
  'since-last-run',
  'a..b',
  'a...',
  '...b',
  'a...b...c',
  'a....b',
  'acme/code@',
  'acme/code@main',
  'a b...c',
  '-a...b',
  'a^...b',
  'a...b\nc',
  'fork:main...b',
  '/a...b',
  'acme/..@a...b',
])('%j is refused with one error', (text) => {
  const problems = [expect.stringContaining('`owner/name@BASE...HEAD`')]
  expect(readInput(changeRangeInput, text)).toEqual({ kind: 'refused', problems })
})

const WITH_BOTH = { 'wait-for-checks': ' True ', 'allowed-paths': 'docs/**' }

/** The words, or what is wrong with them. */
function read(text: string, raw: Readonly<Record<string, string>> = {}): unknown {
  const read = readInput(failOnInput, text, raw)
  return read.kind === 'value' ? [...read.value] : read.problems.join(' ')
}

test.each([
  ['none', []],
  ['failed', ['failed']],
  ['failed,archived , timeout\nno-changes', ['failed', 'archived', 'timeout', 'no-changes']],
  [FAIL_ON.join(', '), FAIL_ON],
])('reads %j', (text, expected) => {
  expect(read(text, WITH_BOTH)).toEqual(expected)
})

test.each([
  ['nothing else', {}, []],
  ['`wait-for-checks`', { 'wait-for-checks': 'true' }, ['checks']],
  ['`allowed-paths`', { 'allowed-paths': 'docs/**' }, ['out-of-scope']],
  ['both', WITH_BOTH, ['checks', 'out-of-scope']],
])('by default what was asked for counts: with %s', (_name, raw, asked) => {
  for (const text of ['', ' \n']) expect(read(text, raw)).toEqual(['failed', 'archived', 'timeout', ...asked])
})

test('what counts by default is a wrong input if it is written down and cannot be known', () => {
  expect(read('failed, archived, timeout, checks, out-of-scope')).toMatch(/`checks`.* `out-of-scope`/)
})

test.each([
  ['failed, unconfirmed', 'unconfirmed'],
  ['none, failed', 'none, failed'],
  [',', ','],
  [' , \n', ','],
  ['Failed', 'Failed'],
])('refuses %j, and repeats what is wrong', (text, wrong) => {
  expect(read(text)).toMatch(/^must be a list of `failed`, .*, or `none` alone, not `.*`$/)
  expect(read(text)).toContain(`not \`${wrong}\``)
})

test.each([
  ['checks', { ...WITH_BOTH, 'wait-for-checks': 'false' }, '`wait-for-checks: true`'],
  ['out-of-scope', { ...WITH_BOTH, 'allowed-paths': ' ' }, '`allowed-paths`'],
])('%s is known only with another input', (word, raw, needed) => {
  expect(read(word, WITH_BOTH)).toEqual([word])
  expect(read(word, raw)).toBe(`has \`${word}\`, which is known only with ${needed}`)
})

const at = (path: string, previousPath?: string) => ({ path, previousPath })
const AROUND = { clock: fakeClock(), signal: new AbortController().signal }
const { rules } = parsePathPatterns('docs/**')

test.each([
  ['paths', at('docs/a.md'), true],
  ['paths', at('src/a.ts'), false],
  ['paths-ignore', at('docs/a.md'), false],
  ['paths-ignore', at('src/a.ts'), true],
  // At both of its places.
  ['paths', at('src/a.md', 'docs/a.md'), true],
  ['paths-ignore', at('src/a.md', 'docs/a.md'), true],
] as const)('by `%s` %j counts: %s', async (kind, file, counts) => {
  expect(await filterFiles({ kind, rules }, [file], AROUND)).toEqual(counts ? [file] : [])
})

test('a file that was moved in from outside is out of scope, as is one that was moved out', async () => {
  const files = [at('docs/a.md', 'src/a.md'), at('other/b.md', 'docs/b.md'), at('docs/c.md')]
  expect(await findOutOfScope(rules, files, AROUND)).toEqual(['src/a.md', 'other/b.md'])
})

test.each([
  ['counted', filterFiles.bind(undefined, { kind: 'paths', rules: [] })],
  ['in scope', findOutOfScope.bind(undefined, [])],
])('while files are looked at, whether they are %s, it is heard that the run is cancelled', async (_name, look) => {
  const controller = new AbortController()
  const cancelled = new ActionError('cancelled', 'The run was cancelled.')
  let turns = 0
  const clock = fakeClock({
    onTurn: () => {
      if (++turns === 2) controller.abort(cancelled)
    },
  })
  const files = [at('docs/a.md'), at('docs/b.md'), at('docs/c.md')]
  await expect(look(files, { clock, signal: controller.signal })).rejects.toBe(cancelled)
  expect(turns).toBe(2)
})
