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
}

const CHECKS: Partial<AgentInputs> = { waitForChecks: true }
const SCOPE: Partial<AgentInputs> = { allowedPaths: parsePathPatterns('docs/**').rules }

async function examineWith(
  fields: Partial<AgentInputs>,
  answers: Partial<GitHub>,
  { timeoutMs = 3_600_000, signal = new AbortController().signal, clock = fakeClock() } = {},
): Promise<Examined> {
  const inputs = agentInputs(fields)
  const host = fakeHost()
  const step = fakeStep({ clock, signal, timeoutMs, core: host })
  const journal = new Journal(inputs, step)
  const found = await waitForChecks(PULL_REQUEST, fakeGitHub(answers), inputs, step, journal)
  const notice = formatShortfalls(journal.shortfalls)
  return { found, clock, elapsedMs: clock.now() - step.startedAt, notice, said: host.said }
}

const check = (state: Check['state']): readonly Check[] => [{ name: 'build', state }]

test('waits until the checks are in', async () => {
  const readChecks = inTurn([], check('pending'), check('pending'), check('success'))
  const { found, clock } = await examineWith(CHECKS, { readChecks })
  expect(found).toEqual({ ...describePullRequest(PULL_REQUEST), checks: 'success' })
  expect(clock.sleeps).toEqual([10_000, 10_000, 10_000, 15_000])
})

test('success stands for 15 seconds from the last change, and not from the first look', async () => {
  const deploy = { name: 'deploy', state: 'success' } as const
  const two = [...check('success'), deploy]
  const again = [{ name: 'build', state: 'success', id: 2 } as const, deploy]
  const readChecks = inTurn<readonly Check[]>(check('pending'), check('success'), two, two, again, again)
  const { clock } = await examineWith(CHECKS, { readChecks })
  expect(clock.sleeps).toEqual([10_000, 15_000, 15_000])
  const moving = inTurn<readonly Check[]>(check('success'), two, again, [...again, ...check('failure')])
  expect((await examineWith(CHECKS, { readChecks: moving })).found.checks).toBe('failure')
})

test('a look that fails changes nothing of what is known, and is made again at the usual pace', async () => {
  const readChecks = inTurn<readonly Check[]>(check('success'), refusal('unreachable'), check('success'))
  const { found, clock } = await examineWith(CHECKS, { readChecks })
  expect(clock.sleeps).toEqual([15_000, 10_000])
  expect(found.checks).toBe('success')
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

test('says “none” only after a minute of looking', async () => {
  const { found, elapsedMs } = await examineWith(CHECKS, { readChecks: inTurn([]) })
  expect(found.checks).toBe('none')
  expect(elapsedMs).toBe(60_000)
})

test('a failed check ends the waiting at once', async () => {
  const { found, clock } = await examineWith(CHECKS, { readChecks: inTurn([...check('pending'), ...check('failure')]) })
  expect(found.checks).toBe('failure')
  expect(clock.sleeps).toEqual([])
})

test('before a round the others are waited for, five minutes after the first failure', async () => {
  const rounds = { ...CHECKS, fixRounds: 1 }
  const both = [...check('failure'), { name: 'links', state: 'pending' }] as const
  const { found, elapsedMs } = await examineWith(rounds, {
    readChecks: inTurn<readonly Check[]>(check('pending'), both),
  })
  expect(found).toMatchObject({ checks: 'failure', failed: check('failure') })
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

test('a failure counts beside a newer success of another workflow, whose job has the same name', async () => {
  const failed = { name: 'build', state: 'failure', id: 1, app: 'github-actions' } as const
  const readChecks = inTurn<readonly Check[]>([failed, { ...failed, state: 'success', id: 2 }])
  expect((await examineWith(CHECKS, { readChecks })).found.checks).toBe('failure')
})

test('at the deadline they are pending, after one last look', async () => {
  const { found, clock } = await examineWith(CHECKS, { readChecks: inTurn(check('pending')) }, { timeoutMs: 28_000 })
  expect(found.checks).toBe('pending')
  expect(clock.sleeps).toEqual([10_000, 10_000, 5_000])
})

test('no check within less than the minute is not “none”', async () => {
  const { found } = await examineWith(CHECKS, { readChecks: inTurn([]) }, { timeoutMs: 28_000 })
  expect(found.checks).toBe('pending')
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

test('a pull request that was merged meanwhile is not waited for', async () => {
  const merged = { ...PULL_REQUEST, state: 'merged' } as const
  const { found, clock } = await examineWith(CHECKS, {
    readPullRequest: inTurn(merged),
    readChecks: inTurn(check('pending')),
  })
  expect(found).toMatchObject({ state: 'merged', checks: 'pending' })
  expect(clock.sleeps).toEqual([10_000])
})

test('what has passed when it was merged has to stand like all else', async () => {
  const readPullRequest = inTurn({ ...PULL_REQUEST, state: 'merged' as const })
  const readChecks = inTurn(check('pending'), check('success'))
  const { found, clock } = await examineWith(CHECKS, { readPullRequest, readChecks })
  expect(found).toMatchObject({ state: 'merged', checks: 'success' })
  expect(clock.sleeps).toEqual([10_000, 15_000])
})

test.each(['merged', 'closed'] as const)(
  'the checks of a pull request that is %s are what they are now',
  async (state) => {
    const over = { ...PULL_REQUEST, state }
    for (const [checks, told] of [
      [check('success'), 'success'],
      [[], 'none'],
      [check('pending'), 'pending'],
    ] as const) {
      const { found, clock } = await examineWith(CHECKS, {
        readPullRequest: inTurn(over),
        readChecks: inTurn<readonly Check[]>(checks),
      })
      expect(found).toMatchObject({ state, checks: told })
      expect(clock.sleeps.length).toBeLessThan(2)
    }
  },
)

test('what passes is waited out', async () => {
  const readChecks = inTurn<readonly Check[]>(refusal('service-error'), refusal('unreachable'), check('success'))
  const { found, notice } = await examineWith(CHECKS, { readChecks })
  expect(found.checks).toBe('success')
  expect(notice).toBeUndefined()
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
