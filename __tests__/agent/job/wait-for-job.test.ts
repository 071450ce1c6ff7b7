import { expect, test } from '@jest/globals'
import { ATTACH, CREATE, runScripted } from '../../support/agent-run.ts'
import { active, archived, completed, failed, failure, job, LINK, withoutLink } from '../../support/fake-client.ts'

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

test('a job that ends just before the deadline is found by the read at the deadline', async () => {
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

  expect(report).toMatchObject({ outcome: 'pull-request', job: { prLink: { href: LINK } } })
})

test.each([
  ['failed', [failed], 'failed'],
  ['archived', [archived], 'archived'],
  ['active, and then completed with a link', [active, completed], 'pull-request'],
  ['active, and never ends', [active], 'timed-out'],
])(
  'of a job that completed without a link the last reading counts: it then reads %s',
  async (_name, later, outcome) => {
    const { report } = await runScripted({ task: CREATE, create: active, reads: [withoutLink, ...later] })

    expect(report.outcome).toBe(outcome)
  },
)

test('a link that cannot be used is an error, and is not waited for', async () => {
  const unsafe = job({ status: 'completed', hasUnsafeLink: true })
  const { report, warnings, clock } = await runScripted({ task: CREATE, create: active, reads: [unsafe] })

  expect(report).toMatchObject({ outcome: 'error', error: { code: 'unusable-link' }, job: { hasUnsafeLink: true } })
  expect(clock.sleeps).toEqual([10_000])
  expect(warnings).toHaveLength(1)
})

test('reads that fail while the link is looked for do not change the verdict', async () => {
  const { report } = await runScripted({ task: CREATE, create: active, reads: [withoutLink, failure('service-error')] })

  expect(report.outcome).toBe('no-changes')
})

test('the reads for a late link do not pass the deadline', async () => {
  const { report, elapsedMs } = await runScripted({
    task: CREATE,
    create: active,
    reads: [withoutLink],
    inputs: { timeoutMs: 12_000 },
  })

  expect(report.outcome).toBe('no-changes')
  expect(elapsedMs).toBe(12_000)
})

test('a read that hangs cannot stretch the reads for a late link', async () => {
  const { client, clock, elapsedMs } = await runScripted({ task: CREATE, create: active, reads: [withoutLink] })
  const startedAt = clock.now() - elapsedMs

  expect(client.endsAts.map((at) => (at ?? NaN) - startedAt)).toEqual([3_600_000, ...Array<number>(4).fill(20_000)])
})
