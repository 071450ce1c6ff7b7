import { expect, test } from '@jest/globals'
import { leftToDo, toLogEntry } from '../../../src/agent/report/pull-request-log.ts'
import type { PullRequestFindings, Turn } from '../../../src/agent/report/report.ts'
import type { Turns } from '../../../src/agent/report/turns.ts'
import { ActionError } from '../../../src/runtime/errors.ts'
import { ATTACH, CREATE, FOLLOW_UP } from '../../support/agent-run.ts'
import { RUN_FACTS } from '../../support/fake-github.ts'
import { reportOf } from '../../support/report.ts'
import { formatEnd, formatVerdict, nameTurn, titleTurn } from '../../../src/agent/report/turn-texts.ts'

const AT = new Date('2026-01-31T03:00:05Z')
const LATER = new Date('2026-01-31T03:10:00Z')
const unsent = new ActionError('not-sent', 'It was not sent.')
const added = { commits: 3, since: 'a'.repeat(40) }

const entryOf = (turns: Turns, context = RUN_FACTS) =>
  toLogEntry(turns, reportOf({ startedBy: { text: 'schedule' } }), context, LATER, [2, 20])

test('a step adds a row for itself and one for each round that was sent', () => {
  const failing = ['links', 'build', '@all', 'a', 'b', 'c'].map((name) => ({ name, state: 'failure' as const }))
  const { rows, followUps } = entryOf([
    { task: CREATE, at: AT, result: { outcome: 'pull-request', operation: 'created' } },
    { task: FOLLOW_UP, at: LATER, failing, result: { outcome: 'pull-request', operation: 'updated', added } },
    { task: FOLLOW_UP, at: LATER, failing, stopped: { outcome: 'error', error: unsent } },
  ])
  const rowOf = (at: Date, text: string, end: string) => ({
    key: `42.1.agent.${at.getTime()}`,
    at,
    startedBy: { text },
    end: { text: `${end}, step \`agent\``, url: 'https://github.com/acme/docs/actions/runs/42' },
  })
  expect(rows).toEqual([
    rowOf(AT, 'schedule', 'opened'),
    rowOf(LATER, 'checks failed: `links`, `build`, `@all`, `a`, `b`, 1 more', '3 new commits'),
  ])
  expect(followUps).toBe('Follow-ups by `on-open-pr`: 2 of 20 used.')
})

test('a second attempt has rows of its own, which lead to it', () => {
  const context = { ...RUN_FACTS, runAttempt: 2, stepId: '' }
  const { rows } = entryOf([{ task: CREATE, at: AT, result: { outcome: 'failed' } }], context)
  const end = { text: 'failed', url: 'https://github.com/acme/docs/actions/runs/42/attempts/2' }
  expect(rows).toMatchObject([{ key: `42.2..${AT.getTime()}`, end }])
})

test('a step that sent nothing because of what it found adds no row', () => {
  expect(entryOf([{ task: CREATE }]).rows).toEqual([])
})

const OPEN: PullRequestFindings = { state: 'open', mergeable: true }
const CHANGES = "It changes paths outside of `allowed-paths`: `a'b`, `c`."
const failed = (...names: string[]) => names.map((name) => ({ name, state: 'failure' as const }))

test.each<[PullRequestFindings, string[] | undefined]>([
  [{}, undefined],
  [OPEN, ['Review it, and merge it.']],
  [{ state: 'merged', checks: 'failure', checkList: failed('links') }, ['Nothing: it is merged.']],
  [{ state: 'draft' }, ['It is a draft.']],
  [{ ...OPEN, mergeable: false }, ['It conflicts with its base branch.']],
  [{ ...OPEN, checks: 'pending' }, ['Its checks have not finished.']],
  [{ ...OPEN, checks: 'pending', waitsForApproval: true }, ['Its checks wait for approval.']],
  [{ ...OPEN, scope: { fileCount: 2, outside: ['a`b', 'c'] } }, [CHANGES]],
  [
    { ...OPEN, checks: 'failure', checkList: failed('1', '2', '3', '4', '5', '6', '7') },
    ['`1` failed', '`2` failed', '`3` failed', '`4` failed', '`5` failed', '2 more checks failed.'],
  ],
])('of %j this is left: %j', (found, left) => {
  expect(leftToDo(found)?.map(({ text }) => text)).toEqual(left)
})

const cancelled = new ActionError('cancelled', 'The run was cancelled.')
const nobodyKnows = new ActionError('unknown-fate', 'Nobody knows.')

test.each<[string, Partial<Turn>]>([
  ['opened', { task: CREATE, result: { outcome: 'pull-request', operation: 'created' } }],
  ['3 new commits', { result: { outcome: 'pull-request', operation: 'updated', added } }],
  ['1 new commit', { result: { outcome: 'pull-request', operation: 'updated', added: { ...added, commits: 1 } } }],
  ['nothing to change', { result: { outcome: 'no-changes', operation: 'unchanged' } }],
  ['not known whether it has changed', { result: { outcome: 'pull-request' } }],
  ['the changes are in it', { task: ATTACH, result: { outcome: 'pull-request' } }],
  ['failed', { result: { outcome: 'failed' } }],
  ['failed, after 3 new commits', { result: { outcome: 'failed', operation: 'updated', added } }],
  ['did not end in time', { result: { outcome: 'timed-out' } }],
  ['sent, and not seen to begin', { result: { outcome: 'unconfirmed' } }],
  ['sent, and not waited for', { result: { outcome: 'submitted' } }],
  ['not sent', { stopped: { outcome: 'error', error: unsent } }],
  ['cancelled', { progress: 'taken', stopped: { outcome: 'cancelled', error: cancelled } }],
  ['cancelled before it was sent', { progress: 'unsent', stopped: { outcome: 'cancelled', error: cancelled } }],
  ['failed: The service may have accepted the prompt', { stopped: { outcome: 'error', error: nobodyKnows } }],
])('a turn is told as: %s', (text, turn) => {
  expect(formatEnd({ task: FOLLOW_UP, ...turn })).toBe(text)
})

const opened: Turn = { task: CREATE, result: { outcome: 'pull-request', operation: 'created' } }

test.each<[string, Turn]>([
  ['opened', opened],
  ['opened, its checks failed', { ...opened, pullRequest: { checks: 'failure' } }],
  ['not sent', { task: FOLLOW_UP }],
])('the line behind the group of a turn says: %s', (text, turn) => {
  expect(formatVerdict(turn)).toBe(text)
})

test('a turn is named for what it does, and a round for what it sends', () => {
  const round = { task: FOLLOW_UP, failing: ['links', 'build\n'].map((name) => ({ name, state: 'failure' }) as const) }
  expect(titleTurn(nameTurn([opened, round], 2), round)).toBe('Round 1 of 2: links, build')
  expect([titleTurn(nameTurn([opened], 0), opened), nameTurn([{ task: ATTACH }], 0)]).toEqual([
    'New job',
    'Attach to job_1',
  ])
  expect(nameTurn([{ task: FOLLOW_UP }], 0)).toBe(`Follow-up to ${'jobId' in FOLLOW_UP ? FOLLOW_UP.jobId : ''}`)
})
