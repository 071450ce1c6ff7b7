import type { GitHubPlan, Schedule, TurnPlan } from './schedule.ts'

export const LONG_AGO: TurnPlan = { durationMs: 0, ending: 'completed', hasLink: false, linkLateMs: 0, pauses: false }

/** Nothing goes wrong, and GitHub is not asked. */
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
  ours: { durationMs: 20_000, ending: 'completed', hasLink: true, linkLateMs: 0, pauses: false },
  oursHasTheSameLink: false,
  staleMs: 0,
  messageAnswerIsStale: false,
  archivedAtMs: undefined,
  plant: 'none',
  padding: 0,
  promptHoldsKey: false,
  lagsMs: [],
  hadEarlierTurn: false,
  oursSpelling: 'plain',
  asks: { isPush: false, paths: false, changeContext: 'none', label: false, checks: false, fixRounds: 0, scope: false },
  github: undefined,
}

/** A GitHub on which all is well. */
export const GITHUB: GitHubPlan = {
  fates: [],
  oursPushes: true,
  headLagMs: 0,
  personPushesAtMs: undefined,
  checks: { registeredAtMs: 0, runMs: 0, ending: 'success', mendedAfter: Infinity },
  filesAreInside: true,
  isMarked: false,
  changeCounts: true,
  pushIsOwn: false,
}
