import { expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import type { TurnPlan } from '../../src/emulator/service/job-machine.ts'
import { DRAWING_TEST_TIMEOUT_MS, MUST_VARY } from '../../testing/seed.ts'
import {
  type ConsequenceHistory,
  type ConsequenceWorkflow,
  type DerivedEvent,
  EVENT_NAMES,
  findExtraPrompts,
  type PersonAct,
  playConsequences,
} from './consequences.ts'
import { checkCases } from './check-cases.ts'
import { between, mostly } from './weighted.ts'

jest.setTimeout(DRAWING_TEST_TIMEOUT_MS)

const seconds = (min: number, max: number): fc.Arbitrary<number> => between(min, max).map((drawn) => drawn * 1_000)

const turn: fc.Arbitrary<TurnPlan> = fc
  .record({
    durationMs: seconds(5, 400),
    pushShares: fc.array(fc.double({ min: 0.05, max: 1, noNaN: true }), { maxLength: 2 }),
  })
  .map(({ durationMs, pushShares }) => {
    const pushesMs = [...pushShares, 1]
      .map((share) => Math.round((durationMs * share) / 1_000) * 1_000)
      .toSorted((a, b) => a - b)
    return { startDelayMs: 0, durationMs, ending: 'pull-request', linkDelayMs: 0, unlistedWhile: undefined, pushesMs }
  })

const derived: fc.Arbitrary<DerivedEvent> = fc.record({
  delayMs: seconds(1, 120),
  by: fc.constantFrom('pusher', 'bot', 'person'),
  runEvent: fc.constantFrom('push', 'pull_request', 'issue_comment', 'label', 'check_run', 'pull_request_target'),
})

const workflow = (
  label: string,
  skipOwnChanges: fc.Arbitrary<ConsequenceWorkflow['skipOwnChanges']>,
): fc.Arbitrary<ConsequenceWorkflow> =>
  fc.record({
    label: fc.constant(label),
    on: fc.subarray([...EVENT_NAMES], { minLength: 2 }),
    skipOwnChanges,
    onOpenPr: fc.constantFrom('new', 'follow-up', 'skip'),
    changeContext: fc.constantFrom('none', 'files'),
  })

const act: fc.Arbitrary<PersonAct> = fc.record({
  kind: fc.constantFrom('dispatch', 'push', 'web-edit', 'pull-request'),
  afterMs: seconds(0, 300),
})

/** GitHub lists the pull requests of a commit this late. A commit of a bot is looked up for eight seconds, others for three. */
const MAX_LIST_LAG_SECONDS = { Bot: 7, User: 2 } as const

const history: fc.Arbitrary<ConsequenceHistory> = fc.constantFrom('Bot' as const, 'User' as const).chain((agentType) =>
  fc.record({
    acts: fc.array(act, { minLength: 1, maxLength: 2 }),
    workflows: fc.tuple(
      workflow('docs-agent', fc.constant('any-label')),
      workflow('docs-translations', fc.constantFrom('any-label', 'same-label')),
    ),
    turns: fc.tuple(turn, turn),
    agentType: fc.constant(agentType),
    pollInterval: mostly('', 2, fc.constantFrom('60', '200')),
    mergeAfterMs: mostly<number | undefined>(undefined, 1, seconds(1, 300)),
    mergeMethod: fc.constantFrom('squash', 'merge', 'rebase'),
    mergeBy: fc.constantFrom('person', 'bot', 'agent'),
    hasOtherCommits: fc.boolean(),
    derived: fc.array(derived, { maxLength: 3 }),
    lag: fc.record({
      headMs: mostly(0, 2, seconds(0, 9)),
      commitPullsMs: mostly(0, 1, seconds(0, MAX_LIST_LAG_SECONDS[agentType])),
    }),
    latenciesMs: fc.array(fc.integer({ min: 10, max: 900 }), { minLength: 1, maxLength: 3 }),
    queuedMs: fc.array(seconds(0, 60), { minLength: 1, maxLength: 4 }),
  }),
)

/** Whether somebody pushes a commit of their own, in or after a pull request of the agent, that does not name it. */
const pushesOwnCommit = ({ mergeMethod, mergeBy, agentType, hasOtherCommits }: ConsequenceHistory): boolean =>
  hasOtherCommits || (mergeMethod === 'rebase' && mergeBy === 'agent' && agentType === 'User')

/** A step looks up a commit of its pusher only once, so its pull request must be listed at once. */
const listedAtOnce = (drawn: ConsequenceHistory): ConsequenceHistory =>
  pushesOwnCommit(drawn) ? { ...drawn, lag: { ...drawn.lag, commitPullsMs: 0 } } : drawn

test('the work of the agent starts no prompt, and no cycle goes on without a person', async () => {
  let [startedByAgent, translated] = [0, 0]
  const played = await checkCases(history.map(listedAtOnce), 20, async (drawn) => {
    const trace = await playConsequences(drawn)
    startedByAgent += trace.runs.filter(({ cause }) => cause.jobId !== undefined).length
    translated += trace.runs.filter(({ cause, sent }) => cause.jobId !== undefined && sent !== undefined).length
    const log = trace.runs.flatMap((run) => [
      `--- ${new Date(run.startMs).toISOString()} ${run.workflow.label}: ${run.cause.name} ${run.cause.branch}`,
      ...run.log,
    ])
    return { problems: findExtraPrompts(trace), log }
  })
  // If the agent started no run, or no workflow followed another one, the test would not check anything.
  expect(!MUST_VARY || (startedByAgent > 5 * played && translated > 0)).toBe(true)
})
