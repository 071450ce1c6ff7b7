import { describe, expect, test } from '@jest/globals'
import type { PullRequest } from '../../../src/github/pull-requests.ts'
import { ActionError } from '../../../src/shared/errors.ts'
import { FOLLOW_UP, runScripted } from '../../support/agent-run.ts'
import { active, completed, failed, failure, job, withoutLink } from '../../support/fake-client.ts'
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
