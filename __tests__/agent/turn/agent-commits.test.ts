import { expect, test } from '@jest/globals'
import { attributeCommits } from '../../../src/agent/turn/effect.ts'
import { listOwners, type PullRequestCommit } from '../../../src/github/commits.ts'
import { changeResponse, playFollowUp } from '../../support/play-step.ts'

const AGENT = 'acme-agent[bot]'

const commit = (sha: string, parent: string, fields: Partial<PullRequestCommit> = {}): PullRequestCommit => ({
  sha,
  message: sha,
  author: 'Ann',
  account: { login: 'ann', type: 'User' },
  committerLogin: 'ann',
  writtenBy: 'ann',
  committedBy: 'ann',
  writtenAt: `2026-01-01T00:00:0${sha.length}Z`,
  parents: [parent],
  ...fields,
})

const FIRST = commit('first', 'base', { writtenBy: AGENT, committedBy: AGENT })
const OWNERS = new Set([AGENT])

test('counts a commit by a person that the agent committed as the work of the agent', () => {
  const added = commit('added', 'first', { committedBy: AGENT })
  expect(attributeCommits([FIRST], [FIRST, added], OWNERS)).toEqual({ byAgent: 1, otherAuthors: new Map() })
})

test('a follow-up that the agent commits in the name of a person has changed the pull request', async () => {
  const account = { id: 11, login: 'mona', type: 'User' }
  const inHerName = <One extends { author: object }>(one: One) => ({ ...one, author: { ...one.author, ...account } })
  const { outputs, hostCalls, report } = await playFollowUp(
    {},
    {
      responses: {
        'pulls/list-commits': changeResponse(([first, ...others]: readonly { author: object }[]) => [
          first,
          ...others.map(inHerName),
        ]),
        'repos/compare-commits-with-basehead': changeResponse(({ commits }: { commits: { author: object }[] }) => ({
          commits: commits.map(inHerName),
        })),
      },
    },
  )
  expect(outputs).toMatchObject({ outcome: 'pull-request', changed: 'true' })
  expect(report.files?.files.length).toBeGreaterThan(0)
  expect(hostCalls.join('\n')).not.toContain('Others have committed')
})

test('counts a commit by the agent that GitHub committed', () => {
  const added = commit('added', 'first', { writtenBy: AGENT, committedBy: 'web-flow' })
  expect(attributeCommits([FIRST], [FIRST, added], OWNERS).byAgent).toBe(1)
})

test('does not count a rebase of a known commit by a person, and counts what the agent added on top', () => {
  const byAnn = commit('byAnn', 'first')
  const rebased = [
    { ...FIRST, sha: 'first2', parents: ['base2'] },
    { ...byAnn, sha: 'byAnn2', parents: ['first2'], committedBy: AGENT },
  ]
  const none = { byAgent: 0, otherAuthors: new Map() }
  expect(attributeCommits([FIRST, byAnn], rebased, OWNERS)).toEqual(none)
  const more = commit('more', 'byAnn2', { committedBy: AGENT })
  expect(attributeCommits([FIRST, byAnn], [...rebased, more], OWNERS)).toEqual({ ...none, byAgent: 1 })
})

test.each([{ writtenAt: '2026-02-02T00:00:00Z' }, { message: 'another' }, { writtenBy: 'dora', committedBy: AGENT }])(
  'counts a rewritten commit with %j as new work',
  (fields) => {
    const byAnn = commit('byAnn', 'first')
    const rewritten = { ...byAnn, sha: 'byAnn2', committedBy: AGENT, ...fields }
    expect(attributeCommits([FIRST, byAnn], [FIRST, rewritten], OWNERS).byAgent).toBe(1)
  },
)

test('does not count a person who commits for herself, or merges on GitHub', () => {
  const byAnn = [commit('byAnn', 'first'), commit('merged', 'byAnn', { committedBy: 'web-flow' })]
  expect(attributeCommits([FIRST], [FIRST, ...byAnn], OWNERS)).toEqual({
    byAgent: 0,
    otherAuthors: new Map([['ann', 2]]),
  })
})

test('counts the commits of a branch that somebody has merged into the pull request', () => {
  const side = [commit('older', 'base', { writtenBy: AGENT }), commit('byAnn', 'older')]
  const merged = commit('merged', 'first', { parents: ['first', 'byAnn'], committedBy: 'web-flow' })
  expect(attributeCommits([FIRST], [...side, FIRST, merged], OWNERS)).toEqual({
    byAgent: 1,
    otherAuthors: new Map([['ann', 2]]),
  })
})

test('the person in whose name the agent wrote the first commit is no owner', () => {
  const inHerName = commit('first', 'base', { committedBy: AGENT })
  expect([...listOwners({ login: AGENT, type: 'Bot' }, [inHerName], 'first')]).toEqual([AGENT])
  const byOtherAccount = commit('first', 'base', { writtenBy: 'Agent <a@x>', committedBy: 'Agent <a@x>' })
  expect([...listOwners({ login: AGENT, type: 'Bot' }, [byOtherAccount], 'first')]).toEqual([AGENT, 'Agent <a@x>'])
})
