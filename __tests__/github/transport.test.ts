import * as toolkit from '@actions/github'
import { expect, test } from '@jest/globals'
import { toActionError } from '../../src/github/github-error.ts'
import { connectGitHub } from '../../src/github/github.ts'
import {
  createRequestPolicy,
  type LoadToolkit,
  openOctokit,
  type Octokit,
  type RequestPolicy,
  type Send,
} from '../../src/github/transport.ts'
import type { HttpResponse, HttpRequest } from '../../src/http/exchange.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { Deadline } from '../../src/runtime/deadline.ts'
import { virtualClock } from '../../testing/virtual-clock.ts'
import { toBody } from '../../testing/in-process-github.ts'

const API = 'https://api.example.com'
type Response = Omit<HttpResponse, 'body'> & { readonly body: string }
const toError = (error: unknown) => toActionError(error, 'contents: read', 'acme/old', String, new Date(0))
const quiet = (): void => undefined

interface Given {
  readonly clock?: Clock
  readonly signal?: AbortSignal
  readonly log?: (line: string) => void
  readonly load?: LoadToolkit
}

async function open(send: Send, given: Given = {}): Promise<Octokit> {
  const { clock = virtualClock(), signal = new AbortController().signal, log = quiet } = given
  const { load = () => Promise.resolve(toolkit) } = given
  const deadline = new Deadline(Infinity, signal, clock)
  const policy = createRequestPolicy({ clock, log, debug: quiet })
  const octokit = await openOctokit({ token: 'ghs_1', apiUrl: API, debug: quiet }, policy, send, load)
  return Object.assign(octokit, { request: octokit.request.defaults({ request: { deadline } }) })
}

interface Request {
  readonly method?: 'GET' | 'POST'
  readonly body?: object
  readonly policy?: Partial<RequestPolicy>
}

async function send(octokit: Promise<Octokit>, path: string, { method = 'GET', body, policy }: Request = {}) {
  const { request } = await octokit
  return request(`${method} ${path}`, { ...body, request: { ...policy } })
}

/** Responds to requests in order, by default with 200. */
function respondInTurn(...responses: readonly (Partial<Response> | undefined)[]) {
  const sent: HttpRequest[] = []
  const octokit = open((request) => {
    const response = { status: 200, body: '{}', ...responses[sent.length] }
    sent.push(request)
    const headers = { 'content-type': 'application/json', ...response.headers }
    return Promise.resolve({ ...response, headers, body: toBody(response.body) })
  })
  const sendRequest = (path: string, request?: Request) => send(octokit, path, request)
  return { sendRequest, sent }
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
  const respond = () => Promise.resolve(sent++ < 2 ? limit : { status: 200, headers, body: toBody('{}') })
  const octokit = open(respond, { clock, log: (line) => lines.push(line) })
  const sendRequest = () => send(octokit, '/a')
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

test('rejects a 304, because no request is conditional', async () => {
  const { sendRequest } = respondInTurn({ status: 304, body: '' })
  expect(await sendRequest('/a').catch(toError)).toMatchObject({ code: 'redirected' })
})

test('loads the toolkit at the first request, once, and hides the event from it, because a truncated event breaks it', async () => {
  process.env['GITHUB_EVENT_PATH'] = 'event.json'
  const seen: unknown[] = []
  const load = () => {
    seen.push(process.env['GITHUB_EVENT_PATH'])
    return Promise.resolve(toolkit)
  }
  const [clock, { signal }] = [virtualClock(), new AbortController()]
  const options = { token: 'ghs_1', apiUrl: API, env: {}, clock, signal, deadlineAt: 1, log: quiet, debug: quiet }
  const headers = { 'content-type': 'application/json' }
  const respond = () => Promise.resolve({ status: 200, headers, body: toBody('[]') })
  const github = connectGitHub({ ...options, redact: String }, respond, load)
  expect(seen).toEqual([])
  for (let count = 0; count < 2; count++) await github.listTags('acme/docs')
  expect(seen).toEqual([undefined])
  expect(process.env['GITHUB_EVENT_PATH']).toBe('event.json')
})

test('sends nothing if the run is cancelled while the toolkit loads', async () => {
  const [run, sent] = [new AbortController(), [] as HttpRequest[]]
  const load = () => (run.abort(), Promise.resolve(toolkit))
  const respond = (request: HttpRequest) => Promise.reject(new Error(`${sent.push(request)} sent`))
  await expect(send(open(respond, { load, signal: run.signal }), '/a')).rejects.toBe(run.signal.reason)
  expect(sent).toEqual([])
})

test('reports a URL that the toolkit rejects while it loads, and throws any other error unchanged', async () => {
  const failing = (error: Error) => {
    const reject = () => Promise.reject(error)
    return open(reject, { load: reject })
  }
  await expect(failing(Object.assign(new TypeError(), { code: 'ERR_INVALID_URL' }))).rejects.toMatchObject({
    code: 'proxy',
    hint: expect.stringContaining('HTTPS_PROXY') as unknown,
  })
  await expect(failing(new RangeError())).rejects.toBeInstanceOf(RangeError)
})
