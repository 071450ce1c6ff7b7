import { expect, test } from '@jest/globals'
import { createTimeline } from '../../../src/emulator/github/timeline.ts'

test('what is due happens in order, at its own time, with what follows from it', () => {
  const timeline = createTimeline()
  const happened: [string, number][] = []
  const note = (name: string) => (atMs: number) => happened.push([name, atMs])
  timeline.at(20, note('later'))
  timeline.at(10, (atMs) => {
    note('first')(atMs)
    timeline.at(15, note('follows'))
  })
  timeline.at(10, note('second'))
  timeline.at(Infinity, note('never'))
  timeline.runUntil(9)
  expect(happened).toEqual([])
  timeline.runUntil(1_000)
  expect(happened).toEqual([
    ['first', 10],
    ['second', 10],
    ['follows', 15],
    ['later', 20],
  ])
  timeline.runUntil(2_000)
  expect(happened).toHaveLength(4)
})
