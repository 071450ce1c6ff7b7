import type { Fault, FaultPattern } from '../http/faults.ts'
import { type TurnPlan, UNLISTED_STATUS } from './job-machine.ts'
import type { ListBehavior } from './visitors-query.ts'

/** How the agent works, and which faults requests and responses have. */
export interface Scenario {
  readonly description: string
  /** How the agent processes a job's first prompt, its second, and so on; the last plan is repeated. */
  readonly turns: readonly [TurnPlan, ...TurnPlan[]]
  /** The replica lag of consecutive reads of a job, in milliseconds; repeated after the last one. */
  readonly lagsMs: readonly number[]
  readonly reads: FaultPattern<Fault>
  readonly prompts: FaultPattern<Fault>
  readonly texts: 'plain' | 'sparse' | 'hostile'
  readonly pages: ListBehavior
}

/** The agent works for 20 s and opens a pull request, or pushes to the open one. */
export const DEFAULT_TURN: TurnPlan = {
  startDelayMs: 0,
  durationMs: 20_000,
  ending: 'pull-request',
  linkDelayMs: 0,
  unlistedWhile: undefined,
}

type Names<Name extends string> = readonly [names: readonly Name[], isName: (text: string) => text is Name]

/** The keys of a table, and a type guard for them. */
export function listNames<Name extends string>(table: Readonly<Record<Name, unknown>>): Names<Name> {
  const isName = (text: string): text is Name => Object.hasOwn(table, text)
  return [Object.keys(table).filter(isName), isName]
}

const always = (fault: Fault): FaultPattern<Fault> => ({ faults: [fault], then: 'stays' })

const turn = (...buts: readonly [Partial<TurnPlan>, ...Partial<TurnPlan>[]]): Pick<Scenario, 'turns'> => {
  const [first, ...others] = buts.map((but) => ({ ...DEFAULT_TURN, ...but }))
  return { turns: [first ?? DEFAULT_TURN, ...others] }
}

const everything = (fault: Fault): Pick<Scenario, 'reads' | 'prompts'> => ({
  reads: always(fault),
  prompts: always(fault),
})

/** The defaults of every scenario: nothing goes wrong. */
const USUAL: Omit<Scenario, 'description'> = {
  ...turn({}),
  lagsMs: [0],
  ...everything('none'),
  texts: 'plain',
  pages: 'complete',
}

const scenarios = {
  'pull-request': { description: 'The agent works for 20 seconds and opens a pull request.' },
  'no-changes': {
    description: 'The agent finds nothing to change, so there is no pull request.',
    ...turn({ ending: 'no-changes' }),
  },
  failed: { description: 'The agent hits an error that it cannot recover from.', ...turn({ ending: 'failed' }) },
  archived: {
    description: 'Somebody archives the job after 12 seconds, while the agent works on it.',
    ...turn({ durationMs: 12_000, ending: 'archived' }),
  },
  slow: { description: 'The agent works for two hours.', ...turn({ durationMs: 2 * 3_600_000 }) },
  'late-link': {
    description: 'A completed job shows its pull request only 3 seconds later.',
    ...turn({ linkDelayMs: 3_000 }),
  },
  'unlisted-status': {
    description: `For 25 seconds the job reads \`${UNLISTED_STATUS}\`, a status that the interface does not list.`,
    ...turn({ durationMs: 35_000, unlistedWhile: { fromMs: 5_000, toMs: 30_000 } }),
  },
  'stale-follow-up': {
    description: 'After a follow-up, the job keeps its previous status for 8 seconds, and only then becomes `active`.',
    ...turn({ startDelayMs: 8_000 }),
  },
  'never-starts': {
    description: 'After a follow-up the job keeps its old status: the agent is never seen to work on it.',
    ...turn({ startDelayMs: Infinity }),
  },
  'idle-follow-up': {
    description: 'The agent opens a pull request, and finds nothing to change after a follow-up.',
    ...turn({}, { ending: 'no-changes' }),
  },
  'pushes-in-turn': {
    description: 'The agent pushes three times while it works on a prompt.',
    ...turn({ pushesMs: [5_000, 10_000, 20_000] }),
  },
  'fails-after-push': {
    description: 'The agent opens a pull request, and after a follow-up it pushes and then fails.',
    ...turn({}, { ending: 'failed', pushesMs: [10_000] }),
  },
  lagging: {
    description: 'A job is read from copies that are up to 9 seconds old.',
    lagsMs: [0, 9_000, 3_000],
  },
  flaky: {
    description: 'Many reads fail: 503, a reset connection, an HTML page, half a response.',
    reads: {
      faults: ['unavailable', 'none', 'reset', 'html', 'none', 'truncated', 'none'],
      then: 'starts-over',
    },
  },
  'rate-limited': {
    description: 'The first prompt and the first read get a 429 response with Retry-After.',
    reads: { faults: ['rate-limited', 'none'], then: 'stays' },
    prompts: { faults: ['rate-limited', 'none'], then: 'stays' },
  },
  'rate-limited-for-hours': {
    description: 'Every request gets a 429 response with a Retry-After of two hours.',
    ...everything('rate-limited-for-hours'),
  },
  'unauthorized-later': {
    description: 'The key is revoked after the second read of a job, on which the agent works for two hours.',
    ...turn({ durationMs: 2 * 3_600_000 }),
    reads: { faults: ['none', 'none', 'unauthorized'], then: 'stays' },
  },
  unavailable: { description: 'Every request gets a 503 response.', ...everything('unavailable') },
  'payment-required': {
    description: 'Every prompt gets a 402 response: no credits are left.',
    prompts: always('payment-required'),
  },
  'too-large': { description: 'Every prompt gets a 413 response: it is too long.', prompts: always('too-large') },
  rejected: { description: 'Every prompt gets a 400 response: the service rejects it.', prompts: always('rejected') },
  'login-page': {
    description: 'Every response is an HTML page, as a proxy or a login page sends it.',
    ...everything('html'),
  },
  redirecting: { description: 'Every request gets a redirect.', ...everything('redirected') },
  stalled: {
    description: 'Every second read never gets a response, and the agent works for 40 seconds.',
    ...turn({ durationMs: 40_000 }),
    reads: { faults: ['none', 'never'], then: 'starts-over' },
  },
  'lost-answer': {
    description: 'A prompt is accepted, and then the connection is reset without a response.',
    prompts: always('response-lost'),
  },
  'bad-id': { description: 'A prompt is accepted, and the response has no valid id.', prompts: always('bad-id') },
  'other-job': {
    description: 'Every second read returns a failed job with another id.',
    reads: { faults: ['other-job', 'none'], then: 'starts-over' },
  },
  sparse: {
    description: 'Responses contain only what the interface requires: an id, a status, and a link if there is one.',
    texts: 'sparse',
  },
  hostile: {
    description: 'Texts, links, page paths and errors contain workflow commands, control characters and HTML.',
    texts: 'hostile',
  },
  'moving-pages': {
    description: 'The list of visited pages has 260 rows, and moves by one after its first part was read.',
    pages: 'moving',
  },
  'stuck-pages': {
    description: 'The list of visited pages starts over with every request, and never ends.',
    pages: 'stuck',
  },
  'long-path': { description: 'A visited page has a path of more than 8 KiB.', pages: 'long-path' },
  'endless-pages': {
    description: 'The list of visited pages never ends, its paths are 8,000 letters long, and no rate is limited.',
    pages: 'endless',
  },
  'short-history': {
    description: 'The service knows the visitors of the last 100 days, and gives a 400 response for earlier days.',
    pages: 'recent',
  },
} as const satisfies Record<string, Partial<Scenario> & Pick<Scenario, 'description'>>

export type ScenarioName = keyof typeof scenarios

export const [SCENARIO_NAMES, isScenarioName] = listNames(scenarios)
export const SCENARIOS = Object.fromEntries(
  SCENARIO_NAMES.map((name) => [name, { ...USUAL, ...scenarios[name] }]),
) as Readonly<Record<ScenarioName, Scenario>>

/**
 * A project whose id ends in `--<scenario>` plays that scenario, so that one server can play many. Every other project plays
 * the given one, even if its id ends in `--` and an unknown name, because that is a valid id.
 */
export function chooseScenario(projectId: string, otherwise: ScenarioName): ScenarioName {
  const name = projectId.slice(projectId.lastIndexOf('--') + 2)
  return projectId.includes('--') && isScenarioName(name) ? name : otherwise
}
