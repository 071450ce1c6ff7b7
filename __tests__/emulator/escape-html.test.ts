import { expect, test } from '@jest/globals'

import { escapeHtml } from '../../src/emulator/escape-html.ts'

test('escapes all that means something in HTML, once', () => {
  expect(escapeHtml(`<a href="x" title='y'>&amp;`)).toBe('&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;')
})

test('leaves other text alone', () => {
  expect(escapeHtml('a | b `c` 🙂\n')).toBe('a | b `c` 🙂\n')
})
