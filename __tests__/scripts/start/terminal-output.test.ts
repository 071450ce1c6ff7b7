import { expect, test } from '@jest/globals'
import { chooseCourse, type ChosenCourse, listScenarios } from '../../../scripts/start/courses.ts'
import { markdownToTerminal } from '../../../scripts/start/markdown-to-terminal.ts'
import { readOptions } from '../../../scripts/start/options.ts'
import { showLogLine, showResult } from '../../../scripts/start/report.ts'
import { RUNNER_SCENARIO_NAMES } from '../../../scripts/start/runner-scenarios.ts'
import { openSurroundings } from '../../../scripts/start/surroundings.ts'
import {
  alignColumns,
  choosePaint,
  cleanForTerminal,
  paintNothing,
  paintWithColours,
  visibleLength,
  wrapLines,
} from '../../../scripts/start/terminal.ts'
import { AGENT_FIELDS } from '../../../src/agent/inputs/agent-inputs.ts'
import { GITHUB_SCENARIO_NAMES } from '../../../src/emulator/github/github-scenarios.ts'
import { SCENARIO_NAMES } from '../../../src/emulator/service/scenarios.ts'

async function eventOf(scenario: string): Promise<{ eventName: string; event: unknown; defaults: object }> {
  const run = readOptions(['--scenario', scenario], {})
  if (run.kind !== 'run') throw new Error('It is not run.')
  const { runs, close } = await openSurroundings(run.service, {}, Date.UTC(2026, 0, 1))
  const { eventName = '', event } = runs[0]?.() ?? {}
  await close()
  return { eventName, event, defaults: run.defaults }
}

test.each([
  ['comment-of-maintainer', 'mona', 'User'],
  ['comment-of-stranger', 'dora', 'User'],
  ['comment-of-bot', 'link-checker[bot]', 'Bot'],
])('%s runs on the comment, which alone is the instruction', async (scenario, login, type) => {
  const { eventName, event, defaults } = await eventOf(scenario)
  const comment = { body: expect.stringMatching(/^\/docs /) as unknown, user: { login, type } }
  expect(eventName).toBe('issue_comment')
  expect(event).toMatchObject({ action: 'created', issue: { number: 1, state: 'open' }, comment })
  expect(defaults).toMatchObject({ command: '/docs', prompt: '' })
})

test('all others run on the push of the newest change', async () => {
  expect(await eventOf('open-pull-request')).toMatchObject({ eventName: 'push', event: { ref: 'refs/heads/main' } })
})

type Result = Parameters<typeof showResult>[0]

const result: Result = {
  exitCode: 0,
  signal: null,
  conclusion: 'success',
  log: [],
  rawOutput: '',
  rawFiles: { GITHUB_OUTPUT: '', GITHUB_ENV: '', GITHUB_PATH: '', GITHUB_STATE: '', GITHUB_STEP_SUMMARY: '' },
  outputs: {},
  summary: '',
  masks: [],
  annotations: [],
  commands: [],
  state: {},
  durationMs: 1234,
}

test('annotations are labelled and coloured', () => {
  expect(showLogLine({ kind: 'error', title: 'Bad key', text: 'one\ntwo' }, paintNothing)).toBe(
    'Error: Bad key: one\n       two\n',
  )
  expect(showLogLine({ kind: 'warning', text: 'x' }, paintWithColours)).toBe('\u001b[33mWarning: x\u001b[39m\n')
})

test('text is shown as it is, without what steers a terminal', () => {
  expect(showLogLine({ kind: 'text', text: 'a\u001b[2Jb' }, paintNothing)).toBe('ab\n')
})

test('outputs are a table, each on one line', () => {
  const text = showResult(
    { ...result, outputs: { status: 'completed', 'pr-link': '', long: `a\n${'b'.repeat(300)}` } },
    paintNothing,
  )

  expect(text).toContain(`status   completed\npr-link  (empty)\nlong     a↵${'b'.repeat(197)}…\n`)
})

test('the summary is rendered', () => {
  expect(showResult({ ...result, summary: '# Done\n<b>x</b>' }, paintNothing)).toContain('Done\n\nx\n')
})

test('the conclusion names the exit code or the signal', () => {
  expect(showResult(result, paintNothing)).toContain('✔ success, exit code 0, after 1 s')
  expect(showResult({ ...result, outputs: { outcome: 'submitted' } }, paintNothing)).toContain('✔ success: submitted,')
  expect(showResult({ ...result, exitCode: null, signal: 'SIGKILL', conclusion: 'cancelled' }, paintNothing)).toContain(
    '■ cancelled, SIGKILL',
  )
})

const ALL = [...SCENARIO_NAMES, ...GITHUB_SCENARIO_NAMES, 'mended', 'rolling', ...RUNNER_SCENARIO_NAMES]
const OF_VISITORS = ['moving-pages', 'stuck-pages', 'long-path', 'endless-pages', 'full-disk']

function choose(...names: string[]): ChosenCourse {
  const course = chooseCourse(names, 'visitors')
  if (typeof course === 'string') throw new Error(course)
  return course
}

test('the list has a line for each scenario, and begins with five', () => {
  const groups = listScenarios()
    .split('\n\n')
    .map((group) => group.match(/^ {2}[a-z-]+(?= {2,}[A-Z].*\.$)/gm)?.map((name) => name.trim()) ?? [])
  expect(groups.flat().sort()).toEqual(ALL.sort())
  expect(groups[0]).toHaveLength(5)
  expect(groups[1]).toEqual(OF_VISITORS)
})

test.each(OF_VISITORS)('%s is for the visitors only, and the error names the flag', (name) => {
  expect(choose(name)).toBeDefined()
  expect(chooseCourse([name], 'agent')).toContain(`npm start -- --action visitors --scenario ${name}`)
})

test('scenarios set inputs that the action has', () => {
  const known = Object.values(AGENT_FIELDS).map(({ name }) => name)
  const set = ALL.flatMap((name) => Object.keys(choose(name).inputs))
  expect(set.filter((name) => !known.includes(name))).toEqual([])
})

test('scenarios of each kind go together', () => {
  expect(choose('no-tls', 'draft', 'slow', 'conflict')).toMatchObject({
    scenario: 'slow',
    gitHubScenarios: ['draft', 'conflict'],
    runnerScenarios: ['no-tls'],
    inputs: { 'timeout-minutes': '2' },
  })
})

test('what is mended in rounds plays the checks that a follow-up mends, without a job to follow up on', () => {
  const { gitHubScenarios, inputs } = choose('mended')
  expect({ gitHubScenarios, inputs }).toMatchObject({
    gitHubScenarios: ['checks-mended'],
    inputs: { 'fix-rounds': '2' },
  })
  expect(inputs).not.toHaveProperty('job-id')
})

test.each([
  [['nice'], 'There is no scenario «nice». «npm start -- --list» lists all.'],
  [
    ['draft', 'check-fails'],
    'There is no scenario «check-fails». Did you mean checks-fail? «npm start -- --list» lists all.',
  ],
  [['toString'], 'There is no scenario «toString»'],
  [['slow', 'failed'], 'slow and failed are both scenarios of the service'],
])('%j is refused', (names, message) => {
  expect(chooseCourse(names)).toContain(message)
})

test('colours are for terminals, and not where NO_COLOR is set', () => {
  expect(choosePaint({ isTTY: true }, {})).toBe(paintWithColours)
  expect(choosePaint({ isTTY: true }, { NO_COLOR: '' })).toBe(paintWithColours)
  expect(choosePaint({ isTTY: true }, { NO_COLOR: '1' })).toBe(paintNothing)
  expect(choosePaint({}, {})).toBe(paintNothing)
})

test('a painted text is switched on and off again, an empty one stays empty', () => {
  expect(paintWithColours('red', 'x')).toBe('\u001b[31mx\u001b[39m')
  expect(paintWithColours('red', '')).toBe('')
})

test('nothing that steers a terminal or turns text around is left', () => {
  expect(cleanForTerminal('a\u001b[31mb\u0007c\u202ed\u009be\u2028f\ttab\nline')).toBe('abcd\nf tab\nline')
})

test('a lone return starts a new line instead of hiding the one before', () => {
  expect(cleanForTerminal('a\rb\r\nc')).toBe('a\nb\nc')
})

test('columns stand under one another, colours left aside', () => {
  const red = paintWithColours('red', 'ab')

  expect(visibleLength(red)).toBe(2)
  expect(
    alignColumns([
      [red, '1'],
      ['abcd', '😀', 'x'],
      ['', '', 'y'],
    ]),
  ).toEqual([`${red}    1`, 'abcd  😀  x', '         y'])
})

test('long lines break between words, and their rest stands under the text of the first line', () => {
  expect(wrapLines('one two three', 9)).toBe('one two\nthree')
  expect(wrapLines('• one two three', 9)).toBe('• one two\n  three')
  expect(wrapLines('[  4 min 2 s] It is done.', 22)).toBe('[  4 min 2 s] It is\n  done.')
  expect(wrapLines('name  one two', 12)).toBe('name  one\n      two')
  expect(wrapLines('a very long name  one two', 20)).toBe('a very long name\n  one two')
})

test('a bar that does not fit is left out', () => {
  expect(wrapLines('/guides  12  ████\n/  8  ██▋', 12)).toBe('/guides  12\n/  8  ██▋')
})

test('what fits is left as it is, and an address is never broken', () => {
  expect(wrapLines('one two  three', Infinity)).toBe('one two  three')
  expect(wrapLines(paintWithColours('bold', 'one two'), 7)).toBe(paintWithColours('bold', 'one two'))
  expect(wrapLines('See https://example.com/a/b/c now', 10)).toBe('See\nhttps://example.com/a/b/c\nnow')
})

const plain = (markdown: string): string => markdownToTerminal(markdown, paintNothing)

test('a comment in a cell does not show', () => {
  expect(plain('| a | b |\n| - | - |\n| 1 | 2 <!-- row=1 --> |')).toBe('a  b\n1  2')
})

test.each([
  ['# Title', 'Title'],
  ['### Title ###', 'Title'],
  ['- one\n  * two', '• one\n  • two'],
  ['a **b** and `**c**` and _d_', 'a b and **c** and d'],
  ['snake_case_name stays', 'snake_case_name stays'],
  ['[text](https://example.com/a)', 'text (https://example.com/a)'],
  ['[https://example.com/](https://example.com/)', 'https://example.com/'],
  ['<a href="https://example.com/?a=1&amp;b=2">text</a>', 'text (https://example.com/?a=1&b=2)'],
  ['<b>a</b> <code>b&#95;c &lt;d&gt;</code>', 'a b_c <d>'],
  ['one<br>two<br />three', 'one\ntwo\nthree'],
  ['\\*not strong\\*', '*not strong*'],
  ['<!-- hidden -->\n<div align="center">shown</div>', 'shown'],
  ['> [!WARNING]\n> Careful', '│ WARNING\n│ Careful'],
  ['a &amp; b &#x41; &unknown;', 'a & b A &unknown;'],
  ['1 < 2 and 3 > 2', '1 < 2 and 3 > 2'],
  ['a\n\n\n\n\nb\n', 'a\n\nb'],
  ['', ''],
])('%j is shown as %j', (markdown, text) => {
  expect(plain(markdown)).toBe(text)
})

test('a table of HTML becomes columns', () => {
  const table =
    '<table>\n<tr><td><b>Status</b></td><td><code>completed</code></td></tr>\n<tr><td>Id</td><td>x<br>y</td></tr>\n</table>'

  expect(plain(`before\n\n${table}\n\nafter`)).toBe('before\n\nStatus  completed\nId      x; y\n\nafter')
})

test('a table of Markdown becomes columns, without its dashes', () => {
  expect(plain('| Page | Views |\n| --- | ---: |\n| `/a` | 10 |\n| a \\| b | 2 |')).toBe(
    'Page   Views\n/a     10\na | b  2',
  )
})

test('a folded text is shown unfolded, its lines indented and its marks untouched', () => {
  expect(plain('<details><summary>Prompt</summary><pre>**one**&#10;&lt;b&gt;</pre></details>')).toBe(
    '▾ Prompt\n    **one**\n    <b>',
  )
})

test('a chart is not shown, as no terminal draws it', () => {
  expect(plain('before\n\n```mermaid\npie showData\n  "A" : 1\n```\n\nafter')).toBe('before\n\nafter')
})

test('a fenced text is shown as it stands', () => {
  expect(plain('```yaml\njob-id: `x`\n<b>&amp;\n```\nafter')).toBe('    job-id: `x`\n    <b>&amp;\n\nafter')
})

test('styles are drawn with colours', () => {
  expect(markdownToTerminal('## A\n\n**b** `c`', paintWithColours)).toBe(
    '\u001b[1mA\u001b[22m\n\n\u001b[1mb\u001b[22m \u001b[36mc\u001b[39m',
  )
})

test('an escape character cannot get through, not even as an entity', () => {
  expect(plain('a\u001b[31mb &#27;[31m &#x1b;[0m <code>&#27;</code> &#8238;x')).toBe('ab [31m [0m  x')
})

test('an impossible character number is left as it is', () => {
  expect(plain('&#9999999;')).toBe('&#9999999;')
})
