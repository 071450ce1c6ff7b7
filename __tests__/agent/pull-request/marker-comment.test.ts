import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { announceTurn, countFollowUp, nameJob, writeLog } from '../../../src/agent/pull-request/marker-comment.ts'
import type { AgentStep } from '../../../src/agent/journal.ts'
import type { LogPlace } from '../../../src/agent/report/report.ts'
import type { TurnState } from '../../../src/agent/report/turn.ts'
import { TOKEN_USER } from '../../../src/emulator/github/demo-state.ts'
import type { GitHub } from '../../../src/github/github.ts'
import { ActionError } from '../../../src/runtime/errors.ts'
import { active } from '../../support/fake-client.ts'
import { fakeClock, createStepClock } from '../../support/fake-clock.ts'
import { fakeGitHub, PULL_REQUEST, createGitHubError, RUN_FACTS } from '../../support/fake-github.ts'
import { agentInputs, fakeStep, type StepFields } from '../../support/fake-step.ts'
import { withGitHub } from '../../support/github-client.ts'
import { repositoryWithPull } from '../../support/github-state.ts'
import { changeMarker, isOwnComment, readMarker } from '../../support/marker-bodies.ts'
import { ATTACH, endWith } from '../../support/report.ts'
import { SEED } from '../../support/seed.ts'
import {
  hasCompleted,
  MARKED,
  SharedComments,
  withWorkingRows,
  type CommentRequest,
} from '../../support/shared-comments.ts'
import { virtualClock } from '../../support/virtual-clock.ts'

const PLACE: LogPlace = { pullRequest: PULL_REQUEST, jobId: 'job_1', comment: { kind: 'missing' }, followUps: 0 }
const LOGGED = `${MARKED}\n\n<!-- docs-agent-action: log -->\n\n| When (UTC) | Started by | Result |\n| --- | --- | --- |`
const ROW = /\| schedule \| .*opened/

/** A step that has opened a pull request. */
function stepWith(comments: SharedComments, { label = 'docs-agent', ...fields }: StepFields & { label?: string } = {}) {
  const step = fakeStep({ github: fakeGitHub(comments.github), inputs: agentInputs({ label }), ...fields })
  step.journal.begin({ task: step.inputs.task })
  step.journal.updateTurn(endWith('created'))
  step.journal.setLogPlace(PLACE)
  step.journal.recordTrigger({ text: 'schedule' })
  return step
}

const listWarnings = ({ journal }: AgentStep): readonly string[] =>
  journal.warnings.map(({ message, error }) => `${message}: ${error.message}`)

describe('the log', () => {
  test.each<[string, Partial<LogPlace>, string[], CommentRequest[]]>([
    ['the known comment', { comment: { kind: 'known', id: 1 } }, [MARKED], ['read', 'edit', 'read']],
    ['the comment that names the job', {}, [MARKED], ['list', 'read', 'edit', 'read']],
    ['the newest comment that names the job', {}, [`${MARKED} Full.`, MARKED], ['list', 'read', 'edit', 'read']],
    ['a new comment if none names the job', {}, [], ['list', 'add']],
  ])('is written to %s', async (_where, place, bodies, requests) => {
    const comments = new SharedComments(bodies)
    const step = stepWith(comments)
    step.journal.setLogPlace({ ...PLACE, ...place })
    await writeLog(step)
    expect([listWarnings(step), comments.requests]).toEqual([[], requests])
    expect(comments.bodies.at(-1)).toMatch(ROW)
    expect(comments.bodies.slice(0, -1)).toEqual(bodies.slice(0, -1))
    expect(readMarker(comments.bodies.at(-1) ?? '')).toMatchObject({ jobId: 'job_1', labels: ['docs-agent'] })
  })

  test('stays in its comment if somebody adds a newer marker comment', async () => {
    const comments = new SharedComments([LOGGED, MARKED])
    await writeLog(stepWith(comments))
    expect(comments.bodies).toEqual([expect.stringMatching(ROW), MARKED])
  })

  test('is not written to the comment of an untrusted author', async () => {
    const comments = new SharedComments([MARKED, MARKED, MARKED])
    const listComments: GitHub['listComments'] = async () =>
      (await comments.github.listComments(PULL_REQUEST, isOwnComment)).map((comment, index) => ({
        ...comment,
        author: (['bot', 'trusted', 'untrusted'] as const)[index] ?? 'untrusted',
      }))
    await writeLog(stepWith(comments, { github: fakeGitHub({ ...comments.github, listComments }) }))
    expect(comments.bodies.map((body) => ROW.test(body))).toEqual([false, true, false])
  })

  test('is not written without a pull request, or without a label', async () => {
    const comments = new SharedComments([MARKED])
    await writeLog(stepWith(comments, { label: '' }))
    const step = stepWith(comments)
    step.journal.setLogPlace(undefined)
    await writeLog(step)
    expect(comments.requests).toEqual([])
  })

  test('is replaced by a warning if the token may not write it', async () => {
    const comments = new SharedComments([MARKED])
    comments.faults.edit = [createGitHubError('forbidden')]
    const step = stepWith(comments)
    await writeLog(step)
    expect(listWarnings(step)).toEqual([
      'The log in the pull request may not have been written: GitHub said forbidden.',
    ])
    expect(comments.bodies).toEqual([MARKED])
  })

  test('is read until no other step writes, because a third step may overwrite it with an older version', async () => {
    const comments = new SharedComments([MARKED])
    const byOther = withWorkingRows(MARKED, [901])
    // After the first write, another step adds its row. Then a third step writes the version from before the first write.
    const others = [(body: string) => body, (body: string) => withWorkingRows(body, [901]), () => byOther]
    const readComment: GitHub['readComment'] = (place, id) => {
      comments.bodies[0] = others.shift()?.(comments.bodies[0] ?? '') ?? comments.bodies[0] ?? ''
      return comments.github.readComment(place, id)
    }
    const step = stepWith(comments, { github: fakeGitHub({ ...comments.github, readComment }) })
    step.journal.setLogPlace({ ...PLACE, comment: { kind: 'known', id: 1 } })
    await writeLog(step)
    expect([listWarnings(step), comments.requests]).toEqual([[], ['read', 'edit', 'read', 'read', 'edit', 'read']])
    expect(comments.bodies[0]).toMatch(ROW)
    expect(comments.bodies[0]).toContain('<!-- row=901.')
  })

  test('is merged with updates that other steps write during the lookup of completed runs', async () => {
    const comments = new SharedComments([withWorkingRows(MARKED, [902])])
    const hasCompleted: GitHub['hasCompleted'] = () => {
      comments.bodies[0] = withWorkingRows(comments.bodies[0] ?? '', [901])
      return Promise.resolve(true)
    }
    const step = stepWith(comments, { github: fakeGitHub({ ...comments.github, hasCompleted }) })
    await countFollowUp({ ...PLACE, comment: { kind: 'known', id: 1 } }, step)
    expect(comments.requests).toEqual(['read', 'read', 'edit', 'read'])
    expect(comments.bodies[0]).toMatch(/working since.*<!-- row=901\./)
    expect(comments.bodies[0]).toMatch(/the run ended first.*<!-- row=902\./)
  })

  test('does not overwrite a comment that no longer names the job', async () => {
    const comments = new SharedComments(['Mine.'])
    const step = stepWith(comments)
    step.journal.setLogPlace({ ...PLACE, comment: { kind: 'known', id: 1 } })
    await writeLog(step)
    expect([listWarnings(step), comments.requests]).toEqual([
      [expect.stringContaining('no longer names job job_1.')],
      ['read'],
    ])
  })

  test('is reported as not written if it does not appear within the maximum replica lag', async () => {
    const comments = new SharedComments([MARKED])
    const clock = fakeClock()
    const editComment = () => Promise.resolve()
    const step = stepWith(comments, { clock, github: fakeGitHub({ ...comments.github, editComment }) })
    await writeLog(step)
    expect(listWarnings(step)).toEqual([expect.stringContaining('still has its previous text.')])
    expect(clock.passed()).toBeLessThan(20_000)
  })

  test('contains no secrets', async () => {
    const comments = new SharedComments([])
    const core = { ...fakeStep().core, redact: (text: string) => text.replaceAll('schedule', '***') }
    await writeLog(stepWith(comments, { core }))
    expect(comments.bodies[0]).toContain('| *** |')
  })

  test.each<[string, Partial<LogPlace>, string[], CommentRequest[]]>([
    ['known', { comment: { kind: 'known', id: 1 } }, [MARKED], ['read', 'edit']],
    ['listed', {}, [MARKED], ['list', 'edit']],
    ['missing', {}, [], ['list', 'add']],
  ])(
    'takes one read and one write within a second after a cancellation (the comment is %s)',
    async (_what, place, bodies, requests) => {
      const comments = new SharedComments(bodies)
      const clock = fakeClock()
      const github = fakeGitHub(comments.github)
      const signals: (AbortSignal | undefined)[] = []
      const until: GitHub['until'] = (at, signal) => {
        signals.push(signal)
        return { ...github.until(at, signal), until }
      }
      const signal = AbortSignal.abort(new ActionError('cancelled', 'The run was cancelled.'))
      const step = stepWith(comments, { clock, signal, github: { ...github, until } })
      step.journal.setLogPlace({ ...PLACE, ...place })
      await writeLog(step)
      expect([listWarnings(step), comments.requests, clock.passed()]).toEqual([[], requests, 0])
      expect(github.deadlines.at(-1)).toBe(clock.now() + 1_000)
      expect(signals.at(-1)?.aborted).toBe(false)
    },
  )

  test('ends 1.5 s after the deadline at the latest', async () => {
    const comments = new SharedComments([MARKED])
    const clock = fakeClock()
    const github = fakeGitHub(comments.github)
    await writeLog(stepWith(comments, { clock, github, timeoutMs: 0 }))
    expect(github.deadlines.at(-1)).toBe(clock.now() + 1_500)
    expect([comments.requests, clock.passed()]).toEqual([['list', 'edit'], 0])
  })
})

test.each<[what: string, hasSeenEnd: boolean, isAttached: boolean, state: TurnState, settled: readonly number[]]>([
  ['a step that has seen the job end', true, true, endWith('none'), [902]],
  ['a step that has read the end once', false, true, endWith('none'), []],
  ['a step that has not seen the end', true, true, { kind: 'timed-out', job: active }, []],
  ['a step that has started the job', true, false, endWith('created'), []],
])('%s settles the rows of killed steps: %j', async (_what, hasSeenEnd, isAttached, state, settled) => {
  const comments = new SharedComments([withWorkingRows(MARKED, [901, 902])])
  const step = stepWith(comments, isAttached ? { inputs: agentInputs({ task: ATTACH, label: 'docs-agent' }) } : {})
  step.journal.updateTurn(state)
  await writeLog(step, (jobId) => hasSeenEnd && jobId === 'job_1')
  expect(listWarnings(step)).toEqual([])
  const working = (runId: number) => comments.bodies[0]?.match(new RegExp(`.*working since.*row=${runId}\\.`, 'm'))
  expect([901, 902].filter((runId) => working(runId) === null)).toEqual(settled)
})

test.each<[string, (ActionError | 'response-lost')[], CommentRequest[]]>([
  ['is read back', [], ['read', 'edit', 'read']],
  ['is written again after a 502', [createGitHubError('service-error')], ['read', 'edit', 'read', 'edit', 'read']],
])('the row of a turn before its prompt %s', async (_what, edit, requests) => {
  const comments = new SharedComments([MARKED])
  comments.faults.edit = [...edit]
  const step = stepWith(comments)
  step.journal.setLogPlace({ ...PLACE, comment: { kind: 'known', id: 1 } })
  await announceTurn(step)
  expect([listWarnings(step), comments.requests]).toEqual([[], requests])
  expect(comments.bodies[0]).toMatch(/\| schedule \| .*working since/)
})

describe('a write whose result is unknown', () => {
  test.each<[string, (ActionError | 'response-lost')[], CommentRequest[]]>([
    ['does not write again if the write succeeded', ['response-lost'], ['list', 'read', 'edit', 'read']],
    [
      'writes again if the write failed',
      [createGitHubError('service-error')],
      ['list', 'read', 'edit', 'read', 'edit', 'read'],
    ],
    ['writes later if the write was rate-limited', [limited(5_000)], ['list', 'read', 'edit', 'read', 'edit', 'read']],
  ])('reads the comment, and %s', async (_what, edit, requests) => {
    const comments = new SharedComments([MARKED])
    comments.faults.edit = [...edit]
    const clock = fakeClock()
    const step = stepWith(comments, { clock })
    await writeLog(step)
    expect([listWarnings(step), comments.requests]).toEqual([[], requests])
    expect(comments.bodies[0]?.match(new RegExp(ROW, 'g'))).toHaveLength(1)
    if (edit[0] instanceof ActionError && edit[0].retryAfterMs) expect(clock.passed()).toBeGreaterThanOrEqual(5_000)
  })

  test.each([
    ['GitHub said service-error.', createGitHubError('service-error')],
    ['Slow down.', limited(1_000)],
  ])('stops after eight writes with the reason of the last one: %s', async (reason, error) => {
    const comments = new SharedComments([MARKED])
    comments.faults.edit = Array<ActionError>(9).fill(error)
    const step = stepWith(comments)
    await expect(countFollowUp({ ...PLACE, comment: { kind: 'known', id: 1 } }, step)).rejects.toThrow(reason)
    expect(comments.requests.filter((request) => request === 'edit')).toHaveLength(8)
  })

  test('stops if the rate limit lasts too long', async () => {
    const comments = new SharedComments([MARKED])
    comments.faults.edit = [limited(60_000)]
    const step = stepWith(comments)
    await writeLog(step)
    expect([listWarnings(step).length, comments.requests]).toEqual([1, ['list', 'read', 'edit']])
  })
})

function limited(retryAfterMs: number): ActionError {
  return new ActionError('rate-limited', 'Slow down.', { retryAfterMs })
}

test('merges an update again after a failed write instead of resending the same text', async () => {
  const docs = repositoryWithPull({
    comments: [{ id: 5, user: TOKEN_USER, body: MARKED, createdAtMs: 0, reactions: [] }],
  })
  const [comment] = docs.pulls[7]?.comments ?? []
  let edits = 0
  const onBeforeResponse = (operation: string): void => {
    if (operation === 'issues/update-comment' && ++edits === 1 && comment !== undefined)
      comment.body = withWorkingRows(comment.body, [901])
  }
  const faults = { 'issues/update-comment': [502] }
  await withGitHub({ docs, faults, onBeforeResponse }, async (github, { operations, clock }) => {
    const step = stepWith(new SharedComments([]), { clock, github })
    step.journal.setLogPlace({ ...PLACE, comment: { kind: 'known', id: 5 } })
    await writeLog(step)
    expect(listWarnings(step)).toEqual([])
    expect(comment?.body).toMatch(ROW)
    expect(comment?.body).toContain('<!-- row=901.')
    const [read, edit] = ['issues/get-comment', 'issues/update-comment']
    expect(operations).toEqual([read, edit, read, edit, read])
  })
})

test.each([
  [0, [2_000, 2_000, 2_000]],
  [0.5, [2_500, 3_000, 3_500]],
  [0.9, [2_900, 3_800, 4_700]],
])(
  'adds jitter between simultaneous steps: with random value %d, a step pauses %j ms after its writes',
  async (chance, pausesMs) => {
    const comments = new SharedComments([MARKED])
    const others = [902, 904].values()
    const readComment: GitHub['readComment'] = (place, id) => {
      const { requests, bodies } = comments
      // Another step has overwritten the first two writes.
      const other = requests.filter((request) => request === 'edit').length > 0 ? others.next().value : undefined
      if (other !== undefined) bodies[0] = withWorkingRows(MARKED, [other])
      return comments.github.readComment(place, id)
    }
    const clock = fakeClock()
    const github = fakeGitHub({ ...comments.github, readComment })
    const step = stepWith(comments, { clock, github, random: () => chance })
    step.journal.setLogPlace({ ...PLACE, comment: { kind: 'known', id: 1 } })
    await writeLog(step)
    expect([listWarnings(step), clock.sleeps]).toEqual([[], pausesMs])
  },
)

describe('a full comment', () => {
  test('is written once if the new row is older than all others', async () => {
    const newer = withWorkingRows(MARKED, [901]).replaceAll('.901 -->', `.${Date.UTC(2027, 0, 1)} -->`)
    const comments = new SharedComments([`${newer}\n\n${'x'.repeat(65_000 - newer.length - 82)}`])
    const step = stepWith(comments)
    step.journal.setLogPlace({ ...PLACE, comment: { kind: 'known', id: 1 } })
    await writeLog(step)
    expect([listWarnings(step), comments.requests]).toEqual([[], ['read', 'edit', 'read']])
    expect(comments.bodies[0]).toContain('_Not listed: 1 earlier turn._')
  })

  const FILLED = `${MARKED}\n\n${'x'.repeat(65_000)}`

  test('is followed by a second one, which keeps the count and is used by later steps', async () => {
    const comments = new SharedComments([changeMarker(FILLED, { followUps: 7 })])
    await writeLog(stepWith(comments))
    const [first, second = ''] = comments.bodies
    expect(first).toBe(changeMarker(FILLED, { followUps: 7 }))
    expect(second).toMatch(ROW)
    expect(second).toContain('The log continues here')
    expect(second).toContain('7 of 20 used')
    expect(readMarker(second)).toMatchObject({ jobId: 'job_1', labels: ['docs-agent'], followUps: 7 })
    await writeLog(stepWith(comments, { context: { ...RUN_FACTS, runId: 43 } }))
    expect(comments.bodies).toHaveLength(2)
    expect(comments.bodies[1]?.match(/<!-- row=/g)).toHaveLength(2)
  })

  test('is not continued twice: a step that only knows the first comment finds the second', async () => {
    const comments = new SharedComments([
      changeMarker(FILLED, { followUps: 7 }),
      changeMarker(MARKED, { followUps: 9 }),
    ])
    const step = stepWith(comments)
    step.journal.setLogPlace({ ...PLACE, comment: { kind: 'known', id: 1 } })
    await writeLog(step)
    expect([comments.bodies.length, listWarnings(step)]).toEqual([2, []])
    expect(comments.bodies[1]).toMatch(ROW)
    expect(readMarker(comments.bodies[1] ?? '')).toMatchObject({ followUps: 9 })
  })

  test('is followed by a second one if its log leaves no room for a count', async () => {
    const comments = new SharedComments([changeMarker(`${LOGGED}\n\n${'x'.repeat(65_000)}`, { followUps: 7 })])
    const step = stepWith(comments)
    const count = () => countFollowUp({ ...PLACE, comment: { kind: 'known', id: 1 }, followUps: 7 }, step)
    expect([await count(), await count()]).toMatchObject([
      { comment: { kind: 'known', id: 2 } },
      { comment: { kind: 'known', id: 2 } },
    ])
    await writeLog(step)
    expect(comments.bodies).toHaveLength(2)
    expect(readMarker(comments.bodies[1] ?? '')).toMatchObject({ followUps: 9 })
    expect(comments.bodies[1]).toMatch(ROW)
  })

  test('is followed by the one that a cancelled step writes to, if the step has written to it before', async () => {
    const comments = new SharedComments([FILLED])
    const cancel = new AbortController()
    const step = stepWith(comments, { signal: cancel.signal })
    step.journal.setLogPlace({ ...PLACE, comment: { kind: 'known', id: 1 } })
    await announceTurn(step)
    expect(comments.bodies[1]).toMatch(/working since/)
    cancel.abort(new ActionError('cancelled', 'The run was cancelled.'))
    await writeLog(step)
    expect([listWarnings(step), comments.bodies.length]).toEqual([[], 2])
    expect(comments.bodies[1]).toMatch(ROW)
    expect(comments.bodies[1]).not.toMatch(/working since/)
  })

  test('no longer says that the agent is working after the turn has ended', async () => {
    const comments = new SharedComments([withWorkingRows(MARKED, [901])])
    const step = stepWith(comments)
    step.journal.setLogPlace({ ...PLACE, comment: { kind: 'known', id: 1 } })
    await announceTurn(step)
    const [announced = ''] = comments.bodies
    const people = 'x'.repeat(65_300 - announced.length)
    comments.bodies[0] = announced + people
    await writeLog(step)
    expect([listWarnings(step), comments.bodies.length]).toEqual([[], 2])
    const [first = '', second] = comments.bodies
    expect(first.match(/working since.*row=\d+/g)).toEqual([expect.stringMatching(/row=901$/)])
    expect(first).toMatch(ROW)
    expect(first).toContain(people)
    expect(second).toMatch(ROW)
  })

  test('is detected by a rejected edit', async () => {
    const comments = new SharedComments([MARKED])
    comments.faults.edit = [createGitHubError('rejected')]
    const step = stepWith(comments)
    await writeLog(step)
    expect([listWarnings(step), comments.requests, comments.bodies[0]]).toEqual([
      [],
      ['list', 'read', 'edit', 'list', 'add', 'list'],
      MARKED,
    ])
    expect(comments.bodies[1]).toMatch(ROW)
  })
})

describe('the comment that names the job', () => {
  /** Names the job of a step that created the job or attached to it. */
  async function name(comments: SharedComments, isNew: boolean) {
    const clock = fakeClock()
    const step = stepWith(comments, {
      clock,
      inputs: agentInputs({ label: 'docs-agent', ...(!isNew && { task: ATTACH }) }),
    })
    step.journal.setLogPlace(undefined)
    await nameJob(PULL_REQUEST, 'job_1', step)
    return { step, sent: comments.requests, log: step.journal.logPlace }
  }

  test('is added for a new job without listing comments', async () => {
    const comments = new SharedComments([])
    const { sent, log, step } = await name(comments, true)
    expect([sent, comments.bodies, log?.comment]).toEqual([['add'], [MARKED], { kind: 'known', id: 1 }])
    await nameJob(PULL_REQUEST, 'job_1', step)
    expect(sent).toEqual(['add'])
  })

  test.each<[string, string[], CommentRequest[]]>([
    ['is added if there is none', [], ['list', 'add']],
    ['does not change if it has the label', [`${MARKED} Mine.`], ['list']],
    [
      'gets the label if it has another one',
      [MARKED.replace('docs-agent -->', 'docs -->')],
      ['list', 'read', 'edit', 'read'],
    ],
  ])('for an existing job %s', async (_what, bodies, requests) => {
    const comments = new SharedComments(bodies)
    const { sent, log, step } = await name(comments, false)
    expect([sent, comments.bodies.length, listWarnings(step)]).toEqual([requests, 1, []])
    expect(log?.comment).toEqual({ kind: 'known', id: 1 })
    expect(readMarker(comments.bodies[0] ?? '')?.labels).toContain('docs-agent')
  })

  test.each<[string, (ActionError | 'response-lost')[], CommentRequest[], number | undefined]>([
    ['is not added twice if the response was lost', ['response-lost'], ['add', 'list'], 1],
    ['is added again after a 502', [createGitHubError('service-error')], ['add', 'list', 'add'], 1],
    [
      'is added again only once',
      [createGitHubError('service-error'), createGitHubError('service-error')],
      ['add', 'list', 'add'],
      undefined,
    ],
    ['is not added again after a 403', [createGitHubError('forbidden')], ['add'], undefined],
  ])('%s', async (_what, add, requests, commentId) => {
    const comments = new SharedComments([])
    comments.faults.add = [...add]
    const { sent, log, step } = await name(comments, true)
    expect(sent).toEqual(requests)
    expect(log?.comment).toEqual(commentId === undefined ? { kind: 'id-unknown' } : { kind: 'known', id: commentId })
    expect(listWarnings(step)).toHaveLength(commentId === undefined ? 1 : 0)
    // The step writes the missing comment at its end.
    if (add[0] === 'response-lost' || commentId !== undefined) return
    await writeLog(step)
    expect(comments.bodies).toEqual([expect.stringMatching(ROW)])
  })
})

type Write = 'announcement' | 'count' | 'log, its comment known' | 'log, its comment listed'

const WRITES = fc.constantFrom<Write>('announcement', 'count', 'log, its comment known', 'log, its comment listed')

async function write(kind: Write, step: AgentStep): Promise<void> {
  const place = { ...PLACE, comment: { kind: 'known', id: 1 } } as const
  step.journal.setLogPlace(kind === 'log, its comment listed' ? PLACE : place)
  if (kind === 'announcement') await announceTurn(step)
  else if (kind === 'count') await countFollowUp(place, step)
  else await writeLog(step)
}

test('simultaneous steps lose no row and change no text of people', async () => {
  const latency = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 40 })
  const otherLatency = fc.array(fc.integer({ min: 100, max: 3_000 }), { minLength: 1, maxLength: 9 })
  const chances = fc.uniqueArray(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 7, maxLength: 20 })
  const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 3_000 }), WRITES), { minLength: 2, maxLength: 6 })
  const left = fc.subarray([901, 902, 903])
  await fc.assert(
    fc.asyncProperty(steps, left, latency, otherLatency, chances, async (drawn, runIds, latencies, others, randoms) => {
      const baseClock = virtualClock()
      const clock = createStepClock(baseClock)
      const cycle = (values: readonly number[]) => {
        let next = 0
        return () => values[next++ % values.length] ?? 0
      }
      const random = cycle(randoms)
      const body = withWorkingRows(`${MARKED}\n\nMine.`, runIds)
      const comments = new SharedComments([body], clock, cycle(latencies), cycle(others))
      const writing = drawn.map(async ([startMs, kind], index) => {
        await clock.sleep(startMs)
        const step = stepWith(comments, { clock, context: { ...RUN_FACTS, runId: index + 1 }, random })
        await write(kind, step)
        return listWarnings(step)
      })
      const warnings = await baseClock.passUntil(Promise.all(writing))
      const [text = '', ...more] = comments.bodies
      const rows = Array.from(text.matchAll(/<!-- row=(\d+)\./g), ([, run]) => Number(run))
      expect(rows.toSorted((a, b) => a - b)).toEqual([...drawn.map((_, index) => index + 1), ...runIds])
      expect([warnings.flat(), more]).toEqual([[], []])
      const counts = drawn.filter(([, kind]) => kind === 'count').length
      expect(readMarker(text)?.followUps).toBe(counts)
      expect(text).toContain('Mine.')
      const working = Array.from(text.matchAll(/working since.*<!-- row=(9\d+)\./g), ([, run]) => Number(run))
      if (counts > 0) expect(working.filter(hasCompleted)).toEqual([])
    }),
    { seed: SEED, numRuns: 100 },
  )
})
