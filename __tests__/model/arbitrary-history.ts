import fc from 'fast-check'
import type { CheckPlan } from '../../src/emulator/github/check-plan.ts'
import type { GitHubScenario, PlannedEvent } from '../../src/emulator/github/github-scenarios.ts'
import { ALL_PERMISSIONS, type TokenPermissions } from '../../src/emulator/github/state.ts'
import type { Fault } from '../../src/emulator/http/faults.ts'
import type { TurnPlan } from '../../src/emulator/service/job-machine.ts'
import { between, mostly, upTo, weighted } from './weighted.ts'
import { FORMER_NAME, LABEL, REPOSITORY, SILENT_JOB, type History, type HistoryStep } from './history.ts'
import { MAX_HEAD_LAG_MS, MAX_LAG_MS } from './history-invariants.ts'

const WITHOUT_ACTIONS: TokenPermissions = Object.fromEntries(
  Object.entries(ALL_PERMISSIONS).filter(([name]) => name !== 'actions'),
)

/** With these permissions, the label cannot be created. */
const WITHOUT_ISSUES: TokenPermissions = { ...ALL_PERMISSIONS, issues: 'read' }

const FORK = 'docs-agent/docs'

/** The step looks for a pull request's link for 15 s after it has read the end of the turn. */
const MAX_LINK_DELAY_MS = 14_000

const seconds = (min: number, max: number): fc.Arbitrary<number> => between(min, max).map((drawn) => drawn * 1_000)

const turnPlan: fc.Arbitrary<TurnPlan> = fc
  .record({
    startDelayMs: mostly(0, 2, mostly(5_000, 3, fc.oneof(seconds(0, 60), fc.constant(Infinity)))),
    durationMs: weighted([2, seconds(1, 60)], [1, seconds(60, 400)]),
    ending: weighted<TurnPlan['ending']>(
      [6, fc.constant('pull-request')],
      [3, fc.constant('no-changes')],
      [2, fc.constant('failed')],
      [1, fc.constant('archived')],
    ),
    linkDelayMs: mostly(0, 4, seconds(0, 8)),
    pushShares: fc.array(fc.double({ min: 0.05, max: 1, noNaN: true }), { maxLength: 3 }),
  })
  .map(({ pushShares, ...plan }) => {
    // A turn without changes pushes nothing. A pull request needs a push.
    const shares =
      plan.ending === 'no-changes' ? [] : plan.ending === 'pull-request' && pushShares.length === 0 ? [1] : pushShares
    const pushesMs = shares
      .map((share) => Math.round((plan.durationMs * share) / 1_000) * 1_000)
      .toSorted((a, b) => a - b)
    return { ...plan, unlistedWhile: undefined, pushesMs }
  })

const firstTurnPlan: fc.Arbitrary<TurnPlan> = turnPlan.map((plan) =>
  plan.ending === 'no-changes' ? { ...plan, ending: 'pull-request', pushesMs: [plan.durationMs] } : plan,
)

const result = fc.record({ conclusion: mostly('success', 3, fc.constantFrom('failure', 'skipped')) })

const just = <const T>(value: T): fc.Arbitrary<T> => fc.constant(value)
const timed = { afterMs: seconds(0, 30), takesMs: seconds(1, 30) }
const job = fc.record(
  {
    kind: just('job'),
    name: fc.constantFrom('build', 'test'),
    ...timed,
    result,
    workflow: fc.constantFrom('ci.yml', 'docs.yml'),
    event: fc.constantFrom('push', 'pull_request'),
    needs: just(true),
    again: fc.record({ ...timed, result }),
  },
  { requiredKeys: ['kind', 'name', 'afterMs', 'takesMs', 'result', 'workflow', 'event'] },
)
const app = fc.record({ kind: just('app'), name: fc.constantFrom('links', 'build'), ...timed, result })
const conclusion = fc.constantFrom('success', 'failure')
const status = fc.record({ kind: just('status'), name: just('preview'), ...timed, conclusion })
const unstarted = fc.record({
  kind: just('unstarted'),
  conclusion: fc.constantFrom('action_required', 'startup_failure'),
  workflow: just('broken.yml'),
})
const checkPlan = weighted<CheckPlan>([6, job], [2, app], [1, status], [1, unstarted])
const checks = fc.array(checkPlan, { maxLength: 4 })
const FAILING = {
  kind: 'job',
  name: 'build',
  afterMs: 1_000,
  takesMs: 9_000,
  result: { conclusion: 'failure' },
} as const
const PASSING = { ...FAILING, result: { conclusion: 'success' } } satisfies CheckPlan

/** Returns a history comment as somebody may copy it. */
export const createHistoryBody = (jobId: string): string =>
  `<!-- docs-agent-action: ${JSON.stringify({ v: 1, job: jobId, labels: [LABEL], followUps: 0, rows: [], dropped: 0 })} -->\nThis is mine.`

const historyBody = fc
  .constantFrom('job_000001', 'job_000002', 'job_running', 'job_archived', 'job_finished', 'job_nobody', SILENT_JOB)
  .map(createHistoryBody)

const event: fc.Arbitrary<PlannedEvent> = fc.record({
  after: fc.constantFrom('opened', 'follow-up'),
  delayMs: weighted([1, seconds(0, 40)], [1, seconds(40, 400)]),
  act: weighted<PlannedEvent['act']>(
    [3, fc.constantFrom('person-commits', 'bot-commits', 'bot-merges-base')],
    [1, fc.constantFrom('merge', 'close')],
    [3, fc.constantFrom('outsider-comments', 'maintainer-comments')],
  ),
  body: historyBody,
})

/** Draws no fault, or faults for a few requests. */
const drawRareFaults = <T>(...faults: readonly T[]): fc.Arbitrary<{ faults: (T | 'none')[]; then: 'stays' }> =>
  mostly<(T | 'none')[]>(
    [],
    3,
    fc.array(mostly<T | 'none'>('none', 6, fc.constantFrom(...faults)), { maxLength: 20 }),
  ).map((drawn) => ({ faults: [...drawn, 'none'], then: 'stays' }))

const commonInputs = fc.record({
  wait: mostly('true', 5, fc.constant('false')),
  'timeout-minutes': fc.constantFrom('0.5', '3', '60', '60', '60'),
  'allowed-paths': fc.constantFrom('', '', 'docs/**'),
  'fail-on': mostly('', 3, fc.constant('none')),
})
const checkInputs = weighted<Record<string, string>>(
  [1, fc.constant({ 'wait-for-checks': 'false' })],
  [1, fc.record({ 'wait-for-checks': fc.constant('true'), 'fix-rounds': fc.constantFrom('0', '0', '1', '2') })],
)

/** `rounds`: the step sends failing checks back to the agent. */
export type HistoryKind = HistoryStep['task'] | 'rounds'

/** The inputs of one kind only. The inputs about a rolling pull request are rejected in steps of other kinds. */
const KIND_INPUTS: Readonly<Record<HistoryKind, fc.Arbitrary<Record<string, string>>>> = {
  rolling: fc.record({
    'pr-repository': fc.constantFrom('', REPOSITORY, FORMER_NAME),
    'on-open-pr': mostly('follow-up', 5, fc.constant('skip')),
  }),
  'follow-up': fc.constant({}),
  // A round needs ten minutes.
  rounds: fc.constant({ 'wait-for-checks': 'true', 'fix-rounds': '2', 'timeout-minutes': '60', wait: 'true' }),
}

/** Removes the inputs that are rejected together with `wait: false`. */
function removeInvalidInputs(inputs: HistoryStep['inputs']): HistoryStep['inputs'] {
  return inputs['wait'] === 'false'
    ? { ...inputs, 'wait-for-checks': 'false', 'fix-rounds': '0', 'allowed-paths': '' }
    : inputs
}

const step = (kind: HistoryKind): fc.Arbitrary<HistoryStep> =>
  fc.record({
    task: fc.constant(kind === 'rounds' ? 'follow-up' : kind),
    gapMs: weighted([1, seconds(0, 30)], [1, seconds(30, 300)]),
    leavesDocs: mostly(false, 3, fc.constant(true)),
    inputs: fc
      .tuple(commonInputs, checkInputs, KIND_INPUTS[kind])
      .map((parts) => removeInvalidInputs(Object.assign({}, ...parts))),
    cancelAfterMs: mostly<number | undefined>(undefined, 9, seconds(0, 120)),
  })

/** Draws failing, passing and random checks, so that a round fixes some failures. */
const roundChecks = weighted<CheckPlan[]>([3, just([FAILING])], [2, just([PASSING])], [3, checks])

/** Where the agent pushes: usually to the repository itself, otherwise to a branch of its fork. */
const agentPlace = mostly<Pick<GitHubScenario, 'agentFork' | 'agentBranch'>>(
  {},
  3,
  fc.constantFrom(
    { agentFork: FORK },
    { agentFork: FORK, agentBranch: 'main' },
    { agentFork: FORK, agentBranch: 'docs' },
  ),
)

/** Limits the link's delay and replica lag together: the step stops looking for a link that takes longer. */
function limitLinkDelays<Plays extends { turns: [TurnPlan, ...TurnPlan[]]; lagsMs: number[] }>(plays: Plays): Plays {
  const maxMs = Math.max(0, MAX_LINK_DELAY_MS - Math.max(...plays.lagsMs))
  const limit = (plan: TurnPlan): TurnPlan => ({ ...plan, linkDelayMs: Math.min(plan.linkDelayMs, maxMs) })
  const [firstTurn, ...others] = plays.turns
  return { ...plays, turns: [limit(firstTurn), ...others.map(limit)] }
}

/** Draws histories of several steps with replica lag, checks of all kinds, and commits and comments of other users. */
export const arbitraryHistory = (kind: HistoryKind): fc.Arbitrary<History> =>
  fc.record({
    service: fc
      .record({
        turns: fc
          .tuple(firstTurnPlan, fc.array(turnPlan, { minLength: 1, maxLength: 4 }))
          .map(([one, others]) => [one, ...others] as [TurnPlan, ...TurnPlan[]]),
        lagsMs: fc.array(mostly(0, 1, upTo(MAX_LAG_MS)), { minLength: 1, maxLength: 5 }),
        reads: drawRareFaults<Fault>('unavailable', 'reset', 'html', 'truncated', 'never'),
        prompts: drawRareFaults<Fault>('response-lost', 'reset', 'rate-limited', 'rejected', 'unavailable', 'bad-id'),
      })
      .map(limitLinkDelays),
    github: fc
      .tuple(
        agentPlace,
        fc.record({
          checks: fc.array(kind === 'rounds' ? roundChecks : checks, { minLength: 1, maxLength: 4 }),
          events: fc.array(event, { maxLength: 4 }),
          agentPush: mostly<'on-top' | 'forced'>('on-top', 6, fc.constant('forced')),
          permissions: mostly(ALL_PERMISSIONS, 2, fc.constantFrom(WITHOUT_ACTIONS, WITHOUT_ISSUES)),
          faults: drawRareFaults<'unavailable' | 'reset' | 'never' | 'response-lost' | 'late' | number>(
            'unavailable',
            'reset',
            'response-lost',
            'late',
            404,
            'never',
          ),
        }),
      )
      .map(([place, github]) => ({ ...place, ...github })),
    gitHubLags: fc.array(
      fc.record({
        headMs: mostly(0, 1, upTo(MAX_HEAD_LAG_MS)),
        runsMs: mostly(0, 2, seconds(0, 10)),
      }),
      { minLength: 1, maxLength: 6 },
    ),
    latenciesMs: fc.array(fc.integer({ min: 10, max: 900 }), { minLength: 1, maxLength: 4 }),
    steps: fc.array(step(kind), { minLength: 2, maxLength: 5 }),
  })
