import { test } from '@jest/globals'
import { expectStep, pullRequestOutputs } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'
import { CERTIFICATE_PATH, overTls } from '../support/network-fronts.ts'

test('a certificate of an authority of one’s own is trusted where NODE_EXTRA_CA_CERTS names it', async () => {
  const run = await runBundle({
    front: overTls,
    env: () => ({ NODE_EXTRA_CA_CERTS: CERTIFICATE_PATH }),
    inputs: { prompt: 'Fix the guide.' },
  })

  expectStep(run, {
    conclusion: 'success',
    verdict: '✅ The pull request is ready',
    outputs: {
      outcome: 'pull-request',
      status: 'completed',
      'job-id': 'job_000001',
      model: 'docs-writer-1',
      ...pullRequestOutputs(run, 4),
    },
    requests: ['POST job', 'GET job/job_000001', 'GET job/job_000001'],
  })
})
