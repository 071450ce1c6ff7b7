import { describe, expect, test } from '@jest/globals'
import { readMarker } from '../../../src/agent/pull-request/marker.ts'
import { toOutputs } from '../../../src/agent/report/outputs.ts'
import { begun, LIMIT_MS, type RollingWorld, type WorldJob, type WorldPull } from '../../support/rolling-world.ts'

const UNSENT = { outcome: 'error', error: { code: 'not-sent' } }

interface Scene {
  readonly world: RollingWorld
  readonly pull: WorldPull
  readonly job: WorldJob
}

/** A step that goes on with an open pull request, where something happens when GitHub is first asked so. */
async function meanwhile(when: string, act: (scene: Scene) => unknown, others = 0) {
  const { world, pull } = await begun()
  for (let count = 0; count < others; count++) await world.step({ onOpenPr: 'new' })
  const [job] = world.jobs
  if (job === undefined) throw new Error('There is no job.')
  let isDone = false
  world.onAsked = (what) => {
    if (what !== when || isDone) return
    isDone = true
    act({ world, pull, job })
  }
  return { ...(await world.step()), world, pull }
}

const merge = ({ pull }: Scene): unknown => (pull.state = 'merged')
const archive = ({ world, job }: Scene): unknown => (job.archivedAt = world.clock.now())
const beginTurn = ({ world, job }: Scene): unknown =>
  job.turns.push({ prompt: 'Else.', endsAt: world.clock.now() + 90_000, ending: 'completed' })

test('each follow-up is counted in the marker, before it is sent', async () => {
  const { world, pull } = await begun()
  const counts: (number | undefined)[] = []
  world.onAsked = (what) => {
    if (what === 'message') counts.push(readMarker(pull.comments[0]?.body ?? '')?.followUps)
  }
  await world.step()
  await world.step()
  expect([counts, pull.comments.length]).toEqual([[1, 2], 1])
})

test('after twenty follow-ups the step is red, and says to merge or close it', async () => {
  const { world, pull } = await begun()
  for (let count = 0; count < 20; count++) await world.step()
  const { report, taken } = await world.step()
  expect(taken).toEqual([])
  expect(report).toMatchObject(UNSENT)
  expect(report.error?.hint).toContain('Merge or close it')
  pull.state = 'merged'
  expect((await world.step()).taken).toMatchObject([{ kind: 'create' }])
})

test('a pull request that is closed before the message is no reason to send nothing: a new job begins', async () => {
  const { report, taken } = await meanwhile('editComment', merge)
  expect(taken).toMatchObject([{ kind: 'create', prompt: 'Fix the guide.' }])
  expect(report).toMatchObject({ outcome: 'pull-request', operation: 'created', job: { id: taken[0]?.jobId } })
  expect(toOutputs(report).continued).toBe('')
})

test('a pull request that is closed before the message makes room for the next one that is open', async () => {
  const { report, taken, said, world, pull } = await meanwhile('editComment', merge, 1)
  const [, other] = world.pulls
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
  expect([taken, world.openPulls().length]).toEqual([[], 3])
  expect(report).toMatchObject(UNSENT)
})

describe('a job that was proven, and directly before the message', () => {
  test.each<[string, (scene: Scene) => unknown]>([
    ['names another pull request', ({ world, job }) => (job.pull = world.open().number)],
    ['is archived', archive],
  ])('%s: it is sent nothing, and the outputs name what the new job does', async (_what, act) => {
    const { taken, report, world } = await meanwhile('readComment', act)
    expect(taken).toMatchObject([{ kind: 'create' }])
    expect(toOutputs(report)['pr-number']).toBe(String(world.jobs[1]?.pull))
  })

  test('names no pull request any more: nothing is sent, as nobody knows whether that is so', async () => {
    const { taken, report } = await meanwhile('readComment', ({ job }) => (job.pull = undefined))
    expect([taken, toOutputs(report)['pr-link']]).toEqual([[], ''])
    expect(report).toMatchObject(UNSENT)
  })

  test('has got another prompt: its turn is waited for, and the follow-up is counted once', async () => {
    const { taken, world, pull } = await meanwhile('readComment', beginTurn)
    expect(taken).toMatchObject([{ kind: 'message' }])
    expect(world.clock.passed()).toBeGreaterThan(90_000)
    expect(pull.comments[0]?.body).toContain('follow-ups=1 ')
  })
})

test.each<[string, string, (scene: Scene) => unknown, string]>([
  [
    'that nobody who is trusted has named is not counted',
    'listMarkerComments',
    ({ pull }) => pull.comments.splice(0, 1, { id: 1, body: pull.comments[0]?.body ?? '', author: 'stranger' }),
    'cannot be counted',
  ],
  // The first reading is for its job.
  [
    'that nobody can read any more may have ended',
    'editComment',
    ({ world }) => (world.onAsked = (what) => what === 'readPullRequest' && world.fates.github.push('down')),
    'Could not tell whether',
  ],
])('a pull request %s, and nothing is sent', async (_what, when, act, reason) => {
  const { report, taken } = await meanwhile(when, act)
  expect(taken).toEqual([])
  expect(report).toMatchObject(UNSENT)
  expect(report.error?.message).toContain(reason)
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
  const putOff = (act: (scene: Scene) => unknown) =>
    meanwhile('editComment', (scene) => {
      scene.world.fates.posts.push('limited')
      scene.world.after(LIMIT_MS / 2, () => act(scene))
    })

  test('is sent, and counted once, if nothing changed meanwhile', async () => {
    const { taken, pull } = await putOff(() => undefined)
    expect(taken).toMatchObject([{ kind: 'message' }])
    expect(pull.comments[0]?.body).toContain('follow-ups=1 ')
  })

  test.each([
    ['the pull request is merged', merge],
    ['somebody archives the job', archive],
    ['another turn begins', beginTurn],
  ])('is not sent if %s meanwhile', async (_what, act) => {
    const { report, taken } = await putOff(act)
    expect(taken).toEqual([])
    expect(report).toMatchObject(UNSENT)
  })
})
