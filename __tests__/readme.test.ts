import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { PAGES, writeTables } from '../scripts/docs/input-tables.ts'
import { root } from './support/markdown-files.ts'

const readme = readFileSync(join(root, 'README.md'), 'utf8')

test.each(PAGES)('the tables of $document say what $action says; if not, run: npm run docs', (page) => {
  const { document, action, tables } = page
  const text = readFileSync(join(root, document), 'utf8')
  expect(writeTables(text, readFileSync(join(root, action), 'utf8'), tables)).toBe(text)
})

const ACTION = `inputs:
  # How fast. At any time.
  speed: { description: 'How fast, \`a|b\`.', required: true, default: '9' }
  # What else. It is up
  # to you.
  colour: { description: Which. }
outputs:
  time: { description: How long. }
`

test('the tables are written between their markers, in the groups of action.yml, and nothing else is touched', () => {
  const page = '# A\n<!-- inputs: x -->\nold\n<!-- /inputs -->\nB\n<!-- outputs: x -->\n<!-- /outputs -->\nC\n'
  expect(writeTables(page, ACTION, ['inputs', 'outputs'])).toBe(`# A
<!-- inputs: x -->

### How fast

At any time.

| Input   | Required | Default | Meaning           |
| ------- | -------- | ------- | ----------------- |
| \`speed\` | yes      | \`9\`     | How fast, \`a\\|b\`. |

### What else

It is up to you.

| Input    | Required | Default | Meaning |
| -------- | -------- | ------- | ------- |
| \`colour\` |          |         | Which.  |

<!-- /inputs -->
B
<!-- outputs: x -->

| Output | Meaning   |
| ------ | --------- |
| \`time\` | How long. |

<!-- /outputs -->
C
`)
})

test('a page that lost its markers is an error, not a table that is never written', () => {
  const page = '# A\n<!-- inputs: x -->\n<!-- /inputs -->\n'
  expect(() => writeTables(page, ACTION, ['inputs', 'outputs'])).toThrow(
    'The markers of the outputs table must be there once',
  )
})

test('the README can be read in a few minutes', () => {
  expect(readme.split('\n').length).toBeLessThan(250)
})
