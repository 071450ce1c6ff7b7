import { getOctokit } from '@actions/github'
import { expect, test } from '@jest/globals'
import { createConditionalRequests } from '../../src/github/conditional-requests.ts'

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
  const { read, said } = asking(...Array.from({ length: 30 }, () => ({ etag: 'W/"1"', body: {} })))
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
