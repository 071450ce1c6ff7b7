import { describe, expect, test } from '@jest/globals'
import { combineScenarios } from '../../../src/emulator/github/github-scenarios.ts'
import { closeIssue } from '../../../src/emulator/github/repository-changes.ts'
import type { ServiceResponse } from '../../../src/emulator/http/exchange.ts'
import type { TurnPlan } from '../../../src/emulator/service/job-machine.ts'
import { commentFacts, MONA } from '../../support/comment-events.ts'
import {
  changeResponse,
  playFollowUp,
  respondInOrder,
  respondWith,
  type PlayedStep,
  type PlayStepOptions,
} from '../../support/play-step.ts'
import { BASE_URL } from '../../support/in-process-github.ts'
import { getMarkerComment, listResults } from '../../support/log-rows.ts'

const EDIT = 'issues/update-comment'
const LOOK_UP = 'actions/get-workflow-run'
const MESSAGE = 'message job_finished'
const FOLLOW_UP = { 'job-id': 'job_finished' }
const ATTACH = { 'job-id': 'job_finished', prompt: '' }
const UPDATED = '1 new commit, step agent'
const UNKNOWN = 'not known, because the run ended first, step agent'
const MAY = 'the agent may still be working, do not merge yet'

const NOT_SHOWN = 'The log may not show that the agent is working'

const WORKING = expect.stringMatching(/^⏳ working since \d\d:\d\d UTC, do not merge yet, step agent$/) as unknown

/** The second turn of a job, which is its first follow-up, takes two minutes. */
const LONG: readonly Partial<TurnPlan>[] = [{}, { durationMs: 120_000 }, {}]

/** Runs a step, and returns the results in the log directly before each message to the job of a pull request. */
async function playSeen(given: Readonly<Record<string, string>>, options: Partial<PlayStepOptions> = {}, number = 1) {
  const seen: string[][] = []
  const onRequest: PlayStepOptions['onRequest'] = (what, request) => {
    if (what.startsWith('message ')) seen.push(listResults(request, number))
  }
  const played = await playFollowUp(given, { ...options, onRequest })
  return { played, seen }
}

describe('before its prompt is sent, a row says that the agent is working', () => {
  test('for a follow-up that a comment asks for', async () => {
    const facts = commentFacts({ number: 1, author: { ...MONA, id: 11 } })
    const given = { 'on-open-pr': 'new', command: '/docs', prompt: '' }
    const { played, seen } = await playSeen(given, { facts })
    expect([seen, listResults(played)]).toEqual([[[WORKING]], [UPDATED]])
  })

  test('for a fix round', async () => {
    const [fails = [], passes = []] = combineScenarios(['checks-fixed']).checks
    const github = { ...combineScenarios([]), checks: [fails, passes] }
    const given = { 'on-open-pr': 'new', 'wait-for-checks': 'true', 'fix-rounds': '1' }
    const { played, seen } = await playSeen(given, { github }, 4)
    const first = 'opened, step agent'
    expect([seen, listResults(played, 4)]).toEqual([[[first, WORKING]], [first, UPDATED]])
  })

  test('for a follow-up to a given job whose turn is not waited for, and then that it may be', async () => {
    const after = await playFollowUp()
    const before = listResults(after)
    const { played, seen } = await playSeen({ ...FOLLOW_UP, wait: 'false' }, { after })
    expect(seen).toEqual([[...before, WORKING]])
    expect(listResults(played)).toEqual([...before, expect.stringContaining(`; ⏳ ${MAY}, step agent`)])
    const attached = await playFollowUp(ATTACH, { after: played, facts: { runId: 43 } })
    expect(listResults(attached)[1]).toBe(listResults(played)[1]?.replace(`; ⏳ ${MAY}`, ''))
  })
})

describe('a prompt is delayed for at most a minute by a rate limit of a request for its row', () => {
  /** Returns when the prompt is sent, in milliseconds after the first request. @param limited an operation, limited once */
  async function measureDelay(limited = '', seconds = 1): Promise<number> {
    const times: number[] = []
    const limit = respondWith(403, { 'retry-after': String(seconds) })
    await playFollowUp(
      { ...FOLLOW_UP, wait: 'false' },
      {
        after: await playFollowUp(),
        onRequest: (what, { nowMs }) => {
          if (what === MESSAGE || times.length === 0) times.push(nowMs)
        },
        responses: { [limited]: respondInOrder(limit, ({ respond }) => respond()) },
      },
    )
    const [first = 0, sentAt = Infinity] = times
    return sentAt - first
  }

  test.each(['pulls/get', 'issues/list-comments', EDIT])('on %s', async (operation) => {
    const usualMs = await measureDelay()
    expect(await measureDelay(operation, 40)).toBeGreaterThanOrEqual(usualMs + 35_000)
    expect(await measureDelay(operation, 1_800)).toBeLessThanOrEqual(usualMs + 60_000)
  })
})

test('the warning does not deny a row that was written, but could not be read back', async () => {
  let isWritten = false
  const { played, seen } = await playSeen(
    { ...FOLLOW_UP, wait: 'false' },
    {
      after: await playFollowUp(),
      responses: {
        [EDIT]: (request) => {
          isWritten = true
          return request.respond()
        },
        'issues/get-comment': (request) => (isWritten ? respondWith(503)() : request.respond()),
      },
    },
  )
  expect(seen).toEqual([[UPDATED, WORKING]])
  expect(played.report.warnings[0]?.message).toBe(NOT_SHOWN)
})

describe('a follow-up to a given job whose turn is not waited for has no row', () => {
  const given = { ...FOLLOW_UP, wait: 'false' }

  test.each([
    ['it has no link', {}],
    ['its link may be of an earlier turn', { prLink: `${BASE_URL}/acme/docs/pull/1` }],
  ])('while the job is busy: %s, and the rows of its turns stay', async (_why, fields) => {
    const after = await playFollowUp({ wait: 'false' }, { turns: LONG })
    const before = listResults(after)
    expect(before).toEqual([expect.stringContaining(MAY)])
    const responses = { 'read job_finished': changeResponse(() => fields) }
    const { played, seen } = await playSeen(given, { after, facts: { runId: 43 }, responses })
    expect([seen, listResults(played), played.operations]).toEqual([[before], before, []])
  })

  test('if its pull request is closed', async () => {
    const after = await playFollowUp()
    const [pull] = Object.values(after.docs.pulls).filter(({ labels }) => labels.length > 0)
    if (pull !== undefined) closeIssue(after.docs, pull, 0)
    const { operations, messages } = await playFollowUp(given, { after })
    expect([operations, messages.length]).toEqual([['pulls/get'], 1])
  })

  test('without a label', async () => {
    const { operations, messages } = await playFollowUp(
      { ...given, label: '', 'on-open-pr': 'new' },
      { after: await playFollowUp() },
    )
    expect([operations, messages.length]).toEqual([[], 1])
  })

  test('if its pull request cannot be read, which is a warning', async () => {
    const responses = { 'pulls/get': respondWith(403) }
    const { messages, report } = await playFollowUp(given, { after: await playFollowUp(), responses })
    expect(messages).toHaveLength(1)
    expect(report.warnings.map(({ message }) => message)).toEqual([NOT_SHOWN])
  })
})

test('the row of a turn that has ended shows its result while the step waits for checks', async () => {
  const seen = new Set<string>()
  const played = await playFollowUp(
    { 'wait-for-checks': 'true' },
    {
      github: combineScenarios(['open-pull-request', 'checks-pending']),
      onRequest: (what, request) => {
        if (what !== 'checks/list-for-ref') return
        const left = getMarkerComment(request)
          .split('\n')
          .filter((line) => line.startsWith('- '))
        seen.add([...listResults(request), ...left].join('; '))
      },
    },
  )
  expect([...seen]).toEqual([`${UPDATED}; - Its checks have not finished. <!-- left -->`])
  expect(listResults(played)).toEqual([UPDATED])
})

test('the row of a step past its deadline keeps its warning, with the time until which the step waited', async () => {
  const played = await playFollowUp({ 'timeout-minutes': '1' }, { turns: LONG })
  expect(played.report.outcome).toBe('timed-out')
  expect(listResults(played)).toEqual([expect.stringContaining(`; ⏳ ${MAY} (the step waited until 00:01 UTC)`)])
})

test('the row of a cancelled step keeps its warning, with the time until which the step would have waited', async () => {
  const played = await playFollowUp({ 'timeout-minutes': '90' }, { turns: LONG, cancelAfterMs: 40_000 })
  expect(listResults(played)).toEqual([
    expect.stringContaining(`; ⏳ ${MAY} (the step would have waited until 01:30 UTC)`),
  ])
})

/** Leaves the row of a step that is killed while the agent works: its last write does not reach GitHub. */
async function kill(
  status: 'in_progress' | 'completed',
  given: Readonly<Record<string, string>> = {},
): Promise<PlayedStep> {
  let isSent = false
  const played = await playFollowUp(given, {
    turns: LONG,
    cancelAfterMs: 40_000,
    onRequest: (what) => (isSent ||= what === MESSAGE),
    responses: { [EDIT]: (request) => (isSent ? respondWith(503)() : request.respond()) },
  })
  expect(listResults(played)).toEqual([WORKING])
  const run = { id: 42, headSha: '', workflow: 'docs.yml', branch: 'main', event: 'push', createdAtMs: 0 }
  played.docs.workflowRuns.push({ ...run, status, conclusion: null })
  return played
}

/** Runs a step that continues the pull request, and counts its requests about other runs. */
async function lookUp(options: Partial<PlayStepOptions>, respond: () => ServiceResponse) {
  let lookUps = 0
  const onRequest: PlayStepOptions['onRequest'] = (what) => {
    if (what === LOOK_UP) lookUps++
  }
  const played = await playFollowUp({}, { ...options, onRequest, responses: { [LOOK_UP]: respond } })
  return { played, lookUps }
}

describe('the row of a killed step', () => {
  test('is settled by a step that attaches to the job and sees it end, once the run has completed', async () => {
    const killed = await kill('completed')
    const played = await playFollowUp(ATTACH, { after: killed, facts: { runId: 43 } })
    expect([played.report.outcome, played.messages, played.report.warnings]).toEqual(['pull-request', [], []])
    expect(played.operations.filter((what) => what === LOOK_UP)).toHaveLength(1)
    expect(listResults(played)[0]).toBe(UNKNOWN)
  })

  test('stays while the run has not completed', async () => {
    const played = await playFollowUp(ATTACH, { after: await kill('in_progress'), facts: { runId: 43 } })
    expect(listResults(played)[0]).toEqual(WORKING)
    expect(played.operations).toContain(LOOK_UP)
  })

  test.each([403, 404, 503])('stays, without a warning, if the look-up of its run fails with %d', async (status) => {
    const after = await kill('completed')
    const { played, lookUps } = await lookUp({ after, facts: { runId: 43 } }, respondWith(status))
    expect([listResults(played), played.report.warnings]).toEqual([[WORKING, UPDATED], []])
    expect(lookUps).toBeGreaterThan(0)
  })

  test('is settled by a later attempt of the same run without a look-up', async () => {
    const played = await playFollowUp({}, { after: await kill('in_progress'), facts: { runAttempt: 2 } })
    expect([listResults(played), played.operations.includes(LOOK_UP)]).toEqual([[UNKNOWN, UPDATED], false])
  })

  test('is not settled by another step of the same attempt', async () => {
    const played = await playFollowUp({}, { after: await kill('completed'), facts: { stepId: 'other' } })
    expect([listResults(played)[0], played.operations.includes(LOOK_UP)]).toEqual([WORKING, false])
  })

  test('is settled without a look-up once its deadline is a minute ago, and not earlier', async () => {
    const given = { 'timeout-minutes': '20' }
    const killed = await kill('in_progress', given)
    const { baseClock: time } = killed
    const passUntil = (ms: number) => time.passUntil(time.sleep(ms - time.now()))
    await passUntil(20 * 60_000)
    const early = await lookUp({ after: killed, facts: { runId: 43 } }, respondWith(403))
    expect([listResults(early.played)[0], early.lookUps]).toEqual([WORKING, 1])
    await passUntil(21 * 60_000)
    const late = await lookUp({ after: early.played, facts: { runId: 44 } }, respondWith(403))
    expect([listResults(late.played)[0], late.lookUps]).toEqual([UNKNOWN, 0])
  })
})
