import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { INPUT_NAMES, parseAgentInputs, type AgentInputs } from '../../../src/agent/inputs/agent-inputs.ts'
import { includesPath } from '../../../src/agent/inputs/path-patterns.ts'
import { ActionError } from '../../../src/runtime/errors.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

type Given = Readonly<Record<string, string>>

const NOTHING: Given = Object.fromEntries(INPUT_NAMES.map((name) => [name, '']))
const GIVEN: Given = {
  prompt: 'Fix the guide.',
  'project-id': 'docs-demo',
  'api-key': 'docs_key',
  'base-url': 'https://docs.example.com/api/',
}

const parse = (given: Given, workspace = '.'): AgentInputs =>
  parseAgentInputs({ ...NOTHING, ...GIVEN, ...given }, workspace)

function messageOf(given: Given, workspace?: string): string {
  try {
    parse(given, workspace)
  } catch (error) {
    if (error instanceof ActionError && error.code === 'invalid-input') return error.message
    throw error
  }
  throw new Error('The inputs were taken.')
}

/** A workspace with a file of this text. */
function workspaceWith(name: string, text: string): string {
  const workspace = temporaryFolder()
  writeFileSync(join(workspace, name), text)
  return workspace
}

const namesFile = (name: string) => ({
  warnings: [expect.stringMatching(`^\`${name}\` line 1 matches a file of exactly`)],
})

test.each<[name: string, text: string, value: object]>([
  ['project-id', 'docs-demo', { projectId: 'docs-demo' }],
  ['api-key', 'docs_key', { apiKey: 'docs_key' }],
  ['base-url', 'https://docs.example.com/api/', { baseUrl: 'https://docs.example.com/api' }],
  ['job-id', ' job_1 ', { task: { kind: 'follow-up', prompt: 'Fix the guide.', jobId: 'job_1' } }],
  ['wait', '', { wait: true }],
  ['wait', 'False', { wait: false }],
  ['timeout-minutes', '', { timeoutMs: 3_600_000 }],
  ['timeout-minutes', '0.5', { timeoutMs: 30_000 }],
  ['poll-interval-seconds', '', { pollIntervalMs: undefined }],
  ['poll-interval-seconds', '0.1', { pollIntervalMs: 100 }],
  ['change-context', '', { changeContext: 'none' }],
  ['change-context', 'diff', { changeContext: 'diff' }],
  ['change-context-bytes', '', { changeContextBytes: 65_536 }],
  ['change-context-bytes', '2048', { changeContextBytes: 2_048 }],
  ['paths', '', { pathFilter: undefined }],
  ['paths', 'docs', namesFile('paths')],
  ['paths-ignore', 'docs', namesFile('paths-ignore')],
  ['allowed-paths', 'docs', namesFile('allowed-paths')],
  ['skip-own-changes', '', { skipOwnChanges: true }],
  ['skip-own-changes', 'false', { skipOwnChanges: false }],
  // None, and not the default of the file.
  ['label', '', { label: '' }],
  ['label', ' docs ', { label: 'docs' }],
  ['label', '...', { label: '...' }],
  ['label', '.x', { label: '.x' }],
  ['pr-repository', '.github/..docs', { prRepository: '.github/..docs' }],
  ['pr-repository', 'a.b/.github', { prRepository: 'a.b/.github' }],
  ['wait-for-checks', '', { waitForChecks: false, failOn: new Set(['failed', 'archived', 'timeout']) }],
  ['wait-for-checks', 'true', { waitForChecks: true }],
  ['allowed-paths', '', { allowedPaths: [] }],
  ['github-token', '', { githubToken: '' }],
  ['github-token', ' ghs_1 ', { githubToken: 'ghs_1' }],
  ['github-api-url', 'https://github.example.com/api/v3/ ', { githubApiUrl: 'https://github.example.com/api/v3' }],
  // A token goes unencrypted to this machine only.
  ['github-api-url', 'http://127.0.0.1:1/api/v3', { githubApiUrl: 'http://127.0.0.1:1/api/v3' }],
  ['fail-on', 'no-changes\nfailed', { failOn: new Set(['no-changes', 'failed']) }],
  ['summary', '', { summary: true }],
  ['summary', 'FALSE', { summary: false }],
])('`%s` with %j', (name, text, value) => {
  expect(parse({ [name]: text })).toMatchObject(value)
})

test('`paths` and `paths-ignore` are filters of their own kinds, told as they were given', () => {
  const ignored = parse({ 'paths-ignore': '**.md' }).pathFilter
  expect(ignored).toMatchObject({ kind: 'paths-ignore', rules: [{ line: '**.md' }] })
  const paths = parse({ paths: ' docs/**\n\n!docs/old/**\n' }).pathFilter
  expect(paths).toMatchObject({ kind: 'paths', rules: [{ line: 'docs/**' }, { line: '!docs/old/**' }] })
  expect(includesPath(parse({ 'allowed-paths': '*.md' }).allowedPaths, 'a.md')).toBe(true)
})

test('keeps the prompt byte for byte, from the input and from a file, which must not be blank', () => {
  const prompt = '\ufeff  Fix\r\nthe “guide”. 🎉\n\n'
  expect(parse({ prompt }).task).toEqual({ kind: 'create', prompt })
  const text = prompt.slice(1)
  const fromFile = parse({ prompt: '', 'prompt-file': ' prompt.md ' }, workspaceWith('prompt.md', text))
  expect(fromFile.task).toEqual({ kind: 'create', prompt: text })
  const blank = workspaceWith('prompt.md', '\n\n')
  expect(messageOf({ prompt: '', 'prompt-file': 'prompt.md' }, blank)).toContain('`prompt-file` is blank')
})

test.each<[string, Given, string]>([
  ['no prompt and no job', { prompt: '' }, '`prompt` is missing'],
  ['a blank prompt', { prompt: ' \n' }, '`prompt` is blank'],
  ['a blank prompt for a job, which is no attaching', { prompt: ' ', 'job-id': 'job_1' }, '`prompt` is blank'],
  ['two prompts', { 'prompt-file': 'prompt.md' }, '`prompt-file` cannot be combined with `prompt`'],
  ['a prompt file that cannot be read', { prompt: '', 'prompt-file': 'not-there.md' }, '`prompt-file` does not exist'],
  ['a job id that is a path', { 'job-id': '../job' }, '`job-id` must be 1 to 128 letters'],
  ['a wrong truth value', { wait: 'yes' }, '`wait` must be `true` or `false`'],
  ['a wrong summary', { summary: '1' }, '`summary` must be `true` or `false`'],
  ['too much time', { 'timeout-minutes': '361' }, '`timeout-minutes` must be a number of minutes'],
  ['too short an interval', { 'poll-interval-seconds': '0.01' }, '`poll-interval-seconds` must be a number of seconds'],
  ['another way to miss a key', { 'on-missing-key': 'ignore' }, '`on-missing-key` must be `fail` or `skip`'],
  ['two filters', { paths: 'a', 'paths-ignore': 'b' }, '`paths-ignore` cannot be combined with `paths`'],
  ['a filter without a file', { paths: '!a' }, '`paths` has only lines that begin with `!`'],
  ['paths of another root', { 'allowed-paths': '/docs/**' }, '`allowed-paths` line 1 begins with `/`'],
  ['an unknown context', { 'change-context': 'all' }, '`change-context` must be `none`, `commits`, `files` or `diff`'],
  ['too little context', { 'change-context-bytes': '1023' }, '`change-context-bytes` must be'],
  ['too much context', { 'change-context-bytes': '1048577' }, '`change-context-bytes` must be'],
  ['a wrong skip', { 'skip-own-changes': 'yes' }, '`skip-own-changes` must be'],
  ['two labels', { label: 'a,b' }, '`label` must be'],
  ['another word for an open pull request', { 'on-open-pr': 'reuse' }, '`on-open-pr` must be'],
  ['a rolling pull request without a label', { 'on-open-pr': 'skip', 'github-token': 'x' }, 'needs `label`'],
  ['a rolling pull request without a token', { 'on-open-pr': 'follow-up', label: 'x' }, 'needs `github-token`'],
  ['a repository without an owner', { 'pr-repository': 'docs' }, '`pr-repository` must be'],
  ['a command of two words', { command: '/docs now', 'github-token': 'x' }, '`command` must be one word'],
  ['a command like a mention', { command: '@docs', 'github-token': 'x' }, '`command` must be one word'],
  ['a command without a token', { command: '/docs' }, '`command` needs `github-token`'],
  ['a command for one job', { command: '/docs', 'job-id': 'job_1', 'github-token': 'x' }, 'combined with `job-id`'],
  ['a label that is a step in an address', { label: '..' }, '`label` must be'],
  ['a label that is no step in an address', { label: ' . ' }, '`label` must be'],
  ['a name that is a step in an address', { 'pr-repository': 'acme/..' }, '`pr-repository` must be'],
  ['a name that is no step in an address', { 'pr-repository': 'acme/.' }, '`pr-repository` must be'],
  ['an owner that is a step in an address', { 'pr-repository': '../docs' }, '`pr-repository` must be'],
  ['a long label', { label: 'x'.repeat(51) }, '`label` must be'],
  ['an empty key, with where secrets are withheld', { 'api-key': '' }, 'forks and from Dependabot'],
  ['rounds without checks', { 'fix-rounds': '1' }, '`fix-rounds` needs `wait-for-checks: true`'],
  [
    'too many rounds',
    { 'fix-rounds': '6', 'wait-for-checks': 'true' },
    '`fix-rounds` must be a whole number of rounds',
  ],
  ['a token in the open', { 'github-api-url': 'http://github.example.com/api/v3' }, 'must begin with `https://`'],
  ['no word to fail on', { 'fail-on': ',' }, '`fail-on` must be a list of'],
])('refuses %s', (_name, given, message) => {
  expect(messageOf(given)).toContain(message)
  expect(messageOf(given)).not.toContain('inputs are wrong')
})

test('a command needs no prompt, and one that is given are the house rules', () => {
  const given = { command: '/docs', 'github-token': 'x' }
  expect(parse({ ...given, prompt: '' }).task).toEqual({ kind: 'create', prompt: '' })
  expect(parse(given).task).toEqual({ kind: 'create', prompt: 'Fix the guide.' })
})

test('no message shows a token', () => {
  const message = messageOf({ 'github-token': 'ghs_ secret' })
  expect(message).toContain('`github-token` has a space')
  expect(message).not.toContain('secret')
})

test('names all problems in one error', () => {
  const message = messageOf({ ...NOTHING, wait: 'maybe', 'fail-on': 'x', 'poll-interval-seconds': '0' })
  const problems = message.split('\n').slice(1)
  expect(message).toMatch(/^7 inputs are wrong:/)
  expect(problems.map((line) => /`([a-z-]+)`/.exec(line)?.[1]).sort()).toEqual(
    ['api-key', 'base-url', 'fail-on', 'poll-interval-seconds', 'project-id', 'prompt', 'wait'].sort(),
  )
})

test('what is wrong with all inputs, and with each line of some, is short enough to be seen whole in an annotation', () => {
  const names = INPUT_NAMES.filter((name) => name !== 'prompt')
  const lines = 'docs/a.md, docs/b.md\n'.repeat(80)
  const message = messageOf(Object.fromEntries(names.map((name) => [name, lines])))
  expect(names.filter((name) => !message.includes(`- \`${name}\` `))).toEqual([])
  expect(Buffer.byteLength(message)).toBeLessThan(3_500)
})
