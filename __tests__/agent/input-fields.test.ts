import { expect, test } from '@jest/globals'
import type { Input, RawInputs } from '../../src/action/inputs.ts'
import { AGENT_FIELDS, failOnInput, toTask, appendContext } from '../../src/agent/inputs.ts'
import { changeRangeInput } from '../../src/agent/change/range.ts'
import { reviewersInput } from '../../src/agent/features/reviewers.ts'
import { FAIL_ON } from '../../src/agent/facts.ts'
import { filterFiles, findOutOfScope, parsePathRules } from '../../src/agent/path-filter.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { fakeClock } from '../../testing/fake-clock.ts'

test('appends the context to the prompt, and leaves a task that only attaches unchanged', () => {
  const tasks = [toTask('Fix it.', undefined), toTask('Fix it.', 'job_1'), toTask(undefined, 'job_1')]
  expect(tasks.map((task) => appendContext(task, ' And more.'))).toEqual([
    { kind: 'create', prompt: 'Fix it. And more.' },
    { kind: 'follow-up', prompt: 'Fix it. And more.', jobId: 'job_1' },
    { kind: 'attach', jobId: 'job_1' },
  ])
})

const TOKEN = { 'github-token': 'ghs_token' }
const BOTH = { 'wait-for-checks': ' True ', 'allowed-paths': 'docs/**' }
type Name = 'reviewers' | 'change-range' | 'fail-on' | 'wait'
const INPUTS: Readonly<Record<Name, Input<unknown>>> = {
  reviewers: reviewersInput,
  'change-range': changeRangeInput,
  'fail-on': failOnInput,
  wait: AGENT_FIELDS.wait.input,
}

const between = (base: string, head: string, repository?: string) => ({ kind: 'between', repository, base, head })
const pullRequest = (number: number, repository?: string) => ({ kind: 'pull-request', repository, number })
const always = ['failed', 'archived', 'timed-out'] as const

test.each<[name: Name, text: string, raw: RawInputs, value: unknown]>([
  ['reviewers', '', {}, { hasAuthors: false, hasApprovers: false, names: [] }],
  ['reviewers', 'change-authors', TOKEN, { hasAuthors: true, hasApprovers: false, names: [] }],
  [
    'reviewers',
    'copilot-pull-request-reviewer[bot]',
    TOKEN,
    { hasAuthors: false, hasApprovers: false, names: ['copilot-pull-request-reviewer[bot]'] },
  ],
  ['reviewers', 'change-reviewers', TOKEN, { hasAuthors: false, hasApprovers: true, names: [] }],
  [
    'reviewers',
    'mona,\n\n  @acme/docs  \r\n@a_b',
    TOKEN,
    { hasAuthors: false, hasApprovers: false, names: ['mona', 'acme/docs', 'a_b'] },
  ],
  [
    'reviewers',
    'mona, change-authors\nchange-reviewers',
    TOKEN,
    { hasAuthors: true, hasApprovers: true, names: ['mona'] },
  ],
  ['change-range', '', {}, { kind: 'event' }],
  ['change-range', ' since-last-success ', {}, { kind: 'since-last-success' }],
  ['change-range', 'pull/123', {}, pullRequest(123)],
  ['change-range', 'acme/.github/pull/7', {}, pullRequest(7, 'acme/.github')],
  ['change-range', 'v1.0.0...main', {}, between('v1.0.0', 'main')],
  ['change-range', 'release/1.x...0123abc', {}, between('release/1.x', '0123abc')],
  ['change-range', 'acme/code@v1...v2', {}, between('v1', 'v2', 'acme/code')],
  ['change-range', 'cli@1.0.0...cli@1.1.0', {}, between('cli@1.0.0', 'cli@1.1.0')],
  ['change-range', 'a/b@cli@1.0...cli@1.1', {}, between('cli@1.0', 'cli@1.1', 'a/b')],
  ['fail-on', 'none', BOTH, new Set()],
  ['fail-on', 'failed', BOTH, new Set(['failed'])],
  ['fail-on', 'failed,archived , timed-out\nno-changes', BOTH, new Set([...always, 'no-changes'])],
  ['fail-on', FAIL_ON.join(', '), BOTH, new Set(FAIL_ON)],
  // By default, every outcome that can occur counts.
  ['fail-on', '', {}, new Set(always)],
  ['fail-on', ' \n', { 'wait-for-checks': 'true' }, new Set([...always, 'checks'])],
  ['fail-on', '', { 'allowed-paths': 'docs/**' }, new Set([...always, 'out-of-scope'])],
  ['wait', 'false', { 'wait-for-checks': 'false', 'fix-rounds': '0', 'allowed-paths': ' ' }, false],
  ['wait', 'true', BOTH, true],
  ['fail-on', '', BOTH, new Set([...always, 'checks', 'out-of-scope'])],
])('`%s` reads %j with %j', (name, text, raw, value) => {
  expect(INPUTS[name](text.trim(), raw, '.')).toEqual(value)
})

const invalidLine = (line: number): string =>
  `line ${line} must be \`change-authors\`, \`change-reviewers\`, a login or \`org/team\``
const RANGE = expect.stringContaining('`owner/name@BASE...HEAD`')
const unknownWord = (wrong: string) =>
  expect.stringMatching(`^must be a list of \`failed\`, .*, or \`none\` alone, not \`${wrong}\`$`)
const notWaiting = (names: string): string =>
  `cannot be \`false\` together with ${names}: the step would end before there is anything to check`
const NO_CHECKS = 'has `checks`, which requires `wait-for-checks: true`'
const NO_PATHS = 'has `out-of-scope`, which requires `allowed-paths`'

test.each<[name: Name, text: string, raw: RawInputs, problems: unknown[]]>([
  ['reviewers', 'mona', {}, ['needs `github-token` to request reviews']],
  ['reviewers', 'mona, -x', TOKEN, [invalidLine(1)]],
  ['reviewers', 'mona\na/b/c\n../x', TOKEN, [invalidLine(2), invalidLine(3)]],
  ['reviewers', 'https://github.com/mona', TOKEN, [invalidLine(1)]],
  ['reviewers', '-mona', TOKEN, [invalidLine(1)]],
  ['reviewers', 'u\n'.repeat(16), TOKEN, ["has more than 15 names, which is GitHub's limit"]],
  ...[
    ...['main', 'since-last-run', 'a..b', 'a...b...c', 'a....b', 'acme/code@', 'acme/code@main'],
    ...['a b...c', '-a...b', 'a^...b', 'a...b\nc', 'fork:main...b', '/a...b', 'acme/..@a...b'],
    ...['#123', '123', 'pull/0', 'pull/x', 'pull/7/files', 'acme/pull/7', 'acme/../pull/7', 'a/b/c/pull/7'],
  ].map((text): [Name, string, RawInputs, unknown[]] => ['change-range', text, {}, [RANGE]]),
  ['wait', 'false', { 'wait-for-checks': 'true' }, [notWaiting('`wait-for-checks`')]],
  ['wait', 'false', { 'allowed-paths': 'docs/**', reviewers: 'mona' }, [notWaiting('`allowed-paths` and `reviewers`')]],
  [
    'wait',
    'false',
    { ...BOTH, 'fix-rounds': '1' },
    [notWaiting('`wait-for-checks`, `allowed-paths` and `fix-rounds`')],
  ],
  ['fail-on', 'failed, unconfirmed', {}, [unknownWord('unconfirmed')]],
  ['fail-on', 'timeout', {}, [unknownWord('timeout')]],
  ['fail-on', 'none, failed', {}, [unknownWord('none, failed')]],
  ['fail-on', ',', {}, [unknownWord(',')]],
  ['fail-on', ' , \n', {}, [unknownWord(',')]],
  ['fail-on', 'Failed', {}, [unknownWord('Failed')]],
  // A key is redacted before the text is split into words.
  ['fail-on', 'failed, key,with,commas', { 'api-key': 'key,with,commas' }, [unknownWord('\\*\\*\\*')]],
  // By default these words count only if their required inputs are set.
  ['fail-on', 'checks, out-of-scope', { ...BOTH, 'wait-for-checks': 'false' }, [NO_CHECKS]],
  ['fail-on', 'checks, out-of-scope', { 'allowed-paths': ' ' }, [NO_CHECKS, NO_PATHS]],
])('`%s` rejects %j with %j', (name, text, raw, problems) => {
  expect(() => INPUTS[name](text.trim(), raw, '.')).toThrow(expect.objectContaining({ problems }))
})

const at = (path: string, previousPath?: string) => ({ path, previousPath })
const STEP = { clock: fakeClock(), signal: new AbortController().signal }
const rules = parsePathRules('docs/**')

test.each([
  [at('docs/a.md'), true],
  [at('src/a.ts'), false],
  // A renamed file counts at both of its paths.
  [at('src/a.md', 'docs/a.md'), true],
] as const)('decides by the rules that %j counts: %s', async (file, counts) => {
  expect(await filterFiles(rules, [file], STEP)).toEqual(counts ? [file] : [])
})

test('reports files that were moved out of the allowed paths or into them', async () => {
  const files = [at('docs/a.md', 'src/a.md'), at('other/b.md', 'docs/b.md'), at('docs/c.md')]
  expect(await findOutOfScope(rules, files, STEP)).toEqual(['src/a.md', 'other/b.md'])
})

test.each([
  ['filterFiles', filterFiles.bind(undefined, [])],
  ['findOutOfScope', findOutOfScope.bind(undefined, [])],
])('notices a cancelled run between two files: %s', async (_name, look) => {
  const controller = new AbortController()
  const cancelled = new ActionError('cancelled', 'The run was cancelled.')
  let turns = 0
  const onYield = (): void => {
    if (++turns === 2) controller.abort(cancelled)
  }
  const clock = fakeClock({ onYield })
  const files = [at('docs/a.md'), at('docs/b.md'), at('docs/c.md')]
  await expect(look(files, { clock, signal: controller.signal })).rejects.toBe(cancelled)
  expect(turns).toBe(2)
})
