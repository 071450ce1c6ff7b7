import { describe, expect, test } from '@jest/globals'
import { AGENT_USER } from '../../../src/emulator/github/demo-state.ts'
import { combineScenarios } from '../../../src/emulator/github/github-scenarios.ts'
import type { PullState } from '../../../src/emulator/github/pull-state.ts'
import { closeIssue, pushCommit } from '../../../src/emulator/github/repository-changes.ts'
import type { RepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { EMULATOR_KEY } from '../../../src/emulator/http/access.ts'
import { NO_RESPONSE } from '../../../src/emulator/http/faults.ts'
import type { ServiceResponse } from '../../../src/emulator/http/exchange.ts'
import { commentFacts } from '../../support/comment-events.ts'
import {
  type ObservedRequest,
  changeResponse,
  playFollowUp,
  respondWith,
  type PlayedStep,
  type PlayStepOptions,
} from '../../support/play-step.ts'
import { PUSH } from '../../support/fake-github.ts'
import { BASE_URL } from '../../support/in-process-github.ts'
import { getMarkerComment, listResults } from '../../support/log-rows.ts'
import { readMarker } from '../../support/marker-bodies.ts'

const UNSENT = { outcome: 'error', error: { code: 'not-sent' } }
const ELSEWHERE = { prLink: `${BASE_URL}/acme/docs/pull/9` }
const BUSY = { status: 'active', prLink: null }
const COUNTS = 'issues/update-comment'
const LISTS = 'issues/list-comments'
const GIVEN = { 'job-id': 'job_finished' }
/** The comment is read before the follow-up is counted in it, and after the job was confirmed. */
const PROVEN = 'issues/get-comment'
const READ = 'read job_finished'
const MESSAGE = 'message job_finished'

/**
 * Runs a step, and acts at its first request of a kind.
 * @param others how many pull requests other jobs have opened before
 */
async function runActing(
  when: string,
  act: (request: ObservedRequest) => unknown,
  others = 0,
  given = {},
): Promise<PlayedStep> {
  let after: PlayedStep | undefined
  for (let count = 0; count < others; count++) after = await playFollowUp({ 'on-open-pr': 'new' }, { after })
  let isDone = false
  const onRequest: PlayStepOptions['onRequest'] = (what, request) => {
    if (what === when && !isDone) act(request)
    isDone ||= what === when
  }
  return playFollowUp(given, { after, onRequest })
}

const takers = ({ acceptedPrompts }: PlayedStep): readonly string[] => acceptedPrompts.map(([to]) => to)

/** The open pull requests with the label. */
const listOpen = ({ pulls }: RepositoryState): readonly PullState[] =>
  Object.values(pulls).filter(({ state, labels }) => state === 'open' && labels.length > 0)

const closeOldest = ({ docs }: ObservedRequest): void => {
  const [oldest] = listOpen(docs)
  if (oldest !== undefined) closeIssue(docs, oldest, 0)
}

/** Sends another prompt to the job. */
const prompt = ({ service, nowMs }: ObservedRequest): unknown =>
  service.handle(
    {
      method: 'POST',
      target: '/v2/agent/docs-demo/job/job_finished/message',
      headers: { authorization: `Bearer ${EMULATOR_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'Else.' }),
    },
    nowMs,
  )

test('counts each follow-up in the marker before it is sent', async () => {
  const counts: unknown[] = []
  const onRequest: PlayStepOptions['onRequest'] = (what, request) => {
    if (what === MESSAGE) counts.push(readMarker(getMarkerComment(request))?.followUps)
  }
  const { docs } = await playFollowUp({}, { after: await playFollowUp({}, { onRequest }), onRequest })
  expect([counts, docs.pulls[1]?.comments.length]).toEqual([[1, 2], 1])
})

test('fails after twenty follow-ups, and advises to merge or close the pull request', async () => {
  let played = await playFollowUp()
  for (let count = 1; count < 20; count++) played = await playFollowUp({}, { after: played })
  expect(takers(played)).toEqual(['job_finished'])
  const after = await playFollowUp({}, { after: played })
  expect(after).toMatchObject({ acceptedPrompts: [], report: UNSENT })
  expect(after.report.error?.hint).toContain('Merge or close it')
  const onRequest: PlayStepOptions['onRequest'] = (what, request) => {
    if (what === PROVEN) closeOldest(request)
  }
  expect(takers(await playFollowUp({}, { after, onRequest }))).toEqual(['create'])
})

test('limits follow-ups to `max-follow-ups`; from 75% of them, log and comment show how many are left', async () => {
  const given = { 'max-follow-ups': '4' }
  let played: PlayedStep | undefined
  const lines: string[] = []
  const shown: (string | undefined)[] = []
  for (let count = 1; count <= 4; count++) {
    played = await playFollowUp(given, { after: played })
    lines.push(played.hostCalls.find((line) => line.includes('Adding to pull request #1 ')) ?? '')
    shown.push(
      getMarkerComment(played)
        .split('\n')
        .find((line) => line.startsWith('Follow-ups by')),
    )
  }
  const adding = (count: number) => `log: Adding to pull request #1 (job job_finished, follow-up ${count} of 4).`
  const used = (count: number) => `Follow-ups by \`on-open-pr\`: ${count} of 4 used.`
  const oneLeft = 'Only 1 left: merge or close this pull request before they are used up.'
  const noneLeft = 'None left: merge or close this pull request, or the next run fails.'
  expect(lines).toEqual([adding(1), adding(2), `${adding(3)} ${oneLeft}`, `${adding(4)} ${noneLeft}`])
  expect(shown).toEqual(
    [used(1), used(2), `${used(3)} ${oneLeft}`, `${used(4)} ${noneLeft}`].map((line) => `${line} <!-- follow-ups -->`),
  )
  const after = await playFollowUp(given, { after: played })
  expect(after).toMatchObject({ acceptedPrompts: [], report: UNSENT })
  expect(after.report.error?.message).toContain('Pull request #1 has reached the limit of 4 follow-ups.')
  expect(takers(await playFollowUp({ 'max-follow-ups': '5' }, { after }))).toEqual(['job_finished'])
})

test('a command does not change the limit that the comment of the rolling pull request shows', async () => {
  const after = await playFollowUp({ 'max-follow-ups': '30' })
  const shown = 'Follow-ups by `on-open-pr`: 1 of 30 used.'
  expect(getMarkerComment(after)).toContain(shown)
  const facts = commentFacts({ number: 1, author: { login: 'mona', id: 11, type: 'User' } })
  const given = { 'on-open-pr': 'new', command: '/docs', prompt: '', 'max-follow-ups': '20' }
  const played = await playFollowUp(given, { after, facts })
  expect(takers(played)).toEqual(['job_finished'])
  expect(getMarkerComment(played)).toContain(shown)
})

const SINCE = /^⏳ working since \d\d:\d\d UTC, do not merge yet, step agent$/
const MAY =
  /^cancelled; ⏳ the agent may still be working, do not merge yet \(the step would have waited until \d\d:\d\d UTC\), step agent$/

describe('the log shows that the agent is working', () => {
  test('from the count of a follow-up until its turn has ended', async () => {
    const seen: string[][] = []
    const onRequest: PlayStepOptions['onRequest'] = (what, request) => {
      if (what === MESSAGE) seen.push(listResults(request))
    }
    const played = await playFollowUp({}, { onRequest })
    expect([seen, listResults(played)]).toEqual([[[expect.stringMatching(SINCE)]], ['1 new commit, step agent']])
    expect(played.operations.filter((what) => what === COUNTS)).toHaveLength(2)
  })

  test('if the step is cancelled, until a later step has seen that it is not', async () => {
    const after = await playFollowUp({}, { cancelAfterMs: 40_000 })
    expect([after.report.outcome, listResults(after)]).toEqual(['cancelled', [expect.stringMatching(MAY)]])
    const next = await playFollowUp({}, { after, facts: { runId: 43 } })
    expect(listResults(next)).toEqual(['cancelled, step agent', '1 new commit, step agent'])
    expect(next.operations).not.toContain('actions/get-workflow-run')
  })

  test('if the step is killed, until a later step sees that its run has ended', async () => {
    const killed: string[] = []
    const played = await playFollowUp(
      {},
      { onRequest: (what, request) => what === MESSAGE && killed.push(getMarkerComment(request)) },
    )
    const comment = played.docs.pulls[1]?.comments[0]
    if (comment !== undefined) comment.body = killed[0] ?? ''
    const headSha = played.docs.commits.at(-1)?.sha ?? ''
    const run = { id: 42, headSha, workflow: 'docs.yml', branch: 'main', event: 'push', createdAtMs: 0 }
    played.docs.workflowRuns.push({ ...run, status: 'in_progress', conclusion: null })
    const during = await playFollowUp({}, { after: played, facts: { runId: 43 } })
    expect(listResults(during)).toEqual([expect.stringMatching(SINCE), '1 new commit, step agent'])
    Object.assign(during.docs.workflowRuns.find(({ id }) => id === 42) ?? {}, {
      status: 'completed',
      conclusion: 'cancelled',
    })
    const next = await playFollowUp({}, { after: during, facts: { runId: 44 } })
    expect(listResults(next)[0]).toBe('not known, because the run ended first, step agent')
  })

  test('before a follow-up to `job-id`', async () => {
    const seen: string[][] = []
    const onRequest: PlayStepOptions['onRequest'] = (what, request) => {
      if (what === MESSAGE) seen.push(listResults(request))
    }
    const after = await playFollowUp()
    const before = listResults(after)
    const played = await playFollowUp(GIVEN, { after, onRequest })
    expect(seen).toEqual([[...before, expect.stringMatching(SINCE)]])
    expect(listResults(played)).toEqual([...before, '1 new commit, step agent'])
  })

  test('before a follow-up to `job-id`, which waits for the turn of another prompt that comes first', async () => {
    let isLimited = false
    const played = await playFollowUp(GIVEN, {
      after: await playFollowUp(),
      responses: {
        [LISTS]: (request) => {
          if (isLimited) return request.respond()
          isLimited = true
          prompt(request)
          return respondWith(429, { 'retry-after': '2' })()
        },
      },
    })
    expect(played.messages).toEqual(['Else.', expect.stringMatching(/^Fix the guide\./)])
    expect(played.log.join('\n')).toContain('The job is busy.')
  })

  test.each<[string, ServiceResponse]>([
    ['is read late', respondWith(429, { 'retry-after': '2' })()],
    ['cannot be read in time', { status: 0, headers: {}, body: '', delivery: 'never' }],
  ])(
    'before a follow-up to `job-id` whose pull request %s, and which waits for the turn of another prompt',
    async (_how, late) => {
      let isLate = false
      const played = await playFollowUp(GIVEN, {
        after: await playFollowUp(),
        responses: {
          'pulls/get': (request) => {
            if (isLate) return request.respond()
            isLate = true
            prompt(request)
            return late
          },
        },
      })
      expect(played.messages).toEqual(['Else.', expect.stringMatching(/^Fix the guide\./)])
      expect(played.log.join('\n')).toContain('The job is busy.')
    },
  )

  test('not before a follow-up to `job-id` whose pull request is closed', async () => {
    const after = await playFollowUp()
    for (const pull of listOpen(after.docs)) closeIssue(after.docs, pull, 0)
    const { operations } = await playFollowUp(GIVEN, { after })
    expect(operations.slice(0, operations.indexOf(MESSAGE))).not.toContain(LISTS)
  })

  test('no longer in a pull request that was closed before the prompt', async () => {
    const played = await runActing(COUNTS, closeOldest)
    expect(played.report.operation).toBe('created')
    expect([listResults(played), listResults(played, 4)]).toEqual([
      ['not sent, step agent'],
      ['opened: 2 files, step agent'],
    ])
  })
})

test('the 15 s for which a job must be idle start with its first read, which confirms the pull request', async () => {
  let [readAt, isLimited] = [0, false]
  const sentAfter: number[] = []
  await playFollowUp(
    { reviewers: 'change-authors' },
    {
      facts: { eventName: 'push', payload: PUSH },
      onRequest: (what, { nowMs }) => {
        if (what === READ) readAt ||= nowMs
        if (what === MESSAGE) sentAfter.push(nowMs - readAt)
      },
      responses: {
        'repos/compare-commits-with-basehead': (request) => {
          if (isLimited) return request.respond()
          isLimited = true
          return respondWith(429, { 'retry-after': '12' })()
        },
      },
    },
  )
  expect([isLimited, sentAfter.length]).toEqual([true, 1])
  expect(sentAfter[0]).toBeGreaterThanOrEqual(15_000)
  expect(sentAfter[0]).toBeLessThan(12_000 + 15_000)
})

test('starts a new job if the pull request is closed before the prompt', async () => {
  const change = { 'change-context': 'files', 'change-range': 'v1.1.0...main' }
  const { report, acceptedPrompts, jobIds, outputs } = await runActing(COUNTS, closeOldest, 0, change)
  expect(acceptedPrompts).toEqual([['create', expect.stringMatching(/^Fix the guide\.\n\n/)]])
  expect(report).toMatchObject({ outcome: 'pull-request', operation: 'created', job: { id: 'job_000001' } })
  expect([outputs['continued'], outputs['pr-number']]).toEqual(['', '4'])
  // A step that is killed before the service accepts the new job does not leave the id of the other one.
  expect(jobIds).toEqual(['job_finished', '', 'job_000001'])
})

test('continues with the next open pull request if the first one is closed before the prompt', async () => {
  const played = await runActing(COUNTS, closeOldest, 1)
  expect(played.acceptedPrompts).toEqual([
    ['job_000001', expect.stringMatching(/^Fix the guide\.\n\n---\n\nPull request #4 of/)],
  ])
  expect(played.outputs).toMatchObject({ continued: 'pull-request', 'pr-number': '4' })
  expect(getMarkerComment(played, 4)).toContain('follow-ups=1 ')
  expect(played.hostCalls.join('\n')).toContain('Pull request #1 was closed before the prompt was sent.')
})

test('gives up if each chosen pull request is closed before the prompt', async () => {
  const after = await runActing('', () => undefined, 7)
  let writes = 0
  const onRequest: PlayStepOptions['onRequest'] = (what, request) => {
    // Every other write records in the closed pull request that nothing was sent.
    if (what === COUNTS && writes++ % 2 === 0) closeOldest(request)
  }
  const { report, acceptedPrompts, docs } = await playFollowUp({}, { after, onRequest })
  expect([acceptedPrompts, listOpen(docs).length]).toEqual([[], 3])
  expect(report).toMatchObject(UNSENT)
})

/** Runs a step with other responses after the first request of a kind. */
function runChanging(when: string, responses: NonNullable<PlayStepOptions['responses']>): Promise<PlayedStep> {
  let isSince = false
  const usual = ({ respond }: ObservedRequest) => respond()
  const later = Object.entries(responses).map(([what, lie]) => [
    what,
    (request: ObservedRequest) => (isSince ? lie : usual)(request),
  ])
  return playFollowUp(
    {},
    { onRequest: (what) => (isSince ||= what === when), responses: Object.fromEntries(later) as typeof responses },
  )
}

test('does not send the prompt to a job that starts a turn each time that it was idle', async () => {
  let reads = -1
  const onRequest = (what: string): void => {
    if (what === COUNTS && reads === -1) reads = 0
  }
  // Between two busy reads are the end of the turn and five reads until it is stable.
  const restless = changeResponse(() => (reads >= 0 && reads++ % 7 === 0 ? BUSY : {}))
  const { report, acceptedPrompts, docs } = await playFollowUp(
    { wait: 'false' },
    { responses: { [READ]: restless }, onRequest },
  )
  expect([acceptedPrompts, readMarker(getMarkerComment({ docs }))?.followUps]).toEqual([[], 1])
  expect(reads).toBe(15)
  expect(report.error?.message).toBe('The job changed each time before the prompt could be sent.')
})

const BY_OUTSIDER = { github: combineScenarios(['marker-by-outsider']) }
const DOWN = { 'pulls/get': respondWith(503) }
const reading = (fields: object) => ({ [READ]: changeResponse(() => fields) })

describe('a confirmed job, if it directly before the prompt', () => {
  test.each([
    ['names another pull request', ELSEWHERE],
    ['is archived', { status: 'archived' }],
  ])('%s, does not get the prompt, and the outputs show the new job', async (_what, fields) => {
    const played = await runChanging(PROVEN, reading(fields))
    expect([takers(played), played.outputs['pr-number']]).toEqual([['create'], '4'])
  })

  test('no longer names a pull request, does not get the prompt, because the read may be stale', async () => {
    const { acceptedPrompts, outputs, report } = await runChanging(PROVEN, reading({ prLink: null }))
    expect([acceptedPrompts, outputs['pr-link']]).toEqual([[], ''])
    expect(report).toMatchObject(UNSENT)
  })

  test('gets another prompt, gets the follow-up after that turn, and it is counted once', async () => {
    const played = await runActing(PROVEN, prompt)
    expect(played.messages).toEqual(['Else.', expect.stringMatching(/^Fix the guide\./)])
    expect(played.log.join('\n')).toContain('The job is busy.')
    expect(getMarkerComment(played)).toContain('follow-ups=1 ')
  })

  test('gets another prompt while GitHub does not respond, gets the follow-up after that turn', async () => {
    let state: 'before' | 'read' | 'done' = 'before'
    const stall = (request: ObservedRequest): ServiceResponse => {
      if (state !== 'read') return request.respond()
      state = 'done'
      prompt(request)
      return { ...NO_RESPONSE, delivery: 'never' }
    }
    let isCounted = false
    const onRequest = (what: string): void => {
      isCounted ||= what === COUNTS
      if (isCounted && state === 'before' && what === READ) state = 'read'
    }
    const turns = [{}, { durationMs: 60_000 }]
    const played = await playFollowUp({}, { turns, onRequest, responses: { 'pulls/get': stall } })
    expect(state).toBe('done')
    expect(played.messages).toEqual(['Else.', expect.stringMatching(/^Fix the guide\./)])
    expect(played.log.join('\n')).toContain('The job is busy.')
  })
})

test.each([
  [
    'that no trusted comment names is not counted',
    () => playFollowUp({}, BY_OUTSIDER),
    'cannot be counted',
    'Remove the label',
  ],
  [
    'that can no longer be read may be closed',
    () => runChanging(COUNTS, DOWN),
    'Could not determine whether',
    'With `on-open-pr: new`, this check is skipped',
  ],
  [
    'whose job was archived is open, and the list of pull requests cannot be read',
    () => runChanging(PROVEN, { ...reading({ status: 'archived' }), 'issues/list-for-repo': respondWith(503) }),
    'Could not determine whether',
    'With `on-open-pr: new`, this check is skipped',
  ],
])('a pull request %s, and nothing is sent', async (_what, play, reason, hint) => {
  const { report, acceptedPrompts } = await play()
  expect(acceptedPrompts).toEqual([])
  expect(report).toMatchObject(UNSENT)
  expect(report.error?.message).toContain(reason)
  expect(report.error?.hint).toContain(hint)
})

test('a newer head in the last read before the prompt is the head before the turn', async () => {
  const parsePush = { message: 'Late work', author: AGENT_USER, files: [] }
  const { report } = await playFollowUp(
    {},
    {
      turns: [{}, { ending: 'failed' }],
      onRequest: (what, { docs, nowMs }) => what === COUNTS && pushCommit(docs, 'agent/job_finished', parsePush, nowMs),
    },
  )
  expect(report).toMatchObject({ outcome: 'failed', progress: 'started' })
  expect(report.operation).toBeUndefined()
})

describe('a prompt that a rate limit delays for half an hour', () => {
  /** Runs a step whose prompt is delayed. Acts before the next read of the job, which then has other fields. */
  function delayPrompt(act: (request: ObservedRequest) => unknown, fields: object = {}): Promise<PlayedStep> {
    let [isDelayed, isLater] = [false, false]
    const limit = (request: ObservedRequest): ServiceResponse => {
      if (isDelayed) return request.respond()
      isDelayed = true
      return respondWith(429, { 'retry-after': '1800' })()
    }
    const onRequest: PlayStepOptions['onRequest'] = (what, request) => {
      if (isDelayed && !isLater && what === READ) act(request)
      isLater ||= isDelayed && what === READ
    }
    return playFollowUp(
      {},
      { onRequest, responses: { [MESSAGE]: limit, [READ]: changeResponse(() => (isLater ? fields : {})) } },
    )
  }
  const nothing = (): undefined => undefined

  test('is sent, and counted once, if nothing has changed', async () => {
    const played = await delayPrompt(nothing)
    expect(takers(played)).toEqual(['job_finished'])
    expect(getMarkerComment(played)).toContain('follow-ups=1 ')
  })

  test.each([
    ['the pull request is closed', closeOldest, {}],
    ['the job is archived', nothing, { status: 'archived' }],
    ['the job names another pull request', nothing, ELSEWHERE],
  ])('is sent only to a new job if %s in the meantime', async (_what, act, fields) => {
    const { acceptedPrompts, docs, hostCalls, outputs } = await delayPrompt(act, fields)
    expect(acceptedPrompts).toEqual([['create', 'Fix the guide.']])
    expect(outputs).toMatchObject({ outcome: 'pull-request', continued: '', 'pull_request.operation': 'created' })
    expect(listResults({ docs })).toEqual(['not sent, step agent'])
    expect(hostCalls.join('\n')).toContain(', so the step starts a new job.')
  })

  test('is sent once, after the turn that another prompt has started in the meantime, and is counted once', async () => {
    const played = await delayPrompt(prompt)
    expect(played.messages).toEqual(['Else.', expect.stringMatching(/^Fix the guide\./)])
    expect(played.report).toMatchObject({ outcome: 'pull-request', operation: 'updated' })
    expect(getMarkerComment(played)).toContain('follow-ups=1 ')
  })

  test('is not sent if the job no longer names a pull request, because the read may be stale', async () => {
    const { acceptedPrompts, report } = await delayPrompt(nothing, { prLink: null })
    expect(acceptedPrompts).toEqual([])
    expect(report).toMatchObject(UNSENT)
  })
})
