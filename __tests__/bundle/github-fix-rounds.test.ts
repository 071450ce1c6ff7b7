import { expect, test } from '@jest/globals'
import { timesFaster } from '../../scripts/small-runner/faster-time.ts'
import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import { API_PATH } from '../../src/emulator/github/github.ts'
import { runBundle } from '../support/bundle-run.ts'

test('failing checks go back to the job with the end of their logs, until they pass', async () => {
  const run = await runBundle({
    gitHubScenarios: ['checks-mended-late'],
    inputs: {
      prompt: 'Fix the guide.',
      'github-token': GITHUB_TOKEN,
      'timeout-minutes': '60',
      'wait-for-checks': 'true',
      'fix-rounds': '3',
      'fail-on': 'checks',
    },
    env: (serviceUrl) => ({ GITHUB_API_URL: `${serviceUrl}${API_PATH}`, GITHUB_SERVER_URL: serviceUrl }),
    preload: timesFaster(20),
  })

  expect(run.conclusion).toBe('success')
  expect(run.outputs).toMatchObject({
    ...{ outcome: 'pull-request', checks: 'success', 'fix-rounds': '2' },
    ...{ changed: 'true', 'pr-operation': 'created', status: 'completed' },
  })
  const [, ...rounds] = run.prompts
  expect(rounds).toHaveLength(2)
  for (const round of rounds) expect(round).toContain('error: Process completed with exit code 1.')
  expect(run.annotations).toEqual([])
})
