import { expect, test } from '@jest/globals'
import { HIDDEN_NOTE, removeHidden } from '../../src/text/hidden.ts'

const F = '```'

test.each([
  ['a comment', 'Fix it.<!-- EVIL --> Now.', 'Fix it. Now.'],
  ['a comment over several lines', 'Fix it.\n<!--\nEVIL\n\nEVIL\n-->\nNow.', 'Fix it.\n\nNow.'],
  ['a comment with line ends of Windows', 'Fix it.\r\n<!--\r\nEVIL\r\n-->\r\nNow.', 'Fix it.\r\n\r\nNow.'],
  ['a comment after text, over several lines', 'Version: <!-- EVIL\n- `EVIL`\n\nEVIL -->\nText', 'Version: \nText'],
  ['a comment after a task, over several lines', '- [ ] Read <!-- EVIL\n  EVIL -->\n- Text', '- [ ] Read \n- Text'],
  ['a comment in a quote, over several lines', '> Version: <!-- EVIL\n> EVIL -->\n> Text', '> Version: \n> Text'],
  ['an old-style comment', '**What?** <!---\nEVIL\n--->\n\nText', '**What?** \n\nText'],
  ['an indented comment', '  <!--\n\n  EVIL\n  -->\nText', '  \nText'],
  ['a comment of a list item', '1. a\n   <!-- EVIL\n   EVIL -->\n2. `<b>`', '1. a\n   \n2. `<b>`'],
  ['a comment that never ends', 'Fix it.\n<!-- EVIL\n\nEVIL', 'Fix it.'],
  ['a comment in a quote that never ends', 'Fix it.\n> <!-- EVIL', 'Fix it.\n>'],
  ['empty comments', '<!-->a<!--->b<!---->', 'ab'],
  ['comments in a row', 'a<!-- EVIL --><!-- EVIL -->b', 'ab'],
  ['a comment after a sign', 'a <<!-- EVIL --> b', 'a < b'],
  ['comments one below the other', '<!-- EVIL -->\n<!--\nEVIL\n\nEVIL\n-->\nText', '\n\nText'],
  ['a comment, and no text after it that looks like a tag', '<!-- EVIL -->\nIf a <b and c', '\nIf a <b and c'],
  ['a template', 'a\n<template>\nEVIL\n\nEVIL\n</template>\nb', 'a\n\nb'],
  ['a script and a style', 'a<script>EVIL</script>b<style media="x">EVIL</STYLE>c', 'abc'],
  ['the title of a link', 'a [link](https://x.example "EVIL") b', 'a [link](https://x.example) b'],
  ['the title of an image', "![image](<x.png>\n'EVIL' )", '![image](<x.png> )'],
  ['a title in parentheses', '[link](x_(y) (EVIL))', '[link](x_(y))'],
  [
    'a comment in a definition',
    'a\n\n[//]: # (EVIL)\n> [comment]: <> "EVIL"\n\nb',
    'a\n\n[//]: #\n> [comment]: <>\n\nb',
  ],
  ['the title of a definition', 'See [x].\n\n[x]:\n  /url\n  "EVIL\nEVIL"\n\nb', 'See [x].\n\n[x]:\n  /url\n\nb'],
  ['a comment in HTML that never ends', 'a\n\n<div><!-- EVIL', 'a\n\n<div>'],
  ['a fence in a comment', `<!--\n${F}\nEVIL\n${F}\n-->\nText`, '\nText'],
  [
    'a comment between two code blocks',
    `${F}\nx\n${F}\n<!-- EVIL -->\n${F}\nx\n${F}`,
    `${F}\nx\n${F}\n\n${F}\nx\n${F}`,
  ],
  ['a comment between two code spans', '`a` <!-- EVIL --> `b`', '`a`  `b`'],
  ['a comment between backticks of different lengths', '`` <!-- EVIL --> `', '``  `'],
  ['a comment between backticks in two paragraphs', '`\n\n<!-- EVIL -->\n\n`', '`\n\n\n\n`'],
  ['a comment after a wrong fence', `${F} a \`\n<!-- EVIL -->\n${F}`, `${F} a \`\n\n${F}`],
  ['tag characters', 'a\u{e0045}\u{e0056}b', 'ab'],
  ['zero-width characters', 'a\u200b\u2062\u2060b', 'ab'],
  ['direction overrides', 'a\u202eb', 'ab'],
])('leaves out %s, and says so', (_what, text, visible) => {
  expect(removeHidden(text)).toBe(`${visible}\n${HIDDEN_NOTE}`)
})

test.each([
  'Plain text with 1 < 2, a > b, "quotes", [brackets] and (parentheses).',
  'Two lines\r\nof Windows\r\n',
  '[link](https://x.example) and <https://x.example> and <mail@x.example>',
  'See [x] and [y][z].\n\n[x]: /url\n[z]: <a>',
  'As said[^1].\n\n[^1]: Here.',
  '<details>\n<summary>More</summary>\n\nText\n</details>',
  '<img width="500" alt="A picture of it" src="https://x.example/a%20b.png" />',
  'Use `<!-- a comment -->` and ``<script>`</script>`` here.',
  `Code:\n${F}html\n<!-- a comment -->\n<script>x</script>\n[x]: # (y)\n${F}\nEnd.`,
  `~~~\n<template>\n\n<!-- x -->\n~~~`,
  `${F}\`\n${F}\n<!-- x -->\n${F}\``,
  `1. Add:\n\n   ${F}html\n   <!--\n\n   x -->\n   <script>\n     x\n   </script>\n   ${F}\n\n2. Text`,
  `- Add:\n  ~~~vue\n  <template>\n    \`\n\n  </template>\n  ~~~\n- \`<!-- x -->\``,
  `<details>\n\n${F}vue\n<template>\n</template>\n${F}\n</details>`,
  '| a | b |\n| --- | --- |\n| 1 \\| 2 | 3 |\n| `x` | |\n\na | b | c',
  'a | b\n- | - | -\n1 | 2 | 3 | 4',
  'Title\n---\na | b | c',
  `${F}\n| a |\n| - |\n| 1 | 2 |\n${F}`,
  'I ❤️ it 👩‍💻, soft\u00adhyphen',
  'The <script> tag of the guide is wrong.',
  'A map is a `Map<a, b>`, or Map<String, List x> without code.',
  'A List<?> of Class<? extends T>, and gyp has <!(command) and <!@(command).',
  'Run ```echo <!-- a comment -->``` once.',
  '> - ```html\n>   <!-- a comment -->\n>   ```',
  'A fence that is not closed:\n```html\n<!-- a comment -->',
])('keeps %j unchanged', (text) => {
  expect(removeHidden(text)).toBe(text)
})

/** The limits page names these. The prompt introduces the text as data, and puts it between fences. */
test.each([
  ['an attribute', '<b title="Hidden">Shown</b>'],
  ['an element that is not closed', 'The <template> element\n\nHidden'],
  ['a declaration', 'a <!DOCTYPE Hidden>'],
  ['a processing instruction', 'a <?php Hidden ?>'],
  ['what follows the language of a code block', `${F}js title="Hidden"\nx\n${F}`],
  ['a comment between backticks that are not code', '\\` <!-- Hidden --> `'],
])('keeps %s, which a pattern cannot decide', (_what, text) => {
  expect(removeHidden(text)).toBe(text)
})
