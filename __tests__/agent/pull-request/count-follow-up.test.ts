import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { ListedLogComment, LogPlace } from '../../../src/agent/report/report.ts'
import { countFollowUp } from '../../../src/agent/pull-request/marker-comment.ts'
import type { GitHub } from '../../../src/github/github.ts'
import { fakeClock, createStepClock } from '../../support/fake-clock.ts'
import { fakeGitHub, PULL_REQUEST, createGitHubError, RUN_FACTS } from '../../support/fake-github.ts'
import { agentInputs, fakeStep, type StepFields } from '../../support/fake-step.ts'
import { changeMarker, readMarker } from '../../support/marker-bodies.ts'
import { SEED } from '../../support/seed.ts'
import { MARKED, SharedComments, withWorkingRows } from '../../support/shared-comments.ts'
import { virtualClock } from '../../support/virtual-clock.ts'

const PLACE = { pullRequest: PULL_REQUEST, jobId: 'job_1', comment: { kind: 'known', id: 1 }, followUps: 0 } as const

const commentsWith = (followUps: number): SharedComments =>
  new SharedComments([changeMarker(MARKED, { followUps, countedBy: [] })])

/** Counts a follow-up of one run. */
function count(
  comments: SharedComments,
  {
    place,
    responses,
    ...fields
  }: StepFields & { place?: Partial<LogPlace<ListedLogComment>>; responses?: Partial<GitHub> } = {},
) {
  const github = fakeGitHub({ ...comments.github, ...responses })
  const step = fakeStep({ github, inputs: agentInputs({ label: 'docs-agent' }), ...fields })
  return countFollowUp({ ...PLACE, ...place }, step)
}

const countIn = (comments: SharedComments, index = 0): number | undefined =>
  readMarker(comments.bodies[index] ?? '')?.followUps

test('does not lower the count after a stale read while another run counts', async () => {
  const comments = commentsWith(3)
  const stale = comments.bodies[0] ?? ''
  const another = changeMarker(stale, { followUps: 8, countedBy: ['another'] })
  // The first read is stale, and the write that follows it overwrites the count of the other run, which then counts again.
  const reads = [stale, another]
  const readComment = () => Promise.resolve(reads.shift() ?? comments.bodies[0] ?? '')
  await count(comments, { responses: { readComment } })
  expect(countIn(comments)).toBe(9)
})

test('writes the count once and reads it back if no other run counts', async () => {
  const comments = commentsWith(3)
  const counted = await count(comments)
  expect([countIn(comments), comments.requests]).toEqual([4, ['read', 'edit', 'read']])
  expect(counted).toMatchObject({
    comment: { id: 1 },
    followUps: 0,
    signature: expect.stringMatching(/^42\.1\./) as unknown,
  })
})

test('continues from the count of other runs, and stops at the maximum', async () => {
  const comments = commentsWith(19)
  expect([await count(comments, { place: { followUps: 5 } }), countIn(comments)]).toEqual([expect.anything(), 20])
  const bodies = [...comments.bodies]
  const another = { place: { followUps: 5 }, context: { ...RUN_FACTS, runId: 43 } }
  expect([await count(comments, another), comments.bodies]).toEqual(['used-up', bodies])
})

test('does not lower the count because of an old version of the comment', async () => {
  const comments = commentsWith(3)
  expect([await count(comments, { place: { followUps: 20 } }), countIn(comments)]).toEqual(['used-up', 3])
  await count(comments, { place: { followUps: 9 } })
  expect([countIn(comments), comments.requests]).toEqual([10, ['read', 'read', 'edit', 'read']])
})

test('counts exactly for simultaneous runs, up to the maximum', async () => {
  const latency = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 40 })
  const chances = fc.uniqueArray(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 7, maxLength: 20 })
  const starts = fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 2, maxLength: 5 })
  const before = fc.integer({ min: 0, max: 20 })
  // Text that people have added to the comment, which may leave no room for a count.
  const filled = fc.constantFrom('', 'x'.repeat(65_000))
  // Rows of other runs, which must be settled if the comment has room.
  const left = fc.subarray([901, 902, 903])
  const otherLatency = fc.array(fc.integer({ min: 100, max: 3_000 }), { minLength: 1, maxLength: 9 })
  await fc.assert(
    fc.asyncProperty(
      before,
      starts,
      latency,
      chances,
      filled,
      left,
      otherLatency,
      async (followUps, startsMs, latencies, randoms, text, runIds, others) => {
        const baseClock = virtualClock()
        const clock = createStepClock(baseClock)
        let [requests, drawn, otherRequests] = [0, 0, 0]
        const comments = new SharedComments(
          commentsWith(followUps).bodies.map((body) => (text === '' ? withWorkingRows(body, runIds) : body + text)),
          clock,
          () => latencies[requests++ % latencies.length] ?? 0,
          () => (text === '' ? (others[otherRequests++ % others.length] ?? 0) : 0),
        )
        const random = () => randoms[drawn++ % randoms.length] ?? 0
        const counting = startsMs.map(async (startMs, index) => {
          await clock.sleep(startMs)
          return count(comments, { clock, random, context: { ...RUN_FACTS, runId: index + 1 } })
        })
        const counted = await baseClock.passUntil(Promise.all(counting))
        const sent = counted.filter((result) => result !== 'used-up').length
        const all = Math.min(20, followUps + startsMs.length)
        expect([countIn(comments, comments.bodies.length - 1), followUps + sent]).toEqual([all, all])
      },
    ),
    { seed: SEED, numRuns: 100 },
  )
})

test('does not write again if a lagging replica returns the old text', async () => {
  const comments = commentsWith(3)
  const [clock, old] = [fakeClock(), comments.bodies[0] ?? '']
  const readComment = () => Promise.resolve(clock.passed() < 6_000 ? old : (comments.bodies[0] ?? ''))
  expect(await count(comments, { clock, responses: { readComment } })).not.toBe('used-up')
  expect([countIn(comments), comments.requests]).toEqual([4, ['edit']])
})

test('adds a second comment if other text fills the first', async () => {
  const comments = new SharedComments([`${changeMarker(MARKED, { followUps: 3 })}${'x'.repeat(65_000)}`])
  expect(await count(comments)).toMatchObject({ comment: { kind: 'known', id: 2 } })
  expect([countIn(comments, 0), countIn(comments, 1)]).toEqual([3, 4])
})

describe('fails, so that no prompt is sent,', () => {
  const changed = (text: string) => new SharedComments([text])

  test.each<[string, SharedComments, Partial<GitHub>, number]>([
    ['if the written text never appears', commentsWith(0), { readComment: () => Promise.resolve(MARKED) }, 1],
    ['if the comment names another job', changed(MARKED.replace('_1', '_2')), {}, 0],
    ['if the comment is now empty', changed(''), {}, 0],
  ])('%s', async (_what, comments, responses, writes) => {
    await expect(count(comments, { responses })).rejects.toMatchObject({ code: 'rejected' })
    expect(comments.requests.filter((request) => request === 'edit')).toHaveLength(writes)
  })

  test('if no trusted author wrote the comment', async () => {
    const counted = count(commentsWith(0), { place: { comment: { kind: 'untrusted' } } })
    await expect(counted).rejects.toMatchObject({ code: 'not-sent' })
  })

  test('if another run overwrites the comment before each read', async () => {
    const comments = commentsWith(0)
    let reads = 0
    const readComment = () => Promise.resolve(changeMarker(MARKED, { followUps: 3, countedBy: [`other-${reads++}`] }))
    await expect(count(comments, { responses: { readComment } })).rejects.toMatchObject({ code: 'rejected' })
    expect(comments.requests).toHaveLength(8)
  })

  test('if the result of the write stays unknown', async () => {
    const comments = commentsWith(0)
    comments.faults.edit = Array.from({ length: 9 }, () => createGitHubError('service-error'))
    await expect(count(comments)).rejects.toMatchObject({ code: 'service-error' })
  })
})
