import { expect, test } from '@jest/globals'
import { TimeBudget, toDeadline } from '../../src/runtime/time-budget.ts'
import { CLOCK_START_MS, fakeClock } from '../support/fake-clock.ts'

const STEP_MS = 3_600_000

function openBudget(totalMs = 100) {
  const clock = fakeClock()
  const budget = new TimeBudget(totalMs, CLOCK_START_MS + STEP_MS, clock)
  const createWork = (ms: number) => async (): Promise<void> => {
    clock.advance(ms)
    await Promise.resolve()
  }
  const getLeftMs = (): number => budget.at - clock.now()
  return { budget, clock, createWork, getLeftMs }
}

test('pieces of work share the time, and the time between them does not count', async () => {
  const { budget, clock, createWork, getLeftMs } = openBudget()
  await budget.spend(createWork(30))
  clock.advance(1_000)
  expect(getLeftMs()).toBe(70)
  await budget.spend(createWork(50))
  expect(getLeftMs()).toBe(20)
  await budget.spend(createWork(50))
  expect(getLeftMs()).toBe(-30)
})

test('nested work counts once, and work that fails counts', async () => {
  const { budget, createWork, getLeftMs } = openBudget()
  await budget.spend(async () => {
    await budget.spend(createWork(10))
    await budget.spend(createWork(10))
    expect(getLeftMs()).toBe(80)
  })
  const fail = (): Promise<never> => createWork(10)().then(() => Promise.reject(new Error('no')))
  await expect(budget.spend(fail)).rejects.toThrow('no')
  expect(getLeftMs()).toBe(70)
})

test('waits for rate limits do not count, even if they overlap', async () => {
  const { budget, clock, getLeftMs } = openBudget()
  await budget.spend(() => {
    expect([budget.allowWait(1_000), budget.allowWait(1_500)]).toEqual([true, true])
    clock.advance(1_500)
    expect(getLeftMs()).toBe(100)
    expect(budget.allowWait(2_000)).toBe(true)
    clock.advance(2_010)
    return Promise.resolve()
  })
  expect(getLeftMs()).toBe(90)
})

test('a wait must end before the step, and the budget ends with the step', async () => {
  const { budget, clock, getLeftMs } = openBudget(60_000)
  expect([STEP_MS, STEP_MS - 1].map(budget.allowWait)).toEqual([false, true])
  clock.advance(STEP_MS - 40_000)
  expect(getLeftMs()).toBe(40_000)
  await budget.spend(() => {
    expect(getLeftMs()).toBe(40_000)
    return Promise.resolve()
  })
})

test('a limit within the budget starts when created, is extended by waits, and never outlasts the budget', async () => {
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

test('a numeric deadline never moves, and allows waits that end before it', () => {
  const clock = fakeClock()
  const deadline = toDeadline(CLOCK_START_MS + 100, clock)
  expect([99, 100].map(deadline.allowWait)).toEqual([true, false])
  expect(deadline.at).toBe(CLOCK_START_MS + 100)
  expect(toDeadline(deadline, clock)).toBe(deadline)
})
