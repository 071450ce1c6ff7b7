import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import type { DocsServiceClient } from '../../src/docs-service/client.ts'
import type { WireResult } from '../../src/docs-service/transport.ts'
import { KEY, CANCELLED, answered, failed, bench, errorOf, untilAborted, type Send } from '../support/client-bench.ts'
import { CLOCK_START_MS, fakeClock, type FakeClock } from '../support/fake-clock.ts'

test('a job is created with the prompt as it is', async () => {
  const { client, requests } = bench([answered(201)])
  const prompt = ' "Grüße"\r\n\t😀 '

  expect(await client.createJob(prompt)).toMatchObject({ id: 'job_1', status: 'active' })
  expect(requests).toMatchObject([{ method: 'POST', path: '/v2/agent/project/job' }])
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ prompt })
})

test('a message goes to its job', async () => {
  const { client, requests } = bench([answered(200)])

  await client.sendMessage('job_1', 'more')
  expect(requests).toMatchObject([
    { method: 'POST', path: '/v2/agent/project/job/job_1/message', body: '{"prompt":"more"}' },
  ])
})

test('any success counts as accepted where the answer names a job', async () => {
  for (const status of [200, 201, 202, 299]) {
    expect(await bench([answered(status)]).client.createJob('x')).toMatchObject({ id: 'job_1' })
  }
})

test('a prompt that reached nobody is tried three times, at growing distances', async () => {
  const { client, requests, clock, lines } = bench([failed('no-connection', false)])

  expect(await errorOf(client.createJob('x'))).toMatchObject({ code: 'unreachable' })
  expect(requests).toHaveLength(3)
  expect(clock.sleeps).toEqual([1_000, 2_000])
  expect(lines).toHaveLength(2)
  expect(lines[0]).toContain('sending the prompt again in 1 s')
})

test('what has to hold is looked at after the wait, before a message is sent again', async () => {
  const { client, requests, clock } = bench([answered(429, '', 60_000), answered(200)])
  const looks: number[] = []
  const look = (): Promise<void> => Promise.resolve(void looks.push(clock.passed()))
  await client.sendMessage('job_1', 'x', look)
  expect([requests.length, looks]).toEqual([2, [92_000]])

  const changed = bench([answered(429, '', 60_000)])
  const stop = new Error('It changed.')
  await expect(changed.client.sendMessage('job_1', 'x', () => Promise.reject(stop))).rejects.toThrow(stop)
  expect(changed.requests).toHaveLength(1)
})

test('a prompt that gets through at the last try is accepted', async () => {
  const unreachable = failed('no-connection', false)
  const { client, requests } = bench([unreachable, unreachable, answered(201)])

  expect(await client.createJob('x')).toMatchObject({ id: 'job_1' })
  expect(new Set(requests.map(({ body }) => body)).size).toBe(1)
})

test.each([
  failed('no-connection', true),
  failed('untrusted', true),
  failed('proxy-refused', true),
  failed('timeout', true),
  failed('cancelled', true),
  failed('broken', true),
  failed('broken', false),
  ...[301, 302, 307, 308, 408, 409, 418, 500, 502, 503, 504].map((status) => answered(status)),
  answered(200, ''),
  answered(201, 'OK'),
  answered(201, '<html></html>'),
  answered(201, '{"id":"job_1"'),
  answered(201, {}),
  answered(201, { id: 7 }),
  answered(201, { id: '../job' }),
  answered(201, [{ id: 'job_1' }]),
])(
  'a prompt whose fate is unknown is not sent again, and the error says that the job may exist: %j',
  async (result) => {
    for (const post of [
      (c: DocsServiceClient) => c.createJob('x'),
      (c: DocsServiceClient) => c.sendMessage('job_1', 'x'),
    ]) {
      const { client, requests, clock } = bench([result, answered(201)])

      const error = await errorOf(post(client))
      expect(error.code).toBe('unknown-fate')
      expect(error.message).toContain('the job may exist')
      expect(error.hint).toContain('dashboard')
      expect([requests.length, clock.sleeps]).toEqual([1, []])
    }
  },
)

test.each([
  [400, 'rejected'],
  [401, 'unauthorized'],
  [402, 'rejected'],
  [403, 'forbidden'],
  [404, 'not-found'],
  [405, 'rejected'],
  [413, 'rejected'],
  [415, 'rejected'],
  [422, 'rejected'],
])('a prompt that is answered by %i is final: %s', async (status, code) => {
  const { client, requests } = bench([answered(status, { error: 'No.' }), answered(201)])

  expect(await errorOf(client.createJob('x'))).toMatchObject({ code, quote: 'No.' })
  expect(requests).toHaveLength(1)
})

test.each([
  ['untrusted', 'untrusted'],
  ['proxy-refused', 'proxy'],
  ['invalid', 'rejected'],
  ['timeout', 'unreachable'],
] as const)('a prompt that was not sent because of %s is not tried again: %s', async (cause, code) => {
  const { client, requests } = bench([failed(cause, false), answered(201)])

  expect(await errorOf(client.createJob('x'))).toMatchObject({ code })
  expect(requests).toHaveLength(1)
})

test.each([425, 429])(
  'after %i the prompt waits as long as the service asks for, and at random for longer',
  async (status) => {
    const { client, requests, clock, lines } = bench([
      answered(status, '', 90_000),
      answered(status, ''),
      answered(201),
    ])

    expect(await client.createJob('x')).toMatchObject({ id: 'job_1' })
    expect(requests).toHaveLength(3)
    expect(clock.sleeps).toEqual([60_000, 60_000, 2_000, 5_000])
    // A line a minute, as nothing else is said.
    expect(lines).toContain('Still waiting, for another 1 min 2 s.')
  },
)

test('a rate limit may take more tries than three', async () => {
  const limited = answered(429, '')
  const { client, requests } = bench([limited, limited, limited, limited, answered(201)])

  await client.createJob('x')
  expect(requests).toHaveLength(5)
})

test('a wait that does not fit the deadline fails at once and names the time', async () => {
  const { client, requests, clock } = bench([answered(429, { error: 'Slow down.' }, 60_000)], {
    deadlineAt: CLOCK_START_MS + 60_000,
  })

  const error = await errorOf(client.createJob('x'))
  expect(error).toMatchObject({ code: 'rate-limited', retryAfterMs: 60_000, quote: 'Slow down.' })
  expect(error.message).toContain('It asks not to be asked before 2026-01-01 00:01:00 UTC')
  expect(error.hint).toBeDefined()
  expect([requests.length, clock.sleeps]).toEqual([1, []])
})

const NOT_ASKED = /^The deadline passed before the prompt was sent, so the service was asked for nothing\. The service /

test('a prompt that reached nobody is not tried again beyond the deadline, and the error says that nothing was asked', async () => {
  const { client, requests, clock } = bench([failed('no-connection', false)], { deadlineAt: CLOCK_START_MS + 1_500 })

  const error = await errorOf(client.createJob('x'))
  expect(error).toMatchObject({ code: 'deadline', message: expect.stringMatching(NOT_ASKED) as unknown })
  expect(error.hint).toContain('Check `base-url`')
  expect([requests.length, clock.sleeps]).toEqual([2, [1_000]])
})

test.each([
  ['at the deadline says that nothing was asked', 60_000, 'deadline', NOT_ASKED],
  ['before the deadline is about the network', 60_001, 'unreachable', /^The service /],
])('an attempt that sent nothing and ends %s', async (_name, deadlineAt, code, message) => {
  const clock = fakeClock()
  const silent: Send = ({ timeoutMs }) => {
    clock.advance(timeoutMs)
    return Promise.resolve(failed('timeout', false))
  }
  const { client, requests } = bench([silent], { deadlineAt: CLOCK_START_MS + deadlineAt }, clock)

  expect(await errorOf(client.createJob('x'))).toMatchObject({
    code,
    message: expect.stringMatching(message) as unknown,
  })
  expect(requests).toHaveLength(1)
})

test('a POST may take a minute, and not beyond the deadline', async () => {
  const { client, requests, clock } = bench([answered(201)], { deadlineAt: CLOCK_START_MS + 70_000 })

  await client.createJob('x')
  clock.advance(50_000)
  await client.createJob('x')
  clock.advance(50_000)
  await client.createJob('x')
  expect(requests.map(({ timeoutMs }) => timeoutMs)).toEqual([60_000, 20_000, 0])
})

test('the answer to a message must be about its job', async () => {
  const { client } = bench([answered(200, { id: 'job_2', status: 'active' })])

  expect(await errorOf(client.sendMessage('job_1', 'x'))).toMatchObject({ code: 'unknown-fate' })
})

test("the service's words are redacted, also where the fate is unknown", async () => {
  for (const status of [400, 500]) {
    const { client } = bench([answered(status, { error: `Bad key ${KEY}` })])
    expect(await errorOf(client.createJob('x'))).toMatchObject({ quote: 'Bad key ***' })
  }
})

test('a cancelled run sends nothing', async () => {
  const { client, requests } = bench([answered(201)], { signal: AbortSignal.abort(CANCELLED) })

  expect(await errorOf(client.createJob('x'))).toBe(CANCELLED)
  expect(requests).toEqual([])
})

test('a cancel that came while the loop was busy is heard before the prompt is sent', async () => {
  const run = new AbortController()
  const clock = fakeClock({
    onTurn: () => {
      run.abort(CANCELLED)
    },
  })
  const { client, requests } = bench([answered(201)], { signal: run.signal }, clock)

  expect(await errorOf(client.createJob('x'))).toBe(CANCELLED)
  expect(requests).toEqual([])
})

test('a prompt on its way when the run is cancelled gets time to be answered, and its job is known', async () => {
  const run = new AbortController()
  const clock: FakeClock = { ...fakeClock(), sleep: () => new Promise<never>(() => undefined) }
  const { client } = bench(
    [
      async (_request, signal) => {
        run.abort(CANCELLED)
        await nextTurn()
        return signal.aborted ? failed('cancelled', true) : answered(201)
      },
    ],
    { signal: run.signal },
    clock,
  )

  expect(await client.createJob('x')).toMatchObject({ id: 'job_1' })
})

test.each([
  [true, 'unknown-fate'],
  [false, 'cancelled'],
])('after one second of grace a cancelled prompt is given up (sent: %j): %s', async (sent, code) => {
  const run = new AbortController()
  const { client, clock, requests } = bench([untilAborted(run, sent)], { signal: run.signal })

  expect(await errorOf(client.createJob('x'))).toMatchObject({ code })
  expect([requests.length, clock.sleeps]).toEqual([1, [1_000]])
})

test('the grace is not waited for once the answer is there', async () => {
  const run = new AbortController()
  const signals: (AbortSignal | undefined)[] = []
  const clock: FakeClock = {
    ...fakeClock(),
    sleep(_ms, signal) {
      signals.push(signal)
      return new Promise<never>(() => undefined)
    },
  }
  const { client } = bench(
    [
      () => {
        run.abort(CANCELLED)
        return Promise.resolve(answered(201))
      },
    ],
    { signal: run.signal },
    clock,
  )

  await client.createJob('x')
  expect(signals.map((signal) => signal?.aborted)).toEqual([true])
})

test('a run that is cancelled between two tries sends nothing more', async () => {
  const run = new AbortController()
  const clock = fakeClock({
    onSleep() {
      run.abort(CANCELLED)
    },
  })
  const { client, requests } = bench([failed('no-connection', false), answered(201)], { signal: run.signal }, clock)

  expect(await errorOf(client.createJob('x'))).toBe(CANCELLED)
  expect(requests).toHaveLength(1)
})

test.each<[string, WireResult]>([
  ['a login page', answered(200, '<html>Sign in</html>')],
  ['a redirect', answered(302, '')],
])('a prompt that %s answers may be a job, and the address is in question too', async (_name, answer) => {
  for (const post of [
    (c: DocsServiceClient) => c.createJob('x'),
    (c: DocsServiceClient) => c.sendMessage('job_1', 'x'),
  ]) {
    const { hint, message } = await errorOf(post(bench([answer]).client))
    expect(message).toContain('the job may exist')
    expect(hint).toMatch(/Do not simply run it again\..* Check `base-url`/)
    expect(hint).not.toContain('leads to')

    const led = { ...answer, redirectHost: 'login.example.com' } as WireResult
    expect((await errorOf(post(bench([led]).client))).hint).toContain('leads to `login.example.com`')
  }
})

test('a prompt whose fate is unknown is never followed by the advice to try again', async () => {
  const { hint } = await errorOf(bench([answered(500)]).client.createJob('x'))
  expect(hint).not.toMatch(/Try again|`base-url`/)
})
