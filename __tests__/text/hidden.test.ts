import { expect, test } from '@jest/globals'
import { HIDDEN_NOTE, removeHidden } from '../../src/text/hidden.ts'

const F = '```'

test.each([
  ['a comment', 'Fix it.<!-- EVIL --> Now.', 'Fix it. Now.'],
  ['a comment over several lines', 'Fix it.\n<!--\nEVIL\n\nEVIL\n-->\nNow.', 'Fix it.\n\nNow.'],
  ['a comment with line ends of Windows', 'Fix it.\r\n<!--\r\nEVIL\r\n-->\r\nNow.', 'Fix it.\n\nNow.'],
  ['a comment that never ends', 'Fix it.\n<!-- EVIL\n\nEVIL', 'Fix it.'],
  ['a comment in a quote that never ends', 'Fix it.\n> <!-- EVIL', 'Fix it.\n>'],
  ['empty comments', '<!-->a<!--->b<!---->', 'ab'],
  ['comments in a row', 'a<!-- EVIL --><!-- EVIL -->b', 'ab'],
  ['a comment after a sign', 'a <<!-- EVIL --> b', 'a < b'],
  ['comments one below the other', '<!-- EVIL -->\n<!--\nEVIL\n\nEVIL\n-->\nText', '\n\nText'],
  ['a comment, and no text after it that looks like a tag', '<!-- EVIL -->\nIf a <b and c', '\nIf a <b and c'],
  ['declarations', 'a<?php EVIL ?>b<!DOCTYPE EVIL>c<![CDATA[EVIL]]>d', 'abcd'],
  ['a template', 'a\n<template>\nEVIL\n\nEVIL\n</template>\nb', 'a\n\nb'],
  ['a template that never ends', 'a\n<TEMPLATE x="1">\nEVIL', 'a'],
  ['a script and a style', 'a<script>EVIL</script>b<style media="x">EVIL</STYLE>c', 'abc'],
  ['the title of a link', 'a [link](https://x.example "EVIL") b', 'a [link](https://x.example) b'],
  ['the title of an image', "![image](<x.png>\n'EVIL' )", '![image](<x.png> )'],
  ['a title in parentheses', '[link](x_(y) (EVIL))', '[link](x_(y))'],
  ['an unused reference', 'a\n\n[//]: # (EVIL)\n[comment]: <> "EVIL"\n\nb', 'a\n\n\n\n\nb'],
  ['an unused reference over several lines', 'a\n\n[x]:\n  /url\n  "EVIL\nEVIL"\n\nb', 'a\n\n\n\nb'],
  ['an unused reference in a quote', 'a\n\n> [x]: EVIL\n\nb', 'a\n\n\n\nb'],
  ['the title of a used reference', 'See [x].\n\n[X]: /url "EVIL"', 'See [x].\n\n[X]: /url'],
  ['a comment in HTML that never ends', 'a\n\n<div><!-- EVIL', 'a\n\n<div>'],
  ['PHP that never ends', 'a\n\n<?php EVIL\n\nEVIL', 'a'],
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
  `<details>\n\n${F}vue\n<template>\n</template>\n${F}\n</details>`,
  '| a | b |\n| --- | --- |\n| 1 \\| 2 | 3 |\n| `x` | |\n\na | b | c',
  'a | b\n- | - | -\n1 | 2 | 3 | 4',
  'Title\n---\na | b | c',
  `${F}\n| a |\n| - |\n| 1 | 2 |\n${F}`,
  'I ❤️ it 👩‍💻, soft\u00adhyphen',
  'The <script> tag of the guide is wrong.',
  'A map is a `Map<a, b>`, or Map<String, List x> without code.',
  'A List<?> of Class<? extends T>, and gyp has <!(command) and <!@(command).',
  '<b title="not seen" data-x=\'not seen\'>What attributes contain is kept</b>',
  `${F}js title="what follows the language"\nx\n${F}`,
])('keeps %j unchanged', (text) => {
  expect(removeHidden(text)).toBe(text)
})

/** What looks like code to a simple reader, but is none on GitHub. */
test.each([
  ['a fence in HTML', `<div>\n${F}\n<!-- EVIL -->\n${F}\n</div>`],
  ['a fence in a comment', `<!--\n\n${F}\n-->\n${F}\nx\n${F}\n<!-- EVIL -->\n`],
  ['the end of a comment in a fence in a comment', `<!--\n${F}\n--> x -->\n${F}\nx\n${F}\n<!-- EVIL -->`],
  ['a fence in a comment in a line', `a <!--\n${F}\n-->\n${F}\n<!-- EVIL -->\n${F}`],
  ['a fence after a declaration', `<?php a > b\n\n${F}\n?>\n${F}\nx\n${F}\n<!-- EVIL -->`],
  ['a fence with the end of a declaration', `<?\n\n${F}\n?>\n${F}\n?>\n${F}\n<!-- EVIL -->\n${F}`],
  ['a fence in <pre>', `<pre>\n\n${F}\n</pre>\n<!-- EVIL -->\n${F}`],
  ['a span in <pre>', '<pre>\n\n`<!-- EVIL -->`\n</pre>'],
  ['a span in HTML', '<div>\n`<!-- EVIL -->`\n</div>'],
  ['a fence of a list item', `- a\n  ${F}\n<!-- EVIL -->\n  ${F}`],
  ['an indented fence', `    ${F}\n<!-- EVIL -->\n    ${F}`],
  ['a fence that begins with blanks', ` ${F}\nx\n${F}\n<!-- EVIL -->\n${F}`],
  ['a fence of a quote', `> ${F}\n<!-- EVIL -->\n> ${F}`],
  ['a fence of tildes that backticks do not end', `~~~\n${F}\n~~~\n<!-- EVIL -->\n${F}`],
  ['a backtick fence with a backtick in its line', `${F} a \`\n<!-- EVIL -->\n${F}`],
  ['a span over two lines', '`a\nb` <!-- EVIL --> `c'],
  ['an escaped backtick', '\\` <!-- EVIL --> `'],
  ['a backtick in an attribute', '<a href="`"> <!-- EVIL --> `'],
  ['a backtick in an autolink', '<https://x.example/`> <!-- EVIL --> `'],
  ['a backtick in a bare address', 'https://x.example/` <!-- EVIL --> `'],
  ['a backtick in the title of a link', '[a](/b "`") <!-- EVIL --> `'],
  ['a backtick in the title of a link, on its own line', '[a](/b\n"`") <!-- EVIL --> `'],
  ['a backtick in the address of a link', '[a](/b`) <!-- EVIL --> `'],
  ['an address with a backtick after it, in code', '`https://x.example/` <!-- EVIL --> `'],
  ['a backslash in code', '`a\\` <!-- EVIL --> `'],
  ['backticks in two cells', '| a | b |\n| - | - |\n| ` | <!-- EVIL --> ` |'],
  ['backticks of different lengths', '`` <!-- EVIL --> `'],
  ['a span across a paragraph', '`\n\n<!-- EVIL -->\n\n`'],
  ['two spans in a line', '`a` <!-- EVIL --> `b`'],
  ['a span in a heading', '# `\n<!-- EVIL -->\n`'],
  ['an escaped end of a template', '<template>\\</template> EVIL'],
  ['a comment in HTML that ends too early', `<div>\n<!--\n\n${F}\n-->\n${F}\n<!-- EVIL -->`],
  ['a comment in a list that ends after the list', '- <!-- a\n--> EVIL'],
  ['a declaration that never ends', 'a\n\n<!X EVIL\n\nEVIL'],
  ['a declaration in HTML that never ends', '<div><!1 EVIL'],
  ['PHP in HTML that never ends', '<div><?EVIL'],
  ['CDATA in HTML that never ends', '<div><![CDATA[EVIL'],
  ['PHP over several paragraphs', '<?x\n\n>\n<?EVIL'],
  ['a template after what looks like PHP', 'a <?<template>EVIL'],
  ['a tag that begins in PHP', '<?"><a href="?>EVIL'],
  ['a template in the value of a broken tag', '<img alt="a\n<template>" !> EVIL'],
  ['a template in a value over two paragraphs', 'a <img alt="\n\n<template>"> EVIL'],
  ['a comment in HTML in a list that ends after the list', '1. </div> <!-- a\n--> EVIL'],
  ['a comment in a quote that ends after the quote', '> <!-- a\n  --> EVIL'],
  ['a comment after another one in a line', '<!-- a --> <!-- b\n--> EVIL'],
  ['an escaped comment', '\\<!--<template>--> EVIL'],
  ['a template that ends in a span over two lines', 'a <template>`</template>\n` EVIL'],
  ['a template that ends in code', '# <template>\n\t</template> EVIL'],
  ['a declaration over two lines of a quote', '> <!X\n> EVIL'],
  ['PHP before a tag in HTML', '<?\n\n?><b x=""EVIL EVIL'],
  ['a line of HTML that only looks blank', `<div>\n\u00a0\n${F}\n<!-- EVIL -->\n${F}`],
  ['a title that the beginning of a comment is in', '[a](/b "EVIL <!-- ") -->'],
  ['a title that the end of what is no comment is in', '\\<!-- [a](/b "--> EVIL")'],
  ['the end of a template in an attribute', '<template x="</template>">EVIL</template>'],
  ['the end of a template in the attribute of another tag', '<template><b x="</template>">EVIL</template>'],
  ['the end of a template in the title of a link', '<template>[a](/b "</template>") EVIL</template>'],
  ['a broken tag of a template in HTML', '<div><template % >EVIL</template>'],
  ['an end of a comment that only browsers know', '<!-- --!> <template> --> EVIL'],
  ['a comment over two lines of a list', '- a\n  <!-- b\n-->\nEVIL'],
  ['a footnote that moves into a template', 'a[^1]\n\n[^1]: EVIL\n\n<template>'],
  ['a fence that ended', `${F}\nx\n${F}\n<!-- EVIL -->\n${F}\nx\n${F}`],
])('leaves out hidden text next to %s', (_what, text) => {
  expect(removeHidden(text)).not.toContain('EVIL')
  expect(removeHidden(text)).toContain(HIDDEN_NOTE)
})

const LENGTH = 32_768
const HOSTILE = [
  '<!--',
  '<?',
  '<![CDATA[',
  '<!X',
  '<template',
  '<template>\n',
  '<!-- a\n-->',
  '<script>',
  '<style a="',
  '</script>',
  '<a b="',
  '<a ',
  '|',
  '>\n- <a\n',
  ' <',
  '`',
  '`a',
  '`<',
  '``a`',
  '\\`',
  '[',
  '](',
  '](a "',
  "](a '",
  '](a (',
  '](<',
  '](a<b',
  '://',
  '[x]: ',
  '[x]: a "\n',
  '[x]: a (\n',
  '[a]',
  '[^a',
  '> ',
  '\n',
  ' ',
  '- ',
  '\u200b',
  '```\n',
  '~~~\n',
  '\\',
  '1.',
  '>',
]

test.each(HOSTILE)('takes linear time for %j, repeated', (part) => {
  const measure = (length: number): number => {
    const texts = ['', '<a ', '[x]: ', '](a '].flatMap((start) =>
      ['', '\n'].map((end) => start + (part + end).repeat(length / (part.length + end.length))),
    )
    const before = process.cpuUsage()
    for (const text of texts) removeHidden(text)
    return process.cpuUsage(before).user
  }
  let growth = Infinity
  // The best of several tries: other work of the engine can only slow a try down.
  for (let tries = 0; tries < 5 && growth >= 5; tries++) {
    const wholeUs = measure(LENGTH)
    growth = wholeUs < 25_000 ? 0 : wholeUs / (8 * measure(LENGTH / 8))
  }
  expect(growth).toBeLessThan(5)
})
