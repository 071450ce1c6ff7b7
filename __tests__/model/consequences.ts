import { agentAction } from '../../src/agent/run.ts'
import { parseHistory } from '../../src/agent/history/state.ts'
import { createService, type Service } from '../../src/emulator/embedded-service.ts'
import { BOT, getAgentLogin, GITHUB_TOKEN, MAINTAINER, TOKEN_USER } from '../../src/emulator/github/demo-state.ts'
import { DEFAULT_GITHUB, type GitHubScenario } from '../../src/emulator/github/github-scenarios.ts'
import { getHistory } from '../../src/emulator/github/history.ts'
import type { MergeMethod, PullState } from '../../src/emulator/github/pull-state.ts'
import { editOnWeb, mergePull, openPull, pushCommit, takeNumber } from '../../src/emulator/github/repository-changes.ts'
import { createRepositoryState, type RepositoryState } from '../../src/emulator/github/repository-state.ts'
import { DEFAULT_LAG } from '../../src/emulator/github/state.ts'
import type { WebhookEvent } from '../../src/emulator/github/webhook-events.ts'
import type { JobRecord, TurnPlan } from '../../src/emulator/service/job-machine.ts'
import { createStage } from '../../testing/play-step.ts'
import { agentInputs } from '../../testing/agent-inputs.ts'
import { BASE_URL } from '../../testing/in-process-github.ts'
import { playOn } from '../../testing/play-feature.ts'
import { virtualClock, type VirtualClock } from '../../testing/virtual-clock.ts'
import { repeat } from './repeat.ts'

/** The events that start workflows. The embedded GitHub sends pushes and pull requests, and the model derives workflow runs. */
export const EVENT_NAMES = ['push', 'pull_request', 'pull_request_target', 'workflow_run'] as const
type EventName = (typeof EVENT_NAMES)[number]

/** A workflow with one step of the action. */
export interface ConsequenceWorkflow {
  readonly label: string
  readonly on: readonly EventName[]
  readonly skipOwnChanges: 'any-label' | 'same-label'
  readonly onOpenPr: 'new' | 'follow-up' | 'skip'
  readonly changeContext: 'none' | 'files'
}

/** A workflow run about a commit, some time after it was pushed. */
export interface DerivedEvent {
  readonly delayMs: number
  /** `person`: under a person's account, and only about commits of marked pull requests. */
  readonly by: 'pusher' | 'bot' | 'person'
  /** The event that started the run. */
  readonly runEvent: string
}

/** What a person does. */
export interface PersonAct {
  readonly kind: 'dispatch' | 'push' | 'web-edit' | 'pull-request'
  readonly afterMs: number
}

/** People change a repository with two workflows. The agent's work starts further runs of them. */
export interface ConsequenceHistory {
  readonly acts: readonly PersonAct[]
  readonly workflows: readonly ConsequenceWorkflow[]
  readonly turns: readonly [TurnPlan, ...TurnPlan[]]
  /** With `User`, the workflows share a concurrency group, and run for pushes to main only (docs/limits.md). */
  readonly agentType: 'Bot' | 'User'
  /** Empty, or a number of seconds. */
  readonly pollInterval: string
  /** The time from the marking of the agent's pull request to its merge; undefined if nobody merges it. */
  readonly mergeAfterMs: number | undefined
  readonly mergeMethod: MergeMethod
  readonly mergeBy: 'person' | 'bot' | 'agent'
  /** Whether a person and a bot commit to the agent's pull request. */
  readonly hasOtherCommits: boolean
  readonly derived: readonly DerivedEvent[]
  readonly lag: Pick<GitHubScenario['lag'], 'headMs' | 'commitPullsMs'>
  readonly latenciesMs: readonly number[]
  /** How long each run waits for a runner, repeated from the start. */
  readonly queuedMs: readonly number[]
}

/** Something that starts runs. */
interface Cause extends WebhookEvent {
  readonly atMs: number
  readonly branch: string
  /** The commit that the event is about; empty for a dispatch. */
  readonly sha: string
  /** The job whose work the event is about: its branch, its pull request, or the merge; undefined for the work of people. */
  readonly jobId: string | undefined
}

export interface ConsequenceRun {
  readonly workflow: ConsequenceWorkflow
  readonly cause: Cause
  readonly startMs: number
  /** The prompt that the service accepted. */
  readonly sent: { readonly jobId: string; readonly atMs: number } | undefined
  readonly log: readonly string[]
}

export interface ConsequenceTrace {
  readonly history: ConsequenceHistory
  readonly service: Service
  readonly repository: RepositoryState
  readonly runs: readonly ConsequenceRun[]
}

/** A history with so many prompts is a loop. */
const MAX_PROMPTS = 40

/** How often the fake GitHub applies planned events. */
const TICK_MS = 2_000

/** A history ends if no run was started for this long, which is longer than any merge takes. */
const QUIET_MS = 700_000
const REPOSITORY = 'acme/docs'
const PROJECT = 'docs-demo'

/** The demo repository already has pull requests of other jobs. */
const OTHER_JOBS = /^job_[a-z]+$/

interface Payload {
  readonly ref?: string
  readonly after?: string
  readonly commits?: readonly { readonly id: string }[]
  readonly action?: string
  readonly deleted?: boolean
  readonly pull_request?: { readonly number: number; readonly head: { readonly ref: string; readonly sha: string } }
  readonly workflow_run?: { readonly event?: string }
  readonly sender?: { readonly login: string; readonly type: string }
  readonly repository?: object
}

const getPayload = ({ payload }: WebhookEvent): Payload => payload

/** The time from the end of a turn until its step has read it and marked the pull request. */
const getMarkingMs = ({ pollInterval }: ConsequenceHistory): number =>
  (pollInterval === '' ? 10_000 : Number(pollInterval) * 1_000) * 1.1 + 10_000

function openService(history: ConsequenceHistory, onEvent: (event: WebhookEvent) => void): Service {
  const { turns, agentType, mergeAfterMs, mergeMethod: method, mergeBy, hasOtherCommits, lag } = history
  const by = { person: MAINTAINER, bot: BOT, agent: getAgentLogin({ agentType }) }[mergeBy]
  const markedMs = getMarkingMs(history)
  const scenario: GitHubScenario = {
    ...DEFAULT_GITHUB,
    agentType,
    checks: [[]],
    lag: { ...DEFAULT_LAG, ...lag },
    events: [
      ...(hasOtherCommits
        ? ([
            { after: 'opened', delayMs: markedMs, act: 'person-commits' },
            { after: 'opened', delayMs: markedMs + 2_000, act: 'bot-commits' },
          ] as const)
        : []),
      ...(mergeAfterMs === undefined
        ? []
        : ([{ after: 'opened', delayMs: markedMs + mergeAfterMs, act: 'merge', method, by }] as const)),
    ],
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

/** Finds the job whose work an event of the embedded GitHub is about. */
function findJob(event: WebhookEvent, service: Service, { pulls }: RepositoryState): JobRecord | undefined {
  const { ref = '', after = '', commits = [], pull_request: pull } = getPayload(event)
  const jobs = [...service.listJobs()]
  const branch = pull?.head.ref ?? ref.replace('refs/heads/', '')
  const pushed = [after, ...commits.map(({ id }) => id)]
  return jobs.find(({ id, pullNumber }) => {
    const { sha = '', rebased = [] } = pulls[pullNumber]?.merge ?? {}
    return (
      branch === `agent/${id}` || pull?.number === pullNumber || [sha, ...rebased].some((one) => pushed.includes(one))
    )
  })
}

const isMarked = ({ comments }: PullState, byMs: number): boolean =>
  comments.some(
    ({ user, body, createdAtMs }) => user === TOKEN_USER && createdAtMs < byMs && parseHistory(body) !== undefined,
  )

/** A commit that was pushed after the merge is in no pull request. */
function isInPull(sha: string, pull: PullState | undefined, repository: RepositoryState): boolean {
  const { sha: merged = '', rebased = [] } = pull?.merge ?? {}
  return [merged, ...rebased, ...getHistory(repository, pull?.headSha ?? '').map((commit) => commit.sha)].includes(sha)
}

const USERS = { bot: { login: BOT, type: 'Bot' }, person: { login: MAINTAINER, type: 'User' } }

/** GitHub records the branch and the commit of these events. For all others, a run has the default branch. */
const HAS_OWN_HEAD: readonly string[] = ['push', 'pull_request', 'merge_group']

/** Creates the `workflow_run` event about a commit. */
function createDerivedEvent(
  { runEvent }: DerivedEvent,
  { sha, branch, number }: { readonly sha: string; readonly branch: string; readonly number: number | undefined },
  { branches }: RepositoryState,
  shared: object,
): WebhookEvent {
  const base = { sha: branches['main'], repo: { id: 1 } }
  const pull_requests = number === undefined ? [] : [{ number, base }]
  const head = { head_branch: branch, head_sha: sha, pull_requests }
  const ofDefault = { head_branch: 'main', head_sha: branches['main'], pull_requests: [] }
  const isOfHead = HAS_OWN_HEAD.includes(runEvent)
  const run = { id: 9, workflow_id: 51, name: 'CI', event: runEvent, head_repository: { id: 1 } }
  const workflow_run = { ...run, ...(isOfHead ? head : ofDefault) }
  return { name: 'workflow_run', payload: { action: 'completed', workflow_run, ...shared } }
}

/** Plays a history until no more runs start, or until the history is a loop. */
export async function playConsequences(history: ConsequenceHistory): Promise<ConsequenceTrace> {
  const { acts, agentType, derived, workflows } = history
  const clock: VirtualClock = virtualClock({ mostEvents: 2_000_000 })
  const getNowMs = (): number => clock.wallTime().getTime()
  const causes: Cause[] = []
  const service = openService(history, (event) => {
    addCauses(event)
  })
  const repository: RepositoryState = service.github.state.repositories[REPOSITORY] ?? createRepositoryState()
  const takeQueuedMs = repeat(history.queuedMs, 0)
  const runs: ConsequenceRun[] = []
  let [prompts, running, waiting, lastMs] = [0, 0, 0, clock.now()]
  let group: Promise<void> = Promise.resolve()

  function addCause(event: WebhookEvent, branch: string, sha: string, jobId?: string): void {
    causes.push({ ...event, branch, sha, jobId, atMs: getNowMs() })
  }

  /** Returns the sender of an event, undefined for the pusher. */
  function getSender(by: DerivedEvent['by'], isKnown: boolean) {
    if (by === 'person') return isKnown ? USERS.person : USERS.bot
    return by === 'bot' ? USERS.bot : undefined
  }

  /** Adds what follows from a push: workflow runs about its commit, some time later. */
  function addDerived(
    sha: string,
    branch: string,
    job: JobRecord | undefined,
    { sender, repository: of }: Payload,
  ): void {
    for (const plan of derived) {
      waiting++
      clock.at(clock.now() + plan.delayMs, () => {
        waiting--
        lastMs = clock.now()
        const pull = job && repository.pulls[job.pullNumber]
        // An agent of type `User` looks like a person in events about commits that no pull request contains (docs/limits.md).
        if (job !== undefined && agentType === 'User' && !isInPull(sha, pull, repository)) return
        const isOfMarked = pull !== undefined && isMarked(pull, getNowMs())
        const by = getSender(plan.by, job === undefined || isOfMarked) ?? sender
        const number = pull?.state === 'open' && pull.headSha === sha ? job?.pullNumber : undefined
        const shared = { sender: by, repository: of }
        addCause(createDerivedEvent(plan, { sha, branch, number }, repository, shared), branch, sha, job?.id)
      })
    }
  }

  /** Adds an event of the embedded GitHub, and the events that GitHub sends with it. */
  function addCauses(event: WebhookEvent): void {
    const payload = getPayload(event)
    const { ref = '', after = '', deleted = false, pull_request: pull } = payload
    const job = findJob(event, service, repository)
    if (job !== undefined && OTHER_JOBS.test(job.id)) return
    if (event.name === 'push') {
      const branch = ref.replace('refs/heads/', '')
      addCause(event, branch, after, job?.id)
      if (!deleted) addDerived(after, branch, job, payload)
    } else if (event.name === 'pull_request') {
      const { ref: branch = '', sha = '' } = pull?.head ?? {}
      addCause(event, branch, sha, job?.id)
      addCause({ ...event, name: 'pull_request_target' }, branch, sha, job?.id)
    }
  }

  async function playRun(cause: Cause, workflow: ConsequenceWorkflow, runId: number): Promise<void> {
    const startMs = getNowMs()
    let sent: ConsequenceRun['sent']
    const { label, skipOwnChanges, onOpenPr, changeContext } = workflow
    const inputs = agentInputs(
      {},
      {
        'project-id': PROJECT,
        'github-token': GITHUB_TOKEN,
        label,
        prompt: `Improve it, ${runId}.`,
        'poll-interval-seconds': history.pollInterval,
        'skip-own-changes': skipOwnChanges,
        'on-open-pr': onOpenPr,
        'change-context': changeContext,
      },
    )
    const { name: eventName, payload, branch } = cause
    const { after, sender, pull_request: pull } = getPayload(cause)
    const [tip = '', refName] =
      eventName === 'pull_request_target' ? [repository.branches['main'], 'main'] : [after, branch]
    const sha = tip === '' ? (pull?.head.sha ?? repository.branches['main'] ?? '') : tip
    const stage = createStage({
      baseClock: clock,
      respond: (request, atMs) => {
        const response = service.handle(request, atMs)
        if (request.method === 'POST' && request.target.startsWith('/v2/') && response.status < 300) {
          const { id: jobId } = JSON.parse(response.body) as { readonly id: string }
          sent ??= { jobId, atMs }
          prompts++
        }
        return response
      },
      facts: { runId, eventName, payload, actor: sender?.login ?? MAINTAINER, sha, refName, workflow: `${label}.yml` },
      timeoutMs: inputs.timeoutMs,
      latencyMs: repeat(history.latenciesMs, 0),
    })
    const { log, line } = await playOn(stage, agentAction, () => inputs)
    runs.push({ workflow, cause, startMs, sent, log: [...log, line] })
  }

  async function start(cause: Cause, workflow: ConsequenceWorkflow): Promise<void> {
    const runId = 900 + runs.length + running++
    await clock.sleep(takeQueuedMs())
    const before = group
    const run = (agentType === 'User' ? before : Promise.resolve()).then(() => playRun(cause, workflow, runId))
    group = run
    await run
    running--
    lastMs = clock.now()
  }

  const isStarted = ({ name, branch }: Cause, { on }: ConsequenceWorkflow): boolean => {
    if (name === 'workflow_dispatch') return true
    if (!on.some((one) => one === name)) return false
    return agentType === 'Bot' || name !== 'push' || branch === 'main'
  }

  function act({ kind }: PersonAct, index: number): void {
    const nowMs = getNowMs()
    const files = [{ filename: 'src/main.ts', patch: `@@ -1 +1 @@\n-${index}\n+${index + 1}` }]
    const change = { message: `Change ${index}`, author: MAINTAINER, files }
    if (kind === 'dispatch') addCause({ name: 'workflow_dispatch', payload: { sender: USERS.person } }, 'main', '')
    else if (kind === 'push') pushCommit(repository, 'main', change, nowMs)
    else if (kind === 'web-edit') editOnWeb(repository, 'main', change, nowMs)
    else {
      const branch = `feature-${index}`
      pushCommit(repository, branch, change, nowMs)
      const number = takeNumber(repository)
      openPull(repository, number, { branch, title: change.message, user: MAINTAINER }, nowMs)
      clock.at(clock.now() + 60_000, () => {
        mergePull(repository, number, MAINTAINER, getNowMs())
      })
    }
    service.github.catchUp(nowMs)
  }

  async function playAll(): Promise<void> {
    const work: Promise<void>[] = []
    for (const [index, one] of acts.entries())
      clock.at(one.afterMs, () => {
        act(one, index)
      })
    while (running > 0 || waiting > 0 || causes.length > 0 || clock.now() - lastMs < QUIET_MS) {
      for (const cause of causes.splice(0))
        for (const workflow of workflows)
          if (prompts < MAX_PROMPTS && isStarted(cause, workflow)) work.push(start(cause, workflow))
      await clock.sleep(TICK_MS)
      service.github.catchUp(getNowMs())
    }
    await Promise.all(work)
  }

  await clock.passUntil(playAll())
  return { history, service, repository, runs }
}

/** Returns the run that sent the last prompt to a job before a time. */
const findSender = (jobId: string, beforeMs: number, { runs }: ConsequenceTrace): ConsequenceRun | undefined =>
  runs
    .filter(({ sent }) => sent?.jobId === jobId && sent.atMs <= beforeMs)
    .toSorted((a, b) => (a.sent?.atMs ?? 0) - (b.sent?.atMs ?? 0))
    .at(-1)

/**
 * Whether the guard must recognize the agent's work: the commit is in a pull request that was marked, or the agent's bot
 * caused the event, and no range can contain a commit by a person.
 */
function isRecognizable(
  { cause, startMs }: ConsequenceRun,
  { history, service, repository }: ConsequenceTrace,
): boolean {
  const job = [...service.listJobs()].find(({ id }) => id === cause.jobId)
  const pull = job && repository.pulls[job.pullNumber]
  const isByAgent = getPayload(cause).sender?.login === getAgentLogin(history)
  return (
    (pull !== undefined && isMarked(pull, startMs) && isInPull(cause.sha, pull, repository)) ||
    (history.agentType === 'Bot' && isByAgent && !history.hasOtherCommits)
  )
}

/** Lists the workflows whose prompts led to a run, since a person or something that no guard can recognize. */
function listWorkflowsBefore(run: ConsequenceRun, trace: ConsequenceTrace): readonly ConsequenceWorkflow[] {
  const { jobId, atMs } = run.cause
  const sender = jobId === undefined || !isRecognizable(run, trace) ? undefined : findSender(jobId, atMs, trace)
  return sender === undefined ? [] : [...listWorkflowsBefore(sender, trace), sender.workflow]
}

/** Reports prompts that the agent's own work has started, and cycles that go on without a person. */
export function findExtraPrompts(trace: ConsequenceTrace): string[] {
  const problems = trace.runs.flatMap((run) => {
    const { cause, sent, workflow } = run
    if (sent === undefined || cause.jobId === undefined || !isRecognizable(run, trace)) return []
    const isAllowed = workflow.skipOwnChanges === 'same-label' && !listWorkflowsBefore(run, trace).includes(workflow)
    const { action = '', workflow_run: { event = '' } = {} } = getPayload(cause)
    const what = [cause.name, action, event, cause.branch].filter(Boolean).join(' ')
    return isAllowed ? [] : [`The agent's own work started a prompt of ${workflow.label}: ${what}.`]
  })
  const prompts = trace.runs.filter(({ sent }) => sent !== undefined).length
  // A person who commits to every pull request starts the next run of a workflow that follows another one.
  if (prompts >= MAX_PROMPTS && !trace.history.hasOtherCommits) problems.push('The runs form a loop.')
  return problems
}
