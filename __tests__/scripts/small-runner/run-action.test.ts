import { existsSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { runAction, type RunOptions, type RunResult } from '../../../scripts/small-runner/run-action.ts'
import { createTemporaryAction } from '../../../testing/temporary-action.ts'
import { createTemporaryFolder } from '../../../testing/temporary-folder.ts'

/** Runs a program as an action; to the files of the runner it can `append`. */
function run(program: string, options: Omit<RunOptions, 'action'> = {}): Promise<RunResult> {
  const append = "const append = (name, text) => require('node:fs').appendFileSync(process.env[name], text)\n"
  return runAction({ ...options, action: createTemporaryAction(append + program) })
}

async function readEnvironment(options: Omit<RunOptions, 'action'>): Promise<Record<string, string>> {
  const { rawOutput } = await run('console.log(JSON.stringify(process.env))', options)
  return JSON.parse(rawOutput) as Record<string, string>
}

const RUNS: Readonly<Record<string, readonly [program: string, wanted: object, options?: Partial<RunOptions>]>> = {
  'an error annotation alone does not fail the step': [
    'console.log("::error::x")',
    { conclusion: 'success', annotations: [{ level: 'error', message: 'x' }] },
  ],
  'the command files give outputs, state and summary': [
    `console.log('::add-mask::secret')
append('GITHUB_OUTPUT', '\\ufeffa=1\\na<<E\\n2\\n3\\nE\\n')
append('GITHUB_STATE', 's=1\\n')
append('GITHUB_STEP_SUMMARY', '# Title\\na secret\\n')`,
    {
      conclusion: 'success',
      outputs: { a: '2\n3' },
      state: { s: '1' },
      summary: '# Title\na ***\n',
      masks: ['secret'],
      rawFiles: { GITHUB_STEP_SUMMARY: '# Title\na secret\n' },
    },
  ],
  'a malformed command file fails the step, regardless of its exit code': [
    "append('GITHUB_OUTPUT', 'a=1\\nb<<E\\nx\\n')",
    {
      exitCode: 0,
      conclusion: 'failure',
      outputs: { a: '1' },
      annotations: [
        { message: "Unable to process file command 'output' successfully." },
        { message: "Invalid value. Matching delimiter not found 'E'" },
      ],
    },
  ],
  'a command file that is gone is empty': [
    "require('node:fs').rmSync(process.env.GITHUB_OUTPUT)",
    { conclusion: 'success', outputs: {} },
  ],
  'a summary over 1 MiB is dropped whole, with an error that does not fail the step': [
    "append('GITHUB_STEP_SUMMARY', 'x'.repeat(2 ** 20 + 1))",
    { conclusion: 'success', summary: '', annotations: [{ level: 'error' }] },
  ],
  'outputs over 1 MiB, in UTF-16 with their names, are dropped and fail the step': [
    "append('GITHUB_OUTPUT', 'a=' + 'x'.repeat(2 ** 19))",
    { conclusion: 'failure', outputs: {} },
  ],
  'outputs of 1 MiB are kept': [
    "append('GITHUB_OUTPUT', 'a=' + 'x'.repeat(2 ** 19 - 1))",
    { conclusion: 'success', outputs: { a: 'x'.repeat(2 ** 19 - 1) } },
  ],
  'a program that cannot be started is a failure': [
    '',
    { exitCode: null, conclusion: 'failure', annotations: [{ level: 'error' }] },
    { node: join(createTemporaryFolder(), 'no-such-node') },
  ],
  'an input that the action does not have is passed with a warning': [
    'console.log(process.env.INPUT_SOME_THING)',
    { rawOutput: 'x\n', annotations: [{ level: 'warning', message: expect.stringContaining("'some thing'") }] },
    { inputs: { 'some thing': 'x' } },
  ],
}

test.each(Object.entries(RUNS))('%s', async (_what, [program, wanted, options]) => {
  expect(await run(program, options)).toMatchObject(wanted)
})

test('the step has the variables of a runner, and none of this process', async () => {
  process.env['SMALL_RUNNER_TEST'] = 'leak'
  const env = await readEnvironment({ env: { MINE: '1' }, state: { key: 'kept' } })
  delete process.env['SMALL_RUNNER_TEST']
  expect(env).toMatchObject({ GITHUB_ACTIONS: 'true', GITHUB_REPOSITORY: 'acme/docs', MINE: '1', STATE_key: 'kept' })
  expect(env).not.toHaveProperty('SMALL_RUNNER_TEST')
  expect(env).not.toHaveProperty('RUNNER_DEBUG')
  expect(await readEnvironment({ debug: true })).toHaveProperty('RUNNER_DEBUG', '1')
})

test('the step runs in the workspace with its event in a file, and its temporary files are removed at the end', async () => {
  const workspace = realpathSync(createTemporaryFolder())
  const program = `const { GITHUB_EVENT_NAME, GITHUB_EVENT_PATH, GITHUB_OUTPUT } = process.env
const event = require('node:fs').readFileSync(GITHUB_EVENT_PATH, 'utf8')
for (const text of [process.cwd(), GITHUB_EVENT_NAME, event, GITHUB_OUTPUT]) console.log(text)`
  const { rawOutput } = await run(program, { workspace, eventName: 'push', event: { ref: 'x' } })
  const [folder, event, payload, file = ''] = rawOutput.trim().split(/\r?\n/)
  expect([folder, event, payload]).toEqual([workspace, 'push', '{"ref":"x"}'])
  expect(file).not.toBe('')
  expect(existsSync(file)).toBe(false)
})

test('runs the post stage of an action', async () => {
  const action = createTemporaryAction('console.log("main")')
  writeFileSync(join(action, 'action.yml'), 'runs:\n  main: main.cjs\n  post: post.cjs\n')
  writeFileSync(join(action, 'post.cjs'), 'console.log("post")')
  expect((await runAction({ action, stage: 'post' })).rawOutput).toBe('post\n')
  await expect(runAction({ action: createTemporaryAction(''), stage: 'post' })).rejects.toThrow('runs.post is missing')
})
