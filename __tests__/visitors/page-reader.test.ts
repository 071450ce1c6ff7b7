import { expect, test } from '@jest/globals'
import { createPageReader } from '../../src/visitors/read-pages.ts'
import { fakeStep } from '../support/fake-step.ts'
import { inTurn, page, refusal, row, runExport } from '../support/visitors-run.ts'

const PAGE = page([row('/')])
const NONSENSE = { body: '<html></html>' }

test('what may pass is asked again, later from one failure to the next, and the next page begins anew', async () => {
  const failed = refusal(503)
  const { requests, log } = await runExport(
    inTurn(failed, failed, NONSENSE, page([row('/a')], { hasMore: true }), failed, PAGE),
  )
  expect(requests.map(({ offset, atMs }) => [offset, atMs])).toEqual([
    ...[0, 1_000, 3_000, 7_000].map((atMs) => [0, atMs]),
    ...[7_000, 8_000].map((atMs) => [1, atMs]),
  ])
  expect(log).toContain('The service failed (503). It says: “No.” Asking again in 2 s.')
})

test.each([
  ['a rate limit that names no time', refusal(429), 33_000, []],
  ['a rate limit that names a time', refusal(429, 45), 77_000, ['17 s']],
  ['a failure that names a time', refusal(500, 150), 150_000, ['1 min 30 s', '30 s']],
])(
  'after %s it waits as long as it is asked to, and after a rate limit at random for longer',
  async (_name, refused, atMs, told) => {
    const { requests, log } = await runExport(inTurn(refused, PAGE))
    expect(requests[1]?.atMs).toBe(atMs)
    // A line a minute, as nothing else is said.
    expect(log.filter((line) => line.startsWith('Still waiting'))).toEqual(
      told.map((left) => `Still waiting, for another ${left}.`),
    )
  },
)

test('what may pass is tried until the deadline, and the last problem is told then', async () => {
  const failing = inTurn(...Array.from({ length: 5 }, () => NONSENSE))
  const { report, requests } = await runExport(failing, { 'timeout-minutes': '0.5' })
  const text = 'The time ran out before all pages were read. The last attempt failed: '
  expect(report.error).toMatchObject({ code: 'deadline', message: `${text}The service gave an invalid answer (200).` })
  expect(requests.map(({ atMs }) => atMs)).toEqual([0, 1_000, 3_000, 7_000, 15_000])
})

test('nothing is read after the deadline', async () => {
  const read = createPageReader({}, fakeStep({ timeoutMs: 0 }))
  const message = 'The time ran out before all pages were read.'
  await expect(read(0)).rejects.toMatchObject({ code: 'deadline', message })
})
