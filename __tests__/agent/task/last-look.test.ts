import { describe, expect, test } from '@jest/globals'
import { readMarker } from '../../../src/agent/pull-request/pull-request-marker.ts'
import { toOutputs } from '../../../src/agent/report/outputs.ts'
import { begun, LIMIT_MS, type RollingWorld } from '../../support/rolling-world.ts'

test('each follow-up is counted in the marker, before it is sent', async () => {
  const { world, pull } = await begun()
  const counts: (number | undefined)[] = []
  world.onAsked = (what) => {
    if (what === 'message') counts.push(readMarker(pull.comments[0]?.body ?? '')?.followUps)
  }
  await world.step()
  await world.step()
  expect(counts).toEqual([1, 2])
  expect(pull.comments).toHaveLength(1)
})

test('after twenty follow-ups the step is red, and says to merge or close it', async () => {
  const { world, pull } = await begun()
  for (let count = 0; count < 20; count++) await world.step()
  const { report, taken } = await world.step()

  expect(taken).toEqual([])
  expect(report).toMatchObject({ outcome: 'error', error: { code: 'not-sent' } })
  expect(report.error?.hint).toContain('Merge or close it')
  pull.state = 'merged'
  expect((await world.step()).taken).toMatchObject([{ kind: 'create' }])
})

test('a pull request that is closed before the message is no reason to send nothing: a new job begins', async () => {
  const { world, pull } = await begun()
  world.onAsked = (what) => {
    if (what === 'editComment') pull.state = 'merged'
  }
  const { report, taken } = await world.step()
  expect(taken).toMatchObject([{ kind: 'create', prompt: 'Fix the guide.' }])
  expect(report).toMatchObject({ outcome: 'pull-request', operation: 'created', job: { id: taken[0]?.jobId } })
  expect(toOutputs(report).continued).toBe('')
})

test('without a trusted comment nobody counts, so that nothing is sent', async () => {
  const { world, pull } = await begun()
  const [comment] = pull.comments
  if (comment !== undefined) pull.comments[0] = { ...comment, author: 'stranger' as const }
  const { report, taken } = await world.step()
  expect(taken).toEqual([])
  expect(report).toMatchObject({ outcome: 'error', error: { code: 'not-sent' } })
})

test('a pull request that nobody can read any more is sent nothing', async () => {
  const { world } = await begun()
  let reads = 0
  world.onAsked = (what) => {
    // The first reading is for the head.
    if (what === 'readPullRequest' && ++reads === 2) world.fates.github.push('down')
  }
  const { report, taken } = await world.step()
  expect(taken).toEqual([])
  expect(report.error?.message).toContain('is still open is not known')
})

test('a newer head at the last look is the one before the turn', async () => {
  const { world, pull } = await begun()
  await world.step()
  const [old = '', newest = ''] = pull.pushed
  pull.headSha = old
  world.ending = 'failed'
  world.onAsked = (what) => {
    if (what === 'editComment') pull.headSha = newest
  }
  const { report } = await world.step()
  expect(report).toMatchObject({ outcome: 'failed', turn: 'seen' })
  expect(report.operation).toBeUndefined()
})

describe('a prompt that a rate limit puts off', () => {
  test('is sent, and counted once, if nothing changed meanwhile', async () => {
    const { world, pull } = await begun()
    world.fates.posts.push('limited')
    expect((await world.step()).taken).toMatchObject([{ kind: 'message' }])
    expect(pull.comments[0]?.body).toContain('follow-ups=1 ')
  })

  test.each<[string, (world: RollingWorld) => void]>([
    [
      'the pull request is merged',
      ({ pulls }) => {
        pulls.forEach((pull) => (pull.state = 'merged'))
      },
    ],
    [
      'somebody archives the job',
      ({ jobs, clock }) => {
        jobs.forEach((job) => (job.archivedAt = clock.now()))
      },
    ],
    [
      'another turn begins',
      (world) => world.jobs[0]?.turns.push({ prompt: 'Else.', endsAt: Infinity, ending: 'completed' }),
    ],
  ])('is not sent if %s meanwhile', async (_what, happen) => {
    const { world } = await begun()
    world.fates.posts.push('limited')
    world.after(LIMIT_MS / 2, () => {
      happen(world)
    })
    const { report, taken } = await world.step()
    expect(taken).toEqual([])
    expect(report).toMatchObject({ outcome: 'error', error: { code: 'not-sent' } })
  })
})
