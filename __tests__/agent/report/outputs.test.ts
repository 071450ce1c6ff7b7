import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parseCommand } from '../../../scripts/small-runner/commands.ts'
import { conclude } from '../../../src/agent/report/outcomes.ts'
import { renderResult, toOutputs } from '../../../src/agent/report/outputs.ts'
import type { ChecksState, FollowUpReason } from '../../../src/agent/report/turn.ts'
import { OUTCOMES, type Outcome, type Report } from '../../../src/agent/report/report.ts'
import type { Check } from '../../../src/github/checks.ts'
import type { PullRequestState } from '../../../src/github/pull-requests.ts'
import { ActionError, ERROR_TITLES } from '../../../src/runtime/errors.ts'
import { createRedactor } from '../../../src/text/redact.ts'
import { parseResult } from '../../support/check-result.ts'
import { active, completed, failed, failure, job, LINK, withoutLink } from '../../support/fake-client.ts'
import { root } from '../../support/markdown-files.ts'
import { ATTACH, CREATE, endWith, FOLLOW_UP, createReport, turnIn, type Fields } from '../../support/report.ts'

const ROUNDS = [turnIn({ kind: 'accepted', job: active, isConfirmed: false })]
const FOUND = { title: 'Explain it', state: 'draft', branch: 'agent/a', mergeable: false, checks: 'failure' } as const
const outputsOf = (fields: Fields) => toOutputs(createReport(fields))
const print = (fields: Fields): string =>
  Object.entries(outputsOf(fields))
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')

test('sets every output, in the order of the file, empty where there is nothing to tell', () => {
  expect(print({ outcome: 'skipped', task: undefined, job: undefined, durationMs: 0 })).toBe(
    'outcome=skipped status= changed=false pr-link= pr-number= pr-head-sha= checks= in-scope= job-id= pr-operation= pr-repository= pr-state= pr-branch= pr-mergeable= continued= fix-rounds= model= duration-seconds=0.0',
  )
})

test('tells the next steps all about a pull request', () => {
  const pullRequest = { ...FOUND, headSha: 'c', outside: [] }
  expect(print({ operation: 'created', rounds: ROUNDS, pullRequest })).toBe(
    `outcome=pull-request status=completed changed=true pr-link=${LINK} pr-number=7 pr-head-sha=c checks=failure in-scope=true job-id=job_1 pr-operation=created pr-repository=acme/docs pr-state=draft pr-branch=agent/a pr-mergeable=false continued= fix-rounds=1 model=writer-1 duration-seconds=65.4`,
  )
  expect(outputsOf({ pullRequest: { outside: ['src/a.ts'] } })['in-scope']).toBe('false')
  expect(outputsOf({ stop: 'red-before' })['fix-rounds']).toBe('0')
})

test('the status is that of the last read, in a round too, and not the one that decided the result', () => {
  const fields = { rounds: ROUNDS, jobInRound: failed }
  expect(outputsOf(fields)).toMatchObject({ outcome: 'pull-request', status: 'failed' })
  const report = createReport(fields)
  expect(parseResult(renderResult(report, conclude(report), String))).toMatchObject({ job: { status: 'failed' } })
})

/** If nobody compared the pull request's head before and after: for a job with a pull request, and for one without. */
const CHANGED: Readonly<Record<Outcome, Readonly<Record<'create' | 'followUp' | 'attach', readonly string[]>>>> = {
  'pull-request': { create: ['true', 'true'], followUp: ['', ''], attach: ['true', 'true'] },
  'no-changes': { create: ['', 'false'], followUp: ['', 'false'], attach: ['', 'false'] },
  failed: { create: ['true', 'false'], followUp: ['', ''], attach: ['true', 'false'] },
  archived: { create: ['true', 'false'], followUp: ['', ''], attach: ['true', 'false'] },
  'timed-out': { create: ['', ''], followUp: ['', ''], attach: ['', ''] },
  unconfirmed: { create: ['', ''], followUp: ['', ''], attach: ['', ''] },
  submitted: { create: ['', ''], followUp: ['', ''], attach: ['', ''] },
  previewed: { create: ['false', 'false'], followUp: ['false', 'false'], attach: ['false', 'false'] },
  cancelled: { create: ['', ''], followUp: ['', ''], attach: ['true', ''] },
  skipped: { create: ['false', 'false'], followUp: ['false', 'false'], attach: ['false', 'false'] },
  error: { create: ['', ''], followUp: ['', ''], attach: ['', ''] },
}

test.each(OUTCOMES)('of %s it is told whether its work is in a pull request, where that is known', (outcome) => {
  const changed = (fields: Fields): string[] =>
    [completed, withoutLink].map((job) => outputsOf({ outcome, job, ...fields }).changed)
  const [create, attach] = [CREATE, ATTACH].map((task) => changed({ task }))
  expect({ create, followUp: changed({ task: FOLLOW_UP, progress: 'seen' }), attach }).toEqual(CHANGED[outcome])
})

const unread = { outcome: 'error', job: undefined } as const
const round = { outcome: 'no-changes', job: withoutLink, rounds: ROUNDS } as const

test.each<[string, Fields, string]>([
  ['a create that was refused', { ...unread, error: failure('rejected') }, 'false'],
  ['a create whose answer was lost', { ...unread, error: failure('unknown-fate') }, ''],
  ['a create that a defect has stopped', { ...unread, error: failure('internal') }, ''],
  ['a follow-up before it was looked at', { ...unread, task: FOLLOW_UP }, 'false'],
  ['a follow-up that was not sent', { outcome: 'archived', task: FOLLOW_UP, progress: 'unsent' }, 'false'],
  ['a follow-up whose answer was lost', { ...unread, task: FOLLOW_UP, error: failure('unknown-fate') }, ''],
  ['a follow-up whose turn was not seen', { outcome: 'cancelled', task: FOLLOW_UP, progress: 'taken' }, ''],
  ['a round that is on its way', round, ''],
  ['a round whose end was not seen', { ...round, stop: 'unseen' }, ''],
  ['a round elsewhere', { ...round, stop: 'other-pull-request' }, ''],
  ['a round that failed', { ...round, stop: 'failed' }, 'false'],
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

const KEY = 'dk_"secret"key'

function resultOf(fields: Fields = {}) {
  const report = createReport(fields)
  return parseResult(renderResult(report, conclude(report), createRedactor([KEY])))
}

const files = [{ path: 'docs/a.md', additions: 2, deletions: 1 }]
const failing = [{ name: 'links', state: 'failure', tookMs: 1_500, detailsUrl: 'javascript:alert(1)' }] as const
const PULL_REQUEST = { url: LINK, number: 7, repository: 'acme/docs', operation: 'created', head_sha: 'c' }
const NONE = { files: 0, checks: 0, outside: 0, rounds: 0, not_done: 0 }

test('tells all that the step knows, without its secrets', () => {
  const result = resultOf({
    operation: 'created',
    startedBy: { text: 'schedule' },
    change: `It is "${KEY}".`,
    pullRequest: { ...FOUND, headSha: 'c', checkList: failing, outside: ['src/a.ts'] },
    changes: { files, isWhole: true },
    rounds: [turnIn(endWith('unchanged'), { failing })],
    warnings: [{ lost: 'The label was not put on', error: new ActionError('forbidden', 'No.') }],
  })
  const told = { version: 1, outcome: 'pull-request', green: true, changed: true, change: 'It is "***".', error: null }
  expect(result).toMatchObject({
    ...told,
    files,
    outside: ['src/a.ts'],
    triggered_by: { text: 'schedule', url: null },
    job: { id: 'job_1', status: 'completed', model: 'writer-1' },
    pull_request: { ...FOUND, ...PULL_REQUEST, in_scope: false },
    checks: [{ name: 'links', result: 'failure', seconds: 1.5, url: null }],
    rounds: [{ checks: ['links'], end: 'nothing to change' }],
    not_done: ['The label was not put on: No.'],
    duration_seconds: 65.4,
    left_out: NONE,
  })
})

test('what is not known is null', () => {
  const error = new ActionError('proxy', 'No.')
  const result = resultOf({ outcome: 'error', task: undefined, job: undefined, error })
  const unknown = { job: null, pull_request: null, triggered_by: null }
  expect(result).toMatchObject({ ...unknown, error: { code: 'proxy', hint: null } })
})

const LINE_ENDS = ['\r\n', '\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029']
const COMMANDS = ['##[add-mask]x', '::error::x', '####[group]x', ' ::set-output name=a::x', '\u0085::stop-commands::x']

test.each(LINE_ENDS.flatMap((end) => COMMANDS.map((command) => `a${end}${command}${end}${command}`)))(
  'printing the result gives the runner no command, and all of it can be read: %j',
  (hostile) => {
    const url = `https://x/${hostile}`
    const checkList = [{ ...failing[0], name: hostile, detailsUrl: url }]
    const fields: Fields = {
      startedBy: { text: hostile, url },
      change: hostile,
      pullRequest: { title: hostile, branch: hostile, checkList, outside: [hostile] },
      changes: { files: [{ path: hostile, additions: 1, deletions: 0 }], isWhole: true },
      warnings: [{ lost: hostile, error: new ActionError('rejected', hostile, { hint: hostile }) }],
    }
    const report = createReport(fields)
    const printed = renderResult(report, conclude(report), createRedactor([KEY]))
    const lines = printed.split(new RegExp(LINE_ENDS.join('|'), 'u'))
    expect(lines.flatMap((line) => parseCommand(line) ?? [])).toEqual([])
    expect(lines).toHaveLength(1)
    // Whoever prints a part of it, such as one text in a line of its own, gives no command either.
    expect(printed).not.toContain('::')
    expect(printed).not.toContain('##[')
    expect(parseResult(printed)).toMatchObject({ triggered_by: { text: hostile, url }, checks: [{ url }] })
  },
)

test('an address of more than 2,000 characters is left out', () => {
  const [fits, tooLong] = [2_000, 2_001].map((length) => 'https://x/'.padEnd(length, 'a'))
  const checkList = [fits, tooLong].map((detailsUrl = '') => ({ ...failing[0], detailsUrl }))
  expect(resultOf({ pullRequest: { checkList } })).toMatchObject({ checks: [{ url: fits }, { url: null }] })
})

const LONG = '\u0001"é🎉'.repeat(5_000)

test.each([1, 10, 1_000])('of lists of %i long items what does not fit is left out, and counted', (count) => {
  const all = <T>(item: T): T[] => Array<T>(count).fill(item)
  const failing = all({ name: LONG, state: 'failure' } as const)
  const result = resultOf({
    change: LONG,
    job: { ...completed, model: LONG, repository: LONG, ref: LONG },
    error: new ActionError('rejected', LONG, { hint: LONG }),
    pullRequest: { title: LONG, branch: LONG, checkList: failing, outside: all(LONG) },
    changes: { files: all({ path: LONG, additions: 1, deletions: 1 }), isWhole: true },
    rounds: all(turnIn(endWith('unknown', failed), { failing })).slice(0, 5),
  })
  for (const list of ['files', 'checks', 'outside'] as const)
    expect(result[list].length + result.left_out[list]).toBe(count)
})

const wordsOf = <T extends string>(words: Readonly<Record<T, 0>>): string[] => Object.keys(words)

test('the schema in the docs has the words that the code knows, in the order of its fields', () => {
  const schema = readFileSync(join(root, 'docs/result.schema.json'), 'utf8')
  const enums = Array.from(schema.matchAll(/"enum": (\[[^\]]+\])/g), ([, words = '']): unknown => JSON.parse(words))
  expect(enums).toEqual([
    OUTCOMES,
    wordsOf<FollowUpReason>({ 'pull-request': 0, comment: 0 }),
    wordsOf<PullRequestState>({ open: 0, draft: 0, closed: 0, merged: 0 }),
    wordsOf<NonNullable<Report['operation']>>({ created: 0, updated: 0, unchanged: 0 }),
    wordsOf<ChecksState>({ success: 0, failure: 0, pending: 0, none: 0 }),
    wordsOf<Check['state']>({ success: 0, failure: 0, pending: 0 }),
    Object.keys(ERROR_TITLES),
  ])
})
