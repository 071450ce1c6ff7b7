import { expect, test } from '@jest/globals'
import { markerComment } from '../../../src/agent/pull-request/marker.ts'
import { replyMarker } from '../../../src/agent/report/reply.ts'
import { orAbort } from '../../../src/agent/task/rolling-pull-request.ts'
import { COMMENT } from '../../support/comment-events.ts'
import { goOn, refusing } from '../../support/embedded-world.ts'
import { PUSH, refusal, rejecting, RUN_FACTS } from '../../support/fake-github.ts'
import { changedRepository } from '../../support/github-state.ts'
import { errorOf } from '../../support/github-client.ts'
import { BASE_URL } from '../../support/in-process-github.ts'

test('`skip` asks nothing of the service, and is green', async () => {
  const { report, taken, conclusion } = await goOn({ 'on-open-pr': 'skip' })
  expect([taken, report.outcome, conclusion.isGreen]).toEqual([[], 'skipped', true])
  expect(report.skipReason).toBe('Pull request #1 of the agent is open, and `on-open-pr` is `skip`.')
})

test('`new` starts another job, and asks nobody', async () => {
  const { taken, asked, service } = await goOn({ 'on-open-pr': 'new' })
  expect(taken).toEqual([['create', 'Fix the guide.']])
  expect(asked).not.toContain('issues/list-for-repo')
  expect(service.requests[0]?.method).toBe('POST')
})

test.each([{ prompt: '' }, { prompt: 'And the index.' }])(
  'a step that names its job does not look for the pull request: %j',
  async (given) => {
    expect((await goOn({ ...given, 'job-id': 'job_finished' })).asked).not.toContain('issues/list-for-repo')
  },
)

test('what started the run may be what the agent did there: then it is not told to the agent', async () => {
  const facts = { eventName: 'push', payload: { ...PUSH, ref: 'refs/heads/agent/job_finished' } }
  expect(await goOn({}, { facts })).toMatchObject({ taken: [], report: { outcome: 'skipped' } })
})

test.each(['archived', 'failed'] as const)('a job that is %s gives way to a new one', async (ending) => {
  const after = await goOn({}, { turns: [{}, { ending }] })
  expect((await goOn({}, { after })).taken).toEqual([['create', 'Fix the guide.']])
})

test('a message whose fate is unknown is red, and never becomes a new job', async () => {
  const { report, taken, outputs } = await goOn({}, { answers: { 'message job_finished': refusing(503) } })
  expect(report).toMatchObject({ outcome: 'error', error: { code: 'unknown-fate' } })
  expect([taken, outputs['continued']]).toEqual([[], ''])
})

test.each(['issues/list-for-repo', 'pulls/get', 'issues/list-comments', 'issues/update-comment'])(
  'where GitHub does not answer to %s, nothing is sent and the step is red',
  async (silent) => {
    const { report, taken } = await goOn({}, { answers: { [silent]: refusing(503) } })
    expect(taken).toEqual([])
    expect(report).toMatchObject({ outcome: 'error', error: { code: 'not-sent' } })
    expect(report.error?.message).toMatch(/^Could not tell|not be counted/)
  },
)

test.each([
  ['`skip` and a range since the last successful run', 'schedule', { 'on-open-pr': 'skip' }],
  ['a range that is never known', 'workflow_run', { 'change-range': 'since-last-success' }],
])('%s: refused before anybody is asked', async (_what, eventName, given) => {
  const { report, asked, service } = await goOn({ 'change-context': 'files', ...given }, { facts: { eventName } })
  expect(report).toMatchObject({ outcome: 'error', error: { code: 'invalid-input' } })
  expect([asked, service.requests]).toEqual([[], []])
})

test('`skip` and a schedule go together where no range is asked for', async () => {
  const { report } = await goOn({ 'on-open-pr': 'skip' }, { facts: { eventName: 'schedule' } })
  expect(report.outcome).toBe('skipped')
})

const REPLY = replyMarker({ ...COMMENT, number: 8, isOnPullRequest: false }, { ...RUN_FACTS, serverUrl: BASE_URL })

test.each([
  ['a marker on a pull request', 'issue_comment', { issue: { number: 7, pull_request: {} } }, markerComment('job_1')],
  ['an answer on an issue', 'issue_comment', { issue: { number: 8 } }, `${REPLY}\nDone.`],
  ['an answer at a line', 'pull_request_review_comment', { pull_request: { number: 7 } }, REPLY],
])('what this action wrote with a person’s token asks nothing: %s', async (_name, eventName, about, body) => {
  const sender = { login: 'mona', id: 11, type: 'User' }
  const saying = (body: string) => ({ facts: { eventName, payload: { ...about, sender, comment: { id: 1, body } } } })
  for (const given of [{ 'on-open-pr': 'new' }, {}, { 'job-id': 'job_finished' }]) {
    const { report, taken } = await goOn(given, saying(body))
    expect(taken).toEqual([])
    expect(report).toMatchObject({ outcome: 'skipped', skipReason: expect.stringContaining('wrote the comment') })
  }
  expect((await goOn({ 'on-open-pr': 'new' }, saying(`> ${body}`))).taken).toHaveLength(1)
})

test.each([
  ['a step with a prompt', {}, 0],
  ['one that attaches, which sends none', { prompt: '', 'job-id': 'job_finished' }, -1],
  ['one whose change gives no reason to send it', { paths: 'src/**' }, -1],
])('that it runs in another attempt is said first by %s, or not at all', async (_what, given, place) => {
  const facts = { runAttempt: 2, eventName: 'push', payload: PUSH }
  const repository = changedRepository({ files: [{ filename: 'docs/guide.md' }] })
  const { said } = await goOn({ 'on-open-pr': 'new', ...given }, { facts, repository })
  expect(said.findIndex((line) => line.startsWith('notice: This run was started again'))).toBe(place)
})

test('what is known is given, and what is not, why, and what to do', async () => {
  expect(await orAbort('It is not known', () => Promise.resolve(7))).toBe(7)
  const of = (error: ReturnType<typeof refusal>) => errorOf(orAbort('It is not known', rejecting(error)))
  const message = 'It is not known: GitHub said forbidden.'
  expect(await of(refusal('forbidden', 'Grant it.'))).toMatchObject({ code: 'not-sent', message, hint: 'Grant it.' })
  expect(await of(refusal('unreachable'))).toMatchObject({ hint: expect.stringContaining('again') as unknown })
  expect(await of(refusal('cancelled'))).toMatchObject({ code: 'cancelled' })
})
