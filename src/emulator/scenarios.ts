import type { FaultPattern } from './faults.ts'
import type { TurnPlan } from './job-machine.ts'

/** A way for things to go, as data: how the agent works, and what happens to requests and answers. */
export interface Scenario {
  /** One sentence for a person who has to choose. */
  readonly description: string
  readonly turn: TurnPlan
  /** How it works on messages, where that is another way. */
  readonly followUpTurn?: TurnPlan
  /** What goes wrong with GET requests. */
  readonly reads: FaultPattern
  /** What goes wrong with POST requests. */
  readonly prompts: FaultPattern
  /** What the texts in the answers are like. */
  readonly texts: 'plain' | 'sparse' | 'hostile' | 'hostile-link'
}

/** The agent works for 20 s and opens a pull request, or pushes to the one that is there. */
export const USUAL_TURN: TurnPlan = {
  startDelayMs: 0,
  durationMs: 20_000,
  ending: 'pull-request',
  linkDelayMs: 0,
  pause: undefined,
}

const CLEAN: FaultPattern = { faults: ['none'], then: 'stays' }
const USUAL = { turn: USUAL_TURN, reads: CLEAN, prompts: CLEAN, texts: 'plain' } as const

const scenarios = {
  'pull-request': {
    ...USUAL,
    description: 'The agent works for 20 seconds and opens a pull request.',
  },
  'no-changes': {
    ...USUAL,
    description: 'The agent finds nothing to change, so there is no pull request.',
    turn: { ...USUAL_TURN, ending: 'no-changes' },
  },
  failed: {
    ...USUAL,
    description: 'The agent hits an error that it cannot recover from.',
    turn: { ...USUAL_TURN, ending: 'failed' },
  },
  archived: {
    ...USUAL,
    description: 'Somebody archives the job after 12 seconds, while the agent works on it.',
    turn: { ...USUAL_TURN, durationMs: 12_000, ending: 'archived' },
  },
  slow: {
    ...USUAL,
    description: 'The agent works for two hours.',
    turn: { ...USUAL_TURN, durationMs: 2 * 3_600_000 },
  },
  'late-link': {
    ...USUAL,
    description: 'A completed job shows its pull request only 3 seconds later.',
    turn: { ...USUAL_TURN, linkDelayMs: 3_000 },
  },
  'unlisted-status': {
    ...USUAL,
    description: 'For a while the job reads `paused`, a status that the interface does not list.',
    turn: { ...USUAL_TURN, pause: { fromMs: 5_000, toMs: 12_000 } },
  },
  'stale-follow-up': {
    ...USUAL,
    description: 'After a message the job still reads as before for 8 seconds, and only then `active`.',
    turn: { ...USUAL_TURN, startDelayMs: 8_000 },
  },
  'never-starts': {
    ...USUAL,
    description: 'After a message the job reads as before for ever: the new turn is never seen.',
    turn: { ...USUAL_TURN, startDelayMs: Infinity },
  },
  'idle-follow-up': {
    ...USUAL,
    description: 'The agent opens a pull request, and finds nothing to change after a message.',
    followUpTurn: { ...USUAL_TURN, ending: 'no-changes' },
  },
  flaky: {
    ...USUAL,
    description: 'Many reads fail: 503, a reset connection, an HTML page, half an answer.',
    reads: {
      faults: ['unavailable', 'none', 'reset', 'html', 'none', 'truncated', 'none'],
      then: 'starts-over',
    },
  },
  'rate-limited': {
    ...USUAL,
    description: 'The first prompt and some reads are answered 429 with Retry-After.',
    reads: { faults: ['none', 'rate-limited', 'none', 'rate-limited', 'none'], then: 'stays' },
    prompts: { faults: ['rate-limited', 'none'], then: 'stays' },
  },
  'unauthorized-later': {
    ...USUAL,
    description: 'The key is revoked after the second read of a job.',
    reads: { faults: ['none', 'none', 'unauthorized'], then: 'stays' },
  },
  unavailable: {
    ...USUAL,
    description: 'Everything is answered 503.',
    reads: { faults: ['unavailable'], then: 'stays' },
    prompts: { faults: ['unavailable'], then: 'stays' },
  },
  redirecting: {
    ...USUAL,
    description: 'Everything is answered with a redirect.',
    reads: { faults: ['redirected'], then: 'stays' },
    prompts: { faults: ['redirected'], then: 'stays' },
  },
  stalled: {
    ...USUAL,
    description: 'Every second read is never answered.',
    reads: { faults: ['none', 'never'], then: 'starts-over' },
  },
  'lost-answer': {
    ...USUAL,
    description: 'A prompt is taken, and then the connection is reset without an answer.',
    prompts: { faults: ['answer-lost'], then: 'stays' },
  },
  'bad-id': {
    ...USUAL,
    description: 'A prompt is taken, and answered without a valid id.',
    prompts: { faults: ['bad-id'], then: 'stays' },
  },
  'other-job': {
    ...USUAL,
    description: 'Every second read is answered with a failed job that was not asked for.',
    reads: { faults: ['other-job', 'none'], then: 'starts-over' },
  },
  sparse: {
    ...USUAL,
    description: 'Answers hold only what is promised: an id, a status, and the link where there is one.',
    texts: 'sparse',
  },
  hostile: {
    ...USUAL,
    description: 'Texts, links, page paths and errors carry workflow commands, control characters and HTML.',
    texts: 'hostile',
  },
  'hostile-link': {
    ...USUAL,
    description: 'The pull request has a usable link that carries Markdown, HTML and a workflow command.',
    texts: 'hostile-link',
  },
} as const satisfies Record<string, Scenario>

export type ScenarioName = keyof typeof scenarios

export const SCENARIOS: Readonly<Record<ScenarioName, Scenario>> = scenarios
export const SCENARIO_NAMES = Object.keys(scenarios) as readonly ScenarioName[]

export function isScenarioName(name: string): name is ScenarioName {
  return Object.hasOwn(scenarios, name)
}

/**
 * A project whose id ends in `--<scenario>` plays that one, so that one server can play many. Any other project plays the
 * given one, an id that ends in `--` and an unknown name included: it is a valid id.
 */
export function scenarioOf(projectId: string, otherwise: ScenarioName): ScenarioName {
  const name = projectId.slice(projectId.lastIndexOf('--') + 2)
  return projectId.includes('--') && isScenarioName(name) ? name : otherwise
}
