import { expect, test } from '@jest/globals'
import { AGENT_USER } from '../../../src/emulator/github/demo-state.ts'
import { playEvent, pullOf } from '../../../testing/compared-world.ts'

const PUSH = { ref: 'refs/heads/main', commits: [] }
const NO_COMMITS = 'the event does not contain the pushed commits'

/** Runners other than GitHub's can pass on an incomplete event. */
test.each([
  ['push', PUSH, { 'change-context': 'files' }, NO_COMMITS],
  ['push', {}, { 'change-context': 'commits' }, NO_COMMITS],
  ['push', { ...PUSH, before: 'not a commit', after: 'x' }, { paths: 'src/**' }, NO_COMMITS],
  ['push', { ...PUSH, ref: 'refs/tags/v1' }, { 'change-context': 'diff' }, NO_COMMITS],
  ['push', PUSH, { 'skip-labels': 'no-docs' }, NO_COMMITS],
  ['pull_request', {}, { 'change-context': 'files' }, 'the payload of the event `pull_request` is incomplete'],
  ['release', {}, { 'change-context': 'files' }, 'the payload of the event `release` is incomplete'],
  ['merge_group', {}, { paths: 'src/**' }, 'the payload of the event `merge_group` is incomplete'],
] as const)('sends nothing on %s with %j and %j', async (name, payload, given, reason) => {
  const { isGreen, report, acceptedPrompts } = await playEvent(given, [name, payload])
  expect([isGreen, acceptedPrompts, report.error?.code]).toEqual([false, [], 'not-sent'])
  expect(report.error?.message).toContain('Could not determine what changed, which is needed for')
  expect(report.error?.message).toContain(reason)
  expect(report.error?.hint).toContain('since-last-success')
})

test.each([
  ['without an input that asks for the change', {}],
  ['since the last success', { 'change-context': 'files', 'change-range': 'since-last-success' }],
])('sends a push without its commits %s', async (_what, given) => {
  const { isGreen, prompt } = await playEvent(given, ['push', PUSH])
  expect([isGreen, prompt.includes('docs/guide.md')]).toEqual([true, 'change-range' in given])
})

test("skips a push without its commits if the run's commit is the agent's own work", async () => {
  const pulls = { 7: pullOf('a', 'b', { user: AGENT_USER, labels: ['docs-agent'] }) }
  expect((await playEvent({}, ['push', PUSH], { pulls })).skip).toContain('#7')
})
