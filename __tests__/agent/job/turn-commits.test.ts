import { expect, test } from '@jest/globals'
import { commitsOfTurn } from '../../../src/agent/job/turn-commits.ts'
import type { PullRequestCommit } from '../../../src/github/commits.ts'
import { PULL_REQUEST, pullCommits } from '../../support/fake-github.ts'

const AGENT = PULL_REQUEST.author.login
type Given = Partial<PullRequestCommit> & { sha: string }

const ours = (sha: string, fields: Partial<PullRequestCommit> = {}): Given => ({ sha, ...fields })
const mona = (sha: string, fields: Partial<PullRequestCommit> = {}): Given => ({ sha, writtenBy: 'mona', ...fields })
const BEFORE = pullCommits(ours('a1'), ours('a2'))
const [FIRST, SECOND] = BEFORE.map(({ writtenAt }) => ({ writtenAt, committedBy: 'mona' }))

test.each<[string, Given[], number, Record<string, number>]>([
  ['a commit of the agent', [ours('a1'), ours('a2'), ours('a3')], 1, {}],
  ['none', [ours('a1'), ours('a2')], 0, {}],
  ['a person and the agent', [ours('a1'), ours('a2'), mona('m'), ours('a3')], 1, { mona: 1 }],
  ['people', [ours('a1'), ours('a2'), mona('m1'), mona('m2'), mona('x', { writtenBy: 'bot' })], 0, { mona: 2, bot: 1 }],
  ['somebody unknown', [ours('a1'), ours('a2'), mona('m', { writtenBy: '' })], 0, { 'somebody unknown': 1 }],
  [
    'a merge of another branch with earlier work of the agent',
    [ours('a1'), ours('a2'), ours('main', { parents: ['base'] }), mona('merge', { parents: ['a2', 'main'] })],
    0,
    { mona: 1 },
  ],
  [
    'a merge by a person of what the agent has pushed meanwhile',
    [
      ours('a1'),
      ours('a2'),
      mona('m', { parents: ['a2'] }),
      ours('a3', { parents: ['a2'] }),
      mona('merge', { parents: ['m', 'a3'] }),
    ],
    1,
    { mona: 2 },
  ],
  ['a rebase by a person', [ours('b1', FIRST), ours('b2', SECOND)], 0, { mona: 2 }],
  ['a rebase by a person, in other words', [ours('b1', { ...FIRST, message: 'Reworded' })], 0, { mona: 1 }],
  ['a rebase of the newest one', [ours('a1'), ours('b2', SECOND)], 0, { mona: 1 }],
  [
    'a rebase by a person, and a commit of the agent',
    [ours('b1', FIRST), ours('b2', SECOND), ours('a3')],
    1,
    { mona: 2 },
  ],
  ['an amended commit of the agent', [ours('a1'), ours('b2', { ...SECOND, committedBy: AGENT })], 1, {}],
  ['a forced push of the agent', [ours('b1')], 1, {}],
  ['a forced push of a person', [mona('m')], 0, { mona: 1 }],
  ['a branch that was put back', [ours('a1')], 0, {}],
])('%s', (_what, listed, agents, others) => {
  // The dates that their authors gave them decide on the order of the list.
  const found = commitsOfTurn(BEFORE, pullCommits(...listed).toReversed(), new Set([AGENT]))
  expect({ ...found, others: Object.fromEntries(found.others) }).toEqual({ agents, others })
})
