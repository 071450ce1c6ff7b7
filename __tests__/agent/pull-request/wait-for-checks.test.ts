import { expect, test } from '@jest/globals'
import type { AgentInputs } from '../../../src/agent/inputs.ts'
import { parsePathRules } from '../../../src/agent/path-filter.ts'
import { waitForChecks } from '../../../src/agent/pull-request/checks.ts'
import { describePullRequest } from '../../../src/agent/report/turn.ts'
import { formatWarnings } from '../../../src/agent/report/warnings.ts'
import type { Check } from '../../../src/github/checks.ts'
import type { GitHub } from '../../../src/github/github.ts'
import type { PullRequest } from '../../../src/github/pull-requests.ts'
import { ActionError } from '../../../src/runtime/errors.ts'
import type { Comparison } from '../../../src/github/commits.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { fakeGitHub, inTurn, PULL_REQUEST, refusal } from '../../support/fake-github.ts'
import { fakeHost } from '../../support/fake-host.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'
import { commit } from '../../support/github-state.ts'
import { endWith, FOLLOW_UP } from '../../support/report.ts'

const CHECKS: Partial<AgentInputs> = { waitForChecks: true }
const NONE: readonly Check[] = []
const SCOPE: Partial<AgentInputs> = { allowedPaths: parsePathRules('docs/**') }

/** What is found of a pull request whose answers are these, in how many milliseconds, and what is said of it. */
async function examine(
  fields: Partial<AgentInputs>,
  answers: Partial<GitHub>,
  { timeoutMs = 3_600_000, earlier = NONE } = {},
) {
  const core = fakeHost()
  const clock = fakeClock()
  const github = fakeGitHub(answers)
  const step = fakeStep({ inputs: agentInputs(fields), clock, timeoutMs, core, github })
  const { journal } = step
  journal.updateTurn({ ...endWith('unknown'), pullRequest: { checkList: earlier } })
  journal.begin({ task: FOLLOW_UP })
  const found = await waitForChecks(PULL_REQUEST, step)
  return {
    found,
    seconds: clock.sleeps.map((ms) => ms / 1_000),
    elapsedMs: clock.now() - step.startedAt,
    notice: formatWarnings(journal.warnings),
    said: core.said,
    timeline: journal.report().timeline.map(({ event }) => event),
  }
}

/** The same of checks that are looked at one after the other. */
const look = (
  looks: readonly (readonly Check[] | ActionError)[],
  options: Parameters<typeof examine>[2] = {},
  answers: Partial<GitHub> = {},
) => examine(CHECKS, { readChecks: inTurn(...looks), ...answers }, options)

const LOST = refusal('unreachable')
const check = (state: Check['state']) => [{ name: 'build', state }] as const

const PENDING = check('pending')
const PASSED = check('success')
const FAILED = check('failure')
const DEPLOY = { name: 'deploy', state: 'success' } as const
const AGAIN = [{ name: 'build', state: 'success', id: 2 }, DEPLOY] as const
/** A job of another workflow, of the same name. */
const TWICE = [{ ...FAILED[0], id: 1 }, AGAIN[0]]

test.each<[string, (readonly Check[] | ActionError)[], string, number[]]>([
  ['waits until the checks are in', [[], PENDING, PENDING, PASSED], 'success', [10, 10, 10, 15]],
  [
    'success stands for 15 seconds from the last change, and not from the first look',
    [PENDING, PASSED, [...PASSED, DEPLOY], [...PASSED, DEPLOY], AGAIN, AGAIN],
    'success',
    [10, 15, 15],
  ],
  ['a failure counts while success stands', [PASSED, AGAIN, FAILED], 'failure', [15, 15]],
  ['a look that fails changes nothing of what is known', [PASSED, LOST, PASSED], 'success', [15, 10]],
  ['what passes is waited out', [refusal('service-error'), LOST, PASSED], 'success', [10, 10, 15]],
  ['says “none” only after a minute of looking', [[]], 'none', [10, 10, 10, 10, 10, 10]],
  ['no check within less than the minute is not “none”', [[]], 'pending', [10, 10, 5]],
  ['at the deadline they are pending, after one last look', [PENDING], 'pending', [10, 10, 5]],
  ['a failed check ends the waiting at once', [[...PENDING, ...FAILED]], 'failure', []],
  ['a failure counts beside a newer success of another workflow', [TWICE], 'failure', []],
])('%s', async (_name, looks, checks, seconds) => {
  // What is pending at its end has come to the deadline.
  const done = await look(looks, checks === 'pending' ? { timeoutMs: 28_000 } : {})
  expect(done.found).toMatchObject({ ...describePullRequest(PULL_REQUEST), checks })
  expect([done.seconds, done.notice]).toEqual([seconds, undefined])
})

const MOVED = { ...PULL_REQUEST, headSha: commit('d') }

test('that a failed run may have been replaced is said once, and only of the head that counts', async () => {
  const doubtful = [{ ...FAILED[0], doubt: refusal('forbidden', 'Grant it.') }]
  const { found, notice } = await look([PENDING, doubtful])
  expect([found.checks, notice]).toEqual([
    'failure',
    'A failed run counts although a later run of its workflow may have replaced it: GitHub said forbidden. Grant it.',
  ])
  const other = await look([doubtful, refusal('not-found')], {}, { readPullRequest: inTurn(MOVED) })
  expect(other.found).toEqual(describePullRequest(MOVED))
  expect(other.notice).toBe('The checks could not be read: GitHub said not-found.')
})

const RUNNING = 'log: Checks of commit ccccccc: 1 of 1 still running (build).'
const EARLIER = [{ name: 'build', state: 'failure', tookMs: 90_000 }] as const

test.each<[string, (readonly Check[] | ActionError)[], Parameters<typeof examine>[2], string[]]>([
  [
    'how long that took on the commit before',
    [PENDING],
    { timeoutMs: 63_000, earlier: EARLIER },
    [RUNNING, `${RUNNING} On the commit before, build took 1 min 30 s.`],
  ],
  [
    'that it cannot be read',
    [PENDING, LOST],
    { timeoutMs: 63_000 },
    [RUNNING, 'log: The checks of commit ccccccc could not be read. GitHub said unreachable.'],
  ],
])('says once a minute %s', async (_what, looks, options, said) => {
  expect((await look(looks, options)).said).toEqual(said)
})

test('asks half as often once few of the token’s requests are left, and says so once', async () => {
  const usage = () => ({ counted: 5, remaining: 99, limit: 1_000 })
  const { seconds, said } = await look([PENDING], { timeoutMs: 63_000 }, { usage })
  expect(seconds).toEqual([20, 20, 20])
  expect(said.filter((line) => line.includes('half as often'))).toEqual([
    'log: This token has 99 of 1000 requests left this hour, so the step asks half as often.',
  ])
})

test('a wait that has counted more than its share asks half as often', async () => {
  let counted = 100
  const usage = () => ({ counted: (counted += 15), remaining: 0, limit: 0 })
  expect((await look([PENDING], { timeoutMs: 63_000 }, { usage })).seconds).toEqual([10, 20, 20, 10])
})

test('before a round the others are waited for, five minutes after the first failure', async () => {
  const rounds = { ...CHECKS, fixRounds: 1 }
  const both = [...FAILED, { name: 'links', state: 'pending' }] as const
  const { found, elapsedMs } = await examine(rounds, { readChecks: inTurn<readonly Check[]>(PENDING, both) })
  expect(found).toMatchObject({ checks: 'failure', checkList: both })
  expect(elapsedMs).toBeCloseTo(310_000, 3)
  expect((await examine(rounds, { readChecks: inTurn<readonly Check[]>(both, FAILED) })).elapsedMs).toBe(10_000)
  // With less than ten minutes left no round could follow.
  expect((await examine(rounds, { readChecks: inTurn(both) }, { timeoutMs: 599_000 })).elapsedMs).toBe(0)
})

test.each<[string, readonly (readonly Check[] | ActionError)[], number, PullRequest['state'], number]>([
  ['is if that is not the first look', [PENDING, FAILED], 1, 'open', 1],
  ['is if none go back', [FAILED], 0, 'open', 1],
  ['is if it is over', [FAILED], 1, 'closed', 1],
  ['is if they could not be read', [refusal('forbidden')], 1, 'open', 1],
])('after the last look at its checks a pull request %s', async (_what, looks, fixRounds, state, count) => {
  const github = fakeGitHub({ readChecks: inTurn(...looks) })
  const step = fakeStep({ github, inputs: agentInputs({ ...CHECKS, fixRounds }) })
  await waitForChecks({ ...PULL_REQUEST, state }, step)
  expect(github.asked.filter((name) => name === 'readPullRequest')).toHaveLength(count)
})

test('what waits for approval is said at once, and ends the waiting after five minutes without a change', async () => {
  const held = { name: 'ci.yml', state: 'pending', waitsForApproval: true } as const
  const { found, elapsedMs, said } = await look([
    [...PENDING, held],
    [...PASSED, held],
  ])
  expect(found).toMatchObject({ checks: 'pending', waitsForApproval: true })
  expect(elapsedMs).toBeCloseTo(310_000, 3)
  expect(said.slice(0, 3)).toEqual([
    'log: Checks of commit ccccccc: 1 of 2 waiting for approval (ci.yml), 1 of 2 still running (build).',
    ...Array<string>(2).fill('log: Checks of commit ccccccc: 1 of 2 waiting for approval (ci.yml).'),
  ])
  expect((await look([[held], [held], PASSED])).found).not.toHaveProperty('waitsForApproval')
})

test.each([
  // It is not read before the first look.
  ['while it is waited for', PASSED, 'ccdd'],
  ['when all is known', FAILED, 'cdd'],
])('a head that moves %s is followed, and the commit that was checked is reported', async (_when, checks, looks) => {
  const seen: string[] = []
  const readChecks: GitHub['readChecks'] = (_at, sha) => {
    seen.push(sha[0] ?? '')
    return Promise.resolve(sha === commit('c') ? checks : PASSED)
  }
  const { found } = await examine(CHECKS, { readPullRequest: inTurn(MOVED), readChecks })
  expect(found).toMatchObject({ checks: 'success', headSha: commit('d') })
  expect(seen.join('')).toBe(looks)
})

test('a head that never stands is followed to the deadline, and its checks are pending', async () => {
  let reads = 0
  const readPullRequest = () => Promise.resolve({ ...PULL_REQUEST, headSha: String(Math.min(++reads, 99)) })
  const { found } = await look([FAILED], { timeoutMs: 2_000 }, { readPullRequest })
  expect(found).toEqual({ ...describePullRequest({ ...PULL_REQUEST, headSha: '1' }), checks: 'pending' })
})

test.each<['merged' | 'closed', (readonly Check[] | ActionError)[], string, number[]]>([
  ['merged', [PASSED], 'success', [15]],
  ['closed', [[]], 'none', [10]],
  ['merged', [PENDING], 'pending', [10]],
  ['merged', [PENDING, LOST], 'pending', [10]],
  ['merged', [PENDING, PASSED], 'success', [10, 15]],
])('a pull request that is %s meanwhile is waited for no longer (%#)', async (state, looks, checks, seconds) => {
  const over = await look(looks, {}, { readPullRequest: inTurn({ ...PULL_REQUEST, state }) })
  expect(over.found).toMatchObject({ state, checks })
  expect(over.seconds).toEqual(seconds)
})

test('a permission that is missing is not, and the checks stay unknown', async () => {
  const { found, seconds, notice } = await look([refusal('forbidden', 'Grant it.')])
  expect([found, seconds]).toEqual([describePullRequest(PULL_REQUEST), []])
  expect(notice).toBe('The checks could not be read: GitHub said forbidden. Grant it.')
})

test('each change of the checks stands in the time line once', async () => {
  const { timeline } = await look([PENDING, PENDING, FAILED])
  expect(timeline).toEqual([expect.stringContaining('build'), expect.stringContaining('1 failed')])
})

const NO_FILE = { status: 'modified', additions: 1, deletions: 0, patch: undefined, previousPath: undefined }
const comparison = (path: string, fields: Partial<Comparison> = {}): Comparison => ({
  relation: 'ahead',
  mergeBase: commit('a'),
  commits: [],
  totalCommits: 1,
  fileList: 'whole',
  files: [{ ...NO_FILE, path }],
  ...fields,
})
const INSIDE = comparison('docs/a.md')
const OUTSIDE = comparison('src/a.ts')
const MOVED_IN = { ...NO_FILE, path: 'docs/a.md', previousPath: 'src/a.md' }
const BEHIND = comparison('', { relation: 'behind', files: [] })
const CUT = { fileList: 'cut' } as const

test.each<[string, readonly Comparison[], string, readonly string[] | undefined]>([
  ['all are inside', [INSIDE], 'main c', []],
  [
    'one was moved in',
    [comparison('', { files: [MOVED_IN, { ...NO_FILE, path: 'docs/b.md' }] })],
    'main c',
    ['src/a.md'],
  ],
  ['GitHub does not list all', [{ ...INSIDE, ...CUT }], 'main c', undefined],
  ['one of those that it lists is outside', [{ ...OUTSIDE, ...CUT }], 'main c', ['src/a.ts']],
  ['a merge has brought them into the base branch', [BEHIND, OUTSIDE], 'main c, a c', ['src/a.ts']],
  ['the base had them before, too', [BEHIND, { ...BEHIND, relation: 'identical' }], 'main c, a c', undefined],
])('which files are outside of the allowed paths: %s', async (_what, answers, asked, outside) => {
  const compared: string[] = []
  const next = inTurn(...answers)
  const compare: GitHub['compare'] = (_at, base, head) => {
    compared.push(`${base === commit('a') ? 'a' : base} ${head[0] ?? ''}`)
    return next()
  }
  const { found, notice } = await examine(SCOPE, { compare })
  expect(compared.join(', ')).toBe(asked)
  expect([found.outside, found.checks]).toEqual([outside, undefined])
  if (outside === undefined) expect(notice).toMatch(/GitHub lists only \d files of it\./)
})

test('the files are those of the commit that is named, and new commits are new files', async () => {
  const compare: GitHub['compare'] = (_at, _base, head) => Promise.resolve(head === commit('d') ? OUTSIDE : INSIDE)
  const { found } = await examine(SCOPE, { readPullRequest: inTurn(MOVED), compare })
  expect(found).toMatchObject({ headSha: commit('d'), outside: ['src/a.ts'] })
})
