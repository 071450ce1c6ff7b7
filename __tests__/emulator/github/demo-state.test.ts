import { expect, test } from '@jest/globals'
import { BOT, MAINTAINER, STRANGER } from '../../../src/emulator/github/demo-state.ts'
import { driveGitHub } from './drive-github.ts'

test('there is a history with two releases and a change since', () => {
  const { read } = driveGitHub()
  expect(read('/compare/v1.0.0...v1.1.0').files).toMatchObject([{ filename: 'docs/deploy.md' }])
  expect(read('/compare/v1.1.0...main')).toMatchObject({ status: 'ahead', ahead_by: 1 })
})

test('the last run of the docs workflow is one before the newest change, and a fork has one of the same branch', () => {
  const { workflow_runs: runs } = driveGitHub().read('/actions/workflows/docs.yml/runs?branch=main&status=success')
  const names = runs.map((run: { head_repository: { full_name: string } }) => run.head_repository.full_name)
  expect(names).toEqual([`${STRANGER}/docs`, 'acme/docs'])
})

test('one of the people may write', () => {
  const { read, ask } = driveGitHub()
  expect(read(`/collaborators/${MAINTAINER}/permission`).permission).toBe('write')
  expect(read(`/collaborators/${STRANGER}/permission`).permission).toBe('read')
  expect(ask('GET', `/collaborators/${encodeURIComponent(BOT)}/permission`).status).toBe(404)
})

test('a second repository holds code', () => {
  const { body } = driveGitHub().ask('GET', '/api/v3/repos/acme/code/commits/main')
  expect(body.files).toMatchObject([{ filename: 'src/deploy.md' }])
})

test('the checks of the newest commit have passed, unless the scenario says otherwise', () => {
  const conclusions = (...scenarios: 'checks-red-before'[]): string[] =>
    driveGitHub({ scenarios })
      .read('/commits/main/check-runs')
      .check_runs.map(({ conclusion }: { conclusion: string }) => conclusion)
  expect(conclusions()).toEqual(['success', 'success'])
  expect(conclusions('checks-red-before')).toEqual(['failure', 'failure'])
})
