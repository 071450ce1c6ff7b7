import { expect, test } from '@jest/globals'
import { readInput } from '../../../src/action/parse-inputs.ts'
import { reviewersInput } from '../../../src/agent/inputs/reviewers-input.ts'

const TOKEN = { 'github-token': 'ghs_token' }

test.each([
  ['', { hasAuthors: false, names: [] }],
  ['change-authors', { hasAuthors: true, names: [] }],
  [
    'mona\n\n  @acme/docs-team  \r\nchange-authors\n@mona_acme',
    { hasAuthors: true, names: ['mona', 'acme/docs-team', 'mona_acme'] },
  ],
])('reads %j', (text, value) => {
  expect(readInput(reviewersInput, text, TOKEN)).toEqual({ kind: 'value', value })
})

const rule = (line: number): string => `line ${line} must be \`change-authors\`, a login or \`org/team\``

test.each([
  ['mona, dora', [rule(1)]],
  ['mona\na/b/c\n../x', [rule(2), rule(3)]],
  ['https://github.com/mona', [rule(1)]],
  ['-mona', [rule(1)]],
  [
    Array.from({ length: 16 }, (_, index) => `u${index}`).join('\n'),
    ['has more than 15 names, which GitHub does not take'],
  ],
])('refuses %j', (text, problems) => {
  expect(readInput(reviewersInput, text, TOKEN)).toEqual({ kind: 'refused', problems })
})

test('without a token nobody could be asked, and nobody need be', () => {
  expect(readInput(reviewersInput, 'mona')).toMatchObject({ problems: ['needs `github-token`, to ask them'] })
  expect(readInput(reviewersInput, '')).toMatchObject({ kind: 'value' })
})
