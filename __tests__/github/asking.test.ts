import { getOctokit } from '@actions/github'
import { expect, test } from '@jest/globals'
import * as z from 'zod/mini'
import { repositoryState } from '../../src/emulator/github/repository-state.ts'
import { startEmulator } from '../../src/emulator/server.ts'
import type { Octokit } from '../../src/github/ask-github.ts'
import { createConditionalRequests } from '../../src/github/conditional-requests.ts'
import { connectGitHub } from '../../src/github/connect-github.ts'
import { number, parseItems, parsePage, part, text } from '../../src/github/parse-list.ts'
import { connectPermissions, mayWrite } from '../../src/github/permissions.ts'
import { followPages, PAGE_SIZE, readPages } from '../../src/github/read-pages.ts'
import { mayWaitForRateLimit } from '../../src/github/retry-policy.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { RUN_FACTS } from '../support/fake-github.ts'
import { askingGitHub, withShortPauses } from '../support/github-client.ts'
import { commit, repositoryWithPull } from '../support/github-state.ts'
import { observeGitHub } from '../support/observe-github.ts'

test('waits for a rate limit that ends before the deadline', () => {
  expect(mayWaitForRateLimit(59, 0, 60_000)).toBe(true)
  expect(mayWaitForRateLimit(60, 0, 60_000)).toBe(false)
})

test('waits three times, and not for ever', () => {
  expect([0, 1, 2, 3].map((retryCount) => mayWaitForRateLimit(1, retryCount, 60_000))).toEqual([
    true,
    true,
    true,
    false,
  ])
})

/** Whether Mona may write, by what GitHub answers. */
function judge(data: object): Promise<boolean> {
  const getCollaboratorPermissionLevel = (): Promise<object> => Promise.resolve({ data })
  const octokit = { rest: { repos: { getCollaboratorPermissionLevel } } } as unknown as Octokit
  return mayWrite(octokit, { owner: 'acme', repo: 'docs' }, { id: 11, login: 'mona' })
}

test.each([
  ['admin', true],
  ['maintain', true],
  ['write', true],
  ['triage', false],
  ['read', false],
  ['none', false],
])('%s may write: %s', async (permission, may) => {
  expect(await judge({ permission, role_name: permission, user: { id: 11 } })).toBe(may)
})

test('a role of somebody’s own counts as what GitHub maps it to', async () => {
  expect(await judge({ permission: 'write', role_name: 'docs-editor', user: { id: 11 } })).toBe(true)
})

test.each([[{ id: 99 }], [null]])('the permission of %j, who has the login now, is not hers', async (user) => {
  expect(await judge({ permission: 'admin', role_name: 'admin', user })).toBe(false)
})

test('without an id, whoever has the login now is asked about', async () => {
  const [mona, dora] = await askingGitHub({ docs: repositoryState({ collaborators: { mona: 'write' } }) }, ({ ask }) =>
    Promise.all(['mona', 'dora'].map((login) => connectPermissions(ask).mayWrite('acme/docs', { login }))),
  )
  expect([mona, dora]).toEqual([true, false])
})

test('a user who is gone may not write, if it is not the repository that cannot be seen', async () => {
  const ask = (repository: string) =>
    askingGitHub({}, ({ ask }) =>
      connectPermissions(ask)
        .mayWrite(repository, { id: 11, login: 'gone' })
        .catch((error: unknown) => error),
    )
  expect(await ask('acme/docs')).toBe(false)
  expect(await ask('acme/hidden')).toMatchObject({ code: 'not-found' })
})

const schema = z.object({ name: text, size: number, of: part(z.object({ id: z.number() })) })

test.each([
  [
    { name: 'a', size: 1, of: { id: 2 } },
    { name: 'a', size: 1, of: { id: 2 } },
  ],
  [{ name: 1, size: '1', of: { id: null } }, {}],
  [{ name: null, size: null, of: null }, {}],
  [{}, {}],
])('of %j it takes %j: a field that is not as described is not there', (item, taken) => {
  expect(parseItems(schema, [item])).toEqual([taken])
})

test.each([null, 'a', 7, []])('what is no object, such as %j, is no item', (item) => {
  expect(parseItems(z.object({ name: text }), [item, { name: 'b' }])).toEqual([{ name: 'b' }])
})

test.each([undefined, null, 'x'.repeat(100), {}])('%j is no list', (page) => {
  expect(() => parseItems(schema, page)).toThrow(TypeError)
})

const items = (count: number) => Array.from({ length: count }, () => ({ name: 'a' }))

test.each([
  ['all that is counted', items(2), 2, 0, false],
  ['less than is counted', items(2), 5, 3, false],
  ['more than is counted', items(2), 1, 0, false],
  ['one that cannot be read', [...items(1), null], 2, 1, false],
  ['a page that is not full, and no count', items(99), 'many', 0, false],
  ['a full page, and no count', items(100), null, 1, true],
  ['a full page, and more', items(100), 250, 150, true],
])('with %s, it knows what is missing', (_what, list, total_count, missing, isFull) => {
  const answer = { data: { list, total_count }, headers: {} }
  expect(parsePage(schema, answer, 'list')).toMatchObject({ missing, isFull })
})

test('a page that is not full need not be the last', () => {
  const answer = { data: { list: items(2) }, headers: { link: '<https://x.example/?page=2>; rel="next"' } }
  expect(parsePage(schema, answer, 'list')).toMatchObject({ missing: 1, isFull: true })
})

function pagesOf(count: number): { asked: number[]; readPage: (page: number) => Promise<number[]> } {
  const asked: number[] = []
  const readPage = (page: number): Promise<number[]> => {
    asked.push(page)
    const length = Math.min(PAGE_SIZE, Math.max(0, count - (page - 1) * PAGE_SIZE))
    return Promise.resolve(Array.from({ length }, (_, index) => (page - 1) * PAGE_SIZE + index))
  }
  return { asked, readPage }
}

test('reads until a page is not full', async () => {
  const { asked, readPage } = pagesOf(250)
  expect(await readPages(readPage, 10)).toHaveLength(250)
  expect(asked).toEqual([1, 2, 3])
})

test('a page may hold more than anybody asked for', async () => {
  expect(await readPages(() => Promise.resolve(Array<number>(500_000).fill(0)), 2)).toHaveLength(1_000_000)
})

test('asks once where there is nothing', async () => {
  const { asked, readPage } = pagesOf(0)
  expect(await readPages(readPage, 10)).toEqual([])
  expect(asked).toEqual([1])
})

test('a page that is no list is refused, although a text has a length too', async () => {
  const page = '<!doctype html>' as unknown as string[]
  await expect(readPages(() => Promise.resolve(page), 10)).rejects.toBeInstanceOf(TypeError)
})

test('reads no more pages than it may', async () => {
  const { asked, readPage } = pagesOf(1_000)
  expect(await readPages(readPage, 2)).toHaveLength(200)
  expect(asked).toEqual([1, 2])
})

const linked = (data: readonly number[], link?: string) => Promise.resolve({ data, headers: { link } })

test('follows the links, by number or behind an entry, and takes nothing else of them', async () => {
  const asked: object[] = []
  const links = [
    '<https://api.example.com/x?per_page=1&page=2>; rel="next", <https://api.example.com/x?page=9>; rel="last"',
    '<https://api.example.com/x?page=1>; rel="prev", <https://elsewhere.example.com/y?owner=eve&after=c%3D2>; rel="next"',
    '<https://api.example.com/x?page=1>; rel="first"',
  ]
  const readPage = (place: object) => {
    asked.push(place)
    return linked([asked.length], links[asked.length - 1])
  }
  expect(await followPages(readPage, 3)).toEqual([1, 2, 3])
  expect(asked).toEqual([{ page: 1 }, { page: 2 }, { after: 'c=2' }])
})

test('a list that goes on past the last page that may be read is not known', async () => {
  const endless = () => linked([1], '<https://api.example.com/x?page=2>; rel="next"')
  await expect(followPages(endless, 3)).rejects.toMatchObject({ code: 'rejected' })
  const page = '<!doctype html>' as unknown as number[]
  await expect(followPages(() => linked(page), 3)).rejects.toBeInstanceOf(TypeError)
})

interface Served {
  readonly status?: number
  readonly etag?: string
  readonly body?: object
  readonly left?: number
}

/** A client whose requests are answered in turn, and what each said of an answer that it has. */
function asking(...answers: readonly Served[]) {
  const said: (string | undefined)[] = []
  const fetch = (_url: string, { headers }: { headers: Record<string, string> }) => {
    const { status = 200, etag, body, left } = answers[said.length] ?? {}
    said.push(headers['if-none-match'])
    const told = {
      ...(etag === undefined ? {} : { etag }),
      ...(left === undefined ? {} : { 'x-ratelimit-limit': '1000', 'x-ratelimit-remaining': String(left) }),
    }
    const text = body === undefined ? null : JSON.stringify(body)
    return Promise.resolve(
      new Response(text, { status, headers: { 'content-type': 'application/json; charset=utf-8', ...told } }),
    )
  }
  const { plugin, usage } = createConditionalRequests()
  const { request } = getOctokit('token', { request: { fetch } }, plugin)
  const read = async (n = 1): Promise<unknown> => (await request('GET /repos/acme/docs/pulls/{n}', { n })).data
  return { read, request, said, usage }
}

test('asks again only for what has changed, and gives what it had where nothing has', async () => {
  const { read, said, usage } = asking(
    { etag: 'W/"1"', body: { at: 1 }, left: 400 },
    { status: 304, etag: 'W/"1"', left: 400 },
    { etag: 'W/"2"', body: { at: 2 }, left: 399 },
    { status: 304 },
  )
  expect([await read(), await read(), await read(), await read()]).toEqual([1, 1, 2, 2].map((at) => ({ at })))
  expect(said).toEqual([undefined, 'W/"1"', 'W/"1"', 'W/"2"'])
  expect(usage()).toEqual({ counted: 2, remaining: 399, limit: 1_000 })
})

test('each address has its own answer, and so has none that came without a tag or by a write', async () => {
  const { read, request, said } = asking({ etag: 'W/"1"', body: {} }, { body: {} }, { etag: 'W/"3"', body: {} })
  await read(1)
  await read(2)
  await request('POST /repos/acme/docs/pulls/1')
  await read(2)
  await read(1)
  expect(said).toEqual([undefined, undefined, undefined, undefined, 'W/"1"'])
})

test('keeps the answers to the 16 addresses that were asked for last', async () => {
  const { read, said } = asking(
    ...Array.from({ length: 18 }, (_, before) => (before === 16 ? { status: 304 } : { etag: 'W/"1"', body: {} })),
    ...Array<Served>(2).fill({ status: 304 }),
  )
  for (let n = 1; n <= 16; n++) await read(n)
  for (const n of [1, 17, 1, 3, 2]) await read(n)
  expect(said.slice(16)).toEqual(['W/"1"', undefined, 'W/"1"', 'W/"1"', undefined])
})

test('a refusal counts, stays one, and costs nothing of what is known', async () => {
  const { read, said, usage } = asking({ etag: 'W/"1"', body: {} }, { status: 404, body: {} }, { status: 304 })
  await read()
  await expect(read()).rejects.toMatchObject({ status: 404 })
  expect(await read()).toEqual({})
  expect(said[2]).toBe('W/"1"')
  expect(usage().counted).toBe(2)
})

test('an answer 304 to a question that did not ask for one is an error', async () => {
  await expect(asking({ status: 304 }).read()).rejects.toMatchObject({ status: 304 })
})

test('asks for everything at the address that it is given, with the token', async () => {
  const observed = observeGitHub({ state: { repositories: { 'acme/docs': repositoryWithPull() } } })
  const server = await startEmulator({ github: observed.options })
  const address = { repository: 'acme/docs', number: 7 }
  try {
    const github = connectGitHub({
      token: server.github.token,
      apiUrl: server.github.apiUrl,
      env: {},
      clock: systemClock,
      signal: new AbortController().signal,
      deadlineAt: systemClock.now() + 120_000,
      debug: () => undefined,
      redact: (text) => text,
    })
    await withShortPauses(async () => {
      await github.compare('acme/docs', 'main', 'agent/guide')
      await github.findLastSuccesses({ repository: 'acme/docs', workflow: 'docs.yml', branch: 'main', runId: 1 })
      await github.listTags('acme/docs')
      await github.findPullRequestsOfCommit('acme/docs', commit('a'))
      await github.listOpenPullRequests('acme/docs', 'docs-agent')
      await github.readPullRequest(address)
      await github.listPullRequestCommits(address)
      await github.addLabel(address, 'docs-agent')
      await github.addComment(address, '<!-- docs-agent-action: job=job_1 -->')
      const [comment] = await github.listMarkerComments(address)
      await github.editComment(address, comment?.id ?? 0, 'hello again')
      await github.readChecks('acme/docs', commit('c'), RUN_FACTS)
    })
    expect(observed.requests).toHaveLength(15)
    const { counted } = github.usage()
    await github.until(systemClock.now() + 60_000).readChecks('acme/docs', commit('c'), RUN_FACTS)
    expect(observed.requests).toHaveLength(19)
    expect(github.usage()).toMatchObject({ counted, limit: 1_000 })
    expect(observed.counted).toBe(counted)
    expect(observed.violations).toEqual([])
  } finally {
    await server.close()
  }
}, 120_000)
