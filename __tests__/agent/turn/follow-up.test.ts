import { describe, expect, test } from '@jest/globals'
import { isSameEnd } from '../../../src/agent/turn/watch.ts'
import type { DocsServiceClient } from '../../../src/docs-service/client.ts'
import type { Job } from '../../../src/docs-service/schemas.ts'
import { AGENT_USER } from '../../../src/emulator/github/demo-state.ts'
import { combineScenarios, type GitHubScenario } from '../../../src/emulator/github/github-scenarios.ts'
import { moveBranch, pushCommit } from '../../../src/emulator/github/repository-changes.ts'
import type { Commit, RepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { DEFAULT_START_MS } from '../../../src/emulator/embedded-service.ts'
import { DEFAULT_LAG } from '../../../src/emulator/github/state.ts'
import { EMULATOR_KEY } from '../../../src/emulator/http/access.ts'
import { type TurnPlan, UNLISTED_STATUS } from '../../../src/emulator/service/job-machine.ts'
import { type PlayedScript, type ScriptedStep, playScript } from '../../../testing/play-script.ts'
import type { FakeClock } from '../../../testing/fake-clock.ts'
import { FOLLOW_UP } from '../../../testing/report.ts'
import {
  active,
  archived,
  completed,
  failed,
  failure,
  fakeClient,
  job,
  LINK,
  type Script,
  withoutLink,
} from '../../../testing/fake-client.ts'
import { getMarkerComment, readHistory } from '../../../testing/log-rows.ts'
import {
  changeResponse,
  type ObservedRequest,
  playFollowUp,
  type PlayedStep,
  type PlayStepOptions,
} from '../../../testing/play-step.ts'

const READ = 'read job_finished'
const MESSAGE = 'message job_finished'
const COUNTS = 'issues/update-comment'
const BUSY = { status: 'active', prLink: null }
const UNSENT = { error: { code: 'not-sent' } }
const LATE = { outcome: 'timed-out', error: { code: 'deadline' } }
const UNKNOWN = { outcome: 'error', error: { code: 'maybe-sent' } }
const NO_WAIT = { inputs: { wait: false } }
const MINUTE = { inputs: { timeoutMs: 60_000 } }

const otherLink = job({ status: 'completed', prLink: LINK.replace(/7$/, '8') })
const sameInAnotherSpelling = job({
  status: 'completed',
  prLink: 'https://GIT.example.com/acme/docs/pull/7/files?w=1#diff',
})

const failedThere = job({ status: 'failed', prLink: LINK })
const unknownDelivery = failure('maybe-sent')
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Plays a follow-up with the reads of its job before the prompt, the response to the prompt, and the reads after it. */
const follow = (
  message: Script['message'],
  before: readonly (Job | Error)[],
  reads: readonly (Job | Error)[] = [],
  more: Partial<ScriptedStep> = {},
): Promise<PlayedScript> => playScript({ task: FOLLOW_UP, ...(message && { message }), before, reads, ...more })

interface Timed {
  readonly played: PlayedStep
  /** When the prompt was sent, in milliseconds since the first request of the step. */
  readonly sentAfterMs: number | undefined
  /** When the job was read after that, in milliseconds since the prompt. */
  readonly reads: readonly number[]
  /** How long the step took after the prompt, in milliseconds. */
  readonly tookMs: number
}

/** Runs a step that continues the open pull request of its label, and records the times of its requests to the service. */
async function playTimed(given: Record<string, string> = {}, options: Partial<PlayStepOptions> = {}): Promise<Timed> {
  let startedAtMs: number | undefined
  let sentAtMs: number | undefined
  const reads: number[] = []
  const played = await playFollowUp(given, {
    ...options,
    onRequest: (what, request) => {
      const { nowMs } = request
      startedAtMs ??= nowMs
      options.onRequest?.(what, request)
      if (what === MESSAGE) sentAtMs = nowMs
      if (what === READ && sentAtMs !== undefined) reads.push(nowMs - sentAtMs)
    },
  })
  const sentAfterMs = sentAtMs === undefined ? undefined : sentAtMs - (startedAtMs ?? 0)
  return { played, sentAfterMs, reads, tookMs: played.report.durationMs - (sentAfterMs ?? 0) }
}

/** Lets time pass between two steps. */
async function pass(after: PlayedStep, ms: number): Promise<PlayedStep> {
  const { baseClock } = after
  await baseClock.passUntil(baseClock.sleep(ms))
  return after
}

/** Sends another prompt to the job, as a user of the dashboard does. */
function sendElse({ service, nowMs }: ObservedRequest): void {
  service.handle(
    {
      method: 'POST',
      target: '/v2/agent/docs-demo/job/job_finished/message',
      headers: { authorization: `Bearer ${EMULATOR_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'Else.' }),
    },
    nowMs,
  )
}

const OTHER_RUN = { facts: { runId: 43 } }

/** Runs a step that is killed when its prompt has been processed, so that its row says that the agent works. */
async function leaveWorkingRow(): Promise<PlayedStep> {
  let working = ''
  const after = await playFollowUp({}, { onRequest: atFirst(MESSAGE, (at) => (working = getMarkerComment(at))) })
  expect(working).toContain('⏳ working since')
  const comment = after.docs.pulls[1]?.comments[0]
  if (comment !== undefined) comment.body = working
  return after
}

/** Acts at the first request of a kind. */
function atFirst(when: string, act: (request: ObservedRequest) => unknown): NonNullable<PlayStepOptions['onRequest']> {
  let isDone = false
  return (what, request) => {
    if (what === when && !isDone) act(request)
    isDone ||= what === when
  }
}

test('nothing is said of the job before a queued turn has begun', async () => {
  const turns = [{}, { startDelayMs: 90_000 }]
  const { log: lines, report } = await playFollowUp({}, { turns, lagsMs: [0, 2_000] })
  expect(report.outcome).toBe('pull-request')
  const started = lines.indexOf('The agent has started this follow-up.')
  const before = lines.slice(lines.findIndex((line) => line.startsWith('The service accepted')) + 1, started)
  expect(started).toBeGreaterThan(0)
  expect(before).toEqual([expect.stringMatching(/^The agent has not been seen to start this follow-up yet \(checked/)])
  expect(lines.slice(started)).toContain('The job completed.')
})

describe('before the prompt', () => {
  test('nothing is waited for if the job is idle and its last turn ended long ago', async () => {
    const { sentAfterMs, played } = await playTimed()
    expect([sentAfterMs, played.report.outcome]).toEqual([0, 'pull-request'])
  })

  test.each([
    [0, 15_000],
    [10_000, 5_000],
    [16_000, 0],
  ])('if a row of the history ended %i ms ago, the step waits %i ms', async (agoMs, expectedMs) => {
    const { sentAfterMs } = await playTimed({}, { after: await pass(await playFollowUp(), agoMs) })
    // GitHub's times have full seconds.
    expect(Math.abs((sentAfterMs ?? NaN) - expectedMs)).toBeLessThanOrEqual(1_000)
  })

  test('if a row says for an hour that the agent works, the job must be idle for 15 s', async () => {
    const { sentAfterMs } = await playTimed({}, { after: await pass(await leaveWorkingRow(), 3_600_000), ...OTHER_RUN })
    expect(sentAfterMs).toBe(15_000)
  })

  describe('if another run has announced a follow-up less than 120 s ago', () => {
    test.each<[string, Record<string, string>]>([
      ['the label', {}],
      ['`job-id`', { 'on-open-pr': '', 'job-id': 'job_finished' }],
    ])('its turn is waited for before a follow-up to the job of %s', async (_what, given) => {
      const after = await pass(await leaveWorkingRow(), 2_000)
      // The other prompt was queued.
      let reads = 0
      const onRequest: PlayStepOptions['onRequest'] = (what, request) => {
        if (what === READ && ++reads === 15) sendElse(request)
      }
      const { sentAfterMs, played } = await playTimed(given, { after, onRequest, ...OTHER_RUN })
      expect(played.log.join('\n')).toContain('Another step has just sent this job a prompt')
      expect(played.messages).toEqual(['Else.', expect.stringMatching(/^Fix the guide\./)])
      expect(sentAfterMs).toBeGreaterThanOrEqual(20_000 + 15_000)
      expect(played.report).toMatchObject({ outcome: 'pull-request', operation: 'updated' })
    })

    test('a turn that never begins is waited for until then, and the follow-up is counted once', async () => {
      const { sentAfterMs, played } = await playTimed({}, { after: await leaveWorkingRow(), ...OTHER_RUN })
      expect(sentAfterMs).toBeGreaterThanOrEqual(119_000)
      expect(sentAfterMs).toBeLessThanOrEqual(140_000)
      expect(readHistory(played)?.followUps).toBe(2)
    })

    test('nothing is sent if the deadline comes first', async () => {
      const given = { 'timeout-minutes': '1' }
      const { played } = await playTimed(given, { after: await leaveWorkingRow(), ...OTHER_RUN })
      expect(played.report).toMatchObject({ ...UNSENT, ...LATE })
      expect(played.messages).toEqual([])
    })

    test('nothing is waited for with `wait: false` and `job-id`', async () => {
      const given = { 'on-open-pr': '', 'job-id': 'job_finished', wait: 'false' }
      const { sentAfterMs } = await playTimed(given, { after: await leaveWorkingRow(), ...OTHER_RUN })
      expect(sentAfterMs).toBe(0)
    })
  })

  test.each<[string, Record<string, string>, Partial<PlayStepOptions>]>([
    [
      'the pull request has no comment',
      { 'on-open-pr': '', 'job-id': 'job_finished' },
      { github: combineScenarios([]) },
    ],
    [
      'only an outsider has written one',
      { 'on-open-pr': '', 'job-id': 'job_finished' },
      { github: combineScenarios(['marker-by-outsider']) },
    ],
  ])('without a readable history, the job must be idle for 15 s: %s', async (_why, given, options) => {
    const { sentAfterMs, played } = await playTimed(given, options)
    expect([sentAfterMs, played.report.outcome]).toEqual([15_000, 'pull-request'])
  })

  test('without a token, the job must be idle for 15 s', async () => {
    const { clock, client } = await follow(active, [completed], [active, failed])
    expect(sum(clock.sleeps.slice(0, client.calls.indexOf('message') - 2))).toBe(15_000)
  })

  test('a job that was busy when it was chosen must be idle for 15 s', async () => {
    let reads = 0
    const responses = { [READ]: changeResponse(() => (reads++ === 0 ? BUSY : {})) }
    const { sentAfterMs, played } = await playTimed({}, { responses })
    expect([sentAfterMs, played.report.outcome]).toEqual([15_000, 'pull-request'])
  })

  test('the turn of another prompt is waited for, and the job must then be idle for 15 s', async () => {
    const { sentAfterMs, played } = await playTimed({}, { onRequest: atFirst(READ, sendElse) })
    expect(played.messages).toEqual(['Else.', expect.stringMatching(/^Fix the guide\./)])
    expect(played.log.join('\n')).toContain('The job is busy.')
    expect(sentAfterMs).toBeGreaterThanOrEqual(20_000 + 15_000)
    expect(played.report).toMatchObject({ outcome: 'pull-request', operation: 'updated' })
  })

  test('another turn that is seen while the job is watched restarts the 15 s', async () => {
    const after = await pass(await playFollowUp(), 1_000)
    let reads = 0
    const onRequest: PlayStepOptions['onRequest'] = (what, request) => {
      if (what === READ && ++reads === 4) sendElse(request)
    }
    const { sentAfterMs, played } = await playTimed({}, { after, onRequest })
    expect(played.messages).toHaveLength(2)
    expect(sentAfterMs).toBeGreaterThanOrEqual(20_000 + 15_000)
  })

  test('a terminal state that changes while the job is watched restarts the 15 s', async () => {
    const { clock, client } = await follow(active, [completed, completed, failedThere], [active, failed])
    expect(sum(clock.sleeps.slice(0, client.calls.indexOf('message') - 2))).toBe(4_500 + 15_000)
  })

  test('a turn that begins directly before the prompt is waited for, and the follow-up is counted once', async () => {
    const { played, sentAfterMs } = await playTimed({}, { onRequest: atFirst(COUNTS, sendElse) })
    expect(played.messages).toEqual(['Else.', expect.stringMatching(/^Fix the guide\./)])
    expect(sentAfterMs).toBeGreaterThanOrEqual(20_000 + 15_000)
    expect(readHistory(played)?.followUps).toBe(1)
  })

  test.each<[string, (Job | Error)[], Partial<ScriptedStep>, object]>([
    ['could not be read before the deadline', [failure('service-error')], MINUTE, LATE],
    ['is archived', [archived], {}, { outcome: 'archived', job: { status: 'archived' } }],
    ['is archived, with `wait: false`', [archived], NO_WAIT, { outcome: 'archived' }],
    ['is archived while it is busy', [active, archived], {}, { outcome: 'archived' }],
    ['is archived while it is watched', [completed, completed, archived], {}, { outcome: 'archived' }],
    ['stays busy until the deadline', [active], MINUTE, { ...LATE, job: { status: 'active' } }],
    ['cannot be idle for 15 s before the deadline', [completed], { inputs: { timeoutMs: 15_000 } }, LATE],
  ])('a job that %s does not get the prompt, and the step is red', async (_what, before, more, expected) => {
    const { report, client } = await follow(undefined, before, [], more)
    expect(report).toMatchObject({ ...UNSENT, ...expected, sent: undefined })
    expect(client.prompts).toEqual([])
  })

  test('nothing is waited for with `wait: false`, because the end of the turn does not matter', async () => {
    const { report, client, elapsedMs } = await follow(active, [active], [], NO_WAIT)
    expect([report.outcome, client.prompts.length, elapsedMs]).toEqual(['submitted', 1, 0])
  })
})

/** Runs a step on an idle job whose next turn is as given. */
const playTurnOf = (turn: Partial<TurnPlan>, given: Record<string, string> = {}, more: Partial<PlayStepOptions> = {}) =>
  playTimed(given, { turns: [{}, turn], ...more })

describe('a turn has begun', () => {
  test.each([undefined, '60'])(
    'when a read says `active`; the reads are every second for 30 s and then every 3 s (interval: %s)',
    async (interval) => {
      const given = interval === undefined ? {} : { 'poll-interval-seconds': interval }
      const { reads, played } = await playTurnOf({ startDelayMs: 37_500 }, given)
      const every = (count: number, fromMs: number, ms: number) =>
        Array.from({ length: count }, (_, index) => fromMs + index * ms)
      expect(reads.slice(0, 33)).toEqual([...every(30, 1_000, 1_000), ...every(3, 33_000, 3_000)])
      expect(reads[33]).toBeGreaterThan(39_000 + (interval === undefined ? 8_000 : 59_000))
      expect(played.report).toMatchObject({ outcome: 'pull-request', operation: 'updated' })
    },
  )

  test.each<[string, Script['message'], (Job | Error)[]]>([
    ['the response to the prompt, because services echo', active, [completed]],
    ['a response without a status', { ...active, isAssumed: true }, [completed]],
    ['an unknown status in a read', completed, [job({ unlistedStatus: UNLISTED_STATUS }), completed]],
    ['the same pull request in another spelling', active, [sameInAnotherSpelling]],
  ])('not with %s', async (_what, message, reads) => {
    expect((await follow(message, [completed], reads)).report).toMatchObject({
      outcome: 'unconfirmed',
      sent: 'accepted',
    })
  })

  test('not within two minutes: the outcome is `unconfirmed`, and the step is red', async () => {
    const { played, tookMs } = await playTurnOf({ startDelayMs: Infinity })
    expect(played).toMatchObject({ isGreen: false, outputs: { outcome: 'unconfirmed' } })
    expect(tookMs).toBe(120_000)
    const { report, elapsedMs } = await follow(active, [completed], [completed], { inputs: { timeoutMs: 30_000 } })
    expect([report.outcome, elapsedMs]).toEqual(['unconfirmed', 30_000])
  })
})

describe('a turn has ended', () => {
  test('at a terminal read 15 s after the first active one, however short the turn', async () => {
    const { tookMs, reads, played } = await playTurnOf({ durationMs: 5_000 })
    // The first read is after 1 s.
    expect([tookMs, reads.at(-1)]).toEqual([16_000, 16_000])
    expect(played.report).toMatchObject({ outcome: 'pull-request', operation: 'updated' })
  })

  test('at the first terminal read of a longer turn', async () => {
    const { reads, tookMs } = await playTurnOf({ durationMs: 40_000 })
    expect(reads.filter((atMs) => atMs >= 40_000)).toEqual([tookMs])
    expect(tookMs).toBeLessThanOrEqual(50_000)
  })

  test('at once if the terminal state differs from the one before the prompt', async () => {
    const { reads, played } = await playTurnOf({ durationMs: 4_000, ending: 'failed' })
    expect(reads).toEqual([1_000, 11_000])
    expect(played.report.outcome).toBe('failed')
  })

  test('also if it was never seen to run, because its end differs', async () => {
    const { reads, played } = await playTurnOf({ startDelayMs: 300, durationMs: 500, ending: 'failed' })
    expect(reads).toEqual([1_000])
    expect(played.report).toMatchObject({ outcome: 'failed', sent: 'started' })
  })

  test.each<[string, (Job | Error)[], Job[], string]>([
    ['the old end between two active reads', [completed], [active, completed, active, failed], 'failed'],
    ['the old end in another spelling', [completed], [active, sameInAnotherSpelling, active, failed], 'failed'],
    ['the late link of the preceding turn', [withoutLink, completed], [active, withoutLink], 'no-changes'],
    [
      'an end without a link that a later read contradicts',
      [completed],
      [active, ...Array<Job>(4).fill(withoutLink), failed],
      'failed',
    ],
    [
      'a stale end among the reads for a late link',
      [completed],
      [active, ...Array<Job>(4).fill(withoutLink), active, ...Array<Job>(9).fill(withoutLink)],
      'no-changes',
    ],
  ])('not with %s', async (_what, before, reads, outcome) => {
    expect((await follow(active, before, reads)).report).toMatchObject({ outcome, sent: 'started' })
  })

  test('never with a stale read: replicas that lag up to 15 s change nothing', async () => {
    const lagsMs = [0, 15_000, 3_000, 0, 15_000]
    const { tookMs, played } = await playTurnOf({ startDelayMs: 8_000, durationMs: 30_000 }, {}, { lagsMs })
    expect(tookMs).toBeGreaterThanOrEqual(38_000)
    expect(played.report).toMatchObject({ outcome: 'pull-request', operation: 'updated' })
  })

  test.each<[string, (Job | Error)[], Partial<ScriptedStep>, object]>([
    ['it does not end', [active], MINUTE, { outcome: 'timed-out', sent: 'started' }],
    ['it is cancelled', [completed], { cancelAtSleep: 6 }, { outcome: 'cancelled', sent: 'accepted' }],
    ['a read is refused', [failure('unauthorized')], {}, { outcome: 'error', sent: 'accepted' }],
    ['a read is refused later', [active, failure('unauthorized')], {}, { outcome: 'error', sent: 'started' }],
  ])('the report shows how far the prompt came if %s', async (_when, reads, more, known) => {
    expect((await follow(completed, [completed], reads, more)).report).toMatchObject(known)
  })
})

describe('what a turn did to the pull request', () => {
  const byPerson = { after: 'follow-up', delayMs: 8_000, act: 'person-commits' } as const
  const byAgent = { startDelayMs: 0, durationMs: 30_000 }
  const pushing = { ...byAgent, ending: 'no-changes' } as const
  const on = (more: Partial<GitHubScenario>) => ({ github: { ...combineScenarios(['open-pull-request']), ...more } })
  const notices = ({ hostCalls }: PlayedStep): string =>
    hostCalls.filter((line) => line.startsWith('notice: ')).join('\n')

  test('`updated` if the agent has added a commit, also beside commits of others', async () => {
    const { played } = await playTurnOf(byAgent, {}, on({ events: [byPerson] }))
    expect(played.report).toMatchObject({ outcome: 'pull-request', operation: 'updated' })
    expect(played.outputs).toMatchObject({ changed: 'true' })
  })

  test('`unchanged` if nobody has added a commit, which is read again after 5 s', async () => {
    const { played, tookMs, reads } = await playTurnOf({ ...byAgent, pushesMs: [] })
    expect(played.report).toMatchObject({ outcome: 'no-changes', operation: 'unchanged' })
    expect(played.outputs).toMatchObject({ changed: 'false' })
    expect(tookMs - (reads.at(-1) ?? NaN)).toBe(5_000)
  })

  test('`unchanged` if only others have added commits, and names them', async () => {
    const { played } = await playTurnOf({ ...byAgent, pushesMs: [] }, {}, on({ events: [byPerson] }))
    expect(played.report).toMatchObject({ outcome: 'no-changes', operation: 'unchanged' })
    expect(notices(played)).toContain('received 1 commit by others and none by the agent: 1 by mona.')
  })

  test('names five of the others who have added commits, and counts the rest', async () => {
    const people = ['ann', 'bea', 'bob', 'cid', 'dan', 'dora', 'lisa']
    const onRequest = atFirst(MESSAGE, ({ docs, nowMs }) => {
      for (const author of people) pushCommit(docs, 'agent/job_finished', { message: 'Fix', author, files: [] }, nowMs)
    })
    const { played } = await playTurnOf({ ...byAgent, pushesMs: [] }, {}, { onRequest })
    expect(notices(played)).toContain('received 7 commits by others and none by the agent: ')
    expect(notices(played)).toMatch(/: (?:1 by \w+, ){5}2 by others\.$/m)
  })

  test('`updated` if GitHub shows the new head 4 s late', async () => {
    const lag = { ...DEFAULT_LAG, headMs: 4_000 }
    const { played, tookMs, reads } = await playTurnOf({ ...byAgent, durationMs: 30_000 }, {}, on({ lag }))
    expect(played.report).toMatchObject({ outcome: 'pull-request', operation: 'updated' })
    expect(tookMs - (reads.at(-1) ?? NaN)).toBeLessThanOrEqual(5_000)
  })

  test('commits that were pushed before the prompt do not count', async () => {
    const push = { message: 'Late work', author: AGENT_USER, files: [] }
    const onRequest = atFirst(COUNTS, ({ docs, nowMs }) => pushCommit(docs, 'agent/job_finished', push, nowMs))
    const { played } = await playTurnOf({ ...byAgent, pushesMs: [] }, {}, { onRequest })
    expect(played.report.operation).toBe('unchanged')
  })

  test('counts a push by the agent that overwrites a commit by a person', async () => {
    const { played } = await playTurnOf(byAgent, {}, on({ events: [byPerson], agentPush: 'forced' }))
    expect(played.report).toMatchObject({ outcome: 'pull-request', operation: 'updated' })
  })

  const BRANCH = 'agent/job_finished'
  type Rewrite = (docs: RepositoryState, old: Commit, nowMs: number) => Partial<Parameters<typeof pushCommit>[2]>

  /** Replaces the commits of the pull request during the turn, in which the agent adds none. */
  async function playRewrite(rewrite: Rewrite): Promise<PlayedStep> {
    const onRequest = atFirst(MESSAGE, ({ docs, nowMs }) => {
      const old = docs.commits.find(({ sha }) => sha === docs.branches[BRANCH])
      if (old === undefined) throw new Error('The branch has no commit.')
      pushCommit(docs, BRANCH, { ...old, ...rewrite(docs, old, nowMs) }, old.atMs)
    })
    return (await playTurnOf({ ...byAgent, pushesMs: [] }, {}, { onRequest })).played
  }

  const rebase =
    (committer: string): Rewrite =>
    (docs, _old, nowMs) => ({
      parents: [pushCommit(docs, 'main', { message: 'Other', author: 'mona', files: [] }, nowMs).sha],
      committer,
    })

  test.each<[string, Rewrite]>([
    ['amended its commit and kept the message', () => ({ files: [{ filename: 'docs/index.md', patch: '' }] })],
    ['rebased the branch', rebase(AGENT_USER)],
  ])('`updated` if the agent has %s', async (_what, rewrite) => {
    const { report, outputs } = await playRewrite(rewrite)
    expect([report.outcome, report.operation, outputs['changed']]).toEqual(['pull-request', 'updated', 'true'])
  })

  test('`unchanged` if somebody else has rebased the branch, and names the committer', async () => {
    const played = await playRewrite(rebase('mona'))
    expect(played.report).toMatchObject({ outcome: 'no-changes', operation: 'unchanged' })
    expect(played.outputs['changed']).toBe('false')
    expect(notices(played)).toContain('received 1 commit by others and none by the agent: 1 by mona.')
  })

  test('not known if a forced push has removed a commit', async () => {
    let kept = ''
    const prepare = (docs: RepositoryState): void => {
      kept = docs.branches[BRANCH] ?? ''
      pushCommit(docs, BRANCH, { message: 'Second', author: AGENT_USER, files: [] }, DEFAULT_START_MS)
    }
    const onRequest = atFirst(MESSAGE, ({ docs, nowMs }) => {
      moveBranch(docs, BRANCH, kept, { by: AGENT_USER, atMs: nowMs })
    })
    const { played } = await playTurnOf({ ...byAgent, pushesMs: [] }, {}, { prepare, onRequest })
    expect(played.report).toMatchObject({ outcome: 'pull-request', operation: undefined })
    expect(played.outputs['changed']).toBe('')
    expect(played.report.warnings.map(({ error }) => error.message)).toEqual([
      'Pull request #1 has another head commit, but no new commit.',
    ])
  })

  test.each<['merge' | 'close', string]>([
    ['merge', 'merged'],
    ['close', 'closed'],
  ])('red if somebody uses `%s` while the agent works', async (act, state) => {
    const { played } = await playTurnOf(byAgent, {}, on({ events: [{ after: 'follow-up', delayMs: 8_000, act }] }))
    expect(played).toMatchObject({ isGreen: false, report: { error: { code: 'merged-too-early' } } })
    expect(played.report.error?.message).toContain(`was ${state} while the agent was working on it`)
    expect(played.report.error?.hint).toContain('Look at its branch')
  })

  test('`created` if the job names another pull request', async () => {
    const { report } = await follow(active, [completed], [active, active, otherLink])
    expect(report).toMatchObject({ outcome: 'pull-request', operation: 'created' })
  })

  test.each<[string, readonly Job[], object]>([
    ['`created`', Array<Job>(20).fill(withoutLink), { operation: 'created' }],
    ['unknown', [withoutLink, ...Array<Job>(20).fill(completed)], { operation: undefined }],
  ])('%s if the job had no pull request, unless its link was late', async (_what, before, effect) => {
    const { report } = await follow(active, before, [active, active, completed])
    expect(report).toMatchObject({ outcome: 'pull-request', ...effect })
  })

  test('no changes if the job no longer names a pull request', async () => {
    const { played } = await playTurnOf(pushing)
    expect(played.report.outcome).toBe('no-changes')
  })
})

describe('a prompt with unknown delivery', () => {
  test.each<[string, (Job | Error)[], (Job | Error)[], Partial<ScriptedStep>, object]>([
    ['was accepted if its turn is seen', [completed], [completed, active, otherLink], {}, { outcome: 'pull-request' }],
    ['stays unknown with `wait: false`, because an earlier turn may be seen', [completed], [active], NO_WAIT, UNKNOWN],
    ['stays unknown if no turn is seen', [completed], [completed], {}, UNKNOWN],
    ['stays unknown if the job cannot be read', [completed], [failure('unauthorized')], {}, UNKNOWN],
    ['stays unknown if the job was busy before', [active], [active], NO_WAIT, UNKNOWN],
  ])('%s, and is not resent', async (_what, before, reads, more, expected) => {
    const { report, client } = await follow(unknownDelivery, before, reads, more)
    expect(report).toMatchObject(expected)
    expect(report.error).toEqual(expected === UNKNOWN ? unknownDelivery : undefined)
    expect(client.prompts).toHaveLength(1)
  })

  test('counts as accepted if the run is cancelled after its turn was seen', async () => {
    const { report } = await follow(unknownDelivery, [completed], [completed, active], { cancelAtSleep: 9 })
    expect(report).toMatchObject({ outcome: 'cancelled', sent: 'started', job: active })
  })
})

test('a prompt that the service rejects fails the step at once', async () => {
  const { report, client } = await follow(failure('rejected'), [completed])
  expect(report).toMatchObject({ outcome: 'error', error: { code: 'rejected' } })
  expect(client.prompts).toHaveLength(1)
})

describe('a prompt that the service has refused without processing it', () => {
  test('is resent to an idle job after the time that the service asks for', async () => {
    const sentAt: number[] = []
    const createClient = (clock: FakeClock): DocsServiceClient => {
      const client = fakeClient({ before: [completed], message: active })
      const limited = { kind: 'retry', afterMs: 90_000, error: failure('rate-limited') } as const
      return {
        ...client,
        sendMessage: (...sent) => {
          sentAt.push(clock.now())
          return sentAt.length === 1 ? Promise.resolve(limited) : client.sendMessage(...sent)
        },
      }
    }
    const { report } = await playScript({ task: FOLLOW_UP, createClient, ...NO_WAIT })
    expect([report.sent, sentAt.length]).toEqual(['accepted', 2])
    expect((sentAt[1] ?? 0) - (sentAt[0] ?? 0)).toBeGreaterThanOrEqual(90_000)
  })

  test.each<[string, Job[], Partial<ScriptedStep>]>([
    ['is archived while it is busy', [active, archived], NO_WAIT],
    ['is archived', [...Array<Job>(7).fill(completed), archived], {}],
  ])('is not resent to a job that %s', async (_what, before, more) => {
    const { report, client } = await follow(active, before, [], { isPutOff: true, ...more })
    expect(report).toMatchObject({ outcome: 'archived', ...UNSENT })
    expect(report.sent ?? 'no').toBe('no')
    expect(client.prompts).toEqual([])
  })

  test('counts as not sent if the run is cancelled while the step waits for the turn of another prompt', async () => {
    const before = [...Array<Job>(7).fill(completed), active]
    const { report, client } = await follow(active, before, [], { isPutOff: true, cancelAtSleep: 8 })
    expect(report).toMatchObject({ outcome: 'cancelled', sent: 'no' })
    expect(client.prompts).toEqual([])
  })
})

test.each([
  ['the same', completed, completed, true],
  ['another spelling', completed, sameInAnotherSpelling, true],
  ['another pull request', completed, otherLink, false],
  ['another status', withoutLink, failed, false],
  ['a first link', withoutLink, completed, false],
  ['no link either time', withoutLink, withoutLink, true],
])('compares the ends that two reads show: %s', (_name, a, b, expected) => {
  expect([isSameEnd(a, b), isSameEnd(b, a)]).toEqual([expected, expected])
})
