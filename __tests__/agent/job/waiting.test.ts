import { describe, expect, test } from '@jest/globals'
import { awaitReady } from '../../../src/agent/job/await-ready.ts'
import { JobWatch } from '../../../src/agent/job/job-watch.ts'
import {
  nextPollMs,
  nextSettlePollMs,
  nextTurnPollMs,
  type PollState,
  SETTLE_MS,
} from '../../../src/agent/job/poll-schedule.ts'
import { Journal } from '../../../src/agent/report/journal.ts'
import { toOutputs } from '../../../src/agent/report/outputs.ts'
import { Course } from '../../../src/agent/report/turns.ts'
import type { PullRequest } from '../../../src/github/pull-requests.ts'
import { type AgentRun, type AgentRunOptions, ATTACH, CREATE, FOLLOW_UP, runScripted } from '../../support/agent-run.ts'
import {
  active,
  archived,
  completed,
  failed,
  failure,
  fakeClient,
  job,
  LINK,
  withoutLink,
} from '../../support/fake-client.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { fakeGitHub, inTurn, PULL_REQUEST, pullCommits, RUN_FACTS } from '../../support/fake-github.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'
import { commit } from '../../support/github-state.ts'

const ADAPTIVE = undefined
const state = (fields: Partial<PollState>): PollState => ({
  elapsedMs: 0,
  reads: 1,
  waitMs: 0,
  giveWayMs: 0,
  random: 0.5,
  ...fields,
})

test('reads for the first time after ten seconds', () => {
  expect(nextPollMs(ADAPTIVE, state({ reads: 0 }))).toBe(10_000)
})

test.each([
  [10_000, 5_000],
  [62_500, 5_000],
  [100_000, 8_000],
  [125_000, 10_000],
  [3_600_000, 10_000],
])('after %d ms waits eight percent of that, within five and ten seconds', (elapsedMs, expected) => {
  expect(nextPollMs(ADAPTIVE, state({ elapsedMs }))).toBe(expected)
})

test('spreads reads by ten percent either way, so that a matrix of jobs does not ask in step', () => {
  expect(nextPollMs(ADAPTIVE, state({ elapsedMs: 1e6, random: 0 }))).toBe(9_000)
  expect(nextPollMs(ADAPTIVE, state({ elapsedMs: 1e6, random: 1 }))).toBe(11_000)
})

test.each([ADAPTIVE, 2_000])(
  'takes what the service asks for, and the way that is given, as floors of %j',
  (fixedMs) => {
    expect(nextPollMs(fixedMs, state({ waitMs: 30_000 }))).toBe(30_000)
    expect(nextPollMs(fixedMs, state({ giveWayMs: 40_000 }))).toBe(40_000)
    expect(nextPollMs(fixedMs, state({}))).toBe(fixedMs ?? 5_000)
  },
)

test('the turn of a follow-up waits for the service, and gives way to nobody', () => {
  expect(nextTurnPollMs(ADAPTIVE, state({ waitMs: 30_000, giveWayMs: 40_000 }))).toBe(30_000)
})

test('keeps a fixed interval as it was given', () => {
  expect(nextPollMs(100, state({ reads: 0, random: 1 }))).toBe(100)
  expect(nextPollMs(300_000, state({ elapsedMs: 1e6, waitMs: 2_000 }))).toBe(300_000)
})

test('reads for the turn of a follow-up every two to five seconds', () => {
  const delays = [0, 1, 2, 3, 4, 50].map((reads) => nextTurnPollMs(ADAPTIVE, state({ reads })))
  expect(delays).toEqual([2_000, 2_500, 3_125, 3_906.25, 4_882.8125, 5_000])
})

test('a fixed interval may make these reads more frequent, not rarer', () => {
  expect(nextTurnPollMs(100, state({ reads: 0 }))).toBe(100)
  expect(nextTurnPollMs(300_000, state({ reads: 9 }))).toBe(5_000)
})

test('the reads for what may lag fill its time, which is ten seconds', () => {
  const delays = [0, 1, 2, 3].map(nextSettlePollMs)
  expect(delays.reduce((sum, delay) => sum + delay)).toBe(SETTLE_MS)
  expect(SETTLE_MS).toBe(10_000)
})

describe('poll job', () => {
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
})

describe('wait for job', () => {
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
    const { report } = await runScripted({
      task: CREATE,
      create: active,
      reads: [withoutLink, failure('service-error')],
    })

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
})

/** Follows up on a busy job. GitHub shows one head after the other, and the agent has made all of them. */
function followUpBusy(heads: string, more: Partial<AgentRunOptions> = {}): Promise<AgentRun> {
  const shown = Array.from(heads, (digit): PullRequest => ({ ...PULL_REQUEST, headSha: commit(digit) }))
  const github = fakeGitHub({
    readPullRequest: inTurn(...shown),
    listPullRequestCommits: inTurn(pullCommits(...Array.from('abcd', (digit) => ({ sha: commit(digit) })))),
  })
  const reads = [active, completed, completed, active, completed]
  const facts = { serverUrl: 'https://git.example.com' }
  return runScripted({ task: FOLLOW_UP, message: active, reads, facts, inputs: { label: '' }, github, ...more })
}

test('what the turn before has pushed late is not taken for the work of this one', async () => {
  // The last push of the turn before can be read 10 s after its end, and this turn adds nothing.
  const { report } = await followUpBusy('aabbbbbbbb')
  expect(toOutputs(report)).toMatchObject({ outcome: 'no-changes', changed: 'false', 'pr-operation': 'unchanged' })
})

test.each([
  ['a head that stands', 'aaaab', 15_000],
  ['a head that moves once', 'abbbbc', 20_000],
  ['a head with old copies in between', 'abaaabc', 25_000],
])('%s is waited for until it has stood for 15 s of reads', async (_name, heads, waitedMs) => {
  const { report, client, clock } = await followUpBusy(heads)
  const [untilEnd = 0, ...others] = clock.sleeps
  expect(untilEnd).toBe(10_000)
  const standing = others.slice(0, waitedMs / 5_000)
  expect(standing).toEqual(Array(waitedMs / 5_000).fill(5_000))
  expect(client.calls.slice(0, 4)).toEqual(['get', 'get', 'get', 'message'])
  expect(report.operation).toBe('updated')
})

test('a head that cannot stand before the deadline is not known', async () => {
  const inputs = { timeoutMs: 24_000, label: '' }
  const { report, client } = await followUpBusy('ab', { inputs, reads: [active, completed, active] })
  expect(client.calls).toContain('message')
  expect(report.operation).toBeUndefined()
})

test('a job that gets another prompt while the head has to stand is waited for again', async () => {
  const reads = [active, completed, active, completed, completed, active, completed]
  const { report, client } = await followUpBusy('aaaabbbbc', { reads })
  expect(client.calls.indexOf('message')).toBe(5)
  expect(report.operation).toBe('updated')
})

test('a job that is archived meanwhile is sent nothing', async () => {
  const { report, client } = await followUpBusy('a', { reads: [active, completed, archived] })
  expect(report).toMatchObject({ outcome: 'archived', error: { code: 'not-sent' } })
  expect(client.calls).not.toContain('message')
})

test('another end that came meanwhile has a head of its own, which has to stand as well', async () => {
  const failedThere = job({ status: 'failed', prLink: LINK })
  const reads = [active, completed, failedThere, failedThere, active, completed]
  const { clock, client } = await followUpBusy('aaaabbbb', { reads })
  expect(clock.sleeps.slice(1, 7)).toEqual(Array(6).fill(5_000))
  expect(client.calls.indexOf('message')).toBe(4)
})

test('a turn whose link has only come has only ended', async () => {
  const inputs = agentInputs({ githubToken: 'ghs_token' })
  const clock = fakeClock()
  const step = fakeStep({
    clock,
    client: fakeClient({ reads: [completed] }),
    github: fakeGitHub(),
    context: { ...RUN_FACTS, serverUrl: 'https://git.example.com' },
  })
  const watch = new JobWatch(inputs, step, new Journal(inputs, step), new Course(inputs.task))
  const { before, head } = await awaitReady(withoutLink, true, inputs, step, watch)
  expect([before, head]).toEqual([completed, PULL_REQUEST])
  expect(clock.passed()).toBeGreaterThanOrEqual(15_000)
})
