import { expect, test } from '@jest/globals'
import { timesFaster } from '../../scripts/small-runner/faster-time.ts'
import { expectNoSecret, expectStep } from '../../testing/bundle-expect.ts'
import { replaceService, runBundle } from '../../testing/bundle-run.ts'

/** Windows has no signals between processes. */
const testWithSignals = process.platform === 'win32' ? test.skip : test

const FIX = { prompt: 'Fix the guide.' }

testWithSignals('a run that is cancelled while it sends the prompt still receives the id of its job', async () => {
  const cancel = new AbortController()
  const intermediary = replaceService((_incoming, outgoing) => {
    cancel.abort()
    setImmediate(() => outgoing.writeHead(201).end('{"id":"job_late","status":"active"}'))
  })
  const run = await runBundle({ intermediary, inputs: FIX, cancel: cancel.signal })

  expectStep(run, {
    conclusion: 'cancelled',
    verdict: '🛑 Cancelled',
    messageParts: ['so the job still runs', 'run the workflow of the recipe `attach.yml` with `job-id: job_late`'],
    outputs: { outcome: 'cancelled', changed: '', status: 'active', 'job-id': 'job_late' },
    requests: [],
  })
})

testWithSignals('a second signal ends the step immediately, and red', async () => {
  const cancel = new AbortController()
  const run = await runBundle({
    // Slower, so that even a busy machine sends the second signal within the grace period.
    preload: timesFaster(1 / 10),
    // Never responds, so that the step still waits for the response to the prompt at the second signal.
    intermediary: replaceService(() => {
      cancel.abort()
    }),
    inputs: FIX,
    cancel: cancel.signal,
    cancelTimes: { sigtermAfterMs: 50, killAfterMs: 60_000 },
  })

  expect(run).toMatchObject({ conclusion: 'cancelled', exitCode: 1, signal: null, summary: '' })
  expect(run.outputs).toEqual({ outcome: 'error' })
  expect(run.commands.map(({ name }) => name)).toEqual(['add-mask', 'group', 'endgroup'])
  expectNoSecret(run)
})

/** Keeps the program from starting, so that no machine is fast enough to start it before the signal. */
const NEVER_STARTS = 'setTimeout(() => process.exit(1), 50_000); await new Promise(() => undefined)'
/** Sends a signal as soon as the program handles it. */
const signalItself = (signal: string): string => `
  const { on } = process
  process.on = (name, listener) => {
    on.call(process, name, listener)
    if (name === '${signal}') process.kill(process.pid, name)
    return process
  }
`
const CANCELLED = { exitCode: 1, outputs: { outcome: 'cancelled' } }

testWithSignals.each([
  [
    'SIGINT before the program starts ends it',
    NEVER_STARTS,
    { conclusion: 'cancelled', signal: 'SIGINT', outputs: {} },
  ],
  ...['SIGINT', 'SIGTERM', 'SIGHUP'].map(
    (name) => [`${name} as soon as the program starts cancels it`, signalItself(name), CANCELLED] as const,
  ),
])('%s without requests', async (_when, preload, wanted) => {
  const urls: string[] = []
  const intermediary = replaceService(({ url = '' }) => {
    urls.push(url)
  })
  const cancel = preload === NEVER_STARTS ? AbortSignal.abort() : undefined
  // Only SIGINT ends it, also on a machine that does not run it for ten seconds.
  const cancelTimes = { sigtermAfterMs: 3_600_000, killAfterMs: 0 }
  const run = await runBundle({ intermediary, inputs: FIX, preload, cancelTimes, ...(cancel && { cancel }) })

  expect(run).toMatchObject(wanted)
  expect(urls).toEqual([])
})
