import { test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

test('all bad inputs are named in one error, and nothing is asked of the service', async () => {
  const run = await runBundle({
    inputs: {
      prompt: ' \n ',
      'prompt-file': 'missing.md',
      'project-id': '../other',
      'api-key': 'two words',
      'base-url': 'http://docs.example.com',
      'job-id': 'a/b',
      wait: 'maybe',
      'timeout-minutes': '0',
      'poll-interval-seconds': '1e9',
      'fail-on': 'everything',
      'on-missing-key': 'shrug',
      summary: '1',
    },
  })

  expectStep(run, {
    conclusion: 'failure',
    verdict: '❌ The inputs are wrong',
    says: [
      '12 inputs are wrong',
      '`prompt` is blank',
      '`prompt-file` must not be given together with `prompt`',
      '`project-id` must be',
      '`api-key` must not contain',
      '`base-url` must begin with `https://`',
      '`job-id` must be',
      '`wait` must be',
      '`timeout-minutes` must be',
      '`poll-interval-seconds` must be',
      '`fail-on` must be',
      '`on-missing-key` must be',
      '`summary` must be',
      'Nothing was sent.',
    ],
    outputs: { outcome: 'error' },
    requests: [],
  })
})
