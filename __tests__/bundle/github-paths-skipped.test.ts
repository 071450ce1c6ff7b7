import { expect, test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { PUSH_EVENT, runWithGitHub } from '../support/github-run.ts'
import { changedRepository } from '../support/github-state.ts'

test('a push in which no changed file counts asks nothing of the service', async () => {
  const run = await runWithGitHub({
    inputs: { paths: 'docs/**' },
    eventName: 'push',
    event: PUSH_EVENT,
    repository: changedRepository({ files: [{ filename: 'src/a.ts' }] }),
  })

  expectStep(run, {
    conclusion: 'success',
    verdict: '⏭️ Skipped: no change for the agent',
    says: ['Nothing was asked of the service.'],
    outputs: { outcome: 'skipped' },
    requests: [],
  })
  expect(run.github.requests).toEqual(['repos/compare-commits-with-basehead'])
})
