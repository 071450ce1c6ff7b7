import { DAY_SEED, IS_SOAK, SEED } from '../support/seed.ts'
import type { FaultScript } from './fault-script.ts'
import { PortTaken } from './faulty-peer.ts'
import { brokenPromises } from './promises.ts'
import { runFaultScript, type FaultTrace } from './run-fault-script.ts'

/** So many run at the same time: they mostly wait for sockets. */
const AT_ONCE = 24
/** All take too long for every run, so each day has another part. Scripts stand in fours, and each part is to have all of a four. */
const PARTS = 5
/** A run that takes this long in real time has lost something that it waits for. */
const LIMIT_MS = 60_000

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

async function run(script: FaultScript): Promise<FaultTrace> {
  try {
    return await runFaultScript(script)
  } catch (error) {
    if (error instanceof PortTaken) return run(script)
    throw error
  }
}

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

function describeFailure(script: FaultScript, problems: readonly string[]): string {
  return [
    ...problems,
    `Only this one: SEED=${SEED} FAULT='${script.name}' npm test -- __tests__/faults`,
    JSON.stringify(script),
  ].join('\n')
}

/**
 * Runs the day's part of the scripts, all of them, or the one that the environment asks for.
 * @throws Error with all scripts that broke a promise, and how to run each of them alone
 */
export async function tryScripts(all: readonly FaultScript[]): Promise<void> {
  const wanted = process.env['FAULT']
  const isOfToday = (index: number): boolean => IS_SOAK || (index + DAY_SEED) % PARTS === 0
  const left = all.filter(({ name }, index) => (wanted === undefined ? isOfToday(index) : name === wanted))
  const failures: string[] = []
  await run(WARM_UP)
  const work = async (): Promise<void> => {
    for (let script = left.shift(); script !== undefined; script = left.shift()) {
      const problems = await tryScript(script)
      if (problems.length > 0) failures.push(describeFailure(script, problems))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  if (failures.length > 0) throw new Error(`${failures.length} scripts failed.\n\n${failures.join('\n\n')}`)
}
