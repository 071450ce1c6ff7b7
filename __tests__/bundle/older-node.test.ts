import { test } from '@jest/globals'
import { expectPullRequest } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

/** `npm start` runs the bundle on whatever Node.js is there: the one that runs npm, not the one that npm brings along. */
const node = process.env['npm_node_execpath'] ?? process.execPath

test('the same bundle runs on the Node.js that runs npm', async () => {
  const run = await runBundle({ node, inputs: { prompt: 'Fix the guide.' } })

  expectPullRequest(run)
})
