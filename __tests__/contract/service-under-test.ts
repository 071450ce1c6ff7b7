import { EMULATOR_KEY } from '../../src/emulator/http/access.ts'
import { DEFAULT_PROJECT_ID, startEmulator, type Emulator, type EmulatorOptions } from '../../src/emulator/server.ts'
import type { DocsServiceClient } from '../../src/docs-service/client.ts'
import { connect } from '../../src/docs-service/connect.ts'
import type { Job } from '../../src/docs-service/schemas.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import type { Environment } from '../../src/runtime/environment.ts'
import { createRedactor } from '../../src/text/redact.ts'

export interface ClientChoice {
  readonly projectId?: string
  readonly apiKey?: string
  /** How long all that is asked may take, in milliseconds. */
  readonly patienceMs?: number
}

/** What the contract is checked against: a real service where the environment names one, else the embedded one. */
export interface ServiceUnderTest {
  /** Undefined where the service is a real one. */
  readonly emulator: Emulator | undefined
  /** A client of the real kind: HTTP over a socket. */
  readonly client: (choice?: ClientChoice) => DocsServiceClient
  /** Days that are over, so that their visits change no more. `dateTo` is exclusive. */
  readonly pastDays: { readonly dateFrom: string; readonly dateTo: string }
  /** Reads a job until it has ended. */
  readonly untilEnded: (client: DocsServiceClient, job: Job) => Promise<Job>
  readonly close: () => Promise<void>
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Longer than a new job may take to be found. */
const REAL_PAUSE_MS = 30_000

/** The embedded service's time passes with its requests only, 10 seconds with each. */
export function startStepwise(options: EmulatorOptions = {}): Promise<Emulator> {
  let now = 0
  const clock = { ...systemClock, now: () => (now += 10_000) }
  return startEmulator({ clock, ...options })
}

export interface ClientTarget extends Required<Omit<ClientChoice, 'patienceMs'>>, Pick<ClientChoice, 'patienceMs'> {
  readonly baseUrl: string
  /** Where the proxies stand. */
  readonly env: Environment
}

export function clientOf({ apiKey, patienceMs = HOUR_MS, ...target }: ClientTarget): DocsServiceClient {
  return connect(
    { ...target, apiKey, deadlineAt: systemClock.now() + patienceMs },
    {
      clock: systemClock,
      signal: new AbortController().signal,
      random: () => 0.5,
      log: () => undefined,
      debug: () => undefined,
      mask: () => undefined,
      redact: createRedactor([apiKey]),
    },
  )
}

async function readUntilEnded(client: DocsServiceClient, job: Job, pauseMs: number): Promise<Job> {
  for (let seen = job; ; seen = await client.getJob(job.id)) {
    if (seen.status !== 'active') return seen
    await systemClock.sleep(pauseMs)
  }
}

async function openEmulator(): Promise<ServiceUnderTest> {
  const emulator = await startStepwise({ pages: 120 })
  const usual = { baseUrl: emulator.url, env: {}, projectId: DEFAULT_PROJECT_ID, apiKey: EMULATOR_KEY }
  return {
    emulator,
    client: (choice = {}) => clientOf({ ...usual, ...choice }),
    pastDays: { dateFrom: '2025-11-01', dateTo: '2025-12-01' },
    untilEnded: (client, job) => readUntilEnded(client, job, 0),
    close: () => emulator.close(),
  }
}

function openRealService(usual: ClientTarget): ServiceUnderTest {
  const daysAgo = (days: number): string =>
    new Date(systemClock.wallTime().getTime() - days * DAY_MS).toISOString().slice(0, 10)
  return {
    emulator: undefined,
    client: (choice = {}) => clientOf({ ...usual, ...choice }),
    pastDays: { dateFrom: daysAgo(30), dateTo: daysAgo(2) },
    untilEnded: (client, job) => readUntilEnded(client, job, REAL_PAUSE_MS),
    close: () => Promise.resolve(),
  }
}

export function openService(env: Environment): Promise<ServiceUnderTest> {
  const { DOCS_AGENT_BASE_URL: baseUrl, DOCS_AGENT_PROJECT_ID: projectId, DOCS_AGENT_API_KEY: apiKey } = env
  if (!baseUrl || !projectId || !apiKey) return openEmulator()
  return Promise.resolve(openRealService({ baseUrl: baseUrl.replace(/\/+$/, ''), env, projectId, apiKey }))
}
