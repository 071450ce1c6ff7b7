import { expect, test } from '@jest/globals'
import type { ChangeRange } from '../../../src/agent/change/range.ts'
import { compareWithFallback, type FoundChange } from '../../../src/agent/change/compare.ts'
import type { Comparison } from '../../../src/github/commits.ts'
import type { GitHub } from '../../../src/github/github.ts'
import { comparing, fakeGitHub, PULL_REQUEST, RUN_FACTS } from '../../../testing/fake-github.ts'
import { commit } from '../../../testing/github-state.ts'

/** Compares the range, and records each comparison as `repository base head`. */
async function compareRange(
  range: ChangeRange,
  responses: Partial<GitHub> = {},
): Promise<{ found: FoundChange; comparisons: readonly string[] }> {
  const comparisons: string[] = []
  const github = fakeGitHub(responses)
  const compare: GitHub['compare'] = (repository, base, head): Promise<Comparison> => {
    comparisons.push(`${repository} ${base} ${head}`)
    return github.compare(repository, base, head)
  }
  return {
    found: await compareWithFallback(range, { github: { ...github, compare }, context: RUN_FACTS }),
    comparisons,
  }
}

test.each<[tag: string, tags: string[], base: string | undefined]>([
  ['v1.10.0', ['v1.9.0', 'v1.10.0', 'v1.2.0', 'v2.0.0'], 'v1.9.0'],
  ['v1.0.0', ['v1.0.0-rc.1', 'v0.9.0'], 'v0.9.0'],
  ['v1.0.1', ['v1.0.0-rc.2', 'v1.0.0'], 'v1.0.0'],
  ['v1.0.0-rc.2', ['v1.0.0-rc.1', 'v0.9.0'], 'v1.0.0-rc.1'],
  ['cli@1.1.0', ['cli@1.0.0', 'web@1.0.5', 'v1.0.0'], 'cli@1.0.0'],
  ['2026-11-01', ['2026-10-01', '2026-09-01'], undefined],
  ['v1.0.0', [], undefined],
])('compares the tag %s, of %j, with %s', async (tag, tags, base) => {
  const { found, comparisons } = await compareRange(
    { kind: 'since-tag', tag },
    { listTags: () => Promise.resolve(tags) },
  )
  expect(comparisons).toEqual(base === undefined ? [] : [`acme/docs ${base} ${RUN_FACTS.sha}`])
  expect('reason' in found ? found.reason : found.title).toContain(
    base === undefined
      ? 'no lower version with the same prefix'
      : `the tag \`${tag}\` since the tag before it, from \`${base}\``,
  )
})

test('compares a tag with the merge base if the tag before it is on a branch for releases', async () => {
  const listTags = () => Promise.resolve(['v1.9.1'])
  const responses = { listTags, ...comparing({ relation: 'diverged', mergeBase: commit('d') }) }
  const { found } = await compareRange({ kind: 'since-tag', tag: 'v2.0.0' }, responses)
  expect(found).toMatchObject({
    title: expect.stringContaining('from the merge base `ddddddd` to `bbbbbbb`') as unknown,
    unlisted: undefined,
  })
})

const SINCE = { kind: 'since-last-success', head: commit('b') } as const
const OTHER = { workflow: '51', runId: 30 }
const PULL = { kind: 'pull-request', number: 7 } as const
const FROM_D = [`acme/docs ${commit('d')} ${commit('b')}`]
const OF_PULL = [`acme/docs ${PULL_REQUEST.baseSha} ${PULL_REQUEST.headSha}`]

test.each<[range: ChangeRange, last: string | undefined, expected: string[], text: string]>([
  [SINCE, commit('d'), FROM_D, 'everything since the last successful run, from'],
  [SINCE, undefined, [], 'no earlier run of this workflow on this branch'],
  [{ ...SINCE, fallback: PULL }, undefined, OF_PULL, 'the pull request, from `aaaaaaa` to `ccccccc`'],
  [{ ...SINCE, otherRun: OTHER }, commit('d'), FROM_D, 'of the workflow that started'],
  [{ ...SINCE, otherRun: OTHER }, undefined, [], 'no earlier run of the workflow that started this one'],
])('%j after the successful commit %j compares %j', async (range, last, expected, text) => {
  const queries: unknown[] = []
  const { found, comparisons } = await compareRange(range, {
    findSuccesses: (query) => {
      queries.push(query)
      return Promise.resolve({ before: last })
    },
  })
  const where = { repository: 'acme/docs', branch: 'main' }
  const run = 'otherRun' in range ? { ...OTHER, isOther: true } : { workflow: 'docs.yml', runId: 42, isOther: false }
  expect(queries).toEqual([{ ...where, ...run, mayBeNew: false }])
  expect(comparisons).toEqual(expected)
  expect('reason' in found ? found.reason : found.title).toContain(text)
})

test('compares a range in its own repository', async () => {
  const range = { kind: 'compare', base: 'v1', head: commit('b'), label: 'the push' } as const
  const { found, comparisons } = await compareRange({ ...range, repository: 'acme/code' })
  expect(comparisons).toEqual([`acme/code v1 ${commit('b')}`])
  expect(found).toMatchObject({ repository: 'acme/code', title: 'the push, from `v1` to `bbbbbbb`' })
})
