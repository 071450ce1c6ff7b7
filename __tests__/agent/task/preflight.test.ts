import { describe, expect, test } from '@jest/globals'
import { readMarker } from '../../../src/agent/pull-request/marker.ts'
import { toOutputs } from '../../../src/agent/report/outputs.ts'
import { begun, LIMIT_MS, type RollingWorld, type WorldJob } from '../../support/rolling-world.ts'

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

test('a pull request that is closed before the message makes room for the next one that is open', async () => {
  const { world, pull } = await begun()
  await world.step({ onOpenPr: 'new' })
  const [, other] = world.pulls
  world.onAsked = (what) => {
    if (what === 'editComment') pull.state = 'merged'
  }
  const { report, taken, said } = await world.step()
  expect(taken).toMatchObject([{ kind: 'message', jobId: world.jobs[1]?.id }])
  expect(taken[0]?.prompt).toMatch(new RegExp(`^Fix the guide\\.\n\n---\n\nPull request #${other?.number ?? 0} of`))
  expect(toOutputs(report)).toMatchObject({ continued: 'pull-request', 'pr-number': String(other?.number) })
  expect(other?.comments[0]?.body).toContain('follow-ups=1 ')
  expect(said.join('\n')).toContain(`Pull request #${pull.number} was merged meanwhile.`)
})

test('where each that is chosen is closed before the message, the step does not choose for ever', async () => {
  const { world } = await begun()
  for (let count = 0; count < 7; count++) await world.step({ onOpenPr: 'new' })
  world.onAsked = (what) => {
    const [oldest] = world.openPulls()
    if (what === 'editComment' && oldest !== undefined) oldest.state = 'merged'
  }
  const { report, taken } = await world.step()
  expect(taken).toEqual([])
  expect(report).toMatchObject({ outcome: 'error', error: { code: 'not-sent' } })
  expect(world.openPulls()).toHaveLength(3)
})

describe('a job that was proven, and directly before the message', () => {
  type Act = (world: RollingWorld, job: WorldJob) => unknown
  const meanwhile = async (act: Act) => {
    const { world, pull } = await begun()
    const [job] = world.jobs
    let isDone = false
    world.onAsked = (what) => {
      if (what !== 'readComment' || job === undefined || isDone) return
      isDone = true
      act(world, job)
    }
    return { ...(await world.step()), world, pull }
  }
  const beginTurn: Act = ({ clock }, { turns }) =>
    turns.push({ prompt: 'Else.', endsAt: clock.now() + 90_000, ending: 'completed' })

  test.each<[string, Act]>([
    ['names another pull request', (world, job) => (job.pull = world.open().number)],
    ['is archived', ({ clock }, job) => (job.archivedAt = clock.now())],
  ])('%s: it is sent nothing, and the outputs name what the new job does', async (_what, act) => {
    const { taken, report, world } = await meanwhile(act)
    expect(taken).toMatchObject([{ kind: 'create' }])
    expect(toOutputs(report)['pr-number']).toBe(String(world.jobs[1]?.pull))
  })

  test('names no pull request any more: nothing is sent, as nobody knows whether that is so', async () => {
    const { taken, report } = await meanwhile((_world, job) => (job.pull = undefined))
    expect(taken).toEqual([])
    expect(report).toMatchObject({ outcome: 'error', error: { code: 'not-sent' } })
    expect(toOutputs(report)['pr-link']).toBe('')
  })

  test('has got another prompt: its turn is waited for, and the follow-up is counted once', async () => {
    const { taken, world, pull } = await meanwhile(beginTurn)
    expect(taken).toMatchObject([{ kind: 'message' }])
    expect(world.clock.passed()).toBeGreaterThan(90_000)
    expect(pull.comments[0]?.body).toContain('follow-ups=1 ')
  })
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
    // The first reading is for its job.
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
  expect(report).toMatchObject({ outcome: 'failed', progress: 'seen' })
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
