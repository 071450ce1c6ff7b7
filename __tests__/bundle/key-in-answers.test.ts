import { expect, test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { answering } from '../support/bundle-fronts.ts'
import { runBundle } from '../support/bundle-run.ts'

test('a service that repeats the key in its answers gives it away nowhere', async () => {
  const run = await runBundle({
    front: answering((incoming, outgoing) => {
      const { authorization = '' } = incoming.headers
      const encoded = Buffer.from(authorization.replace('Bearer ', '')).toString('base64')
      outgoing.writeHead(400).end(JSON.stringify({ error: `Refused: ${authorization}, also known as ${encoded}.` }))
    }),
    inputs: { prompt: 'Fix the guide.' },
  })

  expectStep(run, {
    conclusion: 'failure',
    verdict: '❌ The request was not accepted',
    says: ['(400)', 'Check the prompt, `project-id` and `base-url`.'],
    outputs: { outcome: 'error' },
    requests: [],
  })
  expect(run.annotations[0]?.message).toContain('Refused: Bearer ***, also known as ***')
})
