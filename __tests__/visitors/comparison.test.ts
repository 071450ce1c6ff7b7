import { expect, test } from '@jest/globals'
import {
  respondInOrder,
  createPage,
  type PageResult,
  createRefusal,
  createRow,
  runExport,
} from '../../testing/visitors-run.ts'

const FEBRUARY = { dateFrom: '2026-02-01', dateTo: '2026-03-01' }
const PRECEDING = { dateFrom: '2026-01-04', dateTo: '2026-02-01' }
const GIVEN = { 'date-from': FEBRUARY.dateFrom, 'date-to': FEBRUARY.dateTo, compare: 'true' }
const NOW = createPage([createRow('/new', 5), createRow('/same', 2)])
const THEN = createPage([createRow('/gone', 7)], { totals: { human: 12, ai: 7, total: 19 }, hasMore: true })

test('reads the totals of the preceding period in one request for one row, and writes no page of it to the file', async () => {
  const { outputs, requests, written, log } = await runExport(respondInOrder(NOW, THEN), GIVEN)
  expect(outputs).toMatchObject({ 'previous-human': '12', 'previous-ai': '7', 'previous-total': '19', rows: '2' })
  expect(requests).toMatchObject([
    { ...FEBRUARY, limit: 250, offset: 0 },
    { ...PRECEDING, limit: 1, offset: 0 },
  ])
  expect(written).not.toContain('gone')
  expect(log).toContain('Reading the totals of the 28 days before.')
})

test.each(['false', ''])('reads no other period with `compare: %s`', async (compare) => {
  const { outputs, requests } = await runExport(respondInOrder(NOW), { ...GIVEN, compare })
  expect([requests.length, outputs['previous-total']]).toEqual([1, ''])
})

test.each<[string, PageResult]>([
  ['an error', createRefusal(403)],
  ['a rate limit that outlasts the step', createRefusal(429, 3_600)],
  ['a cancelled run', { delivery: 'never' }],
])('keeps the file, stays green and gives one notice if the comparison fails: %s', async (_name, response) => {
  const { isGreen, outputs, written, line, hostCalls } = await runExport(respondInOrder(NOW, response), GIVEN, {
    cancelAtMs: 1,
  })
  expect([isGreen, outputs['complete'], outputs['previous-total']]).toEqual([true, 'true', ''])
  expect(written).toContain('/new')
  expect(line).toContain('There is no comparison with the 28 days before: ')
  expect(hostCalls.filter((call) => call.startsWith('notice:'))).toHaveLength(1)
})

test('reads no preceding period after a failed export', async () => {
  const { outputs, requests } = await runExport(respondInOrder(createRefusal(403)), GIVEN)
  expect([requests.length, outputs['previous-total']]).toEqual([1, ''])
})
