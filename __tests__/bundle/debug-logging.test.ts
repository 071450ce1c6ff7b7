import { expect, test } from '@jest/globals'
import { expectNoSecret } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('debug logging gives no secret away', async () => {
  const run = await runBundle({
    debug: true,
    env: () => ({ NODE_DEBUG: 'http,net,tls,undici,fetch' }),
    inputs: { prompt: 'Fix the guide.', wait: 'false' },
  })

  expectNoSecret(run)
  expect(run.outputs).toMatchObject({ outcome: 'submitted', 'job-id': 'job_000001' })
})
