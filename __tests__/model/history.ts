import { createService, DEFAULT_START_MS, type Service } from '../../src/emulator/embedded-service.ts'
import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import type { GitHubFault } from '../../src/emulator/github/github-faults.ts'
import type { GitHubScenario } from '../../src/emulator/github/github-scenarios.ts'
import type { PullState } from '../../src/emulator/github/pull-state.ts'
import { createRepositoryState } from '../../src/emulator/github/repository-state.ts'
import { DEFAULT_LAG, type Lag } from '../../src/emulator/github/state.ts'
import type { ServiceRequest, ServiceResponse } from '../../src/emulator/http/exchange.ts'
import type { FaultPattern } from '../../src/emulator/http/faults.ts'
import type { ScheduledTurn } from '../../src/emulator/service/job-machine.ts'
import type { Scenario } from '../../src/emulator/service/scenarios.ts'
import { createStage } from '../../testing/play-step.ts'
import type { GivenRun } from '../../testing/given-run.ts'
import { commit } from '../../testing/github-state.ts'
import { agentInputs } from '../../testing/agent-inputs.ts'
import { BASE_URL } from '../../testing/in-process-github.ts'
import { playAgent, type PlayedAgent } from '../../testing/play-feature.ts'
import { virtualClock, type VirtualClock } from '../../testing/virtual-clock.ts'
import { repeat } from './repeat.ts'

export interface HistoryStep {
  /** `follow-up`: names the newest job in `job-id`, or creates a job if there is none. */
  readonly task: 'rolling' | 'follow-up'
  /** The time from the end of the preceding step. Runs of one conversation do not overlap. */
  readonly gapMs: number
  /** Whether the prompt makes the agent change a file outside the documentation. */
  readonly leavesDocs: boolean
  readonly inputs: Readonly<Record<string, string>>
  /** The time from the start of the step; undefined if the step is not cancelled. */
  readonly cancelAfterMs?: number | undefined
}

/** Several steps, and how the service and GitHub behave meanwhile, as a plain value. */
export interface History {
  readonly service: Partial<Scenario>
  readonly github: Partial<GitHubScenario>
  /** The faults of single operations. These operations ignore the faults of the scenario. */
  readonly operationFaults?: Readonly<Record<string, FaultPattern<GitHubFault>>>
  /** The replica lag of each response of GitHub, repeated from the start. */
  readonly gitHubLags: readonly Pick<Lag, 'headMs' | 'runsMs'>[]
  /** The latency of each direction of a request, repeated from the start. */
  readonly latenciesMs: readonly number[]
  readonly steps: readonly HistoryStep[]
}

/** A request to the service about a job, and its effect. Times are in milliseconds since 1970. */
export interface ServiceCall {
  readonly operation: 'create' | 'message' | 'read'
  readonly atMs: number
  /** The time whose state the response shows. */
  readonly asOfMs: number
  readonly jobId: string
  /** The status in the response; undefined if the response is incomplete, an error, or about another job. */
  readonly status: string | undefined
  /** The turn that the service added for the request's prompt. */
  readonly turn: ScheduledTurn | undefined
}

export interface HistoryRun extends PlayedAgent {
  readonly step: HistoryStep
  readonly startMs: number
  readonly endMs: number
  /** The step's deadline or its cancellation, whichever is earlier. */
  readonly deadlineMs: number
  readonly serviceCalls: readonly ServiceCall[]
  /** The pull requests when the step began, by number. */
  readonly pullsBefore: Readonly<Record<number, PullState>>
}

/** What the steps of a history showed, and the servers' own records of it. */
export interface HistoryTrace {
  readonly history: History
  readonly service: Service
  readonly runs: readonly HistoryRun[]
}

export const REPOSITORY = 'acme/docs'
export const LABEL = 'docs-agent'
export const FORMER_NAME = 'acme/manual'
export const PROJECT_ID = 'docs'
/** The service never responds to requests about this job. */
export const SILENT_JOB = 'job_silent'
export const OUTSIDE = '.github/workflows/ci.yml'
const NEVER: ServiceResponse = { status: 0, headers: {}, body: '', delivery: 'never' }
const JOB_PATH = /\/job(?:\/([^/]+))?(\/message)?$/

function openService({ service: plays, github, operationFaults = {}, gitHubLags }: History): Service {
  const takeLag = repeat(gitHubLags, { headMs: 0, runsMs: 0 })
  const edits: GitHubScenario['edits'] = (prompt) => [
    { filename: 'docs/guide.md', patch: `@@ -1 +1 @@\n-1\n+${prompt.slice(0, 20)}` },
    ...(prompt.startsWith('Leave') ? [{ filename: OUTSIDE, patch: '@@ -1 +1 @@\n-1\n+2' }] : []),
  ]
  const service = createService({
    baseUrl: BASE_URL,
    scenarioOverrides: plays,
    pages: 1,
    visits: 1,
    github: {
      scenario: { edits, ...github },
      faults: operationFaults,
      onBeforeResponse: (_operation, _before, { state }) => {
        state.lag = { ...DEFAULT_LAG, ...takeLag() }
      },
    },
  })
  service.github.state.repositories[FORMER_NAME] = createRepositoryState({ movedTo: REPOSITORY })
  return service
}

const listAllTurns = (service: Service): readonly ScheduledTurn[] =>
  [...service.listJobs()].flatMap(({ turns }) => turns)

function respondAndRecord(
  service: Service,
  calls: ServiceCall[],
  request: ServiceRequest,
  atMs: number,
): ServiceResponse {
  if (service.github.isGitHubTarget(request.target)) return service.handle(request, atMs)
  const [, jobId = '', message] = JOB_PATH.exec(request.target) ?? []
  if (jobId === SILENT_JOB) return NEVER
  const turnsBefore = new Set(listAllTurns(service))
  const { prompt } = (request.method === 'POST' ? JSON.parse(request.body) : {}) as { prompt?: string }
  const response = service.handle(request, atMs)
  const turn = listAllTurns(service).find((one) => one.prompt === prompt && !turnsBefore.has(one))
  const isComplete = response.delivery === 'complete' && response.status < 300 && response.body.startsWith('{')
  const body = isComplete ? (JSON.parse(response.body) as { id: string; status: string }) : undefined
  const promptedJob = [...service.listJobs()].find(({ turns }) => turn !== undefined && turns.includes(turn))
  calls.push({
    operation: request.method === 'GET' ? 'read' : message === undefined ? 'create' : 'message',
    atMs,
    asOfMs: service.requests.at(-1)?.asOfMs ?? atMs,
    turn,
    jobId: promptedJob?.id ?? jobId,
    status: body?.id === jobId || turn !== undefined ? body?.status : undefined,
  })
  return response
}

function buildInputs(
  { task, leavesDocs, inputs }: HistoryStep,
  index: number,
  service: Service,
): Record<string, string> {
  const newest = [...service.listJobs()].findLast(({ id }) => /^job_\d+$/.test(id))
  return {
    'project-id': PROJECT_ID,
    'github-token': GITHUB_TOKEN,
    label: LABEL,
    prompt: `${leavesDocs ? 'Leave the docs' : 'Improve the docs'}, step ${index + 1}.`,
    ...(task === 'rolling' ? { 'on-open-pr': 'follow-up' } : { 'job-id': newest?.id ?? '' }),
    ...inputs,
  }
}

export const getRunId = (index: number): number => 900 + index

/**
 * Returns the event that starts a step, by another user for each step. `rolling`: a push of the user's own commits.
 * `follow-up`: a manual run, for which GitHub need not respond.
 */
function createCause({ task }: HistoryStep, index: number): Pick<GivenRun, 'eventName' | 'payload'> {
  const sender = { login: `@writer-${index}`, type: 'User' }
  if (task === 'follow-up') return { eventName: 'workflow_dispatch', payload: { sender } }
  const person = { name: 'Writer', username: sender.login }
  const pushed = { id: commit('b'), message: 'Work', author: person, committer: person }
  const commits = Array.from({ length: index + 1 }, () => pushed)
  const compare = `${BASE_URL}/${REPOSITORY}/compare/main...${getRunId(index)}`
  return { eventName: 'push', payload: { ref: 'refs/heads/main', commits, compare, sender } }
}

async function playStep(
  step: HistoryStep,
  index: number,
  service: Service,
  clock: VirtualClock,
  latencyMs: () => number,
): Promise<HistoryRun> {
  const getNowMs = (): number => clock.wallTime().getTime()
  const [startMs, serviceCalls] = [getNowMs(), [] as ServiceCall[]]
  const inputs = agentInputs({}, buildInputs(step, index, service))
  const { timeoutMs } = inputs
  const { cancelAfterMs = Infinity } = step
  const pullsBefore = structuredClone(service.github.state.repositories[REPOSITORY]?.pulls ?? {})
  const stage = createStage({
    baseClock: clock,
    respond: (request, atMs) => respondAndRecord(service, serviceCalls, request, atMs),
    facts: { runId: getRunId(index), ...createCause(step, index) },
    timeoutMs,
    cancelAfterMs,
    latencyMs,
  })
  const played = await playAgent(stage, () => inputs)
  const deadlineMs = startMs + Math.min(timeoutMs, cancelAfterMs)
  return { ...played, step, serviceCalls, pullsBefore, startMs, endMs: getNowMs(), deadlineMs }
}

/** Plays all steps of a history, and then one hour more, so that planned commits, checks and events happen. */
export async function playHistory(history: History): Promise<HistoryTrace> {
  const clock = virtualClock()
  const service = openService(history)
  const takeLatencyMs = repeat(history.latenciesMs, 0)
  const runs: HistoryRun[] = []
  async function playSteps(): Promise<void> {
    for (const [index, step] of history.steps.entries()) {
      await clock.sleep(step.gapMs)
      service.github.catchUp(clock.wallTime().getTime())
      runs.push(await playStep(step, index, service, clock, takeLatencyMs))
    }
  }
  await clock.passUntil(playSteps())
  service.github.catchUp(Math.max(DEFAULT_START_MS, ...runs.map(({ endMs }) => endMs)) + 3_600_000)
  return { history, service, runs }
}
