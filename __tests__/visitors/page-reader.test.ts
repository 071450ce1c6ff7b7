import { expect, test } from '@jest/globals'
import { ActionError } from '../../src/runtime/errors.ts'
import { createPageReader, type ReadPage } from '../../src/visitors/page-reader.ts'
import { failure } from '../support/fake-client.ts'
import { fakeClock, type FakeClock } from '../support/fake-clock.ts'
import { fakeHost } from '../support/fake-host.ts'
import { fakeStep } from '../support/fake-step.ts'
import { page, pagesClient, row, type PagesClient } from '../support/visitors-run.ts'

const PAGE = page([row('/')])

interface Reader {
  readonly read: ReadPage
  readonly client: PagesClient
  readonly clock: FakeClock
  readonly said: readonly string[]
}

function readerOf(answers: Parameters<typeof pagesClient>[0], timeoutMs = 600_000, cancelAtSleep?: number): Reader {
  const controller = new AbortController()
  const clock = fakeClock({
    onSleep: (before) => {
      if (before === cancelAtSleep) controller.abort(new ActionError('cancelled', 'The run was cancelled.'))
    },
  })
  const client = pagesClient(answers)
  const host = fakeHost()
  const step = fakeStep({ core: host, client, clock, signal: controller.signal, timeoutMs })
  return { read: createPageReader({ dateFrom: '2026-01-01' }, step), client, clock, said: host.said }
}

async function problemOf(reading: Promise<unknown>): Promise<ActionError> {
  const error = await reading.then(
    () => undefined,
    (caught: unknown) => caught,
  )
  if (error instanceof ActionError) return error
  throw new Error('It was no ActionError.')
}

test('asks for the largest page there is, of the range, after so many rows', async () => {
  const { read, client } = readerOf([PAGE])
  expect(await read(500)).toEqual(PAGE)
  expect(client.queries).toEqual([{ dateFrom: '2026-01-01', limit: 250, offset: 500 }])
})

test.each(['unreachable', 'service-error', 'bad-answer', 'rate-limited'] as const)(
  'asks for the same page again after %s, and says so',
  async (code) => {
    const { read, client, clock, said } = readerOf([failure(code), PAGE])
    expect(await read(250)).toEqual(PAGE)
    expect(client.queries.map(({ offset }) => offset)).toEqual([250, 250])
    expect(clock.sleeps).toHaveLength(1)
    expect(said).toEqual([expect.stringMatching(new RegExp(`^log: It is ${code}\\. Asking again in \\d+ s\\.$`))])
  },
)

test.each(['unauthorized', 'forbidden', 'not-found', 'rejected', 'redirected', 'untrusted', 'proxy'] as const)(
  'does not ask again after %s',
  async (code) => {
    const { read, client } = readerOf([failure(code)])
    expect((await problemOf(read(0))).code).toBe(code)
    expect(client.queries).toHaveLength(1)
  },
)

test('waits longer from one failure to the next, and begins anew with the next page', async () => {
  const failed = failure('service-error')
  const { read, clock } = readerOf([failed, failed, failed, PAGE, failed, PAGE])
  await read(0)
  await read(250)
  expect(clock.sleeps).toEqual([1_000, 2_000, 4_000, 1_000])
})

test('waits as long as the service asks for, and at random within a minute more', async () => {
  const { read, clock } = readerOf([failure('rate-limited', 45_000), PAGE])
  await read(0)
  expect(clock.sleeps).toEqual([60_000, 17_000])
})

test('tells once a minute that it still waits', async () => {
  const { read, clock, said } = readerOf([failure('service-error', 150_000), PAGE])
  await read(0)
  expect(clock.sleeps).toEqual([60_000, 60_000, 30_000])
  expect(said.slice(1)).toEqual([
    'log: Still waiting, for another 1 min 30 s.',
    'log: Still waiting, for another 30 s.',
  ])
})

test('a wait that does not fit the deadline ends it at once, and names the time', async () => {
  const { read, clock } = readerOf([failure('rate-limited', 600_001)])
  const error = await problemOf(read(0))
  expect(error.code).toBe('rate-limited')
  expect(error.message).toContain("before 2026-01-01 00:10:01 UTC, which is after this step's deadline")
  expect(clock.sleeps).toEqual([])
})

test('what may pass is tried until the deadline, and the last problem is told then', async () => {
  const { read, clock } = readerOf(Array.from({ length: 99 }, () => failure('unreachable')))
  const error = await problemOf(read(0))
  expect(error.code).toBe('deadline')
  expect(error.message).toContain('The last attempt failed: It is unreachable.')
  expect(clock.passed()).toBe(600_000)
})

test('no page is asked for after the deadline', async () => {
  const { read, clock, client } = readerOf([PAGE])
  clock.advance(600_000)
  expect((await problemOf(read(0))).code).toBe('deadline')
  expect(client.queries).toEqual([])
})

test('ten answers in a row that make no sense are enough', async () => {
  const { read, client } = readerOf(Array.from({ length: 99 }, () => failure('bad-answer')))
  expect((await problemOf(read(0))).code).toBe('bad-answer')
  expect(client.queries).toHaveLength(10)
})

test('an answer that makes sense begins the count of those that make none anew', async () => {
  const nine = Array.from({ length: 9 }, () => failure('bad-answer'))
  const { read } = readerOf([...nine, PAGE, ...nine, PAGE], 3_600_000)
  await read(0)
  expect(await read(250)).toEqual(PAGE)
})

test('a cancelled run does not wait', async () => {
  const { read, client } = readerOf([failure('service-error')], 600_000, 0)
  expect((await problemOf(read(0))).code).toBe('cancelled')
  expect(client.queries).toHaveLength(1)
})

test('a defect is not taken for a failed read', async () => {
  const { read } = readerOf([new TypeError('a defect')])
  await expect(read(0)).rejects.toThrow(TypeError)
})

test.each([
  ['a failed read', failure('unreachable'), 1_000],
  ['a rate limit that names no time', failure('rate-limited'), 33_000],
  ['a rate limit that names a short time', failure('rate-limited', 1), 33_000],
])('the pause after %s', async (_name, error, expectedMs) => {
  const { read, clock } = readerOf([error, PAGE])
  await read(0)
  expect(clock.sleeps).toEqual([expectedMs])
})
