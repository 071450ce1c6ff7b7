import { expect, test } from '@jest/globals'
import { mergedBy, PULL_REQUEST } from '../../../testing/fake-github.ts'
import { playChange } from '../../../testing/play-change.ts'

const PUSH = { ref: 'refs/heads/main', commits: [] }
const READ = 'Could not determine what changed, which is needed for'

test.each([
  ['push', PUSH, { 'change-context': 'files' }, 'the event does not contain the pushed commits'],
  ['push', {}, { 'change-context': 'commits' }, 'the event does not contain the pushed commits'],
  ['push', { ...PUSH, before: 'not a commit', after: 'x' }, { paths: 'src/**' }, 'the event does not contain'],
  ['push', { ...PUSH, ref: 'refs/tags/v1' }, { 'change-context': 'diff' }, 'the event does not contain'],
  ['push', PUSH, { 'skip-labels': 'no-docs' }, 'the event does not contain the pushed commits'],
  ['pull_request', {}, { 'change-context': 'files' }, 'the payload of the event `pull_request` is incomplete'],
  ['release', {}, { 'change-context': 'files' }, 'the payload of the event `release` is incomplete'],
  ['merge_group', {}, { paths: 'src/**' }, 'the payload of the event `merge_group` is incomplete'],
] as const)('sends nothing on %s with %j and %j', async (name, payload, given, reason) => {
  await expect(playChange(given, [name, payload])).rejects.toMatchObject({
    code: 'not-sent',
    message: expect.stringContaining(reason) as unknown,
    hint: expect.stringContaining('since-last-success') as unknown,
  })
  await expect(playChange(given, [name, payload])).rejects.toThrow(READ)
})

test('sends the prompt without a change if no input asks for it', async () => {
  expect(await playChange({}, ['push', PUSH])).toMatchObject({ skip: undefined, prompt: '' })
})

test('sends the prompt of an event that has no range, and says so', async () => {
  const played = await playChange({ 'change-context': 'files' }, ['issues', { issue: { number: 7, title: 'x' } }])
  expect(played).toMatchObject({ skip: undefined, change: expect.stringContaining('Nothing to compare') as unknown })
})

test('looks back from a push without its commits', async () => {
  const given = { 'change-context': 'files', 'change-range': 'since-last-success' }
  const played = await playChange(given, ['push', PUSH], {
    findSuccesses: () => Promise.resolve({ before: undefined }),
  })
  expect(played.skip).toBeUndefined()
})

test("skips a push without its commits if the run's commit is the agent's own work", async () => {
  const responses = {
    findPullRequestsOfCommit: () => Promise.resolve([{ ...mergedBy(7), author: PULL_REQUEST.author }]),
  }
  expect((await playChange({}, ['push', PUSH], responses)).skip).toContain('#7')
})
