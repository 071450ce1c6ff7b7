import { expect, test } from '@jest/globals'
import { expectNoSecret } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('debug logging tells of every request and gives no secret away', async () => {
  const run = await runBundle({
    debug: true,
    env: () => ({ NODE_DEBUG: 'http,net,tls,undici,fetch' }),
    inputs: { prompt: 'Fix the guide.', wait: 'false' },
  })

  expectNoSecret(run)
  const traced = run.commands.filter(({ name }) => name === 'debug').map(({ data }) => data)
  expect(traced).toEqual(
    expect.arrayContaining([expect.stringMatching(/POST \/v2\/agent\/\S+\/job: 201, \d+ bytes, in/)]),
  )
  expect(run.outputs).toMatchObject({ outcome: 'submitted', 'job-id': 'job_000001' })
})
