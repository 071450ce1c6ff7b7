import { expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { ActionError } from '../../src/runtime/errors.ts'
import { revealsKey } from '../model/planted-key.ts'
import { DRAWING_TEST_TIMEOUT_MS, RUNS, SEED } from '../../testing/seed.ts'
import { runFaultScript, getFault, type FaultScript, type FaultTrace } from './run-fault-script.ts'
import type { Fault, PromptOutcome, ReadOutcome } from './fault.ts'
import { PROXY_FAULTS } from './proxy-faults.ts'
import { SERVICE_FAULTS, TLS_FAULTS } from './service-faults.ts'

jest.setTimeout(DRAWING_TEST_TIMEOUT_MS)

/** Scripts run in parallel, because they mostly wait for sockets. */
const MAX_PARALLEL_SCRIPTS = 24
/** In real time. A script that takes longer waits for something that never happens. */
const SCRIPT_TIMEOUT_MS = 60_000
/** Per request. undici reconnects if a connection is lost before anything is written. */
const MAX_CONNECTIONS = 3
/** The attempts within a minute. */
const MAX_ATTEMPTS = 11

function getPromptOutcome({ created, sent }: FaultTrace): PromptOutcome {
  // With TLS, the next attempt fails, too, because no certificate is trusted here.
  if (sent.length > 1) return 'again'
  if (created instanceof ActionError) return created.code === 'maybe-sent' ? 'unknown' : 'stop'
  return 'accepted'
}

/** After a successful read, a single odd response is read again. */
function isExpectedRead(expected: ReadOutcome, index: number, reads: readonly ReadOutcome[]): boolean {
  const read = reads[index]
  if (expected === 'any') return read !== 'stop'
  return read === expected || (expected === 'stop' && read === 'retry' && reads.slice(0, index).includes('success'))
}

function listViolations({ prompt, reads }: FaultScript, trace: FaultTrace): string[] {
  const { sent, created, errors, lateMs, isInTime, connections, requests, openConnections, sleepers } = trace
  const isProcessed = sent.some(({ wasProcessed }) => wasProcessed)
  const [fault, ...others] = prompt
  const expected = fault === undefined || others.length > 0 ? 'any' : getFault(fault).prompt
  const guarantees: Readonly<Record<string, boolean>> = {
    [`The prompt should end as ${expected}, but ended as ${getPromptOutcome(trace)}.`]: [
      'any',
      getPromptOutcome(trace),
    ].includes(expected),
    'A prompt was resent although it was read, and not because of a rate limit.': sent
      .slice(0, -1)
      .every(
        ({ fault: { prompt: outcome, processesPrompt }, wasRead }) =>
          !wasRead || (outcome !== 'unknown' && !processesPrompt),
      ),
    'A prompt was sent too often.': sent.slice(MAX_ATTEMPTS - 1, -1).every(({ wasRead }) => wasRead),
    'A prompt was processed, and the error does not report that the job may exist.':
      !isProcessed || !(created instanceof ActionError) || created.code === 'maybe-sent',
    'The job is another one.': !created || created instanceof ActionError || created.id === 'job_1',
    [`The reads ended as ${trace.reads.join()}.`]:
      !isInTime || reads.every((name, index) => isExpectedRead(getFault(name).read, index, trace.reads)),
    'An error contains the key.': !errors.some(({ message, hint = '', quote = '' }) =>
      revealsKey([message, hint, quote].join('\n')),
    ),
    [`A request exceeded its timeout by ${lateMs} ms.`]: lateMs <= 1,
    [`There were ${connections} connections for ${requests} requests.`]: connections <= requests * MAX_CONNECTIONS,
    [`At the end, ${openConnections} connections were still open.`]: openConnections === 0,
    [`At the end, ${sleepers} timers still ran.`]: sleepers === 0,
  }
  return Object.entries(guarantees).flatMap(([violation, isKept]) => (isKept ? [] : [violation]))
}

async function runScript(script: FaultScript): Promise<string[]> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error('The script hangs.'))
    }, SCRIPT_TIMEOUT_MS)
  })
  try {
    return listViolations(script, await Promise.race([runFaultScript(script), limit]))
  } catch (error) {
    return [error instanceof Error ? (error.stack ?? error.message) : String(error)]
  } finally {
    clearTimeout(timer)
  }
}

const LONG_SCRIPT = { timeoutMs: 150_000, prompt: [], reads: [] }
/**
 * undici compiles its parser on first use. Meanwhile no socket is active, so the clock would move on. The first run of
 * a process only warms it up.
 */
const WARM_UP: FaultScript = { ...LONG_SCRIPT, name: 'warm-up', reads: ['good'], hasProxy: true }

/** Runs scripts, and returns the violations with the commands that replay them. */
async function findFailures(scripts: readonly FaultScript[], seed = SEED): Promise<string[]> {
  const { FAULT: wanted } = process.env
  const left = scripts.filter(({ name }) => wanted === undefined || wanted === name)
  const failures: string[] = []
  await runFaultScript(WARM_UP)
  const work = async (): Promise<void> => {
    for (let script = left.shift(); script !== undefined; script = left.shift()) {
      const problems = await runScript(script)
      const replay = `Replay: SEED=${seed} FAULT='${script.name}' npm test -- __tests__/faults`
      if (problems.length > 0) failures.push([...problems, replay, JSON.stringify(script)].join('\n'))
    }
  }
  await Promise.all(Array.from({ length: MAX_PARALLEL_SCRIPTS }, work))
  return failures
}

/**
 * Creates two scripts for each fault, of a prompt and of a read. One of the two uses a proxy, or both for a fault of a
 * proxy.
 */
function createScripts(faults: Readonly<Record<string, Fault>>): FaultScript[] {
  return Object.entries(faults).flatMap(([name, { behaviour }], index) => {
    const hasProxy = (isTurn: boolean): boolean => name in PROXY_FAULTS || (isTurn && behaviour !== 'refuse')
    return [
      { ...LONG_SCRIPT, name: `prompt/${name}`, prompt: [name], hasProxy: hasProxy(index % 2 === 0) },
      { ...LONG_SCRIPT, name: `read/${name}`, reads: [name], hasProxy: hasProxy(index % 2 === 1) },
    ]
  })
}

test.each([
  ['any fault of the service', SERVICE_FAULTS],
  ['any fault of a proxy', PROXY_FAULTS],
  ['any fault of TLS', TLS_FAULTS],
])('keeps all guarantees with %s', async (_what, faults) => {
  expect(await findFailures(createScripts(faults))).toEqual([])
})

const drawNames = (names: readonly string[], maxLength: number): fc.Arbitrary<string[]> =>
  fc.array(
    fc.oneof({ weight: 1, arbitrary: fc.constant('good') }, { weight: 2, arbitrary: fc.constantFrom(...names) }),
    {
      maxLength,
    },
  )
const [PLAIN, PROXIES] = [Object.keys(SERVICE_FAULTS), Object.keys(PROXY_FAULTS)]
const mixture = fc.boolean().chain((hasProxy) => {
  // Behind a proxy, the proxy decides how a refused connection looks.
  const names = hasProxy ? [...PLAIN.filter((name) => name !== 'refuses-connection'), ...PROXIES] : PLAIN
  return fc.record({
    hasProxy: fc.constant(hasProxy),
    prompt: drawNames(names, 3),
    reads: drawNames(names, 5),
    timeoutMs: fc.constantFrom(4_000, 40_000, 600_000),
  })
})

/** How many mixtures are drawn from a seed. */
const MIXTURES = 30
/** More than there are nights, whose dates are seeds, in many years. */
const SEED_STEP = 1_000_000

test('keeps all guarantees with sequences of faults', async () => {
  for (let run = 0; run < RUNS; run++) {
    const seed = SEED + run * SEED_STEP
    const mixtures = fc.sample(mixture, { numRuns: MIXTURES, seed })
    expect(
      await findFailures(
        mixtures.map((one, index) => ({ ...one, name: `mixture-${index}` })),
        seed,
      ),
    ).toEqual([])
  }
})
