import { expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import {
  type History,
  type HistoryRow,
  type HistoryUpdate,
  getRemainingLagMs,
  isOwnComment,
  mergeHistory,
  parseHistory,
  startHistory,
} from '../../../src/agent/history/state.ts'
import { pickOwn, listHistories } from '../../../src/agent/history/store.ts'
import { COMPARE, renderHistory, warnOfLimit } from '../../../src/agent/history/render.ts'
import { combineScenarios } from '../../../src/emulator/github/github-scenarios.ts'
import { PUSH } from '../../../testing/given-run.ts'
import { withGitHub } from '../../../testing/github-client.ts'
import { repositoryWithPull } from '../../../testing/github-state.ts'
import { getMarkerComment, readHistory } from '../../../testing/log-rows.ts'
import { playFollowUp } from '../../../testing/play-step.ts'
import { SEED } from '../../../testing/seed.ts'

const NOW = new Date('2026-03-02T10:30:00Z')
const ROW: HistoryRow = {
  run: 42,
  attempt: 1,
  job: 'docs',
  action: 'agent',
  turn: 0,
  start: '2026-03-02T09:58:00.000Z',
  until: '2026-03-02T10:58:00.000Z',
  startedBy: { text: 'push to `main` by `ann`', url: 'https://github.com/acme/docs/compare/a...b' },
  url: 'https://github.com/acme/docs/actions/runs/42',
  sources: ['#12', 'acme/code#3'],
}

const ENDED: HistoryRow = {
  ...ROW,
  end: '2026-03-02T10:05:00.000Z',
  outcome: 'pull-request',
  result: 'updated',
  effect: 'updated',
}

/** Its step has ended, and has not seen the agent finish. */
const UNSEEN: HistoryRow = {
  ...ROW,
  until: '2026-03-02T10:05:00.000Z',
  outcome: 'timed-out',
  result: 'timed out',
  effect: 'unknown',
}

const STATE: History = { ...startHistory('job_1'), labels: ['docs-agent'], rows: [ENDED] }
const merge = (state: History, update: Partial<HistoryUpdate> = {}) =>
  mergeHistory(state, { label: 'docs-agent', rows: [], ...update }, NOW)
const [first = '', ...others] = renderHistory(STATE).split('\n')
const SHOWN = others.join('\n')

test('begins with the state as one line of JSON, and reads it back', () => {
  expect(first).toMatch(/^<!-- docs-agent-action: \{"v":1,"job":"job_1",.*\} -->$/)
  expect(parseHistory(renderHistory(STATE))).toEqual(STATE)
  expect(parseHistory(renderHistory(STATE).replaceAll('\n', '\r\n'))).toEqual(STATE)
  expect(isOwnComment(renderHistory(STATE))).toBe(true)
})

test('escapes in the state what could end its comment or begin another one', () => {
  const text = '<!-- --> & <script>\u2028\n| `x`'
  const state: History = { ...STATE, rows: [{ ...ENDED, startedBy: { text } }] }
  const [line = ''] = renderHistory(state).split('\n')
  expect(line.slice('<!-- docs-agent-action: '.length, -' -->'.length)).not.toMatch(/[<>&]/)
  expect(line).toContain(String.raw`\u003C!-- --\u003E \u0026 \u003Cscript\u003E`)
  expect(parseHistory(renderHistory(state))).toEqual(state)
})

const withState = (change: object): string => `<!-- docs-agent-action: ${JSON.stringify({ ...STATE, ...change })} -->\n`
const withRow = (change: object): string => withState({ rows: [{ ...ENDED, ...change }] })

test.each<[what: string, body: string]>([
  ['no comment of ours', 'Looks good.'],
  ['a reply', '<!-- docs-agent-action: reply run=1 step=docs/agent inputs=a comment=7 -->\nDone.'],
  ['text before the state', ` ${renderHistory(STATE)}`],
  ['JSON that was cut', `${first.slice(0, 80)} -->`],
  ['another version', withState({ v: 2 })],
  ['a job id that is a path', withState({ job: '../x' })],
  ['a job id that is too long', withState({ job: 'a'.repeat(129) })],
  ['a negative count', withState({ followUps: -1 })],
  ['a row without a start', withRow({ start: 'yesterday' })],
  ['an unknown effect', withRow({ effect: 'merged' })],
  ['a head that is no commit', withRow({ head: { after: 'main' } })],
  ['a source that mentions somebody', withRow({ sources: ['#1 @ann'] })],
  ['a source that is HTML', withRow({ sources: ['<img>#1'] })],
  ['a source without a commit', withRow({ sources: ['@'] })],
])('does not read %s', (_what, body) => {
  expect(parseHistory(body)).toBeUndefined()
})

test('ignores unknown fields, for other versions of the action', () => {
  expect(parseHistory(withState({ color: 'red' }))).toEqual(STATE)
})

test('shows pull requests before the commits that came without one, and mentions nobody', () => {
  const sources = [`@${'a'.repeat(40)}`, '#12', `acme/code@${'b'.repeat(40)}`]
  const body = withRow({ sources })
  expect(parseHistory(body)?.rows[0]?.sources).toEqual(sources)
  expect(renderHistory(parseHistory(body) ?? STATE)).toContain(', about #12, aaaaaaaaaa and acme/code@bbbbbbbbbb |')
})

test('shows when, what started it, the sources, the result with its commits, and the run', () => {
  expect(SHOWN).toContain('| When (UTC) | Started by | Result | |')
  const row = SHOWN.split('\n').find((line) => line.startsWith('| 2026')) ?? ''
  expect(row).toContain(
    '| 2026-03-02 09:58 | <a href="https://github.com/acme/docs/compare/a...b">push to <code>main</code> by <code>ann</code></a>, about #12 and acme/code#3 |',
  )
  expect(row).toMatch(/ \| updated \| <a href="https:\/\/github.com\/acme\/docs\/actions\/runs\/42">run<\/a> \|$/)
  const commits = 'https://github.com/acme/docs/compare/c...d'
  const linked = renderHistory({ ...STATE, rows: [{ ...ENDED, result: '2 new commits', commits }] })
  expect(linked).toContain(`| <a href="${commits}">2 new commits</a> | <a href=`)
})

test('says that the agent is working, and what not to do meanwhile', () => {
  const shown = renderHistory({
    ...STATE,
    rows: [ROW],
    left: { at: '2026-03-02T09:00:00Z', items: ['Review it.'] },
  })
  expect(shown).toContain('⏳ working since 09:58 UTC, do not merge yet')
  expect(shown).toContain('- Wait until the agent has finished.')
  expect(shown).not.toContain('- Review it.')
})

test('says that the agent may still be working after its step has ended', () => {
  const shown = renderHistory({ ...STATE, rows: [UNSEEN] })
  expect(shown).toContain('| timed out; ⏳ the agent may still be working, do not merge yet |')
})

test('neither mentions anybody nor shows HTML or Markdown of others', () => {
  const foreign = '@acme/all <img src=x> [x](https://x.example) | ## #99'
  const state = { ...STATE, rows: [{ ...ENDED, startedBy: { text: foreign }, result: foreign, step: 'a`@b' }] }
  const shown = renderHistory(state).split('\n').slice(1).join('\n')
  expect(shown.replaceAll(/<code>[^<]*<\/code>/g, '').replaceAll(/<a href="[^"]*">|<\/a>/g, '')).not.toMatch(
    /@|<|\]\(|#99/,
  )
})

test('shows at most five sources of a row, and keeps all in the state', () => {
  const sources = Array.from({ length: 8 }, (_, index) => `#${index + 1}`)
  const body = renderHistory({ ...STATE, rows: [{ ...ENDED, sources }] })
  expect(body).toContain('about #1, #2, #3, #4, #5 and 3 more |')
  expect(parseHistory(body)?.rows[0]?.sources).toEqual(sources)
  const five = renderHistory({ ...STATE, rows: [{ ...ENDED, sources: sources.slice(0, 5) }] })
  expect(five).toContain('about #1, #2, #3, #4 and #5 |')
})

test('says how to ask for a change once a step with a command has written it, without names of inputs', () => {
  expect(SHOWN).not.toMatch(/ask the agent|\/docs |`\//)
  const known = merge(STATE, { command: '/ask', limit: 20 })
  expect(renderHistory(merge(known))).toContain(
    '**To ask the agent for a change,** begin a comment with `/ask`, such as `/ask ',
  )
  expect(renderHistory({ ...known, followUps: 16 })).not.toMatch(/on-open-pr|max-follow-ups|prompt/)
})

test.each([
  [14, 20, ''],
  [15, 20, 'Only 5 left: merge or close this pull request before they are used up.'],
  [20, 20, 'None left: merge or close this pull request, or the next run fails.'],
])('warns after %i of %i follow-ups: “%s”', (used, max, warning) => {
  expect(warnOfLimit(used, max)).toBe(warning)
  const shown = renderHistory({ ...STATE, followUps: used, limit: max })
  expect(shown.includes(`${used} of ${max} updates are used. ${warning}`)).toBe(warning !== '')
})

test('replaces the own row, and keeps the rows of others in the order of their starts', () => {
  const later: HistoryRow = { ...ENDED, run: 43, start: '2026-03-02T10:10:00.000Z' }
  const working: HistoryRow = { ...ROW, run: 41, start: '2026-03-02T10:05:00.000Z' }
  const { rows } = merge({ ...STATE, rows: [ROW, later] }, { rows: [{ ...ENDED, result: 'new' }, working] })
  expect(rows).toEqual([{ ...ENDED, result: 'new' }, working, later])
})

test.each<Partial<HistoryRow>>([
  { run: 43 },
  { attempt: 2 },
  { job: 'other' },
  { action: 'other' },
  { turn: 1 },
  // Legs of a matrix differ in nothing else.
  { start: '2026-03-02T09:58:01.000Z' },
])('adds a row that differs in %j', (difference) => {
  expect(merge(STATE, { rows: [{ ...ENDED, ...difference }] }).rows).toHaveLength(2)
})

test('marks the row of a killed run once its stated end has passed', () => {
  const row: HistoryRow = { ...ROW, run: 41 }
  expect(merge({ ...STATE, rows: [row] }).rows).toEqual([row])
  const passed: HistoryRow = { ...row, until: '2026-03-02T10:29:59.000Z' }
  const { rows } = merge({ ...STATE, rows: [passed] })
  expect(rows).toEqual([
    { ...passed, end: passed.until, outcome: 'error', result: 'not known, because the run ended first' },
  ])
  expect(renderHistory({ ...STATE, rows })).not.toContain('⏳')
})

test('the next step completes the row of a step that has not seen the agent finish, and keeps its result', () => {
  const earlier: HistoryRow = { ...UNSEEN, run: 41 }
  const { rows } = merge({ ...STATE, rows: [earlier] }, { rows: [ROW] })
  expect(rows).toEqual([{ ...earlier, end: earlier.until }, ROW])
  expect(renderHistory({ ...STATE, rows }).match(/⏳/g)).toHaveLength(1)
})

test('counts follow-ups, and adds each label once', () => {
  const counted = merge(STATE, { countsFollowUp: true, limit: 5 })
  expect(counted).toMatchObject({ followUps: 1, limit: 5, labels: ['docs-agent'] })
  expect(merge(counted, { label: 'Docs-Agent' })).toMatchObject({ followUps: 1, limit: 5, labels: ['docs-agent'] })
  expect(merge(counted, { label: 'other' }).labels).toEqual(['docs-agent', 'other'])
  expect(merge(counted, { label: '' }).labels).toEqual(['docs-agent'])
})

test.each([
  ['what to do before the merge', ['Review it.'], '**Before it is merged** (2026-03-02 09:00:00 UTC)\n\n- Review it.'],
  [
    'what to do after it was closed too early',
    [COMPARE],
    `**After it was merged or closed** (2026-03-02 09:00:00 UTC)\n\n- ${COMPARE}`,
  ],
  ['nothing to do after it was closed', [], ''],
])('says %s, so that the comment stays true', (_what, items, expected) => {
  const [, shown = ''] = renderHistory({ ...STATE, left: { at: '2026-03-02T09:00:00Z', items } }).split(
    /\n\n(?=\*\*(?:Before|After))/,
  )
  expect(shown).toBe(expected)
})

test('keeps what is left to do until a step has read the pull request again', () => {
  const left = { at: '2026-03-02T09:00:00Z', items: ['Review it.'] }
  expect(merge({ ...STATE, left }).left).toEqual(left)
  const newer = { at: '2026-03-02T10:00:00Z', items: ['It is a draft.'] }
  expect(merge({ ...STATE, left }, { left: newer }).left).toEqual(newer)
})

test('drops the oldest rows beyond 60,000 characters, and says how many', () => {
  const rows = Array.from({ length: 300 }, (_, run): HistoryRow => ({ ...ENDED, run, sources: ['#12', '#13'] }))
  const body = renderHistory({ ...STATE, rows, dropped: 2 })
  expect(body.length).toBeLessThanOrEqual(60_000)
  expect(body.length).toBeGreaterThan(55_000)
  const read = parseHistory(body)
  expect(read?.rows.at(-1)?.run).toBe(299)
  expect((read?.rows.length ?? 0) + (read?.dropped ?? 0)).toBe(302)
  expect(body).toContain(`${read?.dropped} earlier rows are not listed.`)
})

test.each<[what: string, rows: readonly HistoryRow[], ageMs: number | undefined, waitMs: number]>([
  ['no known age', [ENDED], undefined, 15_000],
  ['a turn that ended just now', [ENDED], 0, 15_000],
  ['a turn that ended 10 s ago', [ENDED], 10_000, 5_000],
  ['a turn that ended 15 s ago', [ENDED], 15_000, 0],
  ['a working turn of 100 s', [ROW], 100_000, 15_000],
  ['a working turn of an hour', [ROW], 3_600_000, 15_000],
  ['a turn that may still run, after an hour', [UNSEEN], 3_600_000, 15_000],
])('after %s, waits until the job has been idle', (_what, rows, ageMs, waitMs) => {
  expect(getRemainingLagMs({ ...STATE, rows: [...rows] }, ageMs)).toBe(waitMs)
})

test('writes to the comment of a trusted author, otherwise to that of an app, never to that of others', () => {
  const by = (author: 'trusted' | 'bot' | 'untrusted', id: number) => ({ author, id, history: STATE })
  expect(pickOwn([by('untrusted', 1), by('bot', 2), by('trusted', 3)])?.id).toBe(3)
  expect(pickOwn([by('untrusted', 1), by('bot', 2)])?.id).toBe(2)
  expect(pickOwn([by('untrusted', 1)])).toBeUndefined()
})

test('a reply by the workflows does not change whether the author of the history is trusted', async () => {
  const comment = { id: 1, createdAtMs: 0, reactions: [] }
  const comments = [
    { ...comment, body: renderHistory(STATE), user: 'mona' },
    { ...comment, id: 2, body: '<!-- docs-agent-action: reply run=1 -->', user: 'github-actions[bot]' },
  ]
  const docs = repositoryWithPull({ comments }, { collaborators: { mona: 'write' } })
  const { histories } = await withGitHub({ docs }, (github) =>
    listHistories({ repository: 'acme/docs', number: 7 }, github),
  )
  expect(histories).toMatchObject([{ id: 1, author: 'trusted' }])
})

const anyRow = fc
  .record({ text: fc.string({ unit: 'grapheme' }), result: fc.string({ unit: 'grapheme' }), run: fc.nat() })
  .map(({ text, result, run }): HistoryRow => ({ ...ENDED, run, startedBy: { text }, result }))

test('any state is read back as it was written, and no text leaves the first line or becomes HTML', () => {
  fc.assert(
    fc.property(fc.array(anyRow, { maxLength: 5 }), (rows) => {
      const body = renderHistory({ ...STATE, rows })
      expect(parseHistory(body)).toEqual({ ...STATE, rows })
      const [state = ''] = body.split('\n')
      expect(state.slice('<!-- docs-agent-action: '.length, -' -->'.length)).not.toMatch(/[<>&]/)
    }),
    { seed: SEED },
  )
})

test('the first version of a new comment names the sources, because edited comments may create no cross-references', async () => {
  const first = new Map<string, string>()
  const played = await playFollowUp(
    { 'change-context': 'commits', 'change-range': 'v1.1.0...main' },
    {
      github: combineScenarios(['reviewed-change']),
      facts: { eventName: 'push', payload: PUSH },
      onRequest: (_what, { docs }) => {
        for (const [number, { comments }] of Object.entries(docs.pulls))
          if (comments[0] !== undefined && !first.has(number)) first.set(number, comments[0].body)
      },
    },
  )
  const { 'pr-number': number = '' } = played.outputs
  expect(first.get(number) ?? getMarkerComment(played, Number(number))).toContain(', about #101 |')
  expect(readHistory(played, Number(number))?.rows[0]?.sources).toEqual(['#101'])
})
