import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { renderPart, type SavedParts } from '../scripts/bench/benchmark-page.ts'
import { root } from './support/markdown-files.ts'

const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8')

const saved = JSON.parse(read('docs/internals/benchmarks.json')) as SavedParts
const page = read('docs/internals/benchmarks.md')

/** The rows of a part by what they measure, as the numbers in their cells. */
function readFigures(part: string, what: string) {
  const row = saved[part]?.rows.find(([name]) => name === what)
  if (row === undefined) throw new Error(`benchmarks.json has no row “${what}” in ${part}.`)
  const [, ours, beside, ratio] = row
  const numbers = (text: string): number[] => (text.match(/\d+(\.\d+)?/g) ?? []).map(Number)
  return { ours: numbers(ours), beside: beside.split('; ').map(numbers), ratio }
}

const fleet = (steps: string) => {
  const { ours, beside, ratio } = readFigures('fleet', steps)
  return { time: ratio, refused: ours[1] ?? NaN, loopRefused: beside[0]?.[1] ?? NaN }
}

test.each(Object.entries(saved))('the page shows what was measured: %s', (name, part) => {
  const [, shown = ''] = page.split(new RegExp(`<!-- ${name}:[^\\n]*-->|<!-- /${name} -->`))
  expect(shown.trim()).toBe(renderPart(part))
})

test('every part that the page has was measured', () => {
  const named = Array.from(page.matchAll(/<!-- \/([a-z-]+) -->/g), ([, name]) => name)
  expect(named.sort()).toEqual(Object.keys(saved).sort())
})

test('steps under one key share it as well as they should', () => {
  const times = ['3 steps', '10 steps', '30 steps', '100 steps'].map((steps) => fleet(steps).time)
  const limits = [1.5, 1.5, 2.3, 1.7]
  expect(times.filter((time, index) => time > (limits[index] ?? 0))).toEqual([])
  const refused = ['1 step', '3 steps', '10 steps', '30 steps', '100 steps'].map((steps) => fleet(steps).refused)
  expect(Math.max(...refused)).toBeLessThanOrEqual(3)
  expect(fleet('1,000 steps').refused).toBeLessThanOrEqual(25)
  expect(fleet('130 steps, 100 prompts an hour').time).toBeLessThanOrEqual(1.05)
})

test('the other figures are as good as they should be', () => {
  for (const { ratio } of saved['polling']?.rows.map(([what]) => readFigures('polling', what)) ?? [])
    expect(ratio).toBeLessThanOrEqual(1.3)
  for (const rows of ['25,000', '100,000', '400,000']) {
    const title = `${rows} rows, 50 ms a page`
    expect(readFigures('visitors', `${title}: requests`).ratio).toBe(1)
    expect(readFigures('visitors', `${title}: peak memory`).ratio).toBeLessThan(1)
  }
  expect(readFigures('memory', 'Live heap, tenth minute').ratio).toBeLessThan(1.15)
  expect(readFigures('start', 'The first request, the prompt').ratio).toBeLessThan(2.6)
  for (const [what, , , ratio] of saved['hostile-text']?.rows ?? []) expect([what, ratio < 4]).toEqual([what, true])
})

test.each<[path: string, claim: string, holds: () => boolean]>([
  [
    'docs/costs-and-limits.md',
    'three or ten steps at once take about 1.2 to 1.5 times the least possible time, 30 to 100 steps about twice that time',
    () =>
      [fleet('3 steps'), fleet('10 steps')].every(({ time }) => time > 1.15 && time < 1.55) &&
      [fleet('30 steps'), fleet('100 steps')].every(({ time }) => time > 1.5 && time < 2.5),
  ],
  [
    'docs/internals/benchmarks.md',
    'With a hundred steps, it makes the service refuse twenty requests for each response.',
    () => fleet('100 steps').loopRefused > 15 && fleet('100 steps').loopRefused < 30,
  ],
])('%s claims what was measured: %s', (path, claim, holds) => {
  expect(read(path)).toContain(claim)
  expect(holds()).toBe(true)
})
