import { expect, test } from '@jest/globals'
import { runLimited } from '../../../scripts/mutants/run-limited.ts'
import { getLimitMs } from '../../../scripts/mutants/sandbox.ts'
import { createTemporaryFolder } from '../../support/temporary-folder.ts'

test('distinguishes programs that pass, fail and never end', async () => {
  const folder = createTemporaryFolder()
  expect(await runLimited(folder, ['--eval', ''], 60_000)).toEqual({ kind: 'passed' })
  const failing = "process.stderr.write('two tests'); process.exitCode = 1"
  expect(await runLimited(folder, ['--eval', failing])).toEqual({ kind: 'failed', output: 'two tests' })
  const endless = "process.on('SIGTERM', () => undefined); for (;;);"
  expect(await runLimited(folder, ['--eval', endless], 10.5)).toEqual({ kind: 'timed-out' })
})

test('a slow machine gets more time', () => {
  expect(getLimitMs(1_000)).toBe(60_000)
  expect(getLimitMs(200_000)).toBe(1_000_000)
})
