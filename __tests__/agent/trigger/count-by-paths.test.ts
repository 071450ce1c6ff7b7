import { expect, test } from '@jest/globals'
import type { Compared } from '../../../src/agent/trigger/compare-range.ts'
import { countByPaths } from '../../../src/agent/trigger/count-by-paths.ts'
import { parsePathPatterns } from '../../../src/agent/inputs/path-patterns.ts'
import { fakeStep } from '../../support/fake-step.ts'
import { commit } from '../../support/github-state.ts'

const only = (...patterns: string[]) =>
  ({ kind: 'paths', rules: parsePathPatterns(patterns.join('\n')).rules }) as const

function compared(paths: readonly string[], totalCommits = 1): Compared {
  const files = paths.map((path) => ({
    ...{ path, status: 'modified', previousPath: undefined, additions: 1, deletions: 0, patch: undefined },
  }))
  const comparison = { relation: 'ahead', mergeBase: commit('a'), commits: [], totalCommits, files } as const
  return {
    repository: 'acme/docs',
    title: 'the push',
    story: 'the push',
    unlisted: undefined,
    comparison: { ...comparison, fileList: 'whole' },
  }
}

test('a skip names the patterns and some of the changed files, cleaned', async () => {
  const paths = ['src/a\u202e##[x].ts', ...Array.from({ length: 6 }, (_, index) => `src/${index}.ts`)]
  const { description, skipReason } = await countByPaths(compared(paths), only('docs/**', '!docs/old/**'), fakeStep())
  expect(skipReason).toBe('No changed file matches `paths`.')
  expect(description).toContain('No file matches `paths` (`docs/**`, `!docs/old/**`): ')
  expect(description).toContain(': `src/a# #[x].ts`, `src/0.ts`, `src/1.ts`, `src/2.ts`, `src/3.ts`, 2 more.')
})

test('a range without commits is skipped where paths are given, even by `**`, and only there', async () => {
  expect((await countByPaths(compared([], 0), only('**'), fakeStep())).skipReason).toContain('no commits')
  expect((await countByPaths(compared([], 0), undefined, fakeStep())).skipReason).toBeUndefined()
})

test('what is not listed may count', async () => {
  const some = { ...compared(['src/a.ts']), unlisted: 'GitHub lists only some' }
  const answer = await countByPaths(some, only('docs/**'), fakeStep())
  expect(answer).toMatchObject({ skipReason: undefined, doubt: expect.stringContaining('GitHub lists only some. ') })
})
