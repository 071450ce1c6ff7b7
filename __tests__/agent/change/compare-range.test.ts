import { expect, test } from '@jest/globals'
import type { ChangeRange } from '../../../src/agent/change/change-range.ts'
import { compareWithFallback, type FoundChange } from '../../../src/agent/change/compare-range.ts'
import type { Comparison } from '../../../src/github/commits.ts'
import type { GitHub } from '../../../src/github/github.ts'
import { fakeGitHub, PULL_REQUEST, createGitHubError, RUN_FACTS } from '../../support/fake-github.ts'
import { commit } from '../../support/github-state.ts'

interface Responses extends Partial<GitHub> {
  /** The tags in the history of the tag; undefined if all tags are. */
  readonly inHistory?: readonly string[]
  /** Tags without a common history with the tag. */
  readonly unrelated?: readonly string[]
  readonly commits?: readonly string[]
}

/** Compares the range, and records each comparison as `repository base head`. */
async function compareRange(
  range: ChangeRange,
  { inHistory, unrelated = [], commits, ...responses }: Responses = {},
): Promise<{ found: FoundChange; comparisons: readonly string[] }> {
  const comparisons: string[] = []
  const defaults = fakeGitHub()
  const compare = async (...ends: Parameters<GitHub['compare']>): Promise<Comparison> => {
    comparisons.push(ends.join(' '))
    if (unrelated.includes(ends[1])) throw createGitHubError('not-found')
    const comparison = await defaults.compare(...ends)
    return {
      ...comparison,
      relation: inHistory?.includes(ends[1]) === false ? 'diverged' : 'ahead',
      commits: commits?.map((sha) => ({ sha, message: '', author: '' })) ?? comparison.commits,
    }
  }
  const github = fakeGitHub({ ...responses, compare })
  return { found: await compareWithFallback(range, { github, context: RUN_FACTS }), comparisons }
}

/** Each tag is at a different commit. */
const getSha = (tag: string): string => Buffer.from(tag).toString('hex').padEnd(40, 'e')
const tagged = (...names: readonly string[]): Partial<GitHub> => ({
  listTags: () => Promise.resolve(names.map((name) => ({ name, sha: getSha(name) }))),
})

test.each<[tag: string, tags: string[], before: string[]]>([
  ['v1.10.0', ['v1.9.0', 'v1.10.0', 'v1.2.0', 'v2.0.0'], ['v1.9.0', 'v1.2.0']],
  ['v1.0.0', ['v1.0.0-rc.1', 'v0.9.0'], ['v0.9.0']],
  ['v1.0.1', ['v1.0.0-rc.2', 'v1.0.0'], ['v1.0.0']],
  ['v1.0.0-rc.2', ['v1.0.0-rc.1', 'v0.9.0'], ['v1.0.0-rc.1', 'v0.9.0']],
  ['cli@1.1.0', ['cli@1.0.0', 'web@1.0.5', 'v1.0.0'], ['cli@1.0.0']],
  ['2026-11-01', ['2026-10-01', '2026-09-01'], []],
  ['v1.0.0', [], []],
])('tries as the tag before %s, of %j: %j', async (tag, tags, before) => {
  const { found, comparisons } = await compareRange({ kind: 'since-tag', tag }, { ...tagged(...tags), inHistory: [] })
  expect(comparisons).toEqual(before.map((base) => `acme/docs ${base} ${tag}`))
  expect(found).toMatchObject({ reason: expect.stringContaining('no lower version') })
})

const SINCE_OLDEST = { inHistory: ['v1.0.0'], commits: [getSha('v1.8.0'), getSha('v2.0.0')] }
const PATCHES = Array.from({ length: 9 }, (_, index) => `v1.9.${index + 1}`)

test.each<[what: string, tags: readonly string[], responses: Responses, base: string]>([
  ['the nearest tag in its history', ['v1.9.1', 'v1.9.0', 'v1.8.0'], { inHistory: ['v1.9.0', 'v1.8.0'] }, 'v1.9.0'],
  ['no tag of another history', ['v1.9.1', 'v1.9.0'], { unrelated: ['v1.9.1'] }, 'v1.9.0'],
  [
    'a tag among the commits since the oldest tag, after many other tags',
    [...PATCHES, 'v1.8.0', 'v1.0.0'],
    SINCE_OLDEST,
    'v1.8.0',
  ],
  [
    'the oldest tag, if no other tag is in the history',
    [...PATCHES, 'v1.0.0'],
    { inHistory: ['v1.0.0'], commits: [] },
    'v1.0.0',
  ],
])('uses as the tag before: %s', async (_what, tags, responses, base) => {
  const { found, comparisons } = await compareRange(
    { kind: 'since-tag', tag: 'v2.0.0' },
    { ...tagged(...tags), ...responses },
  )
  expect(found).toHaveProperty('commits')
  expect(comparisons.at(-1)).toBe(`acme/docs ${base} v2.0.0`)
  // At most seven comparisons: five tags, the oldest tag, and the found tag.
  expect(comparisons.length).toBeLessThanOrEqual(7)
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
    findLastSuccess: (query) => {
      queries.push(query)
      return Promise.resolve(last)
    },
  })
  const where = { repository: 'acme/docs', branch: 'main' }
  const run = 'otherRun' in range ? { ...OTHER, isOther: true } : { workflow: 'docs.yml', runId: 42, isOther: false }
  expect(queries).toEqual([{ ...where, ...run }])
  expect(comparisons).toEqual(expected)
  expect('reason' in found ? found.reason : found.title).toContain(text)
})

test('compares a range in its own repository', async () => {
  const range = { kind: 'compare', base: 'v1', head: commit('b'), about: 'the push' } as const
  const { found, comparisons } = await compareRange({ ...range, repository: 'acme/code' })
  expect(comparisons).toEqual([`acme/code v1 ${commit('b')}`])
  expect(found).toMatchObject({ repository: 'acme/code', title: 'the push, from `v1` to `bbbbbbb`' })
})
