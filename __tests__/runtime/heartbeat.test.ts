import { expect, test } from '@jest/globals'
import { Heartbeat, sleepAloud } from '../../src/runtime/heartbeat.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { fakeHost } from '../support/fake-host.ts'

test('a line is due a minute after the last one, whoever said that', () => {
  const clock = fakeClock()
  const host = fakeHost()
  const heartbeat = new Heartbeat({ clock, log: host.log })
  clock.advance(20_000)
  expect(heartbeat.untilMs()).toBe(40_000)
  heartbeat.say('It has begun.')
  clock.advance(59_000)
  heartbeat.restart()
  for (const ms of [59_999, 1, 59_999, 1]) {
    clock.advance(ms)
    heartbeat.beat(`Still there after ${clock.passed() / 1_000} s.`)
  }
  expect(host.said).toEqual(['log: It has begun.', 'log: Still there after 139 s.', 'log: Still there after 199 s.'])
})

test('a long sleep tells each minute how much of it is left, and a cancelled run ends it', async () => {
  const clock = fakeClock()
  const lines: string[] = []
  const { signal } = new AbortController()
  await sleepAloud(150_000, clock, signal, (line) => lines.push(line))
  expect(clock.sleeps).toEqual([60_000, 60_000, 30_000])
  expect(lines).toEqual(['Still waiting, for another 1 min 30 s.', 'Still waiting, for another 30 s.'])
  await expect(sleepAloud(1_000, clock, AbortSignal.abort(new Error('Cancelled.')), () => undefined)).rejects.toThrow()
})
