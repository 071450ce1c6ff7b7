import { expect, test } from '@jest/globals'
import { virtualClock } from './virtual-clock.ts'

test('wakes sleepers in the order of their times', async () => {
  const clock = virtualClock()
  const woken: [name: string, at: number][] = []
  const sleeper = async (name: string, ms: number): Promise<void> => {
    await clock.sleep(ms)
    woken.push([name, clock.now()])
  }
  await clock.passUntil(Promise.all([sleeper('c', 30), sleeper('a', 10), sleeper('b', 20)]))
  expect(woken).toEqual([
    ['a', 10],
    ['b', 20],
    ['c', 30],
  ])
})

test('wakes a sleeper whose signal aborts at once, and forgets its alarm', async () => {
  const clock = virtualClock()
  const controller = new AbortController()
  clock.at(5, () => {
    controller.abort(new Error('stop'))
  })
  await expect(clock.passUntil(clock.sleep(1_000, controller.signal))).rejects.toThrow('stop')
  expect(clock.now()).toBe(5)
  await clock.passUntil(clock.sleep(10))
  expect(clock.now()).toBe(15)
})

test('says that a run hangs instead of hanging', async () => {
  const never = new Promise<void>(() => undefined)
  await expect(virtualClock().passUntil(never)).rejects.toThrow('nothing is left')
})

test('says that a run goes round in circles instead of running for ever', async () => {
  const clock = virtualClock({ mostEvents: 100 })
  const circle = async (): Promise<void> => {
    for (;;) await clock.sleep(1)
  }
  await expect(clock.passUntil(circle())).rejects.toThrow('in circles')
})

test('fires on whole milliseconds, and not early', async () => {
  const clock = virtualClock()
  await clock.passUntil(clock.sleep(2.4))
  expect(clock.now()).toBe(3)
})

test('the wall clock jumps, and the other one does not', async () => {
  const clock = virtualClock({ wallJump: { atMs: 10, byMs: -3_600_000 } })
  const before = clock.wallTime().getTime()
  await clock.passUntil(clock.sleep(10))
  expect(clock.wallTime().getTime() - before).toBe(-3_599_990)
  expect(clock.now()).toBe(10)
})
