import * as toolkit from '@actions/github'
import { describe, expect, test } from '@jest/globals'
import { toActionError } from '../../src/github/github-error.ts'
import { createTransport, type RequestPolicy, type Transport } from '../../src/github/transport.ts'
import type { HttpResponse, HttpRequest } from '../../src/http/exchange.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { catchError } from '../support/github-client.ts'
import { toBody } from '../support/in-process-github.ts'

const API = 'https://api.example.com'
type Response = Omit<HttpResponse, 'body'> & { readonly body: string }
const toError = (error: unknown) => toActionError(error, 'contents: read', 'acme/old', String, new Date(0))
const quiet = (): void => undefined
const OPTIONS = { token: 'ghs_1', apiUrl: API, clock: virtualClock(), log: quiet, debug: quiet }

const NO_DEADLINE = { at: Infinity, allowWait: () => true }

interface Request {
  readonly method?: 'GET' | 'POST'
  readonly body?: object
  readonly policy?: Partial<RequestPolicy>
}

async function send({ open }: Transport, path: string, { method = 'GET', body, policy }: Request = {}) {
  const { request } = await open()
  const { signal } = new AbortController()
  return request(`${method} ${path}`, { ...body, request: { signal, deadline: NO_DEADLINE, ...policy } })
}

/** Responds to requests in order, by default with 200. */
function respondInTurn(...responses: readonly (Partial<Response> | undefined)[]) {
  const sent: HttpRequest[] = []
  const transport = createTransport({ ...OPTIONS, clock: virtualClock() }, (request) => {
    const response = { status: 200, body: '{}', ...responses[sent.length] }
    sent.push(request)
    const headers = { 'content-type': 'application/json', ...response.headers }
    return Promise.resolve({ ...response, headers, body: toBody(response.body) })
  })
  const sendRequest = (path: string, request?: Request) => send(transport, path, request)
  return { sendRequest, sent, usage: transport.usage }
}

test('sends the token, the user agent and the media types', async () => {
  const { sendRequest, sent } = respondInTurn()
  await sendRequest('/a', { method: 'POST', body: { b: 1 } })
  await sendRequest('/c?d=1')
  const usual = {
    accept: 'application/vnd.github.v3+json',
    authorization: 'token ghs_1',
    'user-agent': expect.stringMatching(/^docs-agent-action /) as unknown,
  }
  const json = { 'content-type': 'application/json; charset=utf-8' }
  expect(sent).toEqual([
    { method: 'POST', url: new URL('/a', API), headers: { ...usual, ...json }, body: '{"b":1}' },
    { method: 'GET', url: new URL('/c?d=1', API), headers: usual, body: undefined },
  ])
})

const READ = { method: 'GET' } as const
const WRITE = { method: 'POST', body: { a: 1 } } as const
const LOCATION = { ...READ, policy: { redirect: 'manual' } } as const

test.each<[string, Request, readonly number[]]>([
  ['a read', READ, [301, 302, 307, 308]],
  ['a write', WRITE, [301, 302, 307, 308]],
  ['a read with `redirect: manual`', LOCATION, [301, 307, 308]],
])(
  'resends %s unchanged after a redirect of its repository, and rejects any other redirect',
  async (_what, request, moved) => {
    for (const status of [...moved, 300, 303]) {
      const { sendRequest, sent } = respondInTurn({ status, headers: { location: '/repositories/1' } })
      const result = await sendRequest('/repos/acme/old', request).catch(toError)
      const message = expect.stringContaining(String(status)) as unknown
      expect(result).toMatchObject(moved.includes(status) ? { status: 200 } : { code: 'redirected', message })
      const [first, ...others] = sent
      expect(others).toEqual(moved.includes(status) ? [{ ...first, url: new URL('/repositories/1', API) }] : [])
    }
  },
)

test('returns a 302 to a request with `redirect: manual`', async () => {
  const { sendRequest, sent } = respondInTurn({ status: 302, headers: { location: 'https://logs.example.com/1' } })
  expect((await sendRequest('/logs', LOCATION)).headers.location).toBe('https://logs.example.com/1')
  expect(sent).toHaveLength(1)
})

const ELSEWHERE = ['https://elsewhere.example/x', 'http://api.example.com/x', 'https://:x', undefined]

test.each(ELSEWHERE)('does not send the token to %s', async (location) => {
  for (const request of [READ, WRITE]) {
    const { sendRequest, sent } = respondInTurn({ status: 307, headers: { location } })
    expect(await sendRequest('/a', request).catch(toError)).toMatchObject({ code: 'redirected' })
    expect(sent).toHaveLength(1)
  }
})

test('waits after a 403 with Retry-After, and logs it once for simultaneous requests', async () => {
  const [clock, lines] = [virtualClock(), [] as string[]]
  let sent = 0
  const headers = { 'content-type': 'application/json' }
  const limit = { status: 403, headers: { ...headers, 'retry-after': '130' }, body: toBody('{"message":"Slow down."}') }
  const transport = createTransport({ ...OPTIONS, clock, log: (line) => lines.push(line) }, () =>
    Promise.resolve(sent++ < 2 ? limit : { status: 200, headers, body: toBody('{}') }),
  )
  const sendRequest = () => send(transport, '/a')
  expect(await clock.passUntil(Promise.all([sendRequest(), sendRequest()]))).toMatchObject([
    { status: 200 },
    { status: 200 },
  ])
  const until = 'until 2026-01-01 00:02:10 UTC'
  expect(lines).toEqual([
    `GitHub's rate limit is exceeded. Waiting ${until}.`,
    `Still waiting ${until}, for another 1 min 10 s.`,
    `Still waiting ${until}, for another 10 s.`,
  ])
})

test('ends a loop of redirects', async () => {
  const again = { status: 307, headers: { location: '/again' } }
  const { sendRequest, sent } = respondInTurn(...Array<Partial<Response>>(9).fill(again))
  expect(await sendRequest('/again', WRITE).catch(toError)).toMatchObject({ code: 'redirected' })
  expect(sent).toHaveLength(4)
})

describe('cached responses', () => {
  const tagged = (etag: string, body = '{}', left = 0): Partial<Response> => ({
    headers: { etag, 'x-ratelimit-limit': '1000', 'x-ratelimit-remaining': String(left) },
    body,
  })
  const UNCHANGED = { status: 304, body: '' }
  const listTags = (sent: readonly HttpRequest[]) => sent.map(({ headers }) => headers['if-none-match'])

  test('revalidates a cached response, and returns it if nothing has changed', async () => {
    const { sendRequest, sent, usage } = respondInTurn(
      tagged('1', '[1]', 400),
      UNCHANGED,
      tagged('2', '[2]', 399),
      UNCHANGED,
    )
    const bodies: unknown[] = []
    for (let count = 0; count < 4; count++) bodies.push((await sendRequest('/a')).data)
    expect(bodies).toEqual([[1], [1], [2], [2]])
    expect(listTags(sent)).toEqual([undefined, '1', '1', '2'])
    expect(usage()).toEqual({ counted: 2, remaining: 399, limit: 1_000 })
  })

  test('does not cache a response whose ETag cannot be sent back unchanged', async () => {
    const { sendRequest, sent } = respondInTurn(
      tagged('W/"é"', '[1]'),
      tagged('W/"\u0001"', '[2]'),
      tagged('', '[3]'),
      tagged('1'),
    )
    for (const data of [[1], [2], [3]]) expect((await sendRequest('/a')).data).toEqual(data)
    await sendRequest('/a')
    expect(listTags(sent)).toEqual([undefined, undefined, undefined, undefined])
  })

  test('caches by URL, and caches neither responses without an ETag nor responses to writes', async () => {
    const { sendRequest, sent } = respondInTurn(tagged('1'), undefined, tagged('3'))
    for (const [path, request] of [['/1'], ['/2'], ['/1', WRITE], ['/2'], ['/1']] as const)
      await sendRequest(path, request)
    expect(listTags(sent)).toEqual([undefined, undefined, undefined, undefined, '1'])
  })

  test('caches the responses to the 16 most recently used URLs', async () => {
    const { sendRequest, sent } = respondInTurn(...Array<Partial<Response>>(21).fill(tagged('1')))
    for (let n = 1; n <= 16; n++) await sendRequest(`/${n}`)
    for (const n of [1, 17, 1, 3, 2]) await sendRequest(`/${n}`)
    expect(listTags(sent).slice(16)).toEqual(['1', undefined, '1', '1', undefined])
  })

  test('counts a refusal, and keeps the cached response', async () => {
    const { sendRequest, sent, usage } = respondInTurn(tagged('1', '[1]'), { status: 404 }, UNCHANGED)
    await sendRequest('/a')
    expect(await catchError(sendRequest('/a'))).toMatchObject({ status: 404 })
    expect((await sendRequest('/a')).data).toEqual([1])
    expect(listTags(sent)[2]).toBe('1')
    expect(usage().counted).toBe(2)
  })

  test('rejects a 304 to a request without an ETag', async () => {
    expect(await catchError(respondInTurn(UNCHANGED).sendRequest('/a'))).toMatchObject({ status: 304 })
  })
})

test('loads the toolkit once, at the first request, and hides the event from it, because a truncated event breaks it', async () => {
  process.env['GITHUB_EVENT_PATH'] = 'event.json'
  const seen: unknown[] = []
  const load = () => {
    seen.push(process.env['GITHUB_EVENT_PATH'])
    return Promise.resolve(toolkit)
  }
  const headers = { 'content-type': 'application/json' }
  const respond = () => Promise.resolve({ status: 200, headers, body: toBody('{}') })
  const transport = createTransport(OPTIONS, respond, load)
  expect(seen).toEqual([])
  for (const path of ['/a', '/b']) await send(transport, path)
  expect(seen).toEqual([undefined])
  expect(process.env['GITHUB_EVENT_PATH']).toBe('event.json')
})

test('sends nothing if the run is cancelled while the toolkit loads', async () => {
  const [run, sent] = [new AbortController(), [] as HttpRequest[]]
  const load = () => (run.abort(), Promise.resolve(toolkit))
  const respond = (request: HttpRequest) => Promise.reject(new Error(`${sent.push(request)} sent`))
  const transport = createTransport(OPTIONS, respond, load)
  await expect(send(transport, '/a', { policy: { signal: run.signal } })).rejects.toBe(run.signal.reason)
  expect(sent).toEqual([])
})

test('reports a URL that the toolkit rejects while it loads, and throws any other error unchanged', async () => {
  const failing = (error: Error) => {
    const reject = () => Promise.reject(error)
    return createTransport(OPTIONS, reject, reject).open()
  }
  await expect(failing(Object.assign(new TypeError(), { code: 'ERR_INVALID_URL' }))).rejects.toMatchObject({
    code: 'proxy',
    hint: expect.stringContaining('HTTPS_PROXY') as unknown,
  })
  await expect(failing(new RangeError())).rejects.toBeInstanceOf(RangeError)
})
