import { expect, test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { answering } from '../support/bundle-fronts.ts'
import { runBundle } from '../support/bundle-run.ts'

/** Windows has no signals that a program could get from another one. */
const testWithSignals = process.platform === 'win32' ? test.skip : test

testWithSignals('a run that is cancelled while the prompt is unanswered says that the job may exist', async () => {
  const cancel = new AbortController()
  const asked: string[] = []
  const run = await runBundle({
    front: answering(({ method = '', url = '' }) => {
      asked.push(`${method} ${url}`)
      cancel.abort()
    }),
    inputs: { prompt: 'Fix the guide.' },
    cancel: cancel.signal,
  })

  expectStep(run, {
    conclusion: 'cancelled',
    verdict: '🛑 Cancelled',
    says: ['The run was cancelled.', 'the job may exist', 'Look for the job on the service'],
    outputs: { outcome: 'cancelled', changed: '' },
    requests: [],
  })
  expect(asked).toEqual(['POST /v2/agent/docs-demo/job'])
})
