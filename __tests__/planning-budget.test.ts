import { expect, test } from '@jest/globals'
import { jsonResponse } from '../src/emulator/http/exchange.ts'
import { GITHUB_TOKEN } from '../src/emulator/github/demo-state.ts'
import { combineScenarios } from '../src/emulator/github/github-scenarios.ts'
import { commentFacts } from './support/comment-events.ts'
import {
  respondInOrder,
  playStep,
  respondWith,
  type ObservedRequest,
  type PlayedStep,
  type PlayStepOptions,
} from './support/play-step.ts'
import { agentInputs } from './support/fake-step.ts'
import { changedRepository } from './support/github-state.ts'
import { PUSH, type GivenRun } from './support/fake-github.ts'

const PUSHED = { eventName: 'push', payload: PUSH }
const COMPARE = 'repos/compare-commits-with-basehead'
const ACCESS = { 'github-token': GITHUB_TOKEN, label: 'docs-agent', 'change-context': 'files' }

type Given = Readonly<Record<string, string>>
const play = (given: Given, options: Partial<PlayStepOptions> = {}): Promise<PlayedStep> =>
  playStep({
    inputs: agentInputs({}, { ...ACCESS, ...given }),
    repository: changedRepository({ files: [{ filename: 'src/flags.ts' }] }),
    facts: PUSHED,
    ...options,
  })
const respondNormally = ({ respond }: ObservedRequest) => respond()
const slowly =
  (delayMs: number) =>
  ({ respond }: ObservedRequest) => ({ ...respond(), delayMs })
const limitedFor = (seconds: number) =>
  respondWith(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(seconds) })
/** How long a step that sends nothing may write its log. */
const LOG_MS = 30_000
const elapsedS = ({ outputs }: PlayedStep): number => Number(outputs['duration_seconds'])

const slowBy = (delayMs: number): NonNullable<PlayStepOptions['responses']> =>
  Object.fromEntries(
    [
      ...[COMPARE, 'repos/list-pull-requests-associated-with-commit', 'pulls/list', 'pulls/list-commits', 'pulls/get'],
      ...['issues/list-for-repo', 'issues/list-comments', 'repos/get-collaborator-permission-level', 'graphql'],
      ...['issues/get-comment', 'issues/update-comment', 'reactions/create-for-issue-comment'],
    ].map((operation) => [operation, slowly(delayMs)]),
  )

/** Every request before the prompt takes almost as long as the time limit of one response. */
const SLOW = slowBy(29_000)

test.each<[what: string, given: Given, mostS: number]>([
  ['two minutes', { 'on-open-pr': 'follow-up' }, 121],
  ['half of the time of a short step', { 'on-open-pr': 'follow-up', 'timeout-minutes': '3' }, 91],
])(
  'all requests before the prompt take at most %s together, and then no prompt is sent',
  async (_what, given, mostS) => {
    const played = await play(given, { responses: SLOW, github: combineScenarios(['open-pull-request']) })
    expect([played.isGreen, played.acceptedPrompts]).toEqual([false, []])
    expect(elapsedS(played)).toBeLessThan(mostS)
    expect(elapsedS(played)).toBeGreaterThan(mostS / 2)
    expect(played.line).toContain('GitHub did not respond in time.')
  },
)

/** Three commits that are in no pull request that GitHub knows of, so that each is looked up again and again. */
const PUSHED_THREE = {
  eventName: 'push',
  payload: { ...PUSH, commits: ['1', '2', '3'].map((digit) => ({ ...PUSH.commits[0], id: digit.repeat(40) })) },
}
const COMPARISON = {
  status: 'ahead',
  merge_base_commit: { sha: PUSH.before },
  commits: [],
  total_commits: 0,
  files: [{ filename: 'src/flags.ts', status: 'modified', additions: 1, deletions: 1 }],
}

/** Delays each lookup. GitHub knows the range, but not the pull requests of its commits. */
const slowLookUps = (delayMs: number): NonNullable<PlayStepOptions['responses']> => ({
  'repos/list-pull-requests-associated-with-commit': slowly(delayMs),
  'pulls/list': slowly(delayMs),
  [COMPARE]: () => ({ ...jsonResponse(200, COMPARISON), delayMs }),
})

const MONA = { login: 'mona', id: 11, type: 'User' }

test.each<[what: string, given: Given, facts: Partial<GivenRun>]>([
  ['a follow-up by `job-id`', { 'job-id': 'job_finished' }, PUSHED_THREE],
  ['a rolling follow-up', { 'on-open-pr': 'follow-up' }, PUSHED_THREE],
  ['a comment', { command: '/docs', prompt: '' }, commentFacts({ author: MONA, number: 1 })],
])(
  'all requests before %s take at most two minutes, in addition to the 15 seconds for which the job must be idle',
  async (_what, given, facts) => {
    for (const lookUpMs of [9_500, 29_000])
      for (const requestMs of [7_000, 9_500, 14_000]) {
        const [askedMs, messagesMs]: [number[], number[]] = [[], []]
        const played = await playStep({
          inputs: agentInputs({}, { ...ACCESS, ...given }),
          facts,
          github: combineScenarios(['open-pull-request']),
          responses: { ...slowBy(requestMs), ...slowLookUps(lookUpMs) },
          prepare: ({ pulls }) => {
            pulls[1]?.comments.push({ id: 71, user: 'mona', body: '', createdAtMs: 0, reactions: [] })
          },
          onRequest: (what, { nowMs }) => {
            askedMs.push(nowMs)
            if (what.startsWith('message ')) messagesMs.push(nowMs)
          },
        })
        const [startMs = 0, [sentMs]] = [askedMs[0], messagesMs]
        // Without the count of a rolling follow-up, nothing is sent. Everything else can be done without.
        if (sentMs === undefined)
          expect(played.line).toMatch(/could not be counted|Could not determine whether a pull request/)
        const tookMs = sentMs === undefined ? elapsedS(played) * 1_000 - LOG_MS : sentMs - startMs
        expect(tookMs / 1_000).toBeLessThanOrEqual(120 + 15 + 1)
      }
  },
)

test('a fix round has its own budget for its requests', async () => {
  const [FAILS = [], PASSES = []] = combineScenarios(['checks-fixed']).checks
  const [tookMs, rows]: [number[], boolean[]] = [[], []]
  let startMs: number | undefined
  const played = await playStep({
    inputs: agentInputs({}, { ...ACCESS, 'wait-for-checks': 'true', 'fix-rounds': '1' }),
    facts: PUSHED_THREE,
    github: { ...combineScenarios([]), checks: [FAILS, PASSES] },
    responses: slowLookUps(29_000),
    onRequest: (what, { docs, nowMs }) => {
      startMs ??= nowMs
      if (what === 'create') tookMs.push(nowMs - startMs)
      if (!what.startsWith('message ')) return
      rows.push(
        Object.values(docs.pulls).some(({ comments }) => comments.some(({ body }) => body.includes(' working since '))),
      )
    },
  })
  expect(played.report).toMatchObject({ outcome: 'pull-request', rounds: [expect.anything()] })
  // The requests before the first prompt have used up their budget.
  expect(tookMs[0]).toBeGreaterThan(90_000)
  expect(rows).toEqual([true])
})

test('waits for a write rate limit of GitHub before it counts a follow-up, and logs the end of the wait every minute', async () => {
  const played = await play(
    { 'on-open-pr': 'follow-up' },
    {
      responses: {
        'issues/update-comment': respondInOrder(respondWith(403, { 'retry-after': '300' }), respondNormally),
      },
      github: combineScenarios(['open-pull-request']),
    },
  )
  expect([played.isGreen, played.report.outcome, played.messages.length]).toEqual([true, 'pull-request', 1])
  const [first = '', ...later] = played.log.filter((line) => line.includes('aiting until'))
  expect(first).toContain("GitHub's rate limit is exceeded. Waiting until ")
  expect(later).toHaveLength(4)
})

test('waits for a rate limit of half an hour before the prompt, without spending the budget of the other requests', async () => {
  const played = await play(
    { 'on-open-pr': 'follow-up' },
    {
      responses: {
        [COMPARE]: respondInOrder(limitedFor(1_800), respondNormally),
        'issues/list-for-repo': slowly(20_000),
      },
    },
  )
  expect([played.isGreen, played.report.outcome]).toEqual([true, 'pull-request'])
  expect(played.acceptedPrompts[0]?.[1]).toContain('src/flags.ts')
  expect(elapsedS(played)).toBeGreaterThan(1_800)
})

test.each([60, 300])(
  'waits for a rate limit of the service of %i s while it verifies a pull request, and logs the end of the wait every minute',
  async (seconds) => {
    const limited = respondWith(429, { 'retry-after': String(seconds) })
    const played = await play(
      { 'on-open-pr': 'follow-up' },
      {
        responses: { 'read job_finished': respondInOrder(limited, respondNormally) },
        github: combineScenarios(['open-pull-request']),
      },
    )
    expect([played.isGreen, played.report.outcome, played.messages.length]).toEqual([true, 'pull-request', 1])
    const [first = '', ...later] = played.log.filter((line) => line.includes('aiting until'))
    const [, until = 'unknown'] = /rate-limited the request.* Waiting until (.*)\.$/.exec(first) ?? []
    // The last minute leaves 2 s, which are not worth a line.
    expect(later).toHaveLength(seconds / 60 - 1)
    for (const line of later) expect(line).toContain(`Still waiting until ${until}, for another `)
  },
)

test.each<[given: Given, responses: NonNullable<PlayStepOptions['responses']>]>([
  [{}, { [COMPARE]: limitedFor(3_600) }],
  [{}, { [COMPARE]: respondWith(503) }],
  [{}, { [COMPARE]: respondWith(404) }],
  [{ 'change-context': 'none', paths: 'docs/**' }, { [COMPARE]: respondWith(503) }],
  [
    { 'change-context': 'none', 'change-range': 'since-last-success' },
    { 'actions/list-workflow-runs': respondWith(503) },
  ],
])(
  'with %j and a change that GitHub does not provide, no prompt is sent, regardless of who pushed',
  async (given, responses) => {
    for (const sender of [PUSH.sender, { login: 'merge-queue[bot]', type: 'Bot' }]) {
      const facts = { eventName: 'push', payload: { ...PUSH, sender } }
      const played = await play(given, { responses, facts })
      expect([played.isGreen, played.report.outcome, played.acceptedPrompts]).toEqual([false, 'error', []])
      expect(played.title).toBe('Nothing was sent')
      expect(elapsedS(played)).toBeLessThan(60)
    }
  },
)
