import { describe, expect, test } from '@jest/globals'
import { conclude } from '../../../src/agent/report/conclusion.ts'
import { toOutputs } from '../../../src/agent/report/outputs.ts'
import type { Comparison } from '../../../src/github/comparisons.ts'
import type { PullRequest } from '../../../src/github/pull-requests.ts'
import { ActionError } from '../../../src/shared/errors.ts'
import { FOLLOW_UP, runScripted } from '../../support/agent-run.ts'
import { active, archived, completed, failed, failure, job, withoutLink } from '../../support/fake-client.ts'
import { fakeGitHub, inTurn, PULL_REQUEST, refusal } from '../../support/fake-github.ts'
import { commit } from '../../support/github-state.ts'

const head = (digit: string): PullRequest => ({ ...PULL_REQUEST, headSha: commit(digit) })
const facts = { serverUrl: 'https://git.example.com' }
/** A turn that ends as the one before did: with the same status and the same pull request. */
const turn = { task: FOLLOW_UP, message: active, reads: [completed, active, completed], facts, inputs: { label: '' } }

describe('the head of the pull request decides on a follow-up', () => {
  test('a head that moved is an update, and proves the end at once', async () => {
    const github = fakeGitHub({ readPullRequest: inTurn(head('a'), head('b')) })
    const { report, client } = await runScripted({ ...turn, github })

    expect(report).toMatchObject({ outcome: 'pull-request', operation: 'updated' })
    expect(client.calls).toEqual(['get', 'message', 'get', 'get'])
  })

  test('a head that moved proves a turn that no read showed', async () => {
    const github = fakeGitHub({ readPullRequest: inTurn(head('a'), head('b')) })
    const { report } = await runScripted({ ...turn, message: completed, reads: [completed], github })

    expect(report).toMatchObject({ outcome: 'pull-request', operation: 'updated', turn: 'seen' })
  })

  test('a head that moved proves nothing about a prompt whose fate is unknown: people push too', async () => {
    const github = fakeGitHub({ readPullRequest: inTurn(head('a'), head('b')) })
    const { report } = await runScripted({ ...turn, message: failure('unknown-fate'), reads: [completed], github })

    expect(report).toMatchObject({ outcome: 'error', error: { code: 'unknown-fate' } })
  })

  test('a head that did not move means that nothing changed', async () => {
    const github = fakeGitHub({ readPullRequest: inTurn(head('a')) })
    const { report } = await runScripted({ ...turn, github })

    expect(report).toMatchObject({ outcome: 'no-changes', operation: 'unchanged' })
  })

  test('a head that moves within ten seconds of the end was only late', async () => {
    const late = job({ status: 'completed', prLink: 'https://git.example.com/acme/docs/pull/7' })
    const heads = inTurn(...Array<PullRequest>(9).fill(head('a')), head('b'))
    const { report } = await runScripted({
      ...turn,
      reads: [completed, active, late],
      github: fakeGitHub({ readPullRequest: heads }),
    })

    expect(report).toMatchObject({ outcome: 'pull-request', operation: 'updated' })
  })

  test.each([
    ['before the message', inTurn<PullRequest>(refusal('forbidden'))],
    ['after the turn', inTurn<PullRequest>(head('a'), refusal('unreachable'))],
  ])('a head that cannot be read %s leaves it unknown', async (_name, readPullRequest) => {
    const { report } = await runScripted({ ...turn, github: fakeGitHub({ readPullRequest }) })

    expect(report).toMatchObject({ outcome: 'pull-request', turn: 'seen' })
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
      const github = fakeGitHub({ readPullRequest: inTurn(head('a'), head('b')), compare })
      const { report } = await runScripted({ ...turn, github })
      expect(report.operation).toBe('updated')
      return report.timeline.map(({ event }) => event).filter((event) => event.includes(commit('a')))
    }
    expect(await notices('ahead')).toEqual([])
    expect(await notices('diverged')).toHaveLength(1)
    expect(await notices('behind')).toHaveLength(1)
  })

  test.each([
    ['whose head moved', head('b'), 'identical'],
    ['whose branch moved without it', head('a'), 'ahead'],
  ] as const)('a pull request that is merged during the turn and %s is red', async (_name, after, relation) => {
    const usual = await fakeGitHub().compare('acme/docs', 'a', 'b')
    const github = fakeGitHub({
      readPullRequest: inTurn<PullRequest>(head('a'), { ...after, state: 'merged' }),
      compare: inTurn({ ...usual, relation }),
    })
    const { report } = await runScripted({ ...turn, github })
    expect(report).toMatchObject({ outcome: 'error', operation: 'updated', error: { code: 'left-behind' } })
    expect(toOutputs(report)['pr-state']).toBe('merged')
  })

  test.each([failed, archived])(
    'a turn that pushes and then comes to a bad end ($status) has changed it',
    async (end) => {
      const reads = [completed, active, end]
      const github = fakeGitHub({ readPullRequest: inTurn(head('a'), head('b')) })
      const { report } = await runScripted({ ...turn, reads, github })
      expect(toOutputs(report)).toMatchObject({ outcome: end.status, changed: 'true', 'pr-operation': 'updated' })
      expect(conclude(report, new Set()).text).toContain('Its pull request has new commits all the same.')

      const merged = fakeGitHub({ readPullRequest: inTurn<PullRequest>(head('a'), { ...head('b'), state: 'merged' }) })
      expect((await runScripted({ ...turn, reads, github: merged })).report.error?.code).toBe('left-behind')

      const still = fakeGitHub({ readPullRequest: inTurn(head('a')) })
      expect(toOutputs((await runScripted({ ...turn, reads, github: still })).report).changed).toBe('false')
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

  test('a run that is cancelled while a head is read sends nothing', async () => {
    const cancelled = new ActionError('cancelled', 'The run was cancelled.')
    const { client } = await runScripted({
      ...turn,
      github: fakeGitHub({ readPullRequest: inTurn<PullRequest>(cancelled) }),
    })

    expect(client.calls).toEqual(['get'])
  })

  test('a message that is refused has no head to compare', async () => {
    const github = fakeGitHub()
    const { report } = await runScripted({ ...turn, message: failure('rejected'), github })

    expect(report).toMatchObject({ outcome: 'error', error: { code: 'rejected' } })
    expect(github.asked).toEqual(['readPullRequest'])
  })
})
