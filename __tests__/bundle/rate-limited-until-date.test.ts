import { expect, test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { answering } from '../support/bundle-fronts.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a rate limit that ends on a date after the deadline ends the step, and the time is named', async () => {
  const asked: string[] = []
  const run = await runBundle({
    front: answering(({ method = '' }, outgoing) => {
      asked.push(method)
      const now = Date.now()
      outgoing
        .writeHead(429, { date: new Date(now).toUTCString(), 'retry-after': new Date(now + 3_600_000).toUTCString() })
        .end('{"error":"Slow down."}')
    }),
    inputs: { prompt: 'Fix the guide.' },
  })

  expectStep(run, {
    conclusion: 'failure',
    verdict: '❌ Too many requests',
    says: ['It asks not to be asked before 20', 'Slow down.'],
    outputs: { outcome: 'error' },
    requests: [],
  })
  expect(asked).toEqual(['POST'])
})
