// What a step costs before its prompt is at the service, and in all where the job is done at once: the packaged action and
// a program of built-ins, started in turns.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../__tests__/support/markdown-files.ts'
import { NODE_24 } from '../small-runner/node-24.ts'
import { openScratchFolder } from '../small-runner/scratch-folder.ts'
import type { Row } from './bench.ts'
import { serve } from './serve.ts'

type Texts = Readonly<Record<string, string>>

const PAIRS = 25
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

/** From the start of the process, in milliseconds. */
type Measured = 'prompt' | 'whole'
type Times = Readonly<Record<Measured, number>>
type Measure = (script: string, env: Texts) => Promise<Times>

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN

/** A row for what was measured, of all pairs. */
async function measurePairs(
  measure: Measure,
  env: Texts,
  what: readonly (readonly [Measured, string])[],
): Promise<Row[]> {
  const [floor, ours]: [Times[], Times[]] = [[], []]
  for (let pair = 0; pair < PAIRS; pair++) {
    floor.push(await measure(FLOOR, env))
    ours.push(await measure(OURS, env))
  }
  return what.map(([name, title]) => {
    const [a, b] = [median(ours.map((times) => times[name])), median(floor.map((times) => times[name]))]
    return [`Start: ${title}`, `${a.toFixed(1)} ms`, `${b.toFixed(1)} ms, a program of built-ins`, a / b]
  })
}

export async function measureStart(): Promise<Row[]> {
  const { path, remove } = openScratchFolder('bench-start-')
  let promptedAt = NaN
  // The service and GitHub in one: a POST is the prompt, and a GET asks for pull requests, of which there is none.
  const world = await serve(({ method }) => {
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
    'INPUT_BASE-URL': world.url,
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
    GITHUB_API_URL: world.url,
    'INPUT_GITHUB-TOKEN': 'ghs_benchmark',
    'INPUT_SKIP-OWN-CHANGES': 'true',
    INPUT_LABEL: 'docs-agent',
  }
  try {
    return [
      ...(await measurePairs(measure, byHand, [
        ['prompt', 'the first request, the prompt'],
        ['whole', 'a whole step whose job is done at once'],
      ])),
      ...(await measurePairs(measure, onPush, [['prompt', 'on a push, the prompt after two questions to GitHub']])),
    ]
  } finally {
    await world.close()
    remove()
  }
}
