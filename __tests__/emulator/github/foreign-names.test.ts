import { expect, test } from '@jest/globals'
import { commit, driveGitHub } from './drive-github.ts'

const { ask, docs } = driveGitHub({ repository: 'me/guide' })
const main = docs.branches['main']
const mine = (path: string) => ask('GET', `/api/v3/repos/me/guide${path}`)

test.each([
  ['a push', `${commit('a')}...${commit('b')}`],
  ['a new branch', `main...${commit('b')}`],
  ['a change since a commit that is not known', `${commit('a')}...main`],
  ['a branch of another name', `trunk...${commit('b')}`],
])('%s of the own repository is the change since the last release', (_, range) => {
  const { status, body } = mine(`/compare/${range}`)
  expect(status).toBe(200)
  expect(body.commits).toMatchObject([{ sha: main, commit: { message: 'Add the --dry-run flag to deploy' } }])
  expect(body.files).toMatchObject([{ filename: 'docs/deploy.md' }])
})

test('a workflow that is not known ran at the last release, on its own branch', () => {
  const { body } = mine('/actions/workflows/rehearse.yml/runs?branch=trunk&status=success')
  expect(body.workflow_runs[0]).toMatchObject({ head_sha: main })
  expect(body.workflow_runs.at(-1)).toMatchObject({ head_sha: docs.tags['v1.1.0'] })
})

test('a commit that is not known came with no pull request, and has checks', () => {
  expect(mine(`/commits/${commit('b')}/pulls`)).toMatchObject({ status: 200, body: [] })
  expect(mine(`/commits/${commit('b')}/check-runs`).body.total_count).toBe(2)
})

test('what is known is itself: the repository is that of the agent', () => {
  expect(mine('/compare/v1.0.0...v1.1.0').body.total_commits).toBe(1)
  expect(mine(`/commits/${docs.tags['v1.0.0'] ?? ''}`).body.sha).toBe(docs.tags['v1.0.0'])
  expect(mine('/issues/9/comments').status).toBe(ask('GET', '/issues/9/comments').status)
})

test('in every other repository, and without a rehearsal, nothing stands for anything', () => {
  const range = `${commit('a')}...${commit('b')}`
  expect(ask('GET', `/compare/${range}`).status).toBe(404)
  expect(ask('GET', `/api/v3/repos/you/guide/compare/${range}`).status).toBe(404)
  expect(driveGitHub().ask('GET', `/api/v3/repos/me/guide/compare/${range}`).status).toBe(404)
})
