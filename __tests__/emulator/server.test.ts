import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { Duplex } from 'node:stream'
import { afterEach, expect, test } from '@jest/globals'

import { combineScenarios } from '../../src/emulator/github/github-scenarios.ts'
import { type Emulator, type EmulatorOptions, startEmulator } from '../../src/emulator/server.ts'
import { jobSchema } from '../../src/docs-service/schemas.ts'
import { fakeClock } from '../support/fake-clock.ts'

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

test('a job can be created, followed and looked at over HTTP', async () => {
  const clock = fakeClock()
  const emulator = await start({ clock, speed: 10 })
  const jobs = `/v2/agent/${emulator.projectId}/job`
  const created = await post(emulator, jobs, JSON.stringify({ prompt: 'Document the flag. 🙂' }))
  expect(created.status).toBe(201)
  const { id, createdAt } = jobSchema.parse(await created.json())
  expect(createdAt).toBe('2026-01-01T00:00:00.000Z')

  clock.advance(1_999)
  expect(jobSchema.parse(await (await get(emulator, `${jobs}/${id}`)).json()).status).toBe('active')
  clock.advance(1)
  const { status, prLink } = jobSchema.parse(await (await get(emulator, `${jobs}/${id}`)).json())
  expect(status).toBe('completed')
  expect(prLink).toMatchObject({ host: new URL(emulator.url).host, repository: 'acme/docs' })
  expect(await (await fetch(prLink?.href ?? '')).text()).toContain('Document the flag. 🙂')
})

test('a wait is told in seconds of the caller', async () => {
  const emulator = await start({ scenario: 'rate-limited', speed: 0.5 })
  const response = await post(emulator, '/v2/agent/docs-demo/job', '{"prompt":"x"}')
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '10'])
})

test('whoever listens hears of each request once it is decided', async () => {
  const heard: string[] = []
  const emulator = await start({ onRequest: ({ method, path, status }) => heard.push(`${method} ${path} ${status}`) })
  await get(emulator, '/nowhere')
  expect(heard).toEqual(['GET /nowhere 404'])
  expect(emulator.requests).toHaveLength(1)
})

test('closing ends a request that would never be answered, frees the port, and can be done twice', async () => {
  const emulator = await start({
    scenario: 'stalled',
    onRequest: ({ delivery }) => {
      if (delivery === 'never') void emulator.close()
    },
  })
  const path = '/v2/agent/docs-demo/job/job_finished'
  expect((await get(emulator, path)).status).toBe(200)
  await expect(get(emulator, path)).rejects.toThrow()
  await emulator.close()
  const again = await start({ port: Number(new URL(emulator.url).port) })
  expect(again.url).toBe(emulator.url)
})

function getGitHub({ github }: Emulator, path: string): Promise<Response> {
  return fetch(`${github.apiUrl}${path}`, { headers: { authorization: `token ${github.token}` } })
}

test('GitHub is asked at the same address, and knows the pull requests of the jobs', async () => {
  const clock = fakeClock()
  const emulator = await start({ clock })
  await post(emulator, '/v2/agent/docs-demo/job', '{"prompt":"Document the flag."}')
  clock.advance(20_000)
  expect(emulator.github.apiUrl).toBe(`${emulator.url}/api/v3`)
  expect(await (await getGitHub(emulator, '/repos/acme/docs/pulls/4')).json()).toMatchObject({
    html_url: `${emulator.url}/acme/docs/pull/4`,
    head: { ref: 'agent/job_000001' },
  })
  expect((await getGitHub(emulator, '/repos/acme/docs/issues/4/comments')).status).toBe(200)
  expect(emulator.requests).toHaveLength(1)
})

test('what nobody foresaw in one request is a 500, and the next one is answered', async () => {
  let isBroken = true
  const beforeAnswer = (): void => {
    if (isBroken) throw new Error('nobody foresaw this')
  }
  const emulator = await start({ github: { beforeAnswer } })
  const { status, headers } = await getGitHub(emulator, '/repos/acme/docs')
  expect([status, headers.get('content-type')]).toEqual([500, 'application/json; charset=utf-8'])
  isBroken = false
  expect((await getGitHub(emulator, '/repos/acme/docs')).status).toBe(200)
})

test('the end of a rate limit of GitHub is told on the caller’s clock', async () => {
  const clock = { ...fakeClock(), wallTime: () => new Date(1_000_000) }
  const emulator = await start({ clock, speed: 2, github: { scenario: combineScenarios(['github-limited']) } })
  const { status, headers } = await getGitHub(emulator, '/repos/acme/docs')
  expect([status, headers.get('x-ratelimit-reset')]).toEqual([403, '1003'])
})

test('a late answer comes after its delay, on the caller’s clock', async () => {
  const clock = fakeClock()
  const emulator = await start({ clock, speed: 2, github: { scenario: combineScenarios(['github-slow']) } })
  for (let times = 0; times < 2; times++) await getGitHub(emulator, '/repos/acme/docs')
  expect(clock.sleeps).toEqual([4_000])
})

test.each([
  [['evil.example']],
  [['127.0.0.1.evil.example']],
  [['user@evil.example']],
  [['127.0.0.1', 'evil.example']],
  [['127.0.0.1', '127.0.0.1']],
])(
  'a request that names another host, or more than one, is turned away, and nothing is told of it: %j',
  async (hosts) => {
    const heard: string[] = []
    const { url, apiKey } = await start({ onRequest: ({ path }) => heard.push(path) })
    const headers = [...hosts.flatMap((host) => ['host', host]), 'authorization', `Bearer ${apiKey}`]
    const asking = request(`${url}/v2/agent/docs-demo/job/job_finished`, { headers, agent: false })
    asking.end()
    const [answer] = (await once(asking, 'response')) as [IncomingMessage]
    answer.resume()
    expect(answer.statusCode).toBe(421)
    expect(heard).toEqual([])
  },
)

test('whoever takes it for a proxy is refused with an answer', async () => {
  const { url } = await start()
  const asking = request(url, { method: 'CONNECT', path: 'docs.example.com:443' }).end()
  const [{ statusCode }, socket] = (await once(asking, 'connect')) as [IncomingMessage, Duplex]
  expect(statusCode).toBe(403)
  // The service ends the connection.
  await once(socket.resume(), 'end')
  socket.destroy()
})
