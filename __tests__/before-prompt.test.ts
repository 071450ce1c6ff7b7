import { expect, test } from '@jest/globals'
import { GITHUB_TOKEN } from '../src/emulator/github/demo-state.ts'
import { combineScenarios } from '../src/emulator/github/github-scenarios.ts'
import {
  respondInOrder,
  playStep,
  respondWith,
  type ObservedRequest,
  type PlayedStep,
  type PlayStepOptions,
} from '../testing/play-step.ts'
import { agentInputs } from '../testing/agent-inputs.ts'
import { changedRepository } from '../testing/github-state.ts'
import { PUSH } from '../testing/given-run.ts'

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
const elapsedS = ({ outputs }: PlayedStep): number => Number(outputs['duration_seconds'])

test('waits for a write rate limit of GitHub before it counts a follow-up', async () => {
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
  expect(elapsedS(played)).toBeGreaterThan(300)
})

test('waits for a rate limit of half an hour before the prompt', async () => {
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
