import { expect, test } from '@jest/globals'
import { comeBackMs, giveWayMs, refusalsAfter } from '../../src/docs-service/crowd.ts'
import type { WireResult } from '../../src/docs-service/transport.ts'

const answered = (status: number): WireResult => ({ kind: 'answer', status, body: '', retryAfterMs: undefined })
const UNSEEN: WireResult = { kind: 'failure', cause: 'no-connection', code: undefined, sent: false }

const back = (refusals: number, random: number, retryAfterMs?: number, leftMs = Infinity): number =>
  comeBackMs({ retryAfterMs, refusals, leftMs }, random)

test('each refusal weighs one, a success takes half of the weight, and nothing else is news of the crowd', () => {
  const weights = [429, 425, 500, 404, 200, 201, 200, 200, 200].map(answered).concat(UNSEEN)
  let refusals = 0
  expect(weights.map((result) => (refusals = refusalsAfter(refusals, result)))).toEqual([
    ...[1, 2, 2, 2, 1, 0.5, 0.25, 0.125, 0],
    0,
  ])
})

test('after the first refusal the next try is anywhere in the minute behind what the service asks for', () => {
  expect([0, 0.5, 1].map((random) => back(1, random, 5_000))).toEqual([5_000, 37_000, 69_000])
})

test('after a second one it is soon, and only a crowd that does not end makes the span longer again', () => {
  expect([2, 5, 6, 7, 9, 99].map((refusals) => back(refusals, 1, 1_000) - 1_000)).toEqual([
    ...[8_000, 8_000, 16_000, 32_000, 128_000, 128_000],
  ])
})

test.each([undefined, 0])('a service that asks for %j is left alone for a second', (retryAfterMs) => {
  expect(back(1, 0, retryAfterMs)).toBe(1_000)
})

test('the random part is cut to what the step has left, and what the service asks for is not', () => {
  expect([back(1, 0.5, 5_000, 15_000), back(1, 0.999, 5_000, 15_000) < 15_000]).toEqual([10_000, true])
  expect(back(1, 0.5, 20_000, 15_000)).toBe(20_000)
})

test('reads give way for about a minute after a refusal, and half as long after each answer; alone, not at all', () => {
  expect([4, 1, 0.5, 0.25, 0.125, 0].map((refusals) => giveWayMs(refusals, 0.5) / 1_000)).toEqual([
    ...[64, 64, 64, 32, 16, 0],
  ])
  expect([giveWayMs(1, 0), giveWayMs(1, 1)]).toEqual([57_600, 70_400])
})
