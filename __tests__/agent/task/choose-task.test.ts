import { describe, expect, test } from '@jest/globals'
import type { AgentInputs } from '../../../src/agent/inputs/agent-inputs.ts'
import { markerComment } from '../../../src/agent/pull-request/marker.ts'
import { conclude } from '../../../src/agent/report/conclusion.ts'
import { toOutputs } from '../../../src/agent/report/outputs.ts'
import { replyMarker } from '../../../src/agent/report/reply.ts'
import { orAbort } from '../../../src/agent/task/send-nothing.ts'
import type { CommentAddress } from '../../../src/github/comments.ts'
import { ATTACH, CREATE, FOLLOW_UP } from '../../support/agent-run.ts'
import { type GivenRun, PUSH, refusal, rejecting, RUN_FACTS } from '../../support/fake-github.ts'
import { errorOf } from '../../support/github-client.ts'
import { begun, RollingWorld } from '../../support/rolling-world.ts'

/** A step in a world with an open pull request of the agent, and what it asked of the two servers. */
async function go(inputs: Partial<AgentInputs> = {}, facts: Partial<GivenRun> = {}) {
  const { world, pull } = await begun()
  const asked: string[] = []
  world.onAsked = (what) => asked.push(what)
  return { ...(await world.step(inputs, facts)), asked, world, pull, jobId: world.jobs[0]?.id ?? '' }
}

test('the prompt goes to the job of the open pull request, with what the agent has to know behind it', async () => {
  const { report, taken, said, pull, jobId } = await go()
  expect(taken).toMatchObject([{ kind: 'message', jobId }])
  expect(taken[0]?.prompt).toMatch(/^Fix the guide\.\n\n---\n\nPull request #\d+ of acme\/docs/)
  expect(toOutputs(report)).toMatchObject({ continued: 'pull-request', 'pr-operation': 'updated', changed: 'true' })
  expect(said).toContain(`log: Adding to pull request #${pull.number} (job ${jobId}, follow-up 1 of 20).`)
})

test('`skip` asks nothing of the service, and is green', async () => {
  const { report, taken } = await go({ onOpenPr: 'skip' })
  expect(taken).toEqual([])
  expect(report).toMatchObject({ outcome: 'skipped', skipReason: expect.stringContaining('is open') as unknown })
  expect(conclude(report, new Set()).isGreen).toBe(true)
})

test('`new` starts another job, and asks nobody', async () => {
  const { taken, asked } = await go({ onOpenPr: 'new' })
  expect([taken[0]?.kind, asked[0]]).toEqual(['create', 'create'])
})

test.each([ATTACH, FOLLOW_UP])('a step that names its job does not look for the pull request: $kind', async (task) => {
  expect((await go({ task })).asked).not.toContain('listOpenPullRequests')
})

test('what started the run may be what the agent did there: then it is not told to the agent', async () => {
  const payload = { ...PUSH, ref: 'refs/heads/agent/2' }
  const { report, taken, pull } = await go({}, { eventName: 'push', payload })
  expect([report.outcome, taken, pull.number]).toEqual(['skipped', [], 2])
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
  expect(report).toMatchObject({ outcome: 'error', error: { code: 'unknown-fate' } })
  expect([taken, toOutputs(report).continued]).toEqual([[], ''])
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
    expect(report.error?.message).toMatch(/^Could not tell|not be counted/)
  },
)

test.each<[string, string, Partial<AgentInputs>]>([
  ['`skip` and a range since the last successful run', 'schedule', { onOpenPr: 'skip' }],
  ['a range that is never known', 'workflow_run', { changeRange: { kind: 'since-last-success' } }],
])('%s: refused before anybody is asked', async (_what, eventName, inputs) => {
  const { report, asked } = await go({ ...inputs, changeContext: 'files' }, { eventName })
  expect(report).toMatchObject({ outcome: 'error', error: { code: 'invalid-input' } })
  expect(asked).toEqual([])
})

test('`skip` and a schedule go together where no range is asked for', async () => {
  expect((await go({ onOpenPr: 'skip' }, { eventName: 'schedule' })).report.outcome).toBe('skipped')
})

const COMMENT: CommentAddress = {
  repository: 'acme/docs',
  number: 8,
  kind: 'comment',
  id: 1,
  threadId: 1,
  isOnPullRequest: false,
  writtenAt: '',
}
const REPLY = replyMarker(COMMENT, RUN_FACTS)

test.each([
  ['a marker on a pull request', 'issue_comment', { issue: { number: 7, pull_request: {} } }, markerComment('job_1')],
  ['an answer on an issue', 'issue_comment', { issue: { number: 8 } }, `${REPLY}\nDone.`],
  ['an answer at a line', 'pull_request_review_comment', { pull_request: { number: 7 } }, REPLY],
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

test.each<[string, Partial<AgentInputs>, number]>([
  ['a step with a prompt', { task: CREATE }, 0],
  ['one that attaches, which sends none', { task: ATTACH }, -1],
  ['one whose change gives no reason to send it', { task: CREATE, pathFilter: { kind: 'paths', rules: [] } }, -1],
])('that it runs in another attempt is said first by %s, or not at all', async (_what, inputs, place) => {
  const { said } = await new RollingWorld().step({ onOpenPr: 'new', ...inputs }, { runAttempt: 2 })
  expect(said.findIndex((line) => line.startsWith('notice: This run was started again'))).toBe(place)
})

describe('send nothing', () => {
  test('what is known is given, and what is not, why, and what to do', async () => {
    expect(await orAbort('It is not known', () => Promise.resolve(7))).toBe(7)
    const of = (error: ReturnType<typeof refusal>) => errorOf(orAbort('It is not known', rejecting(error)))
    const message = 'It is not known: GitHub said forbidden.'
    expect(await of(refusal('forbidden', 'Grant it.'))).toMatchObject({ code: 'not-sent', message, hint: 'Grant it.' })
    expect(await of(refusal('unreachable'))).toMatchObject({ hint: expect.stringContaining('again') as unknown })
    expect(await of(refusal('cancelled'))).toMatchObject({ code: 'cancelled' })
  })
})
