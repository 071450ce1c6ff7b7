import { expect, test } from '@jest/globals'
import { parseReportInputs } from '../../src/report/inputs.ts'

const GIVEN = { label: 'docs-agent', 'github-token': 'ghs_token' }

test('takes the defaults for empty inputs', () => {
  expect(parseReportInputs(GIVEN, '.')).toMatchObject({
    range: undefined,
    skipLabels: [],
    days: 30,
    label: 'docs-agent',
    prRepository: '',
    failOn: 'none',
  })
})

test('takes a range between tags, branches and commits, and lists of labels', () => {
  const given = { ...GIVEN, range: '@acme/cli@1.0.0...release/2.x', 'skip-labels': 'no-docs\ndependencies, chore' }
  expect(parseReportInputs(given, '.')).toMatchObject({
    range: { base: '@acme/cli@1.0.0', head: 'release/2.x' },
    skipLabels: ['no-docs', 'dependencies', 'chore'],
  })
})

test.each([
  [{ range: 'v1.0.0' }, '`range` must be `BASE...HEAD`'],
  [{ range: '...main' }, '`range` must be `BASE...HEAD`'],
  [{ range: 'v1..main' }, '`range` must be `BASE...HEAD`'],
  [{ range: 'v1...main...next' }, '`range` must be `BASE...HEAD`'],
  [{ days: '0' }, '`days` must be a whole number of days from 1 to 366'],
  [{ label: '' }, '`label` is empty, but only pull requests with a label have a history'],
  [{ 'github-token': '' }, '`github-token` is empty, but everything is read from GitHub'],
  [{ 'pr-repository': 'docs' }, '`pr-repository` must be a repository such as `owner/name`'],
  [{ 'fail-on': 'failed' }, '`fail-on` must be `none` or `no-trace`'],
  [{ 'skip-labels': '- no-docs' }, '`skip-labels` line 1 begins with `-`'],
])('rejects %j', (given, message) => {
  expect(() => parseReportInputs({ ...GIVEN, ...given }, '.')).toThrow(message)
})
