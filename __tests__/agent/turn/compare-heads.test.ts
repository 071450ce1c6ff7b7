import { describe, expect, test } from '@jest/globals'
import { attributeCommits } from '../../../src/agent/turn/turn-work.ts'
import { conclude } from '../../../src/agent/report/outcomes.ts'
import { toOutputs } from '../../../src/agent/report/outputs.ts'
import { type Comparison, MAX_COMMITS, type PullRequestCommit } from '../../../src/github/commits.ts'
import type { GitHub } from '../../../src/github/github.ts'
import type { Account, PullRequest } from '../../../src/github/pull-requests.ts'
import type { ActionError } from '../../../src/runtime/errors.ts'
import { type TurnRun, type TurnRunOptions, playTurn } from '../../support/turn-run.ts'
import { type DescribedReport, FOLLOW_UP } from '../../support/report.ts'
import { active, archived, completed, failed, failure, withoutLink } from '../../support/fake-client.ts'
import { type FakeGitHub, fakeGitHub, inTurn, PULL_REQUEST, pullCommits, refusal } from '../../support/fake-github.ts'
import { commit } from '../../support/github-state.ts'

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
  ['others', [A1, A2, mona('m1'), mona('m2'), mona('x', { writtenBy: '' })], 0, { mona: 2, 'an unknown author': 1 }],
  [
    'a merge of another branch with earlier work of the agent',
    [A1, A2, EARLIER_WORK, mona('merge', { parents: ['a2', 'main'] })],
    0,
    { mona: 1 },
  ],
  [
    'a merge by a person of what the agent has pushed meanwhile',
    [A1, A2, M, A3, mona('merge', { parents: ['m', 'a3'] })],
    1,
    { mona: 2 },
  ],
  ['a rebase by a person, in other words', [ours('b1', { ...FIRST, message: 'Reworded' })], 0, { mona: 1 }],
  ['a rebase of the newest one', [A1, ours('b2', SECOND)], 0, { mona: 1 }],
  ['a rebase by a person, and the agent', [ours('b1', FIRST), ours('b2', SECOND), ours('a3')], 1, { mona: 2 }],
  ['an amended commit of the agent', [A1, ours('b2', { ...SECOND, committedBy: AGENT })], 1, {}],
  ['a forced push of the agent', [ours('b1')], 1, {}],
  ['a branch that was put back', [A1], 0, {}],
])('whose commits are new after %s', (_what, listed, byAgent, others) => {
  // The dates that their authors gave them decide on the order of the list.
  const found = attributeCommits(BEFORE, pullCommits(...listed).toReversed(), new Set([AGENT]))
  expect({ ...found, others: Object.fromEntries(found.others) }).toEqual({ byAgent, others })
})

const head = (digit: string): PullRequest => ({ ...PULL_REQUEST, headSha: commit(digit) })
const MONA = { login: 'mona', type: 'User' }
const said = ({ timeline }: DescribedReport): string => timeline.map(({ event }) => event).join('\n')
const listing = (...lists: readonly (readonly Given[] | ActionError)[]) => ({
  listPullRequestCommits: inTurn(...lists.map((list) => (list instanceof Array ? pullCommits(...list) : list))),
})
const relating = async (relation: Comparison['relation']) => ({
  compare: inTurn({ ...(await fakeGitHub().compare('acme/docs', 'a', 'b')), relation }),
})

const [A, B, D_BY_MONA] = [{ sha: commit('a') }, { sha: commit('b') }, { sha: commit('d'), account: MONA }]

/** A GitHub whose pull request shows these heads one after the other, and holds the agent's commits `a` and `b`. */
const showing = (heads: string | readonly (PullRequest | ActionError)[], answers: Partial<GitHub> = {}): FakeGitHub =>
  fakeGitHub({
    readPullRequest: inTurn(...(typeof heads === 'string' ? Array.from(heads, head) : heads)),
    ...listing([A, B]),
    ...answers,
  })

/** A follow-up whose turn ends as the one before did: with the same status and the same pull request. */
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

test('a commit of the agent is an update, and is believed at once', async () => {
  const github = showing('ab')
  expect((await play(github)).report).toMatchObject(UPDATED)
  expect(github.asked.filter((name) => name !== 'readPullRequest')).toEqual(['listPullRequestCommits'])
})

test.each<[string, Partial<TurnRunOptions>, object]>([
  ['a turn has begun', { message: completed, reads: [completed] }, { outcome: 'unconfirmed', progress: 'accepted' }],
  [
    // Seconds after the message the copies of before it are read, and the head is one that somebody has pushed.
    'a turn has ended',
    { reads: [completed, active, completed, completed, active, failed] },
    { outcome: 'failed', operation: 'updated' },
  ],
  [
    'a prompt was taken whose fate is unknown',
    { message: failure('unknown-fate'), reads: [completed] },
    { outcome: 'error', error: { code: 'unknown-fate' } },
  ],
])('a head that moved does not prove that %s', async (_what, more, expected) => {
  expect((await play(showing('ab'), more)).report).toMatchObject(expected)
})

test('commits of others alone change nothing of this turn, and are said without a mention', async () => {
  const nobody = { account: { login: '', type: '' }, writtenBy: '@Ann\u001b[31m <ann@example.com>' }
  const others = [{ ...B, account: MONA }, { sha: commit('c'), ...nobody }, D_BY_MONA]
  const { report } = await play(showing('ad', listing([A, ...others])))
  expect(toOutputs(report)).toMatchObject({ outcome: 'no-changes', changed: 'false', 'pr-operation': 'unchanged' })
  expect(said(report)).toContain(
    'During this turn, pull request #7 received 3 commits by others and none by the agent: 2 by mona, 1 by Ann.',
  )
})

test('of many others the first five are named', async () => {
  const others = Array.from('bcdef01', (digit) => ({ sha: commit(digit), account: { ...MONA, login: `u${digit}` } }))
  const { report } = await play(showing('a1', listing([A, ...others])))
  expect(said(report)).toMatch(/received 7 commits by others and none by the agent: 1 by ub, .*1 by uf, 2 by others\./)
})

const DOWN = refusal('unreachable')

test.each<[string, GitHub, object]>([
  ['a head that did not move means that nothing changed', showing('a'), UNCHANGED],
  ['a head that moves within ten seconds of the end was only late', showing('aaaab'), UPDATED],
  [
    "the agent's commit may come some seconds after another one",
    showing('addb', listing([A, D_BY_MONA], [A, D_BY_MONA, B])),
    UPDATED,
  ],
  ['old copies after a newer head do not take it back', showing('abbaaab', listing(DOWN, DOWN, [A, B])), UPDATED],
  [
    'a pull request that is merged during a turn without commits has not changed',
    showing([head('a'), { ...head('a'), state: 'merged' }], { compare: inTurn<Comparison>(refusal('not-found')) }),
    UNCHANGED,
  ],
])('%s', async (_what, github, expected) => {
  expect((await play(github)).report).toMatchObject(expected)
})

test('what another prompt has brought while this one was put off is not of this turn', async () => {
  const more = { isPutOff: true, reads: [completed, completed, active, completed] }
  expect((await play(showing('aabbbbbb'), more)).report).toMatchObject(UNCHANGED)
})

test('a person who rewrites the branch with the commits of the agent has not changed anything for it', async () => {
  const diverged = await relating('diverged')
  const writtenAt = pullCommits(A)[0]?.writtenAt ?? ''
  const by = async (committedBy: string): Promise<DescribedReport> => {
    const rebased = listing([{ ...B, writtenAt, committedBy }])
    return (await play(showing('ab', { ...diverged, ...rebased, listCommitsBetween: inTurn(pullCommits(A)) }))).report
  }
  const report = await by('mona')
  expect(report).toMatchObject(UNCHANGED)
  expect(said(report)).toContain('none by the agent: 1 by mona.')
  expect(said(report)).toContain(`was ${commit('a')} before this turn`)
  expect((await by(AGENT)).operation).toBe('updated')
})

describe('pull request of turn', () => {
  const CUT = Array.from({ length: MAX_COMMITS - 1 }, (_, index) => ({ sha: `${index}` }))

  test.each<[string, Partial<GitHub>, string]>([
    ['they cannot be read', listing(refusal('forbidden')), 'forbidden'],
    ['the list is an old copy', listing([A]), 'the newest commit yet'],
    ['the list is cut', listing([...CUT, B]), `only ${MAX_COMMITS} commits`],
    [
      'the earlier ones of a rewritten branch are gone',
      { ...listing([B]), listCommitsBetween: inTurn<never[]>([]) },
      'the newest commit yet',
    ],
    [
      'the earlier ones of a rewritten branch cannot be read',
      { ...listing([B]), listCommitsBetween: inTurn<never>(refusal('not-found')) },
      'not-found',
    ],
  ])('whose commits came is not known if %s', async (_name, answers, problem) => {
    const { report } = await play(showing('ab', { ...(await relating('diverged')), ...answers }))
    expect(toOutputs(report)).toMatchObject({ outcome: 'pull-request', changed: '', 'pr-operation': '' })
    expect(said(report)).toContain(`was ${commit('a')} before this turn`)
    const lost = 'Could not determine whether the follow-up changed the pull request'
    expect(report.warnings).toMatchObject([
      { message: lost, error: { message: expect.stringContaining(problem) as unknown } },
    ])
  })
})

test.each<[string, GitHub | undefined, number]>([
  ['the head could not be read before the message', showing([refusal('forbidden')]), 1],
  ['the head could not be read after the turn', showing([head('a'), DOWN]), 0],
  ['there is no token, which is no loss', undefined, 0],
])('what a turn has changed is not known if %s', async (_name, github, losses) => {
  const { report } = await play(github)
  expect(report).toMatchObject({ outcome: 'pull-request', progress: 'started' })
  expect(report.operation).toBeUndefined()
  expect(
    report.warnings.filter(({ message }) => message.startsWith('Could not determine whether the follow-up')),
  ).toHaveLength(losses)
})

test.each([
  ['failed is created', failed, 'created'],
  ['completed may be of that turn', withoutLink, undefined],
])('without a token, a first pull request after a turn that %s', async (_what, before, operation) => {
  const { report } = await play(undefined, { reads: [before, active, completed] })
  expect([report.outcome, report.operation]).toEqual(['pull-request', operation])
})

test.each([
  ['ahead', 0],
  ['diverged', 1],
  ['behind', 1],
] as const)('a head that is %s of the one before is said with the commit that is gone: %d', async (relation, count) => {
  const rewritten = { ...listing([B]), listCommitsBetween: inTurn(pullCommits(A)) }
  const { report } = await play(showing('ab', { ...(await relating(relation)), ...rewritten }))
  expect(report.operation).toBe('updated')
  expect(report.timeline.filter(({ event }) => event.includes(commit('a')))).toHaveLength(count)
})

test.each<[string, PullRequest, Comparison['relation'], Account, string]>([
  ['whose head was moved by the agent', head('b'), 'identical', PULL_REQUEST.author, 'updated'],
  ['whose head was moved by others', head('b'), 'identical', MONA, 'unchanged'],
  ['whose branch was moved by the agent', head('a'), 'ahead', PULL_REQUEST.author, ''],
  ['whose branch was rewritten by the agent', head('a'), 'diverged', PULL_REQUEST.author, ''],
])(
  'a pull request that is merged during the turn and %s is red',
  async (_name, after, relation, account, operation) => {
    const commits = [A, { ...B, account }]
    const listed = listing(after.headSha === commit('a') ? [A] : commits)
    const answers = { ...(await relating(relation)), ...listed, listCommitsBetween: inTurn(pullCommits(...commits)) }
    const { report } = await play(showing([head('a'), { ...after, state: 'merged' }], answers))
    expect(report).toMatchObject({ outcome: 'error', error: { code: 'left-behind' } })
    expect(report.error?.message).toMatch(/while the agent was working on it\. .*may not be merged\.$/)
    expect(toOutputs(report)).toMatchObject({ 'pr-state': 'merged', 'pr-operation': operation })
  },
)

describe('a pull request that was merged or closed before the turn', () => {
  /**
   * Plays a turn in it, with what its branch has on top of some commit before and after the turn.
   * @param unmerged the commits that the base branch does not have
   */
  async function playEnded(
    branch: readonly Partial<Comparison>[],
    fields: Partial<PullRequest> = {},
    unmerged: GitHub['listCommitsBetween'] = inTurn(pullCommits(A, B)),
  ) {
    const compared: string[][] = []
    const empty = await fakeGitHub().compare('acme/docs', 'a', 'b')
    const compare: GitHub['compare'] = (...asked) => {
      compared.push(asked)
      return Promise.resolve({ ...empty, relation: 'identical', commits: [], ...branch[compared.length - 1] })
    }
    const ended: PullRequest = { ...head('a'), state: 'merged', ...fields }
    const answers = { compare, ...listing([A]), listCommitsBetween: unmerged }
    return { ...(await play(showing([ended], answers))), compared }
  }
  const AHEAD: Partial<Comparison> = { relation: 'ahead', commits: pullCommits(B) }
  const AHEAD_AGAIN: Partial<Comparison> = { relation: 'ahead', commits: pullCommits({ sha: commit('d') }) }
  const REWRITTEN: Partial<Comparison> = { relation: 'diverged', commits: pullCommits(B) }
  const IN_BASE: Partial<Comparison> = { relation: 'behind', mergeBase: B.sha }
  /** After the turn, and then of the head before it. */
  const unmergedThen = (after: readonly Given[], before: readonly Given[] = []) =>
    inTurn(pullCommits(...after), pullCommits(...before))
  const LEFT_BEHIND = { outcome: 'error', error: { code: 'left-behind' } }

  test.each<[string, readonly Partial<Comparison>[], Partial<PullRequest>, (readonly Given[])?]>([
    ['merged', [{}, AHEAD], {}],
    ['closed', [{}, AHEAD], { state: 'closed' }],
    ['merged, with commits of before', [AHEAD, AHEAD_AGAIN], {}, [A, B, { sha: commit('d') }]],
    ['merged as a commit that has both heads as parents', [{}, AHEAD], {}, [B]],
    ['merged, and its branch is rewritten', [{}, REWRITTEN], {}, [B]],
    ['merged, and others commit as well', [{}, { ...AHEAD, commits: pullCommits(D_BY_MONA) }], {}, [A, B, D_BY_MONA]],
  ])('and gets commits of the agent is red: %s', async (_what, branch, fields, unmerged = [A, B]) => {
    const { report } = await playEnded(branch, fields, unmergedThen(unmerged))
    expect(report).toMatchObject(LEFT_BEHIND)
    expect(report.error?.message).toMatch(/before the agent worked on it\. .*are not merged\.$/)
  })

  test.each<[string, readonly Partial<Comparison>[], readonly Given[]]>([
    ['gets commits of others', [{}, AHEAD], [A, { ...B, account: MONA }]],
    [
      'is rewritten by others',
      [{}, REWRITTEN],
      [{ ...B, writtenAt: pullCommits(A)[0]?.writtenAt ?? '', committedBy: 'mona' }],
    ],
    ['gets the commits of its base, as a fork that is synced', [{}, AHEAD, IN_BASE], []],
  ])('and whose branch %s has not changed', async (_what, branch, unmerged) => {
    expect((await playEnded(branch, {}, unmergedThen(unmerged))).report).toMatchObject(UNCHANGED)
  })

  test.each<[string, readonly Partial<Comparison>[], GitHub['listCommitsBetween']]>([
    ['cannot be read', [{}, AHEAD], inTurn<never>(refusal('forbidden'))],
    ['are an old copy', [{}, AHEAD, { relation: 'behind', mergeBase: A.sha }], inTurn<never[]>([])],
  ])('and whose later commits %s is not known to have changed', async (_what, branch, unmerged) => {
    const { report } = await playEnded(branch, {}, unmerged)
    expect(toOutputs(report)).toMatchObject({ outcome: 'pull-request', changed: '', 'pr-operation': '' })
    expect(report.warnings).toMatchObject([
      { message: 'Could not determine whether commits were pushed after pull request #7 was merged' },
    ])
  })

  test('and whose branch stays as it was has not changed', async () => {
    const { report, compared } = await playEnded([AHEAD, {}])
    expect(report).toMatchObject(UNCHANGED)
    expect(compared.map(([, since]) => since)).toEqual([commit('a'), commit('b')])
  })

  test.each<[string, string, readonly string[]]>([
    ['of the base repository', 'acme/docs', ['agent/guide', 'agent/guide']],
    ['of a fork', 'agents/docs', ['agents:agent/guide', 'agents:agent/guide']],
  ])('has a branch that is one %s', async (_what, headRepository, heads) => {
    const { report, compared } = await playEnded([], { headRepository })
    expect(report).toMatchObject(UNCHANGED)
    expect(compared.map(([, , asked]) => asked)).toEqual(heads)
  })

  test('and whose fork was deleted is not known to have changed', async () => {
    const { report, compared } = await playEnded([], { headRepository: '' })
    expect([report.outcome, report.operation, compared]).toEqual(['pull-request', undefined, []])
    expect(report.warnings).toMatchObject([{ error: { message: 'the fork with its branch was deleted.' } }])
  })
})

test.each([failed, archived])(
  'a turn that pushes and then comes to a bad end ($status) has changed it',
  async (end) => {
    const reads = [completed, active, end]
    const { report } = await play(showing('ab'), { reads })
    expect(toOutputs(report)).toMatchObject({ outcome: end.status, changed: 'true', 'pr-operation': 'updated' })
    expect(conclude(report).text).toContain('However, its pull request has new commits.')

    const merged = await play(showing([head('a'), { ...head('b'), state: 'merged' }]), { reads })
    expect(merged.report.error?.code).toBe('left-behind')

    // It may have worked elsewhere.
    const { operation, job } = (await play(showing('a'), { reads })).report
    expect([operation, job?.prLink]).toEqual([undefined, completed.prLink])
  },
)

test.each([
  ['no-changes', undefined, 'a'],
  ['pull-request', 'updated', 'ab'],
])('a job that names its pull request no more is still held to it: %s', async (outcome, operation, heads) => {
  const { report } = await play(showing(heads), { reads: [completed, active, withoutLink] })
  expect(report).toMatchObject({ outcome, job: { prLink: completed.prLink } })
  expect(report.operation).toBe(operation)
})

const UNSAFE = { ...withoutLink, hasUnsafeLink: true } as const

test.each([
  ['goes on after an end', [completed, active, withoutLink, active], 'timed-out'],
  ['has a link that cannot be used', [completed, active, UNSAFE], 'error'],
])('of a turn that %s nobody says what it has changed', async (_what, reads, outcome) => {
  const { report } = await play(showing('ab'), { reads, inputs: { label: '', timeoutMs: 60_000 } })
  expect([report.outcome, report.operation]).toEqual([outcome, undefined])
})

describe('head before', () => {
  test('a run that is cancelled while a head is read sends nothing', async () => {
    expect((await play(showing([refusal('cancelled')]))).client.calls).toEqual(['get'])
  })

  test.each([
    ['is read once for a message that is refused', 'https://git.example.com', ['readPullRequest']],
    ['is not asked for on another host', 'https://elsewhere.example.com', []],
  ])('it %s', async (_what, serverUrl, asked) => {
    const github = fakeGitHub()
    const { report } = await play(github, { message: failure('rejected'), facts: { serverUrl } })
    expect(report).toMatchObject({ outcome: 'error', error: { code: 'rejected' } })
    expect(github.asked).toEqual(asked)
    expect(report.warnings).toEqual([])
  })

  test('it is not read if nobody waits for the turn', async () => {
    const github = fakeGitHub()
    const { report } = await play(github, { inputs: { label: '', wait: false } })
    expect([report.outcome, github.asked]).toEqual(['submitted', []])
  })
})
