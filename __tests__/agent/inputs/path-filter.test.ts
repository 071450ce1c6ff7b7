import { expect, test } from '@jest/globals'
import { filterFiles, findOutOfScope } from '../../../src/agent/inputs/path-filter.ts'
import { parsePathPatterns } from '../../../src/agent/inputs/path-patterns.ts'

const at = (path: string, previousPath?: string) => ({ path, previousPath })
const { rules } = parsePathPatterns('docs/**')

test('`paths` counts what its patterns include', () => {
  expect(filterFiles({ kind: 'paths', rules }, [at('docs/a.md'), at('src/a.ts')])).toEqual([at('docs/a.md')])
})

test('`paths-ignore` counts all but what its patterns include', () => {
  expect(filterFiles({ kind: 'paths-ignore', rules }, [at('docs/a.md'), at('src/a.ts')])).toEqual([at('src/a.ts')])
})

test('a file that was moved counts at both of its places', () => {
  const moved = [at('src/a.md', 'docs/a.md')]
  expect(filterFiles({ kind: 'paths', rules }, moved)).toEqual(moved)
  expect(filterFiles({ kind: 'paths-ignore', rules }, moved)).toEqual(moved)
})

test('a file that was moved in from outside is out of scope, as is one that was moved out', () => {
  const files = [at('docs/a.md', 'src/a.md'), at('other/b.md', 'docs/b.md'), at('docs/c.md')]
  expect(findOutOfScope(rules, files)).toEqual(['src/a.md', 'other/b.md'])
})
