import { expect, test } from '@jest/globals'
import { GITHUB_TOKEN, MAINTAINER } from '../../src/emulator/github/demo-state.ts'
import { combineScenarios } from '../../src/emulator/github/github-scenarios.ts'
import { mergePull } from '../../src/emulator/github/repository-changes.ts'
import {
  playStep,
  respondInOrder,
  respondWith,
  type PlayedStep,
  type PlayStepOptions,
} from '../../testing/play-step.ts'
import { PUSH } from '../../testing/given-run.ts'
import { agentInputs } from '../../testing/agent-inputs.ts'
import { deleteFork } from '../../testing/github-state.ts'

type Responder = NonNullable<PlayStepOptions['responses']>[string]

const FORK = 'docs-agent/docs'
const ACCESS = { 'github-token': GITHUB_TOKEN, label: 'docs-agent' }

const play = (given: Readonly<Record<string, string>>, options: Partial<PlayStepOptions> = {}): Promise<PlayedStep> =>
  playStep({ inputs: agentInputs({}, { ...ACCESS, ...given }), github: combineScenarios(['from-fork']), ...options })

const followUp = (after: PlayedStep, given: Readonly<Record<string, string>> = {}): Promise<PlayedStep> =>
  play({ prompt: 'And the index.', 'job-id': 'job_000001', ...given }, { after })

const getNumber = ({ outputs }: PlayedStep): number => Number(outputs['pr-number'])
const getNowMs = ({ baseClock }: PlayedStep): number => baseClock.wallTime().getTime()

const lastPull = ({ docs, outputs }: PlayedStep) => {
  const pull = docs.pulls[Number(outputs['pr-number'])]
  if (pull === undefined) throw new Error('There is no pull request.')
  return pull
}

test('a pull request from a fork is marked, checked and continued like any other', async () => {
  const given = { 'on-open-pr': 'follow-up', 'wait-for-checks': 'true', 'allowed-paths': 'docs/**' }
  const opened = await play(given)
  expect([opened.isGreen, opened.notice]).toEqual([true, undefined])
  const good = { checks: 'success', 'in-scope': 'true', 'pull_request.repository': 'acme/docs' }
  expect(opened.outputs).toMatchObject({
    ...good,
    'pull_request.operation': 'created',
    'pull_request.branch': 'agent/job_000001',
  })
  expect(lastPull(opened)).toMatchObject({ fork: FORK, labels: ['docs-agent'], comments: [{ id: expect.any(Number) }] })
  expect(opened.docs.branches).toEqual({ main: expect.any(String) })

  const continued = await play({ prompt: 'And the index.', ...given }, { after: opened })
  expect(continued.acceptedPrompts).toEqual([['job_000001', expect.stringContaining('And the index.')]])
  expect(continued.outputs).toMatchObject({
    ...good,
    'pull_request.operation': 'updated',
    'pr-number': opened.outputs['pr-number'],
  })
})

test('waits for a head that GitHub does not know yet in the repository of the pull request', async () => {
  const normally: Responder = ({ respond }) => respond()
  const responses = {
    'repos/compare-commits-with-basehead': respondInOrder(respondWith(404), respondWith(404), normally),
  }
  const { isGreen, outputs } = await play({ 'allowed-paths': 'docs/**' }, { responses })
  expect([isGreen, outputs['in-scope']]).toEqual([true, 'true'])
})

test.each([
  ['merged', 'merged', (played: PlayedStep) => mergePull(played.docs, getNumber(played), MAINTAINER, getNowMs(played))],
  [
    'closed because its fork was deleted',
    'closed',
    (played: PlayedStep) => {
      deleteFork(played.docs, FORK, getNowMs(played))
    },
  ],
])('a follow-up to a pull request from a fork that was %s is red', async (_what, state, end) => {
  const played = await play({})
  end(played)
  const { isGreen, report, outputs } = await followUp(played)
  expect([isGreen, report.error?.code, outputs['pr-state']]).toEqual([false, 'merged-too-early', state])
})

test('does not treat a push to a branch of the same name in the base repository as the agent’s', async () => {
  const after = await play({})
  const payload = { ...PUSH, ref: 'refs/heads/agent/job_000001' }
  const pushed = await play({ prompt: 'Again.' }, { after, facts: { eventName: 'push', payload } })
  expect(pushed.acceptedPrompts).toEqual([['create', 'Again.']])
})

test.each([
  ['a push to its own pull request', 'synchronize', false],
  ['the merge of its own pull request', 'closed', true],
])('does not start the agent after %s', async (_what, action, merged) => {
  const after = await play({})
  const number = Number(after.outputs['pr-number'])
  if (merged) mergePull(after.docs, number, MAINTAINER, getNowMs(after))
  const ends = { base: { sha: after.docs.branches['main'] }, head: { sha: lastPull(after).headSha } }
  const payload = {
    action,
    pull_request: { number, ...ends, merged, head: { ...ends.head, repo: { full_name: FORK } } },
    repository: { full_name: 'acme/docs', default_branch: 'main' },
    sender: { login: 'docs-agent[bot]', type: 'Bot' },
  }
  const again = await play({ prompt: 'Again.' }, { after, facts: { eventName: 'pull_request_target', payload } })
  expect([again.acceptedPrompts, again.report.outcome]).toEqual([[], 'skipped'])
})
