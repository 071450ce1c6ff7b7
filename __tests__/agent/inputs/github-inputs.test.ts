import { expect, test } from '@jest/globals'
import type { GitHubInputs } from '../../../src/agent/inputs/github-inputs.ts'
import {
  INPUT_NAMES,
  parseAgentInputs,
  type AgentInputs,
  type AgentRawInputs,
} from '../../../src/agent/inputs/inputs.ts'
import { includesPath } from '../../../src/agent/inputs/path-patterns.ts'
import { ActionError } from '../../../src/shared/errors.ts'

function parse(fields: Partial<AgentRawInputs>): AgentInputs {
  const nothing = Object.fromEntries(INPUT_NAMES.map((name) => [name, ''])) as AgentRawInputs
  const job = { prompt: 'Go.', 'project-id': 'docs', 'api-key': 'key', 'base-url': 'https://docs.example.com' }
  return parseAgentInputs({ ...nothing, ...job, ...fields }, () => ({ kind: 'problem', problem: 'is not there' }))
}
const github = (fields: Partial<AgentRawInputs>): GitHubInputs => parse(fields).github

function messageOf(fields: Partial<AgentRawInputs>): string {
  try {
    parse(fields)
  } catch (error) {
    if (error instanceof ActionError) return error.message
    throw error
  }
  return ''
}

test('reads every input', () => {
  const inputs = github({
    'github-token': ' ghs_1 ',
    'change-context': 'diff',
    'change-context-bytes': '2048',
    paths: 'docs/**\n!docs/private/**',
    'skip-own-changes': 'false',
    label: ' docs ',
    'wait-for-checks': 'true',
    'allowed-paths': '*.md',
  })
  expect(inputs).toMatchObject({
    token: 'ghs_1',
    changeContext: 'diff',
    changeContextBytes: 2_048,
    skipOwnChanges: false,
    label: 'docs',
    waitForChecks: true,
  })
  expect(inputs.pathFilter?.kind).toBe('paths')
  expect(includesPath(inputs.allowedPaths ?? [], 'a.md')).toBe(true)
})

test('an empty label is none, and not the default', () => {
  expect(github({ label: '' }).label).toBe('')
})

test('`paths-ignore` alone is a filter of its own kind', () => {
  expect(github({ 'paths-ignore': '**.md' }).pathFilter?.kind).toBe('paths-ignore')
  expect(github({}).pathFilter).toBeUndefined()
})

test('blank patterns are none, also beside those of the other filter', () => {
  expect(github({ paths: ' \n', 'paths-ignore': 'b' }).pathFilter?.kind).toBe('paths-ignore')
  expect(github({ paths: 'a', 'paths-ignore': ' \n' }).pathFilter?.kind).toBe('paths')
})

test.each<[Partial<AgentRawInputs>, string]>([
  [{ paths: 'a', 'paths-ignore': 'b' }, '`paths-ignore` must not be given together with `paths`'],
  [{ paths: '!a' }, '`paths` has only lines that begin with `!`'],
  [{ 'allowed-paths': '/docs/**' }, '`allowed-paths` line 1 begins with `/`'],
  [{ 'change-context': 'all' }, '`change-context` must be'],
  [{ 'change-context-bytes': '1023' }, '`change-context-bytes` must be'],
  [{ 'change-context-bytes': '1048577' }, '`change-context-bytes` must be'],
  [{ 'change-context-bytes': '1e4' }, '`change-context-bytes` must be'],
  [{ 'skip-own-changes': 'yes' }, '`skip-own-changes` must be'],
  [{ label: 'a,b' }, '`label` must be'],
  [{ label: 'x'.repeat(51) }, '`label` must be'],
  [{ 'github-token': 'a b' }, '`github-token` holds'],
  [{ 'fail-on': 'checks' }, '`fail-on` has `checks`, which is known only with `wait-for-checks: true`'],
  [{ 'fail-on': 'out-of-scope' }, '`fail-on` has `out-of-scope`, which is known only with `allowed-paths`'],
])('%j is refused', (fields, part) => {
  expect(messageOf(fields)).toContain(part)
})

test('`fail-on` knows the words that other inputs add', () => {
  const { failOn } = parse({ 'fail-on': 'checks, out-of-scope', 'wait-for-checks': 'True', 'allowed-paths': '**' })
  expect([...failOn]).toEqual(['checks', 'out-of-scope'])
})

test('no message shows a token', () => {
  expect(messageOf({ 'github-token': 'ghs_ secret' })).not.toContain('secret')
})
