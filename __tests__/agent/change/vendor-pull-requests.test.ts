import { expect, test } from '@jest/globals'
import type { ListedPullRequest, PullRequest } from '../../../src/github/pull-requests.ts'
import { MARKER, mergedBy, PULL_REQUEST, PUSH, pullCommit } from '../../../testing/fake-github.ts'
import { commit } from '../../../testing/github-state.ts'
import { playChange, type Responses } from '../../../testing/play-change.ts'
import { playFollowUp } from '../../../testing/play-step.ts'

/** The vendor's app: the account of the agent, and of the editor in which people write. */
const VENDOR = PULL_REQUEST.author
const ANN = { login: 'ann', type: 'User' }

const opened = (sender: { login: string; type: string }) =>
  [
    'pull_request',
    { action: 'opened', sender, pull_request: { number: 7, head: { sha: commit('c') }, base: { sha: commit('a') } } },
  ] as const

/** The vendor's app has opened pull request 3 of the agent before. */
const after = (pull: Partial<PullRequest>, responses: Responses = {}): Responses => ({
  readPullRequest: () => Promise.resolve({ ...PULL_REQUEST, state: 'open', labels: [], ...pull }),
  listNewestPullRequests: () =>
    Promise.resolve([{ repository: 'acme/docs', number: 3, labels: ['docs-agent'], author: VENDOR }]),
  listComments: ({ number }) => Promise.resolve(number === 3 ? [MARKER] : []),
  listPullRequestCommits: () =>
    Promise.resolve([pullCommit({ sha: commit('c'), account: ANN, committerLogin: 'web-flow' })]),
  ...responses,
})

test('a pull request that the app opened for a person in its editor is not ours', async () => {
  expect(VENDOR.type).toBe('Bot')
  expect(await playChange({}, opened(VENDOR), after({}))).toMatchObject({ skip: undefined })
})

test('a pull request that the app opened is ours with the label or a history comment', async () => {
  expect((await playChange({}, opened(VENDOR), after({ labels: ['docs-agent'] }))).skip).toContain('#7')
  const marked = after({}, { listComments: () => Promise.resolve([MARKER]) })
  expect((await playChange({}, opened(VENDOR), marked)).skip).toContain('#7')
})

test('a person pushes the merge of such a pull request', async () => {
  const push = { ...PUSH, commits: [{ id: commit('b'), message: 'x', author: {}, committer: {} }], sender: ANN }
  const source: ListedPullRequest = { ...mergedBy(7), author: VENDOR }
  const responses = after({}, { findPullRequestsOfCommit: () => Promise.resolve([source]) })
  expect(await playChange({}, ['push', push], responses)).toMatchObject({ skip: undefined })
})

test('says how to go on if the history comment was deleted', async () => {
  const played = await playFollowUp({}, { prepare: ({ pulls }) => pulls[1]?.comments.splice(0) })
  expect(played.hostCalls.join('\n')).toMatch(/no history comment names its job\. .*deleted the comment.*`job-id`/)
})
