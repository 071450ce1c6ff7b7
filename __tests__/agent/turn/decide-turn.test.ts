import { describe, expect, test } from '@jest/globals'
import { readMarker } from '../../../src/agent/marker.ts'
import { AGENT_USER } from '../../../src/emulator/github/demo-state.ts'
import { combineScenarios } from '../../../src/emulator/github/github-scenarios.ts'
import type { PullState } from '../../../src/emulator/github/pull-state.ts'
import { closeIssue, pushCommit } from '../../../src/emulator/github/repository-changes.ts'
import type { RepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { EMULATOR_KEY } from '../../../src/emulator/http/access.ts'
import type { ServiceResponse } from '../../../src/emulator/http/exchange.ts'
import { commentFacts } from '../../support/comment-events.ts'
import { type Asked, changing, goOn, refusing, type World, type WorldOptions } from '../../support/embedded-world.ts'
import { PUSH } from '../../support/fake-github.ts'
import { BASE_URL } from '../../support/in-process-github.ts'
import { getMarkerComment, listResults } from '../../support/log-rows.ts'

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
async function runActing(when: string, act: (asked: Asked) => unknown, others = 0, given = {}): Promise<World> {
  let after: World | undefined
  for (let count = 0; count < others; count++) after = await goOn({ 'on-open-pr': 'new' }, { after })
  let isDone = false
  const onAsked: WorldOptions['onAsked'] = (what, asked) => {
    if (what === when && !isDone) act(asked)
    isDone ||= what === when
  }
  return goOn(given, { after, onAsked })
}

const takers = ({ taken }: World): readonly string[] => taken.map(([to]) => to)

/** The open pull requests with the label. */
const listOpen = ({ pulls }: RepositoryState): readonly PullState[] =>
  Object.values(pulls).filter(({ state, labels }) => state === 'open' && labels.length > 0)

const closeOldest = ({ docs }: Asked): void => {
  const [oldest] = listOpen(docs)
  if (oldest !== undefined) closeIssue(docs, oldest, 0)
}

/** Sends another prompt to the job. */
const prompt = ({ service, nowMs }: Asked): unknown =>
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
  const onAsked: WorldOptions['onAsked'] = (what, asked) => {
    if (what === MESSAGE) counts.push(readMarker(getMarkerComment(asked))?.followUps)
  }
  const { docs } = await goOn({}, { after: await goOn({}, { onAsked }), onAsked })
  expect([counts, docs.pulls[1]?.comments.length]).toEqual([[1, 2], 1])
})

test('fails after twenty follow-ups, and advises to merge or close the pull request', async () => {
  let world = await goOn()
  for (let count = 1; count < 20; count++) world = await goOn({}, { after: world })
  expect(takers(world)).toEqual(['job_finished'])
  const after = await goOn({}, { after: world })
  expect(after).toMatchObject({ taken: [], report: UNSENT })
  expect(after.report.error?.hint).toContain('Merge or close it')
  const onAsked: WorldOptions['onAsked'] = (what, asked) => {
    if (what === PROVEN) closeOldest(asked)
  }
  expect(takers(await goOn({}, { after, onAsked }))).toEqual(['create'])
})

test('limits follow-ups to `max-follow-ups`; from 75 % of them, log and comment show how many are left', async () => {
  const given = { 'max-follow-ups': '4' }
  let world: World | undefined
  const said: string[] = []
  const shown: (string | undefined)[] = []
  for (let count = 1; count <= 4; count++) {
    world = await goOn(given, { after: world })
    said.push(world.said.find((line) => line.includes('Adding to pull request #1 ')) ?? '')
    shown.push(
      getMarkerComment(world)
        .split('\n')
        .find((line) => line.startsWith('Follow-ups by')),
    )
  }
  const adding = (count: number) => `log: Adding to pull request #1 (job job_finished, follow-up ${count} of 4).`
  const used = (count: number) => `Follow-ups by \`on-open-pr\`: ${count} of 4 used.`
  const oneLeft = 'Only 1 left: merge or close this pull request before they are used up.'
  const noneLeft = 'None left: merge or close this pull request, or the next run fails.'
  expect(said).toEqual([adding(1), adding(2), `${adding(3)} ${oneLeft}`, `${adding(4)} ${noneLeft}`])
  expect(shown).toEqual(
    [used(1), used(2), `${used(3)} ${oneLeft}`, `${used(4)} ${noneLeft}`].map((line) => `${line} <!-- follow-ups -->`),
  )
  const after = await goOn(given, { after: world })
  expect(after).toMatchObject({ taken: [], report: UNSENT })
  expect(after.report.error?.message).toContain('Pull request #1 has reached the limit of 4 follow-ups.')
  expect(takers(await goOn({ 'max-follow-ups': '5' }, { after }))).toEqual(['job_finished'])
})

test('a command does not change the limit that the comment of the rolling pull request shows', async () => {
  const after = await goOn({ 'max-follow-ups': '30' })
  const shown = 'Follow-ups by `on-open-pr`: 1 of 30 used.'
  expect(getMarkerComment(after)).toContain(shown)
  const facts = commentFacts({ number: 1, author: { login: 'mona', id: 11, type: 'User' } })
  const given = { 'on-open-pr': 'new', command: '/docs', prompt: '', 'max-follow-ups': '20' }
  const world = await goOn(given, { after, facts })
  expect(takers(world)).toEqual(['job_finished'])
  expect(getMarkerComment(world)).toContain(shown)
})

const SINCE = /^⏳ working since \d\d:\d\d UTC, do not merge yet, step agent$/
const MAY =
  /^cancelled; ⏳ the agent may still be working, do not merge yet \(the step would have waited until \d\d:\d\d UTC\), step agent$/

describe('the log shows that the agent is working', () => {
  test('from the count of a follow-up until its turn has ended', async () => {
    const seen: string[][] = []
    const onAsked: WorldOptions['onAsked'] = (what, asked) => {
      if (what === MESSAGE) seen.push(listResults(asked))
    }
    const world = await goOn({}, { onAsked })
    expect([seen, listResults(world)]).toEqual([[[expect.stringMatching(SINCE)]], ['1 new commit, step agent']])
    expect(world.asked.filter((what) => what === COUNTS)).toHaveLength(2)
  })

  test('if the step is cancelled, until a later step has seen that it is not', async () => {
    const after = await goOn({}, { cancelAfterMs: 40_000 })
    expect([after.report.outcome, listResults(after)]).toEqual(['cancelled', [expect.stringMatching(MAY)]])
    const next = await goOn({}, { after, facts: { runId: 43 } })
    expect(listResults(next)).toEqual(['cancelled, step agent', '1 new commit, step agent'])
    expect(next.asked).not.toContain('actions/get-workflow-run')
  })

  test('if the step is killed, until a later step sees that its run has ended', async () => {
    const killed: string[] = []
    const world = await goOn({}, { onAsked: (what, asked) => what === MESSAGE && killed.push(getMarkerComment(asked)) })
    const comment = world.docs.pulls[1]?.comments[0]
    if (comment !== undefined) comment.body = killed[0] ?? ''
    const headSha = world.docs.commits.at(-1)?.sha ?? ''
    const run = { id: 42, headSha, workflow: 'docs.yml', branch: 'main', event: 'push', createdAtMs: 0 }
    world.docs.workflowRuns.push({ ...run, status: 'in_progress', conclusion: null })
    const during = await goOn({}, { after: world, facts: { runId: 43 } })
    expect(listResults(during)).toEqual([expect.stringMatching(SINCE), '1 new commit, step agent'])
    Object.assign(during.docs.workflowRuns.find(({ id }) => id === 42) ?? {}, {
      status: 'completed',
      conclusion: 'cancelled',
    })
    const next = await goOn({}, { after: during, facts: { runId: 44 } })
    expect(listResults(next)[0]).toBe('not known, because the run ended first, step agent')
  })

  test('before a follow-up to `job-id`', async () => {
    const seen: string[][] = []
    const onAsked: WorldOptions['onAsked'] = (what, asked) => {
      if (what === MESSAGE) seen.push(listResults(asked))
    }
    const after = await goOn()
    const before = listResults(after)
    const world = await goOn(GIVEN, { after, onAsked })
    expect(seen).toEqual([[...before, expect.stringMatching(SINCE)]])
    expect(listResults(world)).toEqual([...before, '1 new commit, step agent'])
  })

  test('before a follow-up to `job-id`, which waits for the turn of another prompt that comes first', async () => {
    let isLimited = false
    const world = await goOn(GIVEN, {
      after: await goOn(),
      answers: {
        [LISTS]: (asked) => {
          if (isLimited) return asked.answer()
          isLimited = true
          prompt(asked)
          return refusing(429, { 'retry-after': '2' })()
        },
      },
    })
    expect(world.messages).toEqual(['Else.', expect.stringMatching(/^Fix the guide\./)])
    expect(world.log.join('\n')).toContain('The job is busy.')
  })

  test.each<[string, ServiceResponse]>([
    ['is read late', refusing(429, { 'retry-after': '2' })()],
    ['cannot be read in time', { status: 0, headers: {}, body: '', delivery: 'never' }],
  ])(
    'before a follow-up to `job-id` whose pull request %s, and which waits for the turn of another prompt',
    async (_how, late) => {
      let isLate = false
      const world = await goOn(GIVEN, {
        after: await goOn(),
        answers: {
          'pulls/get': (asked) => {
            if (isLate) return asked.answer()
            isLate = true
            prompt(asked)
            return late
          },
        },
      })
      expect(world.messages).toEqual(['Else.', expect.stringMatching(/^Fix the guide\./)])
      expect(world.log.join('\n')).toContain('The job is busy.')
    },
  )

  test('not before a follow-up to `job-id` whose pull request is closed', async () => {
    const after = await goOn()
    for (const pull of listOpen(after.docs)) closeIssue(after.docs, pull, 0)
    const { asked } = await goOn(GIVEN, { after })
    expect(asked.slice(0, asked.indexOf(MESSAGE))).not.toContain(LISTS)
  })

  test('no longer in a pull request that was closed before the prompt', async () => {
    const world = await runActing(COUNTS, closeOldest)
    expect(world.report.operation).toBe('created')
    expect([listResults(world), listResults(world, 4)]).toEqual([
      ['not sent, step agent'],
      ['opened: 2 files, step agent'],
    ])
  })
})

test('the 15 s for which a job must be idle start with its first read, which confirms the pull request', async () => {
  let [readAt, isLimited] = [0, false]
  const sentAfter: number[] = []
  await goOn(
    { reviewers: 'change-authors' },
    {
      facts: { eventName: 'push', payload: PUSH },
      onAsked: (what, { nowMs }) => {
        if (what === READ) readAt ||= nowMs
        if (what === MESSAGE) sentAfter.push(nowMs - readAt)
      },
      answers: {
        'repos/compare-commits-with-basehead': (asked) => {
          if (isLimited) return asked.answer()
          isLimited = true
          return refusing(429, { 'retry-after': '12' })()
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
  const { report, taken, outputs } = await runActing(COUNTS, closeOldest, 0, change)
  expect(taken).toEqual([['create', expect.stringMatching(/^Fix the guide\.\n\n/)]])
  expect(report).toMatchObject({ outcome: 'pull-request', operation: 'created', job: { id: 'job_000001' } })
  expect([outputs['continued'], outputs['pr-number']]).toEqual(['', '4'])
})

test('continues with the next open pull request if the first one is closed before the prompt', async () => {
  const world = await runActing(COUNTS, closeOldest, 1)
  expect(world.taken).toEqual([['job_000001', expect.stringMatching(/^Fix the guide\.\n\n---\n\nPull request #4 of/)]])
  expect(world.outputs).toMatchObject({ continued: 'pull-request', 'pr-number': '4' })
  expect(getMarkerComment(world, 4)).toContain('follow-ups=1 ')
  expect(world.said.join('\n')).toContain('Pull request #1 was closed before the prompt was sent.')
})

test('gives up if each chosen pull request is closed before the prompt', async () => {
  const after = await runActing('', () => undefined, 7)
  let writes = 0
  const onAsked: WorldOptions['onAsked'] = (what, asked) => {
    // Every other write records in the closed pull request that nothing was sent.
    if (what === COUNTS && writes++ % 2 === 0) closeOldest(asked)
  }
  const { report, taken, docs } = await goOn({}, { after, onAsked })
  expect([taken, listOpen(docs).length]).toEqual([[], 3])
  expect(report).toMatchObject(UNSENT)
})

/** Runs a step with other responses after the first request of a kind. */
function runChanging(when: string, answers: NonNullable<WorldOptions['answers']>): Promise<World> {
  let isSince = false
  const usual = ({ answer }: Asked) => answer()
  const later = Object.entries(answers).map(([what, lie]) => [what, (asked: Asked) => (isSince ? lie : usual)(asked)])
  return goOn(
    {},
    { onAsked: (what) => (isSince ||= what === when), answers: Object.fromEntries(later) as typeof answers },
  )
}

test('does not send the prompt to a job that starts a turn each time that it was idle', async () => {
  let reads = -1
  const onAsked = (what: string): void => {
    if (what === COUNTS && reads === -1) reads = 0
  }
  // Between two busy reads are the end of the turn and five reads until it is stable.
  const restless = changing(() => (reads >= 0 && reads++ % 7 === 0 ? BUSY : {}))
  const { report, taken, docs } = await goOn({ wait: 'false' }, { answers: { [READ]: restless }, onAsked })
  expect([taken, readMarker(getMarkerComment({ docs }))?.followUps]).toEqual([[], 1])
  expect(reads).toBe(15)
  expect(report.error?.message).toBe('The job changed each time before the prompt could be sent.')
})

const BY_STRANGER = { github: combineScenarios(['marker-by-outsider']) }
const DOWN = { 'pulls/get': refusing(503) }
const reading = (fields: object) => ({ [READ]: changing(() => fields) })

describe('a confirmed job, if it directly before the prompt', () => {
  test.each([
    ['names another pull request', ELSEWHERE],
    ['is archived', { status: 'archived' }],
  ])('%s, does not get the prompt, and the outputs show the new job', async (_what, fields) => {
    const world = await runChanging(PROVEN, reading(fields))
    expect([takers(world), world.outputs['pr-number']]).toEqual([['create'], '4'])
  })

  test('no longer names a pull request, does not get the prompt, because the read may be stale', async () => {
    const { taken, outputs, report } = await runChanging(PROVEN, reading({ prLink: null }))
    expect([taken, outputs['pr-link']]).toEqual([[], ''])
    expect(report).toMatchObject(UNSENT)
  })

  test('gets another prompt, gets the follow-up after that turn, and it is counted once', async () => {
    const world = await runActing(PROVEN, prompt)
    expect(world.messages).toEqual(['Else.', expect.stringMatching(/^Fix the guide\./)])
    expect(world.log.join('\n')).toContain('The job is busy.')
    expect(getMarkerComment(world)).toContain('follow-ups=1 ')
  })
})

test.each([
  [
    'that no trusted comment names is not counted',
    () => goOn({}, BY_STRANGER),
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
    () => runChanging(PROVEN, { ...reading({ status: 'archived' }), 'issues/list-for-repo': refusing(503) }),
    'Could not determine whether',
    'With `on-open-pr: new`, this check is skipped',
  ],
])('a pull request %s, and nothing is sent', async (_what, play, reason, hint) => {
  const { report, taken } = await play()
  expect(taken).toEqual([])
  expect(report).toMatchObject(UNSENT)
  expect(report.error?.message).toContain(reason)
  expect(report.error?.hint).toContain(hint)
})

test('a newer head in the last read before the prompt is the head before the turn', async () => {
  const parsePush = { message: 'Late work', author: AGENT_USER, files: [] }
  const { report } = await goOn(
    {},
    {
      turns: [{}, { ending: 'failed' }],
      onAsked: (what, { docs, nowMs }) => what === COUNTS && pushCommit(docs, 'agent/job_finished', parsePush, nowMs),
    },
  )
  expect(report).toMatchObject({ outcome: 'failed', progress: 'started' })
  expect(report.operation).toBeUndefined()
})

describe('a prompt that a rate limit delays for half an hour', () => {
  /** Runs a step whose prompt is delayed. Acts before the next read of the job, which then has other fields. */
  function delayPrompt(act: (asked: Asked) => unknown, fields: object = {}): Promise<World> {
    let [isDelayed, isLater] = [false, false]
    const limit = (asked: Asked): ServiceResponse => {
      if (isDelayed) return asked.answer()
      isDelayed = true
      return refusing(429, { 'retry-after': '1800' })()
    }
    const onAsked: WorldOptions['onAsked'] = (what, asked) => {
      if (isDelayed && !isLater && what === READ) act(asked)
      isLater ||= isDelayed && what === READ
    }
    return goOn({}, { onAsked, answers: { [MESSAGE]: limit, [READ]: changing(() => (isLater ? fields : {})) } })
  }
  const nothing = (): undefined => undefined

  test('is sent, and counted once, if nothing has changed', async () => {
    const world = await delayPrompt(nothing)
    expect(takers(world)).toEqual(['job_finished'])
    expect(getMarkerComment(world)).toContain('follow-ups=1 ')
  })

  test.each([
    ['the pull request is closed', closeOldest, {}],
    ['the job is archived', nothing, { status: 'archived' }],
    ['the job names another pull request', nothing, ELSEWHERE],
    ['another turn starts', prompt, {}],
  ])('is not sent if %s in the meantime', async (_what, act, fields) => {
    const { report, messages } = await delayPrompt(act, fields)
    expect(messages).toEqual(act === prompt ? ['Else.'] : [])
    expect(report).toMatchObject(UNSENT)
  })
})
