import { expect, test } from '@jest/globals'
import type { RepositoryState } from '../../src/emulator/github/repository-state.ts'
import { agentInputs } from '../../testing/agent-inputs.ts'
import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import { combineScenarios } from '../../src/emulator/github/github-scenarios.ts'
import { commentFacts } from '../../testing/comment-events.ts'
import { changeResponse, playFollowUp, playStep } from '../../testing/play-step.ts'

const NOTICE = 'notice: Auto-merge is on | Auto-merge is on for pull request #1'
const ARMED = {
  'pulls/get': changeResponse(() => ({
    auto_merge: {
      enabled_by: { login: 'mona' },
      merge_method: 'squash',
      commit_title: 'Docs',
      commit_message: '',
    },
  })),
}

/** The position of the notice and of the prompt among the calls of the runner and the requests. */
function findOrder(calls: readonly string[]): readonly boolean[] {
  const notice = calls.findIndex((call) => call.startsWith(NOTICE))
  const sent = calls.findIndex((call) => /POST .*\/message/.test(call))
  return [notice !== -1, sent > notice, calls.filter((call) => call.startsWith('notice: Auto-merge')).length === 1]
}

test('reports auto-merge on the pull request of the label before the prompt', async () => {
  const { hostCalls, messages } = await playFollowUp({}, { responses: ARMED })
  expect(messages).toHaveLength(1)
  expect(findOrder(hostCalls)).toEqual([true, true, true])
})

test('reports it before a follow-up to `job-id`, and before one by a comment', async () => {
  const access = { 'github-token': GITHUB_TOKEN, label: 'docs-agent' }
  const github = combineScenarios(['open-pull-request'])
  const inputs = agentInputs({}, { ...access, 'job-id': 'job_finished' })
  expect(findOrder((await playStep({ inputs, github, responses: ARMED })).hostCalls)).toEqual([true, true, true])

  const command = agentInputs({}, { ...access, command: '/docs', prompt: '' })
  const facts = commentFacts({ number: 1, author: { login: 'mona', id: 11, type: 'User' } })
  const prepare = ({ pulls }: RepositoryState): unknown =>
    pulls[1]?.comments.push({ id: 71, user: 'mona', body: '', createdAtMs: 0, reactions: [] })
  const played = await playStep({ inputs: command, github, facts, prepare, responses: ARMED })
  expect(findOrder(played.hostCalls)).toEqual([true, true, true])
})

test('says nothing without auto-merge', async () => {
  const { hostCalls } = await playFollowUp()
  expect(hostCalls.join('\n')).not.toContain('Auto-merge')
})

test('the notice and the prompt name the base branch of the pull request that gets the follow-up', async () => {
  const after = await playFollowUp({ 'on-open-pr': 'new' })
  const { hostCalls, messages } = await playFollowUp({}, { after })
  expect(hostCalls.join('\n')).toMatch(
    /More than one pull request is open \| Pull request #1, for the base branch `main`, .*gets the follow-up.*#4.*a label of its own/,
  )
  expect(messages[0]).toMatch(/Pull request #1 of acme\/docs.*\(base branch `main`\)/)
})
