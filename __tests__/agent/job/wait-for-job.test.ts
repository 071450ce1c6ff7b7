import { expect, test } from '@jest/globals'
import { ATTACH, CREATE, runScripted } from '../../support/agent-run.ts'
import { CLOCK_START_MS } from '../../support/fake-clock.ts'
import { active, completed, failed, failure, job, LINK, withoutLink } from '../../support/fake-client.ts'

test('asks once more at the deadline instead of sleeping past it', async () => {
  const { report, clock } = await runScripted({
    task: CREATE,
    create: active,
    reads: [active],
    inputs: { timeoutMs: 25_000, pollIntervalMs: 10_000 },
  })

  expect(report.outcome).toBe('timed-out')
  expect(clock.sleeps).toEqual([10_000, 10_000, 5_000])
})

test('a job that ends just before the deadline is found by the look at the deadline', async () => {
  const { report } = await runScripted({
    task: CREATE,
    create: active,
    reads: [active, active, completed],
    inputs: { timeoutMs: 25_000, pollIntervalMs: 10_000 },
  })

  expect(report.outcome).toBe('pull-request')
})

test('returns at once on a final state', async () => {
  const { clock } = await runScripted({ task: ATTACH, reads: [active, failed] })

  expect(clock.sleeps).toEqual([10_000])
})

test('a link that comes late makes it a pull request', async () => {
  const { report } = await runScripted({ task: CREATE, create: active, reads: [withoutLink, withoutLink, completed] })

  expect(report).toMatchObject({ outcome: 'pull-request', job: { prLink: LINK } })
})

test.each([
  ['active again', active],
  ['failed', failed],
  ['active with a link', job({ prLink: LINK })],
])('completed is believed once and for all, even if the job then reads %s', async (_name, later) => {
  const { report } = await runScripted({ task: CREATE, create: active, reads: [withoutLink, later] })

  expect(report).toMatchObject({ outcome: 'no-changes', job: { status: 'completed' } })
})

test('reads that fail while the link is looked for do not change the verdict', async () => {
  const { report } = await runScripted({ task: CREATE, create: active, reads: [withoutLink, failure('service-error')] })

  expect(report.outcome).toBe('no-changes')
})

test('the looks for a late link do not pass the deadline', async () => {
  const { report, clock } = await runScripted({
    task: CREATE,
    create: active,
    reads: [withoutLink],
    inputs: { timeoutMs: 12_000 },
  })

  expect(report.outcome).toBe('no-changes')
  expect(clock.passed()).toBe(12_000)
})

test('a read that hangs cannot stretch the looks for a late link', async () => {
  const { client } = await runScripted({ task: CREATE, create: active, reads: [withoutLink] })

  expect(client.endsAts.map((at = 0) => at - CLOCK_START_MS)).toEqual([3_600_000, 16_000, 16_000, 16_000])
})
