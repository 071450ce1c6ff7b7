import { expect, test } from '@jest/globals'
import { GITHUB_TOKEN } from '../../../src/emulator/github/demo-state.ts'
import { PUSH, type GivenRun } from '../../../testing/given-run.ts'
import { agentInputs } from '../../../testing/agent-inputs.ts'
import { changedRepository, commit, madeCommit } from '../../../testing/github-state.ts'
import { playStep, respondWith, type ObservedRequest, type PlayedStep } from '../../../testing/play-step.ts'

const COMPARE = 'repos/compare-commits-with-basehead'

/** Runs a step for which GitHub does not know something for a while. */
async function play(what: string, facts: Partial<GivenRun>, knownAfterMs: number) {
  const repository = changedRepository({ files: [{ filename: 'src/new.ts' }] })
  repository.commits.unshift(madeCommit({ sha: commit('1') }))
  Object.assign(repository.tags, { 'v1.0.0': commit('a'), 'v1.1.0': commit('b') })
  let since: number | undefined
  let endedAtMs = 0
  const respond = (request: ObservedRequest) => {
    since ??= request.nowMs
    const afterMs = request.nowMs - since
    // After the prompt, the step compares what the agent has changed.
    if (request.service.requests.length === 0) endedAtMs = afterMs
    return afterMs < knownAfterMs ? respondWith(404)() : request.respond()
  }
  const played: PlayedStep = await playStep({
    inputs: agentInputs({}, { 'github-token': GITHUB_TOKEN, 'change-context': 'files' }),
    repository,
    facts,
    responses: { [what]: respond },
  })
  return { isSent: played.acceptedPrompts.length, prompt: played.acceptedPrompts.join(), endedAtMs }
}

const TAG = { ref: 'refs/tags/v1.1.0', before: '0'.repeat(40), after: commit('b'), sender: PUSH.sender }

test.each<[what: string, facts: Partial<GivenRun>]>([
  ['a pushed commit', { eventName: 'push', payload: PUSH }],
  ['a new tag', { eventName: 'push', payload: TAG, refName: 'v1.1.0' }],
])('waits for %s that GitHub does not know yet', async (_what, facts) => {
  const { isSent, prompt, endedAtMs } = await play(COMPARE, facts, 5_000)
  expect([isSent, prompt.includes('src/new.ts')]).toEqual([1, true])
  expect(endedAtMs).toBeLessThan(10_000)
})

test('ends red if GitHub does not know a pushed commit for 14 seconds', async () => {
  expect(await play(COMPARE, { eventName: 'push', payload: PUSH }, Infinity)).toMatchObject({
    isSent: 0,
    endedAtMs: 14_000,
  })
})

test('does not wait for the commit before a forced push, which is gone', async () => {
  const payload = { ...PUSH, before: commit('f'), forced: true }
  const { endedAtMs } = await play(COMPARE, { eventName: 'push', payload }, 0)
  expect(endedAtMs).toBe(0)
})
