import { expect, test } from '@jest/globals'
import type { AgentInputs } from '../../../src/agent/facts.ts'
import { findRoundStop } from '../../../src/agent/features/fix-rounds.ts'
import { parsePathRules } from '../../../src/agent/path-filter.ts'
import { waitForChecks } from '../../../src/agent/features/checks.ts'
import { findOutside } from '../../../src/agent/features/scope.ts'
import { describePullRequest } from '../../../src/agent/derived.ts'
import { formatWarnings } from '../../../src/agent/journal.ts'
import type { PullRequestFacts, Turn } from '../../../src/agent/record.ts'
import type { Reads } from '../../../src/agent/step.ts'
import type { Check } from '../../../src/github/checks.ts'
import type { GitHub } from '../../../src/github/github.ts'
import type { PullRequest } from '../../../src/github/pull-requests.ts'
import { ActionError } from '../../../src/runtime/errors.ts'
import type { Comparison } from '../../../src/github/commits.ts'
import { fakeClock } from '../../../testing/fake-clock.ts'
import { fakeGitHub, resolveInOrder, PULL_REQUEST, createGitHubError } from '../../../testing/fake-github.ts'
import { fakeRunner } from '../../../testing/fake-runner.ts'
import { agentInputs, fakeStep } from '../../../testing/fake-step.ts'
import { commit } from '../../../testing/github-state.ts'
import { endWith, turnIn } from '../../../testing/report.ts'
import { completed } from '../../../testing/jobs.ts'

const CHECKS: Partial<AgentInputs> = { waitForChecks: true }

/** What a step that waits for checks needs, as a line to paste. */
const GRANT =
  "Grant the workflow's job these permissions: `permissions: { actions: read, checks: read, contents: read, issues: write, pull-requests: write, statuses: read }`. If `github-token` is another token, that token needs them instead."
const SCOPE: Partial<AgentInputs> = { allowedPaths: parsePathRules('docs/**') }

const TURNS: readonly Turn[] = [turnIn(endWith('unknown')), turnIn({ job: completed })]

/** Whether a fix round would follow, as a step decides it. */
const mayFixIn =
  ({ clock, deadlineAt, inputs }: Reads, turns: readonly Turn[]) =>
  (failed: PullRequestFacts): boolean =>
    findRoundStop(failed, turns, inputs.fixRounds, deadlineAt - clock.now()) === undefined

/** Reads of the checks, in order. Nothing shows that no further check is to come. */
const readInOrder = (...reads: readonly (readonly Check[] | ActionError)[]): GitHub['readChecks'] =>
  resolveInOrder(...reads.map((checks) => (checks instanceof ActionError ? checks : { checks, isComplete: false })))

/** Waits for the checks of a pull request with these responses, and returns the findings, the time and the log. */
async function examine(fields: Partial<AgentInputs>, responses: Partial<GitHub>, { timeoutMs = 3_600_000 } = {}) {
  const runner = fakeRunner()
  const clock = fakeClock()
  const github = fakeGitHub(responses)
  const step = fakeStep({ inputs: agentInputs(fields), clock, timeoutMs, runner, github })
  const found = await waitForChecks(PULL_REQUEST, mayFixIn(step, TURNS), findOutside, step)
  return {
    found,
    elapsedMs: clock.now() - step.startedAt,
    notice: formatWarnings(step.journal.warnings),
    logged: runner.calls,
    timeline: step.journal.timeline.map(({ event }) => event),
  }
}

/** The same with these reads of the checks, in order. */
const poll = (
  reads: readonly (readonly Check[] | ActionError)[],
  options: Parameters<typeof examine>[2] = {},
  responses: Partial<GitHub> = {},
) => examine(CHECKS, { readChecks: readInOrder(...reads), ...responses }, options)

const UNREACHABLE = createGitHubError('unreachable')
const check = (state: Check['state']) => [{ name: 'build', state }] as const

const PENDING = check('pending')
const PASSED = check('success')
const FAILED = check('failure')
const DEPLOY = { name: 'deploy', state: 'success' } as const
const AGAIN = [{ name: 'build', state: 'success', id: 2 }, DEPLOY] as const

/** A job of another workflow, of the same name. */
const TWICE = [{ ...FAILED[0], id: 1 }, AGAIN[0]]

test.each<[string, (readonly Check[] | ActionError)[], string, number]>([
  ['waits until all checks have finished', [[], PENDING, PENDING, PASSED], 'success', 45],
  [
    'reports success 15 seconds after the last change, not after the first read',
    [PENDING, PASSED, [...PASSED, DEPLOY], [...PASSED, DEPLOY], AGAIN, AGAIN],
    'success',
    50,
  ],
  ['reports a failure that appears before success is stable', [PASSED, AGAIN, FAILED], 'failure', 20],
  ['keeps the known checks after a failed read', [PASSED, UNREACHABLE, PASSED], 'success', 20],
  ['retries after transient errors', [createGitHubError('service-error'), UNREACHABLE, PASSED], 'success', 35],
  ['reports “none” only after a minute', [[]], 'none', 60],
  ['reports “pending” without checks if the deadline comes before a minute', [[]], 'pending', 25],
  ['reports “pending” at the deadline, after one last read', [PENDING], 'pending', 25],
  ['stops waiting immediately after a failed check', [[...PENDING, ...FAILED]], 'failure', 0],
  ['reports a failure despite a newer success of another workflow', [TWICE], 'failure', 0],
])('%s', async (_name, reads, checks, seconds) => {
  // Checks that are pending at the end have reached the deadline.
  const done = await poll(reads, checks === 'pending' ? { timeoutMs: 28_000 } : {})
  expect(done.found).toMatchObject({ ...describePullRequest(PULL_REQUEST), checks })
  expect([done.elapsedMs, done.notice]).toEqual([seconds * 1_000, undefined])
})

const MOVED = { ...PULL_REQUEST, headSha: commit('d') }

test('warns that the checks could not be read, and forgets those of the head before', async () => {
  const reads = [FAILED, createGitHubError('not-found')]
  const { found, notice } = await poll(reads, {}, { readPullRequest: resolveInOrder(MOVED) })
  expect(found).toEqual(describePullRequest(MOVED))
  expect(notice).toBe('The checks could not be read: GitHub said not-found.')
})

test.each([
  ['for good', 'not-found', 15],
  ['until the deadline', 'service-error', 25],
] as const)('does not report checks if the head cannot be read again %s', async (_when, code, seconds) => {
  const readPullRequest = resolveInOrder<PullRequest>(createGitHubError(code))
  for (const checks of [PASSED, FAILED]) {
    const { found, elapsedMs, notice, logged } = await poll([checks], { timeoutMs: 28_000 }, { readPullRequest })
    expect(found).toEqual(describePullRequest(PULL_REQUEST))
    expect(elapsedMs).toBe(checks === FAILED && code === 'not-found' ? 0 : seconds * 1_000)
    expect(notice).toBe(`Could not determine whether the checks are those of the newest commit: GitHub said ${code}.`)
    expect(logged.join()).not.toMatch(/passed\.|failed/)
  }
})

test('reports the checks once the head can be read again', async () => {
  const readPullRequest = resolveInOrder<PullRequest>(createGitHubError('unreachable'), PULL_REQUEST)
  const { found, elapsedMs, notice } = await poll([PASSED], {}, { readPullRequest })
  expect([found.checks, elapsedMs, notice]).toEqual(['success', 25_000, undefined])
})

const RUNNING = 'log: Checks of commit ccccccc: 1 of 1 still running (build).'

test.each<[string, (readonly Check[] | ActionError)[], Parameters<typeof examine>[2], string[]]>([
  ['which checks are running', [PENDING], { timeoutMs: 63_000 }, [RUNNING, RUNNING]],
  [
    'that the checks cannot be read',
    [PENDING, UNREACHABLE],
    { timeoutMs: 63_000 },
    [RUNNING, 'log: The checks of commit ccccccc could not be read. GitHub said unreachable.'],
  ],
])('logs once a minute %s', async (_what, reads, options, logged) => {
  expect((await poll(reads, options)).logged).toEqual(logged)
})

test.each([
  ['at once if all suites are completed and the head is older than a minute', 6, true, 60_000],
  ['after 15 s if the head is younger', 3, true, 45_000],
  ['after 15 s if a check may be to come', 6, false, 75_000],
])('reports success %s', async (_when, pending, isComplete, expectedMs) => {
  let reads = 0
  const readChecks: GitHub['readChecks'] = () =>
    Promise.resolve(reads++ < pending ? { checks: PENDING, isComplete: false } : { checks: PASSED, isComplete })
  const { found, elapsedMs } = await examine(CHECKS, { readChecks })
  expect([found.checks, elapsedMs]).toEqual(['success', expectedMs])
})

test('waits for the other checks for five minutes after the first failure if a fix round may follow', async () => {
  const rounds = { ...CHECKS, fixRounds: 1 }
  const both = [...FAILED, { name: 'links', state: 'pending' }] as const
  const { found, elapsedMs } = await examine(rounds, { readChecks: readInOrder(PENDING, both) })
  expect(found).toMatchObject({ checks: 'failure', checkList: both })
  expect(elapsedMs).toBeCloseTo(310_000, 3)
  expect((await examine(rounds, { readChecks: readInOrder(both, FAILED) })).elapsedMs).toBe(10_000)
  // With less than ten minutes left, no round can follow.
  expect((await examine(rounds, { readChecks: readInOrder(both) }, { timeoutMs: 599_000 })).elapsedMs).toBe(0)
})

test.each<[string, readonly (readonly Check[] | ActionError)[], number]>([
  ['after its checks, if a fix round may follow', [PENDING, FAILED], 1],
  ['after its checks, if none follows', [PENDING, FAILED], 0],
  ['if the checks could not be read', [createGitHubError('forbidden')], 1],
])('reads the pull request again once %s', async (_when, reads, fixRounds) => {
  const github = fakeGitHub({ readChecks: readInOrder(...reads) })
  const step = fakeStep({ github, inputs: agentInputs({ ...CHECKS, fixRounds }) })
  await waitForChecks(PULL_REQUEST, mayFixIn(step, TURNS), findOutside, step)
  expect(github.calls.filter((name) => name === 'readPullRequest')).toHaveLength(1)
})

test('reports checks that wait for approval as soon as no other check is pending', async () => {
  const waiting = { name: 'ci.yml', state: 'pending', waitsForApproval: true } as const
  const { found, elapsedMs, logged } = await poll([
    [...PENDING, waiting],
    [...PASSED, waiting],
  ])
  expect(found).toMatchObject({ checks: 'pending', waitsForApproval: true })
  expect(elapsedMs).toBe(10_000)
  expect(logged).toEqual([
    'log: Checks of commit ccccccc: 1 of 2 waiting for approval (ci.yml), 1 of 2 still running (build).',
    'log: Checks of commit ccccccc: 1 of 2 waiting for approval (ci.yml).',
  ])
  expect((await poll([[...PENDING, waiting], PASSED])).found).not.toHaveProperty('waitsForApproval')
})

test.each([
  // The head is not read before the first poll.
  ['while the step waits for its checks', PASSED, 'cccddd'],
  ['after its checks have finished', FAILED, 'cddd'],
])('follows a head that moves %s, and reports the commit that was checked', async (_when, checks, reads) => {
  const seen: string[] = []
  const readChecks: GitHub['readChecks'] = (_at, sha) => {
    seen.push(sha[0] ?? '')
    return Promise.resolve({ checks: sha === commit('c') ? checks : PASSED, isComplete: false })
  }
  const { found } = await examine(CHECKS, { readPullRequest: resolveInOrder(MOVED), readChecks })
  expect(found).toMatchObject({ checks: 'success', headSha: commit('d') })
  expect(seen.join('')).toBe(reads)
})

test('follows a head that keeps moving until the deadline, and reports pending checks', async () => {
  let reads = 0
  const readPullRequest = () => Promise.resolve({ ...PULL_REQUEST, headSha: String(Math.min(++reads, 99)) })
  const { found } = await poll([FAILED], { timeoutMs: 2_000 }, { readPullRequest })
  expect(found).toEqual({ ...describePullRequest({ ...PULL_REQUEST, headSha: '1' }), checks: 'pending' })
})

test.each<['merged' | 'closed', readonly Check[], string]>([
  ['merged', PENDING, 'pending'],
  ['closed', [], 'none'],
  ['merged', PASSED, 'success'],
])('does not wait for pending checks of a pull request that is %s: %#', async (state, checks, expected) => {
  const ended = { ...PULL_REQUEST, state }
  const clock = fakeClock()
  const github = fakeGitHub({ readChecks: readInOrder(checks), readPullRequest: resolveInOrder(ended) })
  const step = fakeStep({ github, clock, inputs: agentInputs(CHECKS) })
  expect(await waitForChecks(ended, mayFixIn(step, TURNS), findOutside, step)).toMatchObject({
    state,
    checks: expected,
  })
  expect(clock.passed()).toBe(expected === 'success' ? 15_000 : 0)
})

test('does not wait if a permission is missing, and reports no checks', async () => {
  const { found, elapsedMs, notice } = await poll([createGitHubError('forbidden', 'Grant it.')])
  expect([found, elapsedMs]).toEqual([describePullRequest(PULL_REQUEST), 0])
  expect(notice).toBe(`The checks could not be read: GitHub said forbidden. ${GRANT}`)
})

test('adds each change of the checks to the timeline once', async () => {
  const { timeline } = await poll([PENDING, PENDING, FAILED])
  expect(timeline).toEqual([expect.stringContaining('build'), expect.stringContaining('1 failed')])
})

const NO_FILE = { status: 'modified', additions: 1, deletions: 0, patch: undefined, previousPath: undefined }
const comparison = (path: string, fields: Partial<Comparison> = {}): Comparison => ({
  relation: 'ahead',
  mergeBase: commit('a'),
  commits: [],
  totalCommits: 1,
  fileList: 'complete',
  files: [{ ...NO_FILE, path }],
  ...fields,
})

const INSIDE = comparison('docs/a.md')
const OUTSIDE = comparison('src/a.ts')
const MOVED_IN = { ...NO_FILE, path: 'docs/a.md', previousPath: 'src/a.md' }
const BEHIND = comparison('', { relation: 'behind', files: [] })
const CUT = { fileList: 'truncated' } as const

test.each<[string, readonly Comparison[], string, readonly string[] | undefined]>([
  ['none if all files match', [INSIDE], 'main c', []],
  [
    'the previous path of a moved file',
    [comparison('', { files: [MOVED_IN, { ...NO_FILE, path: 'docs/b.md' }] })],
    'main c',
    ['src/a.md'],
  ],
  ['unknown if GitHub does not list all files', [{ ...INSIDE, ...CUT }], 'main c', undefined],
  ['a listed file even if GitHub does not list all files', [{ ...OUTSIDE, ...CUT }], 'main c', ['src/a.ts']],
  ['files of a pull request that is merged into the base branch', [BEHIND, OUTSIDE], 'main c, a c', ['src/a.ts']],
  [
    'unknown if the base branch contained the head before',
    [BEHIND, { ...BEHIND, relation: 'identical' }],
    'main c, a c',
    undefined,
  ],
])('determines the files outside of the allowed paths: %s', async (_what, comparisons, ranges, outside) => {
  const compared: string[] = []
  const next = resolveInOrder(...comparisons)
  const compare: GitHub['compare'] = (_at, base, head) => {
    compared.push(`${base === commit('a') ? 'a' : base} ${head[0] ?? ''}`)
    return next()
  }
  const { found, notice } = await examine(SCOPE, { compare })
  expect(compared.join(', ')).toBe(ranges)
  expect([found.outside, found.checks]).toEqual([outside, undefined])
  if (outside === undefined) expect(notice).toMatch(/GitHub lists only \d files of the pull request\./)
})

test('compares the files again for a new head commit', async () => {
  const compare: GitHub['compare'] = (_at, _base, head) => Promise.resolve(head === commit('d') ? OUTSIDE : INSIDE)
  const { found } = await examine({ ...CHECKS, ...SCOPE }, { readPullRequest: resolveInOrder(MOVED), compare })
  expect(found).toMatchObject({ headSha: commit('d'), outside: ['src/a.ts'] })
})

test('a cancel while checks and files are read is reported once', async () => {
  const cancelled = new ActionError('cancelled', 'The run was cancelled.')
  const controller = new AbortController()
  const untilCancelled = () =>
    new Promise<never>((_, reject) => {
      controller.signal.addEventListener('abort', () => {
        reject(cancelled)
      })
    })
  const github = fakeGitHub({ compare: untilCancelled, readChecks: untilCancelled })
  const step = fakeStep({ inputs: agentInputs({ ...CHECKS, ...SCOPE }), github, signal: controller.signal })
  const waiting = waitForChecks(PULL_REQUEST, () => false, findOutside, step)
  setImmediate(() => {
    controller.abort()
  })
  await expect(waiting).rejects.toBe(cancelled)
  // An unhandled rejection would fail the test now.
  await new Promise(setImmediate)
})
