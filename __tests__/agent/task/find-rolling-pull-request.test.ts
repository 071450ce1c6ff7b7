import { describe, expect, test } from '@jest/globals'
import type { MarkerComment } from '../../../src/github/comments.ts'
import { begun, type WorldJob } from '../../support/rolling-world.ts'

const by = (author: MarkerComment['author'], jobId: string, followUps?: number): MarkerComment => ({
  id: 900,
  author,
  body: `<!-- docs-agent-action: job=${jobId} -->${followUps === undefined ? '' : `\n<!-- docs-agent-action: follow-ups=${followUps} -->`}`,
})
const LABELLED = { labels: ['docs-agent'] }

/** A world in which one step has opened a pull request, and others have opened as many more. */
async function open(others = 0) {
  const { world, pull } = await begun()
  for (let count = 0; count < others; count++) await world.step({ onOpenPr: 'new' })
  const [first] = world.jobs
  if (first === undefined) throw new Error('There is no job.')
  return { world, pull, first }
}
type Begun = Awaited<ReturnType<typeof open>>

/** Opens so many pull requests with the label that name no job. */
const openUnknown = ({ world }: Begun, count: number): void => {
  for (let left = count; left > 0; left--) world.open(LABELLED)
}

/** A world in which the job works on a prompt, and so names no pull request. */
async function busy(others = 0): Promise<Begun> {
  const begun = await open(others)
  await begun.world.step({ wait: false })
  return begun
}

test("a person's own pull request with the label and a forged marker is passed over and not touched", async () => {
  const { world, pull, first } = await open()
  pull.state = 'merged'
  const forged = by('trusted', first.id)
  const own = world.open({ ...LABELLED, comments: [forged] })
  const { taken, said } = await world.step()
  expect(taken).toMatchObject([{ kind: 'create' }])
  expect(own.comments).toEqual([forged])
  expect(said.join('\n')).toContain(`Pull request #${own.number} carries the label and is passed over`)
})

test.each<[string, (begun: Begun) => void, number, number | 'create']>([
  ['the job of the oldest', () => undefined, 1, 0],
  ['the next one if a job is archived', ({ first }) => (first.archivedAt = 0), 1, 1],
  ['a job whose link is late', ({ world, first }) => (first.linkedAt = world.clock.now() + 5_000), 0, 0],
  ['the one of the list by label', ({ world, pull }) => (world.labelled = [pull.number]), 0, 0],
  ['the one that this list has not', ({ world }) => (world.labelled = [world.open(LABELLED).number]), 0, 0],
  [
    'nobody where the one of this list has ended',
    ({ world, pull }) => ((world.labelled = [pull.number]), (pull.state = 'merged')),
    0,
    'create',
  ],
])('the prompt goes to %s', async (_what, prepare, others, goesTo) => {
  const begun = await open(others)
  prepare(begun)
  const jobId = goesTo === 'create' ? undefined : begun.world.jobs[goesTo]?.id
  const { taken } = await begun.world.step()
  expect(taken).toMatchObject([jobId === undefined ? { kind: 'create' } : { kind: 'message', jobId }])
})

test('the whole list is not asked for where the list by label has it', async () => {
  const { world, pull } = await open()
  const asked: string[] = []
  world.onAsked = (what) => asked.push(what)
  world.labelled = [pull.number]
  await world.step()
  expect(asked.slice(0, 3)).toEqual(['readPullRequest', 'listMarkerComments', 'read'])
  expect(asked).not.toContain('listOpenPullRequests')
})

test('the others are named, and of very many ten', async () => {
  const begun = await open()
  const { world, pull } = begun
  expect((await world.step()).said.join('\n')).not.toContain('More than one')
  await world.step({ onOpenPr: 'new' })
  const other = world.pulls[1]?.number ?? 0
  expect((await world.step()).said.join('\n')).toMatch(new RegExp(`notice: .*#${pull.number} .*#${other}`))
  openUnknown(begun, 11)
  expect((await world.step()).said.join('\n')).toMatch(/notice: .*: (#\d+, ){9}#\d+ and 2 more\. Merge/)
})

test.each([
  [29, 'message'],
  [30, undefined],
])('behind %i pull requests with the label that are not the agent’s, it is: %s', async (count, kind) => {
  const begun = await open()
  const { world, pull } = begun
  world.pulls.pop()
  openUnknown(begun, count)
  world.pulls.push(pull)
  const { taken, report } = await world.step()
  expect([taken[0]?.kind, report.error?.code]).toEqual([kind, kind === undefined ? 'not-sent' : undefined])
})

describe('a job that is busy, and so names no pull request', () => {
  test.each([true, false])('gets the prompt when its turn has ended (`wait`: %s)', async (wait) => {
    const { world, pull, first } = await busy()
    const endsAt = first.turns.at(-1)?.endsAt ?? Infinity
    world.onAsked = (what) => {
      if (what === 'message') expect(world.clock.now()).toBeGreaterThanOrEqual(endsAt)
    }
    expect((await world.step({ wait })).taken).toMatchObject([{ kind: 'message', jobId: first.id }])
    expect(world.openPulls()).toEqual([pull])
  })

  test.each<[string, (begun: Begun) => Partial<WorldJob>, number]>([
    ['has another pull request', ({ world }) => ({ pull: world.open().number }), 0],
    ['has another pull request', ({ world }) => ({ pull: world.open().number }), 1],
    ['is archived', ({ world }) => ({ archivedAt: world.clock.now() + 30_000 }), 0],
    ['is archived', ({ world }) => ({ archivedAt: world.clock.now() + 30_000 }), 1],
  ])(
    'gets nothing if it %s when its turn has ended: another pull request does, or without one a new job begins',
    async (objection, end, others) => {
      const begun = await busy(others)
      const { world, first } = begun
      Object.assign(first, end(begun))
      const { taken, said, report } = await world.step()
      const other = others === 0 ? { kind: 'create' } : { kind: 'message', jobId: world.jobs[1]?.id }
      expect(taken).toMatchObject([other])
      expect(said.join('\n')).toContain(others === 0 ? `${objection}, so a new job begins.` : `${objection}.`)
      expect(report.job?.id).toBe(taken[0]?.jobId)
    },
  )

  test('is counted by what its comment says when the turn has ended', async () => {
    const { world, pull, first } = await busy()
    world.after(30_000, () => {
      pull.comments[0] = { ...by('trusted', first.id, 19), id: pull.comments[0]?.id ?? 0 }
    })
    await world.step()
    expect(pull.comments[0]?.body).toContain('follow-ups=20')
  })

  test('is waited for if its link comes later than the end that was read', async () => {
    const { world, first } = await busy()
    first.linkedAt = (first.turns.at(-1)?.endsAt ?? 0) + 5_000
    expect((await world.step()).taken).toMatchObject([{ kind: 'message' }])
  })
})
