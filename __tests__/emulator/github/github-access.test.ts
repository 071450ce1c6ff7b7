import { expect, test } from '@jest/globals'
import { issueState } from '../../../src/emulator/github/issue-state.ts'
import { pullState } from '../../../src/emulator/github/pull-state.ts'
import type { Permissions } from '../../../src/emulator/github/state.ts'
import { commit, driveGitHub, type GitHubDriver } from './drive-github.ts'

const pull = pullState({ branch: 'guide', headSha: commit('c') })
const drive = (permissions: Permissions): GitHubDriver =>
  driveGitHub({ scenario: { permissions }, docs: { pulls: { 7: pull }, issues: { 8: issueState() } } })
const hello = { body: 'Hello' }

test('a token may do what it was given, and is told what it lacks', () => {
  const { ask } = drive({ 'pull-requests': 'read' })
  expect(ask('GET', '/pulls/7').status).toBe(200)
  expect(ask('POST', '/issues/7/comments', hello)).toMatchObject({
    status: 403,
    headers: { 'x-accepted-github-permissions': 'issues=write; pull_requests=write' },
    body: { message: 'Resource not accessible by integration' },
  })
  expect(ask('GET', '/commits/main/status').headers).toMatchObject({ 'x-accepted-github-permissions': 'statuses=read' })
})

test('what may write may read', () => {
  expect(drive({ 'pull-requests': 'write' }).ask('GET', '/pulls/7').status).toBe(200)
})

test('pull requests can be commented on with either permission, and issues with one only', () => {
  const statuses = ([permission, number]: readonly ['issues' | 'pull-requests', number]): number =>
    drive({ [permission]: 'write' }).ask('POST', `/issues/${number}/comments`, hello).status
  expect(statuses(['issues', 7])).toBe(201)
  expect(statuses(['pull-requests', 7])).toBe(201)
  expect(statuses(['issues', 8])).toBe(201)
  expect(statuses(['pull-requests', 8])).toBe(403)
})

test('every token may see who may do what', () => {
  expect(drive({}).ask('GET', '/collaborators/mona/permission').status).toBe(200)
})
