import { expect, test } from '@jest/globals'
import { sitePage, type PageRequest } from '../../scripts/bench/visitors/paging-server.mjs'
import { answering, runVisitors } from '../support/visitors-bundle.ts'

test('a number of days is sent as two dates, the same ones for every page', async () => {
  const requests: PageRequest[] = []
  const run = await runVisitors({
    service: answering((request) => {
      requests.push(request)
      return { body: sitePage(300, request) }
    }),
    inputs: { days: '7' },
  })

  expect(run).toMatchObject({ conclusion: 'success', outputs: { rows: '300', complete: 'true' } })
  const [first, second] = requests
  const daysBetween = (Date.parse(first?.dateTo ?? '') - Date.parse(first?.dateFrom ?? '')) / 86_400_000
  expect(daysBetween).toBe(7)
  expect(second).toMatchObject({ dateFrom: first?.dateFrom, dateTo: first?.dateTo, limit: 250, offset: 250 })
})

test('times with an offset are sent as they were given', async () => {
  const requests: PageRequest[] = []
  const run = await runVisitors({
    service: answering((request) => {
      requests.push(request)
      return { body: sitePage(1, request) }
    }),
    inputs: { 'date-from': '2026-01-01T00:00:00+05:30', 'date-to': '2026-01-02' },
  })

  expect(run.conclusion).toBe('success')
  expect(requests).toMatchObject([{ dateFrom: '2026-01-01T00:00:00+05:30', dateTo: '2026-01-02' }])
})
