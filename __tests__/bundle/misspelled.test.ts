import { expect, test } from '@jest/globals'
import { runBundle, runPackaged } from '../../testing/bundle-run.ts'

test('a misspelled input of the agent sends nothing, and names the input that was meant beside other problems', async () => {
  const run = await runBundle({ inputs: { prompt: 'Fix it.', dryrun: 'true', 'fix-rounds': '9' } })
  expect(run).toMatchObject({ conclusion: 'failure', requests: [], outputs: { outcome: 'error' } })
  const errors = run.annotations.filter(({ level }) => level === 'error')
  expect(errors).toMatchObject([{ title: 'The inputs are invalid' }])
  expect(errors[0]?.message).toMatch(/^2 inputs are invalid:\n- `dryrun` is not .*: did you mean `dry-run`\?\n- `fix-r/)
})

test('a variable of the job that resembles an input which the step has does not matter', async () => {
  const env = () => ({ INPUT_PROMPTS: 'Something else.' })
  const run = await runBundle({ env, inputs: { prompt: 'Fix it.', wait: 'false' } })
  expect(run).toMatchObject({ conclusion: 'success', prompts: ['Fix it.'] })
})

test.each([
  ['visitors', { 'project-id': 'docs', 'api-key': 'docs_key_1', 'base-url': 'http://127.0.0.1:1', day: '7' }, 'days'],
  ['report', { 'github-token': 'ghs_0123456789', labels: 'api' }, 'label'],
  ['emulator', { scenarios: 'failed' }, 'scenario'],
] as const)('a misspelled input of %s is an input error', async (folder, inputs, meant) => {
  const { conclusion, annotations } = await runPackaged(folder, { inputs })
  const message = annotations.find(({ level }) => level === 'error')?.message
  expect([conclusion, message]).toEqual(['failure', expect.stringContaining(`did you mean \`${meant}\`?`)])
})

test('a key that is too short is an input error, and no part of the log is masked', async () => {
  const run = await runBundle({ inputs: { prompt: 'Fix it.', 'api-key': 'key' } })
  expect(run).toMatchObject({ conclusion: 'failure', requests: [], masks: [] })
  expect(run.annotations.at(-1)?.message).toContain('`api-key` is shorter than 8 characters')
})
