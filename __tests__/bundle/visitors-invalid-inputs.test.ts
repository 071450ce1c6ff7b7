import { test } from '@jest/globals'
import { embedded, expectExport, runVisitors } from '../support/visitors-bundle.ts'

test('all bad inputs are named in one error, and nothing is asked of the service', async () => {
  const run = await runVisitors({
    service: embedded(),
    inputs: {
      'project-id': '../other',
      'api-key': 'two words',
      'base-url': 'http://docs.example.com',
      'date-from': '2026-02-30',
      'date-to': 'tomorrow',
      days: '7.5',
      format: 'xlsx',
      'output-file': '../visitors.csv',
      top: '1001',
      'timeout-minutes': '0',
      'on-missing-key': 'shrug',
      summary: '1',
    },
  })

  expectExport(run, {
    conclusion: 'failure',
    verdict: '❌ The inputs are wrong',
    says: [
      '12 inputs are wrong',
      '`project-id` must be',
      '`api-key` must not contain',
      '`base-url` must begin with `https://`',
      '`date-from` is a day that is not in the calendar',
      '`date-to` must be `YYYY-MM-DD`',
      '`days` must be a whole number from 1 to 3660',
      '`format` must be `csv`, `json` or `ndjson`',
      '`output-file` is outside the workspace',
      '`top` must be a whole number from 0 to 1000',
      '`timeout-minutes` must be',
      '`on-missing-key` must be',
      '`summary` must be',
      'Nothing was sent.',
    ],
    offsets: [],
  })
})
