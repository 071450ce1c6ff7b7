import { expect, jest, test } from '@jest/globals'
import type { CheckPlan } from '../../src/emulator/github/check-plan.ts'
import type { GitHubFault } from '../../src/emulator/github/github-faults.ts'
import type { PlannedEvent } from '../../src/emulator/github/github-scenarios.ts'
import type { TurnPlan } from '../../src/emulator/service/job-machine.ts'
import { DRAWING_TEST_TIMEOUT_MS } from '../support/soak.ts'
import { arbitraryHistory } from './arbitrary-history.ts'
import { docsOf, turnsOf } from './history-truth.ts'
import { FORMER_NAME, playHistory, type History, type HistoryStep } from './history.ts'
import { problemsOf } from './history-invariants.ts'
import { holdAlways, IS_REPLAY } from './hold-always.ts'

jest.setTimeout(DRAWING_TEST_TIMEOUT_MS)

const HISTORIES = 50

const ENDS = {
  rolling: ['created', 'updated', 'unchanged', 'checks success', 'checks failure'],
  'follow-up': ['updated', 'unchanged', 'checks success', 'checks failure'],
  rounds: ['fixed', 'not fixed'],
} as const

test.each(['rolling', 'follow-up', 'rounds'] as const)(
  'a step says nothing false in any random history: %s',
  async (kind) => {
    const seen = new Set<string>()
    const plan = { what: `histories: ${kind}`, runs: HISTORIES, soakShare: 0.28 }
    const runs = await holdAlways(arbitraryHistory(kind), plan, async (history) => {
      const trace = await playHistory(history)
      for (const { isGreen, outputs } of trace.runs) {
        if (isGreen) seen.add(outputs['pr-operation'] ?? '')
        seen.add(`checks ${outputs['checks'] ?? ''}`)
        if (Number(outputs['fix-rounds']) > 0) seen.add(outputs['checks'] === 'success' ? 'fixed' : 'not fixed')
      }
      return { problems: problemsOf(trace), log: trace.runs.flatMap(({ log, line }) => [...log, line]) }
    })
    // A proof about histories that all end alike would prove nothing.
    expect(IS_REPLAY || runs < HISTORIES ? [] : ENDS[kind].filter((end) => !seen.has(end))).toEqual([])
  },
)

/** Nothing is left to go wrong but GitHub, and nothing of it is waited for. */
function withoutOtherFaults({ service: { turns }, github, ...history }: History): History {
  const given = { 'timeout-minutes': '60', 'wait-for-checks': 'false', 'fix-rounds': '0' }
  const steps = history.steps.map((step) => ({
    ...step,
    begins: 'after' as const,
    cancelAfterMs: undefined,
    given: { ...step.given, ...given },
  }))
  return { ...history, steps, service: turns === undefined ? {} : { turns }, github: { ...github, events: [] } }
}

/** A follow-up is read at most every 5 s, and a read takes a few seconds: a shorter turn can pass between two reads. */
const MAX_READ_GAP_MS = 10_000

/** What a step says of its job, and whether a turn was so short that no read may have shown it. */
interface JobVerdict {
  readonly outcome: string
  readonly isChance: boolean
}

async function playVerdicts(history: History): Promise<readonly JobVerdict[]> {
  const { runs } = await playHistory(history)
  return runs.map((run) => {
    const { outcome, operation } = run.report
    const isShort = turnsOf(run).some(({ turn }) => turn.plan.durationMs < MAX_READ_GAP_MS)
    // Only GitHub can tell whether the agent has added commits.
    return {
      outcome: operation === 'unchanged' ? 'pull-request' : outcome,
      isChance: outcome === 'unconfirmed' && isShort,
    }
  })
}

/** Compares verdicts step by step, up to the first one that depends on the moment of a read. */
function compareVerdicts(withFaults: readonly JobVerdict[], without: readonly JobVerdict[]): readonly string[] {
  for (const [index, { outcome, isChance }] of withFaults.entries()) {
    const expected = without[index]
    if (outcome === expected?.outcome) continue
    if (isChance || expected?.isChance === true) return []
    return [
      `Step ${index + 1} says ${outcome}, and without failures of GitHub it says ${expected?.outcome ?? 'nothing'}.`,
    ]
  }
  return []
}

const WITHOUT_FAULTS = { faults: ['none'], then: 'stays' } as const

test('no failure of GitHub changes what a step says of its job', async () => {
  const histories = arbitraryHistory('follow-up').map(withoutOtherFaults)
  const plan = { what: 'histories with and without failures of GitHub', runs: HISTORIES / 2, soakShare: 0.14 }
  await holdAlways(histories, plan, async (history) => {
    const calm: History = { ...history, github: { ...history.github, faults: WITHOUT_FAULTS } }
    return { problems: compareVerdicts(await playVerdicts(history), await playVerdicts(calm)), log: [] }
  })
})

const TURN = { startDelayMs: 0, durationMs: 20_000, ending: 'pull-request', linkDelayMs: 0, pause: undefined } as const
const IDLE = { ...TURN, durationMs: 60_000, ending: 'no-changes' } as const
const step = (asks: HistoryStep['asks'], gapMs: number, given: Record<string, string> = {}): HistoryStep => ({
  ...{ asks, gapMs, begins: 'after', leavesDocs: false, given },
})
const [ROLLING, FOLLOW_UP] = [step('rolling', 60_000), step('follow-up', 60_000)]
const CALM: History = {
  service: { turns: [TURN] },
  github: { checks: [[]] },
  gitHubLags: [{ headMs: 0, runsMs: 0 }],
  latenciesMs: [100],
  steps: [ROLLING, ROLLING],
}
test('ten pushes leave one pull request whose comment names each of them', async () => {
  const trace = await playHistory({ ...CALM, steps: Array.from({ length: 10 }, () => ROLLING) })
  expect(problemsOf(trace)).toEqual([])
  const opened = Object.values(docsOf(trace).pulls).filter(({ labels }) => labels.includes('docs-agent'))
  expect(opened).toHaveLength(1)
  const [comment, ...others] = opened[0]?.comments ?? []
  expect(others).toEqual([])
  const shown = (comment?.body ?? '')
    .replaceAll(/<!--.*?-->|<\/?\w[^>]*>/g, '')
    .replaceAll('&#64;', '@')
    .replaceAll('&#45;', '-')
  const push = (index: number) => `push to main by @writer-${index}: ${index + 1} commit${index === 0 ? '' : 's'}`
  const rows = Array.from(shown.matchAll(/^\| \d{4}-\d\d-\d\d \d\d:\d\d \| (.*) \| (.*) +\|$/gm), ([, by, end]) => [
    by,
    end?.trim(),
  ])
  expect(rows).toEqual(
    Array.from({ length: 10 }, (_, index) => [
      push(index),
      `${index === 0 ? 'opened: 1 file' : '1 new commit'}, step agent`,
    ]),
  )
  expect(shown).toContain('- Review it, and merge it.')
  expect(shown).toContain('Follow-ups by `on-open-pr`: 9 of 20 used.')
})

const CHECKED = step('rolling', 60_000, { 'wait-for-checks': 'true' })
const passes = (name: string, more: Partial<Extract<CheckPlan, { kind: 'job' }>> = {}): CheckPlan => ({
  ...{ kind: 'job', name, afterMs: 1_000, takesMs: 10_000, result: { conclusion: 'success' }, ...more },
})
const fails = { result: { conclusion: 'failure' } }
const checked = (...plans: readonly CheckPlan[]): History => ({
  ...CALM,
  github: { checks: [plans] },
  steps: [CHECKED],
})
const during = (act: PlannedEvent['act'], turn: TurnPlan = IDLE): History => ({
  ...{ ...CALM, service: { turns: [TURN, turn] } },
  github: { checks: [[]], events: [{ after: 'follow-up', delayMs: 30_000, act }] },
})
const LONG_TURN = { ...TURN, durationMs: 60_000 }

/** The pull request of the first turn is merged or closed long before the follow-up. */
const endedBefore = (act: 'merge' | 'close', turn: TurnPlan): History => ({
  ...{ ...CALM, service: { turns: [TURN, turn] }, steps: [FOLLOW_UP, FOLLOW_UP] },
  github: { checks: [[]], events: [{ after: 'opened', delayMs: 10_000, act }] },
})

/** The agent works on the main branch of its fork, which is synced after the merge. */
const SYNCED: History = {
  ...endedBefore('merge', IDLE),
  github: {
    ...{ checks: [[]], agentFork: 'docs-agent/docs', agentBranch: 'main' },
    events: [
      { after: 'opened', delayMs: 10_000, act: 'merge' },
      { after: 'follow-up', delayMs: 30_000, act: 'person-syncs' },
    ],
  },
}

/** The comparisons for the first turn's files and, before the second turn, of the branch; and those after the second turn. */
const comparing = (before: GitHubFault, ...after: readonly GitHubFault[]): History => ({
  ...endedBefore('merge', TURN),
  operationFaults: { 'repos/compare-commits-with-basehead': { faults: ['none', before, ...after], then: 'stays' } },
})

/** Of each operation of GitHub, these answers in turn. */
const hanging = (...faults: readonly ('none' | 'never')[]): History => ({
  ...{ ...CALM, steps: [FOLLOW_UP, FOLLOW_UP] },
  github: { checks: [[]], faults: { faults: [...faults, 'none'], then: 'stays' } },
})

/** The second follow-up comes while the agent works on the first, and servers are slow. */
const late = (minutes: string): History => ({
  ...{ ...CALM, latenciesMs: [900] },
  steps: [
    FOLLOW_UP,
    step('follow-up', 60_000, { wait: 'false' }),
    step('follow-up', 0, { 'timeout-minutes': minutes }),
  ],
})

const ROUNDS = { 'wait-for-checks': 'true', 'fix-rounds': '1' }
const TWO_ROUNDS = { ...ROUNDS, 'fix-rounds': '2' }
const AGAIN = { afterMs: 30_000, takesMs: 1_000, result: { conclusion: 'success' } }
const MARKER = '<!-- docs-agent-action: job=job_000001 -->\nThis is mine.'

const LEFT_BEHIND = {
  outcome: 'error',
  'pr-state': expect.stringMatching(/^(?:merged|closed)$/),
  result: expect.stringContaining('"code":"left-behind"'),
}

const UNKNOWN_WORK = { outcome: 'pull-request', changed: '', 'pr-operation': '' }

/** On each of these something false was said once, or two pull requests were open; with what must come of its last step now. */
const ONCE_FALSE: Readonly<Record<string, readonly [history: History, outputs: Record<string, unknown>]>> = {
  'a repository that was renamed has one pull request': [
    { ...CALM, steps: [ROLLING, step('rolling', 60_000, { 'pr-repository': FORMER_NAME })] },
    { continued: 'pull-request', 'pr-operation': 'updated' },
  ],
  'a commit of a person is no update': [during('person-commits'), { changed: 'false', 'pr-operation': 'unchanged' }],
  'a commit of a bot is no update': [during('bot-commits'), { changed: 'false', 'pr-operation': 'unchanged' }],
  'a merge of main is no update': [during('bot-merges-base'), { changed: 'false', 'pr-operation': 'unchanged' }],
  'the files of a merge of main are not those of the agent': [
    during('bot-merges-base', LONG_TURN),
    { 'pr-operation': 'updated', result: expect.not.stringContaining('src/main.ts') },
  ],
  'the files of a person are not those of the agent': [
    during('person-commits', LONG_TURN),
    { 'pr-operation': 'updated', result: expect.not.stringContaining('docs/index.md') },
  ],
  'the files of a person in a new pull request are not those of the agent': [
    {
      ...checked(passes('build', { takesMs: 40_000 })),
      github: { checks: [[passes('build')]], events: [{ after: 'opened', delayMs: 5_000, act: 'person-commits' }] },
    },
    { 'pr-operation': 'created', result: expect.not.stringContaining('docs/index.md') },
  ],
  'commits after a merge are in no pull request': [endedBefore('merge', TURN), LEFT_BEHIND],
  'commits to a closed pull request are in no merge': [endedBefore('close', TURN), LEFT_BEHIND],
  'one 404 does not mean that the branch of a merged pull request was deleted': [
    comparing('none', 404, 'none'),
    LEFT_BEHIND,
  ],
  'commits after a merge are unknown if GitHub refuses to show the branch': [comparing('none', 403), UNKNOWN_WORK],
  'commits after a merge are unknown if GitHub is down': [comparing('none', 'unavailable'), UNKNOWN_WORK],
  'commits after a merge are told, though GitHub did not show the branch before the turn': [
    comparing(403, 'none'),
    LEFT_BEHIND,
  ],
  'a 404 while other requests fail hides no commits after a merge': [
    {
      ...CALM,
      service: { turns: [{ ...TURN, ending: 'failed', pushesMs: [20_000] }, TURN, TURN, TURN] },
      github: {
        checks: [[]],
        events: [{ after: 'opened', delayMs: 0, act: 'merge' }],
        faults: { faults: ['none', 'none', 'none', 'none', 404, 'none'], then: 'stays' },
      },
      steps: [FOLLOW_UP, FOLLOW_UP, FOLLOW_UP, step('follow-up', 0, { 'wait-for-checks': 'true', 'fail-on': 'none' })],
    },
    LEFT_BEHIND,
  ],
  'a turn without commits leaves nothing behind a merge': [
    endedBefore('merge', IDLE),
    { outcome: 'no-changes', 'pr-state': 'merged' },
  ],
  'a fork that is synced after the merge has left nothing behind': [
    SYNCED,
    { outcome: 'no-changes', changed: 'false', 'pr-state': 'merged' },
  ],
  'what an earlier turn has left behind is not of this one': [
    {
      ...endedBefore('merge', TURN),
      service: { turns: [TURN, TURN, IDLE] },
      steps: [FOLLOW_UP, FOLLOW_UP, FOLLOW_UP],
    },
    { outcome: 'no-changes', 'pr-state': 'merged' },
  ],
  'a push before the turn fails does not make it succeed': [
    {
      ...{ ...CALM, steps: [FOLLOW_UP, step('follow-up', 60_000, { 'poll-interval-seconds': '2' })] },
      service: {
        turns: [TURN, { ...TURN, startDelayMs: 1_000, durationMs: 300_000, ending: 'failed', pushesMs: [500] }],
        lagsMs: [0, 9_000],
      },
    },
    { outcome: 'failed', changed: 'true' },
  ],
  'the late push of a turn before is not of this one': [
    {
      ...{ ...CALM, service: { turns: [TURN, TURN, IDLE] }, gitHubLags: [{ headMs: 9_000, runsMs: 0 }] },
      steps: [FOLLOW_UP, step('follow-up', 60_000, { wait: 'false' }), step('follow-up', 5_000)],
    },
    { changed: 'false', 'pr-operation': 'unchanged' },
  ],
  'a deadline that passes while the head is read again is kept': [late('0.634'), { outcome: 'timed-out' }],
  'a deadline that passes when the head has stood is kept': [late('0.65'), { outcome: 'timed-out' }],
  'a GitHub that hangs when it is asked for the head keeps no prompt from being sent': [
    hanging('none', 'never'),
    { outcome: 'pull-request' },
  ],
  'a GitHub that hangs while the turn is watched does not take the time of the job': [
    hanging('none', 'none', 'never'),
    { outcome: 'pull-request' },
  ],
  'a commit that somebody else pushes does not prove that a prompt of unknown fate was taken': [
    {
      ...{ ...CALM, steps: [FOLLOW_UP, FOLLOW_UP, FOLLOW_UP] },
      service: { turns: [TURN], prompts: { faults: ['none', 'unavailable'], then: 'stays' } },
      github: { checks: [[]], events: [{ after: 'follow-up', delayMs: 110_000, act: 'person-commits' }] },
    },
    { outcome: 'error', changed: '' },
  ],
  'a comment whose answer was lost is not written twice': [
    { ...CALM, github: { checks: [[]], faults: { faults: ['answer-lost', 'none'], then: 'stays' } } },
    { outcome: 'pull-request' },
  ],
  'a job behind `needs` may fail after all that is there has passed': [
    checked(passes('build', { takesMs: 40_000 }), passes('deploy', { ...fails, needs: true, afterMs: 3_000 })),
    { checks: 'failure' },
  ],
  'a check of one event does not hide that of another': [
    checked(passes('build', { ...fails, event: 'push' }), passes('build', { event: 'pull_request' })),
    { checks: 'failure' },
  ],
  'two jobs of one name may end differently': [checked(passes('build', fails), passes('build')), { checks: 'failure' }],
  'a workflow that cannot start has failed': [
    checked(passes('build'), { kind: 'unstarted', conclusion: 'startup_failure', workflow: 'broken.yml' }),
    { checks: 'failure' },
  ],
  'the failed checks of one commit are not those of a newer one that is merged': [
    {
      ...{ ...CALM, latenciesMs: [900], steps: [step('follow-up', 60_000, ROUNDS)] },
      github: {
        checks: [[passes('build', fails)], []],
        events: [
          { after: 'opened', delayMs: 15_000, act: 'person-commits' },
          { after: 'opened', delayMs: 15_100, act: 'merge' },
        ],
      },
    },
    { checks: 'none', 'pr-state': 'merged' },
  ],
  'jobs that are started again after all checks stood are not known to the step': [
    {
      ...checked(
        passes('build', { afterMs: 0, takesMs: 1_000, result: { conclusion: 'skipped' }, again: AGAIN }),
        passes('build', { ...fails, needs: true, afterMs: 0, takesMs: 1_000, again: { ...AGAIN, ...fails } }),
        passes('test', { workflow: 'docs.yml', takesMs: 1_000, again: { ...fails, afterMs: 36_000, takesMs: 20_000 } }),
      ),
      latenciesMs: [10],
    },
    { checks: 'success' },
  ],
  'a step that is cancelled after it counted its follow-up has sent nothing': [
    { ...CALM, latenciesMs: [300], steps: [ROLLING, { ...ROLLING, cancelAfterMs: 3_300 }] },
    { outcome: 'cancelled', changed: 'false' },
  ],
  'a commit status that failed may be replaced later': [
    checked(
      { kind: 'status', name: 'preview', afterMs: 3_000, takesMs: 2_000, conclusion: 'failure' },
      { kind: 'status', name: 'preview', afterMs: 21_000, takesMs: 29_000, conclusion: 'success' },
    ),
    { checks: 'failure' },
  ],
  'a second marker comment by a maintainer does not split the log': [
    {
      ...{ ...CALM, service: { turns: [LONG_TURN, TURN] } },
      steps: [step('follow-up', 60_000, { 'timeout-minutes': '0.5' }), FOLLOW_UP, FOLLOW_UP],
      github: { checks: [[]], events: [{ after: 'follow-up', delayMs: 0, act: 'maintainer-comments', body: MARKER }] },
    },
    { 'pr-operation': 'updated' },
  ],
  'a turn without commits and a round that GitHub hides are not known to change nothing': [
    {
      ...{ ...CALM, service: { turns: [TURN, IDLE, TURN] }, steps: [FOLLOW_UP, step('follow-up', 60_000, ROUNDS)] },
      github: {
        checks: [[passes('build', fails)], [passes('build')]],
        faults: { faults: ['none', 'never', 'none'], then: 'stays' },
      },
    },
    { outcome: 'pull-request', changed: '', 'pr-operation': '' },
  ],
  'a short turn of another step right before a message is not known to the step': [
    {
      service: {
        turns: [
          { ...TURN, durationMs: 1_000 },
          { ...TURN, startDelayMs: 5_000, durationMs: 1_000 },
          { ...TURN, durationMs: 220_000 },
          { ...TURN, durationMs: 1_000 },
          { ...IDLE, durationMs: 1_000 },
        ],
        lagsMs: [0, 0, 6_000, 0],
        reads: { faults: ['unavailable', 'none'], then: 'stays' },
      },
      github: { checks: [[passes('build', fails)]], agentPush: 'forced' },
      gitHubLags: [6_303, 282, 0].map((headMs) => ({ headMs, runsMs: 0 })),
      latenciesMs: [98, 380],
      steps: [
        step('follow-up', 30_000, TWO_ROUNDS),
        step('follow-up', 30_000, TWO_ROUNDS),
        { ...step('follow-up', 140_000, TWO_ROUNDS), begins: 'alongside' },
      ],
    },
    { outcome: 'no-changes' },
  ],
  'a job that is started again counts as it ends then': [
    checked(passes('build', { takesMs: 40_000, again: { afterMs: 4_000, takesMs: 9_000, ...fails } })),
    { checks: 'failure' },
  ],
}

test.each(Object.entries(ONCE_FALSE))('%s', async (_name, [history, outputs]) => {
  const trace = await playHistory(history)
  expect(problemsOf(trace)).toEqual([])
  expect(trace.runs.at(-1)?.outputs).toMatchObject(outputs)
})

test('whether a turn that is shorter than the time between two reads is seen may depend on GitHub', async () => {
  const history: History = {
    ...CALM,
    service: {
      turns: [
        { ...TURN, durationMs: 1_000 },
        { ...TURN, durationMs: 1_000 },
        { ...TURN, startDelayMs: 3_000, durationMs: 2_000, ending: 'failed' },
      ],
    },
    github: { checks: [[]], agentPush: 'forced' },
    latenciesMs: [276, 810, 604],
    steps: [
      { ...step('follow-up', 30_000, { 'allowed-paths': 'docs/**' }), leavesDocs: true },
      step('follow-up', 0),
      step('follow-up', 30_000),
    ],
  }
  const faults = { faults: ['unavailable', 'none'], then: 'stays' } as const
  const withFaults = await playVerdicts({ ...history, github: { ...history.github, faults } })
  const without = await playVerdicts(history)
  expect([withFaults, without].map((verdicts) => verdicts.at(-1)?.outcome)).toEqual(['unconfirmed', 'failed'])
  expect(compareVerdicts(withFaults, without)).toEqual([])
  expect(compareVerdicts([{ outcome: 'failed', isChance: false }], without)).toHaveLength(1)
})
