import { expect, test } from '@jest/globals'
import { Heartbeat } from '../../src/step/heartbeat.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { fakeHost } from '../support/fake-host.ts'

test('a line is due a minute after the last one, whoever said that', () => {
  const clock = fakeClock()
  const host = fakeHost()
  const heartbeat = new Heartbeat({ clock, host })
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
