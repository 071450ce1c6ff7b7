import { existsSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { runAction } from '../../../scripts/small-runner/run-action.ts'
import { temporaryAction } from '../../support/temporary-action.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const APPEND = `const { appendFileSync } = require('node:fs')
const append = (name, text) => appendFileSync(process.env[name], text)
`

const PRINT_ENVIRONMENT = 'console.log(JSON.stringify(process.env))'

async function environmentOf(
  options: Omit<Parameters<typeof runAction>[0], 'action'>,
  inputs = '',
): Promise<Record<string, string>> {
  const { rawOutput } = await runAction({ ...options, action: temporaryAction(PRINT_ENVIRONMENT, inputs) })
  return JSON.parse(rawOutput) as Record<string, string>
}

test('exit code 0 is a success', async () => {
  const result = await runAction({ action: temporaryAction('console.log("hello")') })

  expect(result).toMatchObject({
    exitCode: 0,
    signal: null,
    conclusion: 'success',
    log: [{ kind: 'text', text: 'hello' }],
  })
})

test('an error annotation alone does not fail the step', async () => {
  const result = await runAction({ action: temporaryAction('console.log("::error::x")') })

  expect(result).toMatchObject({ conclusion: 'success', annotations: [{ level: 'error', message: 'x' }] })
})

test('any other exit code is a failure', async () => {
  const result = await runAction({ action: temporaryAction('process.exitCode = 3') })

  expect(result).toMatchObject({ exitCode: 3, conclusion: 'failure' })
})

test('commands are read from both streams', async () => {
  const action = temporaryAction('console.log("::notice::out"); console.error("x ##[warning]err")')

  const { annotations } = await runAction({ action })

  expect(annotations.map(({ level, message }) => `${level} ${message}`).sort()).toEqual(['notice out', 'warning err'])
})

test('inputs and defaults become variables, hyphens kept', async () => {
  const inputs = `inputs:
  job-id:
    required: false
  wait:
    default: 'true'
  two-words:
    default: ignored
  github-token:
    default: \${{ github.token }}
`
  const env = await environmentOf({ inputs: { 'JOB-id': ' job_1\n' }, githubToken: 'a$&b' }, inputs)

  expect(env).toMatchObject({
    'INPUT_JOB-ID': ' job_1\n',
    INPUT_WAIT: 'true',
    'INPUT_TWO-WORDS': 'ignored',
    'INPUT_GITHUB-TOKEN': 'a$&b',
  })
})

test('an input that the action does not have is passed with a warning', async () => {
  const action = temporaryAction('console.log(process.env["INPUT_SOME_THING"])')

  const { rawOutput, annotations } = await runAction({ action, inputs: { 'some thing': 'x' } })

  expect(rawOutput).toBe('x\n')
  expect(annotations).toMatchObject([{ level: 'warning' }])
  expect(annotations[0]?.message).toContain("'some thing'")
})

test('the step sees the variables of a runner and none of this process', async () => {
  process.env['SMALL_RUNNER_TEST'] = 'leak'
  const env = await environmentOf({ env: { MINE: '1' }, workspace: temporaryFolder(), state: { key: 'kept' } })
  delete process.env['SMALL_RUNNER_TEST']

  expect(env).toMatchObject({ GITHUB_ACTIONS: 'true', GITHUB_REPOSITORY: 'acme/docs', MINE: '1', STATE_key: 'kept' })
  expect(env).not.toHaveProperty('SMALL_RUNNER_TEST')
  expect(env).not.toHaveProperty('RUNNER_DEBUG')
  expect(await environmentOf({ debug: true })).toHaveProperty('RUNNER_DEBUG', '1')
})

test('the step runs in the workspace', async () => {
  const workspace = realpathSync(temporaryFolder())

  const { rawOutput } = await runAction({ action: temporaryAction('console.log(process.cwd())'), workspace })

  expect(rawOutput.trim()).toBe(workspace)
})

test('the event is a file', async () => {
  const action = temporaryAction(`const { readFileSync } = require('node:fs')
console.log(process.env.GITHUB_EVENT_NAME, readFileSync(process.env.GITHUB_EVENT_PATH, 'utf8'))`)

  const { rawOutput } = await runAction({ action, eventName: 'push', event: { ref: 'x' } })

  expect(rawOutput).toBe('push {"ref":"x"}\n')
})

test('the command files give outputs, variables, folders, state and summary', async () => {
  const action = temporaryAction(`${APPEND}
console.log('::set-output name=legacy::1')
console.log('::add-mask::secret')
append('GITHUB_OUTPUT', 'a=1\\na<<E\\n2\\n3\\nE\\n')
append('GITHUB_ENV', 'B=1\\nNODE_OPTIONS=-x\\n')
append('GITHUB_PATH', '/bin/x\\n')
append('GITHUB_STATE', 's=1\\n')
append('GITHUB_STEP_SUMMARY', '# Title\\na secret\\n')`)

  const result = await runAction({ action })

  expect(result).toMatchObject({
    conclusion: 'success',
    outputs: { legacy: '1', a: '2\n3' },
    env: { B: '1' },
    path: ['/bin/x'],
    state: { s: '1' },
    summary: '# Title\na ***\n',
    masks: ['secret'],
  })
  expect(result.env).not.toHaveProperty('NODE_OPTIONS')
  expect(result.rawFiles.GITHUB_STEP_SUMMARY).toBe('# Title\na secret\n')
})

test('a malformed command file fails the step, whatever its exit code', async () => {
  const action = temporaryAction(`${APPEND}append('GITHUB_OUTPUT', 'a=1\\nb<<E\\nx\\n')`)

  const result = await runAction({ action })

  expect(result).toMatchObject({ exitCode: 0, conclusion: 'failure', outputs: { a: '1' } })
  expect(result.annotations.map(({ message }) => message)).toEqual([
    "Unable to process file command 'output' successfully.",
    "Invalid value. Matching delimiter not found 'E'",
  ])
})

test('a summary over 1 MiB is dropped whole, with an error that does not fail the step', async () => {
  const action = temporaryAction(`${APPEND}append('GITHUB_STEP_SUMMARY', 'x'.repeat(2 ** 20 + 1))`)

  const result = await runAction({ action })

  expect(result).toMatchObject({ conclusion: 'success', summary: '', annotations: [{ level: 'error' }] })
})

test('outputs over 1 MiB are dropped and fail the step', async () => {
  const action = temporaryAction(`${APPEND}append('GITHUB_OUTPUT', 'a=' + 'x'.repeat(2 ** 19))`)

  expect(await runAction({ action })).toMatchObject({ conclusion: 'failure', outputs: {} })
})

test('the files of a run are gone when it has ended', async () => {
  const { rawOutput } = await runAction({ action: temporaryAction('console.log(process.env.GITHUB_OUTPUT)') })

  expect(rawOutput.trim()).not.toBe('')
  expect(existsSync(rawOutput.trim())).toBe(false)
})

test('a program that cannot be started is a failure', async () => {
  const result = await runAction({ action: temporaryAction(''), node: join(temporaryFolder(), 'no-such-node') })

  expect(result).toMatchObject({ exitCode: null, conclusion: 'failure', annotations: [{ level: 'error' }] })
})

test('another stage of the action can be run', async () => {
  const action = temporaryAction('console.log("main")')
  writeFileSync(join(action, 'action.yml'), 'runs:\n  main: main.cjs\n  post: post.cjs\n')
  writeFileSync(join(action, 'post.cjs'), 'console.log("post")')

  expect((await runAction({ action, stage: 'post' })).rawOutput).toBe('post\n')
  await expect(runAction({ action, stage: 'pre' })).rejects.toThrow('runs.pre is missing')
})

test('lines are handed on while the action runs', async () => {
  const cancel = new AbortController()
  const action = temporaryAction('console.log("ready"); setInterval(() => {}, 1000)')

  const result = await runAction({
    action,
    cancel: cancel.signal,
    onLine: () => {
      cancel.abort()
    },
    cancelTimes: { sigtermAfterMs: 100, killAfterMs: 100 },
  })

  expect(result.conclusion).toBe('cancelled')
})
