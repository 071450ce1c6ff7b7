import { expect, jest, test } from '@jest/globals'
import type { CheckPlan } from '../../src/emulator/github/check-plan.ts'
import type { PlannedEvent } from '../../src/emulator/github/github-scenarios.ts'
import type { TurnPlan } from '../../src/emulator/service/job-machine.ts'
import { DRAWING_TEST_TIMEOUT_MS, MUST_VARY } from '../../testing/seed.ts'
import { arbitraryHistory, createHistoryBody } from './arbitrary-history.ts'
import { getRepository, listTurns } from './history-truth.ts'
import { FORMER_NAME, playHistory, type History, type HistoryStep } from './history.ts'
import { listProblems } from './history-invariants.ts'
import { checkCases } from './check-cases.ts'

jest.setTimeout(DRAWING_TEST_TIMEOUT_MS)

const HISTORIES = { rolling: 15, 'follow-up': 15, rounds: 20 } as const

/** Results that the histories of a kind must contain. */
const EXPECTED_RESULTS = {
  rolling: ['created', 'updated', 'checks success', 'checks failure'],
  'follow-up': ['updated', 'unchanged', 'checks success', 'checks failure'],
  rounds: ['fixed', 'not fixed'],
} as const

test.each(['rolling', 'follow-up', 'rounds'] as const)(
  'every step reports correct results in every random history: %s',
  async (kind) => {
    const seen = new Set<string>()
    await checkCases(arbitraryHistory(kind), HISTORIES[kind], async (history) => {
      const trace = await playHistory(history)
      for (const { isGreen, outputs } of trace.runs) {
        if (isGreen) seen.add(outputs['pull_request.operation'] ?? '')
        seen.add(`checks ${outputs['checks'] ?? ''}`)
        if (Number(outputs['fix_rounds']) > 0) seen.add(outputs['checks'] === 'success' ? 'fixed' : 'not fixed')
      }
      return { problems: listProblems(trace), log: trace.runs.flatMap(({ log, line }) => [...log, line]) }
    })
    // If all histories had the same result, the test would prove little.
    expect(MUST_VARY ? EXPECTED_RESULTS[kind].filter((result) => !seen.has(result)) : []).toEqual([])
  },
)

/** Keeps only the faults of GitHub, and makes no step wait for GitHub. */
function keepOnlyGitHubFaults({ service: { turns }, github, ...history }: History): History {
  const inputs = { 'timeout-minutes': '60', 'wait-for-checks': 'false', 'fix-rounds': '0' }
  const steps = history.steps.map((step) => ({
    ...step,
    cancelAfterMs: undefined,
    inputs: { ...step.inputs, ...inputs },
  }))
  return { ...history, steps, service: turns === undefined ? {} : { turns }, github: { ...github, events: [] } }
}

/** The step reads a follow-up every 5 s, and a read takes a few seconds. A shorter turn can fall between two reads. */
const MAX_READ_GAP_MS = 10_000

/** What a step reports about its job, and whether a turn was so short that no read may have shown it. */
interface JobVerdict {
  readonly outcome: string
  readonly mayBeMissed: boolean
}

async function playVerdicts(history: History): Promise<readonly JobVerdict[]> {
  const { runs } = await playHistory(history)
  return runs.map((run) => {
    const { outcome, operation } = run.report
    const isShort = listTurns(run).some(({ turn }) => turn.plan.durationMs < MAX_READ_GAP_MS)
    // Whether the agent added commits is known only from GitHub.
    return {
      outcome: operation === 'unchanged' ? 'pull-request' : outcome,
      mayBeMissed: outcome === 'unconfirmed' && isShort,
    }
  })
}

/** Compares verdicts step by step, and stops at the first verdict that depends on the time of a read. */
function compareVerdicts(withFaults: readonly JobVerdict[], without: readonly JobVerdict[]): readonly string[] {
  for (const [index, { outcome, mayBeMissed }] of withFaults.entries()) {
    const expected = without[index]
    if (outcome === expected?.outcome) continue
    if (mayBeMissed || expected?.mayBeMissed === true) return []
    return [`Step ${index + 1} reports ${outcome}, but ${expected?.outcome ?? 'nothing'} without failures of GitHub.`]
  }
  return []
}

const WITHOUT_FAULTS = { faults: ['none'], then: 'stays' } as const

test('failures of GitHub do not change what a step reports about its job', async () => {
  const histories = arbitraryHistory('follow-up').map(keepOnlyGitHubFaults)
  await checkCases(histories, 8, async (history) => {
    const calm: History = { ...history, github: { ...history.github, faults: WITHOUT_FAULTS } }
    return { problems: compareVerdicts(await playVerdicts(history), await playVerdicts(calm)), log: [] }
  })
})

const TURN = {
  startDelayMs: 0,
  durationMs: 20_000,
  ending: 'pull-request',
  linkDelayMs: 0,
  unlistedWhile: undefined,
} as const
const IDLE = { ...TURN, durationMs: 60_000, ending: 'no-changes' } as const
const step = (task: HistoryStep['task'], gapMs: number, inputs: Record<string, string> = {}): HistoryStep => ({
  task,
  gapMs,
  leavesDocs: false,
  inputs,
})
const [ROLLING, FOLLOW_UP] = [step('rolling', 60_000), step('follow-up', 60_000)]
const CALM: History = {
  service: { turns: [TURN] },
  github: { checks: [[]] },
  gitHubLags: [{ headMs: 0, runsMs: 0 }],
  latenciesMs: [100],
  steps: [ROLLING, ROLLING],
}
test('ten pushes result in one pull request whose comment names each push', async () => {
  const trace = await playHistory({ ...CALM, steps: Array.from({ length: 10 }, () => ROLLING) })
  expect(listProblems(trace)).toEqual([])
  const opened = Object.values(getRepository(trace).pulls).filter(({ labels }) => labels.includes('docs-agent'))
  expect(opened).toHaveLength(1)
  const [comment, ...others] = opened[0]?.comments ?? []
  expect(others).toEqual([])
  const shown = (comment?.body ?? '')
    .replaceAll(/<!--.*?-->|<\/?\w[^>]*>/g, '')
    .replaceAll('&#64;', '@')
    .replaceAll('&#45;', '-')
  const push = (index: number): unknown => expect.stringMatching(`^push to main by @writer-${index}, about b{10}`)
  const rows = Array.from(shown.matchAll(/^\| \d{4}-\d\d-\d\d \d\d:\d\d \| (.*) \| (.*) \| (.*) \|$/gm), (row) =>
    row.slice(1),
  )
  expect(rows).toEqual(
    Array.from({ length: 10 }, (_, index) => [push(index), index === 0 ? 'opened' : '1 new commit', 'run, step agent']),
  )
  expect(shown).toContain('- Review it.')
})

const CHECKED = step('rolling', 60_000, { 'wait-for-checks': 'true' })
const job = (name: string, more: Partial<Extract<CheckPlan, { kind: 'job' }>> = {}): CheckPlan => ({
  kind: 'job',
  name,
  afterMs: 1_000,
  takesMs: 10_000,
  result: { conclusion: 'success' },
  ...more,
})
const FAILS = { result: { conclusion: 'failure' } }
const withChecks = (...plans: readonly CheckPlan[]): History => ({
  ...CALM,
  github: { checks: [plans] },
  steps: [CHECKED],
})
const duringFollowUp = (act: PlannedEvent['act'], turn: TurnPlan = IDLE): History => ({
  ...CALM,
  service: { turns: [TURN, turn] },
  github: { checks: [[]], events: [{ after: 'follow-up', delayMs: 30_000, act }] },
})
const LONG_TURN = { ...TURN, durationMs: 60_000 }

/** The pull request of the first turn is merged or closed long before the follow-up. */
const endedBeforeFollowUp = (act: 'merge' | 'close', turn: TurnPlan): History => ({
  ...CALM,
  service: { turns: [TURN, turn] },
  steps: [FOLLOW_UP, FOLLOW_UP],
  github: { checks: [[]], events: [{ after: 'opened', delayMs: 10_000, act }] },
})

/** A request and its three retries. */
const UNANSWERED = ['never', 'never', 'never', 'never'] as const

/** GitHub does not respond to one read of the pull request, after some successful ones. */
const withUnansweredRead = (readsBefore: number): Pick<History, 'operationFaults'> => ({
  operationFaults: {
    'pulls/get': {
      faults: [...Array.from({ length: readsBefore }, () => 'none' as const), ...UNANSWERED, 'none'],
      then: 'stays',
    },
  },
})

/** The second follow-up starts while the agent works on the first, and the servers are slow. */
const withSlowServers = (timeoutMinutes: string): History => ({
  ...CALM,
  latenciesMs: [900],
  steps: [
    FOLLOW_UP,
    step('follow-up', 60_000, { wait: 'false' }),
    step('follow-up', 0, { 'timeout-minutes': timeoutMinutes }),
  ],
})

const ROUNDS = { 'wait-for-checks': 'true', 'fix-rounds': '1' }
const RERUN = { afterMs: 30_000, takesMs: 1_000, result: { conclusion: 'success' } }
const HISTORY_BODY = createHistoryBody('job_000001')

const MERGED_TOO_EARLY = {
  outcome: 'error',
  'pr-state': expect.stringMatching(/^(?:merged|closed)$/),
  result: expect.stringContaining('"code":"merged-too-early"'),
}

/**
 * Histories with which a step once reported a false result, or opened a second pull request; and the outputs of the last
 * step.
 */
const REGRESSIONS: Readonly<Record<string, readonly [history: History, lastOutputs: Record<string, unknown>]>> = {
  'does not open a second pull request in a renamed repository': [
    { ...CALM, steps: [ROLLING, step('rolling', 60_000, { 'pr-repository': FORMER_NAME })] },
    { continued: 'pull-request', 'pull_request.operation': 'updated' },
  ],
  'does not report a commit of a person as an update': [
    duringFollowUp('person-commits'),
    { changed: 'false', 'pull_request.operation': 'unchanged' },
  ],
  'does not report a commit of a bot as an update': [
    duringFollowUp('bot-commits'),
    { changed: 'false', 'pull_request.operation': 'unchanged' },
  ],
  'does not report a merge of main as an update': [
    duringFollowUp('bot-merges-base'),
    { changed: 'false', 'pull_request.operation': 'unchanged' },
  ],
  'does not list the files of a merge of main': [
    duringFollowUp('bot-merges-base', LONG_TURN),
    { 'pull_request.operation': 'updated', result: expect.not.stringContaining('src/main.ts') },
  ],
  'does not list the files that a person changed': [
    duringFollowUp('person-commits', LONG_TURN),
    { 'pull_request.operation': 'updated', result: expect.not.stringContaining('docs/index.md') },
  ],
  'does not list the files that a person changed in a new pull request': [
    {
      ...withChecks(job('build', { takesMs: 40_000 })),
      github: { checks: [[job('build')]], events: [{ after: 'opened', delayMs: 5_000, act: 'person-commits' }] },
    },
    { 'pull_request.operation': 'created', result: expect.not.stringContaining('docs/index.md') },
  ],
  'is red if the pull request is merged while the agent works on it': [
    duringFollowUp('merge', LONG_TURN),
    MERGED_TOO_EARLY,
  ],
  'is red if the pull request is closed while the agent works on it': [
    duringFollowUp('close', LONG_TURN),
    MERGED_TOO_EARLY,
  ],
  'is red if the pull request was merged before the follow-up': [endedBeforeFollowUp('merge', TURN), MERGED_TOO_EARLY],
  'reports `failed` for a turn that pushes and then fails': [
    {
      ...CALM,
      steps: [FOLLOW_UP, step('follow-up', 60_000, { 'poll-interval-seconds': '2' })],
      service: {
        turns: [TURN, { ...TURN, startDelayMs: 1_000, durationMs: 300_000, ending: 'failed', pushesMs: [500] }],
        lagsMs: [0, 9_000],
      },
    },
    { outcome: 'failed', changed: 'true' },
  ],
  'does not report a late push of the preceding turn as its own': [
    {
      ...CALM,
      service: { turns: [TURN, TURN, IDLE] },
      gitHubLags: [{ headMs: 9_000, runsMs: 0 }],
      steps: [FOLLOW_UP, step('follow-up', 60_000, { wait: 'false' }), step('follow-up', 5_000)],
    },
    { changed: 'false', 'pull_request.operation': 'unchanged' },
  ],
  'ends at a deadline that passes while it reads the head commit again': [
    withSlowServers('0.634'),
    { outcome: 'timed-out' },
  ],
  'ends at a deadline that passes when the head commit has been stable': [
    withSlowServers('0.65'),
    { outcome: 'timed-out' },
  ],
  'sends the prompt although GitHub does not respond to the read of the head commit': [
    { ...CALM, steps: [FOLLOW_UP, FOLLOW_UP], ...withUnansweredRead(1) },
    { outcome: 'pull-request' },
  ],
  'reports the job although GitHub does not respond after the turn': [
    { ...CALM, steps: [FOLLOW_UP, FOLLOW_UP], ...withUnansweredRead(2) },
    { outcome: 'pull-request' },
  ],
  'does not confirm a prompt with unknown delivery by a commit of another user': [
    {
      ...CALM,
      steps: [FOLLOW_UP, FOLLOW_UP, FOLLOW_UP],
      service: { turns: [TURN], prompts: { faults: ['none', 'unavailable'], then: 'stays' } },
      github: { checks: [[]], events: [{ after: 'follow-up', delayMs: 110_000, act: 'person-commits' }] },
    },
    { outcome: 'error', changed: '' },
  ],
  'does not write a comment twice if the response was lost': [
    { ...CALM, github: { checks: [[]], faults: { faults: ['response-lost', 'none'], then: 'stays' } } },
    { outcome: 'pull-request' },
  ],
  'does not write a second comment in a fix round if the response to the first one was lost': [
    {
      ...CALM,
      github: {
        checks: [[job('build', FAILS)], [job('build')]],
        faults: { faults: ['response-lost', 'none'], then: 'stays' },
      },
      steps: [step('follow-up', 60_000, ROUNDS)],
    },
    { outcome: 'pull-request', fix_rounds: '1' },
  ],
  'completes the row of a fix round that it has announced and then does not send': [
    {
      service: { turns: [{ ...TURN, durationMs: 1_000 }] },
      github: {
        checks: [[job('build', FAILS)]],
        events: [{ after: 'opened', delayMs: 17_000, act: 'person-commits' }],
      },
      gitHubLags: [
        { headMs: 2_321, runsMs: 0 },
        { headMs: 0, runsMs: 0 },
      ],
      latenciesMs: [10],
      steps: [step('follow-up', 0, ROUNDS)],
    },
    { outcome: 'pull-request', fix_rounds: '0' },
  ],
  'waits for a job with `needs` that is registered after all other checks have passed': [
    withChecks(job('build', { takesMs: 40_000 }), job('deploy', { ...FAILS, needs: true, afterMs: 3_000 })),
    { checks: 'failure' },
  ],
  'does not let a check of one event hide a check of the same name of another event': [
    withChecks(job('build', { ...FAILS, event: 'push' }), job('build', { event: 'pull_request' })),
    { checks: 'failure' },
  ],
  'reports a failed job although a job of the same name succeeds': [
    withChecks(job('build', FAILS), job('build')),
    { checks: 'failure' },
  ],
  'reports `failure` for a workflow that cannot start': [
    withChecks(job('build'), { kind: 'unstarted', conclusion: 'startup_failure', workflow: 'broken.yml' }),
    { checks: 'failure' },
  ],
  'does not report failed checks of an older commit for the merged head commit': [
    {
      ...CALM,
      latenciesMs: [900],
      steps: [step('follow-up', 60_000, ROUNDS)],
      github: {
        checks: [[job('build', FAILS)], []],
        events: [
          { after: 'opened', delayMs: 15_000, act: 'person-commits' },
          { after: 'opened', delayMs: 15_100, act: 'merge' },
        ],
      },
    },
    { checks: 'none', 'pr-state': 'merged' },
  ],
  'reports `success` if jobs are rerun only after all checks have been stable': [
    {
      ...withChecks(
        job('build', { afterMs: 0, takesMs: 1_000, result: { conclusion: 'skipped' }, again: RERUN }),
        job('build', { ...FAILS, needs: true, afterMs: 0, takesMs: 1_000, again: { ...RERUN, ...FAILS } }),
        job('test', { workflow: 'docs.yml', takesMs: 1_000, again: { ...FAILS, afterMs: 36_000, takesMs: 20_000 } }),
      ),
      latenciesMs: [10],
    },
    { checks: 'success' },
  ],
  'reports `changed: false` if it is cancelled after it counted its follow-up, but before it sent the prompt': [
    { ...CALM, latenciesMs: [300], steps: [ROLLING, { ...ROLLING, cancelAfterMs: 3_300 }] },
    { outcome: 'cancelled', changed: 'false' },
  ],
  'reports a failed commit status that is replaced later': [
    withChecks(
      { kind: 'status', name: 'preview', afterMs: 3_000, takesMs: 2_000, conclusion: 'failure' },
      { kind: 'status', name: 'preview', afterMs: 21_000, takesMs: 29_000, conclusion: 'success' },
    ),
    { checks: 'failure' },
  ],
  'keeps one log if a maintainer adds a second marker comment': [
    {
      ...CALM,
      service: { turns: [LONG_TURN, TURN] },
      steps: [step('follow-up', 60_000, { 'timeout-minutes': '0.5' }), FOLLOW_UP, FOLLOW_UP],
      github: {
        checks: [[]],
        events: [{ after: 'follow-up', delayMs: 0, act: 'maintainer-comments', body: HISTORY_BODY }],
      },
    },
    { 'pull_request.operation': 'updated' },
  ],
  'leaves `changed` empty if the turn has no commits and GitHub does not show those of the round': [
    {
      ...CALM,
      service: { turns: [TURN, IDLE, TURN] },
      steps: [FOLLOW_UP, step('follow-up', 60_000, ROUNDS)],
      github: {
        checks: [[job('build', FAILS)], [job('build')]],
      },
      ...withUnansweredRead(6),
    },
    { outcome: 'pull-request', changed: '', 'pull_request.operation': '' },
  ],
  'reports the result of the last attempt of a rerun job': [
    withChecks(job('build', { takesMs: 40_000, again: { afterMs: 4_000, takesMs: 9_000, ...FAILS } })),
    { checks: 'failure' },
  ],
}

test.each(Object.entries(REGRESSIONS))('%s', async (_name, [history, lastOutputs]) => {
  const trace = await playHistory(history)
  expect(listProblems(trace)).toEqual([])
  expect(trace.runs.at(-1)?.outputs).toMatchObject(lastOutputs)
})
