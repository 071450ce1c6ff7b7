import { expect, test } from '@jest/globals'
import { type Role, repositoryState } from '../../src/emulator/github/repository-state.ts'
import type { GitHubState } from '../../src/emulator/github/state.ts'
import type { Octokit } from '../../src/github/ask-github.ts'
import { createTrust } from '../../src/github/comment-trust.ts'
import { askingGitHub } from '../support/github-client.ts'

const MONA = { id: 11, login: 'mona', type: 'User' }

/** What is thought of an account, and what was asked for it. */
function judge(
  account: typeof MONA | null,
  options: {
    readonly role?: Role
    readonly state?: Partial<GitHubState>
    readonly faults?: Record<string, number[]>
  } = {},
) {
  const { role, state = {}, faults = {} } = options
  const docs = repositoryState(role === undefined ? {} : { collaborators: { mona: role } })
  return askingGitHub({ docs, state, faults }, async ({ ask, github }) => {
    const need = { permission: 'pull-requests: read', repository: 'acme/docs' }
    const author = await ask(need, (octokit) => createTrust(octokit, 'acme/docs')(account))
    return { author, asked: github.requests }
  })
}

test.each([
  ['read', 'stranger'],
  ['triage', 'stranger'],
  ['write', 'trusted'],
  ['maintain', 'trusted'],
  ['admin', 'trusted'],
] as const)('somebody with the role %s is %s', async (role, author) => {
  expect((await judge(MONA, { role })).author).toBe(author)
})

test('a login that passed to somebody else is not who wrote', async () => {
  expect((await judge({ ...MONA, id: 99 }, { role: 'admin' })).author).toBe('stranger')
})

test("the token's own user is trusted, whatever that may do", async () => {
  const found = await judge(MONA, { state: { identity: 'mona' } })
  expect(found).toEqual({ author: 'trusted', asked: ['graphql'] })
})

test("only the repository's workflows write as github-actions[bot]; any other app may be anybody's", async () => {
  const bot = (login: string, id = 1) => ({ id, login, type: 'Bot' })
  expect(await judge(bot('github-actions[bot]'))).toEqual({ author: 'trusted', asked: [] })
  expect(await judge(bot('somebodys-app[bot]'))).toEqual({ author: 'bot', asked: ['graphql'] })
  const ours = { identity: 'our-app[bot]', users: { 'our-app[bot]': { id: 77, type: 'Bot' } } } as const
  expect((await judge(bot('our-app[bot]', 77), { state: ours })).author).toBe('trusted')
  expect((await judge(bot('our-app[bot]', 77), { state: ours, faults: { graphql: [403] } })).author).toBe('bot')
  expect((await judge({ ...bot('github-actions[bot]'), type: 'User' })).author).toBe('stranger')
})

test('an account that was deleted is a stranger', async () => {
  expect(await judge(null)).toEqual({ author: 'stranger', asked: [] })
})

test('a GitHub that answers with errors does not tell whose the token is', async () => {
  const somebodys = { id: 1, login: 'somebodys-app[bot]', type: 'Bot' }
  const untold = [
    () => Promise.reject(new Error('Rate limited.')),
    () => Promise.resolve({ viewer: { databaseId: null } }),
  ]
  for (const graphql of untold)
    expect(await createTrust({ graphql } as unknown as Octokit, 'acme/docs')(somebodys)).toBe('bot')
})

test('a server that does not answer is no answer', async () => {
  const faults = { 'repos/get-collaborator-permission-level': [500, 500, 500, 500] }
  await expect(judge(MONA, { role: 'admin', faults })).rejects.toMatchObject({ code: 'service-error' })
})
