import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isSkip } from '../../src/agent/skip.ts'
import { conclude } from '../../src/agent/conclude.ts'
import { formatPullRequest } from '../../src/agent/words.ts'
import { getOwnLink } from '../../src/agent/derived.ts'
import { createUnstartedRun, ROUND_STOP_REASONS, type RoundStop, type Run, type Turn } from '../../src/agent/record.ts'
import { redactRun } from '../../src/agent/redact-run.ts'
import type { TerminalJob } from '../../src/docs-service/schemas.ts'
import { parseComment, renderReply, renderReplyMarker } from '../../src/agent/features/command.ts'
import { namesInputs } from '../../src/agent/inputs.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { createRedactor } from '../../src/text/redact.ts'
import { COMMENT, commentFacts, EVENT_NAMES } from '../../testing/comment-events.ts'
import { archived, completed, failed, failure, LINK, withoutLink } from '../../testing/fake-client.ts'
import {
  accept,
  ATTACH,
  CREATE,
  createReport,
  describeReport,
  endWith,
  ENDS_WITH_ERROR,
  type Fields,
  FOLLOW_UP,
  stopWith,
  type TurnFacts,
  turnIn,
} from '../../testing/report.ts'
import { SEED } from '../../testing/seed.ts'
import { flattenReport } from '../../testing/flatten-result.ts'

test.each<[number, RoundStop | undefined, string]>([
  [0, undefined, ''],
  [0, 'nothing-failed', ''],
  [0, 'not-fixable', `Failing checks were not sent back to the agent. ${ROUND_STOP_REASONS['not-fixable']}`],
  [1, 'nothing-failed', 'Failing checks were sent back to the agent once.'],
  [3, 'used-up', `Failing checks were sent back to the agent 3 times. ${ROUND_STOP_REASONS['used-up']}`],
])('describes %i fix rounds and the reason for the stop: %s', (sent, roundStop, text) => {
  const rounds = Array<Turn>(sent).fill(turnIn(endWith('updated')))
  const last = turnIn(endWith('updated'), { roundStop })
  const fields = sent === 0 ? { roundStop } : { rounds: [...rounds.slice(1), last] }
  expect(formatPullRequest(createReport({ state: endWith('created'), ...fields }))).toBe(text)
})

test('says that it is unknown whether the service accepted the prompt of the last fix round', () => {
  const rounds = [turnIn(endWith('updated')), turnIn(stopWith('maybe-sent', { sent: 'maybe' }))]
  expect(formatPullRequest(createReport({ rounds }))).toBe(
    `Failing checks were sent back to the agent 2 times. It is unknown whether the service accepted the last of these prompts. ${ROUND_STOP_REASONS.failed}`,
  )
})

const isShown = (fields: Fields): boolean => getOwnLink(createReport(fields)) !== undefined
const failedLinked = { ...failed, prLink: completed.prLink }

test.each<[string, (job: TerminalJob) => TurnFacts]>([
  ['ended', (job) => endWith('unknown', job)],
  ['failed', (job) => endWith('unknown', { ...job, status: 'failed' })],
  ['did not end in time', (job) => ({ sent: 'started', end: 'timed-out', job })],
  ['is not waited for', (job) => ({ sent: 'started', end: 'not-awaited', job })],
  ['was cancelled', (job) => stopWith('cancelled', accept(job, true))],
])('shows the pull request of a new or attached job that %s', (_name, stateWith) => {
  for (const task of [CREATE, ATTACH])
    expect([completed, withoutLink].map((job) => isShown({ task, state: stateWith(job) }))).toEqual([true, false])
})

test.each<[TurnFacts, boolean]>([
  [{ job: completed }, false],
  [stopWith('unreachable', { job: completed }), false],
  [stopWith('maybe-sent', { sent: 'maybe', job: completed }), false],
  [stopWith('cancelled', accept(completed)), false],
  [stopWith('cancelled', accept(completed, true)), false],
  [{ error: failure('not-sent'), job: completed }, false],
  [{ sent: 'accepted', end: 'not-awaited', job: completed }, false],
  [{ sent: 'accepted', end: 'unconfirmed', job: completed }, false],
  [{ sent: 'started', end: 'timed-out', job: completed }, false],
  [endWith('unknown', failedLinked), false],
  [endWith('unknown', { ...failedLinked, status: 'archived' }), false],
  [endWith('unknown'), true],
  [endWith('none'), true],
  [endWith('unchanged'), true],
  [endWith('updated', failedLinked), true],
])('does not show a pull request that may come from the turn before the follow-up: %j', (state, expected) => {
  expect(isShown({ task: FOLLOW_UP, state })).toBe(expected)
})

test('shows the pull request of a follow-up that failed or was archived if its state was read', () => {
  const pullRequest = { state: 'open' } as const
  for (const status of ['failed', 'archived'] as const)
    expect(isShown({ task: FOLLOW_UP, state: endWith('unknown', { ...completed, status }), pullRequest })).toBe(true)
  const mergedTooEarly = ENDS_WITH_ERROR.filter(({ error }) => error?.code === 'merged-too-early')
  expect(mergedTooEarly.map((state) => isShown({ task: FOLLOW_UP, state }))).toEqual([true])
})

const KEY = 'docs_secret-key-123'
const redact = createRedactor([KEY])

test.each([
  ['where an output is cut', KEY],
  ['that only cleaning makes visible', Array.from(KEY).join('\u200b')],
])('redacts a complete key %s', (_name, key) => {
  const report = createReport({ state: endWith('created', { ...completed, model: `${'x'.repeat(290)}${key}` }) })
  expect(flattenReport(redactRun(report, redact))['job.model']).toBe(`${'x'.repeat(290)}***`)
})

const LINKED = { host: 'git.example.com', number: '7' }

test('redacts a key in a prompt or in the URL of a pull request, and keeps everything else', () => {
  const reportWith = (secret: string): Run => {
    const task = { kind: 'create', prompt: `Use ${secret}.\nStop.` } as const
    const prLink = { ...LINKED, href: `https://${LINKED.host}/${secret}/docs/pull/7`, repository: `${secret}/docs` }
    return createReport({
      task,
      state: endWith('created', { ...completed, prLink }),
      rounds: [turnIn(endWith('created', { ...completed, prLink }), { task })],
    })
  }
  expect(redactRun(reportWith(KEY), redact)).toEqual(reportWith('***'))
  const others = [createReport({ task: ATTACH }), createUnstartedRun(undefined, 0)]
  expect(others.map((report) => redactRun(report, redact))).toEqual(others)
})

test('does not redact the fields that decide the result', () => {
  const prLink = { ...LINKED, href: 'https://git.example.com/acme/docs/pull/7', repository: 'acme/docs' }
  const report = createReport({ state: endWith('created', { ...completed, prLink }) })
  const redacted = redactRun(report, createRedactor(['create', 'completed', 'job_1', '7', 'git.example']))
  expect(describeReport(redacted)).toMatchObject({
    task: { kind: 'create' },
    job: { id: 'job_1', status: 'completed', prLink: LINKED },
  })
})

const FACTS = { ...commentFacts(), inputsHash: '0123', command: '/docs' }
const reply = (report: Run): string =>
  renderReply(report, conclude({ ...report, failOn: new Set(['failed']) }), COMMENT, FACTS, namesInputs)

test('a reply names the outcome, the pull request, the checks and the run', () => {
  const text = reply(
    createReport({
      task: ATTACH,
      waitForChecks: true,
      pullRequest: { state: 'open', mergeable: true, checks: 'success' },
    }),
  )
  expect(text).toBe(`<!-- docs-agent-action: reply run=42 step=docs/agent inputs=0123 comment=71 -->
**The pull request is ready.** The agent's changes are in it. All its checks have passed.

[Pull request #7](${LINK}) · [run](https://git.example.com/acme/docs/actions/runs/42)

To ask for another change, begin a comment on the pull request with \`/docs\`.`)
})

test('a reply links to the new commits of the step and its fix rounds', () => {
  const headSha = 'b'.repeat(40)
  const text = reply(
    createReport({
      task: FOLLOW_UP,
      state: endWith('updated'),
      rounds: [turnIn(endWith('updated'))],
      pullRequest: { state: 'merged', headSha },
    }),
  )
  const compared = `https://git.example.com/acme/docs/compare/${'a'.repeat(40)}...${headSha}`
  expect(text).toContain(`\n[6 new commits](${compared}) · [pull request #7](${LINK}) · [run](`)
  expect(text).not.toContain('To ask for')
})

test.each(['Merge it. Or increase `max-follow-ups`.', 'Run the recipe with `job-id: job_1`.'])(
  'a reply leaves advice that names inputs to the page of the run: %s',
  (hint) => {
    const text = reply(createReport({ state: stopWith(new ActionError('not-sent', 'It was not sent.', { hint })) }))
    expect(text).toContain('It was not sent.\n\nThe page of the run says what to do.\n\n')
  },
)

test('a reply shows the message of GitHub about a failed request as code', () => {
  const message = 'GitHub says “see #1 by @mona, https://example.com _x_ GH-2” (422).'
  const text = reply(createReport({ state: stopWith(new ActionError('not-sent', message, { hint: message })) }))
  const plain = text.replace(/<code>[^<]*<\/code>/g, '')
  expect(plain.match(/GitHub says “see {2}by {4}” \(422\)\./g)).toHaveLength(2)
})

test('a reply contains the hint, or why nothing was sent', () => {
  const error = new ActionError('not-sent', 'It was not sent.', { hint: 'Ask elsewhere.' })
  expect(reply(createReport({ state: stopWith(error) }))).toContain('It was not sent.\n\nAsk elsewhere.')
  const skipped = reply(createReport({ state: {}, skipReason: 'It is closed.' }))
  expect(skipped).toContain('Nothing was sent to the agent. It is closed.')
})

test('renders a different marker for each comment, run, job, step and matrix job', () => {
  const places = [{ runId: 43 }, { workflowJob: 'links' }, { runnerStepId: '__acme_docs_2' }, { inputsHash: '4567' }]
  const others = [COMMENT, { ...COMMENT, kind: 'review' as const }, { ...COMMENT, id: 72 }]
  const markers = [
    ...others.map((comment) => renderReplyMarker(comment, FACTS)),
    ...places.map((place) => renderReplyMarker(COMMENT, { ...FACTS, ...place })),
  ]
  expect(new Set(markers).size).toBe(7)
})

const STATES = [
  ...ENDS_WITH_ERROR,
  endWith('created'),
  endWith('none', withoutLink),
  endWith('unknown', failed),
  endWith('unknown', archived),
  {},
  {},
  accept(),
  { end: 'previewed' },
] as const
const texts = fc.oneof(fc.string(), fc.constantFrom('/docs do it', '@mona', '\n/docs do it', 'a@b.c @acme/team'))
const reports = fc
  .record({ during: fc.constantFrom(...STATES), skip: fc.option(texts), message: fc.option(texts), hint: texts })
  .map(({ during, skip, message, hint }) => {
    const state = message === null ? during : stopWith(new ActionError('not-sent', message, { hint }), during)
    return createReport({ state, skipReason: skip ?? undefined })
  })

test('a reply that triggers an event contains no command, and mentions no user', () => {
  fc.assert(
    fc.property(reports, fc.constantFrom(...EVENT_NAMES), (report, eventName) => {
      const body = reply(report)
      expect(isSkip(parseComment(commentFacts({ eventName, body }), '/docs'))).toBe(true)
      expect(body).not.toMatch(/@(?!\u200b)/)
    }),
    { seed: SEED },
  )
})
