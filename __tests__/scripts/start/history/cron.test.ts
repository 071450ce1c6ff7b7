import { expect, test } from '@jest/globals'
import { listScheduledTimes } from '../../../../scripts/start/history/cron.ts'

/** Friday. */
const FROM_MS = Date.parse('2026-01-30T12:00:00Z')
const UNTIL_MS = Date.parse('2026-02-03T12:00:00Z')

test.each([
  ['23 3 * * 1-5', ['02-02T03:23', '02-03T03:23']],
  ['23 3 * * MON', ['02-02T03:23']],
  ['0 3 * * 0,6', ['01-31T03:00', '02-01T03:00']],
  ['0 3 * * 7', ['02-01T03:00']],
  ['0 3 1 * *', ['02-01T03:00']],
  ['0 3 1 * MON', ['02-01T03:00', '02-02T03:00']],
  ['0 3 * FEB *', ['02-01T03:00', '02-02T03:00', '02-03T03:00']],
  ['15,45 */12 31 * *', ['01-31T00:15', '01-31T00:45', '01-31T12:15', '01-31T12:45']],
  ['0 6/8 1 2 *', ['02-01T06:00', '02-01T14:00', '02-01T22:00']],
  ['0 12 * * *', ['01-31T12:00', '02-01T12:00', '02-02T12:00', '02-03T12:00']],
])('%s starts a workflow at these times', (cron, times) => {
  const listed = listScheduledTimes(cron, FROM_MS, UNTIL_MS).map((ms) => new Date(ms).toISOString().slice(5, 16))
  expect(listed).toEqual(times)
})

test.each([
  ['0 3 * * 1', 'Europe/Berlin', ['03-23T02:00', '03-30T01:00']],
  ['30 0 * * 1', 'Asia/Kolkata', ['03-22T19:00', '03-29T19:00']],
  ['0 22 * * 0', 'America/New_York', ['03-23T02:00', '03-30T02:00']],
])('%s in %s starts a workflow at these times in UTC', (cron, timezone, times) => {
  const [fromMs, untilMs] = [Date.parse('2026-03-20T12:00:00Z'), Date.parse('2026-04-02T12:00:00Z')]
  const listed = listScheduledTimes(cron, fromMs, untilMs, timezone).map((ms) =>
    new Date(ms).toISOString().slice(5, 16),
  )
  expect(listed).toEqual(times)
})
