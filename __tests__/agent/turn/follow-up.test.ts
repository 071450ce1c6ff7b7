import { describe, expect, test } from '@jest/globals'
import { isSameEnd } from '../../../src/agent/turn/watch.ts'
import { AGENT_USER } from '../../../src/emulator/github/demo-state.ts'
import { combineScenarios, type GitHubScenario } from '../../../src/emulator/github/github-scenarios.ts'
import { moveBranch, pushCommit } from '../../../src/emulator/github/repository-changes.ts'
import type { Commit, RepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { DEFAULT_START_MS } from '../../../src/emulator/embedded-service.ts'
import { DEFAULT_LAG } from '../../../src/emulator/github/state.ts'
import type { TurnPlan } from '../../../src/emulator/service/job-machine.ts'
import { completed, failed, job, LINK, withoutLink } from '../../../testing/jobs.ts'
import { getMarkerComment, readHistory } from '../../../testing/log-rows.ts'
import {
  changeResponse,
  playFollowUp,
  type PlayedStep,
  type PlayStepOptions,
  type Responder,
  respondInOrder,
  respondWith,
  sendElse,
  atRequest,
} from '../../../testing/play-step.ts'

const READ = 'read job_finished'
const MESSAGE = 'message job_finished'
const COUNTS = 'issues/update-comment'
const BUSY = { status: 'active', prLink: null }
const UNSENT = { error: { code: 'not-sent' } }
const LATE = { outcome: 'timed-out', error: { code: 'deadline' } }
const NO_WAIT = { wait: 'false' }
const MINUTE = { 'timeout-minutes': '1' }
const NEVER = { startDelayMs: Infinity }

/** A job that `job-id` names, in a step without a token. */
const toJob = (jobId: string) => ({ 'on-open-pr': '', label: '', 'github-token': '', 'job-id': jobId })
const [FINISHED, RUNNING] = [toJob('job_finished'), toJob('job_running')]

const otherLink = job({ status: 'completed', prLink: LINK.replace(/7$/, '8') })
const sameInAnotherSpelling = job({
  status: 'completed',
  prLink: 'https://GIT.example.com/acme/docs/pull/7/files?w=1#diff',
})

interface Timed {
  readonly played: PlayedStep
  /** When the prompt was sent, in milliseconds since the start of the step. */
  readonly sentAfterMs: number | undefined
  /** How often the prompt was sent. */
  readonly sent: number
  /** When the job was read after that, in milliseconds since the prompt. */
  readonly reads: readonly number[]
  /** How long the step took after the prompt, in milliseconds. */
  readonly tookMs: number
}

/** Runs a step that by default continues the open pull request of its label. */
async function playTimed(given: Record<string, string> = {}, options: Partial<PlayStepOptions> = {}): Promise<Timed> {
  const played = await playFollowUp(given, options)
  const { allRequests: requests, report } = played
  const sent = requests.filter(({ what }) => what.startsWith('message '))
  const sentAfterMs = sent[0]?.atMs
  const after = requests.slice(sent[0] === undefined ? Infinity : requests.indexOf(sent[0]))
  const reads = after.filter(({ what }) => what.startsWith('read ')).map(({ atMs }) => atMs - (sentAfterMs ?? 0))
  return { played, sentAfterMs, sent: sent.length, reads, tookMs: report.durationMs - (sentAfterMs ?? 0) }
}

/** Lets time pass between two steps. */
async function pass(after: PlayedStep, ms: number): Promise<PlayedStep> {
  const { baseClock } = after
  await baseClock.passUntil(baseClock.sleep(ms))
  return after
}

const OTHER_RUN = { facts: { runId: 43 } }

/** Runs a step that is killed when its prompt has been processed, so that its row says that the agent works. */
async function leaveWorkingRow(): Promise<PlayedStep> {
  let working = ''
  const after = await playFollowUp(
    {},
    { onRequest: atRequest(MESSAGE, (request) => (working = getMarkerComment(request))) },
  )
  expect(working).toContain('⏳ working since')
  const comment = after.docs.pulls[1]?.comments[0]
  if (comment !== undefined) comment.body = working
  return after
}

/** The turn of another client's prompt, which no read shows running. */
const shortTurn = (ending: TurnPlan['ending']) => ({ startDelayMs: 100, durationMs: 500, ending })

/** Replaces the responses to the reads after the prompt, in order. */
function afterPrompt(...responses: readonly Responder[]): Record<string, Responder> {
  const next = respondInOrder(...responses)
  return {
    [READ]: (request) => (request.service.requests.some(({ prompt }) => prompt) ? next(request) : request.respond()),
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
      const { sentAfterMs, played } = await playTimed(given, {
        after,
        onRequest: atRequest(READ, sendElse, 15),
        ...OTHER_RUN,
      })
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
    ['there is no token', FINISHED, {}],
  ])('without a readable history, the job must be idle for 15 s: %s', async (_why, given, options) => {
    const { sentAfterMs, played } = await playTimed(given, options)
    expect([sentAfterMs, played.report.outcome]).toEqual([15_000, 'pull-request'])
  })

  test('a job that was busy when it was chosen must be idle for 15 s', async () => {
    let reads = 0
    const responses = { [READ]: changeResponse(() => (reads++ === 0 ? BUSY : {})) }
    const { sentAfterMs, played } = await playTimed({}, { responses })
    expect([sentAfterMs, played.report.outcome]).toEqual([15_000, 'pull-request'])
  })

  test('the turn of another prompt is waited for, and the job must then be idle for 15 s', async () => {
    const { sentAfterMs, played } = await playTimed({}, { onRequest: atRequest(READ, sendElse) })
    expect(played.messages).toEqual(['Else.', expect.stringMatching(/^Fix the guide\./)])
    expect(played.log.join('\n')).toContain('The job is busy.')
    expect(sentAfterMs).toBeGreaterThanOrEqual(20_000 + 15_000)
    expect(played.report).toMatchObject({ outcome: 'pull-request', operation: 'updated' })
  })

  test('another turn that is seen while the job is watched restarts the 15 s', async () => {
    const after = await pass(await playFollowUp(), 1_000)
    const { sentAfterMs, played } = await playTimed({}, { after, onRequest: atRequest(READ, sendElse, 4) })
    expect(played.messages).toHaveLength(2)
    expect(sentAfterMs).toBeGreaterThanOrEqual(20_000 + 15_000)
  })

  test('a terminal state that changes while the job is watched restarts the 15 s', async () => {
    const turns = [{}, shortTurn('failed'), {}]
    const { sentAfterMs } = await playTimed(FINISHED, { turns, onRequest: atRequest(READ, sendElse, 2) })
    expect(sentAfterMs).toBe(4_500 + 15_000)
  })

  test('a turn that begins directly before the prompt is waited for, and the follow-up is counted once', async () => {
    const { played, sentAfterMs } = await playTimed({}, { onRequest: atRequest(COUNTS, sendElse) })
    expect(played.messages).toEqual(['Else.', expect.stringMatching(/^Fix the guide\./)])
    expect(sentAfterMs).toBeGreaterThanOrEqual(20_000 + 15_000)
    expect(readHistory(played)?.followUps).toBe(1)
  })

  test.each<[string, Record<string, string>, Partial<PlayStepOptions>, object]>([
    [
      'could not be read before the deadline',
      { ...FINISHED, ...MINUTE },
      { responses: { [READ]: respondWith(503) } },
      LATE,
    ],
    ['is archived', toJob('job_archived'), {}, { outcome: 'archived', job: { status: 'archived' } }],
    ['is archived, with `wait: false`', { ...toJob('job_archived'), ...NO_WAIT }, {}, { outcome: 'archived' }],
    ['is archived while it is busy', RUNNING, { scenario: 'archived' }, { outcome: 'archived' }],
    [
      'is archived while it is watched',
      FINISHED,
      { turns: [{}, shortTurn('archived')], onRequest: atRequest(READ, sendElse, 2) },
      { outcome: 'archived' },
    ],
    [
      'stays busy until the deadline',
      { ...RUNNING, ...MINUTE },
      { scenario: 'slow' },
      { ...LATE, job: { status: 'active' } },
    ],
    ['cannot be idle for 15 s before the deadline', { ...FINISHED, 'timeout-minutes': '0.25' }, {}, LATE],
  ])('a job that %s does not get the prompt, and the step is red', async (_what, given, options, expected) => {
    const { played, sent } = await playTimed(given, options)
    expect(played).toMatchObject({ isGreen: false, report: { ...UNSENT, ...expected, sent: undefined } })
    expect(sent).toBe(0)
  })

  test('nothing is waited for with `wait: false`, because the end of the turn does not matter', async () => {
    const { played, sentAfterMs, sent } = await playTimed({ ...RUNNING, ...NO_WAIT })
    expect([played.report.outcome, played.report.durationMs, sentAfterMs, sent]).toEqual(['submitted', 0, 0, 1])
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

  test.each<[string, Partial<TurnPlan>, Record<string, Responder>]>([
    ['the response to the prompt, because services echo', NEVER, { [MESSAGE]: changeResponse(() => BUSY) }],
    ['a response without a status', NEVER, { [MESSAGE]: changeResponse(() => ({ status: undefined })) }],
    ['an unknown status in a read', { durationMs: 5_000, unlistedWhile: { fromMs: 0, toMs: 5_000 } }, {}],
    [
      'the same pull request in another spelling',
      NEVER,
      afterPrompt(changeResponse(() => ({ prLink: 'https://GIT.example.com/acme/docs/pull/1/files?w=1#diff' }))),
    ],
  ])('not with %s', async (_what, turn, responses) => {
    expect((await playTurnOf(turn, {}, { responses })).played.report).toMatchObject({
      outcome: 'unconfirmed',
      sent: 'accepted',
    })
  })

  test('not within two minutes: the outcome is `unconfirmed`, and the step is red', async () => {
    const { played, tookMs } = await playTurnOf(NEVER)
    expect(played).toMatchObject({ isGreen: false, outputs: { outcome: 'unconfirmed' } })
    expect(tookMs).toBe(120_000)
    const short = await playTurnOf(NEVER, { 'timeout-minutes': '0.5' })
    expect([short.played.report.outcome, short.tookMs]).toEqual(['unconfirmed', 30_000])
  })
})

describe('a turn has ended', () => {
  test.each([{}, { 'poll-interval-seconds': '12' }])(
    'at a terminal read 15 s after the first active one, however short the turn: %j',
    async (given) => {
      const { tookMs, reads, played } = await playTurnOf({ durationMs: 5_000 }, given)
      // The first read is after 1 s.
      expect([tookMs, reads.at(-1)]).toEqual([16_000, 16_000])
      expect(played.report).toMatchObject({ outcome: 'pull-request', operation: 'updated' })
    },
  )

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

  test('not with an end without a link that a later read contradicts', async () => {
    let readsOfEnd = 0
    const onRequest: PlayStepOptions['onRequest'] = (_what, { service, nowMs }) => {
      const own = [...service.listJobs()].find(({ id }) => id === 'job_running')?.turns[1]
      if (nowMs > (own?.endsAtMs ?? Infinity) && ++readsOfEnd === 2) sendElse({ service, nowMs }, 'job_running')
    }
    const turns = [{ ending: 'no-changes' }, { ending: 'no-changes' }, { ending: 'failed' }] as const
    const { played } = await playTimed(RUNNING, { turns, onRequest })
    expect(played.messages).toEqual([expect.any(String), 'Else.'])
    expect(played.report).toMatchObject({ outcome: 'failed', sent: 'started' })
  })

  test('never with a stale read: replicas that lag up to 15 s change nothing', async () => {
    const lagsMs = [0, 15_000, 3_000, 0, 15_000]
    const { tookMs, played } = await playTurnOf({ startDelayMs: 8_000, durationMs: 30_000 }, {}, { lagsMs })
    expect(tookMs).toBeGreaterThanOrEqual(38_000)
    expect(played.report).toMatchObject({ outcome: 'pull-request', operation: 'updated' })
  })

  test.each<[string, Partial<TurnPlan>, Partial<PlayStepOptions>, object]>([
    ['it does not end', { durationMs: Infinity }, {}, { outcome: 'timed-out', sent: 'started' }],
    ['it is cancelled', NEVER, { cancelAfterMs: 10_000 }, { outcome: 'cancelled', sent: 'accepted' }],
    ['a read is refused', {}, { responses: afterPrompt(respondWith(401)) }, { outcome: 'error', sent: 'accepted' }],
    [
      'a read is refused later',
      { durationMs: Infinity },
      { responses: afterPrompt((request) => request.respond(), respondWith(401)) },
      { outcome: 'error', sent: 'started' },
    ],
  ])('the report shows how far the prompt came if %s', async (_when, turn, options, known) => {
    expect((await playTurnOf(turn, MINUTE, options)).played.report).toMatchObject(known)
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
    const onRequest = atRequest(MESSAGE, ({ docs, nowMs }) => {
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
    const onRequest = atRequest(COUNTS, ({ docs, nowMs }) => pushCommit(docs, 'agent/job_finished', push, nowMs))
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
    const onRequest = atRequest(MESSAGE, ({ docs, nowMs }) => {
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
    const onRequest = atRequest(MESSAGE, ({ docs, nowMs }) => {
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
    const other = changeResponse(({ prLink }: { prLink: string | null }) => ({
      prLink: prLink?.replace(/1$/, '2') ?? null,
    }))
    const { played } = await playTimed(FINISHED, { responses: afterPrompt(other) })
    expect(played.report).toMatchObject({ outcome: 'pull-request', operation: 'created' })
  })

  test.each<[string, Partial<TurnPlan>, object]>([
    ['`created`', { ending: 'no-changes' }, { operation: 'created' }],
    ['unknown', { linkDelayMs: 3_000 }, { operation: undefined }],
  ])('%s if the job had no pull request, unless its link was late', async (_what, before, effect) => {
    const { played } = await playTimed(RUNNING, { turns: [before, {}] })
    expect(played.report).toMatchObject({ outcome: 'pull-request', ...effect })
  })

  test('no changes if the job no longer names a pull request', async () => {
    const { played } = await playTurnOf(pushing)
    expect(played.report.outcome).toBe('no-changes')
  })
})

describe('a prompt with unknown delivery', () => {
  const play = (given: Record<string, string>, turn: Partial<TurnPlan>, options: Partial<PlayStepOptions> = {}) =>
    playTimed(given, { scenario: 'lost-answer', turns: [{}, turn], ...options })

  test.each<[string, Record<string, string>, Partial<TurnPlan>, Partial<PlayStepOptions>]>([
    ['with `wait: false`, because an earlier turn may be seen', { ...FINISHED, ...NO_WAIT }, {}, {}],
    ['if no turn is seen', FINISHED, NEVER, {}],
    ['if the job cannot be read', FINISHED, {}, { responses: afterPrompt(respondWith(401)) }],
    ['if the job was busy before', { ...RUNNING, ...NO_WAIT }, {}, {}],
  ])('stays unknown %s, and is not resent', async (_what, given, turn, options) => {
    const { played, sent } = await play(given, turn, options)
    expect([played.report.outcome, played.report.error?.code, sent]).toEqual(['error', 'maybe-sent', 1])
  })

  test('counts as accepted if the run is cancelled after its turn was seen', async () => {
    const { played, sent } = await play(FINISHED, { startDelayMs: 3_000 }, { cancelAfterMs: 20_000 })
    expect(played.report).toMatchObject({ outcome: 'cancelled', sent: 'started', job: { status: 'active' } })
    expect(sent).toBe(1)
  })
})

test('a prompt that the service rejects fails the step at once', async () => {
  const { played, sent, tookMs } = await playTimed({}, { scenario: 'rejected' })
  expect(played.report).toMatchObject({ outcome: 'error', error: { code: 'rejected' } })
  expect([sent, tookMs]).toEqual([1, 0])
})

describe('a prompt that the service has refused without processing it', () => {
  const refuse = (seconds: number) => ({ [MESSAGE]: refuseOnce(seconds), 'message job_running': refuseOnce(seconds) })
  const refuseOnce = (seconds: number) =>
    respondInOrder(respondWith(429, { 'retry-after': String(seconds) }), (request) => request.respond())

  test('is resent to an idle job after the time that the service asks for', async () => {
    const { played, sent } = await playTimed({ ...FINISHED, ...NO_WAIT }, { responses: refuse(90) })
    expect([played.report.sent, sent, played.messages.length]).toEqual(['accepted', 2, 1])
    expect(played.report.durationMs).toBeGreaterThanOrEqual(90_000)
  })

  test.each<[string, Record<string, string>, Partial<PlayStepOptions>]>([
    ['is archived while it is busy', { ...RUNNING, ...NO_WAIT }, { scenario: 'archived' }],
    ['is archived', FINISHED, { turns: [{}, shortTurn('archived')], onRequest: atRequest(MESSAGE, sendElse) }],
  ])('is not resent to a job that %s', async (_what, given, options) => {
    const { played, sent } = await playTimed(given, { responses: refuse(15), ...options })
    expect(played.report).toMatchObject({ outcome: 'archived', ...UNSENT, sent: 'no' })
    expect(sent).toBe(1)
  })

  test('counts as not sent if the run is cancelled while the step waits for the turn of another prompt', async () => {
    const options = { responses: refuse(5), onRequest: atRequest(MESSAGE, sendElse), cancelAfterMs: 30_000 }
    const { played, sent } = await playTimed(FINISHED, options)
    expect(played.report).toMatchObject({ outcome: 'cancelled', sent: 'no' })
    expect([sent, played.messages]).toEqual([1, ['Else.']])
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
