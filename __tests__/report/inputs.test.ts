import { expect, test } from '@jest/globals'
import { parseReportInputs } from '../../src/report/inputs.ts'

const GIVEN = { label: 'docs-agent', 'github-token': 'ghs_token' }

test('takes the defaults for empty inputs', () => {
  expect(parseReportInputs(GIVEN, '.')).toMatchObject({ days: 30, label: 'docs-agent', prRepository: '' })
})

test.each([
  [{ days: '0' }, '`days` must be a whole number of days from 1 to 366'],
  [{ label: '' }, '`label` is empty, but only pull requests with a label have a history'],
  [{ 'github-token': '' }, '`github-token` is empty, but everything is read from GitHub'],
  [{ 'pr-repository': 'docs' }, '`pr-repository` must be a repository such as `owner/name`'],
])('rejects %j', (given, message) => {
  expect(() => parseReportInputs({ ...GIVEN, ...given }, '.')).toThrow(message)
})
