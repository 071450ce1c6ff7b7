import { type HistoryRow, startHistory } from '../src/agent/history/state.ts'
import { renderHistory } from '../src/agent/history/render.ts'
import { createService, DEFAULT_START_MS } from '../src/emulator/embedded-service.ts'
import { AGENT_USER, createDemoState, GITHUB_TOKEN, MAINTAINER, TOKEN_USER } from '../src/emulator/github/demo-state.ts'
import type { GitHubFault } from '../src/emulator/github/github-faults.ts'
import { combineScenarios, type GitHubScenario } from '../src/emulator/github/github-scenarios.ts'
import { closeIssue, mergePull, openPull, pushCommit, writeComment } from '../src/emulator/github/repository-changes.ts'
import { createRepositoryState, type RepositoryState } from '../src/emulator/github/repository-state.ts'
import type { GitHubState } from '../src/emulator/github/state.ts'
import type { PullState } from '../src/emulator/github/pull-state.ts'
import { reportAction } from '../src/report/report-action.ts'
import type { Report } from '../src/report/report.ts'
import { BASE_URL } from './in-process-github.ts'
import { observeGitHub } from './observe-github.ts'
import { playOn, type Played } from './play-feature.ts'
import { createStage } from './play-step.ts'
import { virtualClock } from './virtual-clock.ts'

const DAY_MS = 86_400_000
export const NOW_MS = DEFAULT_START_MS

/** @param days before the report */
export const daysAgo = (days: number): number => NOW_MS - days * DAY_MS
export const isoDaysAgo = (days: number): string => new Date(daysAgo(days)).toISOString()

/** Creates a row, by default of a turn that opened the pull request 20 days ago. */
export const historyRow = (fields: Partial<HistoryRow> = {}): HistoryRow => ({
  run: 7,
  attempt: 1,
  job: 'docs',
  action: 'agent',
  turn: 0,
  start: isoDaysAgo(20),
  until: isoDaysAgo(19),
  end: isoDaysAgo(19),
  startedBy: { text: 'a push' },
  outcome: 'pull-request',
  result: 'opened',
  effect: 'created',
  sources: [],
  prompt: 'aaaaaaaa',
  ...fields,
})

export const historyComment = (rows: readonly HistoryRow[], dropped = 0): string =>
  renderHistory({ ...startHistory('job_1'), labels: ['docs-agent'], rows: [...rows], dropped })

/** A repository with a commit that is 60 days old. */
export function createDocs(): RepositoryState {
  const repository = createRepositoryState({ labels: ['docs-agent'], collaborators: { [MAINTAINER]: 'write' } })
  pushCommit(repository, 'main', { message: 'Begin', author: MAINTAINER, files: [] }, daysAgo(60))
  return repository
}

export interface AgentPull {
  readonly rows?: readonly HistoryRow[]
  readonly dropped?: number
  /** The author of the history comment. */
  readonly by?: string
  /** Replaces the history comment. */
  readonly comment?: string | undefined
  readonly openedDaysAgo?: number
  readonly mergedDaysAgo?: number
  readonly closedDaysAgo?: number
  /** The lines that the agent adds. */
  readonly lines?: readonly string[]
  /** The authors of later commits, and the lines that the pull request then adds; by default the same. */
  readonly laterCommits?: readonly (string | readonly [author: string, lines: readonly string[]])[]
  readonly fields?: Partial<PullState>
}

/** Adds a pull request of the agent, by default an open one that was opened 20 days ago. */
export function addAgentPull(state: GitHubState, repository: RepositoryState, number: number, given: AgentPull): void {
  const { rows = [], dropped = 0, by = TOKEN_USER, openedDaysAgo = 20, laterCommits = [], fields = {} } = given
  const { lines = ['One', 'Two'] } = given
  const branch = `agent/job-${number}`
  const push = (author: string, shown: readonly string[]) => {
    const patch = [`@@ -0,0 +1,${shown.length} @@`, ...shown.map((line) => `+${line}`)].join('\n')
    const files = [{ filename: 'docs/page.md', patch, additions: shown.length }]
    pushCommit(repository, branch, { message: `Work of ${author} on ${branch}`, author, files }, daysAgo(openedDaysAgo))
  }
  push(AGENT_USER, lines)
  const labels = ['docs-agent']
  const pull = openPull(
    repository,
    number,
    { title: `Docs ${number}`, user: AGENT_USER, labels, branch, ...fields },
    daysAgo(openedDaysAgo),
  )
  const withHead = rows.map((row, index) => (index === 0 ? { head: { after: pull.headSha }, ...row } : row))
  const { comment = historyComment(withHead, dropped) } = given
  if (comment !== '') writeComment(state, pull, by, comment, daysAgo(openedDaysAgo))
  for (const commit of laterCommits) {
    const [author, shown] = typeof commit === 'string' ? [commit, lines] : commit
    push(author, shown)
  }
  if (given.mergedDaysAgo !== undefined) mergePull(repository, number, MAINTAINER, daysAgo(given.mergedDaysAgo))
  if (given.closedDaysAgo !== undefined) closeIssue(repository, pull, daysAgo(given.closedDaysAgo))
}

export interface PlayReport {
  /** The repository `acme/docs`, in which the report runs. */
  readonly docs?: RepositoryState
  /** The repository `acme/site`. */
  readonly site?: RepositoryState
  readonly prepare?: (state: GitHubState) => void
  /** What happens on GitHub. With it, the repository is that of `npm start`. */
  readonly scenario?: GitHubScenario
  readonly faults?: Readonly<Record<string, readonly GitHubFault[]>>
  /** When the run is cancelled, in milliseconds from its start. Each request then takes two seconds. */
  readonly cancelAfterMs?: number
}

export interface PlayedReport extends Played<Report> {
  readonly operations: readonly string[]
  readonly writes: readonly string[]
  readonly result: Result
}

/** The numbers of pull requests, as in the output `result`. */
export type Counts = Readonly<
  Record<'opened' | 'merged_as_opened' | 'merged_after_edits' | 'closed' | 'open', number | null>
>

/** The fields of the output `result` that tests read. */
export interface Result extends Counts {
  readonly title: string
  readonly text: string
  readonly since: string | null
  readonly complete: boolean
  readonly hours_to_merge: number | null
  readonly waiting: readonly { readonly number: number; readonly why: string; readonly to_do: string }[]
  readonly prompts: readonly (Counts & Readonly<Record<string, unknown>>)[]
  readonly weeks: readonly (Counts & { readonly week: string })[]
  readonly error: { readonly code: string; readonly message: string } | null
  readonly rehearsal: boolean
  readonly left_out: Readonly<Record<'waiting' | 'prompts', number>>
}

/** Makes a report about the embedded GitHub in this process. Checks all requests against GitHub's API description. */
export async function playReport(
  given: Readonly<Record<string, string>> = {},
  { docs = createDocs(), site, prepare, scenario, faults, cancelAfterMs }: PlayReport = {},
): Promise<PlayedReport> {
  const state = createDemoState(scenario ?? combineScenarios([]), NOW_MS)
  if (scenario === undefined) state.repositories['acme/docs'] = docs
  if (site !== undefined) state.repositories['acme/site'] = site
  state.permissions = { 'pull-requests': 'read', contents: 'read', checks: 'read', statuses: 'read' }
  prepare?.(state)
  const observed = observeGitHub({ state, ...(faults && { faults }) })
  const service = createService({ baseUrl: BASE_URL, projectId: 'docs', github: observed.options })
  const inputs = { label: 'docs-agent', 'github-token': GITHUB_TOKEN, ...given }
  const baseClock = virtualClock()
  const stage = createStage({
    baseClock,
    respond: (request, nowMs) => service.handle(request, nowMs),
    timeoutMs: 900_000,
    ...(cancelAfterMs !== undefined && { cancelAfterMs, latencyMs: () => 1_000 }),
  })
  const played = await playOn({ ...stage, baseClock }, reportAction, () =>
    reportAction.parse(inputs, '.', new Date(NOW_MS)),
  )
  if (observed.violations.length > 0) throw new Error(observed.violations.join('\n'))
  return {
    ...played,
    operations: observed.requests,
    writes: observed.writes,
    result: JSON.parse(played.outputs['result'] ?? '') as Result,
  }
}
