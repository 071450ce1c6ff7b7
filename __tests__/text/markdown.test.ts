import { expect, test } from '@jest/globals'
import { marked } from 'marked'
import {
  escapeHtml,
  foldedText,
  heading,
  inlineCode,
  joinBlocks,
  linked,
  prose,
  shorten,
  table,
} from '../../src/text/markdown.ts'

/** What people try. */
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

/** The tags of a rendered text, without their attributes. */
const tagsOf = (html: string): string[] => Array.from(html.matchAll(/<\/?([a-z]\w*|!--)/gi), ([, tag = '']) => tag)

test('every character that means something in HTML is escaped', () => {
  expect(escapeHtml(`<a href="x" id='y'>&amp;</a>`)).toBe(
    '&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;',
  )
})

const decoded = (html: string): string =>
  html.replace(/&(?:#(\d+)|(\w+));/g, (_all, code: string | undefined, name: string | undefined) =>
    code === undefined
      ? ({ amp: '&', lt: '<', gt: '>', quot: '"' }[name ?? ''] ?? '?')
      : String.fromCodePoint(Number(code)),
  )

test.each(HOSTILE)('inline code shows %j as it is, and nothing of it comes alive', (text) => {
  const html = marked.parse(inlineCode(text), { async: false })

  expect(new Set(tagsOf(html))).toEqual(new Set(['p', 'code']))
  expect(decoded(html).trim()).toBe(`<p><code>${text.replaceAll('\n', ' ')}</code></p>`)
})

test.each(HOSTILE)('inline code leaves %j no mark that Markdown, HTML or a mention begins with', (text) => {
  const inner = inlineCode(text).replace(/^<code>|<\/code>$/g, '')

  expect(inner.replace(/&#\d+;/g, '')).not.toMatch(/[<>&@#`*_[\]()!|~$:\\]/)
})

test.each(HOSTILE)('a folded text shows %j as it is, and nothing ends its block', (text) => {
  const html = marked.parse(`${foldedText('Title', text)}\n\nafter`, { async: false })

  expect(tagsOf(html)).toEqual(['details', 'summary', 'summary', 'pre', 'pre', 'details', 'p', 'p'])
  expect(decoded(html)).toContain(`<pre>${text}</pre>`)
})

test('a folded text is one line of source, whatever line ends it has', () => {
  expect(foldedText('a\u0000', 'a\r\n\r\nb\u2028c')).not.toMatch(/[\r\n\u2028]/)
})

test('no text holds a workflow command of the kind that counts anywhere in a line', () => {
  expect(inlineCode('##[error]x') + foldedText('x', '##[error]x')).not.toContain('##[')
})

test('a table has the names escaped and the cells as they are', () => {
  expect(table([{ name: 'A & B', html: '<code>x</code>' }])).toBe(
    '<table>\n<tr><td><b>A &amp; B</b></td><td><code>x</code></td></tr>\n</table>',
  )
})

test('blocks that fit are joined by blank lines', () => {
  expect(joinBlocks(['a', 'b'], 1_000)).toBe('a\n\nb\n')
})

test.each([100, 200, 1_000])('a document never has more than %i bytes, and says what was left out', (maxBytes) => {
  const text = joinBlocks(
    Array.from({ length: 100 }, () => 'ü'.repeat(20)),
    maxBytes,
  )

  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes)
  expect(text).toContain('was left out')
  expect(text).not.toContain('\ufffd')
})

test('a block is kept or left out whole, and nothing comes after the first that is left out', () => {
  const text = joinBlocks(['first', 'x'.repeat(500), 'last'], 300)

  expect(text).toMatch(/^first\n\n_The rest was left out/)
  expect(text).not.toMatch(/xx|last/)
})

test('a long text is shortened between characters, and says how long it was', () => {
  expect(shorten('aü', 3)).toBe('aü')
  expect(shorten('aüb', 2)).toBe('a\n… cut here, 4 bytes in all')
})

test('sentences are sentences, and what stands between back-ticks is code', () => {
  expect(prose('The push to `a_b`, from `1f` to `2f`, follow-up 1 of 20 (“so” it’s job_1).')).toBe(
    'The push to <code>a&#95;b</code>, from <code>1f</code> to <code>2f</code>, follow-up 1 of 20 (“so” it’s job_1).',
  )
})

test.each([...HOSTILE, 'www.evil.example.com GH-12 (www.x) _a b_', 'a `b'])(
  'of %j in a sentence nothing comes alive, although nobody put it between back-ticks',
  (text) => {
    const html = marked.parse(`a ${prose(text)}`, { async: false })
    expect(tagsOf(html).filter((tag) => !['p', 'code'].includes(tag))).toEqual([])
    expect(html.replace(/<code>[^<]*<\/code>/g, '')).not.toMatch(/[@#$]|www|gh-|:tada/i)
  },
)

test('a heading names the place of what it is about, as far as it is known', () => {
  expect(heading('✅', ['Docs agent', undefined, 'follow-up'], 'Done')).toBe('## ✅ Docs agent · follow-up: Done')
})

test.each(HOSTILE)('a link shows %j as it is, and leads nowhere else', (text) => {
  const html = marked.parse(linked({ text: `\`${text.replaceAll('`', "'")}\``, url: `https://example.com/${text}` }), {
    async: false,
  })
  expect(new Set(tagsOf(html))).toEqual(new Set(['p', 'a', 'code']))
  expect(Array.from(html.matchAll(/href="([^"]*)"/g), ([, href = '']) => new URL(href).host)).toEqual(['example.com'])
})

test.each([
  'javascript:alert(1)',
  'https://user:key@example.com/',
  'https://',
  'data:text/html,x',
  '//example.com/',
  'x',
])('what is no address of a page is not linked: %s', (url) => {
  expect(linked({ text: 'here', url })).toBe('here')
})
