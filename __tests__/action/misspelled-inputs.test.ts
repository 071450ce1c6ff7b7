import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { findMisspelledInputs, readPassedInputs, resembles } from '../../src/action/misspelled-inputs.ts'
import { AGENT_FIELDS } from '../../src/agent/inputs.ts'
import { INPUT_DEFAULTS } from '../../src/rehearse/service-process.ts'
import { REPORT_FIELDS } from '../../src/report/inputs.ts'
import { VISITORS_FIELDS } from '../../src/visitors/inputs.ts'
import type { Fields } from '../../src/action/inputs.ts'

test.each([
  ['dryrun', 'dry-run', true],
  ['dry_run', 'dry-run', true],
  ['on-open-prs', 'on-open-pr', true],
  ['allowed-path', 'allowed-paths', true],
  ['allowedpath', 'allowed-paths', true],
  ['pr-repositories', 'pr-repository', true],
  ['waits-for-check', 'wait-for-checks', true],
  ['timeout-minuets', 'timeout-minutes', true],
  ['promt', 'prompt', true],
  ['comandd', 'command', true],
  ['lable', 'label', true],
  ['path', 'paths', true],
  ['pathsx', 'paths', true],
  ['pxthx', 'paths', false],
  ['lebels', 'label', false],
  ['date', 'days', false],
  ['timeout', 'timeout-minutes', false],
  ['token', 'github-token', false],
  ['instructions', 'prompt', false],
  ['reviews', 'reviewers', true],
  ['', 'top', false],
])('whether %j is probably a mistake for `%s`: %j', (given, name, expected) => {
  expect(resembles(given, name)).toBe(expected)
})

const DEFAULTS = { 'dry-run': 'false', label: '', prompt: '', 'api-key': '' }
const find = (raw: Readonly<Record<string, string>>) => findMisspelledInputs(raw, DEFAULTS)

test.each([
  ['the input is missing', { dryrun: 'true', 'dry-run': '' }, [{ given: 'dryrun', meant: 'dry-run' }]],
  ['the runner has set its default', { dryrun: 'true', 'dry-run': 'false' }, [{ given: 'dryrun', meant: 'dry-run' }]],
  [
    'action.yml has a default of its own',
    { labels: 'api', label: 'docs-agent' },
    [{ given: 'labels', meant: 'label' }],
  ],
  ['the input was given too', { dryrun: 'true', 'dry-run': 'true' }, []],
  ['a wrapper passes its own input on', { labels: 'api', label: 'api' }, []],
  ['the misspelled input is empty', { dryrun: ' ', 'dry-run': '' }, []],
  ['it has the value that counts anyway', { dryrun: 'false', 'dry-run': '' }, []],
  ['a variable resembles no input', { owner: 'me', 'client-id': '1' }, []],
  ['a name cannot be one of a workflow', { 'promp\n': 'x' }, []],
])('a misspelled input, if %s: %j', (_when, raw, expected) => {
  expect(find(raw)).toEqual(expected)
})

test('reads the names as the runner passes them on', () => {
  const env = { 'INPUT_DRY-RUN': 'true', INPUT_DRYRUN: 'false', PATH: '/bin', HOME: '/' }
  expect(readPassedInputs(env)).toEqual({ 'dry-run': 'true', dryrun: 'false' })
})

const getDefaults = (fields: Fields): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.values(fields).map(({ name, fallback }) => [name, fallback]))

/** GitHub sets this input itself, so that nobody knows whether the workflow has set it too. */
const ALWAYS_SET = ['github-token']

test.each([
  ['action.yml', getDefaults(AGENT_FIELDS)],
  ['visitors/action.yml', getDefaults(VISITORS_FIELDS)],
  ['report/action.yml', getDefaults(REPORT_FIELDS)],
  ['emulator/action.yml', INPUT_DEFAULTS],
])('each input of %s is found by a misspelled name, with what the runner passes for the others', (file, defaults) => {
  const { inputs } = parse(readFileSync(file, 'utf8')) as { inputs: Record<string, { default?: string | number }> }
  const names = Object.keys(inputs)
  const usual = Object.fromEntries(names.map((name) => [name, String(inputs[name]?.default ?? '')]))
  const found = names.flatMap((name) => findMisspelledInputs({ ...usual, [`${name}x`]: 'other' }, defaults))
  const expected = names.filter((name) => !ALWAYS_SET.includes(name))
  expect(found).toEqual(expected.map((name) => ({ given: `${name}x`, meant: name })))
  expect(findMisspelledInputs(usual, defaults)).toEqual([])
})
