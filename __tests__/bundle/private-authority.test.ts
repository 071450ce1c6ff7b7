import { test } from '@jest/globals'
import { expectPullRequest } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'
import { certificateFile, overTls } from '../support/network-fronts.ts'

test('a certificate of an authority of one’s own is trusted where NODE_EXTRA_CA_CERTS names it', async () => {
  const run = await runBundle({
    front: overTls,
    env: () => ({ NODE_EXTRA_CA_CERTS: certificateFile() }),
    inputs: { prompt: 'Fix the guide.' },
  })

  expectPullRequest(run)
})
