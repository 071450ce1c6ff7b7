import { describe, expect, test } from '@jest/globals'
import { pollUntil, systemClock } from '../../src/runtime/clock.ts'
import { withDeadline } from '../../src/runtime/deadline.ts'
import {
  ActionError,
  ERROR_TITLES,
  orUndefinedIfNotFound,
  orNotSent,
  orUndefined,
  catchExpected,
} from '../../src/runtime/errors.ts'
import { Heartbeat, sleepWithProgress } from '../../src/runtime/heartbeat.ts'
import { isLoopback, parseUrl } from '../../src/runtime/url.ts'
import { fakeClock } from '../../testing/fake-clock.ts'
import { createGitHubError } from '../../testing/github-values.ts'
import { fakeRunner } from '../../testing/fake-runner.ts'
import { catchError } from '../../testing/github-client.ts'

test('parses an absolute URL, and a relative URL with a base', () => {
  expect(parseUrl('https://docs.example.com/a')?.href).toBe('https://docs.example.com/a')
  expect(parseUrl('/b', 'https://docs.example.com/a')?.href).toBe('https://docs.example.com/b')
})

test.each(['', '/b', 'nonsense', 'https://', 'https://:x', 'http://[::1'])('%j is not a valid URL', (text) => {
  expect(parseUrl(text)).toBeUndefined()
})

const error = (code: ActionError['code']): ActionError => new ActionError(code, 'It failed.')

test('returns an expected error, and rethrows a bug and a cancelled run', () => {
  const refused = error('forbidden')
  expect(catchExpected(refused)).toBe(refused)
  for (const fatal of [error('cancelled'), new TypeError('A defect.')])
    expect(() => catchExpected(fatal)).toThrow(fatal)
})

test('returns undefined for the named error codes only', async () => {
  expect(await orUndefined(Promise.resolve('here'), 'not-found')).toBe('here')
  expect(await orUndefined<string>(Promise.reject(error('not-found')), 'not-found')).toBeUndefined()
  await expect(orUndefined<string>(Promise.reject(error('forbidden')), 'not-found')).rejects.toThrow('It failed.')
})

test('returns undefined only after a second `not-found`', async () => {
  const resolveEachOnce = (...results: readonly (string | ActionError)[]) => {
    const left = [...results]
    return () => {
      const next = left.shift() ?? 'called too often'
      return next instanceof ActionError ? Promise.reject(next) : Promise.resolve(next)
    }
  }
  expect(await orUndefinedIfNotFound(resolveEachOnce('here'))).toBe('here')
  expect(await orUndefinedIfNotFound(resolveEachOnce(error('not-found'), 'here'))).toBe('here')
  expect(await orUndefinedIfNotFound(resolveEachOnce(error('not-found'), error('not-found')))).toBeUndefined()
  await expect(orUndefinedIfNotFound(resolveEachOnce(error('not-found'), error('forbidden')))).rejects.toThrow(
    'It failed.',
  )
})

test('returns the result, or throws `not-sent` with the reason and a hint', async () => {
  expect(await orNotSent('It is not known', () => Promise.resolve(7), 'Try again.')).toBe(7)
  const getError = (error: ActionError) =>
    catchError(orNotSent('It is not known', () => Promise.reject(error), 'Try again.'))
  const message = 'It is not known: GitHub said forbidden.'
  expect(await getError(createGitHubError('forbidden', 'Grant it.'))).toMatchObject({
    code: 'not-sent',
    message,
    hint: 'Grant it.',
  })
  const later = ['unreachable', 'service-error', 'rate-limited', 'invalid-response', 'deadline'] as const
  for (const code of later) expect(await getError(createGitHubError(code))).toMatchObject({ hint: 'Try again.' })
  const solve = 'GitHub has refused this: solve the reason that it names, then run the step again.'
  for (const code of ['forbidden', 'rejected', 'not-found'] as const)
    expect(await getError(createGitHubError(code))).toMatchObject({ hint: solve })
  expect(await getError(new ActionError('forbidden', 'No.', { quote: 'Expired' }))).toMatchObject({ quote: 'Expired' })
  expect(await getError(createGitHubError('cancelled'))).toMatchObject({ code: 'cancelled' })
})

const { signal } = new AbortController()

test.each([
  ['reads after each pause until a result is accepted', [0, 0, 1], 1, [5, 10]],
  ['reads once more after the last pause, and returns the last result', [0], 0, [5, 10, 20]],
])('%s', async (_what, results, expected, pauses) => {
  const clock = fakeClock()
  const nextPause = (done: number): number | undefined => [5, 10, 20][done]
  const read = () => Promise.resolve(results[Math.min(clock.sleeps.length, results.length - 1)])
  expect(await pollUntil(read, Boolean, nextPause, { clock, signal })).toBe(expected)
  expect(clock.sleeps).toEqual(pauses)
})

test('a cancelled run ends a pause', async () => {
  const run = new AbortController()
  const onSleep = (): void => {
    run.abort(new Error('cancelled'))
  }
  const clock = fakeClock({ onSleep })
  await expect(
    pollUntil(
      () => Promise.resolve(0),
      Boolean,
      () => 5,
      { clock, signal: run.signal },
    ),
  ).rejects.toThrow('cancelled')
})

test.each([
  [true, 'localhost LOCALHOST:8080/x 127.0.0.1:1 127.255.0.7 127.1 0x7f000001 [::1]:8080 [0:0:0:0:0:0:0:1]'],
  [false, 'docs.example.com localhost.example.com notlocalhost 127.0.0.1.example.com 128.0.0.1 10.127.0.0'],
  [false, '0.0.0.0 [::2] localhost@docs.example.com'],
])('returns %s for whether these URLs are on loopback: %s', (expected, urls) => {
  for (const url of urls.split(' ')) expect([url, isLoopback(new URL(`http://${url}`))]).toEqual([url, expected])
})

test('a line is due a minute after the last one, including lines that were logged elsewhere', () => {
  const clock = fakeClock()
  const host = fakeRunner()
  const heartbeat = new Heartbeat({ clock, log: host.log })
  clock.advance(20_000)
  expect(heartbeat.getTimeLeftMs()).toBe(40_000)
  heartbeat.log('It has begun.')
  clock.advance(59_000)
  heartbeat.restart()
  for (const ms of [59_999, 1, 59_999, 1]) {
    clock.advance(ms)
    heartbeat.logIfDue(`Still there after ${clock.passed() / 1_000} s.`)
  }
  expect(host.calls).toEqual(['log: It has begun.', 'log: Still there after 139 s.', 'log: Still there after 199 s.'])
})

test('a long sleep logs the remaining time every minute, and a cancelled run ends it', async () => {
  const clock = fakeClock()
  const lines: string[] = []
  const { signal } = new AbortController()
  const step = { clock, signal, log: (line: string) => lines.push(line) }
  await sleepWithProgress(150_000, step)
  expect(clock.sleeps).toEqual([60_000, 60_000, 30_000])
  expect(lines).toEqual([
    'Still waiting until 2026-01-01 00:02:30 UTC, for another 1 min 30 s.',
    'Still waiting until 2026-01-01 00:02:30 UTC, for another 30 s.',
  ])
  await expect(sleepWithProgress(1_000, { ...step, signal: AbortSignal.abort() })).rejects.toThrow()
})

test.each([
  [64_999, 0],
  [65_000, 1],
])('a sleep of %i ms logs %i lines, because a rest of less than 5 s is not logged', async (ms, count) => {
  const lines: string[] = []
  const { signal } = new AbortController()
  await sleepWithProgress(ms, { clock: fakeClock(), signal, log: (line) => lines.push(line) })
  expect(lines).toHaveLength(count)
})

test('every title is a few words, without a period', () => {
  expect(Object.values(ERROR_TITLES).filter((title) => !/^[A-Z][^.]{5,50}[^.]$/.test(title))).toEqual([])
})

describe('deadline', () => {
  const { signal } = new AbortController()
  const timedOut = new Error('No response in time.')
  const never = (): Promise<never> => new Promise(() => undefined)

  test.each([
    ['a timeout', 30_000],
    ['a timeout in the past', -1],
  ])('%s ends work that hangs, and aborts its signal', async (_what, timeoutMs) => {
    const clock = fakeClock()
    let end: AbortSignal | undefined
    const hang = (given: AbortSignal): Promise<never> => {
      end = given
      return never()
    }
    await expect(withDeadline(hang, { clock, signal, timeoutMs, timedOut })).rejects.toBe(timedOut)
    expect([clock.sleeps, end?.aborted]).toEqual([[Math.max(0, timeoutMs)], true])
  })

  test('stops its timer when the work ends, because the timer would keep the process alive', async () => {
    let timer: AbortSignal | undefined
    const clock = {
      ...systemClock,
      sleep: (_ms: number, given?: AbortSignal): Promise<void> => {
        timer = given
        return never()
      },
    }
    expect(await withDeadline(() => Promise.resolve(1), { clock, signal, timeoutMs: 1, timedOut })).toBe(1)
    expect(timer?.aborted).toBe(true)
  })

  test('rejects with the reason of the signal', async () => {
    const run = new AbortController()
    const ended = withDeadline(never, { clock: systemClock, signal: run.signal, timeoutMs: 60_000, timedOut })
    run.abort(new Error('cancelled'))
    await expect(ended).rejects.toThrow('cancelled')
  })
})
