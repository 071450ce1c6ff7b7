import { execFileSync } from 'node:child_process'
import { expect, test } from '@jest/globals'
import { fasterClock, fasterProcess } from '../../../scripts/small-runner/faster-time.ts'
import { preload } from '../../../scripts/small-runner/preload.ts'
import { fakeClock } from '../../support/fake-clock.ts'

test('a clock that goes faster begins at its date, and sleeps less', async () => {
  const clock = fakeClock()
  const faster = fasterClock(10, Date.UTC(2026, 0, 1), clock)
  const startedAt = faster.now()
  await faster.sleep(60_000)
  expect(clock.passed()).toBe(6_000)
  expect(faster.now() - startedAt).toBe(60_000)
  expect(faster.wallTime()).toEqual(new Date('2026-01-01T00:01:00Z'))
})

test('a process that goes faster lives on that date, and its timers are over before they would be', () => {
  const code = `
    const real = process.hrtime()
    const [before, then] = [performance.now(), new Date()]
    setTimeout(() => {
      const [seconds] = process.hrtime(real)
      console.log(JSON.stringify([then.getUTCFullYear(), performance.now() - before >= 50_000, seconds < 50]))
    }, 50_000)
  `
  const env = { ...process.env, ...preload(fasterProcess(1_000, Date.UTC(2026, 0, 1))) }
  expect(execFileSync(process.execPath, ['-e', code], { env, encoding: 'utf8' })).toBe('[2026,true,true]\n')
})
