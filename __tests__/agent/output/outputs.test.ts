import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parseCommand } from '../../../scripts/small-runner/commands.ts'
import { conclude } from '../../../src/agent/conclude.ts'
import type { Operation } from '../../../src/agent/selectors.ts'
import {
  type Outcome,
  OUTCOMES,
  type ChecksState,
  createUnstartedRun,
  type FollowUpReason,
  type Run,
} from '../../../src/agent/record.ts'
import { renderResult, toOutputs } from '../../../src/agent/output/outputs.ts'
import type { Task } from '../../../src/agent/facts.ts'
import type { Check } from '../../../src/github/checks.ts'
import type { TerminalJob } from '../../../src/docs-service/schemas.ts'
import type { PullRequestState } from '../../../src/github/pull-requests.ts'
import { ActionError, ERROR_TITLES } from '../../../src/runtime/errors.ts'
import { createRedactor } from '../../../src/text/redact.ts'
import { parseResult } from '../../../testing/check-result.ts'
import { active, completed, failed, failure, LINK, withoutLink } from '../../../testing/jobs.ts'
import { root } from '../../../testing/markdown-files.ts'
import {
  accept,
  ATTACH,
  CREATE,
  createReport,
  endWith,
  type Fields,
  FOLLOW_UP,
  stopWith,
  type TurnFacts,
  turnIn,
  EFFECTS,
} from '../../../testing/report.ts'
import { flattenReport } from '../../../testing/flatten-result.ts'

const ROUNDS = [turnIn(endWith('unchanged'))]
const FOUND = { title: 'Explain it', state: 'draft', branch: 'agent/a', mergeable: false, checks: 'failure' } as const
const getOutputs = (fields: Fields) => flattenReport(createReport(fields))
const print = (report: Run): string =>
  Object.entries(toOutputs(report, conclude(report)))
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')

test('sets every output in the order of `action.yml`, and leaves unknown values empty', () => {
  expect(print(createUnstartedRun(undefined, 0))).toBe(
    'outcome=skipped status= changed=false pr-link= pr-number= pr-head-sha= checks= in-scope= job-id= pr-state=',
  )
})

test('sets all outputs about a pull request', () => {
  const pullRequest = { ...FOUND, headSha: 'c', outside: [] }
  expect(print(createReport({ rounds: ROUNDS, pullRequest }))).toBe(
    `outcome=pull-request status=completed changed=true pr-link=${LINK} pr-number=7 pr-head-sha=c checks=failure in-scope=true job-id=job_1 pr-state=draft`,
  )
  expect(getOutputs({ pullRequest: { outside: ['src/a.ts'] } })['in-scope']).toBe('false')
})

test('`result` counts the fix rounds, and knows no number without them', () => {
  const counts = [{ rounds: ROUNDS }, { roundStop: 'not-fixable' as const }, {}].map(
    (fields) => getResult(fields).fix_rounds,
  )
  expect(counts).toEqual([1, 0, null])
})

test('returns the status of the last read, even if it was in a round and did not decide the result', () => {
  const fields = { rounds: [turnIn(endWith('unknown', failed))] }
  expect(getOutputs(fields)).toMatchObject({ outcome: 'pull-request', status: 'failed' })
  const report = createReport(fields)
  expect(parseResult(renderResult(report, conclude(report), String))).toMatchObject({ job: { status: 'failed' } })
})

/** The output `changed` if the heads were not compared: for a job with a pull request, and for a job without one. */
const CHANGED: Readonly<Record<Outcome, Readonly<Record<'create' | 'followUp' | 'attach', readonly string[]>>>> = {
  'pull-request': { create: ['true'], followUp: [''], attach: ['true'] },
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

/** A turn without a comparison of heads for each outcome. */
const UNCOMPARED: Readonly<Record<Outcome, (job: TerminalJob) => Fields>> = {
  'pull-request': (job) => ({ state: endWith('unknown', job) }),
  'no-changes': (job) => ({ state: endWith('none', job) }),
  failed: (job) => ({ state: endWith('unknown', { ...job, status: 'failed' }) }),
  archived: (job) => ({ state: endWith('unknown', { ...job, status: 'archived' }) }),
  'timed-out': (job) => ({ state: { sent: 'started', end: 'timed-out', job } }),
  unconfirmed: (job) => ({ state: { sent: 'accepted', end: 'unconfirmed', job } }),
  submitted: (job) => ({ state: { sent: 'started', end: 'not-awaited', job } }),
  previewed: () => ({ state: { end: 'previewed' } }),
  cancelled: (job) => ({ state: stopWith('cancelled', accept(job, true)) }),
  skipped: () => ({ state: {}, skipReason: 'Nothing changed.' }),
  error: (job) => ({ state: stopWith('unreachable', accept(job, true)) }),
}

test.each(OUTCOMES)('sets `changed` for the outcome %s, if it is known', (outcome) => {
  const changed = (task: Task): string[] =>
    (outcome === 'pull-request' ? [completed] : [completed, withoutLink]).map((job) => {
      const outputs = getOutputs({ task, ...UNCOMPARED[outcome](job) })
      expect(outputs['outcome']).toBe(outcome)
      return outputs['changed'] ?? ''
    })
  expect({ create: changed(CREATE), followUp: changed(FOLLOW_UP), attach: changed(ATTACH) }).toEqual(CHANGED[outcome])
})

const DELIVERY_UNKNOWN = { sent: 'maybe' } as const
const followUp = (state: TurnFacts): Fields => ({ task: FOLLOW_UP, state })

/** A follow-up that changed nothing, and a round after it. */
const inRound = (state: TurnFacts): Fields => ({ ...followUp(endWith('unchanged')), rounds: [turnIn(state)] })

test.each<[string, Fields, string]>([
  ['a create that was refused', { state: stopWith('rejected') }, 'false'],
  ['a create without a response', { state: stopWith('maybe-sent', DELIVERY_UNKNOWN) }, ''],
  ['a create that an internal error stopped', { state: stopWith('internal', { sent: 'maybe' }) }, ''],
  ['a follow-up that is still planned', followUp({}), 'false'],
  ['a follow-up that was not sent', followUp({ error: failure('not-sent') }), 'false'],
  ['a follow-up without a response', followUp(stopWith('maybe-sent', DELIVERY_UNKNOWN)), ''],
  ['a follow-up whose start was not seen', followUp(stopWith('cancelled', accept())), ''],
  ['a follow-up that was cancelled before its response', followUp(stopWith('cancelled', DELIVERY_UNKNOWN)), ''],
  ['a create that was cancelled before its response', { state: stopWith('cancelled', DELIVERY_UNKNOWN) }, ''],
  ['a running round', inRound(accept()), ''],
  ['a round whose end was not seen', inRound({ sent: 'accepted', end: 'unconfirmed', job: completed }), ''],
  ['a round in another pull request', inRound(endWith('none', withoutLink)), ''],
  ['a round that failed', inRound(endWith('unchanged', failed)), 'false'],
])('sets `changed` to `false` only if that was observed, or if nothing was sent: %s', (_name, fields, changed) => {
  expect(getOutputs(fields)['changed']).toBe(changed)
})

test.each([
  ['created', 'true'],
  ['updated', 'true'],
  ['unchanged', 'false'],
] as const)('sets `changed` from a pull request that was %s, regardless of how the step ends', (operation, changed) => {
  const effect = EFFECTS[operation]
  const ends: TurnFacts[] = [
    ...(['completed', 'failed', 'archived'] as const).map((status) => endWith(effect, { ...completed, status })),
    {
      sent: 'started',
      end: 'finished',
      job: completed,
      error: failure('merged-too-early'),
      effect,
      pullRequest: { state: 'closed' },
    },
  ]
  for (const task of [CREATE, FOLLOW_UP, ATTACH])
    for (const end of ends)
      for (const state of [
        end,
        ...(['cancelled', 'internal', 'unreachable'] as const).map((code) => stopWith(code, end)),
      ])
        expect(getOutputs({ task, state })).toMatchObject({ changed, 'pull_request.operation': operation })
})

test('sets `job-id` to the job that was read, else to the input, else to nothing', () => {
  const ids = [CREATE, FOLLOW_UP, ATTACH].map((task) => getOutputs({ task, state: stopWith('unreachable') })['job-id'])
  expect([getOutputs({ task: CREATE })['job-id'], ...ids]).toEqual(['job_1', '', 'job_1', 'job_1'])
  expect(flattenReport(createUnstartedRun(failure('invalid-input'), 0))['job-id']).toBe('')
})

test("cleans and shortens the model's name to one line", () => {
  const model = `writer\n::set-output name=x::y\u001b[31m${'z'.repeat(500)}`
  const cleaned = getOutputs({ state: endWith('created', { ...completed, model }) })['job.model']
  expect(cleaned).toMatch(/^writer ::set-output name=x::yz+…$/)
  expect(cleaned).toHaveLength(300)
})

test('sets `continued` once the service has accepted the prompt', () => {
  const states: TurnFacts[] = [{}, { sent: 'maybe' }, accept(), accept(active, true)]
  const continued = states.map(
    (state) => getOutputs({ ...followUp(state), followUpReason: 'pull-request' })['continued'],
  )
  expect(continued).toEqual(['', '', 'pull-request', 'pull-request'])
})

const KEY = 'dk_"secret"key'

const isRun = (given: Fields | Run): given is Run => 'turns' in given

function getResult(given: Fields | Run = {}) {
  const report = isRun(given) ? given : createReport(given)
  return parseResult(renderResult(report, conclude(report), createRedactor([KEY])))
}

const files = [{ path: 'docs/a.md', additions: 2, deletions: 1 }]
const failing = [{ name: 'links', state: 'failure', tookMs: 1_500, detailsUrl: 'javascript:alert(1)' }] as const
const PULL_REQUEST = { url: LINK, number: 7, repository: 'acme/docs', operation: 'created', head_sha: 'c' }
const NONE = { files: 0, checks: 0, outside: 0, rounds: 0, not_done: 0 }

test('contains everything that the step knows, with secrets redacted', () => {
  const result = getResult({
    startedBy: { text: 'schedule' },
    change: `It is "${KEY}".`,
    pullRequest: { ...FOUND, headSha: 'c', checkList: failing, outside: ['src/a.ts'] },
    files: { files, isComplete: true },
    rounds: [turnIn(endWith('unchanged'), { failing })],
    warnings: [{ message: 'The label was not added to', error: new ActionError('forbidden', 'No.') }],
  })
  const fields = {
    version: 1,
    outcome: 'pull-request',
    green: true,
    changed: true,
    change: 'It is "***".',
    error: null,
  }
  expect(result).toMatchObject({
    ...fields,
    files,
    outside: ['src/a.ts'],
    triggered_by: { text: 'schedule', url: null },
    job: { id: 'job_1', status: 'completed', model: 'writer-1' },
    pull_request: { ...FOUND, ...PULL_REQUEST, in_scope: false },
    checks: [{ name: 'links', result: 'failure', seconds: 1.5, url: null }],
    rounds: [{ checks: ['links'], end: 'nothing to change' }],
    not_done: ['The label was not added to: No.'],
    duration_seconds: 65.4,
    rehearsal: false,
    left_out: NONE,
  })
})

test('represents unknown values as null', () => {
  const error = new ActionError('proxy', 'No.')
  const result = getResult(createUnstartedRun(error, 0))
  const unknown = { job: null, pull_request: null, triggered_by: null }
  expect(result).toMatchObject({ ...unknown, error: { code: 'proxy', hint: null } })
})

const LINE_ENDS = ['\r\n', '\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029']
const COMMANDS = ['##[add-mask]x', '::error::x', '####[group]x', ' ::set-output name=a::x', '\u0085::stop-commands::x']

test.each(LINE_ENDS.flatMap((end) => COMMANDS.map((command) => `a${end}${command}${end}${command}`)))(
  'contains no workflow command when printed, and keeps all text: %j',
  (hostile) => {
    const url = `https://x/${hostile}`
    const checkList = [{ ...failing[0], name: hostile, detailsUrl: url }]
    const fields: Fields = {
      startedBy: { text: hostile, url },
      change: hostile,
      pullRequest: { title: hostile, branch: hostile, checkList, outside: [hostile] },
      files: { files: [{ path: hostile, additions: 1, deletions: 0 }], isComplete: true },
      warnings: [{ message: hostile, error: new ActionError('rejected', hostile, { hint: hostile }) }],
    }
    const report = createReport(fields)
    const printed = renderResult(report, conclude(report), createRedactor([KEY]))
    const lines = printed.split(new RegExp(LINE_ENDS.join('|'), 'u'))
    expect(lines.flatMap((line) => parseCommand(line) ?? [])).toEqual([])
    expect(lines).toHaveLength(1)
    // A later step may print a single text on its own line, which must be no command either.
    expect(printed).not.toContain('::')
    expect(printed).not.toContain('##[')
    expect(parseResult(printed)).toMatchObject({ triggered_by: { text: hostile, url }, checks: [{ url }] })
  },
)

test.each([
  ['Fix `Authorization: Bearer abc.def`', /Authorization: |Bearer abc/],
  ['authorization : basic  dXNlcjpwYXNz', /authorization *:|basic +d/],
  ['AUTHORIZATION:token x', /AUTHORIZATION:/],
  ['Use ghp_0123456789abcdefghijABCDEFGHIJ012345', /ghp_/],
  ['Use github_pat_11ABCDEFG', /github_pat_/],
])('escapes what GitHub takes for a secret, so that a job can pass `result` on: %s', (title, secret) => {
  const report = createReport({ pullRequest: { title } })
  const printed = renderResult(report, conclude(report), createRedactor([KEY]))
  expect(printed).not.toMatch(secret)
  expect(parseResult(printed)).toMatchObject({ pull_request: { title } })
})

test('omits a URL of more than 2,000 characters', () => {
  const [fits, tooLong] = [2_000, 2_001].map((length) => 'https://x/'.padEnd(length, 'a'))
  const checkList = [fits, tooLong].map((detailsUrl = '') => ({ ...failing[0], detailsUrl }))
  expect(getResult({ pullRequest: { checkList } })).toMatchObject({ checks: [{ url: fits }, { url: null }] })
})

const LONG = '\u0001"é🎉'.repeat(5_000)

test.each([1, 10, 100])('removes items that do not fit from lists of %i long items, and counts them', (count) => {
  const all = <T>(item: T): T[] => Array<T>(count).fill(item)
  const failing = all({ name: LONG, state: 'failure' } as const)
  const result = getResult({
    change: LONG,
    state: endWith('created', { ...completed, model: LONG, repository: LONG, ref: LONG }),
    pullRequest: { title: LONG, branch: LONG, checkList: failing, outside: all(LONG) },
    files: { files: all({ path: LONG, additions: 1, deletions: 1 }), isComplete: true },
    rounds: [
      ...all(turnIn(endWith('unknown', failed), { failing })).slice(0, 4),
      turnIn(stopWith(new ActionError('internal', LONG, { hint: LONG }), endWith('unknown', failed)), { failing }),
    ],
  })
  for (const list of ['files', 'checks', 'outside'] as const)
    expect(result[list].length + result.left_out[list]).toBe(count)
})

const listWords = <T extends string>(words: Readonly<Record<T, 0>>): string[] => Object.keys(words)

test('the documented schema is valid', () => {
  const schema = JSON.parse(readFileSync(join(root, 'docs/result.schema.json'), 'utf8')) as object
  expect(new Ajv2020().validateSchema(schema)).toBe(true)
})

test('matches the enums of the documented schema, in the order of its fields', () => {
  const schema = readFileSync(join(root, 'docs/result.schema.json'), 'utf8')
  const enums = Array.from(schema.matchAll(/"enum": (\[[^\]]+\])/g), ([, words = '']): unknown => JSON.parse(words))
  expect(enums).toEqual([
    OUTCOMES,
    listWords<FollowUpReason>({ 'pull-request': 0, comment: 0 }),
    listWords<PullRequestState>({ open: 0, draft: 0, closed: 0, merged: 0 }),
    listWords<Operation>({ created: 0, updated: 0, unchanged: 0 }),
    listWords<ChecksState>({ success: 0, failure: 0, pending: 0, none: 0 }),
    [...listWords<Check['state']>({ success: 0, failure: 0, pending: 0 }), 'ignored'],
    Object.keys(ERROR_TITLES),
  ])
})
