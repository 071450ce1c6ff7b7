import { expect, test } from '@jest/globals'
import { GITHUB_TOKEN } from '../../../src/emulator/github/demo-state.ts'
import { agentInputs } from '../../../testing/agent-inputs.ts'
import { changedRepository, commit, repositoryWithPull } from '../../../testing/github-state.ts'
import { changeResponse, playStep, type PlayStepOptions } from '../../../testing/play-step.ts'

/** GitHub's own agent, whose login does not end in `[bot]`. */
const COPILOT = { login: 'Copilot', type: 'Bot' }
const MERGER = { login: 'merge[bot]', type: 'Bot' }
const REPOSITORY = { id: 1, full_name: 'acme/docs', default_branch: 'main', private: false }

const play = (given: Readonly<Record<string, string>>, options: Partial<PlayStepOptions>) =>
  playStep({
    inputs: agentInputs({}, { 'github-token': GITHUB_TOKEN, label: 'docs-agent', ...given }),
    repository: changedRepository({ files: [{ filename: 'src/a.ts' }] }),
    ...options,
  })

const push = (sender: object, committer: string, author = 'Copilot') => ({
  eventName: 'push',
  payload: {
    ...{ ref: 'refs/heads/main', before: commit('a'), after: commit('b'), sender, repository: REPOSITORY },
    commits: [{ id: commit('b'), message: 'Fix', author: { username: author }, committer: { username: committer } }],
  },
})

const byAuthor = (author: object) =>
  changeResponse((commits: readonly object[]) => commits.map((one) => ({ ...one, author, committer: author })))

test('a push by a bot whose login does not end in `[bot]` starts no job', async () => {
  const { outputs, acceptedPrompts } = await play({}, { facts: push(COPILOT, 'Copilot') })
  expect([outputs['outcome'], acceptedPrompts]).toEqual(['skipped', []])
})

test('a merge of the commits of such a bot by another bot starts no job', async () => {
  const { outputs, acceptedPrompts } = await play({}, { facts: push(MERGER, 'web-flow') })
  expect([outputs['outcome'], acceptedPrompts]).toEqual(['skipped', []])
})

test('a push by an app of what a workflow committed as `actions-user` starts no job', async () => {
  const facts = push(MERGER, 'actions-user', 'actions-user')
  const { outputs, acceptedPrompts } = await play({}, { facts })
  expect([outputs['outcome'], acceptedPrompts]).toEqual(['skipped', []])
})

test('a pull request by such a bot starts no job, unless a person has committed to it', async () => {
  const pull = { number: 7, user: COPILOT, head: { sha: commit('c') }, base: { sha: commit('a') } }
  const facts = { eventName: 'pull_request', payload: { action: 'opened', sender: COPILOT, pull_request: pull } }
  const byBot = changeResponse(() => ({ user: COPILOT }))
  const repository = repositoryWithPull()
  const alone = await play(
    {},
    { facts, repository, responses: { 'pulls/get': byBot, 'pulls/list-commits': byAuthor(COPILOT) } },
  )
  const together = await play(
    {},
    {
      facts,
      repository,
      responses: { 'pulls/get': byBot, 'pulls/list-commits': byAuthor({ login: 'ann', type: 'User' }) },
    },
  )
  expect([alone.outputs['outcome'], alone.acceptedPrompts]).toEqual(['skipped', []])
  expect(together.acceptedPrompts).toHaveLength(1)
})
