import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { marked } from 'marked'
import { createMarkerComment, recognizeComment } from '../../../src/agent/marker.ts'
import {
  findWorkingRows,
  isUpdated,
  rememberVersion,
  settleRow,
  toLogEntry,
  toWorkingRows,
  type CommentUpdate,
  type LogEntry,
} from '../../../src/agent/pull-request/pull-request-log.ts'
import { parsePathRules } from '../../../src/agent/path-filter.ts'
import type { Report } from '../../../src/agent/report/report.ts'
import type { PullRequestFindings, Turn, Turns, TurnState } from '../../../src/agent/report/turn.ts'
import type { ErrorCode } from '../../../src/runtime/errors.ts'
import { linked } from '../../../src/text/markdown.ts'
import { active, failed as failedJob, failure } from '../../support/fake-client.ts'
import { RUN_FACTS } from '../../support/fake-github.ts'
import { CREATE, endWith, FOLLOW_UP, createReport } from '../../support/report.ts'
import { changeMarker, readMarker, toMarkerComment, updateBody } from '../../support/marker-bodies.ts'
import { SEED } from '../../support/seed.ts'

const PLANNED: Turn = { task: CREATE, state: { kind: 'planning' } }
const NEW = createMarkerComment('job_1', ['docs-agent']).body
const AT = new Date('2026-01-31T03:00:05Z')
const LATER = new Date('2026-01-31T03:10:00Z')

const created = endWith('created')
const stopped = (code: ErrorCode, during: Exclude<TurnState, { kind: 'stopped' }>): TurnState => ({
  kind: 'stopped',
  error: failure(code),
  isCancelled: false,
  during,
})
const failed = (...names: string[]) => names.map((name) => ({ name, state: 'failure' as const }))

const COMPARED = 'https://github.com/acme/docs/compare/a...b'
const RUN = 'https://github.com/acme/docs/actions/runs/42'
const CHECK = 'https://checks.example.com/1'
const LINKS = { name: 'links', state: 'failure', detailsUrl: CHECK } as const
const REPORT = createReport({
  startedBy: { text: 'push to `main` by `mona`: 3 commits', url: COMPARED },
  pullRequest: { state: 'draft', checks: 'failure', checkList: [LINKS] },
})
const createEntry = (turns: Turns, context = RUN_FACTS, report = REPORT) => toLogEntry(turns, report, context, LATER)

const createUpdate = (entry: LogEntry): CommentUpdate => ({ label: 'docs-agent', followUps: 0, ...entry })
const addToLog = (body: string, entry: LogEntry): string => updateBody(body, createUpdate(entry)) ?? ''

test('shows the job, each turn that was sent, what is left, and the number of follow-ups', () => {
  const failing = failed('links', 'build', '@all', 'a', 'b', 'c')
  const round = (state: TurnState): Turn => ({ task: FOLLOW_UP, startedAt: LATER, failing, state })
  const turns: Turns = [
    { task: CREATE, startedAt: AT, state: created },
    round(endWith('updated')),
    round(stopped('not-sent', { kind: 'preparing' })),
    round(stopped('cancelled', { kind: 'preparing' })),
    round({ kind: 'not-sent', reason: 'timed-out', error: failure('not-sent') }),
  ]
  const body = updateBody(NEW, { ...createUpdate(createEntry(turns)), followUps: 2 })
  expect(body).toBe(`<!-- docs-agent-action: job=job_1 -->
<!-- docs-agent-action: labels=docs-agent -->
<!-- docs-agent-action: follow-ups=2 -->
This pull request comes from the docs agent job \`job_1\`.

<!-- docs-agent-action: log -->

| When (UTC) | Started by | Result |
| --- | --- | --- |
| 2026-01-31 03:00 | <a href="${COMPARED}">push to <code>main</code> by <code>mona</code>: 3 commits</a> | <a href="${RUN}">opened, step <code>agent</code></a> <!-- row=42.1.agent.${AT.getTime()} --> |
| 2026-01-31 03:10 | checks failed: <code>links</code>, <code>build</code>, <code>&#64;all</code>, <code>a</code>, <code>b</code>, 1 more | <a href="${RUN}">3 new commits, step <code>agent</code></a> <!-- row=42.1.agent.${LATER.getTime()} --> |

**What is left** (2026-01-31 03:10:00 UTC) <!-- left -->
- <a href="${CHECK}"><code>links</code> failed</a> <!-- left -->
- It is a draft. <!-- left -->

Follow-ups by \`on-open-pr\`: 2 of 20 used. <!-- follow-ups -->`)
  const html = marked.parse(body ?? '', { async: false })
  expect(html).toContain('<td>2026-01-31 03:00</td>')
  const sent = round(stopped('cancelled', { kind: 'accepted', job: active, isConfirmed: false }))
  expect(addToLog(NEW, createEntry([turns[0], sent]))).toContain('>cancelled; ⏳ the agent may still be working, ')
  expect(html.match(/<li>/g)).toHaveLength(2)
})

test('adds separate rows with links for a second attempt, and no rows for a step that sent nothing', () => {
  const context = { ...RUN_FACTS, runAttempt: 2, stepId: '' }
  const { rows } = createEntry([{ task: CREATE, startedAt: AT, state: endWith('unknown', failedJob) }], context)
  expect(rows).toHaveLength(1)
  expect(rows[0]).toContain(`| <a href="${RUN}/attempts/2">failed</a> <!-- row=42.2..${AT.getTime()} --> |`)
  expect(createEntry([PLANNED]).rows).toEqual([])
})

const OPEN: PullRequestFindings = { state: 'open', mergeable: true }
const CHANGES = "It changes paths outside of `allowed-paths`: `a'b`, `c`."

test.each<[PullRequestFindings, string[] | undefined]>([
  [{}, undefined],
  [OPEN, ['Review it, and merge it.']],
  [{ state: 'merged', checks: 'failure', checkList: failed('links') }, ['Nothing: it is merged.']],
  [{ state: 'draft' }, ['It is a draft.']],
  [{ ...OPEN, mergeable: false }, ['It conflicts with its base branch.']],
  [{ ...OPEN, checks: 'pending' }, ['Its checks have not finished.']],
  [{ ...OPEN, checks: 'pending', waitsForApproval: true }, ['Its checks wait for approval.']],
  [{ ...OPEN, outside: ['a`b', 'c'] }, [CHANGES]],
  [
    { ...OPEN, checks: 'failure', checkList: failed('1', '2', '3', '4', '5', '6', '7') },
    ['`1` failed', '`2` failed', '`3` failed', '`4` failed', '`5` failed', '2 more checks failed.'],
  ],
])('lists what is left for %j: %j', (pullRequest, left) => {
  const lines = createEntry([PLANNED], RUN_FACTS, createReport({ pullRequest })).left
  expect(lines?.slice(1)).toEqual(left?.map((text) => `- ${linked({ text })}`))
})

test.each<[string, PullRequestFindings, Partial<Report>, string]>([
  ['has no checks', { ...OPEN, checks: 'none' }, { waitForChecks: true }, 'No check is registered for it.'],
  ['has unknown checks', OPEN, { waitForChecks: true }, 'It is not known whether its checks have passed.'],
  [
    'has unknown files',
    OPEN,
    { allowedPaths: parsePathRules('docs/**') },
    'It is not known whether its files match `allowed-paths`.',
  ],
])('does not ask to merge a pull request that %s, if the inputs ask for them', (_what, pullRequest, facts, left) => {
  const report = { ...createReport({ pullRequest }), ...facts }
  expect(createEntry([PLANNED], RUN_FACTS, report as Report).left?.slice(1)).toEqual([`- ${linked({ text: left })}`])
})

const MERGED: PullRequestFindings = { state: 'merged' }
const LEFT_BEHIND = {
  kind: 'left-behind',
  job: failedJob,
  error: failure('left-behind'),
  work: { kind: 'unknown' },
} as const

test.each<[string, TurnState]>([
  ['was merged while the agent worked', { ...LEFT_BEHIND, pullRequest: MERGED }],
  ['was merged while the agent may still be working', { kind: 'accepted', job: active, isConfirmed: true }],
])('asks to look for unmerged commits of a pull request that %s', (_what, state) => {
  const round: Turn = { task: FOLLOW_UP, startedAt: LATER, failing: [LINKS], state }
  const turns: Turns = [{ task: CREATE, startedAt: AT, state: created }, round]
  const { left } = createEntry(turns, RUN_FACTS, createReport({ pullRequestAtEnd: MERGED }))
  expect(left?.slice(1)).toEqual(['- Compare its branch with the base branch: some of its commits may not be merged.'])
})

const turn = (serial: number, names?: readonly string[]): Turn => ({
  task: CREATE,
  startedAt: new Date(serial),
  state: created,
  failing: names && failed(...names),
})

const entry = (first: number, ...others: readonly number[]): LogEntry =>
  createEntry([turn(first), ...others.map((serial) => turn(serial))], RUN_FACTS, createReport({ pullRequest: OPEN }))

const serialsIn = (body: string): number[] =>
  Array.from(body.matchAll(/<!-- row=\S+\.(\d+) -->/g), ([, serial]) => Number(serial))
const summarisedIn = (body: string): number => Number(/summarised=(\d+)/.exec(body)?.[1] ?? 0)
const rowsIn = (body: string): string[] => body.split(/\r?\n/).filter((line) => line.includes('<!-- row='))

test('keeps each row once, the newest last, and keeps the marker readable', () => {
  const counted = changeMarker(addToLog(NEW, entry(1)), { followUps: 7, countedBy: ['42.1'] })
  const body = [entry(2, 3), entry(3)].reduce((text, one) => addToLog(text, one), counted)
  expect(serialsIn(body)).toEqual([1, 2, 3])
  expect(readMarker(body)).toEqual({ jobId: 'job_1', labels: ['docs-agent'], followUps: 7, countedBy: ['42.1'] })
})

const counting = (signature: string, followUps = 0): CommentUpdate => ({
  label: 'docs-agent',
  rows: [],
  left: undefined,
  signature,
  followUps,
})
const count = (body: string, update: CommentUpdate): string => updateBody(body, update) ?? ''
const countIn = (body: string): readonly unknown[] => {
  const { followUps, countedBy } = readMarker(body) ?? {}
  return [followUps, countedBy]
}

test('counts each follow-up once, and never lowers the count', () => {
  const first = count(NEW, counting('a'))
  expect(countIn(first)).toEqual([1, ['a']])
  expect(count(first, counting('a'))).toBe(first)
  expect(countIn(count(first, counting('b')))).toEqual([2, ['a', 'b']])
  // A stale or manually edited version does not contain all follow-ups that were sent.
  expect(countIn(count(first, counting('b', 7)))).toEqual([8, ['a', 'b']])
  expect(countIn(count(first, counting('a', 7)))).toEqual([8, ['a']])
  expect(countIn(count(first, { ...counting(''), signature: undefined, followUps: 7 }))).toEqual([7, ['a']])
  const counted = changeMarker(NEW, { followUps: 9 })
  expect(countIn(count(counted, { ...createUpdate(entry(1)), followUps: 7 }))).toEqual([9, []])
})

test('a count updates an existing log, but adds none', () => {
  expect(count(`${NEW}\n\nMine.`, counting('a'))).toBe(`${count(NEW, counting('a'))}\n\nMine.`)
  expect(count(addToLog(NEW, entry(1)), counting('a'))).toContain('\nFollow-ups by `on-open-pr`: 1 of 20 used. <!--')
})

test('shows the limit of the newest count, which steps that do not count keep', () => {
  const body = count(addToLog(NEW, entry(1)), { ...counting('a', 33), maxFollowUps: 40 })
  expect(body).toContain('\nFollow-ups by `on-open-pr`: 34 of 40 used. Only 6 left: ')
  expect(addToLog(body, entry(2))).toContain(': 34 of 40 used. Only 6 left: ')
  expect(count(body, { ...counting('b'), maxFollowUps: 100 })).toContain(': 35 of 100 used. <!--')
})

const UNTIL = new Date('2026-01-31T04:00:05Z')
const sentTurn = (state: TurnState): Turns => [{ task: FOLLOW_UP, startedAt: AT, state }]
const working = (): LogEntry => ({
  rows: toWorkingRows(sentTurn({ kind: 'preparing' }), REPORT, RUN_FACTS, LATER, UNTIL),
  left: undefined,
})
const ended = (state: TurnState, until = UNTIL): LogEntry =>
  toLogEntry(sentTurn(state), REPORT, RUN_FACTS, LATER, until)
const shownIn = (body: string): string[] =>
  rowsIn(body).map((row) => / \| ([^|]*) \|$/.exec(row.replaceAll(/<[^>]*>/g, ''))?.[1]?.trim() ?? '')

const MAY = 'the agent may still be working, do not merge yet'
const ACCEPTED: TurnState = { kind: 'accepted', job: active, isConfirmed: true }

test.each<[string, TurnState, Date, string]>([
  ['has ended', endWith('updated'), UNTIL, '3 new commits'],
  ['was not sent', stopped('not-sent', { kind: 'preparing' }), UNTIL, 'not sent'],
  [
    'may run on after a cancelled step',
    stopped('cancelled', ACCEPTED),
    UNTIL,
    `cancelled; ⏳ ${MAY} (the step would have waited until 04:00 UTC)`,
  ],
  [
    'did not finish in time',
    { kind: 'timed-out', job: active },
    LATER,
    `did not finish in time; ⏳ ${MAY} (the step waited until 03:10 UTC)`,
  ],
  [
    'was not seen to start',
    { kind: 'unconfirmed', job: active },
    UNTIL,
    `sent, but not seen to start; ⏳ ${MAY} (the step would have waited until 04:00 UTC)`,
  ],
  [
    'is not awaited',
    { kind: 'submitted', job: active, isConfirmed: true },
    UNTIL,
    `sent, without waiting for the result; ⏳ ${MAY}`,
  ],
])('replaces the working row of a turn that %s', (_what, state, until, text) => {
  const before = addToLog(addToLog(NEW, entry(1)), working())
  expect(shownIn(before)).toEqual([expect.anything(), '⏳ working since 03:10 UTC, do not merge yet, step agent'])
  expect(isUpdated(toMarkerComment(before), createUpdate(ended(state, until)))).toBe(false)
  const after = addToLog(before, ended(state, until))
  expect(shownIn(after).slice(1)).toEqual([`${text}, step agent`])
  expect(isUpdated(toMarkerComment(after), createUpdate(ended(state, until)))).toBe(true)
  // An older version that another step has read does not bring the warning back.
  expect(addToLog(after, working())).toBe(after)
  expect(rememberVersion(createUpdate(ended(state, until)), toMarkerComment(before)).rows.at(-1)).toBe(
    ended(state, until).rows[0],
  )
})

test('advises waiting instead of merging while a row says that the agent is working', () => {
  const ready = toLogEntry([turn(1)], createReport({ pullRequest: OPEN }), RUN_FACTS, AT)
  const advice = (body: string): unknown => /^- (?:Review|Wait).*?(?= <!--)/m.exec(body)?.[0]
  const before = addToLog(NEW, ready)
  expect(advice(before)).toBe('- Review it, and merge it.')
  const during = addToLog(before, working())
  expect(advice(during)).toBe('- Wait until the agent has finished.')
  // Another step has read the pull request in the meantime.
  const looked = toLogEntry([turn(3)], createReport({ pullRequest: OPEN }), RUN_FACTS, AT)
  expect(advice(addToLog(during, looked))).toBe('- Wait until the agent has finished.')
  const settled = {
    ...createUpdate(looked),
    left: undefined,
    rows: findWorkingRows(rowsIn(during)).map(({ row }) => settleRow(row)),
  }
  expect(advice(updateBody(during, settled) ?? '')).toBe('- Review it, and merge it.')
})

test('removes only the warning from a row whose turn has ended', () => {
  const warned = stopped('cancelled', ACCEPTED)
  const found = [working(), ended(warned), entry(1)].flatMap(({ rows }) => findWorkingRows(rows))
  expect(found.map(({ runId, runAttempt, untilMs }) => [runId, runAttempt, untilMs])).toEqual([
    [42, 1, UNTIL.getTime()],
    [42, 1, 0],
  ])
  const settled = found.map(({ row }) => settleRow(row))
  expect(shownIn(settled.join('\n'))).toEqual([
    'not known, because the run ended first, step agent',
    'cancelled, step agent',
  ])
  expect(findWorkingRows(settled)).toEqual([])
})

test('merges an overwritten update again, with everything that was read before', () => {
  const [own, other] = [
    { ...counting('a'), ...entry(1, 2) },
    { ...counting('b'), ...entry(3) },
  ]
  const [byOwn, byOther] = [count(NEW, own), count(NEW, other)]
  expect([byOwn, byOther, NEW].map((body) => isUpdated(toMarkerComment(body), own))).toEqual([true, false, false])
  const both = count(byOther, own)
  expect([isUpdated(toMarkerComment(both), own), isUpdated(toMarkerComment(both), other), ...countIn(both)]).toEqual([
    true,
    true,
    2,
    ['b', 'a'],
  ])
  expect(serialsIn(both)).toEqual([1, 2, 3])
  const seen = rememberVersion(rememberVersion(own, toMarkerComment(NEW)), toMarkerComment(both))
  expect(serialsIn(count(byOwn, seen))).toEqual([1, 2, 3])
  expect(countIn(count(NEW, seen))[0]).toBe(2)
})

test('names each label once', () => {
  const labels = ['docs-agent', 'DOCS-AGENT', 'docs'].reduce(
    (body, label) => count(body, { ...createUpdate(entry(1)), label }),
    NEW,
  )
  expect(readMarker(labels)?.labels).toEqual(['docs-agent', 'docs'])
  expect(isUpdated(toMarkerComment(labels), { ...createUpdate(entry(1)), label: 'other' })).toBe(false)
})

test('replaces the oldest rows by a count if the comment is too long', () => {
  const long = addToLog(NEW, entry(0, ...Array.from({ length: 300 }, (_, index) => index + 1)))
  const padded = `${long}\n\n${'x'.repeat(65_000 - long.length - 2)}`
  const counted = count(padded, counting('a'))
  expect(counted.length).toBeLessThanOrEqual(65_000)
  expect(countIn(counted)).toEqual([1, ['a']])
  expect(summarisedIn(counted)).toBeGreaterThan(summarisedIn(long))
})

/** Adds text of people that leaves room for this many characters. */
const pad = (body: string, left: number): string => `${body}\n\n${'x'.repeat(65_000 - body.length - 2 - left)}`

test('replaces a row that is older than all others by a count, once, and treats it as written', () => {
  const own = createUpdate(entry(1))
  const full = pad(addToLog(NEW, entry(9)), 80)
  const next = count(full, own)
  expect([serialsIn(next), summarisedIn(next)]).toEqual([[9], 1])
  expect([
    isUpdated(toMarkerComment(full), own),
    isUpdated(toMarkerComment(next), own),
    count(next, own) === next,
  ]).toEqual([false, true, true])
  // A newer row does not count as written, and neither does a row that was not replaced by a count.
  expect([
    isUpdated(toMarkerComment(next), createUpdate(entry(10))),
    isUpdated(toMarkerComment(addToLog(NEW, entry(9))), own),
  ]).toEqual([false, false])
})

test('does not count a row again that another step has already replaced by a count', () => {
  const before = pad(addToLog(NEW, entry(0, 1, 2, 3)), 100)
  const seen = rememberVersion(createUpdate(entry(9)), toMarkerComment(before))
  const since = count(before, createUpdate(entry(4)))
  expect([serialsIn(since), summarisedIn(since)]).toEqual([[1, 2, 3, 4], 1])
  const next = count(since, seen)
  expect([serialsIn(next), summarisedIn(next)]).toEqual([[2, 3, 4, 9], 2])
})

test('returns undefined if text of people fills the comment', () => {
  const filled = `${NEW}\n\n${'x'.repeat(65_000)}`
  expect([entry(1), entry(1, 2)].map((one) => updateBody(filled, createUpdate(one)))).toEqual([undefined, undefined])
  expect(updateBody(filled, counting('a'))).toBeUndefined()
  expect(recognizeComment('Mine.')).toEqual({ kind: 'other' })
})

test('shows what is left according to the newest read, and keeps it if a step has not read the pull request', () => {
  const draft = createReport({ pullRequest: { state: 'draft' } })
  const before = addToLog(NEW, createEntry([turn(1)], RUN_FACTS, draft))
  const blind = addToLog(before, { ...entry(2), left: undefined })
  expect(blind).toContain('- It is a draft.')
  expect(addToLog(blind, entry(3))).not.toContain('draft')
  const earlier = toLogEntry([turn(3)], createReport({ pullRequest: OPEN }), RUN_FACTS, AT)
  expect(addToLog(blind, earlier)).toContain('draft')
})

test('keeps manual edits, even of its own lines', () => {
  const log = addToLog(NEW, entry(1, 2))
  const byHand = log
    .replace('comes from', 'comes, as planned, from')
    .replace('<!-- row=42.1.agent.1 --> |', '(seen by us) <!-- row=42.1.agent.1 --> |\nBetween two rows.')
    .replace('| --- | --- | --- |\n', '')
    .replace('<!-- docs-agent-action: log -->', '')
    .replaceAll('\n', '\r\n')
  const quoting = 'The lines of <!-- left --> and <!-- follow-ups --> are hidden.'
  const body = addToLog(`${byHand}\r\n\r\n${quoting}\r\n\r\n- and that`, entry(3))
  expect(serialsIn(body)).toEqual([1, 2, 3])
  for (const text of ['as planned', '(seen by us)', 'Between two rows.', `${quoting}\n\n- and that`])
    expect(body.split(text)).toHaveLength(2)
  expect(body.split('| --- | --- | --- |')).toHaveLength(2)
})

/** Untrusted names of branches, people, checks and pages. */
const hostile = fc.oneof(
  fc.constantFrom('@octocat', '`@octocat`', 'a | b', '<!-- row=1 --> |', '<!-- left -->', '\u202e\u001b[31m'),
  fc.constantFrom('\n| x | <!-- row=9 --> |', '--> <!-- docs-agent-action: job=job_2 -->', '[x](javascript:1)'),
  fc.constantFrom('</a></code><img src=x>', '#1 GH-1 www.example.com'),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
)
const address = hostile.map((text) => `https://example.com/${text}`)
const quoted = hostile.map((text) => `\`${text.replaceAll('`', "'")}\``)
const trigger = fc.record({
  text: fc.tuple(quoted, quoted).map(([a, b]) => `push to ${a} by ${b}`),
  url: fc.option(fc.oneof(fc.webUrl(), hostile, address), { nil: undefined }),
})
const remark = fc.constantFrom('A remark.', '| a | table |\n| --- | --- |', '- a list', '**bold**')
const step = fc.record({
  startedBy: trigger,
  stepId: hostile,
  rounds: fc.array(fc.array(hostile, { maxLength: 6 }), { maxLength: 59, size: 'max' }),
  left: fc.option(fc.array(fc.record({ name: hostile, detailsUrl: address }), { maxLength: 6 }), { nil: undefined }),
  byHand: fc.option(remark, { nil: undefined }),
})
const MAY_SHOW = ['p', 'code', 'a', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'strong', 'ul', 'li', 'em']

test('over random steps, keeps all rows, escapes untrusted text, and stays within the size limit', () => {
  let longest = 0
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 9, size: 'max' }), (steps) => {
      let body = NEW
      let serial = 0
      const remarks: string[] = []
      for (const { startedBy, stepId, rounds, left, byHand } of steps) {
        const before = { rows: rowsIn(body), summarised: summarisedIn(body) }
        const turns: Turns = [turn(serial++), ...rounds.map((names) => turn(serial++, names))]
        const checkList = left?.map((check) => ({ ...check, state: 'failure' as const }))
        const found = { state: 'open', checks: 'failure' } as const
        const report = createReport({ startedBy, ...(checkList && { pullRequest: { ...found, checkList } }) })
        body = addToLog(body, createEntry(turns, { ...RUN_FACTS, stepId }, report))
        longest = Math.max(longest, body.length)
        expect(body.length).toBeLessThanOrEqual(65_536)
        const now = rowsIn(body)
        const gone = summarisedIn(body) - before.summarised
        expect(gone + now.length).toBe(before.rows.length + turns.length)
        expect(now.slice(0, Math.max(0, before.rows.length - gone))).toEqual(before.rows.slice(gone))
        expect(serialsIn(body).at(-1)).toBe(serial - 1)
        expect(readMarker(body)?.jobId).toBe('job_1')
        const html = marked.parse(body, { async: false }).replaceAll(/<!--.*?-->/g, '')
        expect(html).not.toContain('@')
        expect(html).not.toMatch(/href="(?!https?:)/)
        const tags = new Set(Array.from(html.matchAll(/<(\w+)/g), ([, tag]) => tag))
        for (const tag of tags) expect(MAY_SHOW).toContain(tag)
        if (byHand === undefined) continue
        remarks.push(byHand)
        body += `\n\n${byHand}`
      }
      for (const remark of remarks) expect(body).toContain(remark)
    }),
    { seed: SEED, numRuns: 30 },
  )
  // Without a comment near the size limit, this test would not cover the limit.
  expect(longest).toBeGreaterThan(60_000)
})
