import { expect, test } from '@jest/globals'
import { Response, type RequestInit } from 'undici'
import { repositoryState } from '../../src/emulator/github/repository-state.ts'
import type { AskGitHub } from '../../src/github/ask-github.ts'
import { connectComments } from '../../src/github/comments.ts'
import { connectLabels } from '../../src/github/labels.ts'
import { connectPullRequests } from '../../src/github/pull-requests.ts'
import { createFollowingFetch } from '../../src/github/redirects.ts'
import { askingGitHub, errorOf } from '../support/github-client.ts'
import { repositoryWithPull } from '../support/github-state.ts'

const API = 'https://api.example.com'

/** Sends on with this status and then answers 200; gives what was asked. */
async function send(status: number, location: string | undefined, given: RequestInit = {}) {
  const asked: { readonly url: string; readonly init: RequestInit }[] = []
  const follow = createFollowingFetch((url, init) => {
    asked.push({ url, init })
    const headers = location === undefined ? {} : { location }
    return Promise.resolve(asked.length === 1 ? new Response('', { status, headers }) : new Response('{}'))
  })
  const answer = await follow(`${API}/repos/acme/old`, { method: 'POST', body: '{"a":1}', ...given })
  return { status: answer.status, asked }
}

test.each([301, 302, 307, 308])('a write that is answered %i goes on as it is', async (status) => {
  const { status: last, asked } = await send(status, '/repositories/1')
  expect(last).toBe(200)
  expect(asked[1]).toMatchObject({ url: `${API}/repositories/1`, init: { method: 'POST', body: '{"a":1}' } })
})

test.each([300, 303])('a write that is answered %i goes nowhere, and is never read instead', async (status) => {
  const { status: last, asked } = await send(status, '/repositories/1')
  expect(last).toBe(status)
  expect(asked.map(({ init }) => init.redirect)).toEqual(['manual'])
})

test.each([
  [301, 200],
  [307, 200],
  [308, 200],
  [302, 302],
])('a read that asks where something is goes on from a repository that has moved: %i', async (status, last) => {
  const answer = await send(status, '/repositories/1', { method: 'GET', body: null, redirect: 'manual' })
  expect(answer.status).toBe(last)
})

test.each(['https://elsewhere.example/x', 'http://api.example.com/x', 'https://:x', undefined])(
  'the token goes nowhere else with a write, so not to %s',
  async (location) => {
    expect((await send(307, location)).asked).toHaveLength(1)
  },
)

test('a write that is sent round and round ends', async () => {
  let asked = 0
  const follow = createFollowingFetch(() => {
    asked++
    return Promise.resolve(new Response('', { status: 307, headers: { location: '/again' } }))
  })
  expect((await follow(API, { method: 'POST' })).status).toBe(307)
  expect(asked).toBe(4)
})

test('a repository that has moved is read and written at its new place', async () => {
  const docs = repositoryWithPull({}, { id: 5, labels: ['docs-agent'] })
  const moved = repositoryState({ movedTo: 'acme/new' })
  const state = { repositories: { 'acme/docs': moved, 'acme/new': docs } }
  await askingGitHub({ docs, state }, async ({ ask }) => {
    const address = { repository: 'acme/docs', number: 7 }
    expect((await connectPullRequests(ask).readPullRequest(address)).branch).toBe('agent/guide')
    await connectLabels(ask).addLabel(address, 'docs-agent')
    expect(docs.pulls[7]?.labels).toEqual(['docs-agent'])
  })
})

const PLACE = { repository: 'acme/docs', number: 7 }
const COMMENT = { ...PLACE, kind: 'comment', id: 5, threadId: 5, isOnPullRequest: true, writtenAt: '' } as const
const WRITES: Readonly<Record<string, (ask: AskGitHub) => Promise<unknown>>> = {
  'issues/add-labels': (ask) => connectLabels(ask).addLabel(PLACE, 'docs-agent'),
  'issues/create-comment': (ask) => connectComments(ask).addComment(PLACE, 'It is done.'),
  'issues/update-comment': (ask) => connectComments(ask).editComment(PLACE, 5, 'It is done.'),
  'reactions/create-for-issue-comment': (ask) => connectComments(ask).addEyes(COMMENT),
}

test.each(Object.entries(WRITES))('%s is not done if it ends with being sent on', async (operation, write) => {
  const faults = { [operation]: [301, 303] }
  await askingGitHub({ docs: repositoryWithPull(), faults }, async ({ ask, github }) => {
    for (const status of faults[operation] ?? []) {
      const message = expect.stringContaining(String(status)) as unknown
      expect(await errorOf(write(ask))).toMatchObject({ code: 'redirected', message })
      expect(github.requests.at(-1)).toBe(operation)
    }
  })
})

test('a page in the place of the answer to a write does not stand for it', async () => {
  const faults = { 'issues/create-comment': ['html'] } as const
  await askingGitHub({ docs: repositoryWithPull(), faults }, async ({ ask }) => {
    expect(await errorOf(connectComments(ask).addComment(PLACE, 'It is done.'))).toMatchObject({ code: 'bad-answer' })
  })
})
