import type { FailOn } from '../../src/agent/inputs/fail-on.ts'
import type { Plant } from './planted-key.ts'
import type { WallJump } from '../support/virtual-clock.ts'

/** What the service's answer looks like where it says that all is well. */
export type BodyShape = 'good' | 'truncated' | 'html' | 'null' | 'wrong-id' | 'bad-id' | 'no-id' | 'no-status'

/** Where a connection fails, in the order of a request's life. `unseen`: nobody here saw the request going out. */
export type Break =
  | 'refused'
  | 'untrusted'
  | 'proxy-refused'
  | 'invalid'
  | 'reset-in-handshake'
  | 'reset-before-read'
  | 'reset-after-read'
  | 'reset-after-read-unseen'
  | 'answer-cut-off'

/** How an answer asks for patience. A date is reckoned from the answer's own `Date`. */
export type RetryAfter =
  'none' | 'junk' | 'past-date' | { readonly seconds: number } | { readonly dateInSeconds: number }

/** What happens to a request. */
export type Happening =
  | { readonly kind: 'answered'; readonly status: 200 | 201 | 202; readonly body: BodyShape }
  | { readonly kind: 'broken'; readonly how: Break }
  | {
      readonly kind: 'refusal'
      readonly status: number
      readonly retryAfter: RetryAfter
      /** For a prompt: whether the service had processed it all the same, where such a status can follow that. */
      readonly processed: boolean
      readonly body: 'error' | 'html' | 'empty'
    }

export interface Fate {
  readonly what: Happening
  /** From the request to its end; a fifth for the connection, half until the service has read it. */
  readonly delayMs: number
  /** How many requests in a row fare like this. */
  readonly times: number
}

export type Ending = 'completed' | 'failed' | 'archived' | 'unlisted'

/** A turn of the agent. */
export interface TurnPlan {
  readonly durationMs: number
  readonly ending: Ending
  readonly hasLink: boolean
  /** From the end of the turn until its link can be read. */
  readonly linkLateMs: number
  /** Whether the job reads `paused`, which no list has, for the first half of the turn. */
  readonly pauses: boolean
}

/** Everything that decides how a run without a token for GitHub goes. A plain value: it can be shrunk, printed, and kept as a test. */
export interface Schedule {
  readonly task: 'create' | 'follow-up' | 'attach'
  readonly wait: boolean
  readonly timeoutMs: number
  readonly pollIntervalMs: number | undefined
  readonly failOn: readonly FailOn[]
  /** Never, if undefined. */
  readonly cancelAtMs: number | undefined
  readonly wallJump: WallJump
  /** What `random` gives, over and over. */
  readonly random: number
  /** One after the other; what comes after the last one is answered well. */
  readonly posts: readonly Fate[]
  readonly reads: readonly Fate[]
  /** The turn that an existing job was in when the step began; it ended long ago where its rest is 0. */
  readonly before: TurnPlan
  /** The turn of this step's prompt. */
  readonly ours: TurnPlan
  readonly oursHasTheSameLink: boolean
  /** After a create: not found. After a message: reads as before. */
  readonly staleMs: number
  /** The reads come from copies that are so much behind, one after the other in turn. */
  readonly lagsMs: readonly number[]
  /** Whether a turn had completed, with the old link, before the one that was there when the step began. */
  readonly hadEarlierTurn: boolean
  /** Whether the answer to a message shows the job as before. */
  readonly messageAnswerIsStale: boolean
  /** When somebody archives the job, if ever. */
  readonly archivedAtMs: number | undefined
  /** How the service writes the key into its texts, if it does. */
  readonly plant: Plant
}

export const LONG_AGO: TurnPlan = { durationMs: 0, ending: 'completed', hasLink: false, linkLateMs: 0, pauses: false }

/** Nothing goes wrong. */
export const CALM: Schedule = {
  task: 'create',
  wait: true,
  timeoutMs: 300_000,
  pollIntervalMs: undefined,
  failOn: ['failed', 'archived', 'timeout'],
  cancelAtMs: undefined,
  wallJump: { atMs: 0, byMs: 0 },
  random: 0.5,
  posts: [],
  reads: [],
  before: LONG_AGO,
  ours: { ...LONG_AGO, durationMs: 20_000, hasLink: true },
  oursHasTheSameLink: false,
  staleMs: 0,
  messageAnswerIsStale: false,
  archivedAtMs: undefined,
  plant: 'none',
  lagsMs: [],
  hadEarlierTurn: false,
}
