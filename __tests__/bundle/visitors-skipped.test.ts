import { test } from '@jest/globals'
import { commit } from '../support/github-state.ts'
import { embedded, expectExport, runVisitors } from '../support/visitors-bundle.ts'

test('without a key the step can be told to end green, without a file', async () => {
  const run = await runVisitors({
    service: embedded(),
    inputs: { 'api-key': '', 'on-missing-key': 'skip' },
    eventName: 'pull_request',
    event: {
      pull_request: { head: { sha: commit('a'), repo: { full_name: 'fork/docs' } } },
      repository: { full_name: 'acme/docs' },
    },
  })

  expectExport(run, {
    conclusion: 'success',
    verdict: '⏭️ Skipped, as there is no API key here',
    remarks: ['This run gets no secrets'],
    offsets: [],
  })
})
