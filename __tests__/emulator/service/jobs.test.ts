import { expect, test } from '@jest/globals'
import { createEdits, getTitle } from '../../../src/emulator/service/agent-edits.ts'
import { toJobBody } from '../../../src/emulator/service/job-body.ts'
import {
  type JobRecord,
  planTurn,
  listPushedTurns,
  sendMessage,
  getJobState,
  type TurnPlan,
} from '../../../src/emulator/service/job-machine.ts'
import { JobStore } from '../../../src/emulator/service/job-store.ts'
import { findServiceRoute } from '../../../src/emulator/service/operations.ts'
import { DEFAULT_TURN } from '../../../src/emulator/service/scenarios.ts'

test.each([
  ['\n\n  Fix the guide. \r\nThen more.', 'Fix the guide.', 'docs/fix-guide.md'],
  [' \n ', 'Update the docs', 'docs/update-docs.md'],
  ['🙂'.repeat(100), `${'🙂'.repeat(71)}…`, 'docs/notes.md'],
  ['Document the `--force` flag of the deploy command.', undefined, 'docs/force-flag-deploy-command.md'],
  ['Café guide', 'Café guide', 'docs/cafe-guide.md'],
  ['../../etc/passwd', '../../etc/passwd', 'docs/etc-passwd.md'],
  ['a/b\\c<\u202eevil>', undefined, 'docs/b-c-evil.md'],
])('derives a title and a safe page name from a prompt that begins with %j', (prompt, title, path) => {
  expect(getTitle(prompt)).toBe(title ?? prompt)
  expect(createEdits(prompt).map((edit) => edit.path)).toEqual([path, 'docs/index.md'])
})

test('documents the changes of the demo repository in plausible words', () => {
  expect(createEdits('Commits:\na1b2c3d Print JSON with --json (mona)')).toMatchObject([
    { path: 'docs/output.md', change: 'modified', diff: expect.arrayContaining(['+Every command prints a table.']) },
  ])
})

test('counts job ids across projects, and assigns each job to one project and one pull request', () => {
  const jobs = new JobStore(0, () => 'acme/docs')
  const created = ['a', 'b', 'a'].map((projectId) => jobs.create(projectId, 'x', DEFAULT_TURN, 0))
  expect(created.map(({ id }) => id)).toEqual(['job_000001', 'job_000002', 'job_000003'])
  expect(jobs.find('a', 'job_000003', DEFAULT_TURN)).toBe(created[2])
  expect(jobs.find('a', 'job_000002', DEFAULT_TURN)).toBeUndefined()
  const seeded = ['job_finished', 'job_running', 'job_archived'].map((id) => jobs.find('b', id, DEFAULT_TURN))
  const all = [...jobs.list()]
  expect(all).toEqual(expect.arrayContaining([...created, ...seeded]))
  expect(all.map(({ pullNumber }) => jobs.findByPullNumber(pullNumber))).toEqual(all)
})

const JOB = '/v2/agent/docs/job'

test.each([
  '/v1/agent/docs/job',
  `${JOB}/a b`,
  '/v2/agent/%2e%2e/job',
  `/x${JOB}/job_1/message`,
  `/v2/agent/${'a'.repeat(129)}/job`,
])('finds no route for %s', (path) => {
  expect(findServiceRoute('POST', path)).toMatchObject({ status: 404 })
})

test('handles HEAD as GET', () => {
  const route = { operation: { name: 'get-job' }, projectId: 'docs', jobId: 'job_1' }
  expect(findServiceRoute('HEAD', `${JOB}/job_1`)).toMatchObject(route)
})

test.each([
  ['GET', JOB, 'POST'],
  ['POST', `${JOB}/job_1`, 'GET, HEAD'],
  ['OPTIONS', '/v1/analytics/docs/visitors', 'GET, HEAD'],
])('refuses %s %s and lists the allowed methods', (method, path, allow) => {
  expect(findServiceRoute(method, path)).toMatchObject({ status: 405, headers: { allow } })
})

/** A job created at 0 s whose first turn ends at 20 s. */
function createJob(plan: Partial<TurnPlan> = {}): JobRecord {
  const turns = [planTurn('first', { ...DEFAULT_TURN, ...plan }, 0)] as const
  return { id: 'job_1', projectId: 'docs', repository: 'acme/docs', createdAtMs: 0, pullNumber: 7, turns }
}

function addMessage(before: JobRecord, seconds: number, plan: Partial<TurnPlan> = {}): JobRecord {
  const after = sendMessage(before, 'more', { ...DEFAULT_TURN, ...plan }, seconds * 1_000)
  if (after === 'archived') throw new Error('The job is archived.')
  return after
}

const NO_CHANGES = { ending: 'no-changes' } as const
const FAILED = { ending: 'failed' } as const
const NEVER = { startDelayMs: Infinity }

test.each<[what: string, of: JobRecord, readings: Readonly<Record<string, string>>]>([
  ['a late link', createJob({ linkDelayMs: 3_000 }), { 22.999: 'completed', 23: 'completed+link' }],
  [
    'a message',
    addMessage(createJob(), 60),
    { 59.999: 'completed+link', 60: 'active', 79.999: 'active', 80: 'completed+link' },
  ],
  [
    'a message to an active job, whose turn follows immediately',
    addMessage(createJob(NO_CHANGES), 5),
    { 19.999: 'active', 20: 'active', 39.999: 'active', 40: 'completed+link' },
  ],
  [
    'a turn after one that never starts',
    addMessage(addMessage(createJob(), 60, NEVER), 61),
    { 1_000_000: 'completed+link' },
  ],
  ['a later turn without changes', addMessage(createJob(), 60, NO_CHANGES), { 80: 'completed+link' }],
  ['a later turn that fails', addMessage(createJob(), 60, FAILED), { 80: 'failed+link' }],
  ['a message to a failed job', addMessage(createJob(FAILED), 30), { 30: 'active', 50: 'completed+link' }],
  [
    'a message that waits for a turn in which the job is archived',
    addMessage(createJob({ ending: 'archived' }), 5),
    { 20: 'archived', 30: 'archived', 1_000: 'archived' },
  ],
])('derives the states of a job over time: %s', (_what, of, readings) => {
  const read = Object.keys(readings).map((second) => {
    const { status, pullRequest } = getJobState(of, Number(second) * 1_000)
    return [second, pullRequest === 'linked' ? `${status}+link` : status]
  })
  expect(Object.fromEntries(read)).toEqual(readings)
})

test('refuses messages to an archived job, and reports when it was archived', () => {
  const archived = createJob({ ending: 'archived' })
  expect(sendMessage(archived, 'more', DEFAULT_TURN, 20_000)).toBe('archived')
  expect([19_999, 60_000].map((nowMs) => getJobState(archived, nowMs).archivedAtMs)).toEqual([undefined, 20_000])
  const queued = addMessage(archived, 5)
  expect([getJobState(queued, 1_000_000).archivedAtMs, listPushedTurns(queued, 1_000_000)]).toEqual([20_000, []])
})

test('lists the turns that pushed in order, and does not mutate the record of a job', () => {
  const before = createJob()
  const twice = addMessage(addMessage(before, 30, { ending: 'no-changes' }), 60)
  const pushed = [19, 20, 79, 80].map((second) =>
    listPushedTurns(twice, second * 1_000).map(({ endsAtMs }) => endsAtMs),
  )
  expect(pushed).toEqual([[], [20_000], [20_000], [20_000, 80_000]])
  expect(before.turns).toHaveLength(1)
})

test('a hostile link is a valid URL', () => {
  const { prLink } = toJobBody(createJob(), 20_000, 'http://127.0.0.1:4010', 'hostile') as { prLink: string }
  expect(prLink).toContain('##[error]')
  expect(prLink).not.toMatch(/[\u0000-\u0020]/)
  expect(new URL(prLink).pathname).toBe('/acme/docs/pull/7')
})
