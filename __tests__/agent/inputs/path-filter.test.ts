import { expect, test } from '@jest/globals'
import { filterFiles, findOutOfScope } from '../../../src/agent/inputs/path-filter.ts'
import { parsePathPatterns } from '../../../src/agent/inputs/path-patterns.ts'
import { ActionError } from '../../../src/runtime/errors.ts'
import { fakeClock } from '../../support/fake-clock.ts'

const at = (path: string, previousPath?: string) => ({ path, previousPath })
const AROUND = { clock: fakeClock(), signal: new AbortController().signal }
const { rules } = parsePathPatterns('docs/**')

test('`paths` counts what its patterns include', async () => {
  expect(await filterFiles({ kind: 'paths', rules }, [at('docs/a.md'), at('src/a.ts')], AROUND)).toEqual([
    at('docs/a.md'),
  ])
})

test('`paths-ignore` counts all but what its patterns include', async () => {
  expect(await filterFiles({ kind: 'paths-ignore', rules }, [at('docs/a.md'), at('src/a.ts')], AROUND)).toEqual([
    at('src/a.ts'),
  ])
})

test('a file that was moved counts at both of its places', async () => {
  const moved = [at('src/a.md', 'docs/a.md')]
  expect(await filterFiles({ kind: 'paths', rules }, moved, AROUND)).toEqual(moved)
  expect(await filterFiles({ kind: 'paths-ignore', rules }, moved, AROUND)).toEqual(moved)
})

test('a file that was moved in from outside is out of scope, as is one that was moved out', async () => {
  const files = [at('docs/a.md', 'src/a.md'), at('other/b.md', 'docs/b.md'), at('docs/c.md')]
  expect(await findOutOfScope(rules, files, AROUND)).toEqual(['src/a.md', 'other/b.md'])
})

test.each([
  ['counted', filterFiles.bind(undefined, { kind: 'paths', rules: [] })],
  ['in scope', findOutOfScope.bind(undefined, [])],
])('while files are looked at, whether they are %s, it is heard that the run is cancelled', async (_name, look) => {
  const controller = new AbortController()
  const cancelled = new ActionError('cancelled', 'The run was cancelled.')
  let turns = 0
  const clock = fakeClock({
    onTurn: () => {
      if (++turns === 2) controller.abort(cancelled)
    },
  })
  const files = [at('docs/a.md'), at('docs/b.md'), at('docs/c.md')]
  await expect(look(files, { clock, signal: controller.signal })).rejects.toBe(cancelled)
  expect(turns).toBe(2)
})
