import { expect, test } from '@jest/globals'
import { OUTPUT_NAMES, toOutputs } from '../../../src/agent/report/outputs.ts'
import { OUTCOMES } from '../../../src/agent/report/report.ts'
import { ATTACH, CREATE, FOLLOW_UP } from '../../support/agent-run.ts'
import { active, completed, failure, job, LINK } from '../../support/fake-client.ts'
import { reportOf, type Fields } from '../../support/report.ts'

const ROUND = { task: FOLLOW_UP }
const UNUSABLE = job({ status: 'completed', hasUnsafeLink: true })
const NAMES = OUTPUT_NAMES.filter((name) => name !== 'result')
const NOTHING = Object.fromEntries(NAMES.map((name) => [name, '']))

test('tells the next steps all about a pull request', () => {
  expect(toOutputs(reportOf({ operation: 'created' }))).toEqual({
    ...NOTHING,
    status: 'completed',
    'pr-link': LINK,
    'job-id': 'job_1',
    outcome: 'pull-request',
    changed: 'true',
    'pr-operation': 'created',
    'pr-number': '7',
    'pr-repository': 'acme/docs',
    model: 'writer-1',
    'duration-seconds': '65.4',
  })
})

test('sets every output, in the order of the file, empty where there is nothing to tell', () => {
  const outputs = toOutputs(reportOf({ outcome: 'skipped', task: undefined, job: undefined, durationMs: 0 }))
  expect(Object.keys(outputs)).toEqual(NAMES)
  expect(outputs).toEqual({ ...NOTHING, outcome: 'skipped', changed: 'false', 'duration-seconds': '0.0' })
})

const changedOf = (fields: Fields): string => toOutputs(reportOf(fields)).changed

test.each<[string, Fields, string]>([
  ['a create that was refused', { outcome: 'error', job: undefined, error: failure('rejected') }, 'false'],
  ['a create whose answer was lost', { outcome: 'error', job: undefined, error: failure('unknown-fate') }, ''],
  ['the same in a cancelled run', { outcome: 'cancelled', job: undefined, error: failure('unknown-fate') }, ''],
  ['a create that a defect has stopped', { outcome: 'error', job: undefined, error: failure('internal') }, ''],
  ['a run cancelled before', { outcome: 'cancelled', job: undefined, error: failure('cancelled') }, 'false'],
  [
    'a create that did not leave in time',
    { outcome: 'timed-out', job: undefined, error: failure('deadline') },
    'false',
  ],
  ['a job that could not be read any more', { outcome: 'error', job: active, error: failure('forbidden') }, ''],
  ['wrong inputs', { outcome: 'error', task: undefined, job: undefined, error: failure('invalid-input') }, 'false'],
  ['a follow-up that was not sent', { outcome: 'archived', task: FOLLOW_UP, progress: 'unsent' }, 'false'],
  ['a follow-up before it was looked at', { outcome: 'error', task: FOLLOW_UP, job: undefined }, 'false'],
  [
    'a follow-up whose answer was lost',
    { outcome: 'error', task: FOLLOW_UP, progress: 'unsent', error: failure('unknown-fate') },
    '',
  ],
  ['a follow-up whose turn was not seen', { outcome: 'cancelled', task: FOLLOW_UP, progress: 'taken' }, ''],
  ['a round whose end was not seen', { outcome: 'no-changes', rounds: [ROUND], stop: 'unseen' }, ''],
  ['a round that led to another pull request', { outcome: 'no-changes', rounds: [ROUND], stop: 'elsewhere' }, ''],
  ['a round that is on its way', { outcome: 'no-changes', rounds: [ROUND] }, ''],
  [
    'rounds that came to nothing',
    { outcome: 'no-changes', operation: 'unchanged', rounds: [ROUND], stop: 'unmoved' },
    'false',
  ],
  ['a job that failed, with a link that cannot be used', { outcome: 'failed', job: UNUSABLE }, ''],
])('of %s: “false” is only for what was seen, or never sent', (_name, fields, changed) => {
  expect(changedOf(fields)).toBe(changed)
})

test.each([
  ['created', 'true'],
  ['updated', 'true'],
  ['unchanged', 'false'],
] as const)('a pull request that was seen to be %s decides, however the step ends', (operation, changed) => {
  for (const task of [CREATE, FOLLOW_UP, ATTACH])
    for (const outcome of OUTCOMES)
      expect(toOutputs(reportOf({ outcome, task, operation }))).toMatchObject({ changed, 'pr-operation': operation })
})

test('a red follow-up hands on no pull request, which is of an earlier turn', () => {
  const outputs = toOutputs(reportOf({ outcome: 'failed', task: FOLLOW_UP, progress: 'seen' }))
  expect(outputs).toMatchObject({ 'pr-link': '', 'pr-number': '', 'pr-repository': '', changed: '' })
})

test('a link that is not safe is not handed on, and whether something changed is not known', () => {
  const report = reportOf({ outcome: 'error', job: UNUSABLE, error: failure('unusable-link') })
  expect(toOutputs(report)).toMatchObject({ 'pr-link': '', 'pr-number': '', changed: '' })
})

test('names the job of a follow-up even where it could never be read', () => {
  expect(toOutputs(reportOf({ outcome: 'error', task: FOLLOW_UP, job: undefined }))['job-id']).toBe('job_1')
  expect(toOutputs(reportOf({ outcome: 'error', task: CREATE, job: undefined }))['job-id']).toBe('')
})

test('reports an unlisted status as active, since only four values are promised', () => {
  expect(toOutputs(reportOf({ job: { ...active, unlistedStatus: 'paused' } })).status).toBe('active')
})

test("makes one clean line of the model's name", () => {
  const model = `writer\n::set-output name=x::y\u001b[31m${'z'.repeat(500)}`
  const cleaned = toOutputs(reportOf({ job: { ...completed, model } })).model
  expect(cleaned).toMatch(/^writer ::set-output name=x::yz+…$/)
  expect(cleaned).toHaveLength(200)
})

test('tells what GitHub knows of the pull request', () => {
  const scope = { fileCount: 2, outside: [] }
  const pullRequest = { state: 'draft', branch: 'agent/a', headSha: 'c'.repeat(40), checks: 'none', scope } as const
  expect(toOutputs(reportOf({ pullRequest }))).toMatchObject({
    'pr-state': 'draft',
    'pr-branch': 'agent/a',
    'pr-head-sha': 'c'.repeat(40),
    'pr-mergeable': '',
    checks: 'none',
    'in-scope': 'true',
  })
  for (const mergeable of [true, false])
    expect(toOutputs(reportOf({ pullRequest: { mergeable } }))['pr-mergeable']).toBe(String(mergeable))
  const outOfScope = { ...pullRequest, scope: { fileCount: 2, outside: ['src/a.ts'] } }
  expect(toOutputs(reportOf({ pullRequest: outOfScope }))['in-scope']).toBe('false')
})

test('a prompt counts as gone on with once the service has taken it', () => {
  const continuedAt = (turn: Fields['progress']): string =>
    toOutputs(reportOf({ task: FOLLOW_UP, continued: 'pull-request', progress: turn })).continued
  expect([undefined, 'unsent', 'taken', 'seen'].map((turn) => continuedAt(turn as Fields['progress']))).toEqual([
    '',
    '',
    'pull-request',
    'pull-request',
  ])
})
