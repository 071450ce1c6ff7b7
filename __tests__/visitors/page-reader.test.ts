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

function readerOf(answers: Parameters<typeof pagesClient>[0], cancelAtSleep?: number): Reader {
  const controller = new AbortController()
  const clock = fakeClock({
    onSleep: (before) => {
      if (before === cancelAtSleep) controller.abort(new ActionError('cancelled', 'The run was cancelled.'))
    },
  })
  const client = pagesClient(answers)
  const host = fakeHost()
  const step = fakeStep({ core: host, client, clock, signal: controller.signal, timeoutMs: 600_000 })
  return { read: createPageReader({ dateFrom: '2026-01-01' }, step), client, clock, said: host.said }
}

test('asks for the largest page there is, of the range, after so many rows, and again after what may pass', async () => {
  const { read, client, said } = readerOf([failure('bad-answer'), PAGE])
  expect(await read(500)).toEqual(PAGE)
  const query = { dateFrom: '2026-01-01', limit: 250, offset: 500 }
  expect(client.queries).toEqual([query, query])
  expect(said).toEqual(['log: It is bad-answer. Asking again in 1 s.'])
})

test.each(['unauthorized', 'not-found'] as const)('does not ask again after %s', async (code) => {
  const { read, client } = readerOf([failure(code)])
  await expect(read(0)).rejects.toMatchObject({ code })
  expect(client.queries).toHaveLength(1)
})

test('waits longer from one failure to the next, and begins anew with the next page', async () => {
  const failed = failure('service-error')
  const { read, clock } = readerOf([failed, failed, failed, PAGE, failed, PAGE])
  await read(0)
  await read(250)
  expect(clock.sleeps).toEqual([1_000, 2_000, 4_000, 1_000])
})

test.each([
  ['a rate limit that names no time', failure('rate-limited'), [33_000]],
  ['a rate limit that names a short time', failure('rate-limited', 1), [33_000]],
  ['a rate limit that names a longer time', failure('rate-limited', 45_000), [60_000, 17_000]],
  ['a failure that names a time', failure('service-error', 150_000), [60_000, 60_000, 30_000]],
])(
  'after %s it waits as long as it is asked to, and after a rate limit at random for longer',
  async (_name, error, sleeps) => {
    const { read, clock, said } = readerOf([error, PAGE])
    await read(0)
    expect(clock.sleeps).toEqual(sleeps)
    // A line a minute, as nothing else is said.
    expect(said.slice(1)).toEqual(sleeps.slice(1).map((): unknown => expect.stringMatching(/^log: Still waiting, /)))
  },
)

test('a wait that does not fit the deadline ends it at once, and names the time', async () => {
  const { read, clock } = readerOf([failure('rate-limited', 600_001)])
  const message: unknown = expect.stringContaining("2026-01-01 00:10:01 UTC, which is after this step's deadline")
  await expect(read(0)).rejects.toMatchObject({ code: 'rate-limited', message })
  expect(clock.sleeps).toEqual([])
})

test('what may pass is tried until the deadline and not after it, and the last problem is told then', async () => {
  const { read, clock, client } = readerOf(Array.from({ length: 99 }, () => failure('unreachable')))
  const message = 'The time ran out before all pages were read. The last attempt failed: It is unreachable.'
  await expect(read(0)).rejects.toMatchObject({ code: 'deadline', message })
  expect(clock.passed()).toBe(600_000)
  const { length } = client.queries
  const late = 'The time ran out before all pages were read.'
  await expect(read(250)).rejects.toMatchObject({ code: 'deadline', message: late })
  expect(client.queries).toHaveLength(length)
})

test('a cancelled run does not wait', async () => {
  const { read, client } = readerOf([failure('service-error')], 0)
  await expect(read(0)).rejects.toMatchObject({ code: 'cancelled' })
  expect(client.queries).toHaveLength(1)
})
