import { describe, expect, test } from '@jest/globals'
import { decideNextRound, findRoundStop, listFailedByChange } from '../../../src/agent/features/fix-rounds.ts'
import { listWarnings } from '../../../src/agent/journal.ts'
import type { RoundStop } from '../../../src/agent/record.ts'
import type { Check, CommitChecks } from '../../../src/github/checks.ts'
import type { GitHub } from '../../../src/github/github.ts'
import type { PullRequest } from '../../../src/github/pull-requests.ts'
import type { Job } from '../../../src/docs-service/schemas.ts'
import { ActionError, type ErrorCode } from '../../../src/runtime/errors.ts'
import { completed, job, LINK, terminalJob, withoutLink } from '../../../testing/jobs.ts'
import { fakeClock, type FakeClock } from '../../../testing/fake-clock.ts'
import {
  fakeGitHub,
  resolveInOrder,
  COMPARISON,
  PULL_REQUEST,
  createGitHubError,
  RUN_FACTS,
} from '../../../testing/fake-github.ts'
import { agentInputs, openFakeStep } from '../../../testing/fake-step.ts'
import { describeReport, endWith, turnIn } from '../../../testing/report.ts'
import { commit } from '../../../testing/github-state.ts'

const jobCheck = (name: string, id: number): Check => ({
  name,
  id,
  state: 'failure',
  app: 'github-actions',
  detailsUrl: `https://github.com/acme/docs/actions/runs/1/job/${id}`,
})

const listing = (checks: readonly Check[]): CommitChecks => ({ checks, isComplete: false })
const [BUILD, LINKS] = [jobCheck('build', 1), jobCheck('links', 2)]

interface Scene {
  readonly responses?: Partial<GitHub>
  readonly failed?: readonly Check[]
  readonly clock?: FakeClock
  /** The job directly before the follow-up. */
  readonly before?: Job
}

/** Decides about a round, and returns its prompt if it may be sent, the requests and the warnings. */
async function round(scene: Scene = {}) {
  const { responses, failed = [BUILD], clock = fakeClock(), before = completed } = scene
  const inputs = agentInputs({ waitForChecks: true, fixRounds: 1 })
  const github = fakeGitHub({ readChecks: () => Promise.resolve(listing([])), ...responses })
  const context = { ...RUN_FACTS, serverUrl: `https://${completed.prLink?.host ?? ''}` }
  const { step, record } = openFakeStep({
    inputs,
    clock,
    context,
    github,
  })
  const found = { state: 'open', checks: 'failure', headSha: commit('c'), checkList: failed } as const
  const end = endWith('unknown')
  record.update(end)
  record.update({ pullRequest: found })
  const { target, stop } = await decideNextRound(PULL_REQUEST, found, record.turns, step, record.update)
  record.update({ roundStop: stop })
  let prompt: string | undefined
  if (target !== undefined) {
    const { task } = target
    record.begin({ task })
    record.update({ job: before })
    try {
      await target.validate(before)
      prompt = task.kind === 'follow-up' ? task.prompt : undefined
    } catch (error) {
      if (!(error instanceof ActionError) || error.code === 'cancelled') throw error
      record.fail(error)
    }
  }
  const count = (name: string): number => github.calls.filter((one) => one === name).length
  return {
    prompt,
    report: describeReport(record.read()),
    warnings: listWarnings(record.read().warnings),
    logs: count('readJobLog'),
    annotations: count('listAnnotations'),
  }
}

test('does not send checks to the agent that only a person can fix', async () => {
  const dco: Check = { name: 'DCO', state: 'failure', needsPerson: true }
  const { prompt } = await round({ failed: [dco, BUILD] })
  expect(prompt?.match(/^Check: .*/gm)).toEqual(['Check: build'])
  expect((await round({ failed: [dco] })).report.stop).toBe('not-fixable')
})

const LOGS_NOT_SENT = 'Some logs of failing checks were not sent to the agent'

describe('check details', () => {
  test.each<ErrorCode>(['rejected', 'not-found', 'forbidden', 'unreachable'])(
    'sends what else can be read if some logs cannot be read (%s), and warns',
    async (code) => {
      const readJobLog = resolveInOrder<string>(createGitHubError(code), createGitHubError(code), 'the third log')
      const listAnnotations = resolveInOrder([
        { path: 'a.md', line: 3, title: '', message: 'It is gone.', level: 'failure' },
      ])
      const failed = [BUILD, LINKS, jobCheck('spelling', 3)]
      const { prompt, warnings } = await round({ responses: { readJobLog, listAnnotations }, failed })
      expect(prompt?.match(/the third log|a\.md:3: failure: It is gone\./g)).toHaveLength(4)
      expect(warnings).toEqual([`${LOGS_NOT_SENT}: GitHub said ${code}.`])
    },
  )

  test('reads the logs of all checks at the same time', async () => {
    const finish: (() => void)[] = []
    const readJobLog: GitHub['readJobLog'] = () =>
      new Promise((resolve) => {
        const waiting = finish.push(() => {
          resolve('a log')
        })
        if (waiting === 2) for (const end of finish) end()
      })
    const { prompt } = await round({ responses: { readJobLog }, failed: [BUILD, LINKS] })
    expect(prompt?.match(/a log/g)).toHaveLength(2)
  })

  const MANY = Array.from({ length: 12 }, (_, index) => jobCheck(`check ${index}`, index + 1))
  const STATUS: Check = { name: 'preview', state: 'failure', summary: 'No preview.' }

  test.each([
    ['reads logs only for GitHub Actions jobs', [{ ...LINKS, app: 'link-checker' }], 0, 1],
    ['reads no details of commit statuses', [STATUS], 0, 0],
    ['reads no annotations of a check without annotations', [{ ...BUILD, annotations: 0 }, LINKS], 2, 1],
    ['reads details of at most ten checks', MANY, 10, 10],
  ])('%s, and names all failed checks', async (_what, failed, logs, annotations) => {
    const { prompt, ...reads } = await round({ failed })
    expect([reads.logs, reads.annotations]).toEqual([logs, annotations])
    expect(prompt?.match(/^Check: /gm)).toHaveLength(failed.length)
    if (failed[0] === STATUS) expect(prompt).toContain('Check: preview\nNo preview.\n')
  })
})

const slow = fakeClock()
const MOVED = { ...PULL_REQUEST, headSha: commit('d') }
const MERGED = { ...MOVED, state: 'merged' } as const

test.each<[RoundStop, string, Scene]>([
  ['head-moved', 'a new head', { responses: { readPullRequest: resolveInOrder(MOVED) } }],
  ['not-open', 'a merge', { responses: { readPullRequest: resolveInOrder<PullRequest>(MERGED) } }],
  [
    'failed',
    'a failed read of the pull request',
    { responses: { readPullRequest: resolveInOrder<never>(createGitHubError('unreachable')) } },
  ],
  ['failed', 'a job without a pull request', { before: withoutLink }],
  [
    'failed',
    'a job with another pull request',
    { before: job({ status: 'completed', prLink: LINK.replace(/7$/, '8') }) },
  ],
  [
    'no-time',
    'slow reads of details',
    { clock: slow, responses: { readJobLog: () => Promise.resolve((slow.advance(3_000_001), '')) } },
  ],
])('does not send the round (%s) after a change in the meantime: %s', async (stop, _what, scene) => {
  const refused = await round(scene)
  // The checks stay those of the examined commit.
  const state = stop === 'not-open' ? 'merged' : 'open'
  expect(refused.report).toMatchObject({
    rounds: [],
    stop,
    pullRequest: { state, checks: 'failure', headSha: PULL_REQUEST.headSha },
  })
  expect(refused.prompt).toBeUndefined()
})

test('excludes failures that also occur on the merge base', async () => {
  const shas: string[] = []
  const readChecks: GitHub['readChecks'] = (_repository, sha) => {
    shas.push(sha)
    return Promise.resolve(listing([{ name: 'build', state: 'failure' }]))
  }
  const compare: GitHub['compare'] = (_repository, base, head) => {
    shas.push(base, head)
    return Promise.resolve(COMPARISON)
  }
  const { prompt } = await round({ responses: { readChecks, compare }, failed: [BUILD, LINKS] })
  expect(prompt?.match(/^Check: .*/gm)).toEqual(['Check: links'])
  expect(shas).toEqual(['main', PULL_REQUEST.headSha, COMPARISON.mergeBase])
})

test('reads the suites of the merge base only if a check fails there or a failed check is a suite', async () => {
  const enough: unknown[] = []
  const readChecks: GitHub['readChecks'] = (_repository, _sha, _own, { suffices } = {}) => {
    const passed = [{ ...BUILD, state: 'success' }, { ...LINKS, state: 'pending' }, jobCheck('other', 3)] as const
    enough.push(suffices?.(passed), suffices?.([...passed, LINKS]))
    return Promise.resolve(listing([]))
  }
  const status: Check = { name: 'links', state: 'failure' }
  for (const last of [status, { ...status, app: 'ci' }])
    await round({ responses: { readChecks }, failed: [BUILD, last] })
  expect(enough).toEqual([true, false, false, false])
})

test.each(['readChecks', 'compare'] as const)(
  'sends all failed checks with a warning if the checks of the merge base cannot be read: %s fails',
  async (name) => {
    const { prompt, warnings } = await round({
      responses: { [name]: resolveInOrder<never>(createGitHubError('forbidden')) },
    })
    expect(prompt).toContain('Check: build')
    expect(warnings).toEqual([
      'Could not determine which checks also fail without these changes: GitHub said forbidden.',
    ])
  },
)

test('stops on cancellation during any request', async () => {
  for (const name of ['readPullRequest', 'compare', 'readChecks', 'readJobLog', 'listAnnotations'] as const)
    await expect(
      round({ responses: { [name]: resolveInOrder<never>(createGitHubError('cancelled')) } }),
    ).rejects.toMatchObject({
      code: 'cancelled',
    })
})

const check = (name: string, state: Check['state']): Check => ({ name, state })

test('excludes checks that also failed on the merge base, but not checks that passed or were pending there', () => {
  const failed = ['old', 'passed', 'waited', 'new'].map((name) => check(name, 'failure'))
  const before = [check('old', 'failure'), check('passed', 'success'), check('waited', 'pending')]
  expect(listFailedByChange(failed, before)).toEqual(failed.slice(1))
})

/** A check that requires a person's sign-off. */
const DCO: Check = { ...check('DCO', 'failure'), needsPerson: true }

describe('fix rounds', () => {
  const [C, D] = [commit('c'), commit('d')]
  const STATE = {
    found: { state: 'open', checks: 'failure', headSha: D },
    ...({ before: C, status: 'completed', maxRounds: 2, leftMs: 600_000 } as const),
  } as const

  test.each([
    [undefined, {}],
    [undefined, { found: { ...STATE.found, state: 'draft' } }],
    ['nothing-failed', { found: { ...STATE.found, checks: 'success' } }],
    ['nothing-failed', { found: { ...STATE.found, checks: 'none' } }],
    ['nothing-failed', { found: { ...STATE.found, checks: 'pending' } }],
    ['nothing-failed', { found: {} }],
    ['not-open', { found: { ...STATE.found, state: 'merged' } }],
    ['not-fixable', { found: { ...STATE.found, checkList: [DCO, check('links', 'success')] } }],
    [undefined, { found: { ...STATE.found, checkList: [DCO, check('links', 'failure')] } }],
    ['not-open', { found: { ...STATE.found, state: 'closed' } }],
    ['failed', { before: D }],
    ['used-up', { maxRounds: 1 }],
    ['no-time', { leftMs: 599_999 }],
    ['failed', { status: 'failed' }],
    ['failed', { status: 'archived' }],
  ] as const)('finds the reason not to send another round: %s, %j', (stop, change) => {
    const { found, before, status, maxRounds, leftMs } = { ...STATE, ...change }
    const own = turnIn({ ...endWith('unknown'), pullRequest: { headSha: before } })
    const round = turnIn(endWith('unknown', terminalJob(status)))
    expect(findRoundStop(found, [own, round], maxRounds, leftMs)).toBe(stop)
  })
})
