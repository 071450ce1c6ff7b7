import { expect, test } from '@jest/globals'
import type { ChangeRange } from '../../../src/agent/trigger/change-range.ts'
import { findRange } from '../../../src/agent/trigger/find-range.ts'
import type { GitHub } from '../../../src/github/github.ts'
import type { Comparison } from '../../../src/github/comparisons.ts'
import { fakeGitHub, PULL_REQUEST, refusal, rejecting, RUN_FACTS } from '../../support/fake-github.ts'
import { commit } from '../../support/github-state.ts'

const COMPARISON: Comparison = {
  ...{ mergeBase: commit('a'), commits: [], totalCommits: 0, files: [], fileList: 'whole', relation: 'ahead' },
}

/** Each at a commit of its own. */
const tagged =
  (...names: readonly string[]): GitHub['listTags'] =>
  () =>
    Promise.resolve(names.map((name, index) => ({ name, sha: String(index).padStart(40, 'e') })))

test('the tag before is the nearest one in the history of this one', async () => {
  const github = fakeGitHub({
    listTags: tagged('v1.9.1', 'v2.0.0', 'v1.9.0'),
    compare: (_repository, base) => {
      return Promise.resolve({ ...COMPARISON, relation: base === 'v1.9.0' ? 'ahead' : 'diverged' })
    },
  })
  const range = await findRange({ kind: 'since-tag', tag: 'v2.0.0' }, github, RUN_FACTS)
  expect(range).toMatchObject({ kind: 'compare', base: 'v1.9.0', head: 'v2.0.0' })
})

test('a tag of another history is passed over, and the first tag has nothing before it', async () => {
  const listTags = tagged('v1', 'v2')
  const github = fakeGitHub({ listTags, compare: rejecting(refusal('not-found')) })
  const range = await findRange({ kind: 'since-tag', tag: 'v2' }, github, RUN_FACTS)
  expect(range).toMatchObject({ kind: 'nothing-to-compare', reason: expect.stringContaining('no tag') })
})

test('a comment on a pull request takes the base and the head of that one', async () => {
  const range = await findRange({ kind: 'pull-request', number: 7 }, fakeGitHub(), RUN_FACTS)
  expect(range).toMatchObject({ base: PULL_REQUEST.baseSha, head: PULL_REQUEST.headSha })
})

const sinceLast = (last: string | undefined, firstTime?: ChangeRange) => {
  const github = fakeGitHub({ findLastSuccesses: () => Promise.resolve(last === undefined ? [] : [last]) })
  const since = { kind: 'since-last-success', head: commit('b') } as const
  return findRange({ ...since, ...(firstTime === undefined ? {} : { firstTime }) }, github, RUN_FACTS)
}

test('it begins at the last success; without one it is the range for the first time, whatever that needs', async () => {
  const firstTime = { kind: 'pull-request', number: 7 } as const
  expect(await sinceLast(commit('d'), firstTime)).toMatchObject({ base: commit('d'), head: commit('b') })
  expect(await sinceLast(undefined, firstTime)).toMatchObject({ kind: 'compare', base: PULL_REQUEST.baseSha })
})

test('after a run of another workflow it begins where that one last succeeded before', async () => {
  const asked: unknown[] = []
  const find = (last: string | undefined) => {
    const findLastSuccesses: GitHub['findLastSuccesses'] = (query) => {
      asked.push(query)
      return Promise.resolve(last === undefined ? [] : [last])
    }
    const of = { workflow: '51', runId: 30 }
    return findRange(
      { kind: 'since-last-success', head: commit('b'), of },
      fakeGitHub({ findLastSuccesses }),
      RUN_FACTS,
    )
  }
  expect(await find(commit('d'))).toMatchObject({ base: commit('d'), about: expect.stringContaining('started this') })
  expect(await find(undefined)).toMatchObject({ reason: expect.stringContaining('started this one') })
  expect(asked[0]).toEqual({ repository: 'acme/docs', branch: 'main', workflow: '51', runId: 30, isOther: true })
})

test('the first run ever has nothing to compare with, and says so', async () => {
  const reason = expect.stringContaining('no run') as unknown
  expect(await sinceLast(undefined)).toEqual({ kind: 'nothing-to-compare', reason })
})

test('a tag after many of another line is found among what came since the oldest one', async () => {
  const patches = Array.from({ length: 9 }, (_, index) => `v1.9.${index + 1}`)
  const listTags = tagged(...patches, 'v2.0.0', 'v1.8.0', 'v1.0.0')
  const shas = Object.fromEntries((await listTags('')).map(({ name, sha }) => [name, sha]))
  const before = (...inHistory: readonly string[]) => {
    const commits = inHistory.map((tag) => ({ sha: shas[tag] ?? '', message: '', author: '' }))
    const github = fakeGitHub({
      listTags,
      compare: (_repository, base) =>
        Promise.resolve({ ...COMPARISON, commits, relation: base === 'v1.0.0' ? 'ahead' : 'diverged' }),
    })
    return findRange({ kind: 'since-tag', tag: 'v2.0.0' }, github, RUN_FACTS)
  }
  expect(await before('v1.8.0', 'v2.0.0')).toMatchObject({ base: 'v1.8.0' })
  expect(await before('v2.0.0')).toMatchObject({ base: 'v1.0.0' })
})
