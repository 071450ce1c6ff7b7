import { expect, test } from '@jest/globals'
import { DEFAULT_START_MS } from '../../../src/emulator/embedded-service.ts'
import { issueState } from '../../../src/emulator/github/issue-state.ts'
import { pullState } from '../../../src/emulator/github/pull-state.ts'
import { USUAL_LAG } from '../../../src/emulator/github/state.ts'
import { commit, driveGitHub } from './drive-github.ts'

const pull = pullState({ branch: 'guide', headSha: commit('c'), createdAtMs: DEFAULT_START_MS })

test('a pull request that is too new is not there yet, nor is its issue', () => {
  const { ask, advance, read } = driveGitHub({
    docs: { pulls: { 7: pull } },
    scenario: { lag: { ...USUAL_LAG, newPullMs: 6_000 } },
  })
  for (const path of ['/pulls/7', '/issues/7', '/issues/7/comments'])
    expect([path, ask('GET', path).status]).toEqual([path, 404])
  expect(read('/pulls')).toEqual([])
  advance(6)
  for (const path of ['/pulls/7', '/issues/7', '/issues/7/comments']) read(path)
  expect(read('/pulls')).toHaveLength(1)
})

test('a number can be an issue’s or a pull request’s, and only the latter is both', () => {
  const { ask } = driveGitHub({ docs: { pulls: { 7: pull }, issues: { 8: issueState() } } })
  const statuses = ['/issues/7', '/pulls/7', '/issues/8', '/pulls/8', '/issues/9'].map(
    (path) => ask('GET', path).status,
  )
  expect(statuses).toEqual([200, 200, 200, 404, 404])
})
