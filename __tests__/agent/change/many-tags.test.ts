import { expect, test } from '@jest/globals'
import { GITHUB_TOKEN } from '../../../src/emulator/github/demo-state.ts'
import { agentInputs } from '../../../testing/agent-inputs.ts'
import { changedRepository, commit } from '../../../testing/github-state.ts'
import { playStep } from '../../../testing/play-step.ts'

test.each([
  [999, 'precedes this tag.'],
  [1_200, 'precedes this tag among the 1000 tags that were read.'],
])('of %d tags without a preceding one, the log says what was read', async (count, text) => {
  const tags = Object.fromEntries(Array.from({ length: count }, (_, at) => [`web@1.0.${at}`, commit('b')]))
  const { log } = await playStep({
    inputs: agentInputs({}, { 'github-token': GITHUB_TOKEN, 'change-context': 'files' }),
    repository: changedRepository({ files: [{ filename: 'src/a.ts' }] }, { tags }),
    facts: { eventName: 'release', payload: { action: 'published', release: { tag_name: 'cli@1.0.1' } } },
  })
  expect(log.join('\n')).toContain(text)
})
