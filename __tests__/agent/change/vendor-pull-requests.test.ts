import { expect, test } from '@jest/globals'
import { AGENT_USER as VENDOR, MAINTAINER as MONA } from '../../../src/emulator/github/demo-state.ts'
import { WEB_FLOW } from '../../../src/emulator/github/repository-state.ts'
import { type Act, type GivenPull, playAct } from '../../../testing/github-world.ts'
import { playFollowUp } from '../../../testing/play-step.ts'

/** The vendor's app, which opened pull request 3 for the agent, opens 7 for a person who has written in its editor. */
const open =
  (mark: GivenPull = {}): Act =>
  (world) =>
    world
      .open(3, VENDOR, { labels: ['docs-agent'], history: 'docs-agent' })
      .open(7, VENDOR, { commits: [{ author: MONA, committer: WEB_FLOW }], ...mark })

test('a pull request that the app opened for a person in its editor is not ours', async () => {
  const { isGreen, acceptedPrompts } = await playAct(open())
  expect([isGreen, acceptedPrompts.length]).toEqual([true, 1])
})

test('a person merges such a pull request', async () => {
  const { isGreen, acceptedPrompts } = await playAct((world) => open()(world).merge(7, MONA, 'rebase'))
  expect([isGreen, acceptedPrompts.length]).toEqual([true, 1])
})

test.each([{ labels: ['docs-agent'] }, { history: 'docs-agent' }])(
  'a pull request that the app opened is ours with the mark %j',
  async (mark) => {
    const { line, acceptedPrompts } = await playAct(open(mark))
    expect(acceptedPrompts).toEqual([])
    expect(line).toContain("came from pull requests of this action's jobs: #7.")
  },
)

test('says how to go on if the history comment was deleted', async () => {
  const played = await playFollowUp({}, { prepare: ({ pulls }) => pulls[1]?.comments.splice(0) })
  expect(played.hostCalls.join('\n')).toMatch(/no history comment names its job\. .*deleted the comment.*`job-id`/)
})
