import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { isOwnComment } from '../../src/agent/marker.ts'
import { parseComment } from '../../src/agent/conversation/comment-command.ts'
import { type Role, repositoryState } from '../../src/emulator/github/repository-state.ts'
import { commentFacts } from '../support/comment-events.ts'
import { answering, askingGitHub, type AskingOptions } from '../support/github-client.ts'
import { repositoryWithPull } from '../support/github-state.ts'
import { root, tableBelow } from '../support/markdown-files.ts'

const MARKER = '<!-- docs-agent-action: job=job_1 -->'
const PLACE = { repository: 'acme/docs', number: 7 }

const OUR_APP = 'our-app[bot]'

const by = (user: string, association = 'NONE') => ({ user, association })
type Writer = ReturnType<typeof by>

const person = (id: number) => ({ id, type: 'User' }) as const
const app = (id: number) => ({ id, type: 'Bot' }) as const
const STRANGERS = Array.from({ length: 1_000 }, (_, id) => by(`user-${id}`))
const USERS = {
  mona: person(11),
  'github-actions[bot]': app(1),
  'somebodys-app[bot]': app(2),
  [OUR_APP]: app(77),
  'not-actions[bot]': person(3),
  ...Object.fromEntries(STRANGERS.map(({ user }, id) => [user, person(1_000 + id)])),
}

interface Setting {
  readonly role?: Role
  readonly identity?: string
  readonly faults?: AskingOptions['faults']
}

/** What is thought of those who wrote, oldest first, and what was asked for it. */
function judge(writers: readonly Writer[], { role, identity = 'nobody', faults = {} }: Setting = {}) {
  const comments = writers.map((writer, id) => ({ id, body: MARKER, createdAtMs: 0, reactions: [], ...writer }))
  const docs = repositoryWithPull({ comments }, { collaborators: role === undefined ? {} : { mona: role } })
  return askingGitHub({ docs, state: { users: USERS, identity }, faults }, async (github, { asked }) => {
    const found = await github.listComments(PLACE, isOwnComment)
    return { authors: found.map(({ author }) => author), asked: asked.filter((one) => one !== 'issues/list-comments') }
  })
}

const WHOSE = 'graphql'
const MAY = 'repos/get-collaborator-permission-level'

test.each<[string, string, Setting, string, readonly string[]]>([
  ['mona, who may read', 'mona', { role: 'read' }, 'stranger', [WHOSE, MAY]],
  ['mona, who may triage', 'mona', { role: 'triage' }, 'stranger', [WHOSE, MAY]],
  ['mona, who may write', 'mona', { role: 'write' }, 'trusted', [WHOSE, MAY]],
  ['mona, who maintains', 'mona', { role: 'maintain' }, 'trusted', [WHOSE, MAY]],
  ['mona, whose the repository is', 'mona', { role: 'admin' }, 'trusted', [WHOSE, MAY]],
  ['mona, whose the token is', 'mona', { identity: 'mona' }, 'trusted', [WHOSE]],
  ['the workflows', 'github-actions[bot]', {}, 'trusted', []],
  ['a person who is called like an app', 'not-actions[bot]', {}, 'stranger', [WHOSE, MAY]],
  ['any app', 'somebodys-app[bot]', {}, 'bot', [WHOSE]],
  ['the app whose the token is', OUR_APP, { identity: OUR_APP }, 'trusted', [WHOSE]],
  ['that app, if GitHub does not tell', OUR_APP, { identity: OUR_APP, faults: { [WHOSE]: [403] } }, 'bot', [WHOSE]],
  ['mona, if GitHub does not tell', 'mona', { role: 'admin', faults: { [MAY]: [403] } }, 'stranger', [WHOSE, MAY]],
])('%s', async (_who, user, setting, author, asked) => {
  expect(await judge([by(user)], setting)).toEqual({ authors: [author], asked })
})

test('a server that does not answer is no answer, and of nobody it is not asked', async () => {
  const faults = { [MAY]: Array<number>(4).fill(500) }
  await expect(judge([by('mona')], { role: 'admin', faults })).rejects.toMatchObject({ code: 'service-error' })
  expect(await judge([])).toEqual({ authors: [], asked: [] })
})

const MONA = { id: 11, login: 'mona', type: 'User' }
const MAY_WRITE = { permission: 'admin', role_name: 'admin', user: { id: 11 } }
const OTHER = { data: { viewer: { databaseId: 5 } } }
const NOBODY = { data: { viewer: { databaseId: null } } }
const ERRORS = { errors: [{ type: 'RATE_LIMITED' }] }
const APP = { id: 2, login: 'somebodys-app[bot]', type: 'Bot' }
const NAMED_SO = { id: 1, login: 'github-actions[bot]', type: 'User' }

test.each<[string, object | null, object, object, string]>([
  ['who is named by the permission', MONA, OTHER, MAY_WRITE, 'trusted'],
  ['a login that passed to somebody else', MONA, OTHER, { ...MAY_WRITE, user: { id: 99 } }, 'stranger'],
  ['a login that is nobody’s', MONA, OTHER, { ...MAY_WRITE, user: null }, 'stranger'],
  ['a role of somebody’s own', MONA, OTHER, { ...MAY_WRITE, permission: 'write', role_name: 'editor' }, 'trusted'],
  ['an account that was deleted', null, OTHER, MAY_WRITE, 'stranger'],
  ['an account that has the name of the workflows only', NAMED_SO, OTHER, { permission: 'none' }, 'stranger'],
  ['an app, where GitHub has errors in the place of data', APP, ERRORS, MAY_WRITE, 'bot'],
  ['an app, where GitHub knows no number', APP, NOBODY, MAY_WRITE, 'bot'],
])('%s', async (_who, user, viewer, permission, author) => {
  const github = answering((path) => {
    if (path.endsWith('/graphql')) return viewer
    return path.endsWith('/permission') ? permission : [{ id: 5, body: MARKER, user, author_association: 'NONE' }]
  })
  expect(await github.listComments(PLACE, isOwnComment)).toMatchObject([{ author }])
})

const MONA_WRITES = { role: 'write' } as const
const ASKED_TEN = [WHOSE, ...Array<string>(10).fill(MAY)]

test.each<[string, readonly Writer[], readonly number[], readonly string[], Setting]>([
  [
    'the newest, each once',
    [...STRANGERS, ...STRANGERS, by('mona'), by('mona')],
    [2_000, 2_001],
    ASKED_TEN,
    MONA_WRITES,
  ],
  ['first the owner', [by('mona', 'OWNER'), ...STRANGERS], [0], ASKED_TEN, MONA_WRITES],
  ['first the members', [by('mona', 'MEMBER'), ...STRANGERS], [0], ASKED_TEN, MONA_WRITES],
  ['first the collaborators', [by('mona', 'COLLABORATOR'), ...STRANGERS], [0], ASKED_TEN, MONA_WRITES],
  ['no more than ten', [by('mona'), ...STRANGERS], [], ASKED_TEN, MONA_WRITES],
  ['nobody beside the workflows', [by('mona'), by('github-actions[bot]'), ...STRANGERS], [1], [], MONA_WRITES],
  ['nobody beside the token itself', [by('user-0'), by('mona'), ...STRANGERS], [1], [WHOSE], { identity: 'mona' }],
])('of many, GitHub is asked about %s', async (_whom, writers, trusted, requests, setting) => {
  const { authors, asked } = await judge(writers, setting)
  expect(authors.flatMap((author, index) => (author === 'trusted' ? [index] : []))).toEqual(trusted)
  expect(asked).toEqual(requests)
})

test('without an id, whoever has the login now is asked about', async () => {
  const docs = repositoryState({ collaborators: { mona: 'write' } })
  const ask = (login: string, repository = 'acme/docs') =>
    askingGitHub({ docs }, (github) => github.mayWrite(repository, { login }).catch((error: unknown) => error))
  expect([await ask('mona'), await ask('dora')]).toEqual([true, false])
  // A user who is gone may not, if it is not the repository that cannot be seen.
  expect([await ask('gone'), await ask('gone', 'acme/hidden')]).toMatchObject([false, { code: 'not-found' }])
})

/** Who wrote, by the first column of the page's table. */
const BELIEVED: Readonly<Record<string, readonly [user: keyof typeof USERS, setting: Setting]>> = {
  "the repository's workflows (`github-actions[bot]`)": ['github-actions[bot]', {}],
  "the token's own app": [OUR_APP, { identity: OUR_APP }],
  'a person with `write`, `maintain` or `admin`': ['mona', { role: 'write' }],
  'another app': ['somebodys-app[bot]', {}],
  'anybody else': ['mona', { role: 'triage' }],
}

test('the page says who is believed for what', async () => {
  const rows: string[][] = []
  for (const [who, [login, setting]] of Object.entries(BELIEVED)) {
    const { authors } = await judge([by(login)], setting)
    const docs = repositoryState(setting.role === undefined ? {} : { collaborators: { mona: setting.role } })
    const author = { login, ...(USERS as Record<string, { id: number; type: string }>)[login] } as typeof MONA
    const may = await askingGitHub({ docs, state: { users: USERS } }, (github) => github.mayWrite('acme/docs', author))
    const asks = typeof parseComment(commentFacts({ author }), '/docs') === 'object' && may
    rows.push([who, asks ? 'yes' : 'no', { trusted: 'yes', bot: 'partly', stranger: 'no' }[authors[0] ?? 'stranger']])
  }
  const page = readFileSync(`${root}docs/pull-requests.md`, 'utf8')
  expect(tableBelow(page, 'Who is believed for what')).toEqual(rows)
})
