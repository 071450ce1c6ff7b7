import { describe, expect, test } from '@jest/globals'
import { conclude } from '../../../src/agent/report/conclusion.ts'
import { toOutputs } from '../../../src/agent/report/outputs.ts'
import type { Report } from '../../../src/agent/report/report.ts'
import type { Comparison } from '../../../src/github/comparisons.ts'
import type { GitHub } from '../../../src/github/github.ts'
import { MOST_COMMITS } from '../../../src/github/commits.ts'
import type { Account, PullRequest } from '../../../src/github/pull-requests.ts'
import { ActionError } from '../../../src/runtime/errors.ts'
import { FOLLOW_UP, runScripted } from '../../support/agent-run.ts'
import { active, archived, completed, failed, failure, job, withoutLink } from '../../support/fake-client.ts'
import { type FakeGitHub, fakeGitHub, inTurn, PULL_REQUEST, pullCommits, refusal } from '../../support/fake-github.ts'
import { commit } from '../../support/github-state.ts'

const head = (digit: string): PullRequest => ({ ...PULL_REQUEST, headSha: commit(digit) })
const facts = { serverUrl: 'https://git.example.com' }
/** A turn that ends as the one before did: with the same status and the same pull request. */
const turn = { task: FOLLOW_UP, message: active, reads: [completed, active, completed], facts, inputs: { label: '' } }

/** A GitHub whose pull request shows these heads one after the other, and holds the agent's commits `a` and `b`. */
const showing = (heads: readonly (PullRequest | ActionError)[], answers: Partial<GitHub> = {}): FakeGitHub =>
  fakeGitHub({
    readPullRequest: inTurn(...heads),
    listPullRequestCommits: inTurn(pullCommits({ sha: commit('a') }, { sha: commit('b') })),
    ...answers,
  })

const MONA = { login: 'mona', type: 'User' }
const said = ({ timeline }: Report): string => timeline.map(({ event }) => event).join('\n')

describe('the commits of the pull request decide on a follow-up', () => {
  test('a commit of the agent is an update, and is believed at once', async () => {
    const github = showing([head('a'), head('b')])
    const { report } = await runScripted({ ...turn, github })

    expect(report).toMatchObject({ outcome: 'pull-request', operation: 'updated', shortfalls: [] })
    expect(github.asked.filter((name) => name !== 'readPullRequest')).toEqual(['listPullRequestCommits', 'compare'])
  })

  test('a head that moved proves neither that a turn has begun nor that it has ended', async () => {
    const unseen = await runScripted({
      ...{ ...turn, message: completed, reads: [completed] },
      github: showing([head('a'), head('b')]),
    })
    expect(unseen.report).toMatchObject({ outcome: 'unconfirmed', progress: 'taken' })

    // Seconds after the message the copies of before it are read, and the head is one that somebody has pushed.
    const reads = [completed, active, completed, completed, active, failed]
    const early = await runScripted({ ...turn, reads, github: showing([head('a'), head('b')]) })
    expect(early.report).toMatchObject({ outcome: 'failed', operation: 'updated' })
  })

  test('a prompt whose fate is unknown stays so, whoever has pushed', async () => {
    const github = showing([head('a'), head('b')])
    const { report } = await runScripted({ ...turn, message: failure('unknown-fate'), reads: [completed], github })

    expect(report).toMatchObject({ outcome: 'error', error: { code: 'unknown-fate' } })
  })

  test('commits of others alone change nothing of this turn, and are said without a mention', async () => {
    const nobody = { login: '', type: '' }
    const others = [
      { sha: commit('b'), account: MONA },
      { sha: commit('c'), account: nobody, writtenBy: '@Ann\u001b[31m <ann@example.com>' },
      { sha: commit('d'), account: MONA },
    ]
    const listPullRequestCommits = inTurn(pullCommits({ sha: commit('a') }, ...others))
    const github = showing([head('a'), head('d')], { listPullRequestCommits })
    const { report } = await runScripted({ ...turn, github })

    expect(toOutputs(report)).toMatchObject({ outcome: 'no-changes', changed: 'false', 'pr-operation': 'unchanged' })
    expect(said(report)).toContain(
      'Pull request #7 got 3 commits during this turn, and none by the agent: 2 by mona, 1 by Ann.',
    )
  })

  test('of many others the first five are named', async () => {
    const others = Array.from('bcdef01', (digit) => ({
      sha: commit(digit),
      account: { login: `u${digit}`, type: 'User' },
    }))
    const listPullRequestCommits = inTurn(pullCommits({ sha: commit('a') }, ...others))
    const { report } = await runScripted({
      ...turn,
      github: showing([head('a'), head('1')], { listPullRequestCommits }),
    })
    expect(said(report)).toContain('got 7 commits during this turn, and none by the agent: 1 by ub, ')
    expect(said(report)).toContain('1 by uf, 2 by others.')
  })

  test("the agent's commit may come some seconds after another one", async () => {
    const listPullRequestCommits = inTurn(
      pullCommits({ sha: commit('a') }, { sha: commit('d'), account: MONA }),
      pullCommits({ sha: commit('a') }, { sha: commit('d'), account: MONA }, { sha: commit('b') }),
    )
    const github = showing([head('a'), head('d'), head('d'), head('b')], { listPullRequestCommits })
    expect((await runScripted({ ...turn, github })).report.operation).toBe('updated')
  })

  test('a person who rewrites the branch with the commits of the agent has not changed anything for it', async () => {
    const [old, rebased] = [
      { sha: commit('a') },
      { sha: commit('b'), writtenAt: pullCommits({ sha: commit('a') })[0]?.writtenAt ?? '' },
    ]
    const compare = inTurn({ ...(await fakeGitHub().compare('acme/docs', 'a', 'b')), relation: 'diverged' as const })
    const by = async (committedBy: string): Promise<Report> => {
      const github = showing([head('a'), head('b')], {
        compare,
        listPullRequestCommits: inTurn(pullCommits({ ...rebased, committedBy })),
        listCommitsBetween: inTurn(pullCommits(old)),
      })
      return (await runScripted({ ...turn, github })).report
    }
    const report = await by('mona')
    expect(report).toMatchObject({ outcome: 'no-changes', operation: 'unchanged' })
    expect(said(report)).toContain('none by the agent: 1 by mona.')
    expect(said(report)).toContain(`was ${commit('a')} before this turn`)
    expect((await by(PULL_REQUEST.author.login)).operation).toBe('updated')
  })

  test.each<[string, Partial<GitHub>, string]>([
    ['they cannot be read', { listPullRequestCommits: inTurn<never>(refusal('forbidden')) }, 'forbidden'],
    [
      'the list is an old copy',
      { listPullRequestCommits: inTurn(pullCommits({ sha: commit('a') })) },
      'the newest one yet',
    ],
    [
      'the list is cut',
      {
        listPullRequestCommits: inTurn(
          pullCommits(...Array.from({ length: MOST_COMMITS - 1 }, (_, index) => ({ sha: `${index}` })), {
            sha: commit('b'),
          }),
        ),
      },
      `only ${MOST_COMMITS} commits`,
    ],
    [
      'the earlier ones of a rewritten branch are gone',
      { listPullRequestCommits: inTurn(pullCommits({ sha: commit('b') })), listCommitsBetween: inTurn<never[]>([]) },
      'the newest one yet',
    ],
    [
      'the earlier ones of a rewritten branch cannot be',
      {
        listPullRequestCommits: inTurn(pullCommits({ sha: commit('b') })),
        listCommitsBetween: inTurn<never>(refusal('not-found')),
      },
      'not-found',
    ],
  ])('whose commits came is not known if %s', async (_name, answers, problem) => {
    const compare = inTurn({ ...(await fakeGitHub().compare('acme/docs', 'a', 'b')), relation: 'diverged' as const })
    const { report } = await runScripted({ ...turn, github: showing([head('a'), head('b')], { compare, ...answers }) })

    expect(toOutputs(report)).toMatchObject({ outcome: 'pull-request', changed: '', 'pr-operation': '' })
    expect(said(report)).toContain(`was ${commit('a')} before this turn`)
    expect(report.shortfalls).toMatchObject([
      {
        lost: 'Whether the follow-up changed the pull request is not known',
        error: { message: expect.stringContaining(problem) as unknown },
      },
    ])
  })

  test('old copies after a newer head do not take it back', async () => {
    const isDown = refusal('unreachable')
    const listPullRequestCommits = inTurn(isDown, isDown, pullCommits({ sha: commit('a') }, { sha: commit('b') }))
    const github = showing(Array.from('abbaaab', head), { listPullRequestCommits })
    expect((await runScripted({ ...turn, github })).report).toMatchObject({ operation: 'updated', shortfalls: [] })
  })

  test('what another prompt has brought while this one was put off is not of this turn', async () => {
    const github = showing(Array.from('aabbbbbb', head))
    const { report } = await runScripted({
      ...turn,
      isPutOff: true,
      reads: [completed, completed, active, completed],
      github,
    })
    expect(report).toMatchObject({ outcome: 'no-changes', operation: 'unchanged' })
  })

  test('what looks at the pull request afterwards knows the newest head, too', async () => {
    const github = showing(Array.from('ababab', head))
    const { report, log } = await runScripted({ ...turn, inputs: { label: '', waitForChecks: true }, github })
    expect(report.pullRequest?.headSha).toBe(commit('b'))
    expect(log.filter((line) => line.includes('has a new commit'))).toEqual([])
  })

  test('a head that did not move means that nothing changed', async () => {
    const github = fakeGitHub({ readPullRequest: inTurn(head('a')) })
    const { report } = await runScripted({ ...turn, github })

    expect(report).toMatchObject({ outcome: 'no-changes', operation: 'unchanged' })
  })

  test('a head that moves within ten seconds of the end was only late', async () => {
    const late = job({ status: 'completed', prLink: 'https://git.example.com/acme/docs/pull/7' })
    const github = showing([...Array<PullRequest>(4).fill(head('a')), head('b')])
    const { report } = await runScripted({ ...turn, reads: [completed, active, late], github })

    expect(report).toMatchObject({ outcome: 'pull-request', operation: 'updated' })
  })

  test.each([
    ['before the message', inTurn<PullRequest>(refusal('forbidden'))],
    ['after the turn', inTurn<PullRequest>(head('a'), refusal('unreachable'))],
  ])('a head that cannot be read %s leaves it unknown', async (_name, readPullRequest) => {
    const { report } = await runScripted({ ...turn, github: fakeGitHub({ readPullRequest }) })

    expect(report).toMatchObject({ outcome: 'pull-request', progress: 'seen' })
    expect(report.operation).toBeUndefined()
  })

  test('without a token nobody knows, and it is no loss that has to be said', async () => {
    const { report } = await runScripted(turn)

    expect(report).toMatchObject({ outcome: 'pull-request', shortfalls: [] })
    expect(report.operation).toBeUndefined()
  })

  test('a first pull request after a turn that failed is created, whatever GitHub says', async () => {
    const { report } = await runScripted({ ...turn, reads: [failed, active, completed] })

    expect(report).toMatchObject({ outcome: 'pull-request', operation: 'created' })
  })

  test('a first pull request after a turn that completed may be of that turn', async () => {
    const { report } = await runScripted({ ...turn, reads: [withoutLink, active, completed] })

    expect(report.outcome).toBe('pull-request')
    expect(report.operation).toBeUndefined()
  })

  test('a head that does not come from the one before is said, with the commit that is gone', async () => {
    const notices = async (relation: Comparison['relation']): Promise<readonly string[]> => {
      const usual = await fakeGitHub().compare('acme/docs', 'a', 'b')
      const compare = inTurn({ ...usual, relation })
      const listPullRequestCommits = inTurn(pullCommits({ sha: commit('b') }))
      const listCommitsBetween = inTurn(pullCommits({ sha: commit('a') }))
      const github = showing([head('a'), head('b')], { compare, listPullRequestCommits, listCommitsBetween })
      const { report } = await runScripted({ ...turn, github })
      expect(report.operation).toBe('updated')
      return report.timeline.map(({ event }) => event).filter((event) => event.includes(commit('a')))
    }
    expect(await notices('ahead')).toEqual([])
    expect(await notices('diverged')).toHaveLength(1)
    expect(await notices('behind')).toHaveLength(1)
  })

  test.each<[string, PullRequest, Comparison['relation'], Account, string]>([
    ['whose head was moved by the agent', head('b'), 'identical', PULL_REQUEST.author, 'updated'],
    ['whose head was moved by others', head('b'), 'identical', MONA, 'unchanged'],
    ['whose branch moved without it', head('a'), 'ahead', MONA, ''],
  ])(
    'a pull request that is merged during the turn and %s is red',
    async (_name, after, relation, account, operation) => {
      const usual = await fakeGitHub().compare('acme/docs', 'a', 'b')
      const github = showing([head('a'), { ...after, state: 'merged' }], {
        compare: inTurn({ ...usual, relation }),
        listPullRequestCommits: inTurn(pullCommits({ sha: commit('a') }, { sha: commit('b'), account })),
      })
      const { report } = await runScripted({ ...turn, github })
      expect(report).toMatchObject({ outcome: 'error', error: { code: 'left-behind' } })
      expect(toOutputs(report)).toMatchObject({ 'pr-state': 'merged', 'pr-operation': operation })
    },
  )

  test.each([failed, archived])(
    'a turn that pushes and then comes to a bad end ($status) has changed it',
    async (end) => {
      const reads = [completed, active, end]
      const { report } = await runScripted({ ...turn, reads, github: showing([head('a'), head('b')]) })
      expect(toOutputs(report)).toMatchObject({ outcome: end.status, changed: 'true', 'pr-operation': 'updated' })
      expect(conclude(report, new Set()).text).toContain('Its pull request has new commits all the same.')

      const merged = showing([head('a'), { ...head('b'), state: 'merged' }])
      expect((await runScripted({ ...turn, reads, github: merged })).report.error?.code).toBe('left-behind')

      const still = fakeGitHub({ readPullRequest: inTurn(head('a')) })
      const { operation, job } = (await runScripted({ ...turn, reads, github: still })).report
      // It may have worked elsewhere.
      expect([operation, job?.prLink]).toEqual([undefined, completed.prLink])
    },
  )

  test.each([
    ['no-changes', undefined, [head('a')]],
    ['pull-request', 'updated', [head('a'), head('b')]],
  ] as const)(
    'a job that names its pull request no more is still held to it: %s',
    async (outcome, operation, heads) => {
      const reads = [completed, active, withoutLink]
      const { report } = await runScripted({ ...turn, reads, github: showing(heads) })
      expect(report).toMatchObject({ outcome, job: { prLink: completed.prLink } })
      expect(report.operation).toBe(operation)
    },
  )

  test('a pull request that is merged during a turn without commits has not changed', async () => {
    const github = fakeGitHub({
      readPullRequest: inTurn<PullRequest>(head('a'), { ...head('a'), state: 'merged' }),
      compare: inTurn<Comparison>(refusal('not-found')),
    })
    const { report } = await runScripted({ ...turn, github })
    expect(report).toMatchObject({ outcome: 'no-changes', operation: 'unchanged', shortfalls: [] })
  })
})
