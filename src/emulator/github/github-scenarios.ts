import type { FaultPattern } from '../http/faults.ts'
import { listNames } from '../service/scenarios.ts'
import { CHECK_SCENARIOS, FAILED, PASSED, type PlannedChecks } from './check-scenarios.ts'
import type { GitHubFault } from './github-faults.ts'
import type { MergeMethod, PullState } from './pull-state.ts'
import type { FileChange } from './repository-state.ts'
import { ALL_PERMISSIONS, type Lag, type TokenPermissions, DEFAULT_LAG } from './state.ts'

/** What somebody does to the agent's pull request, some time after it was opened or a follow-up's turn began. */
export interface PlannedEvent {
  readonly after: 'opened' | 'follow-up'
  readonly delayMs: number
  /**
   * `bot-merges-base`: a bot brings the branch up to date with its base.
   */
  readonly act:
    | 'person-commits'
    | 'bot-commits'
    | 'bot-merges-base'
    | 'merge'
    | 'close'
    | 'outsider-comments'
    | 'maintainer-comments'
  readonly body?: string
  /** How the pull request is merged. Default: `squash`. */
  readonly method?: MergeMethod
  /** The login of the user who merges. Default: the maintainer. */
  readonly by?: string
}

export interface GitHubScenario extends PlannedChecks {
  readonly events: readonly PlannedEvent[]
  /** In place of what the agent otherwise makes of a prompt. */
  readonly edits?: (prompt: string) => readonly FileChange[]
  readonly files: readonly FileChange[]
  /** `forced`: a follow-up starts from the base branch again, and commits by others are lost. */
  readonly agentPush: 'on-top' | 'forced'
  /** The type of the agent's account. */
  readonly agentType: 'Bot' | 'User'
  /** The fork that the agent works in, as `owner/name`. By default it pushes to the repository itself. */
  readonly agentFork?: string
  /** The branch that the agent pushes to. By default each job has its own. */
  readonly agentBranch?: string
  /** How the agent's pull requests are, where they are not as usual. */
  readonly pull: Partial<PullState>
  /**
   * `marked`: the pull request of the finished job has the label and the history comment of an earlier run; `used-up`: as 20
   * follow-ups left them; `marked-by-outsider`: somebody else wrote the history comment.
   */
  readonly earlierPull: 'plain' | 'marked' | 'used-up' | 'marked-by-outsider'
  /**
   * How the newest change of the code came to the default branch. `pushed`: by its author; `pushed-by-colleague`: somebody else
   * pushed the author's commit; `edited-on-web`: on GitHub's website; `reviewed`: with a pull request that somebody approved and
   * somebody else merged; `labelled`: with a merged pull request that has the label `no-docs`; `partly-labelled`: the same, and
   * another change was pushed after it.
   */
  readonly change: 'pushed' | 'pushed-by-colleague' | 'edited-on-web' | 'reviewed' | 'labelled' | 'partly-labelled'
  /** Whether the agent has opened pull requests in the last month, which a report counts. */
  readonly hasHistory: boolean
  readonly commentBy: 'nobody' | 'maintainer' | 'outsider' | 'bot'
  readonly permissions: TokenPermissions
  /** Whether the token is valid only until the agent has worked on a prompt, as a long job outlives that of an app. */
  readonly isTokenShort: boolean
  readonly lag: Lag
  /** What goes wrong with requests of the same operation. */
  readonly faults: FaultPattern<GitHubFault>
}

const always = (...faults: readonly GitHubFault[]): Pick<GitHubScenario, 'faults'> => ({
  faults: { faults, then: 'starts-over' },
})

const meanwhile = (act: PlannedEvent['act']): Pick<GitHubScenario, 'events'> => ({
  events: [
    { after: 'opened', delayMs: 8_000, act },
    { after: 'follow-up', delayMs: 8_000, act },
  ],
})

/** Everything goes well. What a scenario does not say is as here. */
export const DEFAULT_GITHUB: GitHubScenario = {
  checks: [PASSED],
  checksBefore: PASSED,
  events: [],
  files: [],
  agentPush: 'on-top',
  agentType: 'Bot',
  pull: {},
  earlierPull: 'plain',
  change: 'pushed',
  hasHistory: false,
  commentBy: 'nobody',
  permissions: ALL_PERMISSIONS,
  isTokenShort: false,
  lag: DEFAULT_LAG,
  ...always('none'),
}

interface Described extends Partial<GitHubScenario> {
  readonly description: string
}

const scenarios = {
  ...CHECK_SCENARIOS,
  'head-moves': {
    description: 'A bot pushes a commit while the checks run, and the checks of that one pass.',
    checks: [FAILED, PASSED],
    events: [{ after: 'opened', delayMs: 5_000, act: 'bot-commits' }],
  },
  'person-commits': {
    description: 'A person commits to the agent’s branch while the checks run or a follow-up is worked on.',
    ...meanwhile('person-commits'),
  },
  'commit-lost': {
    description:
      'A person commits to the branch while a follow-up is worked on, and the agent’s push drops that commit.',
    ...meanwhile('person-commits'),
    agentPush: 'forced',
  },
  'merged-meanwhile': {
    description: 'Somebody merges the pull request while the step still works on it.',
    ...meanwhile('merge'),
  },
  'closed-meanwhile': {
    description: 'Somebody closes the pull request while the step still works on it.',
    ...meanwhile('close'),
  },
  'from-fork': {
    description: 'The agent works in a fork of the repository.',
    agentFork: 'docs-agent/docs',
  },
  conflict: { description: 'The pull request conflicts with its base.', pull: { conflict: true } },
  draft: { description: 'The pull request is a draft.', pull: { draft: true } },
  blocked: {
    description: 'All checks pass, and GitHub blocks the merge: a required check is never registered.',
    pull: { blocked: true },
  },
  'out-of-scope': {
    description: 'The agent changes a workflow in addition to the pages.',
    files: [{ filename: '.github/workflows/ci.yml', patch: '@@ -1 +1 @@\n-on: push\n+on: [push]' }],
  },
  'open-pull-request': {
    description: 'A pull request of an earlier run is open, with the label and the history comment.',
    earlierPull: 'marked',
  },
  'follow-ups-used-up': {
    description: 'The open pull request of an earlier run has had 20 follow-ups.',
    earlierPull: 'used-up',
  },
  'marker-by-outsider': {
    description: 'A pull request has the label, and a person without write access wrote its history comment.',
    earlierPull: 'marked-by-outsider',
  },
  'comment-by-maintainer': {
    description: 'A person with write access asks for a change in a comment on the open pull request.',
    earlierPull: 'marked',
    commentBy: 'maintainer',
  },
  'comment-by-outsider': {
    description: 'A person without write access asks for a change in a comment.',
    earlierPull: 'marked',
    commentBy: 'outsider',
  },
  'comment-by-bot': {
    description: 'A bot writes a comment that begins with the command.',
    earlierPull: 'marked',
    commentBy: 'bot',
  },
  'agent-is-user': {
    description: 'The agent works under an account of type `User`, as a person does.',
    agentType: 'User',
  },
  'web-edit': {
    description: 'The change is an edit on GitHub’s web page: `web-flow` is the committer.',
    change: 'edited-on-web',
  },
  'colleague-commit': {
    description: 'The change is a commit that `lisa` wrote and `mona` pushed.',
    change: 'pushed-by-colleague',
  },
  'reviewed-change': {
    description: 'The change came with a pull request that `lisa` approved and `mona` merged.',
    change: 'reviewed',
  },
  'no-docs-label': {
    description: 'The change came with a pull request that has the label `no-docs`.',
    change: 'labelled',
  },
  'no-docs-label-in-part': {
    description: 'One of two changes came with a pull request that has the label `no-docs`.',
    change: 'partly-labelled',
  },
  'agent-history': {
    description:
      'The agent has opened 24 pull requests in a month, in the middle of which its prompt was changed. Two of them need attention.',
    hasHistory: true,
  },
  'no-permission': { description: 'The token has no permissions.', permissions: {} },
  'label-not-created': {
    description: 'The repository does not have the label, and the token lacks the permission to create it.',
    permissions: { ...ALL_PERMISSIONS, issues: 'read' },
  },
  'token-expires': {
    description: 'The token is rejected when the agent has finished, as that of a GitHub App is after an hour.',
    isTokenShort: true,
  },
  'read-only': {
    description: 'The token has read permissions only.',
    permissions: { contents: 'read', actions: 'read', 'pull-requests': 'read', checks: 'read', statuses: 'read' },
  },
  'github-lagging': {
    description: 'GitHub shows new pull requests, commits and runs only some seconds later.',
    lag: { ...DEFAULT_LAG, newPullMs: 6_000, headMs: 5_000, commitPullsMs: 20_000, runsMs: 6_000, mergeableMs: 6_000 },
  },
  'run-lists-stale': {
    description: 'The lists of workflow runs by branch or status lack all runs of the last month.',
    lag: { ...DEFAULT_LAG, filteredRunsMs: 30 * 86_400_000 },
  },
  'github-down': { description: 'GitHub responds with 503.', ...always('unavailable') },
  'github-slow': { description: 'Every second response of GitHub takes 8 seconds.', ...always('none', 'late') },
  'github-limited': {
    description: 'GitHub refuses every second request with one of its rate limits, and takes the repeated one.',
    ...always('primary-limit', 'none', 'secondary-limit', 'none', 'plain-limit', 'none'),
  },
} as const satisfies Record<string, Described>

export type GitHubScenarioName = keyof typeof scenarios

export const GITHUB_SCENARIOS: Readonly<Record<GitHubScenarioName, Described>> = scenarios
export const [GITHUB_SCENARIO_NAMES, isGitHubScenarioName] = listNames(scenarios)

/** Combines scenarios. A later scenario overrides the fields of an earlier one. */
export function combineScenarios(names: readonly GitHubScenarioName[]): GitHubScenario {
  return Object.assign({}, DEFAULT_GITHUB, ...names.map((name) => GITHUB_SCENARIOS[name])) as GitHubScenario
}
