import { describe, expect, test } from '@jest/globals'
import type { AgentInputs } from '../../../src/agent/inputs/agent-inputs.ts'
import { markerComment } from '../../../src/agent/pull-request/marker.ts'
import { conclude } from '../../../src/agent/report/conclusion.ts'
import { toOutputs } from '../../../src/agent/report/outputs.ts'
import { replyMarker } from '../../../src/agent/report/reply.ts'
import type { CommentAddress } from '../../../src/github/comments.ts'
import { ATTACH, CREATE, FOLLOW_UP } from '../../support/agent-run.ts'
import { PUSH, RUN_FACTS } from '../../support/fake-github.ts'
import { begun, RollingWorld } from '../../support/rolling-world.ts'

const COMMENT: CommentAddress = {
  ...{ repository: 'acme/docs', number: 8, isOnPullRequest: false, writtenAt: '' },
  ...{ kind: 'comment', id: 1, threadId: 1 },
}

describe('with an open pull request of the agent', () => {
  test('the prompt goes to its job, with what the agent has to know behind it', async () => {
    const { world, pull } = await begun()
    const { report, taken, said } = await world.step()

    expect(taken).toMatchObject([{ kind: 'message', jobId: world.jobs[0]?.id }])
    expect(taken[0]?.prompt).toMatch(/^Fix the guide\.\n\n---\n\nPull request #\d+ of acme\/docs/)
    expect(toOutputs(report)).toMatchObject({ continued: 'pull-request', 'pr-operation': 'updated', changed: 'true' })
    expect(said).toContain(
      `log: Adding to pull request #${pull.number} (job ${world.jobs[0]?.id ?? ''}, follow-up 1 of 20).`,
    )
  })

  test('`skip` asks nothing of the service, and is green', async () => {
    const { world } = await begun()
    const { report, taken } = await world.step({ onOpenPr: 'skip' })
    expect(taken).toEqual([])
    expect(report).toMatchObject({ outcome: 'skipped', skipReason: expect.stringContaining('is open') as unknown })
    expect(conclude(report, new Set()).isGreen).toBe(true)
  })

  test('`new` starts another job, and asks nobody', async () => {
    const { world } = await begun()
    const asked: string[] = []
    world.onAsked = (what) => asked.push(what)
    const { taken } = await world.step({ onOpenPr: 'new' })
    expect(taken).toMatchObject([{ kind: 'create' }])
    expect(asked[0]).toBe('create')
  })

  test.each([
    ['attaches', ATTACH],
    ['names its job', FOLLOW_UP],
  ])('a step that %s does not look for it', async (_name, task) => {
    const { world } = await begun()
    const asked: string[] = []
    world.onAsked = (what) => asked.push(what)
    await world.step({ task })
    expect(asked).not.toContain('listOpenPullRequests')
  })

  test('what started the run may be what the agent did there: then it is not told to the agent', async () => {
    const { world, pull } = await begun()
    const payload = { ...PUSH, ref: `refs/heads/agent/${pull.number}` }
    const { report, taken } = await world.step({}, { eventName: 'push', payload })
    expect(taken).toEqual([])
    expect(report.outcome).toBe('skipped')
  })

  test.each(['archived', 'failed'] as const)(
    'a job that is %s while it is waited for gives way to a new one',
    async (status) => {
      const { world } = await begun()
      world.ending = status
      await world.step({ timeoutMs: 20_000 })
      world.ending = 'completed'
      expect((await world.step()).taken).toMatchObject([{ kind: 'create' }])
    },
  )

  test('a message whose fate is unknown is red, and never becomes a new job', async () => {
    const { world } = await begun()
    world.fates.posts.push('unheard')
    const { report, taken } = await world.step()
    expect(taken).toEqual([])
    expect(report).toMatchObject({ outcome: 'error', error: { code: 'unknown-fate' } })
    expect(toOutputs(report).continued).toBe('')
  })

  test.each(['listOpenPullRequests', 'listMarkerComments', 'editComment'])(
    'where GitHub does not answer to %s, nothing is sent and the step is red',
    async (silent) => {
      const { world } = await begun()
      world.onAsked = (what) => {
        if (what === silent) world.fates.github.push('down')
      }
      const { report, taken } = await world.step()
      expect(taken).toEqual([])
      expect(report).toMatchObject({ outcome: 'error', error: { code: 'not-sent' } })
      expect(report.error?.message).toMatch(/not known|not be counted/)
    },
  )
})

describe('`skip` and a range since the last successful run', () => {
  test('are refused before anybody is asked', async () => {
    const { world } = await begun()
    const asked: string[] = []
    world.onAsked = (what) => asked.push(what)
    const { report } = await world.step({ onOpenPr: 'skip', changeContext: 'files' }, { eventName: 'schedule' })
    expect(report).toMatchObject({ outcome: 'error', error: { code: 'invalid-input' } })
    expect(asked).toEqual([])
  })

  test('go together where no range is asked for', async () => {
    const { world } = await begun()
    expect((await world.step({ onOpenPr: 'skip' }, { eventName: 'schedule' })).report.outcome).toBe('skipped')
  })
})

test('a range that is never known after `workflow_run` is refused before anybody is asked', async () => {
  const { world } = await begun()
  const asked: string[] = []
  world.onAsked = (what) => asked.push(what)
  const inputs = { changeContext: 'files', changeRange: { kind: 'since-last-success' } } as const
  const { report } = await world.step(inputs, { eventName: 'workflow_run' })
  expect(report).toMatchObject({ outcome: 'error', error: { code: 'invalid-input' } })
  expect(asked).toEqual([])
})

test.each([
  ['a marker on a pull request', 'issue_comment', { issue: { number: 7, pull_request: {} } }, markerComment('job_1')],
  ['an answer on an issue', 'issue_comment', { issue: { number: 8 } }, `${replyMarker(COMMENT, RUN_FACTS)}\nDone.`],
  [
    'an answer at a line',
    'pull_request_review_comment',
    { pull_request: { number: 7 } },
    replyMarker(COMMENT, RUN_FACTS),
  ],
])('what this action wrote with a person’s token asks nothing: %s', async (_name, eventName, about, body) => {
  const said = { sender: { login: 'mona', id: 11, type: 'User' }, comment: { id: 1, body } }
  const facts = { eventName, payload: { ...about, ...said } }
  for (const inputs of [{ onOpenPr: 'new' }, { skipOwnChanges: false }, { task: FOLLOW_UP }] as const) {
    const { report, taken } = await new RollingWorld().step(inputs, facts)
    expect(taken).toEqual([])
    expect(report).toMatchObject({ outcome: 'skipped', skipReason: expect.stringContaining('wrote the comment') })
  }
  const quoted = { ...facts, payload: { ...about, ...said, comment: { id: 1, body: `> ${body}` } } }
  expect((await new RollingWorld().step({ onOpenPr: 'new' }, quoted)).taken).toHaveLength(1)
})

test('a step with a prompt says first that it runs in another attempt, and attaching sends none', async () => {
  const notices = async (task: AgentInputs['task']): Promise<string[]> => {
    const { said } = await new RollingWorld().step({ task, onOpenPr: 'new' }, { runAttempt: 2 })
    return said.slice(0, 1).filter((line) => line.startsWith('notice: This run was started again'))
  }
  expect(await notices(CREATE)).toHaveLength(1)
  expect(await notices(ATTACH)).toHaveLength(0)
})

test('of another attempt nothing is said where the change gives no reason to send a prompt', async () => {
  const pathFilter = { kind: 'paths', rules: [] } as const
  const { report, said } = await new RollingWorld().step({ pathFilter }, { runAttempt: 2 })
  expect(report.outcome).toBe('skipped')
  expect(said.join()).not.toContain('This run was started again')
})
