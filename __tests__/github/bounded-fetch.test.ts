import { expect, test } from '@jest/globals'
import { createBoundedFetch, type Fetch } from '../../src/github/bounded-fetch.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { errorOf } from '../support/github-client.ts'

const URL_ASKED = 'https://api.example.com/repos'
const going = new AbortController().signal

test('hands on the whole answer: status, headers, body and address', async () => {
  const answer = new Response('{"a":1}', { status: 201, headers: { link: '<next>' } })
  Object.defineProperty(answer, 'url', { value: URL_ASKED })
  const found = await createBoundedFetch(() => Promise.resolve(answer), systemClock, going)(URL_ASKED, {})
  expect([found.status, found.headers.get('link'), found.url, await found.text()]).toEqual([
    201,
    '<next>',
    URL_ASKED,
    '{"a":1}',
  ])
})

test('hands on an answer that has no body', async () => {
  const answer = new Response(null, { status: 204 })
  const found = await createBoundedFetch(() => Promise.resolve(answer), systemClock, going)(URL_ASKED, {})
  expect(found.status).toBe(204)
})

test('gives up an attempt after 30 seconds, and tells it to stop', async () => {
  const clock = fakeClock()
  let signal: AbortSignal | null | undefined
  const never: Fetch = (_url, init) => {
    signal = init.signal
    return new Promise(() => undefined)
  }
  expect(await errorOf(createBoundedFetch(never, clock, going)(URL_ASKED, {}))).toBeInstanceOf(Error)
  expect(clock.sleeps).toEqual([30_000])
  expect(signal?.aborted).toBe(true)
})

test('a body that never ends is cut off as well', async () => {
  const dripping: Fetch = () => Promise.resolve(new Response(new ReadableStream({ start: () => undefined })))
  expect(await errorOf(createBoundedFetch(dripping, fakeClock(), going)(URL_ASKED, {}))).toBeInstanceOf(Error)
})

test('an answer that is too large is not read to its end', async () => {
  let sent = 0
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 1
      controller.enqueue(new Uint8Array(1024 * 1024))
    },
  })
  const fetch: Fetch = () => Promise.resolve(new Response(endless))
  expect(await errorOf(createBoundedFetch(fetch, systemClock, going)(URL_ASKED, {}))).toMatchObject({
    message: 'The answer is too large.',
  })
  expect(sent).toBeLessThan(70)
})

test('a cancel that came while the loop was busy is heard before anything is sent', async () => {
  const run = new AbortController()
  const clock = fakeClock({
    onTurn: () => {
      run.abort(new Error('cancelled'))
    },
  })
  let asked = 0
  const fetch: Fetch = () => {
    asked++
    return Promise.resolve(new Response('{}'))
  }
  await expect(createBoundedFetch(fetch, clock, run.signal)(URL_ASKED, {})).rejects.toThrow('cancelled')
  expect(asked).toBe(0)
})

test('sends nothing once the run has ended', async () => {
  const asked: string[] = []
  const reason = new Error('over')
  const fetch: Fetch = (url) => {
    asked.push(url)
    return Promise.resolve(new Response())
  }
  expect(await errorOf(createBoundedFetch(fetch, systemClock, AbortSignal.abort(reason))(URL_ASKED, {}))).toBe(reason)
  expect(asked).toEqual([])
})
