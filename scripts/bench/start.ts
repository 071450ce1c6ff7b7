// Measures the time until the prompt reaches the service, and until the step ends if the job completes at once. Compares the
// packaged action with a program of built-ins only, and with programs of packages that actions often use.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../__tests__/support/markdown-files.ts'
import { NODE_24 } from '../small-runner/node-24.ts'
import { openScratchFolder } from '../small-runner/scratch-folder.ts'
import { installPeers } from './start-peers.ts'
import type { Row } from './row.ts'
import { serve } from './serve.ts'

type Texts = Readonly<Record<string, string>>

const ROUNDS = 25
const OURS = join(root, 'dist/agent/index.js')
const FLOOR = join(import.meta.dirname, 'floor.cjs')

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
type Measure = (script: string, env: Texts) => Promise<Times>

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN

interface Contender {
  readonly name: string
  readonly script: string
}

/** Runs all programs in turns. @returns a row for each time: the action compared with the floor and its peers */
async function measureRounds(
  measure: Measure,
  env: Texts,
  contenders: readonly Contender[],
  what: readonly (readonly [Measured, string])[],
): Promise<Row[]> {
  const all = [{ name: 'this action', script: OURS }, { name: 'a program of built-ins', script: FLOOR }, ...contenders]
  const times = all.map(({ script }) => ({ script, measured: [] as Times[] }))
  for (let round = 0; round < ROUNDS; round++)
    for (const { script, measured } of times) measured.push(await measure(script, env))
  return what.map(([name, title]) => {
    const medians = times.map(({ measured }) => median(measured.map((one) => one[name])))
    const [ours = NaN, floor = NaN] = medians
    const comparison = all.slice(1).map((one, index) => `${medians[index + 1]?.toFixed(1) ?? ''} ms: ${one.name}`)
    return [title, `${ours.toFixed(1)} ms`, comparison.join('; '), ours / floor]
  })
}

export async function measureStart(): Promise<Row[]> {
  const { path, remove } = openScratchFolder('bench-start-')
  let promptedAt = NaN
  // Plays the service and GitHub: a POST is the prompt, and a GET lists pull requests, of which there are none.
  const server = await serve(({ method }) => {
    if (method !== 'POST') return { body: [] }
    promptedAt = performance.now()
    return { status: 201, body: { id: 'job_1', status: 'completed', prLink: 'http://127.0.0.1/acme/docs/pull/1' } }
  })
  const [output, summary, event] = [join(path, 'output'), join(path, 'summary'), join(path, 'event.json')]
  writeFileSync(event, JSON.stringify(PUSH))

  const measure: Measure = async (script, env) => {
    for (const file of [output, summary]) writeFileSync(file, '')
    const startedAt = performance.now()
    const child = spawn(NODE_24, [script], { env, stdio: 'ignore' })
    const [exitCode] = (await once(child, 'exit')) as unknown[]
    if (exitCode !== 0) throw new Error(`${script} ended with ${String(exitCode)}.`)
    return { prompt: promptedAt - startedAt, whole: performance.now() - startedAt }
  }

  const byHand = {
    PATH: process.env['PATH'] ?? '',
    SystemRoot: process.env['SystemRoot'] ?? '',
    GITHUB_OUTPUT: output,
    GITHUB_STEP_SUMMARY: summary,
    'INPUT_BASE-URL': server.url,
    'INPUT_PROJECT-ID': 'docs-demo',
    'INPUT_API-KEY': 'docs_benchmark_key',
    INPUT_PROMPT: 'Fix the guide.',
  }
  const onPush = {
    ...byHand,
    GITHUB_EVENT_NAME: 'push',
    GITHUB_EVENT_PATH: event,
    GITHUB_SHA: SHA,
    GITHUB_REPOSITORY: 'acme/docs',
    GITHUB_API_URL: server.url,
    'INPUT_GITHUB-TOKEN': 'ghs_benchmark',
    'INPUT_SKIP-OWN-CHANGES': 'true',
    INPUT_LABEL: 'docs-agent',
  }
  try {
    return [
      ...(await measureRounds(measure, byHand, installPeers(), [
        ['prompt', 'The first request, the prompt'],
        ['whole', 'A whole step whose job is done at once'],
      ])),
      ...(await measureRounds(measure, onPush, [], [['prompt', 'On a push, the prompt after two requests to GitHub']])),
    ]
  } finally {
    await server.close()
    remove()
  }
}
