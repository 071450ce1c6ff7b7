import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { marked } from 'marked'
import { markerComment, readMarker, withFollowUps } from '../../../src/agent/pull-request/marker.ts'
import { addToLog, toLogEntry, type LogEntry } from '../../../src/agent/report/pull-request-log.ts'
import type { PullRequestFindings, TaskResult, Turn } from '../../../src/agent/report/report.ts'
import { formatEnd, formatVerdict, nameTurn, titleTurn } from '../../../src/agent/report/turn-texts.ts'
import type { Turns } from '../../../src/agent/report/turns.ts'
import { linked } from '../../../src/text/markdown.ts'
import { failure } from '../../support/fake-client.ts'
import { RUN_FACTS } from '../../support/fake-github.ts'
import { ATTACH, CREATE, FOLLOW_UP, reportOf } from '../../support/report.ts'
import { SEED } from '../../support/seed.ts'

const NEW = markerComment('job_1')
const AT = new Date('2026-01-31T03:00:05Z')
const LATER = new Date('2026-01-31T03:10:00Z')

const created = { outcome: 'pull-request', operation: 'created' } as const
const updated = { outcome: 'pull-request', operation: 'updated', added: { commits: 3, since: 'a'.repeat(40) } } as const
const unsent = { outcome: 'error', error: failure('not-sent') } as const
const cancelled = { outcome: 'cancelled', error: failure('cancelled') } as const
const failed = (...names: string[]) => names.map((name) => ({ name, state: 'failure' as const }))

const COMPARED = 'https://github.com/acme/docs/compare/a...b'
const RUN = 'https://github.com/acme/docs/actions/runs/42'
const CHECK = 'https://checks.example.com/1'
const LINKS = { name: 'links', state: 'failure', detailsUrl: CHECK } as const
const REPORT = reportOf({
  startedBy: { text: 'push to `main` by `mona`: 3 commits', url: COMPARED },
  pullRequest: { state: 'draft', checks: 'failure', checkList: [LINKS] },
})
const entryOf = (turns: Turns, context = RUN_FACTS, report = REPORT) =>
  toLogEntry(turns, report, context, LATER, [2, 20])

test('tells where the pull request comes from, each turn that was sent, what is left, and how many follow-ups there were', () => {
  const failing = failed('links', 'build', '@all', 'a', 'b', 'c')
  const round: Turn = { task: FOLLOW_UP, at: LATER, failing }
  const turns: Turns = [
    { task: CREATE, at: AT, result: created },
    { ...round, result: updated },
    { ...round, stopped: unsent },
    { ...round, progress: 'unsent', stopped: cancelled },
  ]
  const body = addToLog(NEW, entryOf(turns))
  expect(body).toBe(`<!-- docs-agent-action: job=job_1 -->
This pull request comes from the docs agent job \`job_1\`.

<!-- docs-agent-action: log -->

| When (UTC) | Started by | What came of it |
| --- | --- | --- |
| 2026-01-31 03:00 | <a href="${COMPARED}">push to <code>main</code> by <code>mona</code>: 3 commits</a> | <a href="${RUN}">opened, step <code>agent</code></a> <!-- row=42.1.agent.${AT.getTime()} --> |
| 2026-01-31 03:10 | checks failed: <code>links</code>, <code>build</code>, <code>&#64;all</code>, <code>a</code>, <code>b</code>, 1 more | <a href="${RUN}">3 new commits, step <code>agent</code></a> <!-- row=42.1.agent.${LATER.getTime()} --> |

**What is left** (2026-01-31 03:10:00 UTC) <!-- left -->
- <a href="${CHECK}"><code>links</code> failed</a> <!-- left -->
- It is a draft. <!-- left -->

Follow-ups by \`on-open-pr\`: 2 of 20 used. <!-- follow-ups -->`)
  const html = marked.parse(body ?? '', { async: false })
  expect(html).toContain('<td>2026-01-31 03:00</td>')
  const sent: Turn = { ...round, progress: 'taken', stopped: cancelled }
  expect(addToLog(NEW, entryOf([turns[0], sent]))).toContain('>cancelled, step')
  expect(html.match(/<li>/g)).toHaveLength(2)
})

test('a second attempt has rows of its own, which lead to it, and a step that sent nothing has none', () => {
  const context = { ...RUN_FACTS, runAttempt: 2, stepId: '' }
  const { rows } = entryOf([{ task: CREATE, at: AT, result: { outcome: 'failed' } }], context)
  expect(rows).toHaveLength(1)
  expect(rows[0]).toContain(`| <a href="${RUN}/attempts/2">failed</a> <!-- row=42.2..${AT.getTime()} --> |`)
  expect(entryOf([{ task: CREATE }]).rows).toEqual([])
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
])('of %j this is left: %j', (pullRequest, left) => {
  const lines = entryOf([{ task: CREATE }], RUN_FACTS, reportOf({ pullRequest })).left
  expect(lines?.slice(1)).toEqual(left?.map((text) => `- ${linked({ text })}`))
})

const tooEarly: TaskResult = { ...updated, outcome: 'error', error: failure('left-behind') }

test.each<[string, Partial<Turn>]>([
  ['opened', { task: CREATE, result: created }],
  ['3 new commits', { result: updated }],
  ['1 new commit', { result: { ...updated, added: { ...updated.added, commits: 1 } } }],
  ['nothing to change', { result: { outcome: 'no-changes', operation: 'unchanged' } }],
  ['not known whether it has changed', { result: { outcome: 'pull-request' } }],
  ['the changes are in it', { task: ATTACH, result: { outcome: 'pull-request' } }],
  ['failed', { result: { outcome: 'failed' } }],
  ['failed, after 3 new commits', { result: { ...updated, outcome: 'failed' } }],
  ['failed: The pull request was merged or closed too early, after 3 new commits', { result: tooEarly }],
  ['did not end in time', { result: { outcome: 'timed-out' } }],
  ['sent, and not seen to begin', { result: { outcome: 'unconfirmed' } }],
  ['sent, and not waited for', { result: { outcome: 'submitted' } }],
  ['not sent', { stopped: unsent }],
  ['cancelled', { progress: 'taken', stopped: cancelled }],
  ['cancelled before it was sent', { progress: 'unsent', stopped: cancelled }],
  ['failed: The service may have accepted the prompt', { stopped: { ...unsent, error: failure('unknown-fate') } }],
])('a turn is told as: %s', (text, turn) => {
  expect(formatEnd({ task: FOLLOW_UP, ...turn })).toBe(text)
})

const opened: Turn = { task: CREATE, result: created }

test.each<[string, Turn]>([
  ['opened', opened],
  ['opened, its checks failed', { ...opened, pullRequest: { checks: 'failure' } }],
  ['not sent', { task: FOLLOW_UP }],
])('the line behind the group of a turn says: %s', (text, turn) => {
  expect(formatVerdict(turn)).toBe(text)
})

test('a turn is named for what it does, and a round for what it sends', () => {
  const round = { task: FOLLOW_UP, failing: failed('links', 'build\n') }
  expect(titleTurn(nameTurn([opened, round], 2), round)).toBe('Round 1 of 2: links, build')
  expect(titleTurn(nameTurn([opened], 0), opened)).toBe('New job')
  const names = [ATTACH, FOLLOW_UP].map((task) => nameTurn([{ task }], 0))
  expect(names).toEqual(['Attach to job_1', 'Follow-up to job_1'])
})

const turn = (serial: number, names?: readonly string[]): Turn => ({
  ...{ task: CREATE, at: new Date(serial), result: created },
  failing: names && failed(...names),
})

const entry = (first: number, ...others: readonly number[]): LogEntry =>
  entryOf([turn(first), ...others.map((serial) => turn(serial))], RUN_FACTS, reportOf({ pullRequest: OPEN }))

const serialsIn = (body: string): number[] =>
  Array.from(body.matchAll(/<!-- row=\S+\.(\d+) -->/g), ([, serial]) => Number(serial))
const foldedIn = (body: string): number => Number(/folded=(\d+)/.exec(body)?.[1] ?? 0)
const rowsIn = (body: string): string[] => body.split(/\r?\n/).filter((line) => line.includes('<!-- row='))

test('each row stands once, the newest last, and the job and the count of follow-ups stay readable', () => {
  const counted = withFollowUps(addToLog(NEW, entry(1)) ?? '', 7, '42.1')
  const body = [entry(2, 3), entry(3)].reduce((text, one) => addToLog(text, one) ?? '', counted)
  expect(serialsIn(body)).toEqual([1, 2, 3])
  expect(readMarker(body)).toEqual({ jobId: 'job_1', followUps: 7, countedBy: '42.1' })
})

test('what is left is what the newest step has seen, and stays if one has not looked', () => {
  const before = addToLog(NEW, { ...entry(1), left: ['- It is a draft.'] }) ?? ''
  const blind = addToLog(before, { ...entry(2), left: undefined, followUps: 'Follow-ups: 3 of 20 used.' }) ?? ''
  expect(blind).toContain('- It is a draft.')
  expect(blind).not.toContain('2 of 20')
  expect(addToLog(blind, entry(3))).not.toContain('draft')
})

test('a change by hand is kept, whatever it does to the lines of ours', () => {
  const log = addToLog(NEW, entry(1, 2)) ?? ''
  const byHand = log
    .replace('comes from', 'comes, as planned, from')
    .replace('<!-- row=42.1.agent.1 --> |', '(seen by us) <!-- row=42.1.agent.1 --> |\nBetween two rows.')
    .replace('| --- | --- | --- |\n', '')
    .replace('<!-- docs-agent-action: log -->', '')
    .replaceAll('\n', '\r\n')
  const quoting = 'The lines of <!-- left --> and <!-- follow-ups --> are hidden.'
  const body = addToLog(`${byHand}\r\n\r\n${quoting}\r\n\r\n- and that`, entry(3)) ?? ''
  expect(serialsIn(body)).toEqual([1, 2, 3])
  for (const text of ['as planned', '(seen by us)', 'Between two rows.', `${quoting}\n\n- and that`])
    expect(body.split(text)).toHaveLength(2)
  expect(body.split('| --- | --- | --- |')).toHaveLength(2)
})

/** What strangers may call a branch, themselves, a check or a page. */
const hostile = fc.oneof(
  fc.constantFrom('@octocat', '`@octocat`', 'a | b', '<!-- row=1 --> |', '<!-- left -->', '\u202e\u001b[31m'),
  fc.constantFrom('\n| x | <!-- row=9 --> |', '--> <!-- docs-agent-action: job=job_2 -->', '[x](javascript:1)'),
  fc.constantFrom('</a></code><img src=x>', '#1 GH-1 www.example.com'),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
)
const address = hostile.map((text) => `https://example.com/${text}`)
const quoted = hostile.map((text) => `\`${text.replaceAll('`', "'")}\``)
const told = fc.record({
  text: fc.tuple(quoted, quoted).map(([a, b]) => `push to ${a} by ${b}`),
  url: fc.option(fc.oneof(fc.webUrl(), hostile, address), { nil: undefined }),
})
const remark = fc.constantFrom('A remark.', '| a | table |\n| --- | --- |', '- a list', '**bold**')
const step = fc.record({
  startedBy: told,
  stepId: hostile,
  rounds: fc.array(fc.array(hostile, { maxLength: 6 }), { maxLength: 59, size: 'max' }),
  left: fc.option(fc.array(fc.record({ name: hostile, detailsUrl: address }), { maxLength: 6 }), { nil: undefined }),
  byHand: fc.option(remark, { nil: undefined }),
})
const MAY_SHOW = ['p', 'code', 'a', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'strong', 'ul', 'li', 'em']

test('over random steps rows only grow, nothing of strangers comes alive, and the limit holds', () => {
  let longest = 0
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 9, size: 'max' }), (steps) => {
      let body = NEW
      let serial = 0
      const remarks: string[] = []
      for (const { startedBy, stepId, rounds, left, byHand } of steps) {
        const before = { rows: rowsIn(body), folded: foldedIn(body) }
        const turns: Turns = [turn(serial++), ...rounds.map((names) => turn(serial++, names))]
        const checkList = left?.map((check) => ({ ...check, state: 'failure' as const }))
        const found = { state: 'open', checks: 'failure' } as const
        const report = reportOf({ startedBy, pullRequest: checkList && { ...found, checkList } })
        body = addToLog(body, entryOf(turns, { ...RUN_FACTS, stepId }, report)) ?? ''
        longest = Math.max(longest, body.length)
        expect(body.length).toBeLessThanOrEqual(65_536)
        const now = rowsIn(body)
        const gone = foldedIn(body) - before.folded
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
  // A proof in which nothing was ever too long would prove nothing of that.
  expect(longest).toBeGreaterThan(60_000)
})
