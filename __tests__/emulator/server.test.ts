import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { Server } from 'node:net'
import type { Duplex } from 'node:stream'
import { afterEach, expect, jest, test } from '@jest/globals'
import { combineScenarios } from '../../src/emulator/github/github-scenarios.ts'
import { type Emulator, type EmulatorOptions, startEmulator } from '../../src/emulator/server.ts'
import { jobSchema } from '../../src/docs-service/schemas.ts'
import { fakeClock } from '../../testing/fake-clock.ts'

const JOBS = '/v2/agent/docs-demo/job'

const running: Emulator[] = []

afterEach(async () => {
  await Promise.all(running.splice(0).map((emulator) => emulator.close()))
})

async function start(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ clock: fakeClock(), ...options })
  running.push(emulator)
  return emulator
}

function get({ url, apiKey }: Emulator, path: string): Promise<Response> {
  return fetch(`${url}${path}`, { headers: { authorization: `Bearer ${apiKey}` } })
}

function post({ url, apiKey }: Emulator, path: string, body: string): Promise<Response> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  return fetch(`${url}${path}`, { method: 'POST', headers, body })
}

function getGitHub({ github }: Emulator, path: string): Promise<Response> {
  return fetch(`${github.apiUrl}${path}`, { headers: { authorization: `token ${github.token}` } })
}

test('serves a job over HTTP, and its pull request on GitHub at the same address', async () => {
  const clock = fakeClock()
  const reported: string[] = []
  const onRequest: EmulatorOptions['onRequest'] = ({ path, status }) => reported.push(`${path.split('/')[1]} ${status}`)
  const emulator = await start({ clock, speed: 10, onRequest })
  const created = await post(emulator, JOBS, JSON.stringify({ prompt: 'Document the flag. 🙂' }))
  const { id, createdAt } = jobSchema.parse(await created.json())
  expect([created.status, createdAt]).toEqual([201, '2026-01-01T00:00:00.000Z'])

  const read = async () => jobSchema.parse(await (await get(emulator, `${JOBS}/${id}`)).json())
  clock.advance(1_999)
  expect((await read()).status).toBe('active')
  clock.advance(1)
  const { status, prLink } = await read()
  expect([status, prLink?.host]).toEqual(['completed', new URL(emulator.url).host])
  expect(await (await fetch(prLink?.href ?? '')).text()).toContain('Document the flag. 🙂')

  expect(emulator.github.apiUrl).toBe(`${emulator.url}/api/v3`)
  const pull = await (await getGitHub(emulator, '/repos/acme/docs/pulls/4')).json()
  expect(pull).toMatchObject({ html_url: prLink?.href, head: { ref: 'agent/job_000001' } })
  expect(reported).toEqual(['v2 201', 'v2 200', 'v2 200', 'acme 200', 'api 200'])
  expect(emulator.requests).toHaveLength(4)
})

test('sends `retry-after` in seconds on the client’s clock', async () => {
  const emulator = await start({ scenario: 'rate-limited', speed: 0.5 })
  const response = await post(emulator, JOBS, '{"prompt":"x"}')
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '10'])
})

test('closes pending requests, frees the port, and can be closed twice', async () => {
  const emulator = await start({
    scenario: 'stalled',
    onRequest: ({ delivery }) => {
      if (delivery === 'never') void emulator.close()
    },
  })
  const path = `${JOBS}/job_finished`
  expect((await get(emulator, path)).status).toBe(200)
  await expect(get(emulator, path)).rejects.toThrow()
  await emulator.close()
  const again = await start({ port: Number(new URL(emulator.url).port) })
  expect(again.url).toBe(emulator.url)
})

test('responds with 500 to an unexpected error, and handles the next request', async () => {
  let isBroken = true
  const throwWhileBroken = (): void => {
    if (isBroken) throw new Error('unexpected')
  }
  const emulator = await start({ github: { onBeforeResponse: throwWhileBroken } })
  const { status, headers } = await getGitHub(emulator, '/repos/acme/docs')
  expect([status, headers.get('content-type')]).toEqual([500, 'application/json; charset=utf-8'])
  isBroken = false
  expect((await getGitHub(emulator, '/repos/acme/docs')).status).toBe(200)
})

test('sends the reset of GitHub’s rate limit and the date on the client’s clock', async () => {
  const clock = { ...fakeClock(), wallTime: () => new Date(1_000_000) }
  const emulator = await start({ clock, speed: 2, github: { scenario: combineScenarios(['github-limited']) } })
  const { status, headers } = await getGitHub(emulator, '/repos/acme/docs')
  expect([status, headers.get('x-ratelimit-reset')]).toEqual([403, '1003'])
  expect(headers.get('date')).toBe('Thu, 01 Jan 1970 00:16:40 GMT')
})

test('delays a late response on the client’s clock', async () => {
  const clock = fakeClock()
  const emulator = await start({ clock, speed: 2, github: { scenario: combineScenarios(['github-slow']) } })
  for (let times = 0; times < 2; times++) await getGitHub(emulator, '/repos/acme/docs')
  expect(clock.sleeps).toEqual([4_000])
})

test.each([
  [['127.0.0.1.evil.example']],
  [['user@evil.example']],
  [['127.0.0.1', 'evil.example']],
  [['127.0.0.1', '127.0.0.1']],
])('refuses a request with the hosts %j, and does not report it', async (hosts) => {
  const reported: string[] = []
  const { url, apiKey } = await start({ onRequest: ({ path }) => reported.push(path) })
  const headers = [...hosts.flatMap((host) => ['host', host]), 'authorization', `Bearer ${apiKey}`]
  const outgoing = request(`${url}${JOBS}/job_finished`, { headers, agent: false }).end()
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  response.resume()
  expect([response.statusCode, reported]).toEqual([421, []])
})

test('listens on loopback only', async () => {
  const listen = jest.spyOn(Server.prototype, 'listen')
  const { url } = await start()
  expect(listen.mock.calls).toEqual([[0, '127.0.0.1']])
  listen.mockRestore()
  expect(new URL(url).hostname).toBe('127.0.0.1')
})

test('responds with 403 to CONNECT', async () => {
  const { url } = await start()
  const outgoing = request(url, { method: 'CONNECT', path: 'docs.example.com:443' }).end()
  const [{ statusCode }, socket] = (await once(outgoing, 'connect')) as [IncomingMessage, Duplex]
  expect(statusCode).toBe(403)
  // The service ends the connection.
  await once(socket.resume(), 'end')
  socket.destroy()
})
