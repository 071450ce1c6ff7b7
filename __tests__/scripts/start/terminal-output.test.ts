import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { chooseScenarios, type ChosenScenarios, listScenarios } from '../../../scripts/start/scenarios.ts'
import { markdownToTerminal } from '../../../scripts/start/markdown-to-terminal.ts'
import { showLogLine, showResult, type Result } from '../../../scripts/start/report.ts'
import { RUNNER_SCENARIO_NAMES } from '../../../scripts/start/runner-scenarios.ts'
import { openEmbedded } from '../../../scripts/start/embedded.ts'
import {
  alignColumns,
  choosePaint,
  cleanForTerminal,
  paintNothing,
  paintWithColours,
  wrapLines,
} from '../../../scripts/start/terminal.ts'
import { AGENT_FIELDS } from '../../../src/agent/inputs.ts'
import { GITHUB_SCENARIO_NAMES } from '../../../src/emulator/github/github-scenarios.ts'
import { SCENARIO_NAMES } from '../../../src/emulator/service/scenarios.ts'
import { SEED } from '../../../testing/seed.ts'

const ALL = [...SCENARIO_NAMES, ...GITHUB_SCENARIO_NAMES, 'fixed', 'rolling', 'working', ...RUNNER_SCENARIO_NAMES]
const VISITORS_SCENARIOS = ['moving-pages', 'stuck-pages', 'long-path', 'endless-pages', 'short-history', 'full-disk']

const choose = (...names: string[]): ChosenScenarios => chooseScenarios(names, 'visitors')

test.each(['comment-by-maintainer', 'comment-by-outsider', 'comment-by-bot'])(
  '%s runs on the comment, which is the only instruction',
  (scenario) => {
    expect(choose(scenario).story).toEqual([
      { inputs: expect.objectContaining({ command: '/docs', prompt: '' }) as unknown },
    ])
  },
)

test('shows no pull request that was merged before the run', async () => {
  const chosen = { kind: 'embedded', speed: 1, ...choose('no-docs-label') } as const
  const { pullRequests, close } = await openEmbedded(chosen, Date.UTC(2026, 0, 1))
  await close()
  expect(chosen.inputs).toEqual({ 'skip-labels': 'no-docs' })
  expect(pullRequests()).toBe('')
})

const result: Result = { exitCode: 0, signal: null, conclusion: 'success', outputs: {}, summary: '', durationMs: 1234 }

test.each([
  [{ kind: 'error', title: 'Bad key', text: 'one\ntwo' }, paintNothing, 'Error: Bad key: one\n       two\n'],
  [{ kind: 'warning', text: 'x' }, paintWithColours, '\u001b[33mWarning: x\u001b[39m\n'],
  [{ kind: 'text', text: 'a\u001b[2Jb' }, paintNothing, 'ab\n'],
  [{ kind: 'endgroup', text: '' }, paintNothing, ''],
] as const)('the line %j of the log is labelled, coloured, and steers no terminal', (line, paint, shown) => {
  expect(showLogLine(line, paint)).toBe(shown)
})

test.each<[what: string, fields: Partial<Result>, shown: string]>([
  [
    'outputs as a table, each on one line',
    { outputs: { status: 'completed', 'pr-link': '', long: `a\n${'b'.repeat(300)}` } },
    `status   completed\npr-link  (empty)\nlong     a↵${'b'.repeat(197)}…\n`,
  ],
  [
    'JSON with blanks, where its lines can break',
    { outputs: { list: '[{"a":1,"b":2},{"a":3,"b":4}]' } },
    'list  [{"a":1, "b":2}, {"a":3, "b":4}]\n',
  ],
  ['the summary', { summary: '# Done\n<b>x</b>' }, 'Done\n\nx\n'],
  ['the exit code', {}, '✔ success, exit code 0, after 1 s'],
  [
    'the time of the step, without that of starting its process at ten times real time',
    { outputs: { result: '{"duration_seconds":2}' }, durationMs: 8_000 },
    '✔ success, exit code 0, after 2 s',
  ],
  ['the outcome', { outputs: { outcome: 'submitted' } }, '✔ success: submitted,'],
  ['the signal', { exitCode: null, signal: 'SIGKILL', conclusion: 'cancelled' }, '■ cancelled, SIGKILL'],
])('the result shows %s', (_what, fields, shown) => {
  expect(showResult({ ...result, ...fields }, paintNothing, true)).toContain(shown)
})

test('outputs and the summary are shown only on request', () => {
  const fields = { ...result, summary: '# Done', outputs: { outcome: 'submitted' } }
  const shown = showResult(fields, paintNothing, false, [['On the pull request', 'a comment']])
  expect(shown).toMatch(/^\n── On the pull request ─+\na comment\n\n── Conclusion ─+\n✔ success: submitted,.*\n$/)
})

test('the list has a line for each scenario, and starts with five', () => {
  const groups = listScenarios()
    .split('\n\n')
    .map((group) => group.match(/^ {2}[a-z-]+(?= {2,}[A-Z].*\.$)/gm)?.map((name) => name.trim()) ?? [])
  expect(groups.flat().sort()).toEqual(ALL.sort())
  expect(groups[0]).toHaveLength(5)
  expect(groups.filter((names) => names.length > 0).at(-1)).toEqual(VISITORS_SCENARIOS)
})

test.each(VISITORS_SCENARIOS)('%s needs --action visitors, and the error says so', (name) => {
  expect(choose(name)).toBeDefined()
  expect(() => chooseScenarios([name], 'agent')).toThrow(`npm start -- --action visitors --scenario ${name}`)
})

test('scenarios set inputs that the action has', () => {
  const known = Object.values(AGENT_FIELDS).map(({ name }) => name)
  const set = ALL.flatMap((name) => Object.keys(choose(name).inputs))
  expect(set.filter((name) => !known.includes(name))).toEqual([])
})

test('the scenario with fix rounds plays checks that a follow-up fixes, without a job to follow up on', () => {
  expect(choose('fixed')).toMatchObject({ gitHubScenarios: ['checks-fixed'] })
  expect(choose('fixed').inputs).toEqual({ 'fix-rounds': '2' })
})

test('uses colors only in terminals, and not with NO_COLOR', () => {
  expect(choosePaint({ isTTY: true }, {})).toBe(paintWithColours)
  expect(choosePaint({ isTTY: true }, { NO_COLOR: '' })).toBe(paintWithColours)
  expect(choosePaint({ isTTY: true }, { NO_COLOR: '1' })).toBe(paintNothing)
  expect(choosePaint({}, {})).toBe(paintNothing)
})

test('removes control characters, bidirectional overrides and carriage returns', () => {
  expect(cleanForTerminal('a\u001b[31mb\u0007c\u202ed\u009be\u2028f\ttab\nline')).toBe('abcd\nf tab\nline')
  expect(cleanForTerminal('a\rb\r\nc')).toBe('a\nb\nc')
})

test('aligns columns, ignoring colors', () => {
  const red = paintWithColours('red', 'ab')
  const rows = [
    [red, '1'],
    ['abcd', '😀', 'x'],
    ['', '', 'y'],
  ]
  expect(alignColumns(rows)).toEqual([`${red}    1`, 'abcd  😀  x', '         y'])
})

test('a cell that spans columns widens none of them', () => {
  const rows = [
    ['Period', 'People', 'All'],
    ['May', 'not available'],
    ['June', '1', '2'],
  ]
  expect(alignColumns(rows)).toEqual(['Period  People  All', 'May     not available', 'June    1       2'])
})

test.each([
  ['between words', 'one two three', 9, 'one two\nthree'],
  ['under the text of a list', '• one two three', 9, '• one two\n  three'],
  ['under the text of a log', '[  4 min 2 s] It is done.', 22, '[  4 min 2 s] It is\n  done.'],
  ['under the last column', 'name  one two', 12, 'name  one\n      two'],
  ['by two blanks, where a column is too wide', 'a very long name  one two', 20, 'a very long name\n  one two'],
  ['never in an address', 'See https://example.com/a/b/c now', 10, 'See\nhttps://example.com/a/b/c\nnow'],
  ['after an address that it does not fit', 'https://example.com/a/b/c', 10, 'https://example.com/a/b/c'],
  ['before an address that is in brackets', '• (https://example.com/a)', 10, '•\n(https://example.com/a)'],
  ['in a value that is longer than a line', 'a  {"b":"c d","e":1}', 12, 'a  {"b":"c\n   d","e":1}'],
  ['in a value without blanks', 'name  0123456789abcdef', 12, 'name  012345\n      6789ab\n      cdef'],
  ['in a column without blanks', '0123456789abcdef  1', 12, '0123456789ab\n  cdef  1'],
  ['not at all where it fits', 'one two  three', Infinity, 'one two  three'],
  ['not for its colours', paintWithColours('bold', 'one two'), 7, paintWithColours('bold', 'one two')],
])('a line breaks %s', (_how, text, columns, wrapped) => {
  expect(wrapLines(text, columns)).toBe(wrapped)
})

test('a terminal shows the whole text, and no line is longer than it is wide, except an address', () => {
  const words = fc.oneof(
    fc.constantFrom('  ', '• ', '[  4 s] ', 'https://example.com/a/b/c/d', '(http://127.0.0.1:1/)', '\n'),
    fc.string({ maxLength: 30, unit: fc.constantFrom('a', ',', '😀') }).map((text) => paintWithColours('bold', text)),
  )
  const escape = /\u001b\[\d+m/g
  fc.assert(
    fc.property(fc.array(words), fc.integer({ min: 8, max: 20 }), (parts, columns) => {
      const wrapped = wrapLines(parts.join(' '), columns)
      const tooLong = wrapped.split('\n').filter((line) => Array.from(line.replaceAll(escape, '')).length > columns)
      expect(tooLong.filter((line) => !/^\(?https?:\S+$/.test(line))).toEqual([])
      expect(wrapped.replaceAll(/\s/g, '')).toBe(parts.join(' ').replaceAll(/\s/g, ''))
    }),
    { seed: SEED },
  )
})

test.each([
  ['## Title', 'Title'],
  ['- one\n- two', '• one\n• two'],
  ['a **b** and `**c**` and _d_', 'a b and **c** and d'],
  ['snake_case_name stays', 'snake_case_name stays'],
  ['[text](https://example.com/a)', 'text (https://example.com/a)'],
  ['[https://example.com/](https://example.com/)', 'https://example.com/'],
  ['<a href="https://example.com/?a=1&amp;b=2">text</a>', 'text (https://example.com/?a=1&b=2)'],
  ['<b>a</b> <code>b&#95;c &lt;d&gt;</code>', 'a b_c <d>'],
  ['<!-- hidden -->\n<div align="center">shown</div>', 'shown'],
  ['a &amp; b &unknown; &#9999999;', 'a & b &unknown; &#9999999;'],
  ['1 < 2 and 3 > 2', '1 < 2 and 3 > 2'],
  ['a\n\n\n\n\nb\n', 'a\n\nb'],
  ['', ''],
  // An escape character cannot get through, not even as an entity.
  ['a\u001b[31mb &#27;[31m <code>&#27;</code> &#8238;x', 'ab [31m  x'],
  [
    'before\n\n<table>\n<tr><th>Status</th><td><code>completed</code></td></tr>\n<tr><td>Id</td><td>x&#10;y</td></tr>\n</table>\n\nafter',
    'before\n\nStatus  completed\nId      x; y\n\nafter',
  ],
  [
    '| By | Run |\n| - | - |\n| [push](https://a/1) | **[ok](https://a/2)** |\n| [push](https://a/1) | https |',
    'By        Run\npush [1]  ok [2]\npush [1]  https\n[1] https://a/1\n[2] https://a/2',
  ],
  ['| Page | Views |\n| --- | ---: |\n| `/a` | 10 <!-- row=1 --> |', 'Page  Views\n/a    10'],
  ['<details><summary>Prompt</summary><pre>**one**&#10;&lt;b&gt;</pre></details>', '▾ Prompt\n    **one**\n    <b>'],
  ['```yaml\njob-id: `x`\n<b>&amp;\n```\nafter', '    job-id: `x`\n    <b>&amp;\n\nafter'],
])('%j is shown as %j', (markdown, text) => {
  expect(markdownToTerminal(markdown, paintNothing)).toBe(text)
})

test('switches colors on and off again', () => {
  expect(markdownToTerminal('## A\n\n**b** `c` _d_', paintWithColours)).toBe(
    '\u001b[1mA\u001b[22m\n\n\u001b[1mb\u001b[22m \u001b[36mc\u001b[39m \u001b[2md\u001b[22m',
  )
  expect(paintWithColours('red', '')).toBe('')
})
