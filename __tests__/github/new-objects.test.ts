import { expect, test } from '@jest/globals'
import { catchError, withGitHub } from '../../testing/github-client.ts'
import { changedRepository, commit } from '../../testing/github-state.ts'
import { createRepositoryState } from '../../src/emulator/github/repository-state.ts'

const COMPARE = 'repos/compare-commits-with-basehead'
const PULL = { repository: 'acme/docs', number: 7 }

/** Compares, and returns what was found, how many requests that took, and when it ended. */
const compare = (base: string, missing: number, mayBeNew: boolean) => {
  const faults = { [COMPARE]: Array<number>(missing).fill(404) }
  const docs = changedRepository({ message: 'Change', files: [] })
  return withGitHub({ docs, faults }, async (github, { operations, clock }) => {
    const found = await github.compare('acme/docs', base, 'main', { mayBeNew }).catch((error: unknown) => error)
    return { found, requests: operations.length, atMs: clock.now() }
  })
}

test('waits for the head of an event that GitHub does not know yet', async () => {
  const { found, requests, atMs } = await compare(commit('a'), 3, true)
  expect([found, requests, atMs]).toEqual([expect.objectContaining({ totalCommits: 1 }), 5, 6_000])
})

test('gives up a head that is missing for 14 seconds', async () => {
  const { found, requests, atMs } = await compare(commit('a'), 9, true)
  expect([found, requests, atMs]).toEqual([expect.objectContaining({ code: 'not-found' }), 5, 14_000])
})

test('does not wait for a base that a forced push has removed', async () => {
  const { found, atMs } = await compare(commit('f'), 0, true)
  expect([found, atMs]).toEqual([expect.objectContaining({ code: 'not-found' }), 0])
})

test('does not wait for a commit that is not new', async () => {
  const { found, requests, atMs } = await compare(commit('a'), 1, false)
  expect([found, requests, atMs]).toEqual([expect.objectContaining({ code: 'not-found' }), 1, 0])
})

test('waits for a new pull request, and for no other one', async () => {
  const docs = createRepositoryState()
  const atMs = (mayBeNew: boolean) =>
    withGitHub({ docs }, async (github, { clock }) => {
      expect(await catchError(github.readPullRequest(PULL, { mayBeNew }))).toMatchObject({ code: 'not-found' })
      return clock.now()
    })
  expect([await atMs(true), await atMs(false)]).toEqual([14_000, 0])
})
