import { expect, test } from '@jest/globals'
import { stopAtLastLook, stopBeforeAsking, stopForCommits } from '../../../src/agent/pull-request/fix-rounds.ts'
import { PULL_REQUEST, pullCommits } from '../../support/fake-github.ts'
import { commit } from '../../support/github-state.ts'

const [C, D, E] = [commit('c'), commit('d'), commit('e')]
const STATE = {
  found: { state: 'open', checks: 'failure', headSha: D },
  headOfLastRound: C,
  sent: 1,
  maxRounds: 2,
  leftMs: 600_000,
} as const

test('another round is sent while checks fail on a new head of an open pull request, and time and rounds are left', () => {
  expect(stopBeforeAsking(STATE)).toBeUndefined()
  expect(stopBeforeAsking({ ...STATE, found: { ...STATE.found, state: 'draft' } })).toBeUndefined()
})

test.each([
  ['passed', { found: { ...STATE.found, checks: 'success' } }],
  ['nothing-to-tell', { found: { ...STATE.found, checks: 'none' } }],
  ['nothing-to-tell', { found: { ...STATE.found, checks: 'pending' } }],
  ['nothing-to-tell', { found: {} }],
  ['over', { found: { ...STATE.found, state: 'merged' } }],
  ['over', { found: { ...STATE.found, state: 'closed' } }],
  ['unmoved', { headOfLastRound: D }],
  ['used-up', { sent: 2 }],
  ['no-time', { leftMs: 599_999 }],
] as const)('%s: %j', (stop, change) => {
  expect(stopBeforeAsking({ ...STATE, ...change })).toBe(stop)
})

test('directly before the message the pull request must be the one that was looked at', () => {
  expect(stopAtLastLook(PULL_REQUEST, C)).toBeUndefined()
  expect(stopAtLastLook(PULL_REQUEST, D)).toBe('others')
  expect(stopAtLastLook({ ...PULL_REQUEST, state: 'closed' }, C)).toBe('over')
})

const BOT = { login: 'docs-agent[bot]', type: 'Bot' }
const MONA = { login: 'mona', type: 'User' }
const UNKNOWN = { login: '', type: '' }
const by = (sha: string, account: typeof BOT, author = '') => ({ sha, account, author })

test.each([
  ['only the agent', [by(C, BOT), by(D, BOT)], C, undefined],
  ['another bot', [by(C, BOT), by(D, { ...BOT, login: 'formatter[bot]' })], C, undefined],
  ['a person since', [by(C, BOT), by(D, MONA), by(E, BOT)], C, 'others'],
  ['a person before, whom the agent followed', [by(C, BOT), by(D, MONA), by(E, BOT)], D, undefined],
  ['somebody unknown since', [by(C, BOT), by(D, UNKNOWN)], C, 'others'],
  ['an agent that GitHub does not know', [by(C, UNKNOWN, 'Agent'), by(D, UNKNOWN, 'Agent')], C, undefined],
  ['two whom GitHub does not know', [by(C, UNKNOWN, 'Agent'), by(D, UNKNOWN, 'Ann')], C, 'others'],
  ['a person whose pull request it is', [by(C, BOT), by(D, { login: 'owner', type: 'User' })], C, undefined],
  ['a person last, before the first round', [by(C, BOT), by(D, MONA)], undefined, 'others'],
  ['a person earlier, before the first round', [by(C, BOT), by(D, MONA), by(E, BOT)], undefined, undefined],
  ['an old copy of the list', [], C, 'not-sent'],
  ['a rewritten branch', [by(D, BOT), by(E, BOT)], C, 'diverged'],
] as const)('%s', (_who, commits, before, stop) => {
  const pullRequest = { ...PULL_REQUEST, headSha: commits.at(-1)?.sha ?? '', author: { login: 'owner', type: 'User' } }
  // GitHub lists them by the dates that their authors gave them, so that the order says nothing.
  expect(stopForCommits(pullCommits(...commits).toReversed(), pullRequest, before)).toBe(stop)
})
