import { describe, expect, test } from '@jest/globals'
import { attributeCommits } from '../../../src/agent/turn/turn-work.ts'
import { conclude } from '../../../src/agent/report/outcomes.ts'
import { type Comparison, MAX_COMMITS, type PullRequestCommit } from '../../../src/github/commits.ts'
import type { GitHub } from '../../../src/github/github.ts'
import type { Account, PullRequest } from '../../../src/github/pull-requests.ts'
import type { ActionError } from '../../../src/runtime/errors.ts'
import { type TurnRun, type TurnRunOptions, playTurn } from '../../support/turn-run.ts'
import { type DescribedReport, FOLLOW_UP } from '../../support/report.ts'
import { active, archived, completed, failed, failure, withoutLink } from '../../support/fake-client.ts'
import {
  type FakeGitHub,
  fakeGitHub,
  resolveInOrder,
  PULL_REQUEST,
  pullCommits,
  createGitHubError,
} from '../../support/fake-github.ts'
import { commit } from '../../support/github-state.ts'
import { flattenReport } from '../../support/flatten-result.ts'

const AGENT = PULL_REQUEST.author.login
type Given = Partial<PullRequestCommit> & { sha: string }

const ours = (sha: string, fields: Partial<PullRequestCommit> = {}): Given => ({ sha, ...fields })
const mona = (sha: string, fields: Partial<PullRequestCommit> = {}): Given => ({ sha, writtenBy: 'mona', ...fields })
const [A1, A2] = [ours('a1'), ours('a2')]
const BEFORE = pullCommits(A1, A2)
const [FIRST, SECOND] = BEFORE.map(({ writtenAt }) => ({ writtenAt, committedBy: 'mona' }))
const [M, A3] = [mona('m', { parents: ['a2'] }), ours('a3', { parents: ['a2'] })]
const EARLIER_WORK = ours('main', { parents: ['base'] })

test.each<[string, Given[], number, Record<string, number>]>([
  ['a commit of the agent', [A1, A2, A3], 1, {}],
  ['a person and the agent', [A1, A2, mona('m'), ours('a3')], 1, { mona: 1 }],
  [
    'only others',
    [A1, A2, mona('m1'), mona('m2'), mona('x', { writtenBy: '' })],
    0,
    { mona: 2, 'an unknown author': 1 },
  ],
  [
    'a merge of another branch with earlier work of the agent',
    [A1, A2, EARLIER_WORK, mona('merge', { parents: ['a2', 'main'] })],
    0,
    { mona: 1 },
  ],
  [
    "a person's merge of what the agent has pushed in the meantime",
    [A1, A2, M, A3, mona('merge', { parents: ['m', 'a3'] })],
    1,
    { mona: 2 },
  ],
  ['a rebase by a person that changes the message', [ours('b1', { ...FIRST, message: 'Reworded' })], 0, { mona: 1 }],
  ['a rebase of the newest commit', [A1, ours('b2', SECOND)], 0, { mona: 1 }],
  ['a rebase by a person, and the agent', [ours('b1', FIRST), ours('b2', SECOND), ours('a3')], 1, { mona: 2 }],
  ['an amended commit of the agent', [A1, ours('b2', { ...SECOND, committedBy: AGENT })], 1, {}],
  ['a forced push of the agent', [ours('b1')], 1, {}],
  ['a reset of the branch', [A1], 0, {}],
])('counts the new commits by author: %s', (_what, listed, byAgent, others) => {
  // GitHub orders the list by author dates, so any order is possible.
  const found = attributeCommits(BEFORE, pullCommits(...listed).toReversed(), new Set([AGENT]))
  expect({ ...found, others: Object.fromEntries(found.others) }).toEqual({ byAgent, others })
})

const head = (digit: string): PullRequest => ({ ...PULL_REQUEST, headSha: commit(digit) })
const MONA = { login: 'mona', type: 'User' }
const formatTimeline = ({ timeline }: DescribedReport): string => timeline.map(({ event }) => event).join('\n')
const listing = (...lists: readonly (readonly Given[] | ActionError)[]) => ({
  listPullRequestCommits: resolveInOrder(...lists.map((list) => (list instanceof Array ? pullCommits(...list) : list))),
})
const relating = async (relation: Comparison['relation']) => ({
  compare: resolveInOrder({ ...(await fakeGitHub().compare('acme/docs', 'a', 'b')), relation }),
})

const [A, B, D_BY_MONA] = [{ sha: commit('a') }, { sha: commit('b') }, { sha: commit('d'), account: MONA }]

/** A GitHub whose pull request shows these heads in order, and has the agent's commits `a` and `b`. */
const showing = (heads: string | readonly (PullRequest | ActionError)[], responses: Partial<GitHub> = {}): FakeGitHub =>
  fakeGitHub({
    readPullRequest: resolveInOrder(...(typeof heads === 'string' ? Array.from(heads, head) : heads)),
    ...listing([A, B]),
    ...responses,
  })

/** Plays a follow-up whose turn ends like the preceding one: with the same status and the same pull request. */
const play = (github: GitHub | undefined, more: Partial<TurnRunOptions> = {}): Promise<TurnRun> =>
  playTurn({
    task: FOLLOW_UP,
    message: active,
    reads: [completed, active, completed],
    facts: { serverUrl: 'https://git.example.com' },
    inputs: { label: '' },
    ...(github && { github }),
    ...more,
  })

const UPDATED = { outcome: 'pull-request', operation: 'updated', warnings: [] }
const UNCHANGED = { outcome: 'no-changes', operation: 'unchanged', warnings: [] }

test('a new commit by the agent is an update, and ends the reads immediately', async () => {
  const github = showing('ab')
  expect((await play(github)).report).toMatchObject(UPDATED)
  expect(github.calls.filter((name) => name !== 'readPullRequest')).toEqual(['listPullRequestCommits'])
})

test.each<[string, Partial<TurnRunOptions>, object]>([
  ['a turn has started', { message: completed, reads: [completed] }, { outcome: 'unconfirmed', progress: 'accepted' }],
  [
    // Reads shortly after the prompt come from stale replicas, and another author has pushed the head.
    'a turn has ended',
    { reads: [completed, active, completed, completed, active, failed] },
    { outcome: 'failed', operation: 'updated' },
  ],
  [
    'a prompt with unknown delivery was accepted',
    { message: failure('unknown-fate'), reads: [completed] },
    { outcome: 'error', error: { code: 'unknown-fate' } },
  ],
])('a head that moved does not prove that %s', async (_what, more, expected) => {
  expect((await play(showing('ab'), more)).report).toMatchObject(expected)
})

test('the outcome is no-changes if only others commit, and a notice names them without a mention', async () => {
  const nobody = { account: { login: '', type: '' }, writtenBy: '@Ann\u001b[31m <ann@example.com>' }
  const others = [{ ...B, account: MONA }, { sha: commit('c'), ...nobody }, D_BY_MONA]
  const { report } = await play(showing('ad', listing([A, ...others])))
  expect(flattenReport(report)).toMatchObject({
    outcome: 'no-changes',
    changed: 'false',
    'pull_request.operation': 'unchanged',
  })
  expect(formatTimeline(report)).toContain(
    'During this turn, pull request #7 received 3 commits by others and none by the agent: 2 by mona, 1 by Ann.',
  )
})

test('the notice names the first five of many others', async () => {
  const others = Array.from('bcdef01', (digit) => ({ sha: commit(digit), account: { ...MONA, login: `u${digit}` } }))
  const { report } = await play(showing('a1', listing([A, ...others])))
  expect(formatTimeline(report)).toMatch(
    /received 7 commits by others and none by the agent: 1 by ub, .*1 by uf, 2 by others\./,
  )
})

const DOWN = createGitHubError('unreachable')

test.each<[string, GitHub, object]>([
  ['a head that does not move is unchanged', showing('a'), UNCHANGED],
  ['a head that moves within ten seconds of the end is updated', showing('aaaab'), UPDATED],
  [
    "the agent's commit is found seconds after another one",
    showing('addb', listing([A, D_BY_MONA], [A, D_BY_MONA, B])),
    UPDATED,
  ],
  ['stale reads after a newer head are ignored', showing('abbaaab', listing(DOWN, DOWN, [A, B])), UPDATED],
  [
    'a pull request that is merged during a turn without commits is unchanged',
    showing([head('a'), { ...head('a'), state: 'merged' }], {
      compare: resolveInOrder<Comparison>(createGitHubError('not-found')),
    }),
    UNCHANGED,
  ],
])('%s', async (_what, github, expected) => {
  expect((await play(github)).report).toMatchObject(expected)
})

test('commits for another prompt while this one waits do not count for this turn', async () => {
  const more = { isPutOff: true, reads: [completed, completed, active, completed] }
  expect((await play(showing('aabbbbbb'), more)).report).toMatchObject(UNCHANGED)
})

test('a rebase by a person is not an update, and a rebase by the agent is one', async () => {
  const diverged = await relating('diverged')
  const writtenAt = pullCommits(A)[0]?.writtenAt ?? ''
  const by = async (committedBy: string): Promise<DescribedReport> => {
    const rebased = listing([{ ...B, writtenAt, committedBy }])
    return (await play(showing('ab', { ...diverged, ...rebased, listCommitsBetween: resolveInOrder(pullCommits(A)) })))
      .report
  }
  const report = await by('mona')
  expect(report).toMatchObject(UNCHANGED)
  expect(formatTimeline(report)).toContain('none by the agent: 1 by mona.')
  expect(formatTimeline(report)).toContain(`was ${commit('a')} before this turn`)
  expect((await by(AGENT)).operation).toBe('updated')
})

describe('pull request of turn', () => {
  const CUT = Array.from({ length: MAX_COMMITS - 1 }, (_, index) => ({ sha: `${index}` }))

  test.each<[string, Partial<GitHub>, string]>([
    ['the list cannot be read', listing(createGitHubError('forbidden')), 'forbidden'],
    ['the list is stale', listing([A]), 'the newest commit yet'],
    ['the list is truncated', listing([...CUT, B]), `only ${MAX_COMMITS} commits`],
    [
      'the earlier commits of a rewritten branch are gone',
      { ...listing([B]), listCommitsBetween: resolveInOrder<never[]>([]) },
      'the newest commit yet',
    ],
    [
      'the earlier commits of a rewritten branch cannot be read',
      { ...listing([B]), listCommitsBetween: resolveInOrder<never>(createGitHubError('not-found')) },
      'not-found',
    ],
  ])('the authors of new commits are unknown if %s', async (_name, responses, problem) => {
    const { report } = await play(showing('ab', { ...(await relating('diverged')), ...responses }))
    expect(flattenReport(report)).toMatchObject({ outcome: 'pull-request', changed: '', 'pull_request.operation': '' })
    expect(formatTimeline(report)).toContain(`was ${commit('a')} before this turn`)
    const message = 'Could not determine whether the follow-up changed the pull request'
    expect(report.warnings).toMatchObject([
      { message: message, error: { message: expect.stringContaining(problem) as unknown } },
    ])
  })
})

test.each<[string, GitHub | undefined, number]>([
  ['the head cannot be read before the prompt', showing([createGitHubError('forbidden')]), 1],
  ['the head cannot be read after the turn', showing([head('a'), DOWN]), 0],
  ['there is no token, without a warning', undefined, 0],
])('it is unknown what a turn has changed if %s', async (_name, github, warnings) => {
  const { report } = await play(github)
  expect(report).toMatchObject({ outcome: 'pull-request', progress: 'started' })
  expect(report.operation).toBeUndefined()
  expect(
    report.warnings.filter(({ message }) => message.startsWith('Could not determine whether the follow-up')),
  ).toHaveLength(warnings)
})

test.each([
  ['failed was created by this turn', failed, 'created'],
  ['completed is of unknown origin', withoutLink, undefined],
])('without a token, a first pull request after a turn that %s', async (_what, before, operation) => {
  const { report } = await play(undefined, { reads: [before, active, completed] })
  expect([report.outcome, report.operation]).toEqual(['pull-request', operation])
})

test.each([
  ['ahead', 0],
  ['diverged', 1],
  ['behind', 1],
] as const)('a notice names the earlier head only if it is gone: %s (%d)', async (relation, count) => {
  const rewritten = { ...listing([B]), listCommitsBetween: resolveInOrder(pullCommits(A)) }
  const { report } = await play(showing('ab', { ...(await relating(relation)), ...rewritten }))
  expect(report.operation).toBe('updated')
  expect(report.timeline.filter(({ event }) => event.includes(commit('a')))).toHaveLength(count)
})

test.each<[string, PullRequest, Comparison['relation'], Account, string]>([
  ['whose head the agent moved', head('b'), 'identical', PULL_REQUEST.author, 'updated'],
  ['whose head others moved', head('b'), 'identical', MONA, 'unchanged'],
  ['whose branch the agent moved', head('a'), 'ahead', PULL_REQUEST.author, ''],
  ['whose branch the agent rewrote', head('a'), 'diverged', PULL_REQUEST.author, ''],
])('fails if a pull request is merged during the turn: one %s', async (_name, after, relation, account, operation) => {
  const commits = [A, { ...B, account }]
  const listed = listing(after.headSha === commit('a') ? [A] : commits)
  const responses = {
    ...(await relating(relation)),
    ...listed,
    listCommitsBetween: resolveInOrder(pullCommits(...commits)),
  }
  const { report } = await play(showing([head('a'), { ...after, state: 'merged' }], responses))
  expect(report).toMatchObject({ outcome: 'error', error: { code: 'left-behind' } })
  expect(report.error?.message).toMatch(/while the agent was working on it\. .*may not be merged\.$/)
  expect(flattenReport(report)).toMatchObject({ 'pr-state': 'merged', 'pull_request.operation': operation })
})

describe('a pull request that was merged or closed before the turn', () => {
  /**
   * Plays a turn.
   * @param branch the comparisons of its branch with a commit, before and after the turn
   * @param unmerged the commits that the base branch does not have
   */
  async function playEnded(
    branch: readonly Partial<Comparison>[],
    fields: Partial<PullRequest> = {},
    unmerged: GitHub['listCommitsBetween'] = resolveInOrder(pullCommits(A, B)),
  ) {
    const compared: string[][] = []
    const empty = await fakeGitHub().compare('acme/docs', 'a', 'b')
    const compare: GitHub['compare'] = (...args) => {
      compared.push(args)
      return Promise.resolve({ ...empty, relation: 'identical', commits: [], ...branch[compared.length - 1] })
    }
    const ended: PullRequest = { ...head('a'), state: 'merged', ...fields }
    const responses = { compare, ...listing([A]), listCommitsBetween: unmerged }
    return { ...(await play(showing([ended], responses))), compared }
  }
  const AHEAD: Partial<Comparison> = { relation: 'ahead', commits: pullCommits(B) }
  const AHEAD_AGAIN: Partial<Comparison> = { relation: 'ahead', commits: pullCommits({ sha: commit('d') }) }
  const REWRITTEN: Partial<Comparison> = { relation: 'diverged', commits: pullCommits(B) }
  const IN_BASE: Partial<Comparison> = { relation: 'behind', mergeBase: B.sha }
  /** The unmerged commits after the turn, and then those of the head before it. */
  const unmergedThen = (after: readonly Given[], before: readonly Given[] = []) =>
    resolveInOrder(pullCommits(...after), pullCommits(...before))
  const LEFT_BEHIND = { outcome: 'error', error: { code: 'left-behind' } }

  test.each<[string, readonly Partial<Comparison>[], Partial<PullRequest>, (readonly Given[])?]>([
    ['merged', [{}, AHEAD], {}],
    ['closed', [{}, AHEAD], { state: 'closed' }],
    ['merged, with earlier commits on its branch', [AHEAD, AHEAD_AGAIN], {}, [A, B, { sha: commit('d') }]],
    ['merged as a commit that has both heads as parents', [{}, AHEAD], {}, [B]],
    ['merged, and its branch is rewritten', [{}, REWRITTEN], {}, [B]],
    ['merged, and others commit too', [{}, { ...AHEAD, commits: pullCommits(D_BY_MONA) }], {}, [A, B, D_BY_MONA]],
  ])('fails if the agent pushes to its branch: %s', async (_what, branch, fields, unmerged = [A, B]) => {
    const { report } = await playEnded(branch, fields, unmergedThen(unmerged))
    expect(report).toMatchObject(LEFT_BEHIND)
    expect(report.error?.message).toMatch(/before the agent worked on it\. .*are not merged\.$/)
  })

  test.each<[string, readonly Partial<Comparison>[], readonly Given[]]>([
    ['gets commits by others', [{}, AHEAD], [A, { ...B, account: MONA }]],
    [
      'is rewritten by others',
      [{}, REWRITTEN],
      [{ ...B, writtenAt: pullCommits(A)[0]?.writtenAt ?? '', committedBy: 'mona' }],
    ],
    ['gets the commits of the base branch, as a synced fork', [{}, AHEAD, IN_BASE], []],
  ])('is unchanged if its branch %s', async (_what, branch, unmerged) => {
    expect((await playEnded(branch, {}, unmergedThen(unmerged))).report).toMatchObject(UNCHANGED)
  })

  test.each<[string, readonly Partial<Comparison>[], GitHub['listCommitsBetween']]>([
    ['cannot be read', [{}, AHEAD], resolveInOrder<never>(createGitHubError('forbidden'))],
    ['are stale', [{}, AHEAD, { relation: 'behind', mergeBase: A.sha }], resolveInOrder<never[]>([])],
  ])('is in an unknown state if its later commits %s', async (_what, branch, unmerged) => {
    const { report } = await playEnded(branch, {}, unmerged)
    expect(flattenReport(report)).toMatchObject({ outcome: 'pull-request', changed: '', 'pull_request.operation': '' })
    expect(report.warnings).toMatchObject([
      { message: 'Could not determine whether commits were pushed after pull request #7 was merged' },
    ])
  })

  test('is unchanged if its branch does not move', async () => {
    const { report, compared } = await playEnded([AHEAD, {}])
    expect(report).toMatchObject(UNCHANGED)
    expect(compared.map(([, since]) => since)).toEqual([commit('a'), commit('b')])
  })

  test.each<[string, string, readonly string[]]>([
    ['of the base repository', 'acme/docs', ['agent/guide', 'agent/guide']],
    ['of a fork', 'agents/docs', ['agents:agent/guide', 'agents:agent/guide']],
  ])('is compared with a branch %s', async (_what, headRepository, heads) => {
    const { report, compared } = await playEnded([], { headRepository })
    expect(report).toMatchObject(UNCHANGED)
    expect(compared.map(([, , head]) => head)).toEqual(heads)
  })

  test('is in an unknown state if its fork was deleted', async () => {
    const { report, compared } = await playEnded([], { headRepository: '' })
    expect([report.outcome, report.operation, compared]).toEqual(['pull-request', undefined, []])
    expect(report.warnings).toMatchObject([{ error: { message: 'the fork with its branch was deleted.' } }])
  })
})

test.each([failed, archived])('a turn that pushes commits and then ends as $status is an update', async (end) => {
  const reads = [completed, active, end]
  const { report } = await play(showing('ab'), { reads })
  expect(flattenReport(report)).toMatchObject({
    outcome: end.status,
    changed: 'true',
    'pull_request.operation': 'updated',
  })
  expect(conclude(report).text).toContain('However, its pull request has new commits.')

  const merged = await play(showing([head('a'), { ...head('b'), state: 'merged' }]), { reads })
  expect(merged.report.error?.code).toBe('left-behind')

  // The agent may have changed something else.
  const { operation, job } = (await play(showing('a'), { reads })).report
  expect([operation, job?.prLink]).toEqual([undefined, completed.prLink])
})

test.each([
  ['no-changes', undefined, 'a'],
  ['pull-request', 'updated', 'ab'],
])(
  'reads the pull request that the job named before, if it no longer names one: %s',
  async (outcome, operation, heads) => {
    const { report } = await play(showing(heads), { reads: [completed, active, withoutLink] })
    expect(report).toMatchObject({ outcome, job: { prLink: completed.prLink } })
    expect(report.operation).toBe(operation)
  },
)

const UNSAFE = { ...withoutLink, hasUnsafeLink: true } as const

test.each([
  ['continues after an end', [completed, active, withoutLink, active], 'timed-out'],
  ['has a link that cannot be used', [completed, active, UNSAFE], 'error'],
])('it is unknown what a turn has changed that %s', async (_what, reads, outcome) => {
  const { report } = await play(showing('ab'), { reads, inputs: { label: '', timeoutMs: 60_000 } })
  expect([report.outcome, report.operation]).toEqual([outcome, undefined])
})

describe('head before', () => {
  test('sends nothing if the run is cancelled while the head is read', async () => {
    expect((await play(showing([createGitHubError('cancelled')]))).client.calls).toEqual(['get'])
  })

  test.each([
    ['is read once for a prompt that is rejected', 'https://git.example.com', ['readPullRequest']],
    ['is not read on another host', 'https://elsewhere.example.com', []],
  ])('it %s', async (_what, serverUrl, calls) => {
    const github = fakeGitHub()
    const { report } = await play(github, { message: failure('rejected'), facts: { serverUrl } })
    expect(report).toMatchObject({ outcome: 'error', error: { code: 'rejected' } })
    expect(github.calls).toEqual(calls)
    expect(report.warnings).toEqual([])
  })

  test('it is not read with `wait: false`', async () => {
    const github = fakeGitHub()
    const { report } = await play(github, { inputs: { label: '', wait: false } })
    expect([report.outcome, github.calls]).toEqual(['submitted', []])
  })
})
