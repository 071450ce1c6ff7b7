import { expect, test } from '@jest/globals'
import { FAIL_ON, INPUT_NAMES, parseAgentInputs, type AgentRawInputs } from '../../../src/agent/inputs/inputs.ts'
import { ActionError } from '../../../src/shared/errors.ts'
import type { FileText } from '../../../src/shared/workspace-file.ts'
import { GITHUB_INPUTS } from '../../support/fake-github.ts'

const NOTHING = Object.fromEntries(INPUT_NAMES.map((name) => [name, ''])) as AgentRawInputs

function given(fields: Partial<AgentRawInputs>): AgentRawInputs {
  return {
    ...NOTHING,
    prompt: 'Fix the guide.',
    'project-id': 'docs-demo',
    'api-key': 'docs_key',
    'base-url': 'https://docs.example.com/api/',
    ...fields,
  }
}

const noFile = (): FileText => ({ kind: 'problem', problem: 'does not exist' })
const fileOf = (text: string) => (): FileText => ({ kind: 'text', text })

function messageOf(raw: AgentRawInputs, readPromptFile = noFile): string {
  try {
    parseAgentInputs(raw, readPromptFile)
  } catch (error) {
    if (error instanceof ActionError && error.code === 'invalid-input') return error.message
    throw error
  }
  throw new Error('The inputs were taken.')
}

test('fills in the defaults', () => {
  expect(parseAgentInputs(given({}), noFile)).toEqual({
    task: { kind: 'create', prompt: 'Fix the guide.' },
    projectId: 'docs-demo',
    apiKey: 'docs_key',
    baseUrl: 'https://docs.example.com/api',
    wait: true,
    timeoutMs: 3_600_000,
    pollIntervalMs: undefined,
    failOn: new Set(['failed', 'archived', 'timeout']),
    summary: true,
    github: { ...GITHUB_INPUTS, token: '', label: '' },
  })
})

test('takes every input', () => {
  const raw = given({
    'job-id': ' job_1 ',
    wait: 'False',
    'timeout-minutes': '0.5',
    'poll-interval-seconds': '0.1',
    'fail-on': 'no-changes\nfailed',
    summary: 'FALSE',
  })
  expect(parseAgentInputs(raw, noFile)).toMatchObject({
    task: { kind: 'follow-up', prompt: 'Fix the guide.', jobId: 'job_1' },
    wait: false,
    timeoutMs: 30_000,
    pollIntervalMs: 100,
    failOn: new Set(['no-changes', 'failed']),
    summary: false,
  })
})

test('keeps the prompt byte for byte', () => {
  const prompt = '\ufeff  Fix\r\nthe “guide”. 🎉\n\n'
  expect(parseAgentInputs(given({ prompt }), noFile).task).toEqual({ kind: 'create', prompt })
})

test('takes the prompt from a file', () => {
  const raw = given({ prompt: '', 'prompt-file': ' docs/prompt.md ' })
  expect(parseAgentInputs(raw, fileOf(' From the file.\n')).task).toEqual({
    kind: 'create',
    prompt: ' From the file.\n',
  })
})

test('attaches where there is a job and no prompt', () => {
  expect(parseAgentInputs(given({ prompt: '', 'job-id': 'job_1' }), noFile).task).toEqual({
    kind: 'attach',
    jobId: 'job_1',
  })
})

test.each([
  ['none', []],
  ['failed', ['failed']],
  ['failed,archived , timeout', ['failed', 'archived', 'timeout']],
  ['failed\narchived\n', ['failed', 'archived']],
  [FAIL_ON.join(', '), FAIL_ON],
])('reads fail-on %j', (text, expected) => {
  const raw = given({ 'fail-on': text, 'wait-for-checks': 'true', 'allowed-paths': 'docs/**' })
  expect(parseAgentInputs(raw, noFile).failOn).toEqual(new Set(expected))
})

test.each<[string, Partial<AgentRawInputs>, string]>([
  ['no prompt and no job', { prompt: '' }, '`prompt` is missing'],
  ['a blank prompt', { prompt: ' \n' }, '`prompt` is blank'],
  ['a blank prompt for a job, which is no attaching', { prompt: ' ', 'job-id': 'job_1' }, '`prompt` is blank'],
  ['two prompts', { 'prompt-file': 'prompt.md' }, '`prompt-file` must not be given together with `prompt`'],
  ['a prompt file that cannot be read', { prompt: '', 'prompt-file': 'prompt.md' }, '`prompt-file` does not exist'],
  ['a job id that is a path', { 'job-id': '../job' }, '`job-id` must be 1 to 128 letters'],
  ['an unknown outcome', { 'fail-on': 'failed, unconfirmed' }, '`fail-on` must be a list of `failed`'],
  ['none among others', { 'fail-on': 'none, failed' }, '`fail-on` must be a list'],
  ['a wrong truth value', { wait: 'yes' }, '`wait` must be `true` or `false`'],
  ['a wrong summary', { summary: '1' }, '`summary` must be `true` or `false`'],
  ['no time', { 'timeout-minutes': '0' }, '`timeout-minutes` must be a number of minutes'],
  ['too much time', { 'timeout-minutes': '361' }, '`timeout-minutes` must be a number of minutes'],
  ['a time with a unit', { 'timeout-minutes': '5m' }, '`timeout-minutes` must be a number of minutes'],
  ['an endless interval', { 'poll-interval-seconds': '1e400' }, '`poll-interval-seconds` must be a number of seconds'],
  ['too short an interval', { 'poll-interval-seconds': '0.01' }, '`poll-interval-seconds` must be a number of seconds'],
  ['another way to miss a key', { 'on-missing-key': 'ignore' }, '`on-missing-key` must be `fail` or `skip`'],
])('refuses %s', (_name, fields, message) => {
  expect(messageOf(given(fields))).toContain(message)
  expect(messageOf(given(fields))).not.toContain('inputs are wrong')
})

test('refuses a blank prompt file', () => {
  expect(messageOf(given({ prompt: '', 'prompt-file': 'prompt.md' }), fileOf('\n\n'))).toContain(
    '`prompt-file` is blank',
  )
})

test('names all problems in one error', () => {
  const message = messageOf({ ...NOTHING, wait: 'maybe', 'fail-on': 'x', 'job-id': '', 'poll-interval-seconds': '0' })
  const problems = message.split('\n').slice(1)
  expect(message).toMatch(/^7 inputs are wrong:/)
  expect(problems.map((line) => /`([a-z-]+)`/.exec(line)?.[1]).sort()).toEqual(
    ['api-key', 'base-url', 'fail-on', 'poll-interval-seconds', 'project-id', 'prompt', 'wait'].sort(),
  )
})

test('an empty key explains where secrets are withheld', () => {
  expect(messageOf(given({ 'api-key': '' }))).toMatch(/forks and Dependabot/)
})
