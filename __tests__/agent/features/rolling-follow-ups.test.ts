import { describe, expect, test } from '@jest/globals'
import { MAINTAINER, TOKEN_USER } from '../../../src/emulator/github/demo-state.ts'
import { combineScenarios } from '../../../src/emulator/github/github-scenarios.ts'
import type { PullState } from '../../../src/emulator/github/pull-state.ts'
import { closeIssue, mergePull, openPull } from '../../../src/emulator/github/repository-changes.ts'
import { createRepositoryState, type RepositoryState } from '../../../src/emulator/github/repository-state.ts'
import type { ServiceRequest, ServiceResponse } from '../../../src/emulator/http/exchange.ts'
import { commentFacts } from '../../../testing/comment-events.ts'
import { PUSH } from '../../../testing/given-run.ts'
import { BASE_URL } from '../../../testing/in-process-github.ts'
import { getMarkerComment, listResults, readHistory } from '../../../testing/log-rows.ts'
import {
  changeResponse,
  type ObservedRequest,
  playFollowUp,
  type PlayedStep,
  type PlayStepOptions,
  type Responder,
  respondInOrder,
  respondWith,
} from '../../../testing/play-step.ts'

const UNSENT = { outcome: 'error', error: { code: 'not-sent' } }
const ELSEWHERE = { prLink: `${BASE_URL}/acme/docs/pull/9` }
const READ = 'read job_finished'
const MESSAGE = 'message job_finished'

/** The history is written before a follow-up, and at the end. */
const WRITES = 'issues/update-comment'

const listReceivers = ({ acceptedPrompts }: PlayedStep): readonly string[] => acceptedPrompts.map(([to]) => to)

/** The open pull requests with the label. */
const listOpen = ({ pulls }: RepositoryState): readonly PullState[] =>
  Object.values(pulls).filter(({ state, labels }) => state === 'open' && labels.length > 0)

const closeAll = ({ docs }: Pick<PlayedStep, 'docs'>): void => {
  for (const pull of listOpen(docs)) closeIssue(docs, pull, 0)
}

/** Acts at the first request of a kind. */
function atFirst(when: string, act: (request: ObservedRequest) => unknown): NonNullable<PlayStepOptions['onRequest']> {
  let isDone = false
  return (what, request) => {
    if (what === when && !isDone) act(request)
    isDone ||= what === when
  }
}

test('the oldest open pull request of the label is continued, and the others are named', async () => {
  const after = await playFollowUp({ 'on-open-pr': 'new' })
  const { acceptedPrompts, outputs, hostCalls } = await playFollowUp({}, { after })
  expect(acceptedPrompts).toEqual([
    ['job_finished', expect.stringMatching(/^Fix the guide\.\n\n---\n\nPull request #1 of/)],
  ])
  expect(outputs['pr-number']).toBe('1')
  expect(hostCalls.join('\n')).toMatch(/oldest open pull request with the label.*#4/)
})

test.each([
  ['asks the agent to name the source commits of the own repository', 'v1.0.0...main', true],
  ['does not name the commits of another repository, which may be private', 'acme/code@v1.0.0...main', false],
])('a follow-up %s', async (_what, changeRange, isNamed) => {
  const facts = { payload: { repository: { visibility: 'public' } } }
  const { messages } = await playFollowUp({ 'change-range': changeRange }, { facts })
  expect(messages).toEqual([expect.stringContaining('do not open another pull request')])
  expect(messages[0]?.includes('name the source commits')).toBe(isNamed)
})

test.each([
  ['names another pull request', 'pull/4', ['#4']],
  ['does not name its own pull request', 'pull/1', []],
])('the history of a follow-up about the changes of a pull request %s', async (_what, changeRange, sources) => {
  const after = await playFollowUp({ 'on-open-pr': 'new' })
  const played = await playFollowUp({ 'change-range': changeRange, 'change-context': 'commits' }, { after })
  expect(readHistory(played)?.rows.at(-1)).toMatchObject({ sources })
})

test('a job is gone only after three reads over 20 s, and a new job starts then', async () => {
  const reads: number[] = []
  const played = await playFollowUp(
    {},
    {
      responses: { [READ]: respondWith(404) },
      onRequest: (what, { nowMs }) => what === READ && reads.push(nowMs),
    },
  )
  expect(listReceivers(played)).toEqual(['create'])
  expect(reads.length).toBeGreaterThanOrEqual(3)
  expect((reads.at(-1) ?? 0) - (reads[0] ?? 0)).toBeGreaterThanOrEqual(20_000)
})

test('a follow-up is no `unchanged` while GitHub shows only the commit of another person', async () => {
  const scenario = combineScenarios(['open-pull-request', 'person-commits'])
  const github = { ...scenario, lag: { ...scenario.lag, headMs: 3_000 } }
  const { outputs } = await playFollowUp({}, { github })
  expect([outputs['outcome'], outputs['changed']]).toEqual(['pull-request', 'true'])
})

test.each([1, 2, 3, 5])('one odd response after %d good reads of the job does not stop the follow-up', async (good) => {
  const reads = [
    ...Array<Responder>(good).fill(({ respond }) => respond()),
    respondWith(403),
    changeResponse(() => ({})),
  ]
  const { isGreen, messages } = await playFollowUp({}, { responses: { [READ]: respondInOrder(...reads) } })
  expect([isGreen, messages.length]).toEqual([true, 1])
})

describe('if the pull request conflicts with its base branch', () => {
  const REQUEST =
    /^Pull request #1 of acme\/docs conflicts with its base branch\. First merge `main` into `[^`]+` and resolve the conflict, .*\n\n---\n\nFix the guide\./
  const GITHUB = { github: combineScenarios(['open-pull-request', 'conflict']) }
  const resolve = ({ docs }: ObservedRequest): unknown => Object.assign(docs.pulls[1] ?? {}, { conflict: false })

  test('the prompt begins with the request to resolve that, and the comment says so while it is not done', async () => {
    const { messages, docs, log } = await playFollowUp({ 'wait-for-checks': 'true' }, GITHUB)
    expect(messages).toEqual([expect.stringMatching(REQUEST)])
    expect(log.join('\n')).toContain('Pull request #1 conflicts with its base branch.')
    expect(readHistory({ docs })?.left?.items[0]).toBe('It conflicts with its base branch.')
  })

  test('a dry run shows the same prompt', async () => {
    const { report, hostCalls, summary } = await playFollowUp({ 'dry-run': 'true' }, GITHUB)
    expect(report.outcome).toBe('previewed')
    for (const shown of [hostCalls.join('\n'), summary])
      expect(shown).toContain('conflicts with its base branch. First merge')
  })

  test('the prompt begins so too if only the read directly before it shows the conflict', async () => {
    const conflict: PlayStepOptions['onRequest'] = atFirst(WRITES, (at) =>
      Object.assign(at.docs.pulls[1] ?? {}, { conflict: true }),
    )
    const { messages } = await playFollowUp({}, { onRequest: conflict })
    expect(messages).toEqual([expect.stringMatching(REQUEST)])
  })

  test('the read after the turn decides what title and comment say', async () => {
    const given = { 'wait-for-checks': 'true' }
    const resolved = await playFollowUp(given, { ...GITHUB, onRequest: atFirst(MESSAGE, resolve) })
    expect([resolved.title, readHistory(resolved)?.left?.items]).toEqual(['The pull request is ready', ['Review it.']])
    const unknown = await playFollowUp({}, GITHUB)
    expect(unknown.summary).toContain('GitHub has not computed yet whether it conflicts with its base branch.')
  })

  test('no checks start, and title, summary and comment give the reason', async () => {
    const { outputs, title, isGreen, summary } = await playFollowUp({ 'wait-for-checks': 'true' }, GITHUB)
    expect([outputs['checks'], isGreen]).toEqual(['none', false])
    expect(title).toBe('Pull request updated, but it conflicts with its base branch')
    expect(summary).toContain('No check is registered for it, because GitHub starts no checks while')
  })

  test('a comment on it gets the same prompt, and a follow-up to `job-id` is sent unchanged', async () => {
    const facts = commentFacts({ number: 1, author: { login: 'mona', id: 11, type: 'User' } })
    const ofComment = await playFollowUp({ 'on-open-pr': '', command: '/docs', prompt: '' }, { ...GITHUB, facts })
    expect(ofComment.messages).toEqual([expect.stringMatching(/^Pull request #1 of acme\/docs conflicts/)])
    const ofJob = await playFollowUp({ 'on-open-pr': '', 'job-id': 'job_finished' }, GITHUB)
    expect(ofJob.messages).toEqual(['Fix the guide.'])
  })
})

describe('if the service keeps the old name of the repository in its link', () => {
  const NEW = `${BASE_URL}/acme/docs/pull/1`
  const toOldName: Responder = ({ respond }) => {
    const response = respond()
    return { ...response, body: response.body.replaceAll('/acme/docs/pull/', '/acme/old-docs/pull/') }
  }
  const rename: PlayStepOptions['onRequest'] = (_, { service }) => {
    service.github.state.repositories['acme/old-docs'] ??= createRepositoryState({ movedTo: 'acme/docs' })
  }
  const isOfOldName = (request: ServiceRequest): boolean => request.target.includes('/old-docs/')
  const OLD = { onRequest: rename, responses: { [READ]: toOldName, [MESSAGE]: toOldName } }

  test.each<[string, Record<string, string>, Partial<PlayStepOptions>]>([
    ['of the label', {}, {}],
    ['of the label, searched under the old name', { 'pr-repository': 'acme/old-docs' }, {}],
    ['of the label, if the step does not wait', { wait: 'false' }, {}],
    [
      'of a comment',
      { 'on-open-pr': '', command: '/docs', prompt: '' },
      { facts: commentFacts({ number: 1, author: { login: 'mona', id: 11, type: 'User' } }) },
    ],
    ['of `job-id`', { 'on-open-pr': '', 'job-id': 'job_finished' }, {}],
  ])('the pull request %s gets the follow-up, and its current URL is shown', async (_what, given, options) => {
    const played = await playFollowUp(given, { ...OLD, ...options })
    expect([listReceivers(played), played.isGreen]).toEqual([['job_finished'], true])
    if (given['wait'] === undefined)
      expect(played.report).toMatchObject({ outcome: 'pull-request', operation: 'updated' })
    if (given['wait'] === undefined) expect(played.outputs['pr-link']).toBe(NEW)
  })

  test('its current URL is the output of a new job, too', async () => {
    const responses = { 'read job_000001': toOldName }
    const { outputs, isGreen } = await playFollowUp({}, { github: combineScenarios([]), onRequest: rename, responses })
    expect([isGreen, outputs['pr-link']]).toEqual([true, expect.stringMatching(/\/acme\/docs\/pull\/\d+$/)])
  })

  test('the name is read once', async () => {
    const { observed } = await playFollowUp({}, OLD)
    expect(observed.requests.length).toBe((await playFollowUp()).observed.requests.length + 2)
  })

  test.each<[string, Record<string, string>]>([
    ['of the label', {}],
    ['of `job-id`', { 'on-open-pr': '', 'job-id': 'job_finished' }],
  ])('the current name after the prompt is the same pull request: %s', async (_what, given) => {
    const read: Responder = (request) =>
      request.service.requests.some(({ path }) => path.endsWith('/message')) ? request.respond() : toOldName(request)
    const turns = [{}, { startDelayMs: 20_000 }]
    const played = await playFollowUp(given, { onRequest: rename, responses: { [READ]: read }, turns })
    expect(played.report).toMatchObject({ outcome: 'pull-request', operation: 'updated' })
    expect(played.outputs['pr-link']).toBe(NEW)
  })

  test('a pull request of another repository is another one', async () => {
    const played = await playFollowUp({}, { responses: OLD.responses })
    expect(listReceivers(played)).toEqual(['create'])
    expect(played.hostCalls.join('\n')).toContain('job job_finished has another pull request')
  })

  test('nothing is sent if GitHub cannot return it', async () => {
    const get: Responder = (request) => (isOfOldName(request.request) ? respondWith(503)() : request.respond())
    const played = await playFollowUp({}, { ...OLD, responses: { ...OLD.responses, 'pulls/get': get } })
    expect([played.isGreen, played.acceptedPrompts, played.report.error?.code]).toEqual([false, [], 'not-sent'])
  })
})

describe('nothing is sent, and the step is red, if', () => {
  const fields = (given: object) => changeResponse(() => given)
  /** Other responses after the history was written. */
  const afterWrite = (
    what: string,
    changed: (request: ObservedRequest) => ServiceResponse,
  ): Partial<PlayStepOptions> => {
    let isWritten = false
    return {
      onRequest: (name) => (isWritten ||= name === WRITES),
      responses: { [what]: (request) => (isWritten ? changed(request) : request.respond()) },
    }
  }

  test.each<[string, Partial<PlayStepOptions>, string]>([
    ['the service cannot be reached', { responses: { [READ]: respondWith(503) } }, 'is open'],
    [
      'the pull request was closed before the prompt',
      { onRequest: atFirst(WRITES, closeAll) },
      'Pull request #1 was closed before the prompt was sent.',
    ],
    [
      'the pull request was merged before the prompt',
      { onRequest: atFirst(WRITES, ({ docs }) => mergePull(docs, 1, 'mona', 0)) },
      'Pull request #1 was merged before the prompt was sent.',
    ],
    ['it is not known whether it is still open', afterWrite('pulls/get', respondWith(503)), 'Could not determine'],
    [
      'the job names another pull request before the prompt',
      afterWrite(READ, fields(ELSEWHERE)),
      'job job_finished has another pull request',
    ],
    [
      'the job names no pull request before the prompt, because the read may be stale',
      afterWrite(READ, fields({ prLink: null })),
      'job job_finished has no pull request',
    ],
    ['the job was archived before the prompt', afterWrite(READ, fields({ status: 'archived' })), 'archived'],
  ])('%s', async (_what, options, reason) => {
    const { acceptedPrompts, report, isGreen } = await playFollowUp({ 'timeout-minutes': '10' }, options)
    expect([acceptedPrompts, isGreen]).toEqual([[], false])
    expect(report.error?.code).toBe('not-sent')
    expect(report.error?.message).toContain(reason)
    expect(report.error?.hint).toBeTruthy()
    expect(report.error?.hint).not.toContain('job-id')
  })
})

describe('the history', () => {
  test('counts each follow-up before it is sent, in one comment', async () => {
    const counts: unknown[] = []
    const onRequest: PlayStepOptions['onRequest'] = (what, request) => {
      if (what === MESSAGE) counts.push(readHistory(request)?.followUps)
    }
    const { docs } = await playFollowUp({}, { after: await playFollowUp({}, { onRequest }), onRequest })
    expect([counts, docs.pulls[1]?.comments.length]).toEqual([[1, 2], 1])
  })

  test('says before the prompt that the agent works, and at the end what it did', async () => {
    const seen: string[][] = []
    const onRequest = atFirst(MESSAGE, (request) => seen.push(listResults(request)))
    const played = await playFollowUp({}, { onRequest })
    expect(seen).toEqual([[expect.stringMatching(/^⏳ working since \d\d:\d\d UTC, do not merge yet$/)]])
    expect(listResults(played)).toEqual(['1 new commit'])
  })

  test('says so before a follow-up to `job-id`, too', async () => {
    const seen: string[][] = []
    const onRequest = atFirst(MESSAGE, (request) => seen.push(listResults(request)))
    await playFollowUp({ 'on-open-pr': '', 'job-id': 'job_finished' }, { onRequest })
    expect(seen).toEqual([[expect.stringMatching(/^⏳ working since/)]])
  })

  test('says after a cancelled run that the agent may still work, until a later step sees the job idle', async () => {
    const after = await playFollowUp({}, { cancelAfterMs: 10_000 })
    expect(after.report.outcome).toBe('cancelled')
    expect(listResults(after)).toEqual([expect.stringMatching(/^cancelled; ⏳ the agent may still be working/)])
    const next = await playFollowUp({}, { after, facts: { runId: 43 } })
    expect(listResults(next)).toEqual(['cancelled', '1 new commit'])
  })

  test('says in the old place that the agent has opened another pull request', async () => {
    const branch = 'agent/other'
    const read: Responder = (request) => {
      const { docs, service, nowMs, respond } = request
      const isSent = service.requests.some(({ path }) => path.endsWith('/message'))
      if (!isSent || !respond().body.includes('completed')) return respond()
      if (!(50 in docs.pulls)) openPull(docs, 50, { branch, user: 'docs-agent[bot]' }, nowMs)
      return changeResponse(() => ({ prLink: `${BASE_URL}/acme/docs/pull/50` }))(request)
    }
    const prepare = ({ branches, pulls }: RepositoryState): void => {
      branches[branch] = pulls[1]?.headSha ?? ''
    }
    const played = await playFollowUp({}, { prepare, responses: { [READ]: read } })
    expect(listResults(played)).toEqual(['opened another pull request'])
    const { headSha } = played.docs.pulls[50] ?? {}
    expect(readHistory(played)?.rows).toMatchObject([{ effect: 'none', head: {} }])
    expect(readHistory(played)?.left).toBeUndefined()
    expect(listResults(played, 50)).toEqual(['opened'])
    expect(readHistory(played, 50)?.rows[0]?.head).toEqual({ after: headSha })
    expect(readHistory(played, 50)).toMatchObject({
      rows: [{ effect: 'created' }],
      left: { items: [expect.any(String)] },
    })
  })

  describe('says after a follow-up whose end was not seen that the agent may still work', () => {
    const attach = (after: PlayedStep, given = {}) =>
      playFollowUp(
        { 'on-open-pr': '', prompt: '', 'job-id': 'job_finished', ...given },
        { after, facts: { runId: 43 } },
      )
    const timedOut = () => playFollowUp({ 'timeout-minutes': '2' }, { turns: [{}, { durationMs: 150_000 }] })
    const [RUNNING, ENDED] = [/^did not finish in time; ⏳/, 'did not finish in time']

    test('until a step that attaches has seen the end', async () => {
      const after = await timedOut()
      expect(listResults(after)).toEqual([expect.stringMatching(RUNNING)])
      const played = await attach(after)
      expect(listResults(played)).toEqual([ENDED, 'its changes are in the pull request'])
      expect(getMarkerComment(played)).not.toContain('Wait until the agent')
    })

    test('until a step attaches that finds the job idle', async () => {
      const after = await timedOut()
      await after.baseClock.passUntil(after.baseClock.sleep(600_000))
      expect(listResults(await attach(after))).toEqual([ENDED, 'its changes are in the pull request'])
    })

    test('also while a step that attaches is waiting', async () => {
      const after = await playFollowUp({ 'timeout-minutes': '2' }, { turns: [{}, { durationMs: 600_000 }] })
      const played = await attach(after, { 'timeout-minutes': '2' })
      expect(listResults(played).filter((result) => result.includes('⏳'))).toHaveLength(1)
    })

    test('also if the next follow-up waits for that turn until its deadline', async () => {
      const after = await playFollowUp({ 'timeout-minutes': '2' }, { turns: [{}, { durationMs: 600_000 }] })
      const played = await playFollowUp({ 'timeout-minutes': '2' }, { after, facts: { runId: 43 } })
      expect(listResults(played)).toEqual([
        ENDED,
        expect.stringMatching(/^not sent; ⏳ the agent may still be working/),
      ])
    })

    test('also if the next follow-up cannot read the job before its deadline', async () => {
      const after = await timedOut()
      // The step reads the job once, to choose the pull request.
      const responses = { [READ]: respondInOrder(({ respond }) => respond(), respondWith(503)) }
      const played = await playFollowUp({ 'timeout-minutes': '2' }, { after, facts: { runId: 43 }, responses })
      expect(played.report.error?.message).toContain('the job could not be read before the deadline')
      expect(listResults(played)).toEqual([ENDED, expect.stringMatching(/^not sent; ⏳/)])
    })

    test('also if the next run is cancelled before it looks at the job again', async () => {
      const after = await timedOut()
      const facts = { runId: 43, eventName: 'push', payload: PUSH }
      const responses = { 'repos/compare-commits-with-basehead': respondWith(429, { 'retry-after': '60' }) }
      const given = { reviewers: 'change-authors' }
      const played = await playFollowUp(given, { after, facts, responses, cancelAfterMs: 10_000 })
      expect(played.report.outcome).toBe('cancelled')
      expect(listResults(played)).toEqual([expect.stringMatching(RUNNING)])
    })
  })

  test('marks the row of a killed run when its stated end has passed', async () => {
    let working = ''
    const onRequest = atFirst(MESSAGE, (request) => (working = getMarkerComment(request)))
    const killed = await playFollowUp({ 'timeout-minutes': '30' }, { onRequest })
    const comment = killed.docs.pulls[1]?.comments[0]
    if (comment !== undefined) comment.body = working
    const during = await playFollowUp({}, { after: killed, facts: { runId: 43 } })
    expect(listResults(during)).toEqual([expect.stringMatching(/^⏳ working since/), '1 new commit'])
    await during.baseClock.passUntil(during.baseClock.sleep(1_800_000))
    const next = await playFollowUp({}, { after: during, facts: { runId: 44 } })
    expect(listResults(next)[0]).toMatch(/^not known, because the run ended first/)
  })

  test('says that nothing was sent if the pull request was closed before the prompt', async () => {
    const played = await playFollowUp({}, { onRequest: atFirst(WRITES, closeAll) })
    expect(listResults(played)).toEqual(['not sent'])
  })
})

/** The history is a person's comment, and the workflow for comments has replied with the workflow's own token. */
const addReply = (docs: RepositoryState): void => {
  const pull = docs.pulls[1]
  const [history] = pull?.comments ?? []
  if (pull === undefined || history === undefined) throw new Error('There is no history.')
  docs.collaborators[MAINTAINER] = 'admin'
  const body = '<!-- docs-agent-action: reply run=1 step=docs/agent inputs=x comment=1 -->\n**Done.**'
  pull.comments.splice(0, 1, { ...history, user: MAINTAINER }, { ...history, id: 901, user: TOKEN_USER, body })
}

test('a reply by another author does not hide the history of a busy job', async () => {
  const busy = changeResponse(() => ({ status: 'active', prLink: null }))
  const responses = { [READ]: respondInOrder(busy, ({ respond }) => respond()) }
  expect(listReceivers(await playFollowUp({}, { prepare: addReply, responses }))).toEqual(['job_finished'])
})

describe('`max-follow-ups`', () => {
  test('limits the follow-ups after a reply by another author, too', async () => {
    const onRequest: PlayStepOptions['onRequest'] = (_what, { service }) => {
      service.github.state.identity = MAINTAINER
    }
    const given = { 'max-follow-ups': '1' }
    const after = await playFollowUp(given, { prepare: addReply, onRequest })
    const next = await playFollowUp(given, { after, onRequest, facts: { runId: 43 } })
    expect([next.isGreen, next.acceptedPrompts, next.docs.pulls[1]?.comments.length]).toEqual([false, [], 2])
  })

  test('limits how many follow-ups a pull request takes; the log and the comment warn when few are left', async () => {
    const given = { 'max-follow-ups': '4' }
    let played: PlayedStep | undefined
    const lines: string[] = []
    const shown: (string | undefined)[] = []
    for (let count = 1; count <= 4; count++) {
      played = await playFollowUp(given, { after: played })
      lines.push(played.hostCalls.find((line) => line.includes('Adding to pull request #1 ')) ?? '')
      shown.push(getMarkerComment(played).split('\n').at(-1))
    }
    const adding = (count: number) => `log: Adding to pull request #1 (job job_finished, follow-up ${count} of 4).`
    const oneLeft = 'Only 1 left: merge or close this pull request before they are used up.'
    const noneLeft = 'None left: merge or close this pull request, or the next run fails.'
    expect(lines).toEqual([adding(1), adding(2), `${adding(3)} ${oneLeft}`, `${adding(4)} ${noneLeft}`])
    const merge = '- Review it.'
    expect(shown).toEqual([merge, merge, `3 of 4 updates are used. ${oneLeft}`, `4 of 4 updates are used. ${noneLeft}`])
    const after = await playFollowUp(given, { after: played })
    expect(after).toMatchObject({ acceptedPrompts: [], report: UNSENT })
    expect(after.report.error?.message).toContain('Pull request #1 has reached the limit of 4 follow-ups.')
    expect(after.report.error?.hint).toContain('Merge or close pull request #1 (')
    expect(listReceivers(await playFollowUp({ 'max-follow-ups': '5' }, { after }))).toEqual(['job_finished'])
    closeAll(after)
    expect(listReceivers(await playFollowUp(given, { after }))).toEqual(['create'])
  })

  test('does not limit a command, which does not change the limit in the comment either', async () => {
    const after = await playFollowUp({ 'max-follow-ups': '1' })
    const facts = commentFacts({ number: 1, author: { login: 'mona', id: 11, type: 'User' } })
    const given = { 'on-open-pr': '', command: '/docs', prompt: '', 'max-follow-ups': '1' }
    const played = await playFollowUp(given, { after, facts })
    expect(listReceivers(played)).toEqual(['job_finished'])
    expect(readHistory(played)).toMatchObject({ followUps: 1, limit: 1 })
  })
})

describe('a prompt that a rate limit delays for half an hour', () => {
  /** Runs a step whose prompt is delayed, and acts before the next read of the job. */
  function delayPrompt(act: (request: ObservedRequest) => unknown, fields: object = {}): Promise<PlayedStep> {
    let [isDelayed, isLater] = [false, false]
    const onRequest: PlayStepOptions['onRequest'] = (what, request) => {
      if (isDelayed && !isLater && what === READ) {
        act(request)
        isLater = true
      }
    }
    const limit = (request: ObservedRequest): ServiceResponse => {
      if (isDelayed) return request.respond()
      isDelayed = true
      return respondWith(429, { 'retry-after': '1800' })()
    }
    const responses = { [MESSAGE]: limit, [READ]: changeResponse(() => (isLater ? fields : {})) }
    return playFollowUp({}, { onRequest, responses })
  }
  const nothing = (): undefined => undefined

  test('is sent, and counted once, if nothing has changed', async () => {
    const played = await delayPrompt(nothing)
    expect([listReceivers(played), readHistory(played)?.followUps]).toEqual([['job_finished'], 1])
  })

  test.each([
    ['the pull request is closed', closeAll, {}],
    ['the job is archived', nothing, { status: 'archived' }],
    ['the job names another pull request', nothing, ELSEWHERE],
  ])('is not sent if %s in the meantime', async (_what, act, fields) => {
    const played = await delayPrompt(act, fields)
    expect([played.acceptedPrompts, played.isGreen, played.report.error?.code]).toEqual([[], false, 'not-sent'])
    expect(listResults(played)).toEqual([expect.stringMatching(/^not sent/)])
  })
})
