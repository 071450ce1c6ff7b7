import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { jest } from '@jest/globals'
import { preload } from '../../scripts/small-runner/preload.ts'
import { NODE_24 } from '../../scripts/small-runner/node-24.ts'
import { runAction, type RunOptions, type RunResult } from '../../scripts/small-runner/run-action.ts'
import { EMULATOR_KEY } from '../../src/emulator/http/access.ts'
import { DEFAULT_PROJECT_ID, startEmulator, type EmulatorOptions } from '../../src/emulator/server.ts'
import type { ScenarioName } from '../../src/emulator/service/scenarios.ts'
import type { Clock } from '../../src/runtime/clock.ts'

// Starting a process can take seconds on a busy machine.
jest.setTimeout(60_000)

/** Runs the packaged action of a folder of this project as a GitHub runner does, on Node.js 24. */
export function runPackaged(
  folder: '.' | 'visitors' | 'emulator',
  options: Omit<RunOptions, 'action'>,
): Promise<RunResult> {
  const action = fileURLToPath(new URL(`../../${folder}`, import.meta.url))
  return runAction({ action, node: NODE_24, ...options })
}

/** Something that stands between the action and the service, started for one run. */
export type Intermediary = (serviceUrl: string) => Promise<{ readonly url: string; readonly close: () => void }>

type RunnerOptions = Pick<
  RunOptions,
  'cancel' | 'cancelTimes' | 'debug' | 'event' | 'eventName' | 'node' | 'onLine' | 'workspace'
>

/** Takes the service's place with answers of the test's own. */
export function replaceService(listener: RequestListener): Intermediary {
  return async () => {
    const server = createServer(listener)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      close: () => {
        server.close()
        server.closeAllConnections()
      },
    }
  }
}

export interface BundleOptions extends RunnerOptions {
  /** What the service plays; by default `pull-request`. */
  readonly scenario?: ScenarioName
  /** Of the service's GitHub. */
  readonly github?: NonNullable<EmulatorOptions['github']>
  /** How much of the service's time passes with each request, in seconds; by default 10. The agent usually works for 20. */
  readonly secondsPerRequest?: number
  /** Besides the project, the key and the address of the embedded service, or in their place. */
  readonly inputs: Readonly<Record<string, string>>
  /** Besides that of a runner. */
  readonly env?: (serviceUrl: string) => Record<string, string>
  readonly intermediary?: Intermediary
  /** An ES module's source, run in the step's process before the action. */
  readonly preload?: string
}

export interface BundleRun extends RunResult {
  readonly inputs: Readonly<Record<string, string>>
  /** The embedded service's own address, which its links begin with. */
  readonly serviceUrl: string
  /** What the service was asked, such as `POST job` and `GET job/job_000001`. */
  readonly requests: readonly string[]
  /** The prompts of the POSTs that it did not refuse unread, as the service read them. */
  readonly prompts: readonly (string | undefined)[]
}

/** The service's time moves with requests and with nothing else, so that a test knows what every single one reads. */
function createRequestClock(stepMs: number): Clock {
  let now = 0
  return {
    now: () => (now += stepMs),
    wallTime: () => new Date(),
    sleep: () => Promise.resolve(),
    yieldToEventLoop: () => Promise.resolve(),
  }
}

/** Makes the waits that the service asks for, which the action keeps to in real time, as short as they can be. */
const SPEED = 1_000

const PROJECT_PATH = `/v2/agent/${DEFAULT_PROJECT_ID}/`

/** Runs the packaged action as a GitHub runner does, on Node.js 24, against an embedded service of its own. */
export async function runBundle(options: BundleOptions): Promise<BundleRun> {
  const { scenario = 'pull-request', secondsPerRequest = 10, inputs: given, ...others } = options
  const { github = {}, intermediary: front, preload: code, env, ...runner } = others
  const clock = createRequestClock((secondsPerRequest * 1_000) / SPEED)
  const service = await startEmulator({ scenario, clock, speed: SPEED, github })
  const entrance = await front?.(service.url)
  try {
    const inputs = {
      'project-id': DEFAULT_PROJECT_ID,
      'api-key': EMULATOR_KEY,
      'base-url': entrance?.url ?? service.url,
      'poll-interval-seconds': '0.1',
      // A step that hangs ends with a log that tells why.
      'timeout-minutes': '0.9',
      ...given,
    }
    const result = await runPackaged('.', {
      ...runner,
      inputs,
      env: { ...(code !== undefined && preload(code)), ...env?.(service.url) },
    })
    const requests = service.requests.map(({ method, path }) => `${method} ${path.replace(PROJECT_PATH, '')}`)
    const posts = service.requests.filter(({ method, status }) => method === 'POST' && status !== 401 && status !== 403)
    const prompts = posts.map(({ prompt }) => prompt)
    return { ...result, inputs, serviceUrl: service.url, requests, prompts }
  } finally {
    entrance?.close()
    await service.close()
  }
}
