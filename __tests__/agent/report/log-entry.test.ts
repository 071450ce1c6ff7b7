import { expect, test } from '@jest/globals'
import { leftToDo, toLogEntry } from '../../../src/agent/report/log-entry.ts'
import type { PullRequestFindings } from '../../../src/agent/report/report.ts'
import type { Turns } from '../../../src/agent/report/turns.ts'
import { ActionError } from '../../../src/runtime/errors.ts'
import { CREATE, FOLLOW_UP } from '../../support/agent-run.ts'
import { RUN_FACTS } from '../../support/fake-github.ts'
import { reportOf } from '../../support/report.ts'

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
  const url = 'https://github.com/acme/docs/actions/runs/42'
  expect(rows).toEqual([
    {
      key: `42.1.agent.${AT.getTime()}`,
      at: AT,
      startedBy: { text: 'schedule' },
      end: { text: 'opened, step `agent`', url },
    },
    {
      ...{ key: `42.1.agent.${LATER.getTime()}`, at: LATER },
      startedBy: { text: 'checks failed: `links`, `build`, `@all`, `a`, `b`, 1 more' },
      end: { text: '3 new commits, step `agent`', url },
    },
  ])
  expect(followUps).toBe('Follow-ups by `on-open-pr`: 2 of 20 used.')
})

test('a second attempt has rows of its own, which lead to it', () => {
  const context = { ...RUN_FACTS, runAttempt: 2, stepId: '' }
  const { rows } = entryOf([{ task: CREATE, at: AT, result: { outcome: 'failed' } }], context)
  expect(rows).toMatchObject([
    {
      key: `42.2..${AT.getTime()}`,
      end: { text: 'failed', url: 'https://github.com/acme/docs/actions/runs/42/attempts/2' },
    },
  ])
})

test('a step that sent nothing because of what it found adds no row', () => {
  expect(entryOf([{ task: CREATE }]).rows).toEqual([])
})

const OPEN: PullRequestFindings = { state: 'open', mergeable: true }
const failed = (...names: string[]) => names.map((name) => ({ name, state: 'failure' as const }))

test.each<[PullRequestFindings, string[] | undefined]>([
  [{}, undefined],
  [OPEN, ['Review it, and merge it.']],
  [{ state: 'merged', checks: 'failure', checkList: failed('links') }, ['Nothing: it is merged.']],
  [{ state: 'draft' }, ['It is a draft.']],
  [{ ...OPEN, mergeable: false }, ['It conflicts with its base branch.']],
  [{ ...OPEN, checks: 'pending' }, ['Its checks have not finished.']],
  [{ ...OPEN, checks: 'pending', waitsForApproval: true }, ['Its checks wait for approval.']],
  [
    { ...OPEN, scope: { fileCount: 2, outside: ['a`b', 'c'] } },
    ["It changes paths outside of `allowed-paths`: `a'b`, `c`."],
  ],
  [
    { ...OPEN, checks: 'failure', checkList: failed('1', '2', '3', '4', '5', '6', '7') },
    ['`1` failed', '`2` failed', '`3` failed', '`4` failed', '`5` failed', '2 more checks failed.'],
  ],
])('of %j this is left: %j', (found, left) => {
  expect(leftToDo(found)?.map(({ text }) => text)).toEqual(left)
})
