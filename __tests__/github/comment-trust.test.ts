import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parseComment } from '../../src/agent/trigger/parse-comment.ts'
import { type Role, repositoryState } from '../../src/emulator/github/repository-state.ts'
import type { GitHubState } from '../../src/emulator/github/state.ts'
import type { Octokit } from '../../src/github/ask-github.ts'
import { judgeWriters, type Author, type Writer } from '../../src/github/comment-trust.ts'
import { mayWrite } from '../../src/github/permissions.ts'
import { commentFacts } from '../support/comment-events.ts'
import { askingGitHub } from '../support/github-client.ts'
import { root, tableBelow } from '../support/markdown-files.ts'

const MONA = { id: 11, login: 'mona', type: 'User' }

interface Setting {
  readonly role?: Role
  readonly state?: Partial<GitHubState>
  readonly faults?: Record<string, number[]>
}

const by = (account: Writer['account'], association = 'NONE'): Writer => ({ account, association })

/** What is thought of those who wrote, oldest first, and what was asked for it. */
function judgeAll(writers: readonly Writer[], { role, state = {}, faults = {} }: Setting = {}) {
  const docs = repositoryState(role === undefined ? {} : { collaborators: { mona: role } })
  return askingGitHub({ docs, state, faults }, async ({ ask, github }) => {
    const need = { permission: 'pull-requests: read', repository: 'acme/docs' }
    const authors = await ask(need, (octokit, where) => judgeWriters(octokit, where, writers))
    return { authors, asked: github.requests }
  })
}

async function judge(account: typeof MONA | null, setting: Setting = {}) {
  const { authors, asked } = await judgeAll([by(account)], setting)
  return { author: authors[0], asked }
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
    expect(
      await judgeWriters({ graphql } as unknown as Octokit, { owner: 'acme', repo: 'docs' }, [by(somebodys)]),
    ).toEqual(['bot'])
})

test('a server that does not answer is no answer', async () => {
  const faults = { 'repos/get-collaborator-permission-level': [500, 500, 500, 500] }
  await expect(judge(MONA, { role: 'admin', faults })).rejects.toMatchObject({ code: 'service-error' })
})

const PERMISSION = 'repos/get-collaborator-permission-level'
const STRANGERS = Array.from({ length: 1_000 }, (_, id) => by({ id: 1_000 + id, login: `user-${id}`, type: 'User' }))
/** Of a thousand strangers, who are all known to GitHub, and Mona, who may write. */
const CROWD: Setting = {
  role: 'write',
  state: {
    users: Object.fromEntries(
      [MONA, ...STRANGERS.map(({ account }) => account ?? MONA)].map(({ id, login }) => [login, { id, type: 'User' }]),
    ),
  },
}

test.each<[string, readonly Writer[], Author, number]>([
  ['the newest, and once each', [...STRANGERS, ...STRANGERS, by(MONA), by(MONA)], 'trusted', 1],
  ['first who is shown as belonging to the repository', [by(MONA, 'MEMBER'), ...STRANGERS], 'trusted', 1],
  ['no more than ten', [by(MONA), ...STRANGERS], 'stranger', 0],
])('of many it is asked about %s', async (_whom, writers, author, asksOfMona) => {
  const { authors, asked } = await judgeAll(writers, CROWD)
  expect(authors[writers.findIndex(({ account }) => account === MONA)]).toBe(author)
  expect(authors.filter((one) => one === 'trusted')).toHaveLength(
    writers.filter((one) => one.account === MONA).length * asksOfMona,
  )
  expect(asked).toEqual(['graphql', ...Array<string>(10).fill(PERMISSION)])
})

test('where the workflows or the token itself have written, nobody is asked about anybody else', async () => {
  const workflow = by({ id: 1, login: 'github-actions[bot]', type: 'Bot' })
  const all = [by(MONA), by(null), workflow, ...STRANGERS]
  const { authors, asked } = await judgeAll(all, CROWD)
  expect([authors.slice(0, 4), asked]).toEqual([['stranger', 'stranger', 'trusted', 'stranger'], []])
  const own = await judgeAll([by(MONA), ...STRANGERS], { state: { ...CROWD.state, identity: 'mona' } })
  expect([own.authors[0], own.asked]).toEqual(['trusted', ['graphql']])
})

/** Who wrote, by the first column of the page's table. */
const BELIEVED: Readonly<Record<string, readonly [account: typeof MONA, setting: Setting]>> = {
  "the repository's workflows (`github-actions[bot]`)": [{ id: 1, login: 'github-actions[bot]', type: 'Bot' }, {}],
  "the token's own app": [
    { id: 77, login: 'our-app[bot]', type: 'Bot' },
    { state: { identity: 'our-app[bot]', users: { 'our-app[bot]': { id: 77, type: 'Bot' } } } },
  ],
  'a person with `write`, `maintain` or `admin`': [MONA, { role: 'write' }],
  'another app': [{ id: 1, login: 'somebodys-app[bot]', type: 'Bot' }, {}],
  'anybody else': [MONA, { role: 'triage' }],
}

test('the page says who is believed for what', async () => {
  const rows: string[][] = []
  for (const [who, [account, setting]] of Object.entries(BELIEVED)) {
    const { author = 'stranger' } = await judge(account, setting)
    const docs = repositoryState(setting.role === undefined ? {} : { collaborators: { mona: setting.role } })
    const may = await askingGitHub({ docs, state: {}, faults: {} }, ({ ask }) =>
      ask({ permission: 'metadata: read', repository: 'acme/docs' }, (octokit, where) =>
        mayWrite(octokit, where, account),
      ),
    )
    const asks = parseComment(commentFacts({ author: account }), '/docs').kind === 'asks' && may
    rows.push([who, asks ? 'yes' : 'no', { trusted: 'yes', bot: 'partly', stranger: 'no' }[author]])
  }
  const page = readFileSync(`${root}docs/pull-requests.md`, 'utf8')
  expect(tableBelow(page, 'Who is believed for what')).toEqual(rows)
})
