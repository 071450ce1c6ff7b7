import { describe, expect, test } from '@jest/globals'
import { readMarker, withFollowUps } from '../../../src/agent/pull-request/marker.ts'
import { countFollowUp } from '../../../src/agent/task/count-follow-up.ts'
import type { GitHub } from '../../../src/github/github.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { fakeGitHub, MARKER, PULL_REQUEST, RUN_FACTS } from '../../support/fake-github.ts'
import { fakeStep } from '../../support/fake-step.ts'

/** A comment that everybody can write anew. */
class Shared {
  readonly written: string[] = []
  readonly clock = fakeClock()
  body: string

  constructor(followUps = 0) {
    this.body = followUps === 0 ? MARKER.body : withFollowUps(MARKER.body, followUps, 'before')
  }

  /** Counts as one run does. */
  count({ runId = 1, counted = 0, ...answers }: Partial<GitHub> & { runId?: number; counted?: number } = {}) {
    const rolling = { pullRequest: PULL_REQUEST, jobId: 'job_1', commentId: MARKER.id, followUps: counted }
    const github = fakeGitHub({
      readComment: () => Promise.resolve(this.body),
      editComment: (_place, _id, body) => {
        this.written.push(body)
        this.body = body
        return Promise.resolve()
      },
      ...answers,
    })
    return countFollowUp(rolling, fakeStep({ clock: this.clock, context: { ...RUN_FACTS, runId }, github }))
  }

  get counts(): (number | undefined)[] {
    return this.written.map((body) => readMarker(body)?.followUps)
  }
}

test('is written once where nobody else counts', async () => {
  const shared = new Shared(3)
  expect([await shared.count(), shared.counts, shared.clock.passed()]).toEqual([true, [4], 0])
})

test('goes on from what others have counted since, and not past the most', async () => {
  const shared = new Shared(19)
  expect([await shared.count({ counted: 5 }), shared.counts]).toEqual([true, [20]])
  expect([await shared.count({ counted: 5 }), shared.counts]).toEqual([false, [20]])
})

test.each([2, 3])('of %i runs at once none is lost', async (runs) => {
  const shared = new Shared(3)
  const counted = await Promise.all(Array.from({ length: runs }, (_, runId) => shared.count({ runId })))
  expect(counted).not.toContain(false)
  expect(readMarker(shared.body)?.followUps).toBeGreaterThanOrEqual(3 + runs)
})

test('is not written again because a copy of GitHub still has the old text', async () => {
  const shared = new Shared(3)
  const old = shared.body
  const readComment = () => Promise.resolve(shared.clock.passed() < 6_000 ? old : shared.body)
  expect([await shared.count({ readComment }), shared.counts]).toEqual([true, [4]])
})

describe('fails, so that nothing is sent,', () => {
  test.each<[string, Partial<GitHub>, number]>([
    ['if what was written is never there', { readComment: () => Promise.resolve(MARKER.body) }, 1],
    ['if the comment names another job', { readComment: () => Promise.resolve(MARKER.body.replace('_1', '_2')) }, 0],
    ['if the comment says nothing any more', { readComment: () => Promise.resolve('') }, 0],
  ])('%s', async (_what, answers, writes) => {
    const shared = new Shared()
    await expect(shared.count(answers)).rejects.toMatchObject({ code: 'rejected' })
    expect(shared.written).toHaveLength(writes)
  })

  test('if another run writes each time that it is read back', async () => {
    const shared = new Shared()
    let reads = 0
    const readComment = () => Promise.resolve(withFollowUps(MARKER.body, 3, `other-${reads++}`))
    await expect(shared.count({ readComment })).rejects.toMatchObject({ code: 'rejected' })
    expect(shared.written).toHaveLength(4)
  })
})
