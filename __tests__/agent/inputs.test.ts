import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { inputNames } from '../../src/action/inputs.ts'
import { AGENT_FIELDS, parseAgentInputs } from '../../src/agent/inputs.ts'
import type { AgentInputs } from '../../src/agent/facts.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { createTemporaryFolder } from '../../testing/temporary-folder.ts'

type Given = Readonly<Record<string, string>>

const NOTHING: Given = Object.fromEntries(inputNames(AGENT_FIELDS).map((name) => [name, '']))
const GIVEN: Given = {
  prompt: 'Fix the guide.',
  'project-id': 'docs-demo',
  'api-key': 'docs_key',
  'base-url': 'https://docs.example.com/api/',
}

const parse = (given: Given, workspace = '.'): AgentInputs =>
  parseAgentInputs({ ...NOTHING, ...GIVEN, ...given }, workspace)

function getError(given: Given, workspace?: string): string {
  try {
    parse(given, workspace)
  } catch (error) {
    if (error instanceof ActionError && error.code === 'invalid-input') return error.message
    throw error
  }
  throw new Error('The inputs were accepted.')
}

test.each<[name: string, text: string, value: object]>([
  ['project-id', 'docs-demo', { projectId: 'docs-demo' }],
  ['api-key', 'docs_key', { apiKey: 'docs_key' }],
  ['base-url', 'https://docs.example.com/api/', { baseUrl: 'https://docs.example.com/api' }],
  ['job-id', ' job_1 ', { task: { kind: 'follow-up', prompt: 'Fix the guide.', jobId: 'job_1' } }],
  ['dry-run', ' TRUE ', { dryRun: true, hasService: true }],
  ['dry-run', '', { dryRun: false, hasService: true }],
  ['wait', 'False', { wait: false }],
  ['timeout-minutes', '0.5', { timeoutMs: 30_000 }],
  ['poll-interval-seconds', '', { pollIntervalMs: undefined }],
  ['poll-interval-seconds', '0.1', { pollIntervalMs: 100 }],
  ['change-context', 'diff', { changeContext: 'diff' }],
  ['change-range', 'since-last-success', { changeRange: { kind: 'since-last-success' } }],
  ['paths', '', { paths: [] }],
  ['paths', ' docs/**\n\n!old/**\n', { paths: [{ line: 'docs/**' }, { line: '!old/**' }] }],
  ['skip-labels', '', { skipLabels: [] }],
  ['fail-on', 'failed,\n timed-out, ', { failOn: new Set(['failed', 'timed-out']) }],
  ['skip-own-changes', '', { skipOwnChanges: 'any-label' }],
  ['skip-own-changes', ' same-label ', { skipOwnChanges: 'same-label' }],
  ['max-follow-ups', '', { maxFollowUps: 20 }],
  ['max-follow-ups', '100', { maxFollowUps: 100 }],
  // Empty means no label. The default is in action.yml.
  ['label', '', { label: '' }],
  ['label', ' docs ', { label: 'docs' }],
  ['label', '...', { label: '...' }],
  ['label', '.x', { label: '.x' }],
  ['pr-repository', '.github/..docs', { prRepository: '.github/..docs' }],
  ['pr-repository', 'a.b/.github', { prRepository: 'a.b/.github' }],
  ['wait-for-checks', 'true', { waitForChecks: true, failOn: new Set(['failed', 'archived', 'timed-out', 'checks']) }],
  ['fix-rounds', '1', { waitForChecks: true, failOn: new Set(['failed', 'archived', 'timed-out', 'checks']) }],
  ['ignore-checks', '', { ignoreChecks: [] }],
  ['fix-rounds', '', { fixRounds: 0 }],
  ['allowed-paths', '*.md', { allowedPaths: [{ line: '*.md' }] }],
  ['github-token', ' ghs_1 ', { githubToken: 'ghs_1' }],
  ['fail-on', 'no-changes\nfailed', { failOn: new Set(['no-changes', 'failed']) }],
])('`%s` accepts %j', (name, text, value) => {
  expect(parse({ [name]: text })).toMatchObject(value)
})

test.each(['api-key', 'base-url'])('sends no requests to the service in a dry run without `%s`', (name) => {
  expect(parse({ [name]: ' ', 'dry-run': 'true' })).toMatchObject({ dryRun: true, hasService: false })
})

test('keeps the prompt of the input or the file unchanged, and rejects a blank file', () => {
  const prompt = '\ufeff  Fix\r\nthe “guide”. 🎉\n\n'
  expect(parse({ prompt }).task).toEqual({ kind: 'create', prompt })
  const workspace = createTemporaryFolder()
  writeFileSync(join(workspace, 'prompt.md'), prompt)
  writeFileSync(join(workspace, 'blank.md'), '\n\n')
  expect(parse({ prompt: '', 'prompt-file': ' prompt.md ' }, workspace).task).toEqual({ kind: 'create', prompt })
  expect(getError({ prompt: '', 'prompt-file': 'blank.md' }, workspace)).toContain('`prompt-file` is blank')
})

test.each<[string, Given, string]>([
  ['no prompt and no job', { prompt: '' }, '`prompt` is missing'],
  ['a blank prompt', { prompt: ' \n' }, '`prompt` is blank'],
  ['a blank prompt for a job', { prompt: ' ', 'job-id': 'job_1' }, '`prompt` is blank'],
  ['two prompts', { 'prompt-file': 'prompt.md' }, '`prompt-file` cannot be combined with `prompt`'],
  ['a prompt file that cannot be read', { prompt: '', 'prompt-file': 'not-there.md' }, '`prompt-file` does not exist'],
  [
    'a dry run that only attaches to a job',
    { prompt: '', 'job-id': 'job_1', 'dry-run': 'true' },
    '`dry-run` needs a prompt',
  ],
  ['no key without a dry run', { 'api-key': '', 'dry-run': 'false' }, '`api-key` is empty'],
  [
    'a key with a space in a dry run',
    { 'api-key': 'a b', 'dry-run': 'true' },
    '`api-key` must consist of printable ASCII',
  ],
  ['a job id that is a path', { 'job-id': '../job' }, '`job-id` must be 1 to 128 letters'],
  ['`paths` that only exclude files', { paths: '!a\n!b' }, '`paths` has only lines that begin with `!`'],
  ['`allowed-paths` that only exclude files', { 'allowed-paths': '!a' }, 'write `**` as the first line'],
  ['a step that does not skip own changes', { 'skip-own-changes': 'false' }, 'must be `any-label` or `same-label`'],
  ['an invalid line after blank ones', { paths: '\n\n  src/[z-a]\n' }, '`paths` line 3 has a range'],
  ['an invalid reviewer', { reviewers: '\n-a', 'github-token': 'x' }, '`reviewers` line 2 must be'],
  ['two labels', { label: 'a,b' }, '`label` must be'],
  ['a rolling pull request without a label', { 'on-open-pr': 'skip', 'github-token': 'x' }, 'needs `label`'],
  ['a rolling pull request without a token', { 'on-open-pr': 'follow-up', label: 'x' }, 'needs `github-token`'],
  [
    'skipping runs while a range looks back to the last success',
    { 'on-open-pr': 'skip', 'change-range': ' since-last-success ', label: 'x', 'github-token': 'x' },
    '`on-open-pr` cannot be `skip` together with `change-range: since-last-success`',
  ],
  ['a repository without an owner', { 'pr-repository': 'docs' }, '`pr-repository` must be'],
  ['a command of two words', { command: '/docs now', 'github-token': 'x' }, '`command` must be one word'],
  ['a command in the form of a mention', { command: '@docs', 'github-token': 'x' }, '`command` must be one word'],
  ['a command without a token', { command: '/docs' }, '`command` needs `github-token`'],
  ['a command for one job', { command: '/docs', 'job-id': 'job_1', 'github-token': 'x' }, 'combined with `job-id`'],
  ['the label `..`', { label: '..' }, '`label` must be'],
  ['the label `.`', { label: ' . ' }, '`label` must be'],
  ['the repository name `..`', { 'pr-repository': 'acme/..' }, '`pr-repository` must be'],
  ['the repository name `.`', { 'pr-repository': 'acme/.' }, '`pr-repository` must be'],
  ['the owner `..`', { 'pr-repository': '../docs' }, '`pr-repository` must be'],
  ['a long label', { label: 'x'.repeat(51) }, '`label` must be'],
  [
    'an empty key',
    { 'api-key': '' },
    '`api-key` is empty: the secret that it is set from does not exist here, or its name is misspelled; a secret of an environment needs `environment` in the job.',
  ],
  [
    'ignored checks that are not awaited',
    { 'ignore-checks': 'build' },
    '`ignore-checks` needs `wait-for-checks` or `fix-rounds`',
  ],
  [
    'a list of ignored checks',
    { 'ignore-checks': 'build\n- links', 'fix-rounds': '1' },
    '`ignore-checks` line 2 begins with `-`',
  ],
  ['too many fix rounds', { 'fix-rounds': '6' }, '`fix-rounds` must be a whole number of rounds'],
  [
    'a limit of no follow-ups',
    { 'max-follow-ups': '0' },
    '`max-follow-ups` must be a whole number of follow-ups from 1 to 100',
  ],
  ['too many follow-ups', { 'max-follow-ups': '101' }, '`max-follow-ups` must be'],
])('rejects %s', (_name, given, message) => {
  expect(getError(given)).toContain(message)
  expect(getError(given)).not.toContain('inputs are invalid')
})

test('uses the prompt as house rules if there is a command, and requires none', () => {
  const given = { command: '/docs', 'github-token': 'x' }
  expect(parse({ ...given, prompt: '' }).task).toEqual({ kind: 'create', prompt: '' })
  expect(parse(given).task).toEqual({ kind: 'create', prompt: 'Fix the guide.' })
})

test('reads one label a line, and labels separated by commas', () => {
  const { skipLabels } = parse({ 'skip-labels': 'no docs, internal\n\n chore\n', 'github-token': 'x' })
  expect(skipLabels).toEqual(['no docs', 'internal', 'chore'])
})

test('does not show a token in an error message', () => {
  const message = getError({ 'github-token': 'ghs_ secret' })
  expect(message).toContain('`github-token` has a space')
  expect(message).not.toContain('secret')
})

test('reports the problems of all inputs and lines in a message that fits an annotation', () => {
  const names = inputNames(AGENT_FIELDS).filter((name) => name !== 'prompt')
  const lines = 'docs/a.md, docs/b.md, a name that is longer than the fifty characters of a label\n'.repeat(80)
  const message = getError(Object.fromEntries(names.map((name) => [name, lines])))
  expect(names.filter((name) => !message.includes(`- \`${name}\` `))).toEqual([])
  // GitHub cuts an annotation at 4 KiB.
  expect(Buffer.byteLength(message)).toBeLessThan(4_000)
})
