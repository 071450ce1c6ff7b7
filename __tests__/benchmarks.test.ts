import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { renderPart, type SavedParts } from '../scripts/bench/benchmark-page.ts'
import { DOWNLOAD_LIMIT_MB } from '../scripts/bench/download.ts'
import { measureFleet } from '../scripts/bench/fleet.ts'
import { PARTS } from '../scripts/bench/parts.ts'
import { measurePolling } from '../scripts/bench/polling.ts'
import { root } from './support/markdown-files.ts'

const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8')

const saved = JSON.parse(read('docs/internals/benchmarks.json')) as SavedParts
const page = read('docs/internals/benchmarks.md')

const listRows = (part: string) => saved[part]?.rows ?? []

/** The row of a part that measures this, as the numbers in its cells. */
function readFigures(part: string, what: string) {
  const row = listRows(part).find(([name]) => name === what)
  if (row === undefined) throw new Error(`benchmarks.json has no row “${what}” in ${part}.`)
  const [, ours, comparison, ratio] = row
  const numbers = (text: string): number[] => (text.match(/\d+(\.\d+)?/g) ?? []).map(Number)
  const peers = comparison.split('; ').map((text) => ({ name: text.replace(/^.*?: /, ''), figures: numbers(text) }))
  return { ours: numbers(ours), peers, ratio }
}

/** The first figure of a row for a peer, such as its mean lag. */
function readPeer(part: string, what: string, peer: string): number {
  return readFigures(part, what).peers.find(({ name }) => name === peer)?.figures[0] ?? NaN
}

const fleet = (steps: string) => {
  const { ours, peers, ratio } = readFigures('fleet', steps)
  const [loop, doubling] = peers.map(({ figures: [time = NaN, refused = NaN] }) => ({ time, refused }))
  return { time: ratio, refused: ours[1] ?? NaN, loop, doubling }
}

const POLLING = listRows('polling').map(([what]) => what)

test.each(Object.entries(saved))('the page shows what was measured: %s', (name, part) => {
  const [, shown = ''] = page.split(new RegExp(`<!-- ${name}:[^\\n]*-->|<!-- /${name} -->`))
  expect(shown.trim()).toBe(renderPart(part))
})

test('the page shows every part of npm run bench', () => {
  const named = Array.from(page.matchAll(/<!-- \/([a-z-]+) -->/g), ([, name]) => name)
  expect(named.sort()).toEqual(Object.keys(PARTS).sort())
  expect(Object.keys(saved).sort()).toEqual(Object.keys(PARTS).sort())
})

test.each(Object.entries(saved))('%s names the date, the version, the machine and Node.js', (_name, part) => {
  expect(part.circumstances).toMatch(/^\d{4}-\d\d-\d\d, version \d+\.\d+\.\d+, \d+ × .+, \w+ \w+, Node \d+\.\d+\.\d+$/)
})

const SMALL_FLEETS = ['1 step', '3 steps']

// These parts measure no time, so they give the same figures again. The others take minutes, or need an idle machine.
test.each([
  ['polling', () => measurePolling((what) => what === POLLING[0]), (what: string) => what === POLLING[0]],
  ['fleet', () => measureFleet((what) => SMALL_FLEETS.includes(what)), (what: string) => SMALL_FLEETS.includes(what)],
] as const)('the saved figures are current: %s', async (name, measure, isRepeated) => {
  const repeated = { circumstances: '', rows: await measure() }
  const rows = listRows(name).filter(([what]) => isRepeated(what))
  // If this fails: npm run bench -- --only <name> --save
  expect(renderPart(repeated)).toBe(renderPart({ circumstances: '', rows }))
})

test('steps under one key share its rate limit as well as required', () => {
  const times = ['3 steps', '10 steps', '30 steps', '100 steps'].map((steps) => fleet(steps).time)
  const limits = [1.5, 1.5, 2.3, 1.7]
  expect(times.filter((time, index) => time > (limits[index] ?? 0))).toEqual([])
  const refused = ['1 step', '3 steps', '10 steps', '30 steps', '100 steps'].map((steps) => fleet(steps).refused)
  expect(Math.max(...refused)).toBeLessThanOrEqual(3)
  expect(fleet('1,000 steps').refused).toBeLessThanOrEqual(25)
  expect(fleet('130 steps, 100 prompts an hour').time).toBeLessThanOrEqual(1.05)
})

test('the other figures are within their limits', () => {
  for (const what of POLLING) expect(readFigures('polling', what).ratio).toBeLessThanOrEqual(1.3)
  for (const rows of ['25,000', '100,000', '400,000']) {
    const title = `${rows} rows, 50 ms a page`
    expect(readFigures('visitors', `${title}: requests`).ratio).toBe(1)
    // With few rows, most of the memory is that of the program itself.
    expect(readFigures('visitors', `${title}: peak memory`).ratio).toBeLessThan(rows === '25,000' ? 1.1 : 1)
  }
  expect(readFigures('memory', 'Live heap, tenth minute').ratio).toBeLessThan(1.15)
  expect(readFigures('start', 'The first request, the prompt').ratio).toBeLessThan(2.6)
  for (const [what, , , ratio] of listRows('download')) expect([what, ratio < 1]).toEqual([what, true])
  expect(listRows('download')[0]?.[2]).toBe(`${DOWNLOAD_LIMIT_MB.toFixed(2)} MB: our own limit`)
})

/** The rows whose times or requests are above the limit beside them. */
function listFeltAboveLimit(): readonly string[] {
  return listRows('felt').flatMap(([what]) => {
    const { ours, peers } = readFigures('felt', what)
    const limit = peers.find(({ name }) => name === 'our own limit')?.figures ?? []
    return limit.some((most, index) => (ours[index] ?? NaN) > most) ? [what] : []
  })
}

const COSTS = 'docs/costs.md'
const BENCHMARKS = 'docs/internals/benchmarks.md'

test.each<[path: string, claim: string, isTrue: () => boolean]>([
  [
    COSTS,
    'three or ten steps at once take about 1.2 to 1.5 times the least possible time, 30 to 100 steps about twice that time',
    () =>
      [fleet('3 steps'), fleet('10 steps')].every(({ time }) => time > 1.15 && time < 1.55) &&
      [fleet('30 steps'), fleet('100 steps')].every(({ time }) => time > 1.5 && time < 2.5),
  ],
  [
    'docs/visitors.md',
    'One request returns up to 250 pages, so 100,000 pages take 400 requests',
    () => readFigures('visitors', '100,000 rows, 50 ms a page: requests').ours[0] === 400,
  ],
  [
    'docs/visitors.md',
    'Rows are written to the file when they arrive. Only their paths stay in memory',
    () => readFigures('visitors', '400,000 rows, 50 ms a page: peak memory').ratio < 0.8,
  ],
  [
    BENCHMARKS,
    'A long back-off and another sleep after the end cost the most',
    () =>
      POLLING.every((what) => {
        const once = readPeer('polling', what, '10 s and once more after the end')
        const doubling = readPeer('polling', what, 'doubling from 2 to 120 s')
        return Math.min(once, doubling) > 2 * (readFigures('polling', what).ours[0] ?? NaN)
      }),
  ],
  [BENCHMARKS, 'Every step is within its limit.', () => listFeltAboveLimit().length === 0],
  [
    BENCHMARKS,
    'A commit that its author did not push is looked up again after three seconds',
    () => {
      const own = readFigures('felt', 'Push, new pull request: start to prompt').ours[0] ?? NaN
      const colleague = readFigures('felt', 'A colleague’s commit: start to prompt').ours[0] ?? NaN
      return colleague - own > 2 && colleague < 3.5
    },
  ],
  [
    BENCHMARKS,
    'A job that completed without a pull request is read for 15 more seconds',
    () => Math.floor(readFigures('felt', 'No changes: end of the job seen to end of the step').ours[0] ?? NaN) === 15,
  ],
  [
    BENCHMARKS,
    'a cleverer schedule could gain little',
    () => POLLING.every((what) => readFigures('polling', what).ratio < 1.3),
  ],
  [
    BENCHMARKS,
    'With few steps, a loop ends early',
    () => SMALL_FLEETS.map(fleet).every(({ time, loop }) => loop !== undefined && loop.time < time),
  ],
  [
    BENCHMARKS,
    'With a hundred steps, it makes the service refuse twenty requests for each response.',
    () => {
      const { refused = NaN } = fleet('100 steps').loop ?? {}
      return refused > 15 && refused < 30
    },
  ],
  [
    BENCHMARKS,
    'A back-off without jitter retries at the same moments as all others, and waits ever longer',
    () => (fleet('100 steps').doubling?.time ?? NaN) > 5 * fleet('100 steps').time,
  ],
])('%s claims what was measured: %s', (path, claim, isTrue) => {
  expect(read(path)).toContain(claim)
  expect(isTrue()).toBe(true)
})
