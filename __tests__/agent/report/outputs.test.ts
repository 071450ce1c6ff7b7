import { expect, test } from '@jest/globals'
import { OUTPUT_NAMES, toOutputs } from '../../../src/agent/report/outputs.ts'
import { OUTCOMES, type Outcome, type Turn } from '../../../src/agent/report/report.ts'
import { ATTACH, CREATE, FOLLOW_UP } from '../../support/agent-run.ts'
import { completed, failure, job, LINK, withoutLink } from '../../support/fake-client.ts'
import { reportOf, type Fields } from '../../support/report.ts'

const NAMES = OUTPUT_NAMES.filter((name) => name !== 'result')
const NOTHING = Object.fromEntries(NAMES.map((name) => [name, '']))
const outputsOf = (fields: Fields) => toOutputs(reportOf(fields))

test('sets every output, in the order of the file, empty where there is nothing to tell', () => {
  const outputs = outputsOf({ outcome: 'skipped', task: undefined, job: undefined, durationMs: 0 })
  expect(Object.keys(outputs)).toEqual(NAMES)
  expect(outputs).toEqual({ ...NOTHING, outcome: 'skipped', changed: 'false', 'duration-seconds': '0.0' })
})

test('tells the next steps all about a pull request', () => {
  const found = { state: 'draft', branch: 'agent/a', headSha: 'c', mergeable: false, checks: 'none' } as const
  const scope = { fileCount: 2, outside: [] }
  const rounds: readonly Turn[] = [{ task: FOLLOW_UP }]
  expect(outputsOf({ operation: 'created', rounds, pullRequest: { ...found, scope } })).toEqual({
    outcome: 'pull-request',
    status: 'completed',
    changed: 'true',
    'pr-link': LINK,
    'pr-number': '7',
    'pr-head-sha': 'c',
    checks: 'none',
    'in-scope': 'true',
    'job-id': 'job_1',
    'pr-operation': 'created',
    'pr-repository': 'acme/docs',
    'pr-state': 'draft',
    'pr-branch': 'agent/a',
    'pr-mergeable': 'false',
    continued: '',
    'fix-rounds': '1',
    model: 'writer-1',
    'duration-seconds': '65.4',
  })
  expect(outputsOf({ pullRequest: { scope: { fileCount: 2, outside: ['src/a.ts'] } } })['in-scope']).toBe('false')
  expect(outputsOf({ stop: 'red-before' })['fix-rounds']).toBe('0')
})

/** If nobody compared the pull request's head before and after: for a job with a pull request, and for one without. */
const CHANGED: Readonly<
  Record<Outcome, Readonly<Record<'create' | 'followUp' | 'attach', readonly [string, string]>>>
> = {
  'pull-request': { create: ['true', 'true'], followUp: ['', ''], attach: ['true', 'true'] },
  'no-changes': { create: ['', 'false'], followUp: ['', 'false'], attach: ['', 'false'] },
  failed: { create: ['true', 'false'], followUp: ['', ''], attach: ['true', 'false'] },
  archived: { create: ['true', 'false'], followUp: ['', ''], attach: ['true', 'false'] },
  'timed-out': { create: ['', ''], followUp: ['', ''], attach: ['', ''] },
  unconfirmed: { create: ['', ''], followUp: ['', ''], attach: ['', ''] },
  submitted: { create: ['', ''], followUp: ['', ''], attach: ['', ''] },
  cancelled: { create: ['', ''], followUp: ['', ''], attach: ['true', ''] },
  skipped: { create: ['false', 'false'], followUp: ['false', 'false'], attach: ['false', 'false'] },
  error: { create: ['', ''], followUp: ['', ''], attach: ['', ''] },
}

test.each(OUTCOMES)(
  '%s tells whether the work of this step is in a pull request, and nothing that nobody knows',
  (outcome) => {
    const changed = (fields: Fields): string[] =>
      [completed, withoutLink].map((job) => outputsOf({ outcome, job, ...fields }).changed)
    expect({
      create: changed({ task: CREATE }),
      followUp: changed({ task: FOLLOW_UP, progress: 'seen' }),
      attach: changed({ task: ATTACH }),
    }).toEqual(CHANGED[outcome])
  },
)

const ROUNDS = [{ task: FOLLOW_UP }]
const unread = { outcome: 'error', job: undefined } as const

test.each<[string, Fields, string]>([
  ['a create that was refused', { ...unread, error: failure('rejected') }, 'false'],
  ['a create whose answer was lost', { ...unread, error: failure('unknown-fate') }, ''],
  ['a create that a defect has stopped', { ...unread, error: failure('internal') }, ''],
  ['a follow-up before it was looked at', { ...unread, task: FOLLOW_UP }, 'false'],
  ['a follow-up that was not sent', { outcome: 'archived', task: FOLLOW_UP, progress: 'unsent' }, 'false'],
  ['a follow-up whose answer was lost', { ...unread, task: FOLLOW_UP, error: failure('unknown-fate') }, ''],
  ['a follow-up whose turn was not seen', { outcome: 'cancelled', task: FOLLOW_UP, progress: 'taken' }, ''],
  ['a round that is on its way', { outcome: 'no-changes', job: withoutLink, rounds: ROUNDS }, ''],
  ['a round whose end was not seen', { outcome: 'no-changes', job: withoutLink, rounds: ROUNDS, stop: 'unseen' }, ''],
  ['a round elsewhere', { outcome: 'no-changes', job: withoutLink, rounds: ROUNDS, stop: 'elsewhere' }, ''],
  ['a round that failed', { outcome: 'no-changes', job: withoutLink, rounds: ROUNDS, stop: 'failed' }, 'false'],
  ['a link that cannot be used', { outcome: 'failed', job: job({ status: 'completed', hasUnsafeLink: true }) }, ''],
])('of %s: “false” is only for what was seen, or never sent', (_name, fields, changed) => {
  expect(outputsOf(fields).changed).toBe(changed)
})

test.each([
  ['created', 'true'],
  ['updated', 'true'],
  ['unchanged', 'false'],
] as const)('a pull request that was seen to be %s decides, however the step ends', (operation, changed) => {
  for (const task of [CREATE, FOLLOW_UP, ATTACH])
    for (const outcome of OUTCOMES)
      expect(outputsOf({ outcome, task, operation })).toMatchObject({ changed, 'pr-operation': operation })
})

test('the job is the one that was read, else the one that was asked for, else none', () => {
  const tasks = [CREATE, FOLLOW_UP, ATTACH, undefined]
  const ids = tasks.map((task) => outputsOf({ ...unread, task })['job-id'])
  expect([outputsOf({ task: CREATE })['job-id'], ...ids]).toEqual(['job_1', '', 'job_1', 'job_1', ''])
})

test("makes one clean line of the model's name", () => {
  const model = `writer\n::set-output name=x::y\u001b[31m${'z'.repeat(500)}`
  const cleaned = outputsOf({ job: { ...completed, model } }).model
  expect(cleaned).toMatch(/^writer ::set-output name=x::yz+…$/)
  expect(cleaned).toHaveLength(200)
})

test('a prompt counts as gone on with once the service has taken it', () => {
  const told = ([undefined, 'unsent', 'taken', 'seen'] as const).map(
    (progress) => outputsOf({ task: FOLLOW_UP, continued: 'pull-request', progress }).continued,
  )
  expect(told).toEqual(['', '', 'pull-request', 'pull-request'])
})
