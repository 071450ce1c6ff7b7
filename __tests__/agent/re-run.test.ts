import { expect, test } from '@jest/globals'
import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import { combineScenarios } from '../../src/emulator/github/github-scenarios.ts'
import { playStep, type PlayedStep, type PlayStepOptions } from '../../testing/play-step.ts'
import { agentInputs } from '../../testing/agent-inputs.ts'

const ROLLING = { 'github-token': GITHUB_TOKEN, label: 'docs-agent', 'on-open-pr': 'follow-up' }
const GITHUB = combineScenarios(['checks-fail'])

type Given = Readonly<Record<string, string>>

const playAttempt = (runAttempt: number, given: Given, options: Partial<PlayStepOptions> = {}): Promise<PlayedStep> =>
  playStep({
    inputs: agentInputs({}, { ...ROLLING, ...given }),
    github: GITHUB,
    facts: { runAttempt },
    ...options,
  })

const listReceivers = ({ acceptedPrompts }: PlayedStep): readonly string[] => acceptedPrompts.map(([to]) => to)

/** The pull requests of the jobs that the attempts created. */
const listPulls = ({ docs }: PlayedStep) =>
  Object.values(docs.pulls).filter(({ branch }) => branch.startsWith('agent/job_0'))

test('a re-run sends a follow-up if the first attempt marked its pull request', async () => {
  const first = await playAttempt(1, { 'wait-for-checks': 'true' })
  expect([first.isGreen, first.report.outcome, listReceivers(first)]).toEqual([false, 'pull-request', ['create']])
  const second = await playAttempt(2, {}, { after: first })
  expect(listReceivers(second)).toEqual(['job_000001'])
  expect(listPulls(second)).toHaveLength(1)
})

test.each<[what: string, given: Given, options: Partial<PlayStepOptions>, outcome: string]>([
  ['timed out', { 'timeout-minutes': '0.25' }, {}, 'timed-out'],
  ['was cancelled', {}, { cancelAfterMs: 15_000 }, 'cancelled'],
  ['did not wait', { wait: 'false' }, {}, 'submitted'],
])(
  'a re-run starts a second job with a second pull request if the first attempt %s, and attaching does not',
  async (_what, given, options, outcome) => {
    const play = async (): Promise<PlayedStep> => {
      const first = await playAttempt(1, given, options)
      expect([first.report.outcome, listReceivers(first)]).toEqual([outcome, ['create']])
      // The agent finishes before the next attempt.
      await first.baseClock.passUntil(first.baseClock.sleep(60_000))
      return first
    }

    const second = await playAttempt(2, {}, { after: await play() })
    expect(listReceivers(second)).toEqual(['create'])
    expect(listPulls(second)).toHaveLength(2)

    const attached = await playAttempt(1, { prompt: '', 'job-id': 'job_000001' }, { after: await play() })
    expect([attached.report.outcome, listReceivers(attached)]).toEqual(['pull-request', []])
    const next = await playAttempt(1, {}, { after: attached })
    expect(listReceivers(next)).toEqual(['job_000001'])
    expect(listPulls(next)).toHaveLength(1)
  },
)
