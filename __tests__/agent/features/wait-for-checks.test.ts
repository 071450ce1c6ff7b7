import { describe, expect, test } from '@jest/globals'
import type { CheckPlan } from '../../../src/emulator/github/check-plan.ts'
import { AGENT_USER, GITHUB_TOKEN } from '../../../src/emulator/github/demo-state.ts'
import { closeIssue, mergePull, pushCommit } from '../../../src/emulator/github/repository-changes.ts'
import { DEFAULT_LAG } from '../../../src/emulator/github/state.ts'
import type { ServiceResponse } from '../../../src/emulator/http/exchange.ts'
import { NO_RESPONSE } from '../../../src/emulator/http/faults.ts'
import { agentInputs } from '../../../testing/agent-inputs.ts'
import {
  changeResponse,
  playStep,
  type PlayStepOptions,
  type Responder,
  respondInOrder,
  respondWith,
  respondAsUsual,
  atRequest,
} from '../../../testing/play-step.ts'

type Given = Readonly<Record<string, string>>
type OnRequest = NonNullable<PlayStepOptions['onRequest']>

const [PULL, CHECKS, COMPARE] = ['pulls/get', 'checks/list-for-ref', 'repos/compare-commits-with-basehead']
const LOST: Responder = () => NO_RESPONSE
const NEVER: Responder = () => ({ ...NO_RESPONSE, delivery: 'never' })
/** The last read is after 27 s. */
const SHORT = { 'timeout-minutes': '0.5' }
const FINISHED = { prompt: '', 'job-id': 'job_finished' }

const job = (
  name: string,
  afterMs: number,
  takesMs: number,
  conclusion: 'success' | 'failure' = 'success',
): CheckPlan => ({
  kind: 'job',
  name,
  afterMs,
  takesMs,
  result: { conclusion },
})
const [PENDING, PASSED, FAILED] = [job('build', 0, Infinity), job('build', 0, 5_000), job('build', 0, 5_000, 'failure')]

interface Options extends Omit<Partial<PlayStepOptions>, 'github'> {
  /** The checks of the first, the second, … commit. The last entry is repeated. */
  readonly checks?: readonly (readonly CheckPlan[])[]
}

/** Runs a step whose new job opens its pull request at once, and waits for its checks. */
async function play(given: Given, { checks = [[PASSED]], ...options }: Options = {}) {
  const played = await playStep({
    inputs: agentInputs({}, { 'github-token': GITHUB_TOKEN, 'wait-for-checks': 'true', ...given }),
    turns: [{ durationMs: 0 }, {}],
    github: { checks, lag: { ...DEFAULT_LAG, mergeableMs: 0 } },
    ...options,
  })
  return {
    ...played,
    requests: played.allRequests,
    seconds: played.report.durationMs / 1_000,
    text: played.notice?.text,
    checksLog: played.log.filter((line) =>
      /^(Checks of commit|The checks of commit|The pull request could)/.test(line),
    ),
  }
}

/** Acts at one request of a kind. */
/** Pushes a commit to the pull request of the new job. */
const push = ({ docs, nowMs }: Parameters<OnRequest>[1], filename = 'docs/b.md') =>
  pushCommit(docs, 'agent/job_000001', { message: 'More', author: AGENT_USER, files: [{ filename, patch: '' }] }, nowMs)

test.each<[string, Given, Options, string, number]>([
  ['waits until all checks have finished', {}, { checks: [[job('build', 5_000, 24_000)]] }, 'success', 45],
  [
    'reports success 15 s after the last change, not after the first read',
    {},
    { checks: [[PASSED, job('deploy', 15_000, 1_000)]] },
    'success',
    35,
  ],
  [
    'reports a failure that appears before success is stable',
    {},
    { checks: [[PASSED, job('deploy', 15_000, 1_000, 'failure')]] },
    'failure',
    20,
  ],
  ['reports “none” only after a minute', {}, { checks: [[]] }, 'none', 60],
  ['reports “pending” without checks if the deadline comes before a minute', SHORT, { checks: [[]] }, 'pending', 27],
  ['reports “pending” at the deadline, after one last read', SHORT, { checks: [[PENDING]] }, 'pending', 27],
  [
    'stops waiting immediately after a failed check',
    {},
    { checks: [[FAILED, job('links', 0, Infinity)]] },
    'failure',
    10,
  ],
  [
    'reports success at once if all suites are completed and the head is older than a minute',
    {},
    { checks: [[job('build', 0, 59_000)]] },
    'success',
    60,
  ],
  ['reports success after 15 s if the head is younger', {}, { checks: [[job('build', 0, 25_000)]] }, 'success', 45],
  [
    'reports success after 15 s if a check may be to come',
    {},
    { checks: [[{ ...job('build', 0, 59_000), kind: 'app' } as CheckPlan]] },
    'success',
    75,
  ],
])('%s', async (_name, given, options, checks, seconds) => {
  const { outputs, docs, text, ...done } = await play(given, options)
  expect(outputs).toMatchObject({ checks, 'pr-state': 'open', 'pr-head-sha': docs.pulls[4]?.headSha })
  expect([done.seconds, text]).toEqual([seconds, undefined])
})

test.each<[string, Responder[]]>([
  ['retries after failed reads', [LOST, LOST, LOST, LOST, respondWith(503), respondAsUsual]],
  ['keeps the known checks after failed reads', [respondAsUsual, respondAsUsual, LOST, LOST, LOST, respondAsUsual]],
])('%s of the checks', async (_what, reads) => {
  const { outputs, text, seconds } = await play({}, { responses: { [CHECKS]: respondInOrder(...reads) } })
  expect([outputs['checks'], text]).toEqual(['success', undefined])
  expect(seconds).toBeLessThanOrEqual(40)
})

test('warns that the checks could not be read, and forgets those of the head before', async () => {
  let pushed: string | undefined
  const onRequest = atRequest(PULL, (request) => (pushed = push(request).sha), 2)
  const responses = { [CHECKS]: respondInOrder(respondAsUsual, respondAsUsual, respondWith(404)) }
  const { outputs, text } = await play({}, { checks: [[FAILED]], onRequest, responses })
  expect(outputs).toMatchObject({ checks: '', 'pr-head-sha': pushed })
  expect(text).toContain('The checks could not be read: ')
})

describe.each([
  ['passed', PASSED, 25],
  ['failed', FAILED, 10],
])('if the checks have %s, and the head cannot be read again', (_state, plan, seconds) => {
  test.each([
    ['for good', 404],
    ['until the deadline', 503],
  ])('%s, no checks are reported', async (_when, status) => {
    const responses = { [PULL]: respondInOrder(respondAsUsual, respondWith(status)) }
    const played = await play(SHORT, { checks: [[plan]], responses })
    expect([played.outputs['checks'], played.seconds >= 27]).toEqual(['', status === 503])
    if (status === 404) expect(played.seconds).toBe(seconds)
    expect(played.text).toContain('Could not determine whether the checks are those of the newest commit: ')
    expect(played.checksLog.join()).not.toMatch(/passed\.|failed \(/)
  })
})

test('reports the checks once the head can be read again', async () => {
  const responses = { [PULL]: respondInOrder(respondAsUsual, ...Array<Responder>(5).fill(LOST), respondAsUsual) }
  const { outputs, text, requests } = await play({}, { responses })
  expect(requests.filter(({ what }) => what === PULL).length).toBeGreaterThan(6)
  expect([outputs['checks'], text]).toEqual(['success', undefined])
})

const RUNNING = /^Checks of commit \w{7}: 1 of 1 still running \(build\)\.$/

test.each<[string, Responder[], RegExp[]]>([
  ['which checks are running', [respondAsUsual], [RUNNING, RUNNING]],
  [
    'that the checks cannot be read',
    [respondAsUsual, LOST],
    [RUNNING, /^The checks of commit \w{7} could not be read\. /],
  ],
])('logs once a minute %s', async (_what, reads, lines) => {
  const options = { checks: [[PENDING]], responses: { [CHECKS]: respondInOrder(...reads) } }
  const { checksLog } = await play({ 'timeout-minutes': '1.1' }, options)
  expect(checksLog).toEqual(lines.map((line) => expect.stringMatching(line) as unknown))
})

test('adds each change of the checks to the timeline once', async () => {
  const { report } = await play({}, { checks: [[job('build', 0, 15_000, 'failure')]] })
  expect(report.timeline.map(({ event }) => event).filter((event) => event.startsWith('Checks of'))).toEqual([
    expect.stringContaining('1 of 1 still running (build)'),
    expect.stringContaining('1 of 1 failed (build)'),
  ])
})

test.each<[string, CheckPlan, Given, number]>([
  ['for five minutes after the first failure', job('links', 0, Infinity), {}, 310],
  ['as long as they run', job('links', 0, 15_000), {}, 20],
  ['not if less than ten minutes are left, so that no round can follow', job('links', 0, Infinity), SHORT, 10],
])('if a fix round may follow, waits for the other checks: %s', async (_what, plan, given, seconds) => {
  const { requests } = await play({ 'fix-rounds': '1', ...given }, { checks: [[FAILED, plan], []] })
  const sent = requests.findIndex(({ what }) => what.startsWith('message '))
  const before = requests.slice(0, sent === -1 ? undefined : sent)
  expect([sent === -1, before.findLast(({ what }) => what === CHECKS)?.atMs]).toEqual([
    given === SHORT,
    seconds * 1_000,
  ])
})

test.each<[string, Options]>([
  ['after its checks', { checks: [[FAILED]] }],
  ['if the checks could not be read', { responses: { [CHECKS]: respondWith(403) } }],
])('reads the pull request again once %s', async (_when, options) => {
  const { requests } = await play({}, options)
  expect(requests.filter(({ what }) => what === PULL)).toHaveLength(2)
})

test('reports checks that wait for approval as soon as no other check is pending', async () => {
  const waiting: CheckPlan = { kind: 'unstarted', conclusion: 'action_required', workflow: 'docs.yml' }
  const { report, seconds, checksLog } = await play({}, { checks: [[job('build', 0, 15_000), waiting]] })
  expect(report.pullRequest).toMatchObject({ checks: 'pending', waitsForApproval: true })
  expect(seconds).toBe(20)
  expect(checksLog).toEqual([
    expect.stringMatching(RUNNING),
    expect.stringMatching(/: 1 of 2 waiting for approval \(docs\.yml\)\.$/),
  ])
})

test('follows a head that moves after its checks have finished, and compares its files again', async () => {
  let pushed: string | undefined
  const onRequest = atRequest(PULL, (request) => (pushed = push(request, 'src/a.ts').sha), 2)
  const { outputs } = await play({ 'allowed-paths': 'docs/**' }, { checks: [[FAILED]], onRequest })
  // No check is registered for the new commit.
  expect(outputs).toMatchObject({ checks: 'none', 'pr-head-sha': pushed, 'in-scope': 'false' })
})

test('reports pending checks if the head moves at the last read', async () => {
  const onRequest = atRequest(PULL, push, 2)
  const { outputs, docs, seconds } = await play(SHORT, { checks: [[job('build', 0, 26_000, 'failure')]], onRequest })
  expect(outputs).toMatchObject({ checks: 'pending', 'pr-head-sha': docs.pulls[4]?.headSha })
  expect(seconds).toBe(27)
})

test('follows a head that keeps moving until the deadline', async () => {
  let failed: ServiceResponse | undefined
  const failAll: Responder = ({ respond }) => {
    const response = respond()
    if (response.body.includes('"failure"')) failed = response
    return failed ?? response
  }
  const onRequest: OnRequest = (what, request) => {
    if (what === PULL && failed !== undefined) push(request)
  }
  const options = { checks: [[FAILED]], responses: { [CHECKS]: failAll }, onRequest, latencyMs: 200 }
  const { outputs, seconds, text } = await play(SHORT, options)
  expect([outputs['checks'], text]).toEqual(['pending', undefined])
  expect(seconds).toBeLessThanOrEqual(30)
})

test.each<['merged' | 'closed', readonly CheckPlan[], string, number]>([
  ['merged', [PENDING], 'pending', 0],
  ['closed', [], 'none', 0],
  ['merged', [PASSED], 'success', 15],
])('does not wait for pending checks of a pull request that is %s: %#', async (state, plan, checks, seconds) => {
  const onRequest = atRequest(PULL, ({ docs, nowMs }) => {
    if (state === 'merged') mergePull(docs, 1, 'mona', nowMs)
    else if (docs.pulls[1] !== undefined) closeIssue(docs, docs.pulls[1], nowMs)
  })
  const played = await play(FINISHED, { checks: [plan], onRequest })
  expect(played.outputs).toMatchObject({ 'pr-state': state, checks })
  expect(played.seconds).toBe(seconds)
})

describe('the files outside of the allowed paths', () => {
  const file = (filename: string, fields = {}) => ({
    filename,
    status: 'modified',
    additions: 1,
    deletions: 0,
    changes: 1,
    ...fields,
  })
  const moved = [file('docs/a.md', { status: 'renamed', previous_filename: 'src/a.md' }), file('docs/b.md')]
  const many = Array.from({ length: 300 }, (_, index) => file(`docs/${index}.md`))
  const comparing = (files: readonly object[], fields = {}) => changeResponse(() => ({ files, ...fields }))
  const BEHIND = comparing([], { status: 'behind', commits: [], total_commits: 0 })
  const IDENTICAL = comparing([], { status: 'identical', commits: [], total_commits: 0 })

  test.each<[string, Responder, readonly string[] | undefined]>([
    ['contain the previous path of a moved file', comparing(moved), ['src/a.md']],
    ['are unknown if GitHub does not list all files', comparing(many), undefined],
    [
      'contain a listed file even if GitHub does not list all',
      comparing([file('src/a.ts'), ...many.slice(1)]),
      ['src/a.ts'],
    ],
    ['are unknown if the base branch contained the head before', respondInOrder(BEHIND, IDENTICAL), undefined],
  ])('%s', async (_what, response, outside) => {
    // Without a turn, nothing else is compared.
    const { report, text } = await play(
      { ...FINISHED, 'wait-for-checks': 'false', 'allowed-paths': 'docs/**' },
      { responses: { [COMPARE]: response } },
    )
    expect(report.pullRequest.outside).toEqual(outside)
    if (outside === undefined) expect(text).toMatch(/GitHub lists only \d+ files of the pull request\./)
    else expect(text).toBeUndefined()
  })

  test('are also found if the pull request is merged into the base branch', async () => {
    const onRequest = atRequest(PULL, ({ docs, nowMs }) => {
      mergePull(docs, 1, 'mona', nowMs, { method: 'merge' })
    })
    const given = { ...FINISHED, 'wait-for-checks': 'false', 'allowed-paths': 'guides/**' }
    const { report, requests } = await play(given, { onRequest })
    expect(report.pullRequest.outside?.length).toBeGreaterThan(0)
    expect(requests.filter(({ what }) => what === COMPARE)).toHaveLength(2)
  })
})

test('a cancel while checks and files are read is reported once', async () => {
  const { outputs } = await play(
    // Without a turn, only this compares files.
    { ...FINISHED, 'allowed-paths': 'docs/**' },
    { responses: { [CHECKS]: NEVER, [COMPARE]: NEVER }, cancelAfterMs: 5_000 },
  )
  expect(outputs['outcome']).toBe('cancelled')
  // An unhandled rejection would fail the test now.
  await new Promise(setImmediate)
})
