import { expect, test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { PUSH_EVENT, runWithGitHub } from '../support/github-run.ts'
import { commit } from '../support/github-state.ts'

test('a push in which no changed file counts asks nothing of the service', async () => {
  const change = {
    relation: 'ahead',
    commits: [{ sha: commit('b'), message: 'Tidy up' }],
    files: [{ filename: 'src/a.ts' }],
  } as const
  const run = await runWithGitHub({
    inputs: { paths: 'docs/**' },
    eventName: 'push',
    event: PUSH_EVENT,
    repository: { comparisons: { [`${commit('a')}...${commit('b')}`]: change } },
  })

  expectStep(run, {
    conclusion: 'success',
    verdict: '⏭️ Skipped: nothing to do now',
    says: ['Nothing was asked of the service.'],
    outputs: { outcome: 'skipped' },
    requests: [],
  })
  expect(run.github.requests).toEqual([
    'repos/list-pull-requests-associated-with-commit',
    'repos/compare-commits-with-basehead',
  ])
})
