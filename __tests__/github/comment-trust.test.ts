import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { isOwnComment } from '../../src/agent/history/state.ts'
import { parseComment } from '../../src/agent/features/command.ts'
import { isSkip } from '../../src/agent/skip.ts'
import { type Role, createRepositoryState } from '../../src/emulator/github/repository-state.ts'
import { commentFacts } from '../../testing/comment-events.ts'
import { stubGitHub, withGitHub, type EmbeddedGitHubOptions } from '../../testing/github-client.ts'
import { repositoryWithPull } from '../../testing/github-state.ts'
import { root, parseTable } from '../../testing/markdown-files.ts'

const MARKER = '<!-- docs-agent-action: job=job_1 -->'
const PLACE = { repository: 'acme/docs', number: 7 }

const OUR_APP = 'our-app[bot]'

const createAuthor = (user: string, association = 'NONE') => ({ user, association })
type Author = ReturnType<typeof createAuthor>

const person = (id: number) => ({ id, type: 'User' }) as const
const app = (id: number) => ({ id, type: 'Bot' }) as const
const UNKNOWN_USERS = Array.from({ length: 1_000 }, (_, id) => createAuthor(`user-${id}`))
const USERS = {
  mona: person(11),
  'github-actions[bot]': app(1),
  'somebodys-app[bot]': app(2),
  [OUR_APP]: app(77),
  'not-actions[bot]': person(3),
  ...Object.fromEntries(UNKNOWN_USERS.map(({ user }, id) => [user, person(1_000 + id)])),
}

interface Options {
  readonly role?: Role
  readonly identity?: string
  readonly faults?: EmbeddedGitHubOptions['faults']
}

/** Returns how the authors are classified, oldest comment first, and the requests that this takes. */
function classify(authors: readonly Author[], { role, identity = 'nobody', faults = {} }: Options = {}) {
  const comments = authors.map((author, id) => ({ id, body: MARKER, createdAtMs: 0, reactions: [], ...author }))
  const docs = repositoryWithPull({ comments }, { collaborators: role === undefined ? {} : { mona: role } })
  return withGitHub({ docs, state: { users: USERS, identity }, faults }, async (github, { operations }) => {
    const found = await github.listComments(PLACE, isOwnComment)
    return {
      authors: found.map(({ author }) => author),
      operations: operations.filter((one) => one !== 'issues/list-comments'),
    }
  })
}

const READ_OWN_ID = 'graphql'
const READ_PERMISSION = 'repos/get-collaborator-permission-level'

test.each<[string, string, Options, string, readonly string[]]>([
  ['a person with `read`', 'mona', { role: 'read' }, 'untrusted', [READ_OWN_ID, READ_PERMISSION]],
  ['a person with `triage`', 'mona', { role: 'triage' }, 'untrusted', [READ_OWN_ID, READ_PERMISSION]],
  ['a person with `write`', 'mona', { role: 'write' }, 'trusted', [READ_OWN_ID, READ_PERMISSION]],
  ['a person with `maintain`', 'mona', { role: 'maintain' }, 'trusted', [READ_OWN_ID, READ_PERMISSION]],
  ['a person with `admin`', 'mona', { role: 'admin' }, 'trusted', [READ_OWN_ID, READ_PERMISSION]],
  ['the user of the token', 'mona', { identity: 'mona' }, 'trusted', [READ_OWN_ID]],
  ['a workflow', 'github-actions[bot]', {}, 'trusted', []],
  ['a person with the name of an app', 'not-actions[bot]', {}, 'untrusted', [READ_OWN_ID, READ_PERMISSION]],
  ['another app', 'somebodys-app[bot]', {}, 'bot', [READ_OWN_ID]],
  ['the app of the token', OUR_APP, { identity: OUR_APP }, 'trusted', [READ_OWN_ID]],
  [
    'the app of the token, if its id is unknown',
    OUR_APP,
    { identity: OUR_APP, faults: { [READ_OWN_ID]: [403] } },
    'bot',
    [READ_OWN_ID],
  ],
])('classifies the author of a comment: %s', async (_who, user, options, author, operations) => {
  expect(await classify([createAuthor(user)], options)).toEqual({ authors: [author], operations })
})

test.each([
  [[403], 'forbidden'],
  [[500, 500, 500, 500], 'service-error'],
])('fails if the permission cannot be read: %j', async (statuses, code) => {
  const faults = { [READ_PERMISSION]: statuses }
  await expect(classify([createAuthor('mona')], { role: 'admin', faults })).rejects.toMatchObject({ code })
})

test('sends no request about authors without comments', async () => {
  expect(await classify([])).toEqual({ authors: [], operations: [] })
})

const MONA = { id: 11, login: 'mona', type: 'User' }
const WRITE_RESPONSE = { permission: 'admin', role_name: 'admin', user: { id: 11 } }
const OTHER_VIEWER = { data: { viewer: { databaseId: 5 } } }
const NO_VIEWER = { data: { viewer: { databaseId: null } } }
const ERRORS = { errors: [{ type: 'RATE_LIMITED' }] }
const APP = { id: 2, login: 'somebodys-app[bot]', type: 'Bot' }
const NAMED_LIKE_WORKFLOWS = { id: 1, login: 'github-actions[bot]', type: 'User' }

test.each<[string, object | null, object, object, string]>([
  ['the person in the response', MONA, OTHER_VIEWER, WRITE_RESPONSE, 'trusted'],
  ['a login that passed to another account', MONA, OTHER_VIEWER, { ...WRITE_RESPONSE, user: { id: 99 } }, 'untrusted'],
  ['a login without an account', MONA, OTHER_VIEWER, { ...WRITE_RESPONSE, user: null }, 'untrusted'],
  ['a custom role', MONA, OTHER_VIEWER, { ...WRITE_RESPONSE, permission: 'write', role_name: 'editor' }, 'trusted'],
  ['a deleted account', null, OTHER_VIEWER, WRITE_RESPONSE, 'untrusted'],
  ['a person with the name of the workflows', NAMED_LIKE_WORKFLOWS, OTHER_VIEWER, { permission: 'none' }, 'untrusted'],
  ['an app, if GraphQL returns errors instead of data', APP, ERRORS, WRITE_RESPONSE, 'bot'],
  ['an app, if GitHub returns no id', APP, NO_VIEWER, WRITE_RESPONSE, 'bot'],
])('classifies by the response: %s', async (_who, user, viewer, permission, author) => {
  const github = stubGitHub((path) => {
    if (path.endsWith('/graphql')) return viewer
    return path.endsWith('/permission') ? permission : [{ id: 5, body: MARKER, user, author_association: 'NONE' }]
  })
  expect(await github.listComments(PLACE, isOwnComment)).toMatchObject([{ author }])
})

const MONA_CAN_WRITE = { role: 'write' } as const
const TEN_LOOKUPS = [READ_OWN_ID, ...Array<string>(10).fill(READ_PERMISSION)]

test.each<[string, readonly Author[], readonly number[], readonly string[], Options]>([
  [
    'the newest people, each once',
    [...UNKNOWN_USERS, ...UNKNOWN_USERS, createAuthor('mona'), createAuthor('mona')],
    [2_000, 2_001],
    TEN_LOOKUPS,
    MONA_CAN_WRITE,
  ],
  ['the owner first', [createAuthor('mona', 'OWNER'), ...UNKNOWN_USERS], [0], TEN_LOOKUPS, MONA_CAN_WRITE],
  ['members first', [createAuthor('mona', 'MEMBER'), ...UNKNOWN_USERS], [0], TEN_LOOKUPS, MONA_CAN_WRITE],
  ['collaborators first', [createAuthor('mona', 'COLLABORATOR'), ...UNKNOWN_USERS], [0], TEN_LOOKUPS, MONA_CAN_WRITE],
  ['ten people at most', [createAuthor('mona'), ...UNKNOWN_USERS], [], TEN_LOOKUPS, MONA_CAN_WRITE],
  [
    'nobody if a workflow commented',
    [createAuthor('mona'), createAuthor('github-actions[bot]'), ...UNKNOWN_USERS],
    [1],
    [],
    MONA_CAN_WRITE,
  ],
  [
    'nobody if the user of the token commented',
    [createAuthor('user-0'), createAuthor('mona'), ...UNKNOWN_USERS],
    [1],
    [READ_OWN_ID],
    { identity: 'mona' },
  ],
])('looks up %s', async (_whom, commenters, trusted, requests, options) => {
  const { authors, operations } = await classify(commenters, options)
  expect(authors.flatMap((author, index) => (author === 'trusted' ? [index] : []))).toEqual(trusted)
  expect(operations).toEqual(requests)
})

test('without an id, looks up the account that has the login now', async () => {
  const docs = createRepositoryState({ collaborators: { mona: 'write' } })
  const lookUp = (login: string, repository = 'acme/docs') =>
    withGitHub({ docs }, (github) => github.mayWrite(repository, { login }).catch((error: unknown) => error))
  expect([await lookUp('mona'), await lookUp('dora')]).toEqual([true, false])
  // A 404 means a deleted user only if the token has access to the repository.
  expect([await lookUp('deleted'), await lookUp('deleted', 'acme/hidden')]).toMatchObject([
    false,
    { code: 'not-found' },
  ])
})

/** The authors in the first column of the page's table. */
const AUTHORS: Readonly<Record<string, readonly [user: keyof typeof USERS, options: Options]>> = {
  "the repository's workflows (`github-actions[bot]`)": ['github-actions[bot]', {}],
  "the token's own identity": [OUR_APP, { identity: OUR_APP }],
  'a person with `write`, `maintain` or `admin`': ['mona', { role: 'write' }],
  'another app': ['somebodys-app[bot]', {}],
  'anybody else': ['mona', { role: 'triage' }],
}

test('the page documents whose comments are trusted', async () => {
  const rows: string[][] = []
  for (const [who, [login, options]] of Object.entries(AUTHORS)) {
    const { authors } = await classify([createAuthor(login)], options)
    const docs = createRepositoryState(options.role === undefined ? {} : { collaborators: { mona: options.role } })
    const author = { login, ...(USERS as Record<string, { id: number; type: string }>)[login] } as typeof MONA
    const canWrite = await withGitHub({ docs, state: { users: USERS } }, (github) =>
      github.mayWrite('acme/docs', author),
    )
    const isCommand = !isSkip(parseComment(commentFacts({ author }), '/docs')) && canWrite
    rows.push([
      who,
      isCommand ? 'yes' : 'no',
      { trusted: 'yes', bot: 'partly', untrusted: 'no' }[authors[0] ?? 'untrusted'],
    ])
  }
  const page = readFileSync(`${root}docs/permissions.md`, 'utf8')
  expect(parseTable(page, 'Who is trusted')).toEqual(rows)
})
