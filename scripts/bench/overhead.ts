// Measures what a step adds to the agent's own time, on the real clock: the packaged action against the embedded service and
// GitHub, whose requests take as long as real ones. Beside it, a program of built-ins only that sends the necessary requests.
// With OVERHEAD_TRACE=1, it also prints the requests of each step with their times. Measure on an idle machine: a process that
// waits for a processor starts late. On a busy one, `chrt -r 10 npm run bench -- --only overhead` as root measures nearly the same.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../../testing/markdown-files.ts'
import type { CheckPlan } from '../../src/emulator/github/check-plan.ts'
import { combineScenarios, type GitHubScenarioName } from '../../src/emulator/github/github-scenarios.ts'
import { API_PATH } from '../../src/emulator/github/reply.ts'
import { createPushEvent } from '../../src/emulator/github/webhook-events.ts'
import { createCertificate } from '../start/self-signed-certificate.ts'
import { startEmulator } from '../../src/emulator/server.ts'
import type { TurnPlan } from '../../src/emulator/service/job-machine.ts'
import { DEFAULT_TURN } from '../../src/emulator/service/scenarios.ts'
import { runAction } from '../small-runner/run-action.ts'
import { openScratchFolder } from '../small-runner/scratch-folder.ts'
import { type Exchange, startDelayingProxy } from './delaying-proxy.ts'
import type { Row } from './row.ts'
import { serve } from './serve.ts'

type Texts = Readonly<Record<string, string>>

const GITHUB_MS = 150
const SERVICE_MS = 100
const ROUND_TRIP_MS = 20
const TURN_MS = 35_000
const ROUNDS = 3
/** Between the starts of two steps, so that they do not compete for the processor. */
const STAGGER_MS = 1_500

const isOfGitHub = (path: string): boolean => path.startsWith(API_PATH)
const getDelayMs = (path: string): number => (isOfGitHub(path) ? GITHUB_MS : SERVICE_MS)

/** What a step has measured. Times are in seconds. */
interface Figures {
  /** From the start of the process to the arrival of the prompt, or to its end if there was none. */
  readonly before: number
  /** From the first response that shows the end of the job or of its checks to the end of the process. */
  readonly after: number
  /** The number of requests to GitHub. */
  readonly requests: number
}

/** Requests as method and path. Those of a group can be sent at the same time, and each group needs the one before it. */
type Groups = readonly (readonly string[])[]

/** A step, and what it must send at least. */
interface Story {
  readonly what: string
  readonly given?: Texts
  readonly scenarios?: readonly GitHubScenarioName[]
  readonly turn?: Partial<TurnPlan>
  readonly outcome?: string
  /** How long the checks of the pull request take, in each round; without checks, there are as many rounds as usual. */
  readonly checksMs?: readonly number[]
  readonly isDistant?: true
  readonly necessary: { readonly before: Groups; readonly prompt?: string; readonly after: Groups }
  /** The most that the contract allows. Undefined: not limited. */
  readonly most: Partial<Pick<Figures, 'before' | 'after'>>
}

const JOB = '/v2/agent/docs-demo/job'
const REPOSITORY = `${API_PATH}/repos/acme/docs`
const LIST_PULLS_OF_COMMIT = `GET ${REPOSITORY}/commits/main/pulls`
const COMPARE = `GET ${REPOSITORY}/compare/before...main`
const LIST_RUNS = `GET ${REPOSITORY}/actions/workflows/docs.yml/runs`
const LIST_PULLS = `GET ${REPOSITORY}/pulls`
const READ_LABEL = `GET ${REPOSITORY}/labels/docs-agent`
const CREATE_LABEL = `POST ${REPOSITORY}/labels`
const READ_PULL = `GET ${REPOSITORY}/pulls/1`
const LIST_COMMITS = `GET ${REPOSITORY}/pulls/1/commits`
const COMPARE_PULL = `GET ${REPOSITORY}/compare/main...docs`
const ADD_LABEL = `POST ${REPOSITORY}/issues/1/labels`
const LIST_COMMENTS = `GET ${REPOSITORY}/issues/1/comments`
const ADD_COMMENT = `POST ${REPOSITORY}/issues/1/comments`
const READ_COMMENT = `GET ${REPOSITORY}/issues/comments/1`
const EDIT_COMMENT = `PATCH ${REPOSITORY}/issues/comments/1`
const READ_JOB = `GET ${JOB}/job_1`
const CREATE_JOB = `POST ${JOB}`
const SEND_MESSAGE = `POST ${JOB}/job_1/message`

const MARK: Groups = [[READ_PULL], [ADD_LABEL, ADD_COMMENT, COMPARE_PULL]]
const FIND_JOB: Groups = [[READ_PULL, LIST_COMMENTS], [READ_JOB], [READ_COMMENT], [EDIT_COMMENT], [READ_PULL, READ_JOB]]
const FINISH: Groups = [[READ_PULL], [LIST_COMMITS], [COMPARE_PULL, READ_COMMENT], [EDIT_COMMENT]]
const FOLLOW_UP = { prompt: SEND_MESSAGE, after: FINISH }

const FILES = { 'change-context': 'files' }
const ROLLING = { ...FILES, 'on-open-pr': 'follow-up' }
const README = { ...ROLLING, 'change-range': 'since-last-success', paths: 'src/**' }

/** The phases of a look every 10 s. */
const CHECKS_MS = [55_000, 57_000, 59_000, 61_000, 63_000]

const STORIES: readonly Story[] = [
  {
    what: 'Checks of one minute',
    given: { 'wait-for-checks': 'true' },
    checksMs: CHECKS_MS,
    necessary: {
      before: [[LIST_PULLS_OF_COMMIT]],
      prompt: CREATE_JOB,
      after: [[`GET ${REPOSITORY}/commits/docs/check-suites`, `GET ${REPOSITORY}/commits/docs/check-runs`]],
    },
    most: { before: 0.4, after: 8 },
  },
  {
    what: 'Prompt alone',
    necessary: { before: [[LIST_PULLS_OF_COMMIT]], prompt: CREATE_JOB, after: MARK },
    most: { before: 0.4, after: 1 },
  },
  {
    what: 'Push, new pull request',
    given: ROLLING,
    necessary: {
      before: [[LIST_PULLS_OF_COMMIT, COMPARE, LIST_PULLS, READ_LABEL], [CREATE_LABEL]],
      prompt: CREATE_JOB,
      after: MARK,
    },
    most: { before: 1, after: 1 },
  },
  {
    what: 'Push, follow-up',
    given: ROLLING,
    scenarios: ['open-pull-request'],
    necessary: { before: [[LIST_PULLS_OF_COMMIT, COMPARE, LIST_PULLS], ...FIND_JOB], ...FOLLOW_UP },
    most: { before: 2, after: 1 },
  },
  {
    what: 'README’s workflow, follow-up',
    given: README,
    scenarios: ['open-pull-request'],
    necessary: {
      before: [[LIST_RUNS], [COMPARE], [LIST_PULLS_OF_COMMIT, LIST_PULLS], ...FIND_JOB],
      ...FOLLOW_UP,
    },
    most: { before: 2.3, after: 1 },
  },
  {
    what: 'Push, follow-up, over TLS',
    given: ROLLING,
    scenarios: ['open-pull-request'],
    isDistant: true,
    necessary: { before: [[LIST_PULLS_OF_COMMIT, COMPARE, LIST_PULLS], ...FIND_JOB], ...FOLLOW_UP },
    most: {},
  },
  {
    what: 'Edit on GitHub’s website',
    given: FILES,
    scenarios: ['web-edit'],
    necessary: { before: [[LIST_PULLS_OF_COMMIT, COMPARE], [LIST_PULLS_OF_COMMIT]], prompt: CREATE_JOB, after: MARK },
    most: { before: 3.5, after: 1 },
  },
  {
    what: 'Colleague’s commit',
    given: FILES,
    scenarios: ['colleague-commit'],
    necessary: { before: [[LIST_PULLS_OF_COMMIT, COMPARE], [LIST_PULLS_OF_COMMIT]], prompt: CREATE_JOB, after: MARK },
    most: { before: 3.5, after: 1 },
  },
  {
    what: 'No changes',
    turn: { ending: 'no-changes' },
    outcome: 'no-changes',
    necessary: { before: [[LIST_PULLS_OF_COMMIT]], prompt: CREATE_JOB, after: [] },
    most: { before: 0.4, after: 16 },
  },
  {
    what: 'Skipped by `paths`',
    given: { paths: 'guides/**' },
    outcome: 'skipped',
    necessary: { before: [[COMPARE]], after: [] },
    most: { before: 0.5 },
  },
  {
    what: 'Skipped by `paths`, since the last success',
    given: { paths: 'guides/**', 'change-range': 'since-last-success' },
    outcome: 'skipped',
    necessary: { before: [[LIST_RUNS], [COMPARE]], after: [] },
    most: { before: 0.8 },
  },
]

const isReadOfJob = ({ method, path }: Exchange): boolean => method === 'GET' && /\/job\/[^/]+$/.test(path)
const isPrompt = ({ method, path }: Exchange): boolean => method === 'POST' && !isOfGitHub(path)

/** When the job was seen to have ended: the first read in the last row of reads that do not say `active`. */
function findEndSeenAt(exchanges: readonly Exchange[], promptedAt: number): number {
  const reads = exchanges.filter((one) => isReadOfJob(one) && one.arrivedAt > promptedAt)
  const lastActive = reads.findLastIndex(({ body }) => (JSON.parse(body) as { status: string }).status === 'active')
  return reads[lastActive + 1]?.respondedAt ?? NaN
}

/** A server behind delays, and what was sent to it. */
interface Delayed {
  readonly url: string
  readonly exchanges: readonly Exchange[]
  /** What a process needs to trust the certificate. */
  readonly env: Texts
  /** An empty folder, apart from the certificate. */
  readonly folder: string
  readonly close: () => Promise<void>
}

/** @param isDistant whether the server is available over TLS, with a longer way */
async function delay(target: string, isDistant = false): Promise<Delayed> {
  const { path: folder, remove } = openScratchFolder('bench-overhead-')
  const exchanges: Exchange[] = []
  const onExchange = (exchange: Exchange): void => void exchanges.push(exchange)
  const certificate = createCertificate()
  const authority = join(folder, 'certificate.pem')
  writeFileSync(authority, certificate.cert)
  const tls = isDistant && { tls: { certificate, roundTripMs: ROUND_TRIP_MS } }
  const { url, close } = await startDelayingProxy({ target, getDelayMs, onExchange, ...tls })
  return {
    url,
    exchanges,
    env: isDistant ? { NODE_EXTRA_CA_CERTS: authority } : {},
    folder,
    async close() {
      await close()
      remove()
    },
  }
}

/** Says when each request arrived and was answered, in seconds since the start of the process, to find what takes time. */
function trace(what: string, exchanges: readonly Exchange[], startedAt: number): void {
  if (process.env['OVERHEAD_TRACE'] !== '1') return
  const format = (at: number): string => ((at - startedAt) / 1_000).toFixed(3)
  console.error(what)
  for (const { arrivedAt, respondedAt, method, path } of exchanges)
    console.error(`  ${format(arrivedAt)} to ${format(respondedAt)} ${method} ${path}`)
}

const countOfGitHub = (exchanges: readonly Exchange[]): number =>
  exchanges.filter(({ path }) => isOfGitHub(path)).length

const JOB_CHECK = { kind: 'job', name: 'build', afterMs: 0, result: { conclusion: 'success' } } as const

/** Runs the packaged action once, against servers of its own. */
async function measureStep(story: Story, checksMs?: number): Promise<Figures> {
  const { what, given, scenarios = [], turn, outcome = 'pull-request', isDistant } = story
  const [startMs, openedAt] = [Date.now(), performance.now()]
  const checks: readonly CheckPlan[] = checksMs === undefined ? [] : [{ ...JOB_CHECK, takesMs: checksMs }]
  const emulator = await startEmulator({
    startMs,
    scenarioOverrides: { turns: [{ ...DEFAULT_TURN, durationMs: TURN_MS, ...turn }] },
    github: { scenario: { ...combineScenarios(scenarios), checks: [checks] } },
  })
  const { state, catchUp, token } = emulator.github
  catchUp(startMs)
  const { payload } = createPushEvent(state, 'acme/docs', { baseUrl: emulator.url, branch: 'main' })
  const { url, exchanges, env, folder, close } = await delay(emulator.url, isDistant)
  try {
    const { durationMs, outputs, rawOutput } = await runAction({
      action: root,
      workspace: folder,
      eventName: 'push',
      event: payload,
      env: {
        GITHUB_ACTOR: 'mona',
        GITHUB_API_URL: `${url}${API_PATH}`,
        GITHUB_SERVER_URL: emulator.url,
        GITHUB_SHA: state.repositories['acme/docs']?.branches['main'] ?? '',
        GITHUB_WORKFLOW_REF: 'acme/docs/.github/workflows/docs.yml@refs/heads/main',
        GITHUB_RUN_ID: '100',
        ...env,
      },
      inputs: {
        prompt: 'Bring the documentation up to date with these changes.',
        'project-id': emulator.projectId,
        'api-key': emulator.apiKey,
        'base-url': url,
        'github-token': token,
        ...given,
      },
    })
    const endedAt = performance.now()
    const startedAt = endedAt - durationMs
    trace(what, exchanges, startedAt)
    if (outputs['outcome'] !== outcome)
      throw new Error(`${what}: the step ended with ${String(outputs['outcome'])}.\n${rawOutput}`)
    const promptedAt = exchanges.find(isPrompt)?.arrivedAt ?? endedAt
    const runs = state.repositories['acme/docs']?.checkRuns ?? []
    const checkedAt = openedAt + Math.max(...runs.map(({ completedAtMs }) => completedAtMs)) - startMs
    const seenAt = checksMs === undefined ? findEndSeenAt(exchanges, promptedAt) : checkedAt
    return {
      before: (promptedAt - startedAt) / 1_000,
      after: (endedAt - seenAt) / 1_000,
      requests: countOfGitHub(exchanges),
    }
  } finally {
    await close()
    await emulator.close()
  }
}

const BARE = join(import.meta.dirname, 'bare-requests.cjs')

/** Runs the program that sends only the necessary requests. */
async function measureBare({ what, necessary, isDistant }: Story): Promise<Figures> {
  const server = await serve(() => ({ body: {} }))
  const { url, exchanges, env, close } = await delay(server.url, isDistant)
  const { PATH = '', SystemRoot = '' } = process.env
  try {
    const startedAt = performance.now()
    const child = spawn(process.execPath, [BARE], {
      env: { PATH, SystemRoot, BASE_URL: url, REQUESTS: JSON.stringify({ ...necessary, read: READ_JOB }), ...env },
      stdio: 'inherit',
    })
    const [exitCode] = (await once(child, 'exit')) as unknown[]
    const endedAt = performance.now()
    trace(`${what}, least`, exchanges, startedAt)
    if (exitCode !== 0) throw new Error(`${BARE} ended with ${String(exitCode)}.`)
    const promptedAt = exchanges.find(isPrompt)?.arrivedAt ?? endedAt
    const read = exchanges.find((one) => isReadOfJob(one) && one.arrivedAt > promptedAt)
    return {
      before: (promptedAt - startedAt) / 1_000,
      after: (endedAt - (read?.respondedAt ?? NaN)) / 1_000,
      requests: countOfGitHub(exchanges),
    }
  } finally {
    await close()
    await server.close()
  }
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** A row for each time of a story, with the number of requests in the first one. */
function toRows({ what, checksMs, most, necessary }: Story, ours: readonly Figures[], bare: readonly Figures[]): Row[] {
  const format = (seconds: number, all?: number): string =>
    `${seconds.toFixed(2)} s${all === undefined ? '' : `, ${all} ${all === 1 ? 'request' : 'requests'}`}`
  const counts = [Math.max(...ours.map(({ requests }) => requests)), bare[0]?.requests]
  const toRow = (name: string, time: 'before' | 'after', summarize: typeof mean, [own, least]: typeof counts): Row => {
    const [ownS = NaN, leastS = NaN] = [ours, bare].map((figures) => summarize(figures.map((one) => one[time])))
    const limitS = most[time]
    const hasLeast = necessary[time].length > 0
    const comparedS = hasLeast ? leastS : (limitS ?? NaN)
    return [
      `${what}: ${name}`,
      format(ownS, own),
      hasLeast ? format(leastS, least) : `${format(comparedS)}: the limit`,
      ownS / comparedS,
      limitS && limitS / comparedS,
    ]
  }
  if (necessary.prompt === undefined) return [toRow('whole step', 'before', median, counts)]
  return [
    toRow('before the prompt', 'before', median, counts),
    checksMs === undefined ? toRow('after the job', 'after', median, []) : toRow('after the checks', 'after', mean, []),
  ]
}

/** Runs all steps at the same time, because they mostly wait for the agent. The longest steps start first. */
export async function measureOverhead(): Promise<Row[]> {
  let started = 0
  const start = async <T>(run: () => Promise<T>): Promise<T> => {
    await sleep(STAGGER_MS * started++)
    return run()
  }
  const rows = await Promise.all(
    STORIES.map(async (story) => {
      const rounds: readonly (number | undefined)[] = story.checksMs ?? Array.from({ length: ROUNDS }, () => undefined)
      const ours = Promise.all(rounds.map((checksMs) => start(() => measureStep(story, checksMs))))
      const bare = Promise.all(Array.from({ length: ROUNDS }, () => start(() => measureBare(story))))
      return toRows(story, await ours, await bare)
    }),
  )
  return rows.flat()
}
