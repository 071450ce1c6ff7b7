import { expect, test } from '@jest/globals'
import type { AgentInputs } from '../../../src/agent/inputs/agent-inputs.ts'
import { parsePathPatterns } from '../../../src/agent/inputs/path-patterns.ts'
import { waitForChecks } from '../../../src/agent/pull-request/wait-for-checks.ts'
import { Journal } from '../../../src/agent/report/journal.ts'
import { describePullRequest, type PullRequestFindings } from '../../../src/agent/report/report.ts'
import { formatShortfalls } from '../../../src/agent/report/shortfalls.ts'
import type { Check } from '../../../src/github/commit-checks.ts'
import type { GitHub } from '../../../src/github/github.ts'
import { ActionError } from '../../../src/runtime/errors.ts'
import type { Comparison } from '../../../src/github/comparisons.ts'
import { fakeClock, type FakeClock } from '../../support/fake-clock.ts'
import { fakeGitHub, inTurn, PULL_REQUEST, refusal, rejecting } from '../../support/fake-github.ts'
import { fakeHost } from '../../support/fake-host.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'
import { commit } from '../../support/github-state.ts'

interface Examined {
  readonly found: PullRequestFindings
  readonly clock: FakeClock
  readonly elapsedMs: number
  readonly notice: string | undefined
  readonly said: readonly string[]
  readonly timeline: readonly string[]
}

const CHECKS: Partial<AgentInputs> = { waitForChecks: true }
const NONE: readonly Check[] = []
const SCOPE: Partial<AgentInputs> = { allowedPaths: parsePathPatterns('docs/**').rules }

async function examineWith(
  fields: Partial<AgentInputs>,
  answers: Partial<GitHub>,
  { timeoutMs = 3_600_000, signal = new AbortController().signal, clock = fakeClock(), earlier = NONE } = {},
): Promise<Examined> {
  const inputs = agentInputs(fields)
  const host = fakeHost()
  const step = fakeStep({ clock, signal, timeoutMs, core: host })
  const journal = new Journal(inputs, step)
  const found = await waitForChecks(PULL_REQUEST, fakeGitHub(answers), inputs, step, journal, earlier)
  const notice = formatShortfalls(journal.shortfalls)
  const timeline = journal.recorded().timeline.map(({ event }) => event)
  return { found, clock, elapsedMs: clock.now() - step.startedAt, notice, said: host.said, timeline }
}

const LOST = refusal('unreachable')
const check = (state: Check['state']): readonly Check[] => [{ name: 'build', state }]

const PENDING = check('pending')
const PASSED = check('success')
const DEPLOY = { name: 'deploy', state: 'success' } as const
const AGAIN = [{ name: 'build', state: 'success', id: 2 }, DEPLOY] as const
/** A job of another workflow, of the same name. */
const TWICE = [{ ...check('failure')[0], id: 1 } as Check, AGAIN[0]]

test.each<[string, (readonly Check[] | ActionError)[], string, number[]]>([
  ['waits until the checks are in', [[], PENDING, PENDING, PASSED], 'success', [10, 10, 10, 15]],
  [
    'success stands for 15 seconds from the last change, and not from the first look',
    [PENDING, PASSED, [...PASSED, DEPLOY], [...PASSED, DEPLOY], AGAIN, AGAIN],
    'success',
    [10, 15, 15],
  ],
  ['a failure counts while success stands', [PASSED, AGAIN, check('failure')], 'failure', [15, 15]],
  ['a look that fails changes nothing of what is known', [PASSED, LOST, PASSED], 'success', [15, 10]],
  ['what passes is waited out', [refusal('service-error'), LOST, PASSED], 'success', [10, 10, 15]],
  ['says “none” only after a minute of looking', [[]], 'none', [10, 10, 10, 10, 10, 10]],
  ['no check within less than the minute is not “none”', [[]], 'pending', [10, 10, 5]],
  ['at the deadline they are pending, after one last look', [PENDING], 'pending', [10, 10, 5]],
  ['a failed check ends the waiting at once', [[...PENDING, ...check('failure')]], 'failure', []],
  ['a failure counts beside a newer success of another workflow', [TWICE], 'failure', []],
])('%s', async (_name, looks, checks, seconds) => {
  // What is pending at its end has come to the deadline.
  const options = { timeoutMs: checks === 'pending' ? 28_000 : 3_600_000 }
  const { found, clock, notice } = await examineWith(CHECKS, { readChecks: inTurn(...looks) }, options)
  expect(found).toMatchObject({ ...describePullRequest(PULL_REQUEST), checks })
  expect(clock.sleeps.map((ms) => ms / 1_000)).toEqual(seconds)
  expect(notice).toBeUndefined()
})

test('that a failed run may have been replaced is said once', async () => {
  const doubt = refusal('forbidden', 'Grant it.')
  const readChecks = inTurn<readonly Check[]>(check('pending'), [{ name: 'build', state: 'failure', doubt }])
  const { found, notice } = await examineWith(CHECKS, { readChecks })
  expect(found.checks).toBe('failure')
  const moved = { ...PULL_REQUEST, headSha: commit('d') }
  const unknown = inTurn<readonly Check[]>([{ name: 'build', state: 'failure', doubt }], refusal('not-found'))
  const other = await examineWith(CHECKS, { readChecks: unknown, readPullRequest: inTurn(moved) })
  expect(other.found).toEqual(describePullRequest(moved))
  expect(other.notice).toBe('The checks are not known: GitHub said not-found.')
  expect(notice).toBe(
    'A failed run counts although a later run of its workflow may have taken its place: GitHub said forbidden. Grant it.',
  )
})

test('says once a minute what it waits for, also while the checks cannot be read', async () => {
  const ofBuild = 'log: Checks of commit ccccccc: 1 of 1 still running (build).'
  const pending = await examineWith(CHECKS, { readChecks: inTurn(check('pending')) }, { timeoutMs: 123_000 })
  expect(pending.said).toEqual([ofBuild, ofBuild, ofBuild])
  const earlier: readonly Check[] = [{ name: 'build', state: 'failure', tookMs: 90_000 }]
  const again = await examineWith(CHECKS, { readChecks: inTurn(check('pending')) }, { timeoutMs: 63_000, earlier })
  expect(again.said).toEqual([ofBuild, `${ofBuild} On the commit before, build took 1 min 30 s.`])
  const readChecks = inTurn(check('pending'), refusal('unreachable'))
  expect((await examineWith(CHECKS, { readChecks }, { timeoutMs: 63_000 })).said).toEqual([
    ofBuild,
    'log: Checks of commit ccccccc: they could not be read. GitHub said unreachable.',
  ])
})

test('asks half as often once few of the token’s requests are left, and says so once', async () => {
  const usage = () => ({ counted: 5, remaining: 99, limit: 1_000 })
  const readChecks = inTurn(check('pending'))
  const { clock, said } = await examineWith(CHECKS, { usage, readChecks }, { timeoutMs: 63_000 })
  expect(clock.sleeps).toEqual([20_000, 20_000, 20_000])
  expect(said.filter((line) => line.includes('half as often'))).toEqual([
    'log: GitHub allows this token 99 more of 1000 requests an hour, so that it is asked half as often.',
  ])
})

test('a wait that has counted more than its share asks half as often', async () => {
  let counted = 100
  const usage = () => ({ counted: (counted += 15), remaining: 0, limit: 0 })
  const { clock } = await examineWith(CHECKS, { usage, readChecks: inTurn(check('pending')) }, { timeoutMs: 63_000 })
  expect(clock.sleeps).toEqual([10_000, 20_000, 20_000, 10_000])
})

test('before a round the others are waited for, five minutes after the first failure', async () => {
  const rounds = { ...CHECKS, fixRounds: 1 }
  const both = [...check('failure'), { name: 'links', state: 'pending' }] as const
  const { found, elapsedMs } = await examineWith(rounds, {
    readChecks: inTurn<readonly Check[]>(check('pending'), both),
  })
  expect(found).toMatchObject({ checks: 'failure', checkList: both })
  expect(elapsedMs).toBeCloseTo(310_000, 3)
  const readChecks = inTurn<readonly Check[]>(both, check('failure'))
  expect((await examineWith(rounds, { readChecks })).elapsedMs).toBe(10_000)
})

test('what waits for approval is said at once, and ends the waiting after five minutes without a change', async () => {
  const held = { name: 'ci.yml', state: 'pending', waitsForApproval: true } as const
  const readChecks = inTurn<readonly Check[]>([...check('pending'), held], [...check('success'), held])
  const { found, elapsedMs, said } = await examineWith(CHECKS, { readChecks })
  expect(found).toMatchObject({ checks: 'pending', waitsForApproval: true })
  expect(elapsedMs).toBeCloseTo(310_000, 3)
  expect(said.slice(0, 3)).toEqual([
    'log: Checks of commit ccccccc: 1 of 2 waiting for approval (ci.yml), 1 of 2 still running (build).',
    ...Array<string>(2).fill('log: Checks of commit ccccccc: 1 of 2 waiting for approval (ci.yml).'),
  ])
  const approved = inTurn<readonly Check[]>([held], [held], check('success'))
  expect((await examineWith(CHECKS, { readChecks: approved })).found).not.toHaveProperty('waitsForApproval')
})

test('follows a head that moves, and reports the commit that was checked', async () => {
  const moved = { ...PULL_REQUEST, headSha: commit('d') }
  const seen: string[] = []
  const { found } = await examineWith(CHECKS, {
    readPullRequest: inTurn(PULL_REQUEST, moved),
    readChecks: (_repository, sha) => {
      seen.push(sha)
      return Promise.resolve(check('success'))
    },
  })
  expect(found).toMatchObject({ checks: 'success', headSha: commit('d') })
  expect(seen).toEqual([commit('c'), commit('c'), commit('d'), commit('d')])
})

test('a head that moves between the checks and the end is looked at as well', async () => {
  const moved = { ...PULL_REQUEST, headSha: commit('d') }
  const { found } = await examineWith(CHECKS, {
    readPullRequest: inTurn(moved),
    readChecks: (_repository, sha) => Promise.resolve(check(sha === commit('c') ? 'failure' : 'success')),
  })
  expect(found).toMatchObject({ checks: 'success', headSha: commit('d') })
})

test('a head that never stands is followed to the deadline, and its checks are pending', async () => {
  let reads = 0
  const readPullRequest = () => Promise.resolve({ ...PULL_REQUEST, headSha: String(Math.min(++reads, 99)) })
  const readChecks = inTurn(check('failure'))
  const { found } = await examineWith(CHECKS, { readPullRequest, readChecks }, { timeoutMs: 2_000 })
  expect(found).toEqual({ ...describePullRequest({ ...PULL_REQUEST, headSha: '1' }), checks: 'pending' })
})

test.each<['merged' | 'closed', (readonly Check[])[], string, number[]]>([
  ['merged', [PASSED], 'success', [15]],
  ['closed', [[]], 'none', [10]],
  ['merged', [PENDING], 'pending', [10]],
  ['merged', [PENDING, PASSED], 'success', [10, 15]],
])('a pull request that is %s meanwhile is waited for no longer (%#)', async (state, looks, checks, seconds) => {
  const readPullRequest = inTurn({ ...PULL_REQUEST, state })
  const { found, clock } = await examineWith(CHECKS, { readPullRequest, readChecks: inTurn(...looks) })
  expect(found).toMatchObject({ state, checks })
  expect(clock.sleeps.map((ms) => ms / 1_000)).toEqual(seconds)
})

test('a permission that is missing is not, and the checks stay unknown', async () => {
  const { found, clock, notice } = await examineWith(CHECKS, {
    readChecks: rejecting(refusal('forbidden', 'Grant it.')),
  })
  expect(found).toEqual(describePullRequest(PULL_REQUEST))
  expect(clock.sleeps).toEqual([])
  expect(notice).toBe('The checks are not known: GitHub said forbidden. Grant it.')
})

const NO_FILE = { status: 'modified', additions: 1, deletions: 0, patch: undefined, previousPath: undefined }
const comparison = (path: string, fields: Partial<Comparison> = {}): Comparison => ({
  ...{ relation: 'ahead', mergeBase: commit('a'), commits: [], totalCommits: 1, fileList: 'whole' },
  files: [{ ...NO_FILE, path }],
  ...fields,
})

test('files inside and outside of the allowed paths', async () => {
  const moved = [
    { ...NO_FILE, path: 'docs/a.md', previousPath: 'src/a.md' },
    { ...NO_FILE, path: 'docs/b.md' },
  ]
  expect((await examineWith(SCOPE, {})).found.scope).toEqual({ fileCount: 1, outside: [] })
  const { found } = await examineWith(SCOPE, { compare: inTurn(comparison('', { files: moved })) })
  expect(found.scope).toEqual({ fileCount: 2, outside: ['src/a.md'] })
  expect(found.checks).toBeUndefined()
})

test('files that GitHub does not list may be anywhere', async () => {
  const compare = inTurn(comparison('docs/a.md', { fileList: 'cut' }))
  const { found, notice } = await examineWith(SCOPE, { compare })
  expect(found.scope).toBeUndefined()
  expect(notice).toContain('GitHub lists only 1 files of it.')
  const outside = inTurn(comparison('src/a.ts', { fileList: 'cut' }))
  expect((await examineWith(SCOPE, { compare: outside })).found.scope?.outside).toEqual(['src/a.ts'])
})

test('the files are those of the commit that is named, and new commits are new files', async () => {
  const moved = { ...PULL_REQUEST, headSha: commit('d') }
  const compared: string[] = []
  const compare: GitHub['compare'] = (_repository, base, head) => {
    compared.push(`${base}...${head[0] ?? ''}`)
    return Promise.resolve(comparison(head === commit('d') ? 'src/a.ts' : 'docs/a.md'))
  }
  const { found } = await examineWith(SCOPE, { readPullRequest: inTurn(moved), compare })
  expect(found).toMatchObject({ headSha: commit('d'), scope: { outside: ['src/a.ts'] } })
  expect(compared).toEqual(['main...c', 'main...d'])
})

test('what a merge has brought into the base branch is compared with what that was before', async () => {
  const merged = (before: Comparison) => {
    const isIn = comparison('', { relation: 'behind', files: [] })
    return examineWith(SCOPE, { compare: (_at, base) => Promise.resolve(base === 'main' ? isIn : before) })
  }
  expect((await merged(comparison('src/a.ts'))).found.scope).toEqual({ fileCount: 1, outside: ['src/a.ts'] })
  expect((await merged(comparison('', { relation: 'identical', files: [] }))).found.scope).toBeUndefined()
})

test('a cancelled run ends within its sleep', async () => {
  const controller = new AbortController()
  const cancelled = new ActionError('cancelled', 'The run was cancelled.')
  const clock = fakeClock({
    onSleep: () => {
      controller.abort(cancelled)
    },
  })
  const options = { signal: controller.signal, clock }
  await expect(examineWith(CHECKS, { readChecks: inTurn(check('pending')) }, options)).rejects.toBe(cancelled)
})

test('each change of the checks stands in the time line once', async () => {
  const { timeline } = await examineWith(CHECKS, { readChecks: inTurn(PENDING, PENDING, check('failure')) })
  expect(timeline).toEqual([expect.stringContaining('build'), expect.stringContaining('1 failed')])
})
