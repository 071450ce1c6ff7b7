// Measures the time until the prompt reaches the service, and until the step ends if the job completes at once. Compares the
// packaged action with a program of built-ins only, and with programs of packages that actions often use.
import { join } from 'node:path'
import { root } from '../../testing/markdown-files.ts'
import { runAction, type RunOptions } from '../small-runner/run-action.ts'
import { installPeers } from './start-peers.ts'
import type { Row } from './row.ts'
import { serve } from './serve.ts'

const ROUNDS = 25
const OURS = join(root, 'dist/agent/index.js')
const BASELINE = join(import.meta.dirname, 'baseline.cjs')

const SHA = 'a'.repeat(40)
const PUSH = {
  ref: 'refs/heads/main',
  before: 'b'.repeat(40),
  after: SHA,
  commits: [{ id: SHA, author: { username: 'ann' }, committer: { username: 'ann' } }],
  sender: { login: 'ann', type: 'User' },
  repository: { full_name: 'acme/docs', default_branch: 'main' },
}

/** In milliseconds since the start of the process. */
type Measured = 'prompt' | 'whole'
type Times = Readonly<Record<Measured, number>>
type Step = Pick<RunOptions, 'inputs' | 'env' | 'eventName' | 'event'>
type Measure = (program: string, step: Step) => Promise<Times>

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN

interface Contender {
  readonly name: string
  readonly program: string
}

/**
 * Runs all programs in turns.
 * @returns a row for each time: the action compared with the baseline and its peers. The ratio is to the fastest peer, or to the
 * baseline if there is no peer.
 */
async function measureRounds(
  measure: Measure,
  step: Step,
  contenders: readonly Contender[],
  what: readonly (readonly [Measured, string, most?: number])[],
): Promise<Row[]> {
  const all = [{ name: 'this action', program: OURS }, { name: 'built-ins', program: BASELINE }, ...contenders]
  const times = all.map(({ program }) => ({ program, measured: [] as Times[] }))
  for (let round = 0; round < ROUNDS; round++)
    for (const { program, measured } of times) measured.push(await measure(program, step))
  return what.map(([name, title, most]) => {
    const medians = times.map(({ measured }) => median(measured.map((one) => one[name])))
    const [ours = NaN, baseline = NaN, ...peers] = medians
    const comparison = all.slice(1).map((one, index) => `${medians[index + 1]?.toFixed(1) ?? ''} ms: ${one.name}`)
    return [
      title,
      `${ours.toFixed(1)} ms`,
      comparison.join('; '),
      ours / (peers.length > 0 ? Math.min(...peers) : baseline),
      most,
    ]
  })
}

export async function measureStart(): Promise<Row[]> {
  let promptedAt = NaN
  // Plays the service and GitHub: a POST is the prompt, and a GET lists pull requests, of which there are none.
  const server = await serve(({ method }) => {
    if (method !== 'POST') return { body: [] }
    promptedAt = performance.now()
    return { status: 201, body: { id: 'job_1', status: 'completed', prLink: 'http://127.0.0.1/acme/docs/pull/1' } }
  })

  const measure: Measure = async (program, step) => {
    const { startedAtMs, durationMs, conclusion, rawOutput } = await runAction({
      action: root,
      program,
      ...step,
    })
    if (conclusion !== 'success') throw new Error(`${program} failed:\n${rawOutput}`)
    return { prompt: promptedAt - startedAtMs, whole: durationMs }
  }

  const inputs = {
    'base-url': server.url,
    'project-id': 'docs-demo',
    'api-key': 'docs_benchmark_key',
    prompt: 'Fix the guide.',
    'github-token': '',
  }
  const byHand = { inputs }
  const onPush = {
    inputs: { ...inputs, 'github-token': 'ghs_benchmark', label: 'docs-agent' },
    eventName: 'push',
    event: PUSH,
    env: { GITHUB_SHA: SHA, GITHUB_API_URL: server.url },
  }
  try {
    return [
      ...(await measureRounds(measure, byHand, installPeers(), [
        ['prompt', 'Prompt', 1.15],
        ['whole', 'Whole step, job done at once'],
      ])),
      ...(await measureRounds(measure, onPush, [], [['prompt', 'On a push, prompt after two requests to GitHub']])),
    ]
  } finally {
    await server.close()
  }
}
