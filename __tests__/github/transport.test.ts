import * as toolkit from '@actions/github'
import { describe, expect, test } from '@jest/globals'
import { toActionError } from '../../src/github/github-error.ts'
import { createTransport, type RequestPolicy, type Transport } from '../../src/github/transport.ts'
import type { HttpAnswer, HttpRequest } from '../../src/http/exchange.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { errorOf } from '../support/github-client.ts'
import { toBody } from '../support/in-process-github.ts'

const API = 'https://api.example.com'
type Sent = Omit<HttpAnswer, 'body'> & { readonly body: string }
const told = (error: unknown) => toActionError(error, 'contents: read', 'acme/old', String, new Date(0))
const quiet = (): void => undefined
const OPTIONS = { token: 'ghs_1', apiUrl: API, clock: virtualClock(), log: quiet, debug: quiet }

const FOREVER = { at: Infinity, allowWait: () => true }

interface Request {
  readonly method?: 'GET' | 'POST'
  readonly body?: object
  readonly policy?: Partial<RequestPolicy>
}

async function send({ open }: Transport, path: string, { method = 'GET', body, policy }: Request = {}) {
  const { request } = await open()
  const { signal } = new AbortController()
  return request(`${method} ${path}`, { ...body, request: { signal, deadline: FOREVER, ...policy } })
}

/** Requests that are answered in turn, each with 200 unless told otherwise. */
function answeredInTurn(...answers: readonly (Partial<Sent> | undefined)[]) {
  const sent: HttpRequest[] = []
  const transport = createTransport({ ...OPTIONS, clock: virtualClock() }, (request) => {
    const answer = { status: 200, body: '{}', ...answers[sent.length] }
    sent.push(request)
    const headers = { 'content-type': 'application/json', ...answer.headers }
    return Promise.resolve({ ...answer, headers, body: toBody(answer.body) })
  })
  const ask = (path: string, request?: Request) => send(transport, path, request)
  return { ask, sent, usage: transport.usage }
}

test('each request has the token, says who asks, and in which language', async () => {
  const { ask, sent } = answeredInTurn()
  await ask('/a', { method: 'POST', body: { b: 1 } })
  await ask('/c?d=1')
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
  '%s is sent unchanged to where its repository has moved, and any other redirect is an error',
  async (_what, request, moved) => {
    for (const status of [...moved, 300, 303]) {
      const { ask, sent } = answeredInTurn({ status, headers: { location: '/repositories/1' } })
      const answer = await ask('/repos/acme/old', request).catch(told)
      const message = expect.stringContaining(String(status)) as unknown
      expect(answer).toMatchObject(moved.includes(status) ? { status: 200 } : { code: 'redirected', message })
      const [first, ...others] = sent
      expect(others).toEqual(moved.includes(status) ? [{ ...first, url: new URL('/repositories/1', API) }] : [])
    }
  },
)

test('returns a 302 to a request with `redirect: manual`', async () => {
  const { ask, sent } = answeredInTurn({ status: 302, headers: { location: 'https://logs.example.com/1' } })
  expect((await ask('/logs', LOCATION)).headers.location).toBe('https://logs.example.com/1')
  expect(sent).toHaveLength(1)
})

const ELSEWHERE = ['https://elsewhere.example/x', 'http://api.example.com/x', 'https://:x', undefined]

test.each(ELSEWHERE)('the token goes nowhere else, so not to %s', async (location) => {
  for (const request of [READ, WRITE]) {
    const { ask, sent } = answeredInTurn({ status: 307, headers: { location } })
    expect(await ask('/a', request).catch(told)).toMatchObject({ code: 'redirected' })
    expect(sent).toHaveLength(1)
  }
})

test('a 403 with Retry-After is a rate limit, and requests that wait for it together log it once', async () => {
  const [clock, lines] = [virtualClock(), [] as string[]]
  let sent = 0
  const headers = { 'content-type': 'application/json' }
  const limit = { status: 403, headers: { ...headers, 'retry-after': '130' }, body: toBody('{"message":"Slow down."}') }
  const transport = createTransport({ ...OPTIONS, clock, log: (line) => lines.push(line) }, () =>
    Promise.resolve(sent++ < 2 ? limit : { status: 200, headers, body: toBody('{}') }),
  )
  const ask = () => send(transport, '/a')
  expect(await clock.passUntil(Promise.all([ask(), ask()]))).toMatchObject([{ status: 200 }, { status: 200 }])
  const until = 'until 2026-01-01 00:02:10 UTC'
  expect(lines).toEqual([
    `GitHub's rate limit is exceeded. Waiting ${until}.`,
    `Still waiting ${until}, for another 1 min 10 s.`,
    `Still waiting ${until}, for another 10 s.`,
  ])
})

test('what is sent round and round ends', async () => {
  const again = { status: 307, headers: { location: '/again' } }
  const { ask, sent } = answeredInTurn(...Array<Partial<Sent>>(9).fill(again))
  expect(await ask('/again', WRITE).catch(told)).toMatchObject({ code: 'redirected' })
  expect(sent).toHaveLength(4)
})

describe('cached responses', () => {
  const tagged = (etag: string, body = '{}', left = 0): Partial<Sent> => ({
    headers: { etag, 'x-ratelimit-limit': '1000', 'x-ratelimit-remaining': String(left) },
    body,
  })
  const UNCHANGED = { status: 304, body: '' }
  const tagsIn = (sent: readonly HttpRequest[]) => sent.map(({ headers }) => headers['if-none-match'])

  test('asks again only for what has changed, and gives what it had where nothing has', async () => {
    const { ask, sent, usage } = answeredInTurn(tagged('1', '[1]', 400), UNCHANGED, tagged('2', '[2]', 399), UNCHANGED)
    const bodies: unknown[] = []
    for (let count = 0; count < 4; count++) bodies.push((await ask('/a')).data)
    expect(bodies).toEqual([[1], [1], [2], [2]])
    expect(tagsIn(sent)).toEqual([undefined, '1', '1', '2'])
    expect(usage()).toEqual({ counted: 2, remaining: 399, limit: 1_000 })
  })

  test('a tag that cannot be sent back as it was is not, and its answer is given all the same', async () => {
    const { ask, sent } = answeredInTurn(
      tagged('W/"é"', '[1]'),
      tagged('W/"\u0001"', '[2]'),
      tagged('', '[3]'),
      tagged('1'),
    )
    for (const data of [[1], [2], [3]]) expect((await ask('/a')).data).toEqual(data)
    await ask('/a')
    expect(tagsIn(sent)).toEqual([undefined, undefined, undefined, undefined])
  })

  test('each address has its own answer, and so has none that came without a tag or by a write', async () => {
    const { ask, sent } = answeredInTurn(tagged('1'), undefined, tagged('3'))
    for (const [path, request] of [['/1'], ['/2'], ['/1', WRITE], ['/2'], ['/1']] as const) await ask(path, request)
    expect(tagsIn(sent)).toEqual([undefined, undefined, undefined, undefined, '1'])
  })

  test('keeps the answers to the 16 addresses that were asked for last', async () => {
    const { ask, sent } = answeredInTurn(...Array<Partial<Sent>>(21).fill(tagged('1')))
    for (let n = 1; n <= 16; n++) await ask(`/${n}`)
    for (const n of [1, 17, 1, 3, 2]) await ask(`/${n}`)
    expect(tagsIn(sent).slice(16)).toEqual(['1', undefined, '1', '1', undefined])
  })

  test('a refusal counts, stays one, and costs nothing of what is known', async () => {
    const { ask, sent, usage } = answeredInTurn(tagged('1', '[1]'), { status: 404 }, UNCHANGED)
    await ask('/a')
    expect(await errorOf(ask('/a'))).toMatchObject({ status: 404 })
    expect((await ask('/a')).data).toEqual([1])
    expect(tagsIn(sent)[2]).toBe('1')
    expect(usage().counted).toBe(2)
  })

  test('an answer 304 to a question that did not ask for one is an error', async () => {
    expect(await errorOf(answeredInTurn(UNCHANGED).ask('/a'))).toMatchObject({ status: 304 })
  })
})

test('the toolkit is loaded once, by the first request, and does not see the event, with which it breaks if that is cut', async () => {
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

test('a run that is cancelled while the toolkit loads asks nothing', async () => {
  const [run, sent] = [new AbortController(), [] as HttpRequest[]]
  const load = () => (run.abort(), Promise.resolve(toolkit))
  const respond = (request: HttpRequest) => Promise.reject(new Error(`${sent.push(request)} sent`))
  const transport = createTransport(OPTIONS, respond, load)
  await expect(send(transport, '/a', { policy: { signal: run.signal } })).rejects.toBe(run.signal.reason)
  expect(sent).toEqual([])
})

test('an address that the toolkit trips over as it is loaded is named, and a defect in it is none', async () => {
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
