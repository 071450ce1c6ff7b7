import { createServer, type RequestListener } from 'node:http'
import { fileURLToPath } from 'node:url'
import { listenOnLoopback, type LoopbackServer } from '../scripts/small-runner/listen-on-loopback.ts'
import { preload } from '../scripts/small-runner/preload.ts'
import { runAction, type RunOptions, type RunResult } from '../scripts/small-runner/run-action.ts'
import { EMULATOR_KEY } from '../src/emulator/http/access.ts'
import { DEFAULT_PROJECT_ID, startEmulator, type EmulatorOptions } from '../src/emulator/server.ts'
import type { ScenarioName } from '../src/emulator/service/scenarios.ts'
import type { Clock } from '../src/runtime/clock.ts'

/** Runs a packaged action of this project as a GitHub runner does, on the Node.js of the tests. */
export function runPackaged(
  folder: '.' | 'visitors' | 'report' | 'emulator',
  options: Omit<RunOptions, 'action'>,
): Promise<RunResult> {
  const action = fileURLToPath(new URL(`../${folder}`, import.meta.url))
  return runAction({ action, ...options })
}

/** Starts a server between the action and the service, for one run. */
export type Intermediary = (serviceUrl: string) => Promise<Pick<LoopbackServer, 'url' | 'close'>>

type RunnerOptions = Pick<
  RunOptions,
  'cancel' | 'cancelTimes' | 'debug' | 'event' | 'eventName' | 'node' | 'onLine' | 'workspace'
>

/** Replaces the service with a server of the test. */
export function replaceService(listener: RequestListener): Intermediary {
  return () => listenOnLoopback(createServer(listener))
}

export interface BundleOptions extends RunnerOptions {
  /** The scenario of the service. Default: `pull-request`. */
  readonly scenario?: ScenarioName
  /** Options of the embedded GitHub. */
  readonly github?: NonNullable<EmulatorOptions['github']>
  /** How far each request moves the service's clock. Default: 10. The agent works for 20 seconds by default. */
  readonly secondsPerRequest?: number
  /** Added to the inputs for the embedded service, or replacing them. */
  readonly inputs: Readonly<Record<string, string>>
  /** Added to the runner's environment. `entranceUrl`: of the intermediary, if there is one. */
  readonly env?: (serviceUrl: string, entranceUrl: string) => Record<string, string>
  readonly intermediary?: Intermediary
  /** The source of an ES module that runs in the step's process before the action. */
  readonly preload?: string
}

export interface BundleRun extends RunResult {
  readonly inputs: Readonly<Record<string, string>>
  /** The URL of the embedded service. Its links begin with it. */
  readonly serviceUrl: string
  /** The requests to the service, such as `POST job` and `GET job/job_000001`. */
  readonly requests: readonly string[]
  /** The prompts of the POST requests that the service read. */
  readonly prompts: readonly (string | undefined)[]
}

/** Creates a clock that only requests move, so that a test knows what each request reads. */
function createRequestClock(stepMs: number): Clock {
  let now = 0
  return {
    now: () => (now += stepMs),
    wallTime: () => new Date(),
    sleep: () => Promise.resolve(),
    yieldToEventLoop: () => Promise.resolve(),
  }
}

/** Shortens the waits that the service asks for, which the action obeys in real time. */
const SPEED = 1_000

const PROJECT_PATH = `/v2/agent/${DEFAULT_PROJECT_ID}/`

/** Runs the packaged agent action against a new embedded service. */
export async function runBundle(options: BundleOptions): Promise<BundleRun> {
  const { scenario = 'pull-request', secondsPerRequest = 10, inputs: given, ...others } = options
  const { github = {}, intermediary: front, preload: code, env, ...runner } = others
  const clock = createRequestClock((secondsPerRequest * 1_000) / SPEED)
  const service = await startEmulator({ scenario, clock, speed: SPEED, github })
  const entrance = await front?.(service.url)
  const entranceUrl = entrance?.url ?? service.url
  try {
    const inputs = {
      'project-id': DEFAULT_PROJECT_ID,
      'api-key': EMULATOR_KEY,
      'base-url': entranceUrl,
      'poll-interval-seconds': '0.1',
      // A step that hangs ends with a useful log.
      'timeout-minutes': '0.9',
      ...given,
    }
    const result = await runPackaged('.', {
      ...runner,
      inputs,
      env: { ...(code !== undefined && preload(code)), ...env?.(service.url, entranceUrl) },
    })
    const requests = service.requests.map(({ method, path }) => `${method} ${path.replace(PROJECT_PATH, '')}`)
    const posts = service.requests.filter(({ method, status }) => method === 'POST' && status !== 401 && status !== 403)
    const prompts = posts.map(({ prompt }) => prompt)
    return { ...result, inputs, serviceUrl: service.url, requests, prompts }
  } finally {
    await entrance?.close()
    await service.close()
  }
}
