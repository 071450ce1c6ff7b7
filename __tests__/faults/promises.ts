import { INVARIANTS } from '../model/invariants.ts'
import type { Expected } from './fault-script.ts'
import type { FaultTrace } from './run-fault-script.ts'

/** Where a connection is lost before anything was written, undici may open another one, but not without end. */
const MOST_CONNECTIONS = 3

/** Holds for the virtual clock only, whose jumps on the wall are made for it. */
const OF_THE_MODEL_ONLY = new Set(['A duration does not depend on the wall clock.'])

const EXPECTATIONS: Readonly<Record<Expected, (trace: FaultTrace) => boolean>> = {
  'pull-request': ({ report, conclusion }) => report.outcome === 'pull-request' && conclusion.isGreen,
  red: ({ conclusion }) => !conclusion.isGreen,
  'unknown-fate': ({ report, conclusion }) => report.error?.code === 'unknown-fate' && !conclusion.isGreen,
}

/** The promises of the schedules, and those that only real sockets can break. Gives what does not hold. */
export function brokenPromises(trace: FaultTrace): string[] {
  const { script, report, openConnections, connections, requests, sleepers } = trace
  const { expected } = script
  const problems = INVARIANTS.filter(({ sentence }) => !OF_THE_MODEL_ONLY.has(sentence)).flatMap(
    ({ sentence, problem }) => {
      const found = problem(trace)
      return found === undefined ? [] : [`${sentence} ${found}`]
    },
  )
  if (openConnections > 0) problems.push(`When all was over, ${openConnections} connections were still open.`)
  if (sleepers > 0) problems.push(`When all was over, ${sleepers} timers still ran.`)
  if (connections > requests * MOST_CONNECTIONS)
    problems.push(`There were ${connections} connections for ${requests} requests.`)
  if (expected !== undefined && !EXPECTATIONS[expected](trace))
    problems.push(`It should have ended with ${expected}, and has with ${report.outcome}, ${report.error?.code ?? ''}.`)
  return problems
}
