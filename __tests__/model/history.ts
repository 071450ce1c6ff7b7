import { createService, DEFAULT_START_MS, type Service } from '../../src/emulator/embedded-service.ts'
import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import type { GitHubFault } from '../../src/emulator/github/github-faults.ts'
import type { GitHubScenario } from '../../src/emulator/github/github-scenarios.ts'
import { createRepositoryState } from '../../src/emulator/github/repository-state.ts'
import { DEFAULT_LAG, type Lag } from '../../src/emulator/github/state.ts'
import type { ServiceRequest, ServiceResponse } from '../../src/emulator/http/exchange.ts'
import type { FaultPattern } from '../../src/emulator/http/faults.ts'
import type { Turn } from '../../src/emulator/service/job-machine.ts'
import type { Scenario } from '../../src/emulator/service/scenarios.ts'
import { stageIn } from '../support/embedded-world.ts'
import type { GivenRun } from '../support/fake-github.ts'
import { commit } from '../support/github-state.ts'
import { agentInputs } from '../support/fake-step.ts'
import { BASE_URL } from '../support/in-process-github.ts'
import { playAgent, type PlayedAgent } from '../support/play-feature.ts'
import { virtualClock, type VirtualClock } from '../support/virtual-clock.ts'

export interface HistoryStep {
  /** `follow-up`: to the newest job, by its id; a new job where there is none. */
  readonly asks: 'rolling' | 'follow-up'
  /** From the end of the step before, or from its beginning. */
  readonly gapMs: number
  readonly begins: 'after' | 'alongside'
  readonly leavesDocs: boolean
  readonly given: Readonly<Record<string, string>>
  /** From its beginning. */
  readonly cancelAfterMs?: number | undefined
}

/** All that happens, as a value: what the service and GitHub do, and who asks them what. */
export interface History {
  readonly service: Partial<Scenario>
  readonly github: Partial<GitHubScenario>
  /** The faults of single operations, in place of those of the scenario. */
  readonly operationFaults?: Readonly<Record<string, FaultPattern<GitHubFault>>>
  /** How old what GitHub shows is, for one request after the other, over and over. */
  readonly gitHubLags: readonly Pick<Lag, 'headMs' | 'runsMs'>[]
  /** How long one way of a request takes, over and over. */
  readonly latenciesMs: readonly number[]
  readonly steps: readonly HistoryStep[]
}

/** A request to the service about a job, and what it did. Times are in milliseconds since 1970. */
export interface ServiceCall {
  readonly what: 'create' | 'message' | 'read'
  readonly atMs: number
  /** The time of the copy that answered. */
  readonly asOfMs: number
  readonly jobId: string
  /** Of a whole answer. */
  readonly status: string | undefined
  /** What the service took on with it. */
  readonly turn: Turn | undefined
}

export interface HistoryRun extends PlayedAgent {
  readonly step: HistoryStep
  readonly startMs: number
  readonly endMs: number
  /** When it has to end: its deadline, or its cancellation. */
  readonly deadlineMs: number
  readonly calls: readonly ServiceCall[]
}

/** What came of a history, and all that was true in it. */
export interface HistoryTrace {
  readonly history: History
  readonly service: Service
  readonly runs: readonly HistoryRun[]
}

export const REPOSITORY = 'acme/docs'
export const FORMER_NAME = 'acme/manual'
export const PROJECT_ID = 'docs'
export const SILENT_JOB = 'job_silent'
export const OUTSIDE = '.github/workflows/ci.yml'
const NEVER: ServiceResponse = { status: 0, headers: {}, body: '', delivery: 'never' }
const JOB_PATH = /\/job(?:\/([^/]+))?(\/message)?$/

const inTurn = <T>(values: readonly T[], otherwise: T): (() => T) => {
  let next = 0
  return () => values[next++ % values.length] ?? otherwise
}

function openService({ service: plays, github, operationFaults = {}, gitHubLags }: History): Service {
  const lag = inTurn(gitHubLags, { headMs: 0, runsMs: 0 })
  const edits: GitHubScenario['edits'] = (prompt) => [
    { filename: 'docs/guide.md', patch: `@@ -1 +1 @@\n-1\n+${prompt.slice(0, 20)}` },
    ...(prompt.startsWith('Leave') ? [{ filename: OUTSIDE, patch: '@@ -1 +1 @@\n-1\n+2' }] : []),
  ]
  const service = createService({
    ...{ baseUrl: BASE_URL, scenarioOverrides: plays, pages: 1, visits: 1 },
    github: {
      scenario: { edits, ...github },
      faults: operationFaults,
      onBeforeResponse: (_operation, _before, { state }) => {
        state.lag = { ...DEFAULT_LAG, ...lag() }
      },
    },
  })
  service.github.state.repositories[FORMER_NAME] = createRepositoryState({ movedTo: REPOSITORY })
  return service
}

const turnsOf = (service: Service): readonly Turn[] => [...service.listJobs()].flatMap(({ turns }) => turns)

function answerNoted(service: Service, calls: ServiceCall[], request: ServiceRequest, atMs: number): ServiceResponse {
  if (service.github.isGitHubTarget(request.target)) return service.handle(request, atMs)
  const [, jobId = '', message] = JOB_PATH.exec(request.target) ?? []
  if (jobId === SILENT_JOB) return NEVER
  const before = new Set(turnsOf(service))
  const { prompt } = (request.method === 'POST' ? JSON.parse(request.body) : {}) as { prompt?: string }
  const response = service.handle(request, atMs)
  const turn = turnsOf(service).find((one) => one.prompt === prompt && !before.has(one))
  const isWhole = response.delivery === 'whole' && response.status < 300 && response.body.startsWith('{')
  const body = isWhole ? (JSON.parse(response.body) as { id: string; status: string }) : undefined
  const taker = [...service.listJobs()].find(({ turns }) => turn !== undefined && turns.includes(turn))
  calls.push({
    what: request.method === 'GET' ? 'read' : message === undefined ? 'create' : 'message',
    ...{ atMs, asOfMs: service.requests.at(-1)?.asOfMs ?? atMs, turn },
    ...{ jobId: taker?.id ?? jobId, status: body?.id === jobId || turn !== undefined ? body?.status : undefined },
  })
  return response
}

function givenOf({ asks, leavesDocs, given }: HistoryStep, index: number, service: Service): Record<string, string> {
  const newest = [...service.listJobs()].findLast(({ id }) => /^job_\d+$/.test(id))
  return {
    ...{ 'project-id': PROJECT_ID, 'github-token': GITHUB_TOKEN, label: 'docs-agent', 'skip-own-changes': 'false' },
    prompt: `${leavesDocs ? 'Leave the docs' : 'Improve the docs'}, step ${index + 1}.`,
    ...(asks === 'rolling' ? { 'on-open-pr': 'follow-up' } : { 'job-id': newest?.id ?? '' }),
    ...given,
  }
}

export const runIdOf = (index: number): number => 900 + index

/** Each step is started by a push of somebody else. */
function parsePush(index: number): Pick<GivenRun, 'eventName' | 'payload'> {
  const commits = Array.from({ length: index + 1 }, () => ({ id: commit('b'), message: 'Work' }))
  const compare = `${BASE_URL}/${REPOSITORY}/compare/main...${runIdOf(index)}`
  const sender = { login: `@writer-${index}`, type: 'User' }
  return { eventName: 'push', payload: { ref: 'refs/heads/main', commits, compare, sender } }
}

async function playStep(
  step: HistoryStep,
  index: number,
  service: Service,
  world: VirtualClock,
  latencyMs: () => number,
): Promise<HistoryRun> {
  const nowMs = (): number => world.wallTime().getTime()
  const [startMs, calls] = [nowMs(), [] as ServiceCall[]]
  const inputs = agentInputs({}, givenOf(step, index, service))
  const { timeoutMs } = inputs
  const { cancelAfterMs = Infinity } = step
  const stage = stageIn({
    world,
    respond: (request, atMs) => answerNoted(service, calls, request, atMs),
    facts: { runId: runIdOf(index), ...parsePush(index) },
    timeoutMs,
    cancelAfterMs,
    latencyMs,
  })
  const played = await playAgent(stage, () => inputs)
  const deadlineMs = startMs + Math.min(timeoutMs, cancelAfterMs)
  return { ...played, step, calls, startMs, endMs: nowMs(), deadlineMs }
}

/** Plays a history to its end. Whatever its steps leave behind comes to its end too. */
export async function playHistory(history: History): Promise<HistoryTrace> {
  const world = virtualClock()
  const service = openService(history)
  const latencyMs = inTurn(history.latenciesMs, 0)
  const runs: Promise<HistoryRun>[] = []
  let before: { began: Promise<void>; ended: Promise<unknown> } = { began: Promise.resolve(), ended: Promise.resolve() }
  for (const [index, step] of history.steps.entries()) {
    const began = (step.begins === 'after' ? before.ended : before.began).then(() => world.sleep(step.gapMs))
    const run = began.then(() => playStep(step, index, service, world, latencyMs))
    before = { began, ended: run }
    runs.push(run)
  }
  const played = await world.passUntil(Promise.all(runs))
  service.github.catchUp(Math.max(DEFAULT_START_MS, ...played.map(({ endMs }) => endMs)) + 3_600_000)
  return { history, service, runs: played }
}
