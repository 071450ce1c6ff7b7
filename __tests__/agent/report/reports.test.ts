import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isSkip } from '../../../src/agent/plan.ts'
import { conclude } from '../../../src/agent/report/outcomes.ts'
import { formatFixing, STOPS, type RoundStop } from '../../../src/agent/report/turn.ts'
import { Journal } from '../../../src/agent/journal.ts'
import { formatWarnings } from '../../../src/agent/report/warnings.ts'
import { toOutputs } from '../../../src/agent/report/outputs.ts'
import { OUTCOMES, ownPullRequest, redactReport, type Report } from '../../../src/agent/report/report.ts'
import { renderReply } from '../../../src/agent/report/reply.ts'
import { renderReplyMarker } from '../../../src/agent/marker.ts'
import { parseComment } from '../../../src/agent/conversation/comment-command.ts'
import { ActionError } from '../../../src/runtime/errors.ts'
import { createRedactor } from '../../../src/text/redact.ts'
import { COMMENT, commentFacts, EVENT_NAMES } from '../../support/comment-events.ts'
import { active, completed, failure, LINK, withoutLink } from '../../support/fake-client.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { refusal, rejecting } from '../../support/fake-github.ts'
import { fakeHost } from '../../support/fake-host.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'
import { ATTACH, CREATE, endWith, FOLLOW_UP, createReport, turnIn, type Fields } from '../../support/report.ts'
import { SEED } from '../../support/seed.ts'

test.each<[number, RoundStop | undefined, string]>([
  [0, undefined, ''],
  [0, 'passed', ''],
  [0, 'red-before', `Failing checks were not sent back to the agent. ${STOPS['red-before']}`],
  [1, 'passed', 'Failing checks were sent back to the agent once.'],
  [3, 'used-up', `Failing checks were sent back to the agent 3 times. ${STOPS['used-up']}`],
])('how often failing checks went back, and why no more: %i, %s', (sent, stop, told) => {
  expect(formatFixing({ rounds: Array(sent).fill(0), stop }).join(' ')).toBe(told)
})

test('one text tells every loss, and each reason and each advice once', () => {
  const [forbidden, missing] = [refusal('forbidden', 'Grant it.'), refusal('not-found')]
  const lost = { A: forbidden, B: missing, C: forbidden }
  const warnings = Object.entries(lost).map(([lost, error]) => ({ lost, error }))
  expect(formatWarnings([...warnings, { lost: 'A', error: forbidden }])).toBe(
    'A. C: GitHub said forbidden. B: GitHub said not-found. Grant it.',
  )
  expect(formatWarnings([])).toBeUndefined()
})

test.each(OUTCOMES)('of a turn that is %s, the pull request is shown unless it may be of an earlier one', (outcome) => {
  const isShown = (fields: Fields): boolean => ownPullRequest(createReport({ outcome, ...fields })) !== undefined
  for (const task of [CREATE, ATTACH])
    expect([isShown({ task }), isShown({ task, job: withoutLink })]).toEqual([true, false])
  for (const progress of ['unsent', 'taken', 'seen'] as const) {
    const followUp = { task: FOLLOW_UP, progress }
    expect(isShown(followUp)).toBe(outcome === 'pull-request' || outcome === 'no-changes')
    expect(isShown({ ...followUp, operation: 'updated' })).toBe(true)
    expect(isShown({ ...followUp, pullRequest: { state: 'open' } })).toBe(true)
  }
})

const KEY = 'docs_secret-key-123'
const redact = createRedactor([KEY])

test.each([
  ['at the place where an output is cut', KEY],
  ['that only cleaning puts together', Array.from(KEY).join('\u200b')],
])('a key %s is taken out as a whole', (_name, key) => {
  const report = createReport({ job: { ...completed, model: `${'x'.repeat(190)}${key}` } })
  expect(toOutputs(redactReport(report, redact)).model).toBe(`${'x'.repeat(190)}***`)
})

const LINKED = { host: 'git.example.com', number: '7' }

test('a key in a prompt or in the address of the pull request is taken out, and everything else stays', () => {
  const reportWith = (secret: string): Report => {
    const task = { kind: 'create', prompt: `Use ${secret}.\nStop.` } as const
    const prLink = { ...LINKED, href: `https://${LINKED.host}/${secret}/docs/pull/7`, repository: `${secret}/docs` }
    return createReport({ task, rounds: [turnIn(endWith('created'), { task })], job: { ...completed, prLink } })
  }
  expect(redactReport(reportWith(KEY), redact)).toEqual(reportWith('***'))
  const others = [createReport({ task: ATTACH }), createReport({ task: undefined, job: undefined })]
  expect(others.map((report) => redactReport(report, redact))).toEqual(others)
})

test('a secret that is a word of a verdict takes nothing from what the verdict rests on', () => {
  const prLink = { ...LINKED, href: 'https://git.example.com/acme/docs/pull/7', repository: 'acme/docs' }
  const report = createReport({ task: { kind: 'create', prompt: 'Fix it.' }, job: { ...completed, prLink } })
  expect(redactReport(report, createRedactor(['create', 'completed', 'job_1', '7', 'git.example']))).toMatchObject({
    task: { kind: 'create' },
    job: { id: 'job_1', status: 'completed', prLink: LINKED },
  })
})

const [host, clock] = [fakeHost(), fakeClock()]
const open = (task = CREATE): Journal =>
  new Journal(agentInputs({ task, waitForChecks: true }), fakeStep({ core: host, clock }))

test('a state replaces the one before, and a round continues with the job of the turn before', () => {
  const journal = open()
  const startedAt = clock.wallTime()
  journal.begin({ task: CREATE })
  journal.updateTurn({ kind: 'accepted', job: active, isConfirmed: true, lastProblem: failure('unreachable') })
  const end = endWith('updated')
  journal.updateTurn(end)
  journal.begin({ task: FOLLOW_UP })
  expect(journal.turns).toEqual([
    { task: CREATE, startedAt, state: end },
    { task: FOLLOW_UP, startedAt, state: { kind: 'preparing', job: completed } },
  ])
  expect(journal.report()).toMatchObject({
    outcome: 'pull-request',
    operation: 'updated',
    job: completed,
    task: CREATE,
  })
})

test.each([false, true])('a turn that replaces another inherits nothing of its job (in a round: %s)', (isRound) => {
  const journal = open(ATTACH)
  const startedAt = clock.wallTime()
  if (isRound) journal.updateTurn(endWith('unknown'))
  journal.begin({ task: FOLLOW_UP, followUpReason: 'pull-request' })
  journal.updateTurn({ kind: 'preparing', job: completed })
  journal.begin({ task: CREATE })
  const own = { task: ATTACH, state: endWith('unknown') }
  expect(journal.turns).toEqual([...(isRound ? [own] : []), { task: CREATE, startedAt, state: { kind: 'preparing' } }])
})

test('an error that stops a turn keeps the state that it interrupted, also if another error follows', () => {
  const journal = open()
  journal.begin({ task: CREATE })
  const during = { kind: 'accepted', job: active, isConfirmed: true } as const
  journal.updateTurn(during)
  for (const error of [failure('forbidden'), failure('internal')]) {
    journal.stop(error)
    expect(journal.newest.state).toEqual({ kind: 'stopped', error, isCancelled: false, during })
    expect(journal.report()).toMatchObject({ outcome: 'error', error, job: active })
  }
})

test('what is noted is said and in the time line, and the step has its origin and its time', () => {
  const journal = open()
  clock.advance(1_000)
  journal.note('The job is active.')
  clock.advance(1_000)
  journal.notice('Look', 'There are two.')
  journal.add({ change: 'the push' })
  expect(host.said).toEqual(['log: The job is active.', 'notice: Look | There are two.'])
  expect(journal.report()).toEqual({
    ...{ projectId: 'docs-demo', dryRun: false, stepId: 'agent', waitForChecks: true, allowedPaths: [] },
    failOn: new Set(['failed', 'archived', 'timeout']),
    change: 'the push',
    durationMs: 2_000,
    outcome: 'error',
    rounds: [],
    warnings: [],
    task: CREATE,
    timeline: [
      { at: new Date('2026-01-01T00:00:01Z'), elapsedMs: 1_000, event: 'The job is active.' },
      { at: new Date('2026-01-01T00:00:02Z'), elapsedMs: 2_000, event: 'There are two.' },
    ],
  })
})

test('what cannot be done on GitHub is told and costs nothing else, but for a cancelled run and a defect', async () => {
  const journal = open()
  const error = refusal('forbidden', 'Grant it.')
  const label = await journal.orWarn<unknown>('The label', rejecting(error))
  const state = await journal.orWarn('The state', () => Promise.resolve('open'))
  expect([label, state]).toEqual([undefined, 'open'])
  expect(host.said).toContain('log: The label: GitHub said forbidden.')
  await expect(journal.orWarn('x', rejecting(refusal('cancelled')))).rejects.toMatchObject({ code: 'cancelled' })
  await expect(journal.orWarn('x', () => Promise.reject(new RangeError()))).rejects.toBeInstanceOf(RangeError)
  expect(journal.warnings).toEqual([{ lost: 'The label', error }])
})

test('an error that stops the step or costs a warning has its cause in the debug log only', () => {
  const journal = open()
  const cause = new Error('connect ECONNREFUSED')
  const before = host.said.length
  journal.warn('The label', new ActionError('unreachable', 'GitHub could not be reached.', { cause }))
  journal.stop(new ActionError('unreachable', 'The service could not be reached.', { cause }))
  const said = host.said.slice(before)
  expect(said.filter((line) => line.includes('ECONNREFUSED'))).toEqual([
    expect.stringMatching(/^debug: Caused by Error: connect ECONNREFUSED/),
    expect.stringMatching(/^debug: Caused by Error: connect ECONNREFUSED/),
  ])
})

const FACTS = { ...commentFacts(), inputsHash: '0123' }
const reply = (report: Report): string =>
  renderReply(report, conclude({ ...report, failOn: new Set(['failed']) }), COMMENT, FACTS)

test('names the outcome, the pull request, the checks and the run', () => {
  const text = reply(
    createReport({ job: completed, pullRequest: { state: 'open', mergeable: true, checks: 'success' } }),
  )
  expect(text).toBe(`<!-- docs-agent-action: reply run=42 step=docs/agent inputs=0123 comment=71 -->
**The pull request is ready.** The agent's changes are in it. All its checks have passed.

[Pull request #7](${LINK})

[The run](https://git.example.com/acme/docs/actions/runs/42)`)
})

test('shows what GitHub says of a failed request as code', () => {
  const said = 'GitHub says “see #1 by @mona, https://example.com _x_ GH-2” (422).'
  const text = reply(createReport({ outcome: 'error', error: new ActionError('not-sent', said, { hint: said }) }))
  const plain = text.replace(/<code>[^<]*<\/code>/g, '')
  expect(plain.match(/GitHub says “see {2}by {4}” \(422\)\./g)).toHaveLength(2)
})

test('says what to do, and why nothing was sent', () => {
  const error = new ActionError('not-sent', 'It was not sent.', { hint: 'Ask elsewhere.' })
  expect(reply(createReport({ outcome: 'error', error }))).toContain('It was not sent.\n\nAsk elsewhere.')
  const skipped = reply(createReport({ outcome: 'skipped', skipReason: 'It is closed.' }))
  expect(skipped).toContain('Nothing was sent to the agent. It is closed.')
})

test('the hidden line differs for each comment, run, job, step and leg of a matrix', () => {
  const places = [{ runId: 43 }, { workflowJob: 'links' }, { runnerStepId: '__acme_docs_2' }, { inputsHash: '4567' }]
  const others = [COMMENT, { ...COMMENT, kind: 'review' as const }, { ...COMMENT, id: 72 }]
  const markers = [
    ...others.map((one) => renderReplyMarker(one, FACTS)),
    ...places.map((place) => renderReplyMarker(COMMENT, { ...FACTS, ...place })),
  ]
  expect(new Set(markers).size).toBe(7)
})

const texts = fc.oneof(fc.string(), fc.constantFrom('/docs do it', '@mona', '\n/docs do it', 'a@b.c @acme/team'))
const reports = fc
  .record({ outcome: fc.constantFrom(...OUTCOMES), skip: fc.option(texts), message: fc.option(texts), hint: texts })
  .map(({ outcome, skip, message, hint }) => {
    const error = message === null ? undefined : new ActionError('not-sent', message, { hint })
    return createReport({ outcome, skipReason: skip ?? undefined, error })
  })

test('a reply that comes back as an event asks for nothing, and mentions nobody', () => {
  fc.assert(
    fc.property(reports, fc.constantFrom(...EVENT_NAMES), (report, eventName) => {
      const body = reply(report)
      expect(isSkip(parseComment(commentFacts({ eventName, body }), '/docs'))).toBe(true)
      expect(body).not.toMatch(/@(?!\u200b)/)
    }),
    { seed: SEED },
  )
})
