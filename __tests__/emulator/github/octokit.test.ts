import { afterEach, expect, test } from '@jest/globals'
import { getOctokit } from '@actions/github'
import { MAINTAINER } from '../../../src/emulator/github/demo-state.ts'
import type { PullState } from '../../../src/emulator/github/pull-state.ts'
import { openPull, pushCommit } from '../../../src/emulator/github/repository-changes.ts'
import { createRepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { type Emulator, startEmulator } from '../../../src/emulator/server.ts'
import { fakeClock } from '../../support/fake-clock.ts'

const START = Date.UTC(2026, 0, 1)
const DOCS = { owner: 'acme', repo: 'docs' }
const NUMBERS = { ...DOCS, issue_number: 7, pull_number: 7 }

const running: Emulator[] = []

afterEach(async () => {
  await Promise.all(running.splice(0).map((emulator) => emulator.close()))
})

/** @param fields of pull request 7 */
async function startWithOctokit(fields: Partial<PullState> = {}) {
  const clock = fakeClock()
  const docs = createRepositoryState({ labels: ['question'], collaborators: { [MAINTAINER]: 'maintain' } })
  const file = (filename: string) => [{ filename, status: 'added', patch: '@@ -0,0 +1 @@\n+A line' } as const]
  pushCommit(docs, 'main', { message: 'Begin', author: MAINTAINER, files: file('docs/index.md') }, START)
  pushCommit(docs, 'guide', { message: 'Guide', author: MAINTAINER, files: file('docs/guide.md') }, START)
  openPull(docs, 7, { branch: 'guide', title: 'Guide', user: MAINTAINER, ...fields }, START)
  const emulator = await startEmulator({ clock, github: { state: { repositories: { 'acme/docs': docs } } } })
  running.push(emulator)
  const octokit = getOctokit(emulator.github.token, { baseUrl: emulator.github.apiUrl, request: { fetch } })
  return { clock, docs, octokit, rest: octokit.rest }
}

test('Octokit labels a pull request, comments on it, and merges it at its head', async () => {
  const { clock, rest } = await startWithOctokit()
  await rest.issues.addLabels({ ...NUMBERS, labels: ['question'] })
  const { data: comment } = await rest.issues.createComment({ ...NUMBERS, body: 'Hello' })
  await rest.issues.updateComment({ ...DOCS, comment_id: comment.id, body: 'Hello again' })
  const { data: comments } = await rest.issues.listComments(NUMBERS)
  expect(comments.map(({ body, html_url }) => [body, html_url])).toEqual([['Hello again', comment.html_url]])
  clock.advance(10_000)
  const { data: pull } = await rest.pulls.get(NUMBERS)
  expect(pull).toMatchObject({ labels: [{ name: 'question' }], mergeable_state: 'clean' })
  await rest.pulls.merge({ ...NUMBERS, merge_method: 'squash', sha: pull.head.sha })
  expect((await rest.pulls.get(NUMBERS)).data.merged).toBe(true)
})

test('Octokit pages through a list with the links of the responses', async () => {
  const { octokit, rest } = await startWithOctokit()
  const texts = ['1', '2', '3', '4', '5', '6', '7']
  for (const body of texts) await rest.issues.createComment({ ...NUMBERS, body })
  const comments = await octokit.paginate(rest.issues.listComments, { ...NUMBERS, per_page: 3 })
  expect(comments.map(({ body }) => body)).toEqual(texts)
})

test('Octokit receives GitHub’s errors', async () => {
  const { rest } = await startWithOctokit({ draft: true })
  await expect(rest.pulls.merge(NUMBERS)).rejects.toMatchObject({ status: 405 })
  await expect(rest.pulls.requestReviewers({ ...NUMBERS, reviewers: [MAINTAINER] })).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('Review cannot be requested from pull request author.'),
  })
  await expect(rest.pulls.listFiles(NUMBERS)).rejects.toMatchObject({ status: 501 })
})
