import { expect, test } from '@jest/globals'
import { TimeBudget, toDeadline } from '../../src/runtime/time-budget.ts'
import { CLOCK_START_MS, fakeClock } from '../support/fake-clock.ts'

const STEP_MS = 3_600_000

function openBudget(totalMs = 100) {
  const clock = fakeClock()
  const budget = new TimeBudget(totalMs, CLOCK_START_MS + STEP_MS, clock)
  const pass = (ms: number) => async (): Promise<void> => {
    clock.advance(ms)
    await Promise.resolve()
  }
  /** From now on, in milliseconds. */
  const leftMs = (): number => budget.at - clock.now()
  return { budget, clock, pass, leftMs }
}

test('pieces of work share the time, and what passes between them is not counted', async () => {
  const { budget, clock, pass, leftMs } = openBudget()
  await budget.spend(pass(30))
  clock.advance(1_000)
  expect(leftMs()).toBe(70)
  await budget.spend(pass(50))
  expect(leftMs()).toBe(20)
  await budget.spend(pass(50))
  expect(leftMs()).toBe(-30)
})

test('work inside of other work is counted once, and work that fails is counted too', async () => {
  const { budget, pass, leftMs } = openBudget()
  await budget.spend(async () => {
    await budget.spend(pass(10))
    await budget.spend(pass(10))
    expect(leftMs()).toBe(80)
  })
  const fail = (): Promise<never> => pass(10)().then(() => Promise.reject(new Error('no')))
  await expect(budget.spend(fail)).rejects.toThrow('no')
  expect(leftMs()).toBe(70)
})

test('a wait that the server asks for is not counted, and neither are two at once', async () => {
  const { budget, clock, leftMs } = openBudget()
  await budget.spend(() => {
    expect([budget.allowWait(1_000), budget.allowWait(1_500)]).toEqual([true, true])
    clock.advance(1_500)
    expect(leftMs()).toBe(100)
    expect(budget.allowWait(2_000)).toBe(true)
    clock.advance(2_010)
    return Promise.resolve()
  })
  expect(leftMs()).toBe(90)
})

test('a wait that is not over at the end of the step is refused, and the step ends the budget', async () => {
  const { budget, clock, leftMs } = openBudget(60_000)
  expect([STEP_MS, STEP_MS - 1].map(budget.allowWait)).toEqual([false, true])
  clock.advance(STEP_MS - 40_000)
  expect(leftMs()).toBe(40_000)
  await budget.spend(() => {
    expect(leftMs()).toBe(40_000)
    return Promise.resolve()
  })
})

test('a part of the time begins when it is taken, moves with the waits, and ends with the time', async () => {
  const { budget, clock } = openBudget()
  await budget.spend(() => {
    clock.advance(30)
    const part = budget.limit(50)
    expect(part.at - clock.now()).toBe(50)
    expect(part.allowWait(1_000)).toBe(true)
    clock.advance(1_000)
    expect([part.at - clock.now(), budget.at - clock.now()]).toEqual([50, 70])
    expect(budget.limit(90).at - clock.now()).toBe(70)
    expect(part.allowWait(STEP_MS)).toBe(false)
    expect(part.at - clock.now()).toBe(50)
    return Promise.resolve()
  })
})

test('a plain deadline stays where it is, and allows waits that end before it', () => {
  const clock = fakeClock()
  const deadline = toDeadline(CLOCK_START_MS + 100, clock)
  expect([99, 100].map(deadline.allowWait)).toEqual([true, false])
  expect(deadline.at).toBe(CLOCK_START_MS + 100)
  expect(toDeadline(deadline, clock)).toBe(deadline)
})
