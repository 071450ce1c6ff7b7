import { expect, test } from '@jest/globals'
import { marked } from 'marked'
import {
  escapeHtml,
  foldedText,
  formatSentences,
  inlineCode,
  joinBlocks,
  linked,
  escapeSentence,
  table,
} from '../../src/text/markdown.ts'

const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '</code></pre></td></details><script>alert(1)</script>',
  '<!-- ',
  '@octocat and #7',
  '[click](javascript:alert(1))',
  '![x](https://docs.example.com/pixel.png)',
  '`code` ``` ~~~',
  '*bold* _em_ ~~gone~~ | cell |',
  '# heading\n\n# heading\n\n- item',
  'a\n\n\n<b>live</b>\n\n```\n',
  '&lt;b&gt; &#60;b&#62; &amp;',
  '\\* \\<b>',
  '$x$ :tada:',
]

/** Lists the tags in HTML, without their attributes. */
const listTags = (html: string): string[] => Array.from(html.matchAll(/<\/?([a-z]\w*|!--)/gi), ([, tag = '']) => tag)

test('escapes the special characters of HTML', () => {
  expect(escapeHtml(`<a href="x" id='y'>&amp;</a>`)).toBe(
    '&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;',
  )
})

const decode = (html: string): string =>
  html.replace(/&(?:#(\d+)|(\w+));/g, (_all, code: string | undefined, name: string | undefined) =>
    code === undefined
      ? ({ amp: '&', lt: '<', gt: '>', quot: '"' }[name ?? ''] ?? '?')
      : String.fromCodePoint(Number(code)),
  )

test.each(HOSTILE)('inline code shows %j unchanged, with all punctuation escaped', (text) => {
  const html = marked.parse(inlineCode(text), { async: false })
  expect(new Set(listTags(html))).toEqual(new Set(['p', 'code']))
  expect(decode(html).trim()).toBe(`<p><code>${text.replaceAll('\n', ' ')}</code></p>`)
  const inner = inlineCode(text).replace(/^<code>|<\/code>$/g, '')
  expect(inner.replace(/&#\d+;/g, '')).not.toMatch(/[<>&@#`*_[\]()!|~$:\\]/)
})

test.each(HOSTILE)('a collapsed section shows %j unchanged, and no text ends its block', (text) => {
  const html = marked.parse(`${foldedText('Title', text, 1_000)}\n\nafter`, { async: false })

  expect(listTags(html)).toEqual(['details', 'summary', 'summary', 'pre', 'pre', 'details', 'p', 'p'])
  expect(decode(html)).toContain(`<pre>${text}</pre>`)
})

test('a collapsed section is one line, regardless of the line ends in its text', () => {
  expect(foldedText('a\u0000', 'a\r\n\r\nb\u2028c', 100)).not.toMatch(/[\r\n\u2028]/)
})

test('no text contains a workflow command that works in the middle of a line', () => {
  expect(inlineCode('##[error]x') + foldedText('x', '##[error]x', 100)).not.toContain('##[')
})

test('a summary is not larger than its limit, and ends before the first block that does not fit', () => {
  const note = '\n_The rest was left out: the summary would have been too long._\n'
  // The limit includes the note, and two line ends after each block.
  const maxBytes = 256 * 1024 - Buffer.byteLength(`first\n\n\n\nlast\n\n${note}`)
  const long = 'ü'.repeat(100) + 'x'.repeat(maxBytes - 200)
  expect(joinBlocks(['first', '', long, undefined, 'last'])).toBe(`first\n\n${long}\n\nlast\n`)
  expect(joinBlocks(['first', long, 'last!'])).toBe(`first\n\n${long}\n${note}`)
  expect(joinBlocks(['first', `${long} and more`, 'last'])).toBe(`first\n${note}`)
})

test('cuts a long text between characters, and states its length', () => {
  const shown = (text: string, maxBytes: number) => foldedText('A', text, maxBytes).replace(/^.*<pre>|<\/pre>.*$/g, '')
  expect([shown('aü', 3), shown('aüb', 2)]).toEqual(['aü', 'a&#10;… cut here, 4 bytes in all'])
})

test('a table contains the known facts, and without facts there is no table', () => {
  expect(table({ A: undefined, 'B<': 'b', C: '' })).toBe('<table>\n<tr><td><b>B&lt;</b></td><td>b</td></tr>\n</table>')
  expect(table({ A: '' })).toBe('')
})

test('sentences stay text, and what is between backticks becomes code', () => {
  expect(escapeSentence('The push to `a_b`, from `1f` to `2f`, follow-up 1 of 20 (“so” it’s job_1).')).toBe(
    'The push to <code>a&#95;b</code>, from <code>1f</code> to <code>2f</code>, follow-up 1 of 20 (“so” it’s job_1).',
  )
})

const UNQUOTED = [...HOSTILE, 'www.evil.example.com GH-12 (www.x) _a b_', 'a `b']

test.each(UNQUOTED)('no markup in %j takes effect in a sentence, even without backticks', (text) => {
  const html = marked.parse(`a ${escapeSentence(text)}`, { async: false })
  expect(listTags(html).filter((tag) => !['p', 'code'].includes(tag))).toEqual([])
  expect(html.replace(/<code>[^<]*<\/code>/g, '')).not.toMatch(/[@#$]|www|gh-|:tada/i)
})

test('escapes only the quotes of other servers in sentences', () => {
  expect(formatSentences('See `a_b` of #7: GitHub says “No _x_” job_1” (422). It’s “so”.')).toBe(
    'See `a_b` of #7: GitHub says “No <code>&#95;x&#95;</code>” job_1” (422). It’s “so”.',
  )
  expect(formatSentences('Set “on” to `“x_`.')).toBe('Set “on” to `“x_`.')
})

test.each(UNQUOTED)('no markup in %j takes effect in the quote of another server', (text) => {
  const html = marked.parse(formatSentences(`GitHub says “${text.replace(/[`<>[\]\\|*“”]/g, '')}” (422).`), {
    async: false,
  })
  expect(listTags(html).filter((tag) => !['p', 'code'].includes(tag))).toEqual([])
  expect(html.replace(/<code>[^<]*<\/code>/g, '')).not.toMatch(/[@#$]|www|gh-|:tada/i)
})

test.each(HOSTILE)('a link shows %j unchanged, and leads to its own host', (text) => {
  const html = marked.parse(linked({ text: `\`${text.replaceAll('`', "'")}\``, url: `https://example.com/${text}` }), {
    async: false,
  })
  expect(new Set(listTags(html))).toEqual(new Set(['p', 'a', 'code']))
  expect(Array.from(html.matchAll(/href="([^"]*)"/g), ([, href = '']) => new URL(href).host)).toEqual(['example.com'])
})

test.each([
  'javascript:alert(1)',
  'https://user:key@example.com/',
  'https://',
  'data:text/html,x',
  '//example.com/',
  'x',
])('does not link %s', (url) => {
  expect(linked({ text: 'here', url })).toBe('here')
})
