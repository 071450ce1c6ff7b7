import { expect, test } from '@jest/globals'
import type { ServiceRequest, ServiceResponse } from '../../src/emulator/http/exchange.ts'
import type { GitHub } from '../../src/github/github.ts'
import { connectInProcess } from '../../testing/in-process-github.ts'
import { virtualClock } from '../../testing/virtual-clock.ts'

const TAGS = Array.from({ length: 230 }, (_, index) => ({ name: `v${index}`, commit: { sha: 'a'.repeat(40) } }))

/** Reads from a GitHub with 230 tags. @param refuse the status of the response to a request that fails */
async function listTags(
  refuse: (size: number, page: number) => number | undefined,
  before?: (github: GitHub) => Promise<unknown>,
) {
  const requests: string[] = []
  const clock = virtualClock()
  const handle = ({ target }: ServiceRequest): ServiceResponse => {
    const { searchParams } = new URL(target, 'http://github.test')
    const [size, page] = [Number(searchParams.get('per_page')), Number(searchParams.get('page'))]
    const send = (status: number, body: unknown, headers = {}): ServiceResponse => ({
      status,
      headers,
      body: JSON.stringify(body),
      delivery: 'complete',
    })
    if (!target.includes('/tags')) return send(200, [])
    requests.push(`${page} of ${size} at ${clock.now() / 1_000} s`)
    const status = refuse(size, page)
    if (status !== undefined) return send(status, { message: 'Failed' })
    const next = `<https://github.test/tags?per_page=${size}&page=${page + 1}>; rel="next"`
    return send(200, TAGS.slice((page - 1) * size, page * size), page * size < TAGS.length ? { link: next } : {})
  }
  const github = connectInProcess({ clock, signal: new AbortController().signal, handle })
  await clock.passUntil(before?.(github) ?? Promise.resolve())
  const found = await clock.passUntil(catchOrCount(github.listTags('acme/docs')))
  return { found, requests }
}

const catchOrCount = (list: Promise<readonly string[]>): Promise<unknown> =>
  list.then(
    ({ length }) => length,
    (error: unknown) => error,
  )

const SMALL = Array.from({ length: 8 }, (_, index) => `${index + 1} of 30 at 14 s`)

test('the last retry of a list asks for small pages, at the usual time', async () => {
  const { found, requests } = await listTags((size) => (size > 50 ? 502 : undefined))
  expect(found).toBe(TAGS.length)
  expect(requests).toEqual(['1 of 100 at 0 s', '1 of 100 at 1 s', '1 of 100 at 5 s', ...SMALL])
})

test('a list that fails on a later page is read again from the first page on', async () => {
  const { found, requests } = await listTags((size, page) => (size > 50 && page === 2 ? 504 : undefined))
  expect(found).toBe(TAGS.length)
  expect(requests).toEqual(['1 of 100 at 0 s', ...['0', '1', '5'].map((at) => `2 of 100 at ${at} s`), ...SMALL])
})

test('gives up after as many retries as for any other request', async () => {
  const { found, requests } = await listTags(() => 502)
  expect(found).toMatchObject({ code: 'service-error' })
  expect(requests).toHaveLength(4)
})

const readSomething = (github: GitHub): Promise<unknown> => github.findPullRequestsOfCommit('acme/docs', 'a'.repeat(40))

test('a 404 for a list of a repository that was read is retried with small pages', async () => {
  const { found, requests } = await listTags((size) => (size > 50 ? 404 : undefined), readSomething)
  expect([found, requests.slice(0, 2)]).toEqual([TAGS.length, ['1 of 100 at 0 s', '1 of 30 at 0 s']])
})

test('a 404 for a list of a repository that was not read is believed', async () => {
  const { found, requests } = await listTags((size) => (size > 50 ? 404 : undefined))
  expect(found).toMatchObject({ code: 'not-found' })
  expect(requests).toHaveLength(1)
})
