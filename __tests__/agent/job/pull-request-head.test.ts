import { expect, test } from '@jest/globals'
import type { PullRequest } from '../../../src/github/pull-requests.ts'
import { ActionError } from '../../../src/runtime/errors.ts'
import { FOLLOW_UP, runScripted } from '../../support/agent-run.ts'
import { active, completed, failure } from '../../support/fake-client.ts'
import { fakeGitHub, inTurn } from '../../support/fake-github.ts'

const turn = { task: FOLLOW_UP, reads: [completed, active, completed], facts: { serverUrl: 'https://git.example.com' } }

test('a run that is cancelled while a head is read sends nothing', async () => {
  const github = fakeGitHub({
    readPullRequest: inTurn<PullRequest>(new ActionError('cancelled', 'The run was cancelled.')),
  })
  const { client } = await runScripted({ ...turn, github })

  expect(client.calls).toEqual(['get'])
})

test('a message that is refused has no head to compare', async () => {
  const github = fakeGitHub()
  const { report } = await runScripted({ ...turn, message: failure('rejected'), github })

  expect(report).toMatchObject({ outcome: 'error', error: { code: 'rejected' } })
  expect(github.asked).toEqual(['readPullRequest'])
})

test('a pull request on another host is not asked for', async () => {
  const github = fakeGitHub()
  const facts = { serverUrl: 'https://elsewhere.example.com' }
  await runScripted({ ...turn, facts, message: failure('rejected'), github })

  expect(github.asked).toEqual([])
})
