// What a step costs before its prompt is at the service, and in all where the job is done at once: the packaged action and
// a program of built-ins, started in turns.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NODE_24 } from '../small-runner/node-24.ts'

const PAIRS = 25
const root = join(import.meta.dirname, '../..')
const OURS = join(root, 'dist/agent/index.js')
const FLOOR = join(import.meta.dirname, 'start/floor.cjs')

const SHA = 'a'.repeat(40)
const PUSH = {
  ref: 'refs/heads/main',
  before: 'b'.repeat(40),
  after: SHA,
  commits: [{ id: SHA, author: { username: 'ann' }, committer: { username: 'ann' } }],
  sender: { login: 'ann', type: 'User' },
  repository: { full_name: 'acme/docs', default_branch: 'main' },
}

/** The service and GitHub in one: a POST is the prompt, and a GET asks for pull requests, of which there is none. */
class World {
  promptedAt = NaN
  #server = createServer((request, response) => {
    request.resume()
    const isPrompt = request.method === 'POST'
    if (isPrompt) this.promptedAt = performance.now()
    response.writeHead(isPrompt ? 201 : 200, { 'content-type': 'application/json' })
    const job = { id: 'job_1', status: 'completed', prLink: 'http://127.0.0.1/acme/docs/pull/1' }
    response.end(JSON.stringify(isPrompt ? job : []))
  }).listen(0, '127.0.0.1')

  async url() {
    if (!this.#server.listening) await once(this.#server, 'listening')
    return `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (this.#server.address()).port}`
  }

  close() {
    this.#server.close()
  }
}

/** @typedef {{ promptMs: number, wholeMs: number }} Times since the process was started */

/**
 * @param {World} world
 * @param {string} script
 * @param {Record<string, string>} env
 * @returns {Promise<Times>}
 */
async function measure(world, script, env) {
  for (const name of ['GITHUB_OUTPUT', 'GITHUB_STEP_SUMMARY']) writeFileSync(String(env[name]), '')
  const startedAt = performance.now()
  const child = spawn(NODE_24, [script], { env, stdio: 'ignore' })
  const [exitCode] = await once(child, 'exit')
  if (exitCode !== 0) throw new Error(`${script} ended with ${exitCode}.`)
  return { promptMs: world.promptedAt - startedAt, wholeMs: performance.now() - startedAt }
}

/** @param {number[]} values */
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN

/** @param {Times[]} all */
const medians = (all) => ({
  promptMs: median(all.map(({ promptMs }) => promptMs)),
  wholeMs: median(all.map(({ wholeMs }) => wholeMs)),
})

/**
 * @param {World} world
 * @param {Record<string, string>} env
 */
async function measurePairs(world, env) {
  const [ours, floor] = [/** @type {Times[]} */ ([]), /** @type {Times[]} */ ([])]
  for (let pair = 0; pair < PAIRS; pair++) {
    floor.push(await measure(world, FLOOR, env))
    ours.push(await measure(world, OURS, env))
  }
  return { ours: medians(ours), floor: medians(floor) }
}

/**
 * @param {string} what
 * @param {number} ours in milliseconds
 * @param {number} floor in milliseconds
 */
const row = (what, ours, floor) => ({
  what: `Start: ${what}`,
  ours: `${ours.toFixed(1)} ms`,
  beside: `${floor.toFixed(1)} ms, a program of built-ins`,
  ratio: ours / floor,
})

/** @returns {Promise<import('./bench.mjs').Row[]>} */
export async function measureStart() {
  const world = new World()
  const folder = mkdtempSync(join(tmpdir(), 'bench-start-'))
  const event = join(folder, 'event.json')
  writeFileSync(event, JSON.stringify(PUSH))
  const url = await world.url()
  const byHand = {
    PATH: process.env['PATH'] ?? '',
    SystemRoot: process.env['SystemRoot'] ?? '',
    GITHUB_OUTPUT: join(folder, 'outputs'),
    GITHUB_STEP_SUMMARY: join(folder, 'summary'),
    'INPUT_BASE-URL': url,
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
    GITHUB_API_URL: url,
    'INPUT_GITHUB-TOKEN': 'ghs_benchmark',
    'INPUT_SKIP-OWN-CHANGES': 'true',
    INPUT_LABEL: 'docs-agent',
  }
  try {
    const plain = await measurePairs(world, byHand)
    const push = await measurePairs(world, onPush)
    return [
      row('the first request, the prompt', plain.ours.promptMs, plain.floor.promptMs),
      row('a whole step whose job is done at once', plain.ours.wholeMs, plain.floor.wholeMs),
      row('on a push, the prompt after two questions to GitHub', push.ours.promptMs, push.floor.promptMs),
    ]
  } finally {
    world.close()
    rmSync(folder, { recursive: true })
  }
}
