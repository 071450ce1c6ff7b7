import { describe, expect, test } from '@jest/globals'
import { begun, type RollingWorld } from '../../support/rolling-world.ts'

const marker = (jobId: string, followUps?: number): string =>
  `<!-- docs-agent-action: job=${jobId} -->${followUps === undefined ? '' : `\n<!-- docs-agent-action: follow-ups=${followUps} -->`}`

test('where the service does not say whose it is, nothing is sent and the step is red', async () => {
  const { world } = await begun()
  world.fates.reads.push(...Array<'down'>(100).fill('down'))
  const { report, taken } = await world.step()
  expect(taken).toEqual([])
  expect(report).toMatchObject({ outcome: 'error', error: { code: 'not-sent' } })
})

test("a person's own pull request with the label and a forged marker is passed over and not touched", async () => {
  const { world, pull } = await begun()
  pull.state = 'merged'
  const forged = { id: 900, body: marker(world.jobs[0]?.id ?? ''), author: 'trusted' as const }
  const own = world.open({ labels: ['docs-agent'], comments: [forged] })
  const { taken, said } = await world.step()
  expect(taken).toMatchObject([{ kind: 'create' }])
  expect(own.comments).toEqual([forged])
  expect(said.join('\n')).toContain(`Pull request #${own.number} carries the label and is passed over`)
})

test('markers of strangers do not hide the one of the job', async () => {
  const { world, pull } = await begun()
  pull.comments.unshift(
    ...Array.from({ length: 30 }, (_, id) => ({ id: 900 + id, body: marker(`x${id}`), author: 'stranger' as const })),
  )
  expect((await world.step()).taken).toMatchObject([{ kind: 'message' }])
})

test('a stranger cannot end the rolling pull request by a count', async () => {
  const { world, pull } = await begun()
  pull.comments.push({ id: 900, body: marker(world.jobs[0]?.id ?? '', 20), author: 'stranger' as const })
  expect((await world.step()).taken).toMatchObject([{ kind: 'message' }])
})

test('the oldest is gone on with, and the others are named', async () => {
  const { world, pull } = await begun()
  expect((await world.step()).said.join('\n')).not.toContain('More than one')
  await world.step({ onOpenPr: 'new' })
  const { said, taken } = await world.step()
  expect(taken).toMatchObject([{ jobId: world.jobs[0]?.id }])
  expect(said.join('\n')).toMatch(new RegExp(`notice: .*#${pull.number} .*#${world.pulls[1]?.number ?? 0}`))
})

const unknown = (count: number) => Array.from({ length: count }, () => ({ labels: ['docs-agent'] }))

test('of very many others ten are named', async () => {
  const { world } = await begun()
  for (const fields of unknown(12)) world.open(fields)
  expect((await world.step()).said.join('\n')).toMatch(/notice: .*: (#\d+, ){9}#\d+ and 2 more\. Merge/)
})

test.each([
  [29, 'message'],
  [30, undefined],
])('behind %i pull requests with the label that are not the agent’s, it is: %s', async (count, kind) => {
  const { world, pull } = await begun()
  world.pulls.pop()
  for (const fields of unknown(count)) world.open(fields)
  world.pulls.push(pull)
  const { taken, report } = await world.step()
  expect(taken[0]?.kind).toBe(kind)
  if (kind === undefined) expect(report.error?.code).toBe('not-sent')
})

test('what the list of the label has is gone on with, and what it has not is looked for in the whole list', async () => {
  const { world, pull } = await begun()
  const asked: string[] = []
  world.onAsked = (what) => asked.push(what)
  world.labelled = [pull.number]
  expect((await world.step()).taken).toMatchObject([{ kind: 'message' }])
  expect(asked.slice(0, 3)).toEqual(['readPullRequest', 'listMarkerComments', 'read'])
  expect(asked).not.toContain('listOpenPullRequests')
  world.labelled = [world.open({ labels: ['docs-agent'] }).number]
  expect((await world.step()).taken).toMatchObject([{ kind: 'message', jobId: world.jobs[0]?.id }])
  world.labelled = [pull.number]
  pull.state = 'merged'
  expect((await world.step()).taken).toMatchObject([{ kind: 'create' }])
})

test('an archived job makes room for the next one', async () => {
  const { world } = await begun()
  await world.step({ onOpenPr: 'new' })
  const [first, second] = world.jobs
  if (first !== undefined) first.archivedAt = 0
  expect((await world.step()).taken).toMatchObject([{ kind: 'message', jobId: second?.id }])
})

test('a reading of the job that lags behind its pull request is waited for', async () => {
  const { world, pull } = await begun()
  const [first] = world.jobs
  if (first !== undefined) first.linkedAt = world.clock.now() + 5_000
  const { taken } = await world.step()
  expect(taken).toMatchObject([{ kind: 'message' }])
  expect(pull.number).toBe(first?.pull)
})

describe('a job that is busy, and so names no pull request', () => {
  const busy = async () => {
    const { world, pull } = await begun()
    await world.step({ wait: false })
    return { world, pull }
  }

  test.each([true, false])('gets the prompt when its turn has ended (`wait`: %s)', async (wait) => {
    const { world, pull } = await busy()
    const turnEndsAt = world.jobs[0]?.turns.at(-1)?.endsAt
    world.onAsked = (what) => {
      if (what === 'message') expect(world.clock.now()).toBeGreaterThanOrEqual(turnEndsAt ?? Infinity)
    }
    const { taken } = await world.step({ wait })
    expect(taken).toMatchObject([{ kind: 'message', jobId: world.jobs[0]?.id }])
    expect(world.openPulls()).toEqual([pull])
  })

  test.each([
    ['has another pull request', (world: RollingWorld) => ({ pull: world.open().number })],
    ['is archived', (world: RollingWorld) => ({ archivedAt: world.clock.now() + 30_000 })],
  ])(
    'gets nothing if it %s when its turn has ended: another pull request does, or without one a new job begins',
    async (objection, end) => {
      for (const hasOther of [false, true]) {
        const { world } = await begun()
        if (hasOther) await world.step({ onOpenPr: 'new' })
        await world.step({ wait: false })
        const [first, second] = world.jobs
        Object.assign(first ?? {}, end(world))
        const { taken, said, report } = await world.step()
        const other = hasOther ? { kind: 'message', jobId: second?.id } : { kind: 'create' }
        expect(taken).toMatchObject([other])
        expect(said.join('\n')).toContain(hasOther ? `${objection}.` : `${objection}, so a new job begins.`)
        expect(report.job?.id).toBe(taken[0]?.jobId)
      }
    },
  )

  test('is counted by what its comment says when the turn has ended', async () => {
    const { world, pull } = await busy()
    world.after(30_000, () => {
      pull.comments[0] = { id: pull.comments[0]?.id ?? 0, body: marker(world.jobs[0]?.id ?? '', 19), author: 'trusted' }
    })
    await world.step()
    expect(pull.comments[0]?.body).toContain('follow-ups=20')
  })

  test('is waited for if its link comes later than the end that was read', async () => {
    const { world } = await busy()
    const [first] = world.jobs
    if (first !== undefined) first.linkedAt = (first.turns.at(-1)?.endsAt ?? 0) + 5_000
    expect((await world.step()).taken).toMatchObject([{ kind: 'message' }])
  })

  test('is waited for until the deadline only', async () => {
    const { world } = await busy()
    expect(await world.step({ timeoutMs: 30_000 })).toMatchObject({ taken: [], report: { outcome: 'timed-out' } })
  })

  test('does not keep a step waiting if only a stranger names it', async () => {
    const { world, pull } = await busy()
    pull.comments.splice(0, 1, { id: 900, body: marker(world.jobs[0]?.id ?? ''), author: 'stranger' })
    expect((await world.step()).taken).toMatchObject([{ kind: 'create' }])
  })
})
