import { agentAction } from '../../src/agent/run.ts'
import { createService, type Service } from '../../src/emulator/embedded-service.ts'
import { getAgentLogin, GITHUB_TOKEN, MAINTAINER, TOKEN_USER } from '../../src/emulator/github/demo-state.ts'
import { DEFAULT_GITHUB, type GitHubScenario } from '../../src/emulator/github/github-scenarios.ts'
import type { MergeMethod, PullState } from '../../src/emulator/github/pull-state.ts'
import { createRepositoryState, type RepositoryState } from '../../src/emulator/github/repository-state.ts'
import { DEFAULT_LAG } from '../../src/emulator/github/state.ts'
import type { WebhookEvent } from '../../src/emulator/github/webhook-events.ts'
import type { TurnPlan } from '../../src/emulator/service/job-machine.ts'
import { createStage } from '../support/play-step.ts'
import { agentInputs } from '../support/fake-step.ts'
import { BASE_URL } from '../support/in-process-github.ts'
import { playOn } from '../support/play-feature.ts'
import { virtualClock, type VirtualClock } from '../support/virtual-clock.ts'
import { repeat } from './repeat.ts'

/** A person starts one run of a workflow. The agent's pushes, pull requests and merges start further runs of the workflow. */
export interface ConsequenceHistory {
  readonly turns: readonly [TurnPlan, ...TurnPlan[]]
  /** The type of the agent's account. */
  readonly agentType: 'Bot' | 'User'
  /** Whether the agent already has a marked pull request. Without one, an agent of type `User` looks like a person. */
  readonly isKnown: boolean
  /** Empty, or a number of seconds. */
  readonly pollInterval: string
  readonly changeContext: 'none' | 'files'
  /** The time from the opening of the agent's pull request to its merge; undefined if nobody merges it. */
  readonly mergeAfterMs: number | undefined
  readonly mergeMethod: MergeMethod
  readonly lag: Pick<GitHubScenario['lag'], 'headMs' | 'commitPullsMs'>
  readonly latenciesMs: readonly number[]
  /** How long each run waits for a runner, repeated from the start. */
  readonly queuedMs: readonly number[]
  /** The `event` of the `workflow_run` that follows each run, repeated from the start; empty for none. */
  readonly followedBy: readonly string[]
}

/** Something that starts a run. */
interface Cause extends WebhookEvent {
  readonly branch: string
  /** Whether the cause is a push or a pull request of the agent, the merge of the pull request, or a run that one of these started. */
  readonly isByAgent: boolean
}

export interface ConsequenceRun {
  readonly cause: Cause
  readonly startMs: number
  /** When the service accepted its prompt; undefined if it accepted none. */
  readonly sentMs: number | undefined
  readonly log: readonly string[]
}

export interface ConsequenceTrace {
  readonly history: ConsequenceHistory
  readonly repository: RepositoryState
  readonly runs: readonly ConsequenceRun[]
}

/** A history with this many runs is a loop. */
const MAX_RUNS = 30
/** How often the fake GitHub applies planned events. */
const TICK_MS = 2_000
/** A history ends if no run was started for this long. */
const QUIET_MS = 600_000
const REPOSITORY = 'acme/docs'
const PROJECT = 'docs-demo'
const BY_PERSON: Cause = { name: 'workflow_dispatch', payload: {}, branch: 'main', isByAgent: false }
/** The demo repository already has pull requests of other jobs. */
const OTHER_BRANCHES = /\/job_[a-z]+$/

const AGENTS: readonly string[] = (['Bot', 'User'] as const).map((agentType) => getAgentLogin({ agentType }))

const listAgentPulls = ({ pulls }: RepositoryState): readonly PullState[] =>
  Object.values(pulls).filter(({ user }) => AGENTS.includes(user))

interface Payload {
  readonly ref?: string
  readonly after?: string
  readonly commits?: readonly { readonly id: string }[]
  readonly action?: string
  readonly pull_request?: { readonly head: { readonly ref: string } }
  readonly workflow_run?: { readonly event?: string }
  readonly sender?: { readonly login: string }
}

/** Returns the run that an event starts in a workflow with `on: push` and `on: pull_request`; undefined if it starts none. */
function toCause({ name, payload }: WebhookEvent, repository: RepositoryState): Cause | undefined {
  const { ref = '', after, commits = [], pull_request: pull, action = '', sender } = payload as Payload
  const pulls = listAgentPulls(repository)
  const branch = name === 'push' ? ref.replace('refs/heads/', '') : (pull?.head.ref ?? '')
  if (name === 'push') {
    const pushed = [after, ...commits.map(({ id }) => id)]
    const merged = pulls.filter(({ merge }) => merge !== undefined && pushed.includes(merge.sha))
    if ([branch, ...merged.map((one) => one.branch)].some((one) => OTHER_BRANCHES.test(one))) return undefined
    return { name, payload, branch, isByAgent: AGENTS.includes(sender?.login ?? '') || merged.length > 0 }
  }
  if (OTHER_BRANCHES.test(branch)) return undefined
  if (name !== 'pull_request' || !['opened', 'synchronize', 'closed'].includes(action)) return undefined
  return { name, payload, branch, isByAgent: pulls.some((one) => one.branch === branch) }
}

/** GitHub records the branch and the commit of these events. For all others, a run has the default branch. */
const HAS_OWN_HEAD: readonly string[] = ['push', 'pull_request', 'merge_group']

/** Returns the `workflow_run` run of this workflow that follows another workflow's run with the same cause. */
function createFollowingRun(cause: Cause, event: string, id: number, { branches }: RepositoryState): Cause {
  const { payload, branch, isByAgent } = cause
  const { repository, sender } = payload
  const headBranch = HAS_OWN_HEAD.includes(event) ? branch : 'main'
  const run = {
    id,
    workflow_id: 51,
    name: 'CI',
    event,
    head_branch: headBranch,
    head_sha: branches[headBranch],
    pull_requests: [],
    head_repository: repository,
  }
  const followed = { action: 'completed', workflow_run: run, repository, sender }
  return { name: 'workflow_run', payload: followed, branch, isByAgent }
}

function openService(history: ConsequenceHistory, onEvent: (event: WebhookEvent) => void): Service {
  const { turns, agentType, isKnown, mergeAfterMs, mergeMethod: method, lag } = history
  const scenario: GitHubScenario = {
    ...DEFAULT_GITHUB,
    agentType,
    checks: [[]],
    earlierPull: isKnown ? 'marked' : 'plain',
    lag: { ...DEFAULT_LAG, ...lag },
    events: mergeAfterMs === undefined ? [] : [{ after: 'opened', delayMs: mergeAfterMs, act: 'merge', method }],
  }
  return createService({
    baseUrl: BASE_URL,
    scenarioOverrides: { turns },
    pages: 1,
    visits: 1,
    projectId: PROJECT,
    github: { scenario, onEvent },
  })
}

/** Plays a history until no more runs start, or until the history is a loop. */
export async function playConsequences(history: ConsequenceHistory): Promise<ConsequenceTrace> {
  const clock: VirtualClock = virtualClock({ mostEvents: 500_000 })
  const causes: Cause[] = [BY_PERSON]
  const service = openService(history, (event) => {
    const cause = toCause(event, repository)
    if (cause !== undefined) causes.push(cause)
  })
  const repository: RepositoryState = service.github.state.repositories[REPOSITORY] ?? createRepositoryState()
  const [takeQueuedMs, takeFollowedBy] = [repeat(history.queuedMs, 0), repeat(history.followedBy, '')]
  const getNowMs = (): number => clock.wallTime().getTime()
  const runs: ConsequenceRun[] = []
  let [started, running, lastMs] = [0, 0, clock.now()]

  async function playRun(cause: Cause, runId: number): Promise<ConsequenceRun> {
    const startMs = getNowMs()
    let sentMs: number | undefined
    const inputs = agentInputs(
      {},
      {
        'project-id': PROJECT,
        'github-token': GITHUB_TOKEN,
        label: 'docs-agent',
        prompt: `Improve it, ${runId}.`,
        'poll-interval-seconds': history.pollInterval,
        'change-context': history.changeContext,
      },
    )
    const { name: eventName, payload, branch: refName } = cause
    const { after = repository.branches['main'] ?? '', sender } = payload as Payload
    const stage = createStage({
      baseClock: clock,
      respond: (request, atMs) => {
        const response = service.handle(request, atMs)
        if (request.method === 'POST' && request.target.endsWith('/job') && response.status < 300) sentMs ??= atMs
        return response
      },
      facts: { runId, eventName, payload, actor: sender?.login ?? MAINTAINER, sha: after, refName },
      timeoutMs: inputs.timeoutMs,
      latencyMs: repeat(history.latenciesMs, 0),
    })
    const { log, line } = await playOn(stage, agentAction, () => inputs)
    return { cause, startMs, sentMs, log: [...log, line] }
  }

  async function start(cause: Cause): Promise<void> {
    const runId = 900 + started++
    running++
    await clock.sleep(takeQueuedMs())
    runs.push(await playRun(cause, runId))
    const event = cause.name === 'workflow_run' || !cause.isByAgent ? '' : takeFollowedBy()
    if (event !== '') causes.push(createFollowingRun(cause, event, runId, repository))
    running--
    lastMs = clock.now()
  }

  async function playAll(): Promise<void> {
    const work: Promise<void>[] = []
    while (running > 0 || causes.length > 0 || clock.now() - lastMs < QUIET_MS) {
      for (const cause of causes.splice(0)) if (started < MAX_RUNS) work.push(start(cause))
      await clock.sleep(TICK_MS)
      service.github.catchUp(getNowMs())
    }
    await Promise.all(work)
  }

  await clock.passUntil(playAll())
  return { history, repository, runs }
}

/** Returns when the marker comment of a pull request was written; `Infinity` if there is none. */
function getMarkedAtMs({ comments }: PullState): number {
  const markers = comments.filter(({ user, body }) => user === TOKEN_USER && body.includes('docs-agent-action: job='))
  return Math.min(Infinity, ...markers.map(({ createdAtMs }) => createdAtMs))
}

/** Replica lag and latency: a step cannot know what happened less than this before its request. */
const UNKNOWABLE_MS = 12_000
/** The minimum time that a step waits for the pull request of a pushed branch, and then for its marker comment. */
const MIN_WAITS_MS = {
  Bot: { opened: 60_000, marked: 60_000 },
  User: { opened: 120_000, marked: 150_000 },
} as const

/** Whether the step can know that its own agent's work started the run. */
function isKnowable({ cause, startMs }: ConsequenceRun, sentMs: number, trace: ConsequenceTrace): boolean {
  const { history, repository } = trace
  const pulls = listAgentPulls(repository)
  const isAgentKnown = pulls.some((pull) => getMarkedAtMs(pull) < startMs - UNKNOWABLE_MS)
  if (history.agentType === 'Bot' && isAgentKnown) return true
  const { after } = cause.payload as Payload
  const pull = pulls.find(
    ({ branch, merge }) => branch === cause.branch || (merge !== undefined && merge.sha === after),
  )
  if (pull === undefined) return false
  const [openedMs, markedMs] = [pull.createdAtMs, getMarkedAtMs(pull)]
  if (openedMs < startMs - UNKNOWABLE_MS && markedMs < sentMs - UNKNOWABLE_MS) return true
  const minWaits = MIN_WAITS_MS[history.agentType]
  const waitedFromMs = Math.max(openedMs, startMs)
  const waitsLongEnough = openedMs < startMs + minWaits.opened && markedMs < waitedFromMs + minWaits.marked
  return waitsLongEnough && (history.agentType === 'Bot' || isAgentKnown)
}

/** Reports jobs that the agent's work started although the step could know it, and more than one job for a person's change. */
export function findExtraJobs(trace: ConsequenceTrace): string[] {
  const problems = trace.runs.flatMap((run) => {
    const { cause, sentMs } = run
    if (!cause.isByAgent || sentMs === undefined || !isKnowable(run, sentMs, trace)) return []
    const { action = '', workflow_run: { event = '' } = {} } = cause.payload as Payload
    return [`The agent's own work started a job: ${[cause.name, action, event].filter(Boolean).join(' ')}.`]
  })
  const byPeople = trace.runs.filter(({ cause, sentMs }) => !cause.isByAgent && sentMs !== undefined)
  if (byPeople.length > 1) problems.push(`One change by a person started ${byPeople.length} jobs.`)
  if (trace.runs.length >= MAX_RUNS) problems.push('The runs form a loop.')
  return problems
}
