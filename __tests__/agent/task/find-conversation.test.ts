import { describe, expect, test } from '@jest/globals'
import { begun } from '../../support/rolling-world.ts'

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

test('a stranger cannot end the conversation by a count', async () => {
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

  test('gets nothing if it says at the end that the pull request is not its own', async () => {
    const { world } = await busy()
    const other = world.open()
    Object.assign(world.jobs[0] ?? {}, { pull: other.number })
    const { report, taken } = await world.step()
    expect(taken).toEqual([])
    expect(report).toMatchObject({ outcome: 'error', error: { code: 'not-sent' } })
    expect(report.error?.message).toContain('has another pull request')
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
