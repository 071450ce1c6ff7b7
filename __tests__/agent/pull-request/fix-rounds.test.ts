import { describe, expect, test } from '@jest/globals'
import { decideSend } from '../../../src/agent/turn/decide-turn.ts'
import { JobWatch } from '../../../src/agent/turn/job-watch.ts'
import { decideNextRound } from '../../../src/agent/pull-request/fix-rounds.ts'
import type { RoundStop } from '../../../src/agent/report/turn.ts'
import type { Check } from '../../../src/github/checks.ts'
import type { GitHub } from '../../../src/github/github.ts'
import type { PullRequest } from '../../../src/github/pull-requests.ts'
import type { Job } from '../../../src/docs-service/schemas.ts'
import type { ErrorCode } from '../../../src/runtime/errors.ts'
import { completed, fakeClient, job, LINK, withoutLink } from '../../support/fake-client.ts'
import { fakeClock, type FakeClock } from '../../support/fake-clock.ts'
import { fakeGitHub, inTurn, PULL_REQUEST, pullCommits, refusal, RUN_FACTS } from '../../support/fake-github.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'
import { describeReport, endWith } from '../../support/report.ts'
import { commit } from '../../support/github-state.ts'

const jobCheck = (name: string, id: number): Check => ({
  name,
  id,
  state: 'failure',
  app: 'github-actions',
  detailsUrl: `https://github.com/acme/docs/actions/runs/1/job/${id}`,
})
const [BUILD, LINKS] = [jobCheck('build', 1), jobCheck('links', 2)]

interface Scene {
  readonly answers?: Partial<GitHub>
  readonly failed?: readonly Check[]
  readonly hasToken?: boolean
  readonly clock?: FakeClock
  /** How often the step has read the pull request before. */
  readonly seen?: number
  /** Whether the job was busy for a second before the message. */
  readonly wasBusy?: true
  /** The job directly before the message. */
  readonly before?: Job
}

/** The round that follows on failing checks, with its prompt if it may be sent, and what was asked and lost on the way. */
async function round(scene: Scene = {}) {
  const { answers, failed = [BUILD], hasToken = true, clock = fakeClock(), seen = 0, before = completed } = scene
  const inputs = agentInputs({ waitForChecks: true, fixRounds: 1 })
  const github = fakeGitHub({ readChecks: () => Promise.resolve([]), ...answers })
  const context = { ...RUN_FACTS, serverUrl: `https://${completed.prLink?.host ?? ''}` }
  const step = fakeStep({
    inputs,
    clock,
    context,
    client: fakeClient({ reads: [before] }),
    ...(hasToken && { github }),
  })
  const { journal } = step
  for (let reads = 0; reads < seen; reads++) await step.heads.read(PULL_REQUEST)
  const pullRequest = { state: 'open', checks: 'failure', headSha: commit('c'), checkList: failed } as const
  const end = endWith('unknown')
  journal.updateTurn(end)
  const next = await decideNextRound(end, pullRequest, step)
  let prompt: string | undefined
  if (next.kind === 'stop') journal.updateTurn({ ...end, pullRequest: next.found, roundStop: next.reason })
  if (next.kind === 'send') {
    const { task, target } = next.plan
    journal.begin({ task })
    if (scene.wasBusy) clock.advance(1_000)
    const decision = await decideSend(target, before, new JobWatch(step))
    if (decision.kind === 'send') prompt = task.kind === 'follow-up' ? task.prompt : undefined
    if (decision.kind === 'stop') journal.stop(decision.error, decision.roundStop)
  }
  const count = (name: string): number => github.asked.filter((one) => one === name).length
  return {
    next,
    prompt,
    report: describeReport(journal.report()),
    losses: journal.warnings.map(({ message }) => message),
    heads: count('readPullRequest') - seen,
    logs: count('readJobLog'),
    annotations: count('listAnnotations'),
    detailsMs: Math.min(...github.deadlines) - step.startedAt,
  }
}

test('a check that only a person can pass is not sent to the agent', async () => {
  const dco: Check = { name: 'DCO', state: 'failure', needsPerson: true }
  const { prompt } = await round({ failed: [dco, BUILD] })
  expect(prompt?.match(/^Check: .*/gm)).toEqual(['Check: build'])
  expect((await round({ failed: [dco] })).next).toMatchObject({ kind: 'stop', reason: 'needs-person' })
})

const LOGS_LOST = 'Some logs of failing checks were not sent to the agent'

describe('check details', () => {
  test.each<ErrorCode>(['rejected', 'not-found', 'bad-answer', 'redirected'])(
    'a log that is lost (%s) costs that log, which is said once, and the others are told',
    async (code) => {
      const readJobLog = inTurn<string>(refusal(code), refusal(code), 'the third log')
      const { prompt, losses } = await round({
        answers: { readJobLog },
        failed: [BUILD, LINKS, jobCheck('spelling', 3)],
      })
      expect(prompt).toContain('the third log')
      expect(losses).toEqual([LOGS_LOST])
    },
  )

  test('what is refused is asked once, said once, and all else is told', async () => {
    const listAnnotations = inTurn([{ path: 'a.md', line: 3, title: '', message: 'It is gone.' }])
    const answers = { readJobLog: inTurn<never>(refusal('forbidden')), listAnnotations }
    const { prompt, logs, losses } = await round({ answers, failed: [BUILD, LINKS] })
    expect(prompt?.match(/a\.md:3: It is gone\./g)).toHaveLength(2)
    expect([logs, losses]).toEqual([1, [LOGS_LOST]])
  })

  const MANY = Array.from({ length: 12 }, (_, index) => jobCheck(`check ${index}`, index + 1))
  const STATUS: Check = { name: 'preview', state: 'failure', summary: 'No preview.' }

  test.each([
    ['only jobs of GitHub Actions have logs', [{ ...LINKS, app: 'link-checker' }], 0, 1],
    ['commit statuses have no details at all', [STATUS], 0, 0],
    ['a check that says so has no annotations', [{ ...BUILD, annotations: 0 }, LINKS], 2, 1],
    ['of very many the first ten are told in detail', MANY, 10, 10],
  ])('%s, and all are named', async (_what, failed, logs, annotations) => {
    const told = await round({ failed })
    expect([told.logs, told.annotations, told.detailsMs]).toEqual([logs, annotations, 120_000])
    expect(told.prompt?.match(/^Check: /gm)).toHaveLength(failed.length)
    if (failed[0] === STATUS) expect(told.prompt).toContain('Check: preview\nNo preview.\n')
  })
})

const slow = fakeClock()
const MOVED = { ...PULL_REQUEST, headSha: commit('d') }

test.each<[RoundStop, string, Scene]>([
  [
    'foreign-commits',
    'a new head',
    { wasBusy: true, answers: { readPullRequest: inTurn(PULL_REQUEST, PULL_REQUEST, MOVED) } },
  ],
  ['closed', 'a merge', { answers: { readPullRequest: inTurn(PULL_REQUEST, { ...PULL_REQUEST, state: 'merged' }) } }],
  [
    'not-sent',
    'a GitHub that is silent',
    { answers: { readPullRequest: inTurn<PullRequest>(PULL_REQUEST, refusal('unreachable')) } },
  ],
  ['other-pull-request', 'a job that names no pull request', { before: withoutLink }],
  [
    'other-pull-request',
    'one that names another',
    { before: job({ status: 'completed', prLink: LINK.replace(/7$/, '8') }) },
  ],
  [
    'no-time',
    'details that took long',
    { clock: slow, answers: { readJobLog: () => Promise.resolve((slow.advance(3_000_001), '')) } },
  ],
])('what happens meanwhile is seen directly before the message (%s): %s', async (stop, _what, scene) => {
  const refused = await round(scene)
  expect(refused.report).toMatchObject({ rounds: [], stop })
  expect(refused.prompt).toBeUndefined()
})

test.each(['open', 'merged', 'closed'] as const)(
  'looks at the checks of a new head if the head moved while the failing checks were read: %s',
  async (state) => {
    const readPullRequest = inTurn<PullRequest>(PULL_REQUEST, { ...MOVED, state })
    expect(await round({ answers: { readPullRequest } })).toMatchObject({ next: { kind: 'look-again' } })
  },
)

test('a pull request that the step has read is read once more, directly before the message, and again if that is old', async () => {
  expect(await round({ seen: 1 })).toMatchObject({ prompt: expect.any(String) as unknown, heads: 1 })
  const old = { ...PULL_REQUEST, headSha: commit('b') }
  const readPullRequest = inTurn(old, PULL_REQUEST, old, PULL_REQUEST)
  expect((await round({ answers: { readPullRequest }, seen: 2 })).prompt).toBeDefined()
})

test('the checks of the merge base decide which failures are of the change', async () => {
  const asked: string[] = []
  const readChecks = (_repository: string, sha: string): Promise<readonly Check[]> => {
    asked.push(sha)
    return Promise.resolve([{ name: 'build', state: 'failure' }])
  }
  const updated = pullCommits({ sha: commit('c'), parents: [commit('d'), commit('e')] })
  for (const more of [{}, { listPullRequestCommits: () => Promise.resolve(updated) }]) {
    const { prompt } = await round({ answers: { readChecks, ...more }, failed: [BUILD, LINKS] })
    expect(prompt).not.toContain('Check: build')
  }
  expect(asked).toEqual([commit('a'), commit('a')])
})

test('its check runs and commit statuses are enough unless one of these is red there, or only a suite is red here', async () => {
  const enough: unknown[] = []
  const readChecks: GitHub['readChecks'] = (_repository, _sha, _own, suffices) => {
    const passed = [{ ...BUILD, state: 'success' }, { ...LINKS, state: 'pending' }, jobCheck('other', 3)] as const
    enough.push(suffices?.(passed), suffices?.([...passed, LINKS]))
    return Promise.resolve([])
  }
  const status: Check = { name: 'links', state: 'failure' }
  for (const last of [status, { ...status, app: 'ci' }]) await round({ answers: { readChecks }, failed: [BUILD, last] })
  expect(enough).toEqual([true, false, false, false])
})

test('where these cannot be read, all that failed is sent, and that is said', async () => {
  const { prompt, losses } = await round({ answers: { readChecks: inTurn<never>(refusal('forbidden')) } })
  expect(prompt).toContain('Check: build')
  expect(losses).toEqual(['Could not tell which checks also fail without these changes'])
})

test('nothing is sent where GitHub cannot be asked what is in the pull request', async () => {
  const answers = { listPullRequestCommits: inTurn<never>(refusal('forbidden', 'Grant it.')) }
  for (const scene of [{ answers }, { hasToken: false }])
    expect(await round(scene)).toMatchObject({
      report: { rounds: [], stop: 'not-sent' },
      losses: ['The failing checks were not sent to the agent'],
    })
})

test('a cancelled run is cancelled whatever is asked', async () => {
  for (const name of ['readPullRequest', 'readChecks', 'readJobLog', 'listAnnotations'] as const)
    await expect(round({ answers: { [name]: inTurn<never>(refusal('cancelled')) } })).rejects.toMatchObject({
      code: 'cancelled',
    })
})
