import { expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { ActionError } from '../../src/runtime/errors.ts'
import { givesKeyAway } from '../model/planted-key.ts'
import { SEED } from '../support/seed.ts'
import { DRAWING_TEST_TIMEOUT_MS, getSoakMs, reportDrawn } from '../support/soak.ts'
import { askFaulty, faultOf, type FaultScript, type FaultTrace } from './ask-faulty.ts'
import type { Fault, PromptFate, ReadFate } from './fault.ts'
import { PortTaken } from './faulty-peer.ts'
import { PROXY_FAULTS } from './proxy-faults.ts'
import { SERVICE_FAULTS, TLS_FAULTS } from './service-faults.ts'

jest.setTimeout(DRAWING_TEST_TIMEOUT_MS)

/** So many run at the same time: they mostly wait for sockets. */
const AT_ONCE = 24
/** A run that takes this long in real time has lost something that it waits for. */
const LIMIT_MS = 60_000
/** Where a connection is lost before anything was written, undici may open another one, but not without end. */
const MAX_CONNECTIONS = 3
const MAX_TRIES = 3

function fateOf({ created, sent }: FaultTrace): PromptFate {
  if (created instanceof ActionError) return created.code === 'unknown-fate' ? 'unknown' : 'stop'
  return sent.length > 1 ? 'again' : 'accepted'
}

const isReadAs = (expected: ReadFate, read: ReadFate | undefined): boolean =>
  read === expected || (expected === 'any' && read !== 'final')

function brokenPromises({ prompt, reads }: FaultScript, trace: FaultTrace): string[] {
  const { sent, created, errors, lateMs, isInTime, connections, requests, openConnections, sleepers } = trace
  const isTaken = sent.some(({ wasTaken }) => wasTaken)
  const [fault, ...others] = prompt
  const expected = fault === undefined || others.length > 0 ? 'any' : faultOf(fault).prompt
  const promises: Readonly<Record<string, boolean>> = {
    [`The prompt should fare as ${expected}, and does as ${fateOf(trace)}.`]: ['any', fateOf(trace)].includes(expected),
    'A prompt was sent again although it was read, and not because of a rate limit.': sent
      .slice(0, -1)
      .every(({ fault: { prompt: fate, takes }, wasRead }) => !wasRead || (fate !== 'unknown' && !takes)),
    'A prompt was tried too often.': sent.slice(MAX_TRIES - 1, -1).every(({ wasRead }) => wasRead),
    'A prompt may have been taken, and that is not said.':
      !isTaken || !(created instanceof ActionError) || created.code === 'unknown-fate',
    'The job is another one.': !created || created instanceof ActionError || created.id === 'job_1',
    [`The reads fare as ${trace.reads.join()}.`]:
      !isInTime || reads.every((name, index) => isReadAs(faultOf(name).read, trace.reads[index])),
    'An error gives the key away.': !errors.some(({ message, hint = '', quote = '' }) =>
      givesKeyAway([message, hint, quote].join('\n')),
    ),
    [`A request took ${lateMs} ms too long.`]: lateMs <= 1,
    [`There were ${connections} connections for ${requests} requests.`]: connections <= requests * MAX_CONNECTIONS,
    [`When all was over, ${openConnections} connections were still open.`]: openConnections === 0,
    [`When all was over, ${sleepers} timers still ran.`]: sleepers === 0,
  }
  return Object.entries(promises).flatMap(([broken, holds]) => (holds ? [] : [broken]))
}

async function tryScript(script: FaultScript): Promise<string[]> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error('It hangs.'))
    }, LIMIT_MS)
  })
  try {
    return brokenPromises(script, await Promise.race([askFaulty(script), limit]))
  } catch (error) {
    if (error instanceof PortTaken) return await tryScript(script)
    return [error instanceof Error ? (error.stack ?? error.message) : String(error)]
  } finally {
    clearTimeout(timer)
  }
}

const LONG = { timeoutMs: 150_000, prompt: [], reads: [] }
/**
 * undici compiles its parser when it is first used, which no socket tells of: the clock would take that for silence. So the
 * first run of a process is for nothing.
 */
const WARM_UP: FaultScript = { ...LONG, name: 'warm-up', reads: ['good'], hasProxy: true }

/** Lists all that broke a promise, and how to run each alone. */
async function findFailures(scripts: readonly FaultScript[], seed = SEED): Promise<string[]> {
  const { FAULT: wanted } = process.env
  const left = scripts.filter(({ name }) => wanted === undefined || wanted === name)
  const failures: string[] = []
  await askFaulty(WARM_UP)
  const work = async (): Promise<void> => {
    for (let script = left.shift(); script !== undefined; script = left.shift()) {
      const problems = await tryScript(script)
      const replay = `Only this one: SEED=${seed} FAULT='${script.name}' npm test -- __tests__/faults`
      if (problems.length > 0) failures.push([...problems, replay, JSON.stringify(script)].join('\n'))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return failures
}

/** Each fault of a prompt and of a read: one of the two directly and the other through a proxy, if it is not the proxy's own. */
function scriptsOf(faults: Readonly<Record<string, Fault>>): FaultScript[] {
  return Object.entries(faults).flatMap(([name, { conduct }], index) => {
    const hasProxy = (isTurn: boolean): boolean => name in PROXY_FAULTS || (isTurn && conduct !== 'refuse')
    return [
      { ...LONG, name: `prompt/${name}`, prompt: [name], hasProxy: hasProxy(index % 2 === 0) },
      { ...LONG, name: `read/${name}`, reads: [name], hasProxy: hasProxy(index % 2 === 1) },
    ]
  })
}

test.each([
  ['the service does with its sockets', SERVICE_FAULTS],
  ['a proxy does with its sockets', PROXY_FAULTS],
  ['TLS does', TLS_FAULTS],
])('every promise holds whatever %s', async (_what, faults) => {
  expect(await findFailures(scriptsOf(faults))).toEqual([])
})

const drawn = (names: readonly string[], most: number): fc.Arbitrary<string[]> =>
  fc.array(
    fc.oneof({ weight: 1, arbitrary: fc.constant('good') }, { weight: 2, arbitrary: fc.constantFrom(...names) }),
    {
      maxLength: most,
    },
  )
const [PLAIN, PROXIES] = [Object.keys(SERVICE_FAULTS), Object.keys(PROXY_FAULTS)]
const mixture = fc.boolean().chain((hasProxy) => {
  // What a refused connection is behind a proxy, the proxy says.
  const names = hasProxy ? [...PLAIN.filter((name) => name !== 'refuses-connection'), ...PROXIES] : PLAIN
  return fc.record({
    hasProxy: fc.constant(hasProxy),
    prompt: drawn(names, 3),
    reads: drawn(names, 5),
    timeoutMs: fc.constantFrom(4_000, 40_000, 600_000),
  })
})

/** So many are drawn from one seed. */
const MIXTURES = 100

test('every promise holds where one fault follows the other', async () => {
  const endsAt = performance.now() + (getSoakMs(0.9) ?? 0)
  let seed = SEED
  do {
    const mixtures = fc.sample(mixture, { numRuns: MIXTURES, seed })
    expect(
      await findFailures(
        mixtures.map((one, index) => ({ ...one, name: `mixture-${index}` })),
        seed,
      ),
    ).toEqual([])
    seed++
  } while (performance.now() < endsAt)
  reportDrawn({ what: 'mixtures of faults', cases: MIXTURES * (seed - SEED) })
})
