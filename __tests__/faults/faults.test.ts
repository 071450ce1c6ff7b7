import { expect, jest, test } from '@jest/globals'
import { DURATION_IS_MONOTONIC, problemsOf } from '../model/invariants.ts'
import { DAY_SEED, IS_SOAK, SEED } from '../support/seed.ts'
import {
  PROXY_SCRIPTS,
  randomScript,
  SERVICE_SCRIPTS,
  TLS_SCRIPTS,
  type Expected,
  type FaultScript,
} from './fault-scripts.ts'
import { PortTaken } from './faulty-peer.ts'
import { runFaultScript, type FaultTrace } from './run-fault-script.ts'

jest.setTimeout(3_600_000)

/** So many run at the same time: they mostly wait for sockets. */
const AT_ONCE = 24
/** All take too long for every run, so each day has another part. Scripts stand in fours, and each part is to have all of a four. */
const PARTS = 5
/** A run that takes this long in real time has lost something that it waits for. */
const LIMIT_MS = 60_000
/** Where a connection is lost before anything was written, undici may open another one, but not without end. */
const MOST_CONNECTIONS = 3

const EXPECTATIONS: Readonly<Record<Expected, (trace: FaultTrace) => boolean>> = {
  'pull-request': ({ report, conclusion }) => report.outcome === 'pull-request' && conclusion.isGreen,
  red: ({ conclusion }) => !conclusion.isGreen,
  'unknown-fate': ({ report, conclusion }) => report.error?.code === 'unknown-fate' && !conclusion.isGreen,
}

/** The promises of the schedules, and those that only real sockets can break. Gives what does not hold. */
function brokenPromises(trace: FaultTrace): string[] {
  const { script, report, openConnections, connections, requests, sleepers } = trace
  const { expected } = script
  // That one is about the jumps of the schedules' wall clock.
  const problems = problemsOf(trace).filter((problem) => !problem.startsWith(DURATION_IS_MONOTONIC))
  if (openConnections > 0) problems.push(`When all was over, ${openConnections} connections were still open.`)
  if (sleepers > 0) problems.push(`When all was over, ${sleepers} timers still ran.`)
  if (connections > requests * MOST_CONNECTIONS)
    problems.push(`There were ${connections} connections for ${requests} requests.`)
  if (expected !== undefined && !EXPECTATIONS[expected](trace))
    problems.push(`It should have ended with ${expected}, and has with ${report.outcome}, ${report.error?.code ?? ''}.`)
  return problems
}

async function run(script: FaultScript): Promise<FaultTrace> {
  try {
    return await runFaultScript(script)
  } catch (error) {
    if (error instanceof PortTaken) return run(script)
    throw error
  }
}

/** Gives the promises that it broke, and what else helps to find out why. */
async function tryScript(script: FaultScript): Promise<string[]> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error('It hangs.'))
    }, LIMIT_MS)
  })
  try {
    const trace = await Promise.race([run(script), limit])
    const problems = brokenPromises(trace)
    return problems.length === 0 ? [] : [...problems, 'Its log:', ...trace.log]
  } catch (error) {
    return [error instanceof Error ? (error.stack ?? error.message) : String(error)]
  } finally {
    clearTimeout(timer)
  }
}

/**
 * undici compiles its parser when it is first used, which no socket tells of: the clock would take that for silence. So the
 * first run of a process is for nothing.
 */
const WARM_UP: FaultScript = {
  name: 'warm-up',
  task: 'attach',
  timeoutMs: 300_000,
  posts: [],
  reads: [],
  proxy: { posts: [], reads: [] },
}

const ofToday = (all: readonly FaultScript[]): readonly FaultScript[] =>
  IS_SOAK ? all : all.filter((_script, index) => (index + DAY_SEED) % PARTS === 0)

/** Runs the scripts, or the one that the environment asks for; gives all that broke a promise, and how to run each alone. */
async function failuresOf(scripts: readonly FaultScript[], all = scripts): Promise<string[]> {
  const { FAULT: wanted } = process.env
  const left = wanted === undefined ? [...scripts] : all.filter(({ name }) => name === wanted)
  const failures: string[] = []
  await run(WARM_UP)
  const work = async (): Promise<void> => {
    for (let script = left.shift(); script !== undefined; script = left.shift()) {
      const problems = await tryScript(script)
      const replay = `Only this one: SEED=${SEED} FAULT='${script.name}' npm test -- __tests__/faults`
      if (problems.length > 0) failures.push([...problems, replay, JSON.stringify(script)].join('\n'))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return failures
}

test('there are hundreds of scripts, each with a name of its own', () => {
  const names = SERVICE_SCRIPTS.map(({ name }) => name)
  expect(names.length).toBeGreaterThan(400)
  expect(new Set(names).size).toBe(names.length)
})

test.each([
  ['the service does with its sockets', SERVICE_SCRIPTS],
  ['a proxy does with its sockets', PROXY_SCRIPTS],
  ['TLS does', TLS_SCRIPTS],
])('every promise holds whatever %s', async (_what, scripts) => {
  expect(await failuresOf(ofToday(scripts), scripts)).toEqual([])
})

const MIXTURES = IS_SOAK ? 2_000 : 200

test('every promise holds where one fault follows the other', async () => {
  const mixtures = Array.from({ length: MIXTURES }, (_, index) => randomScript(SEED + index))
  expect(await failuresOf(ofToday(mixtures), mixtures)).toEqual([])
})
