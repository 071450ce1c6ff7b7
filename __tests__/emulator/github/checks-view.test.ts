import { expect, test } from '@jest/globals'
import { checksOf } from '../../../src/emulator/github/checks-view.ts'
import { repositoryState } from '../../../src/emulator/github/repository-state.ts'
import { commit } from './drive-github.ts'
import { checkRun } from '../../support/github-state.ts'

const headSha = commit('a')
const build = { name: 'build', headSha, createdAtMs: 1, startedAtMs: 2, completedAtMs: 3 }

test('a check run is queued, then running, then as it ended, with what it found', () => {
  const annotations = [
    { path: 'a.md', start_line: 4, end_line: 4, annotation_level: 'failure', title: null, message: 'Gone.' } as const,
  ]
  const repository = repositoryState({
    checkRuns: [checkRun({ ...build, conclusion: 'failure', title: 'Broken', annotations })],
  })
  expect(checksOf(repository, headSha, 0)).toEqual([])
  expect([1, 2].map((nowMs) => checksOf(repository, headSha, nowMs)[0]?.state)).toEqual(['queued', 'running'])
  expect(checksOf(repository, headSha, 3)).toEqual([
    { name: 'build', app: 'github-actions', state: 'failed', findings: ['Broken', 'a.md:4: Gone.'] },
  ])
})

test('of several with one name the newest is shown', () => {
  const status = (state: 'pending' | 'success', createdAtMs: number) => ({
    headSha,
    context: 'preview',
    state,
    createdAtMs,
  })
  const repository = repositoryState({ statuses: [status('pending', 0), status('success', 5)] })
  expect([0, 5].map((nowMs) => checksOf(repository, headSha, nowMs).map(({ state }) => state))).toEqual([
    ['running'],
    ['passed'],
  ])
})
