import { expect, test } from '@jest/globals'

import { editsFor, titleOf } from '../../../src/emulator/service/agent-edits.ts'

test('the title is the first line that says something', () => {
  expect(titleOf('\n\n  Fix the guide. \r\nThen more.')).toBe('Fix the guide.')
  expect(titleOf(' \n ')).toBe('Update the docs')
})

test('a long title is cut between characters', () => {
  const title = titleOf('🙂'.repeat(100))
  expect(Array.from(title)).toHaveLength(72)
  expect(title).toMatch(/^(🙂)+…$/u)
})

test('the edits follow from the prompt', () => {
  const paths = (prompt: string): string[] => editsFor(prompt).map(({ path }) => path)
  expect(paths('Document the `--dry-run` flag of the deploy command.')).toEqual([
    'docs/dry-run-flag-deploy-command.md',
    'docs/index.md',
  ])
  expect(paths('Café guide')).toEqual(['docs/cafe-guide.md', 'docs/index.md'])
  expect(paths('文档')).toEqual(['docs/notes.md', 'docs/index.md'])
  expect(editsFor('a page')).toEqual(editsFor('a page'))
})

test('paths hold nothing but plain characters, whatever the prompt', () => {
  for (const prompt of ['../../etc/passwd', '<script>', 'a/b\\c', '\u202eevil', 'x'.repeat(500)]) {
    for (const { path } of editsFor(prompt)) expect(path).toMatch(/^docs\/[a-z0-9-]{1,500}\.md$/)
  }
})
