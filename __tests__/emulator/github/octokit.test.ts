import { afterEach, expect, test } from '@jest/globals'
import { getOctokit } from '@actions/github'
import { MAINTAINER } from '../../../src/emulator/github/demo-state.ts'
import { pushCommit } from '../../../src/emulator/github/repository-changes.ts'
import { createRepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { type Emulator, startEmulator } from '../../../src/emulator/server.ts'
import { fakeClock } from '../../support/fake-clock.ts'

const START = Date.UTC(2026, 0, 1)
const DOCS = { owner: 'acme', repo: 'docs' }

const running: Emulator[] = []

afterEach(async () => {
  await Promise.all(running.splice(0).map((emulator) => emulator.close()))
})

async function startWithOctokit() {
  const clock = fakeClock()
  const docs = createRepositoryState({ labels: ['question'], collaborators: { [MAINTAINER]: 'maintain' } })
  const file = (filename: string) => [{ filename, status: 'added', patch: '@@ -0,0 +1 @@\n+A line' } as const]
  pushCommit(docs, 'main', { message: 'Begin', author: MAINTAINER, files: file('docs/index.md') }, START)
  pushCommit(docs, 'guide', { message: 'Guide', author: MAINTAINER, files: file('docs/guide.md') }, START)
  const emulator = await startEmulator({ clock, github: { state: { repositories: { 'acme/docs': docs } } } })
  running.push(emulator)
  const octokit = getOctokit(emulator.github.token, { baseUrl: emulator.github.apiUrl })
  return { clock, docs, octokit, rest: octokit.rest }
}

test('Octokit opens a pull request, labels it, comments on it, reports a check and merges it', async () => {
  const { clock, octokit, rest } = await startWithOctokit()
  const { data: pull } = await rest.pulls.create({ ...DOCS, title: 'Guide', head: 'guide', base: 'main' })
  const numbers = { ...DOCS, issue_number: pull.number, pull_number: pull.number }

  await rest.issues.addLabels({ ...numbers, labels: ['question'] })
  const { data: comment } = await rest.issues.createComment({ ...numbers, body: 'Hello' })
  await rest.issues.updateComment({ ...DOCS, comment_id: comment.id, body: 'Hello again' })
  const comments = await octokit.paginate(rest.issues.listComments, { ...numbers, per_page: 1 })
  expect(comments.map(({ body, html_url }) => [body, html_url])).toEqual([['Hello again', comment.html_url]])
  const files = await octokit.paginate(rest.pulls.listFiles, numbers)
  expect(files.map(({ filename }) => filename)).toEqual(['docs/guide.md'])

  const { data: diff } = await rest.pulls.get({ ...numbers, mediaType: { format: 'diff' } })
  expect(diff).toContain('diff --git a/docs/guide.md b/docs/guide.md\nnew file mode 100644\n--- /dev/null\n')
  // GitHub accepts `diff` for this list, but sends JSON.
  const { data: listed } = await rest.pulls.listFiles({ ...numbers, mediaType: { format: 'diff' } })
  expect(listed).toEqual(files)

  const head_sha = pull.head.sha
  const { data: check } = await rest.checks.create({ ...DOCS, name: 'links', head_sha, status: 'in_progress' })
  await rest.checks.update({ ...DOCS, check_run_id: check.id, conclusion: 'success' })
  await rest.repos.createCommitStatus({ ...DOCS, sha: head_sha, state: 'success', context: 'preview' })
  const { data: status } = await rest.repos.getCombinedStatusForRef({ ...DOCS, ref: head_sha })
  expect(status.state).toBe('success')

  await expect(rest.pulls.checkIfMerged(numbers)).rejects.toMatchObject({ status: 404 })
  clock.advance(10_000)
  await rest.pulls.merge({ ...numbers, merge_method: 'squash', sha: head_sha })
  expect((await rest.pulls.checkIfMerged(numbers)).status).toBe(204)
  await rest.git.deleteRef({ ...DOCS, ref: 'heads/guide' })
  const { data: branches } = await rest.repos.listBranches(DOCS)
  expect(branches.map(({ name }) => name)).toEqual(['main'])
})

test('Octokit pages through a list with the links of the responses', async () => {
  const { docs, octokit, rest } = await startWithOctokit()
  docs.labels.push(...Array.from({ length: 6 }, (_, index) => `label-${index}`))
  const labels = await octokit.paginate(rest.issues.listLabelsForRepo, { ...DOCS, per_page: 3 })
  expect(labels.map(({ name }) => name)).toEqual(docs.labels)
})

test('Octokit reads the same pull request by GraphQL', async () => {
  const { octokit, rest } = await startWithOctokit()
  const { data: pull } = await rest.pulls.create({ ...DOCS, title: 'Guide', head: 'guide', base: 'main' })
  const query = `query ($owner: String!, $repo: String!, $number: Int!) {
    repository(owner: $owner, name: $repo) { pullRequest(number: $number) { title url } } }`
  const data = await octokit.graphql(query, { ...DOCS, number: pull.number })
  expect(data).toEqual({ repository: { pullRequest: { title: 'Guide', url: pull.html_url } } })
})

test('Octokit receives GitHub’s errors', async () => {
  const { rest } = await startWithOctokit()
  const { data: pull } = await rest.pulls.create({ ...DOCS, title: 'Guide', head: 'guide', base: 'main', draft: true })
  const numbers = { ...DOCS, pull_number: pull.number }
  await expect(rest.pulls.merge(numbers)).rejects.toMatchObject({ status: 405 })
  const again = { ...DOCS, title: 'Guide', head: 'guide', base: 'main' }
  await expect(rest.pulls.create(again)).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('A pull request already exists for acme:guide.'),
  })
  const reviewers = [pull.user.login]
  await expect(rest.pulls.requestReviewers({ ...numbers, reviewers })).rejects.toMatchObject({ status: 422 })
})
