import { expect, test } from '@jest/globals'
import { attributeCommits } from '../../../src/agent/turn/effect.ts'
import { listOwners, type PullRequestCommit } from '../../../src/github/commits.ts'
import { changeResponse, playFollowUp } from '../../../testing/play-step.ts'

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

const BY_ANN = commit('byAnn', 'first')

test.each<[string, Partial<PullRequestCommit>, boolean]>([
  ['by a person that the agent committed', { committedBy: AGENT }, true],
  ['by the agent that GitHub committed', { writtenBy: AGENT, committedBy: 'web-flow' }, true],
  ['that a person committed', {}, false],
  ['by a person that GitHub committed', { committedBy: 'web-flow' }, false],
  ['by a person that the agent has rewritten', { ...BY_ANN, committedBy: AGENT }, true],
  ['by the agent that the agent has rewritten', FIRST, true],
  ['by the agent that a person has rewritten', { ...FIRST, committedBy: 'ann' }, false],
])('a new commit %s counts as the work of whoever made it', (_what, fields, isByAgent) => {
  const added = commit('added', 'byAnn', { ...fields, sha: 'added' })
  const others = new Map(isByAgent ? [] : [['ann', 1]])
  expect(attributeCommits([FIRST, BY_ANN], [FIRST, BY_ANN, added], OWNERS)).toEqual({ byAgent: +isByAgent, others })
})

const SECOND_ACCOUNT = 'acme-agent-2[bot]'

test.each([{ writtenAt: '2026-02-02T00:00:00Z' }, { message: 'another' }, { writtenBy: SECOND_ACCOUNT }])(
  'a commit that differs from an earlier one by %j is not rewritten, so its author counts',
  (fields) => {
    const added = { ...FIRST, committedBy: 'ann', sha: 'added', ...fields }
    expect(attributeCommits([FIRST], [FIRST, added], new Set([AGENT, SECOND_ACCOUNT])).byAgent).toBe(1)
  },
)

test('the person in whose name the agent wrote the first commit is no owner', () => {
  const inHerName = commit('first', 'base', { committedBy: AGENT })
  expect([...listOwners({ login: AGENT, type: 'Bot' }, [inHerName], 'first')]).toEqual([AGENT])
  const byOtherAccount = commit('first', 'base', { writtenBy: 'Agent <a@x>', committedBy: 'Agent <a@x>' })
  expect([...listOwners({ login: AGENT, type: 'Bot' }, [byOtherAccount], 'first')]).toEqual([AGENT, 'Agent <a@x>'])
})
