import { expect, test } from '@jest/globals'
import { ATTACH, CREATE, runScripted } from '../../support/agent-run.ts'
import { active, completed, failure } from '../../support/fake-client.ts'

test.each(['unreachable', 'service-error', 'rate-limited', 'bad-answer'] as const)(
  'reads again after %s',
  async (code) => {
    const { report } = await runScripted({
      task: CREATE,
      create: active,
      reads: [failure(code), active, failure(code), completed],
    })

    expect(report.outcome).toBe('pull-request')
  },
)

test.each(['unauthorized', 'forbidden', 'redirected', 'rejected', 'untrusted', 'proxy'] as const)(
  'stops at once on %s, and the report still names the job',
  async (code) => {
    const { report, client } = await runScripted({ task: CREATE, create: active, reads: [failure(code), completed] })

    expect(report).toMatchObject({ outcome: 'error', error: { code }, job: { id: 'job_1', status: 'active' } })
    expect(client.calls).toEqual(['create', 'get'])
  },
)

test('ten answers in a row that make no sense end it', async () => {
  const { report, client } = await runScripted({ task: CREATE, create: active, reads: [failure('bad-answer')] })

  expect(report).toMatchObject({ outcome: 'error', error: { code: 'bad-answer' } })
  expect(client.calls.filter((call) => call === 'get')).toHaveLength(10)
})

test('answers that make no sense are only counted in a row', async () => {
  const nine = Array.from({ length: 9 }, () => failure('bad-answer'))
  const { report } = await runScripted({ task: CREATE, create: active, reads: [...nine, active, ...nine, completed] })

  expect(report.outcome).toBe('pull-request')
})

test('waits as long as the service asks for, and at random within a minute more', async () => {
  const { elapsedMs } = await runScripted({ task: ATTACH, reads: [failure('rate-limited', 42_000), completed] })

  expect(elapsedMs).toBe(74_000)
})

test('after a rate limit the looks give way, and with each answer they come back to their pace', async () => {
  const { clock } = await runScripted({
    task: CREATE,
    create: active,
    reads: [failure('rate-limited'), active, active, active, active, completed],
    inputs: { pollIntervalMs: 2_000 },
  })

  // A sleep of more than a minute is cut for its line in the log.
  expect(clock.sleeps).toEqual([2_000, 33_000, 60_000, 4_000, 32_000, 16_000, 2_000])
})

test('a service that asks for more time than is left ends the step, which names the time', async () => {
  const { report, elapsedMs } = await runScripted({
    task: CREATE,
    create: active,
    reads: [failure('rate-limited', 3_600_000)],
    inputs: { timeoutMs: 60_000 },
  })

  expect(report.error?.message).toContain('2026-01-01 01:00:10 UTC')
  expect(report).toMatchObject({ outcome: 'error', error: { code: 'rate-limited' }, job: { status: 'active' } })
  expect(elapsedMs).toBe(10_000)
})

test('the first look at a job that somebody else created is at once', async () => {
  const { clock } = await runScripted({ task: ATTACH, reads: [completed] })

  expect(clock.sleeps).toEqual([])
})

test('a cancelled run does not look again', async () => {
  const { client } = await runScripted({ task: ATTACH, reads: [active], cancelAtSleep: 0 })

  expect(client.calls).toEqual(['get'])
})
