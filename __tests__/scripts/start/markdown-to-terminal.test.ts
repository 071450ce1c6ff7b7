import { expect, test } from '@jest/globals'
import { markdownToTerminal } from '../../../scripts/start/markdown-to-terminal.ts'
import { paintNothing, paintWithColours } from '../../../scripts/start/terminal.ts'

const plain = (markdown: string): string => markdownToTerminal(markdown, paintNothing)

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
    '<table>\n<tr><td><b>Status</b></td><td><code>completed</code></td></tr>\n<tr><td>Id</td><td>x</td></tr>\n</table>'

  expect(plain(`before\n\n${table}\n\nafter`)).toBe('before\n\nStatus  completed\nId      x\n\nafter')
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
