import { expect, test } from '@jest/globals'
import { Response, type RequestInit } from 'undici'
import { repositoryState } from '../../src/emulator/github/repository-state.ts'
import { addLabel } from '../../src/github/labels.ts'
import { readPullRequest } from '../../src/github/pull-requests.ts'
import { createFollowingFetch } from '../../src/github/redirects.ts'
import { askingGitHub } from '../support/github-client.ts'
import { repositoryWithPull } from '../support/github-state.ts'

const API = 'https://api.example.com'

/** Sends on with this status and then answers 200; gives what was asked. */
async function write(status: number, location: string | undefined, method = 'POST') {
  const asked: { readonly url: string; readonly init: RequestInit }[] = []
  const follow = createFollowingFetch((url, init) => {
    asked.push({ url, init })
    const headers = location === undefined ? {} : { location }
    return Promise.resolve(asked.length === 1 ? new Response('', { status, headers }) : new Response('{}'))
  })
  const answer = await follow(`${API}/repos/acme/old`, { method, body: '{"a":1}' })
  return { status: answer.status, asked }
}

test.each([307, 308])('a write that is answered %i goes on as it is', async (status) => {
  const { status: last, asked } = await write(status, '/repositories/1')
  expect(last).toBe(200)
  expect(asked[1]).toMatchObject({ url: `${API}/repositories/1`, init: { method: 'POST', body: '{"a":1}' } })
})

test.each([301, 302, 303])('a write that is answered %i is refused, and never read instead', async (status) => {
  const { status: last, asked } = await write(status, '/repositories/1')
  expect(last).toBe(status)
  expect(asked.map(({ init }) => init.redirect)).toEqual(['manual'])
})

test.each(['https://elsewhere.example/x', 'http://api.example.com/x', 'https://:x', undefined])(
  'the token goes nowhere else with a write, so not to %s',
  async (location) => {
    expect((await write(307, location)).asked).toHaveLength(1)
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
    expect((await readPullRequest(ask, address)).branch).toBe('agent/guide')
    await addLabel(ask, address, 'docs-agent')
    expect(docs.pulls[7]?.labels).toEqual(['docs-agent'])
  })
})
