import { expect, test } from '@jest/globals'
import { parseReportInputs } from '../../src/report/inputs.ts'

const GIVEN = { label: 'docs-agent', 'github-token': 'ghs_token' }

test('takes the defaults for empty inputs', () => {
  expect(parseReportInputs(GIVEN, '.')).toMatchObject({ days: 30, labels: ['docs-agent'], prRepository: '' })
})

test('takes several labels, one a line', () => {
  expect(parseReportInputs({ ...GIVEN, label: 'docs-agent\n\ntranslations-*\n' }, '.').labels).toEqual([
    'docs-agent',
    'translations-*',
  ])
})

test.each([
  [{ days: '0' }, '`days` must be a whole number of days from 1 to 366'],
  [{ label: '' }, '`label` is empty, but only pull requests with a label have a history'],
  [{ label: 'docs-agent\n*' }, '`label` needs a name before `*`'],
  [{ label: 'x'.repeat(51) }, '`label` must be the name of one label'],
  [{ 'github-token': '' }, '`github-token` is empty, but everything is read from GitHub'],
  [{ 'pr-repository': 'docs' }, '`pr-repository` must be a repository such as `owner/name`'],
])('rejects %j', (given, message) => {
  expect(() => parseReportInputs({ ...GIVEN, ...given }, '.')).toThrow(message)
})
