import { test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { answering } from '../support/bundle-fronts.ts'
import { runBundle } from '../support/bundle-run.ts'

/** Windows has no signals that a program could get from another one. */
const testWithSignals = process.platform === 'win32' ? test.skip : test

testWithSignals('a run that is cancelled while the prompt is on its way still learns the id of its job', async () => {
  const cancel = new AbortController()
  const run = await runBundle({
    front: answering((_incoming, outgoing) => {
      cancel.abort()
      setImmediate(() => outgoing.writeHead(201).end('{"id":"job_late","status":"active"}'))
    }),
    inputs: { prompt: 'Fix the guide.' },
    cancel: cancel.signal,
  })

  expectStep(run, {
    conclusion: 'cancelled',
    verdict: '🛑 Cancelled',
    says: ['so the job still runs', 'run the same step with `job-id: job_late` and without a prompt'],
    outputs: { outcome: 'cancelled', changed: '', status: 'active', 'job-id': 'job_late' },
    requests: [],
  })
})
